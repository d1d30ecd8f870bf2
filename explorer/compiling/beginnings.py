"""The initial states as rows: compiled code writes them where there are many and their text can be read, else plain Python.

What is compiled is compared with the first states of plain Python each time.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from ...model.language.actions import Model
from ...model.language.errors import LanguageError, NoRoom, UsageError
from ...model.language.kinds import NO_MEMBER, Member, leaves
from ...model.language.machine_code.layout import Layout, Words
from ...model.language.machine_code.loader import load
from ...model.language.reading.arithmetic import HELPER_NAMES
from ...model.language.reading.beginnings import MOST, in_turn, is_read, take, text_of
from ...model.language.reading.beginnings_compiled import in_place
from ..budget import Bounds, OutOfTime
from ..machine import available_memory
from .generate import bare_text
from .kernels import copy_row
from .ranges import range_checks_text

BATCH = 1 << 25
"""Bytes of rows that are made at once."""

BYTES_OF_EACH = 24
"""Memory of a search for each word of an initial state, at least."""

ENTRY = "begin_rows"
PARAMETERS = ("recs", "rows", "skip")
RESERVED = (
    ENTRY, *PARAMETERS, "count", "np", "emitted", "copy_row", "in_ranges", "in_normal_ranges", "unchanged", "STATE_WORDS",
    *HELPER_NAMES,
)  # fmt: skip

EMITTED = """def emitted(recs, rows, count, skip):
    if not in_ranges(recs[0]):
        raise ValueError('an initial state has a variable outside its range')
    if count >= skip:
        copy_row(rows, 0, 2 + count - skip)
    return count + 1"""
"""Notes a state: those before number `skip` are left out."""

IN_PLACE = {
    "renew": "copy_row(rows, 1, 0)",
    "hold": "copy_row(rows, 0, 1)",
    "emit": "count = emitted(recs, rows, count, skip)\nif count - skip + 2 >= rows.shape[0]:\n    return count",
}
"""What takes the place of a call of these functions; row 0 is the state, row 1 the one that `renew` gives."""

BEGIN = ("recs[0]", "recs[0].config")
"""The state, and the configuration, which code with checks has as a parameter."""


class Beginnings:
    """The initial states of a model. `seconds`: what was spent on them here; `bounds`: of the search, while many are made."""

    def __init__(self, model: Model, config: Any, layout: Layout) -> None:
        self.model, self.config, self.layout = model, config, layout
        self.seconds = 0.0
        self.bounds = Bounds()

    @cached_property
    def first(self) -> list[Any]:
        """The first of the plain states: one more than `MOST` at the most, where their text can be read; else all."""
        with self.timed():
            if is_read(self.model):
                return list(islice(in_turn(self.model, self.config), MOST + 1))
            return take(self.model, self.config)

    @property
    def are_many(self) -> bool:
        """Whether plain Python should not begin with them while the compiler works."""
        return len(self.first) > MOST

    @contextmanager
    def timed(self) -> Iterator[None]:
        """What is done within the block is for the initial states."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - begun

    def keys(self, keys_of: Callable[[Sequence[Any]], Words], canonised: Callable[[Words], Words]) -> Words:
        """The keys of all, of which `keys_of` has a few, and `canonised` those of rows; OutOfTime at a bound."""
        if not self.are_many:
            return keys_of(self.first)
        with self.timed():
            keys: list[Words] = []
            room, found = available_memory() // BYTES_OF_EACH, 0
            for rows in self.rows():
                if keys and (bound := self.bounds.reached(found)):
                    raise OutOfTime(f"{bound}, reached among {found:,} initial states,")
                keys.append(canonised(rows))
                found += len(rows)
                if found * self.layout.words > room:
                    raise NoRoom(
                        f"there are more than {found:,} initial states, and no memory for more is available; choose smaller sizes"
                    )
        del self.first
        return np.concatenate(keys)

    def compile(self, canonised: Callable[[Words], Words]) -> None:
        """Compile what many are made with; takes no other time."""
        if self.are_many:
            canonised(rows_of(self.layout, self.config, self.first[:1]))
            if self.module is not None:
                self._begin(np.tile(rows_of(self.layout, self.config, self.first[:1]), (3, 1)), 0)

    def rows(self) -> Iterator[Words]:
        """The rows of all, in batches; valid until the next."""
        if self.module is None:
            whole = in_turn(self.model, self.config) if is_read(self.model) else iter(self.first)
            while some := list(islice(whole, MOST)):
                yield rows_of(self.layout, self.config, some)
            return
        rows = self.layout.rows(self.config, 2 + max(1024, BATCH // (8 * self.layout.words)))
        expected, skip = rows_of(self.layout, self.config, self.first), 0
        while True:
            found = self._begin(rows, skip)
            if skip == 0 and not np.array_equal(found[: len(expected)], expected[: len(found)]):
                raise AssertionError(f"compiled code makes other initial states of {self.model.name} than plain Python")
            yield found
            if len(found) < len(rows) - 2:
                return
            skip += len(found)

    def _begin(self, rows: Words, skip: int) -> Words:
        """The states after the first `skip`, as far as there is room in `rows`; a failure of the model has its place."""
        rows[:2] = rows_of(self.layout, self.config, [self.model.state(self.config)])
        try:
            count = getattr(self.module, ENTRY)(self.layout.records(rows), rows, skip)
        except (ValueError, IndexError, ArithmeticError):
            for state in in_turn(self.model, self.config):  # where plain Python fails, too
                self.layout.validate(state)
            raise
        return rows[2 : 2 + max(0, count - skip)]

    @cached_property
    def module(self) -> Any:
        """What makes the rows, to be compiled when it is called; None where the language of models does not have its text."""
        text = text_of(self.model)
        if text is None:
            return None
        try:
            whole = in_place(text, self.config, self.model.state, RESERVED, ENTRY, PARAMETERS, BEGIN, IN_PLACE)
        except (LanguageError, UsageError):
            return None
        parts = [f"STATE_WORDS = {self.layout.state_words}", bare_text(copy_row), *range_checks_text(self.model, self.config)]
        written = "\n\n\n".join([*parts, EMITTED, whole.text()])
        return load(f"{self.model.name}-begin", written, (ENTRY,), (), "", ("copy_row", "emitted", ENTRY))


def rows_of(layout: Layout, config: Any, states: Sequence[Any]) -> Words:
    """Plain states as rows; LayoutError when a value is out of its range."""
    rows = layout.rows(config, len(states))
    if not states:
        return rows
    values = np.array([leaves(state) for state in states], np.int64)
    cells = rows.view(layout.cell)
    for place, (_, at, kind) in enumerate(layout.variables(config)):
        column = values[:, place]
        low, high = kind.span(config)
        wrong = (column < max(0, low) if isinstance(kind, Member) else column < low) | (column > high)
        for number in np.flatnonzero(wrong & (column != NO_MEMBER) if isinstance(kind, Member) else wrong)[:1]:
            layout.validate(states[number])
        cells[:, at] = column
    return rows
