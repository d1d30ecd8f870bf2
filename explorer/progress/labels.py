"""Goals and premises, compiled in a separate module: for each state a mask of the values for which they are true."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...model.language.errors import UsageError
from ...model.language.loops import nested
from ...model.language.reading.faults import counters
from ...properties.property import Property
from ..compiling.arrays import WORD_BITS, Words, records_of
from ..compiling.compiled import Compiled
from ..compiling.failure import located_in_states
from ..compiling.steps import extent

PIECE = 1 << 16
"""States whose rows are in memory at a time."""

Masks = NDArray[np.uint64]


def goals_of(claim: Property, config: Any) -> int:
    """How many goals a property has: tuples of values of its parameters."""
    return len(list(claim.bindings(config)))


def validate_goal_count(claim: Property, config: Any) -> None:
    """UsageError when a property has more goals than a mask has bits."""
    if claim.applies(config) and goals_of(claim, config) > WORD_BITS:
        things = goals_of(claim, config)
        raise UsageError(f"{claim.name} is about {things:,} goals here, more than {WORD_BITS}; choose smaller sizes")


class Labels:
    """The properties' goals and premises for one compiled model."""

    def __init__(self, compiled: Compiled, properties: Iterable[Property]) -> None:
        self.compiled, self.properties = compiled, [part for item in properties for part in item.parts]
        for claim in self.properties:
            validate_goal_count(claim, compiled.config)
        functions = [function for item in self.properties for function in item.functions]
        self.module = compiled.companion_module("progress", "label", functions, partial(label_text, self.properties))
        cells = compiled.layout.offset
        self._counters = [cells(path) for path in counters(compiled.model, compiled.config)]

    def of(self, claim: Property, keys: Words) -> tuple[Masks, Masks]:
        """Where the goal and the premise are true, for these states."""
        goals, premises = np.zeros(len(keys), np.uint64), np.zeros(len(keys), np.uint64)
        which = self.properties.index(claim)
        for at, rows in self._rows(keys):
            part, records = slice(at, at + len(rows)), records_of(self.compiled.layout, rows)
            with located_in_states(claim, self.compiled.model, partial(self._states, rows)):
                self.module.label(which, records, goals[part], premises[part])
        return goals, premises

    def paid(self, keys: Words) -> NDArray[np.uint16]:
        """What was paid for faults on the path to these states."""
        out = np.zeros(len(keys), np.uint16)
        for at, rows in self._rows(keys):
            cells = rows.view(self.compiled.layout.cell)
            for counter in self._counters:
                out[at : at + len(rows)] += cells[:, counter].astype(np.uint16)
        return out

    def _states(self, rows: Words) -> Iterator[tuple[Any]]:
        """The plain states of rows, for the plain model."""
        return ((self.compiled.layout.read(row, self.compiled.config),) for row in rows)

    def _rows(self, keys: Words) -> Iterator[tuple[int, Words]]:
        """The states as rows, piece by piece."""
        for at in range(0, len(keys), PIECE):
            yield at, self.compiled.rows_of(keys[at : at + PIECE])


def label_text(properties: Sequence[Property], name_of: Any, config: Any) -> str:
    """`label`: the masks of one property for every record; bit `b` is the `b`-th tuple of values of its parameters."""
    lines = ["def label(which, recs, goals, premises):", "    for i in range(recs.shape[0]):", "        s = recs[i]"]
    for number, claim in enumerate(properties):
        lines += [f"        if which == {number}:", "            bit = np.uint64(1)"]
        ranges = [(f"p{place}", extent(size, config)) for place, size in enumerate(claim.dimensions)]
        arguments, body = ", ".join(["s", *(name for name, _ in ranges)]), []
        for function, masks in zip(claim.functions, ("goals", "premises"), strict=False):
            body += [f"if {name_of(function)}({arguments}):", f"    {masks}[i] |= bit"]
        lines += ["            " + line for line in nested(ranges, [*body, "bit = bit << np.uint64(1)"])]
    return "\n".join(lines)
