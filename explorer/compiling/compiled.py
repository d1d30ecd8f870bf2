"""A model compiled for a configuration, and conversions between plain states and keys."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...model.language.actions import Model
from ...model.language.errors import ModelError, NoRoom, UsageError
from ...model.language.kinds import NO_MEMBER
from ...model.language.loops import sorts_in
from ...model.language.machine_code.layout import Layout, Words
from ...model.language.machine_code.loader import Loaded, load
from ...model.language.machine_code.processor import LANES
from ...model.language.reading.arithmetic import HELPER_NAMES
from ...model.language.reading.beginnings import MOST
from ...model.language.reading.constant_indices import validate_constant_indices
from ...model.language.reading.normal_form_reads import validate_normal_form_reads
from ...model.language.reading.plugin_checks import with_plugin_checks
from ...model.language.reading.program import program, validate_reads_only
from ...model.language.reading.specialise import specialise
from ...model.language.reading.trees import assigned_in
from ...model.language.settings import Settings
from ...model.language.steps import Action
from ...properties.property import Property
from .arrays import NOTES, Checks, Outboxes, Packing, Scratch, records_of, separate
from .beginnings import Beginnings, rows_of
from .checks import Checked
from .generate import (
    ENTRIES,
    HEADER,
    NOT_INLINED,
    checked_program,
    functions_of,
    kernels_of_bundles,
    specialised,
    switched_on,
    table_module,
    text_for,
)
from .lane_kernels import STUCK
from .lanes import block_type, can_be_lowered, empty_block, fits
from .meta_words import MAX_CODES
from .order import Order, by_weight
from .packing import PlainKeys, number_of

SPARE_ROWS = 3
"""Rows of a task beside the successors: the state itself, the successor that is tried, and one to rename in."""

MAX_AT_ONCE = 1 << 13
"""Successors of a block for which there is room in each box: addresses, but no memory before they are used."""

_layout = cache(Layout)


@cache
def _generic_module(model: Model, layout_name: str, properties: tuple[Property, ...]) -> Loaded:
    layout = _layout(model, layout_name)
    checked = Checked.of(properties)
    text = text_for(model, layout, checked, None, True)
    names = checked_program(model, functions_of(model, checked)).functions
    not_inlined = {*NOT_INLINED, *names, *(f"all_of_{name}" for name in names)}  # expanded, they take twice as long to compile
    return load(f"{model.name}-{layout_name}", text, ENTRIES, not_inlined, HEADER, kernels_of_bundles())


@cache
def _shared(model: Model, shared: tuple[Settings, ...], properties: tuple[Property, ...], in_lanes: bool) -> tuple[str, Loaded]:
    layout = _layout(model, "exact", shared[0], shared)
    text = text_for(model, layout, Checked.of(properties), shared[0], False, shared, in_lanes)
    return text, load(f"{model.name}-shared", text, ENTRIES, NOT_INLINED, HEADER, kernels_of_bundles())


@cache
def _by_weight(model: Model, config: Settings, layout: Layout, others: tuple[Callable[..., Any], ...]) -> list[int]:
    return by_weight(model, config, layout, specialised(model, config, others))


def layouts_that_fit(model: Model, config: Settings) -> list[str]:
    """The layouts of the model that have room for the configuration."""
    return [name for name in model.capacities if _layout(model, name).has_room(config)]


def layout_for(model: Model, config: Settings) -> str:
    """The first layout of the model that has room for the configuration, or the last one."""
    return [*layouts_that_fit(model, config), list(model.capacities)[-1]][0]


class Compiled:
    """One model under one configuration, ready for the kernels.

    `properties` are those that can be checked. `generic` uses code that was compiled for all
    configurations of a layout (slower, but compiled once); `shared` code that these configurations, all laid out alike, run; else
    the code is this configuration's own. `room`: bytes that the rows of one task may take; NoRoom, before anything is compiled.
    """

    def __init__(
        self,
        model: Model,
        config: Any,
        properties: Iterable[Property] = (),
        symmetry: bool = False,
        generic: str | None = None,
        shared: tuple[Settings, ...] = (),
        room: int | None = None,
    ) -> None:
        self.model, self.config, self.symmetry, self.generic, self.shared = model, config, symmetry, generic, shared
        self.properties = Checked.of(properties)
        functions = functions_of(model, self.properties)
        whole = checked_program(model, functions)
        plugin_code, normal = whole.plugin_code, model.normal_form
        self.plugin_code = bool(plugin_code)
        """Whether some of it is a plugin's."""
        self.own_normal_form = normal is None or whole.name_of(normal) not in plugin_code
        """Whether the normal form can be taken in plain Python. What is from a plugin runs with checks."""
        if plugin_code:
            called = [*(action.function for action in model.actions), *functions]
            validate_constant_indices(specialised(model, config, functions), config, map(whole.name_of, called))
            validate_normal_form_reads(model, config, called)
        if shared:
            self.layout = _layout(model, "exact", shared[0], shared)
        elif generic is None:
            self.layout = _layout(model, "exact", config)
        else:
            self.layout = _layout(model, generic)
            self.layout.check(config)
            self.module = _generic_module(model, generic, tuple(self.properties))
        self.plan = plan = self.layout.plan(config)
        counts = {getattr(config, d) for action in (*model.actions, *self.properties) for d in action.dimensions}
        self.lanes = self.generic is None and fits(self.layout, plan, counts)
        """Whether `LANES` states are expanded at once."""
        self.gave_up = False
        """Whether a check has failed in lanes: then states are expanded one at a time."""
        high = np.uint64(self.layout.high_bits)
        self.packing = Packing(plan.word, plan.mask, plan.bias, plan.post, plan.bits.astype(np.uint64), high)
        self.key_words = plan.key_words
        self.plain = PlainKeys(self.layout, config, plan.key_words)
        self.table = table_module(plan.key_words)
        self.state_bits = int(plan.bits.sum())
        self.renaming = np.array([getattr(config, sort) for sort in sorts_in(model.state)] if symmetry else [0], np.int64)
        """How many members each symmetric sort has."""
        self.beginnings = Beginnings(model, config, self.layout)
        self._keys_at_first: Words | None = None
        self._number_actions()
        if room is not None and self.bytes_of_rows > room:
            raise NoRoom(
                f"the rows of each task take {self.bytes_of_rows / 2**20:,.0f} MB under this configuration, one of"
                f" {8 * self.layout.words:,} bytes for each of {self.codes:,} action instances, and there is room for"
                f" {max(0, room) / 2**20:,.0f} MB a task; choose smaller sizes, or allow more with --memory"
            )
        if self.generic is None:
            self._load_own()

    def _load_own(self) -> None:
        """Load code that is not for all; one state is expanded at a time where a function cannot be written in lanes."""
        text, self.module = self._own(self.lanes)
        if self.lanes and not self.module.has_kept("expand"):
            if not can_be_lowered(text, kernels_of_bundles(), NOT_INLINED, self.block_type):
                self.lanes = False
                self._load_own()

    def _own(self, in_lanes: bool) -> tuple[str, Loaded]:
        """The text for this configuration alone, or for those that share it, and its module."""
        if self.shared:
            return _shared(self.model, self.shared, tuple(self.properties), in_lanes)
        text = text_for(self.model, self.layout, self.properties, self.config, self.symmetry, in_lanes=in_lanes)
        return text, load(f"{self.model.name}-exact", text, ENTRIES, NOT_INLINED, HEADER, kernels_of_bundles())

    @cached_property
    def one_by_one(self) -> Loaded:
        """The same code for one state at a time."""
        return self._own(False)[1]

    def expand(
        self, keys: Words, first: int, last: int, start: int, shard: int, shift: np.uint64, scratch: Scratch, checks: Checks,
        boxes: Outboxes, only_check: bool,
    ) -> int:  # fmt: skip
        """`kernels.expand`. Where a check of a plugin fails in lanes, one state at a time says in which, and with what."""
        given = (keys, first, last, start, shard, shift, self.packing)
        more = (self.renaming, self.base, checks, boxes, only_check)
        if not self.gave_up:
            kept = [(array, array.copy()) for array in (*checks, boxes.filled[shard])] if self.plugin_code else []
            reached = int(self.module.expand(*given, scratch, *more))
            if reached != STUCK:
                return reached
            for array, before in kept:
                array[:] = before
            self.gave_up = True
        return int(self.one_by_one.expand(*given, scratch._replace(lanes=None), *more))

    def _number_actions(self) -> None:
        """Give every action with its arguments a code: `base` of the action, then its arguments' place."""
        self.base = np.full(len(self.model.actions), -1, np.int64)
        self.action_of = np.zeros(MAX_CODES + 1, np.int64)
        codes = 0
        on = self._existing()
        for index, action in enumerate(self.model.actions):
            if on[index]:
                count = int(np.prod([getattr(self.config, d) for d in action.dimensions], dtype=np.int64))
                self.base[index] = codes
                self.action_of[codes : codes + count] = index
                codes += count
        if codes > MAX_CODES:
            raise UsageError(f"the configuration has {codes} action instances, more than {MAX_CODES:,}; choose smaller sizes")
        self.codes = codes

    @property
    def sorts(self) -> bool:
        """Whether large levels are sorted before they are expanded.

        That gains with lanes alone, but it does not depend on the processor or the way to compile, so that these find the same
        traces. With symmetry, renaming takes far longer than what sorting saves.
        """
        return not self.symmetry

    @cached_property
    def order(self) -> Order:
        """The order in which they are sorted."""
        variables = [self.plain.shape[place] for place in _by_weight(self.model, self.config, self.layout, self._others())]
        return Order([mask << at for _, mask, at, _ in variables if mask], self.key_words, self.table)

    @cached_property
    def block_type(self) -> np.dtype[Any]:
        """The type of a task's block of states: one object, since Numba takes longer to recognise another that is equal."""
        codes = self.codes
        if self.shared:  # the same type for all of them
            codes = sum(prod(getattr(self.config, d) for d in action.dimensions) for action in self.model.actions)
        return block_type(self.layout, self.plan, max(1, codes))

    @property
    def most_successors(self) -> int:
        """Room that a box needs for the successors that are entered at once; with less of it, blocks of states are narrower."""
        alone = self.codes + SPARE_ROWS
        return max(alone, min(LANES * self.codes, MAX_AT_ONCE)) if self.lanes else alone

    def _existing(self) -> tuple[bool, ...]:
        """For each action whether the configuration has it."""
        return switched_on(self.model, self.config, self._others())

    def _others(self) -> tuple[Callable[..., Any], ...]:
        """What has been specialised for this configuration beside the actions."""
        return () if self.generic or self.shared else functions_of(self.model, self.properties)

    def decode(self, code: int) -> tuple[Action, tuple[int, ...]]:
        """The action and the arguments of a code."""
        index = int(self.action_of[code])
        action = self.model.actions[index]
        rest, arguments = code - int(self.base[index]), []
        for dimension in reversed(action.dimensions):
            rest, argument = divmod(rest, getattr(self.config, dimension))
            arguments.append(argument)
        return action, tuple(reversed(arguments))

    @property
    def bytes_of_rows(self) -> int:
        """Memory of a task's rows (`scratch`)."""
        return 8 * self.layout.words * (self.codes + SPARE_ROWS)

    def scratch(self) -> Scratch:
        """Rows for one task; room for all successors of a state."""
        empty = self.layout.rows(self.config, self.codes + SPARE_ROWS)
        rows = separate(empty.shape, np.uint64)
        rows[:] = empty
        codes, shape = separate((len(rows),), np.int64), (len(self.renaming), NO_MEMBER + 1)
        signs, order, places, twins = (separate(shape, np.int64) for _ in range(4))
        places[:, NO_MEMBER] = NO_MEMBER
        key, trial = separate((1, self.key_words), np.uint64), separate((1, self.key_words), np.uint64)
        block = (self.block_type, self.layout, self.plan, self.config)
        lanes = empty_block(*block, self.module.BITS_OF_CELLS) if self.lanes else None
        return Scratch(rows, records_of(self.layout, rows), codes, key, trial, signs, order, places, twins, lanes)

    def checks(self, chosen: Iterable[Property]) -> Checks:
        """Fresh notes for the chosen properties."""
        names = {p.name for p in chosen}
        masks = [sum(1 << i for i, p in enumerate(group) if p.name in names) for group in self.properties.groups]
        active, notes = separate((len(masks),), np.uint64), separate((NOTES, 2), np.int64)
        active[:], notes[:] = masks, -1
        actions = (len(self.model.actions),)
        return Checks(active, notes, separate(actions, np.int64), separate(actions, np.int64))

    def keys_of(self, states: Sequence[Any]) -> Words:
        """The canonical keys of a few plain states; LayoutError when a value is out of its range."""
        if self.own_normal_form:  # a row has room for numbers in their normal form
            states = list(map(self._normal, states))
        if self.symmetry or not self.own_normal_form:
            return self.canonical_keys(states)
        keys = [self.plain.words_of(self.plain.key_of(state)) for state in states]
        return np.array(keys, np.uint64).reshape(len(states), self.key_words)

    def _normal(self, state: Any) -> Any:
        """The normal form of a plain state; LayoutError when a value is out of its range."""
        self.layout.validate(state)
        normal = state.copy()
        if self.model.normal_form is not None:
            self.model.normal_form(normal)
        return normal

    def canonical_keys(self, states: Sequence[Any]) -> Words:
        """As `keys_of`, by compiled code."""
        return self.canonised(rows_of(self.layout, self.config, states))

    def canonised(self, rows: Words) -> Words:
        """The canonical keys of rows."""
        out = np.zeros((len(rows), self.key_words), np.uint64)
        self.module.canonise(rows, self.packing, self.scratch(), self.renaming, out)
        return out

    def rows_of(self, keys: Words) -> Words:
        """The states of keys as rows."""
        rows = self.layout.rows(self.config, len(keys))
        self.module.reveal(np.ascontiguousarray(keys), self.packing, rows)
        return rows

    def state_of(self, key: Words) -> Any:
        """The plain state of a key, in its normal form."""
        return self.plain.state_of(number_of(key))

    def keys_at_first(self) -> Words:
        """The canonical keys of the initial states, in their order; ModelError without any: no property would be checked."""
        if self._keys_at_first is None:
            self._keys_at_first = self.beginnings.keys(self.keys_of, self.canonised)
        if not len(self._keys_at_first):
            raise ModelError(f"the model {self.model.name} has no initial state under this configuration")
        return self._keys_at_first

    def initial_keys(self) -> Words:
        """As `keys_at_first`; where there are few, each once."""
        keys = self.keys_at_first()
        if len(keys) > MOST:
            return keys
        places: dict[bytes, int] = {}  # numpy's unique compares records, and takes an interrupt for rows that cannot be compared
        for place, key in enumerate(keys):
            places.setdefault(key.tobytes(), place)
        return np.ascontiguousarray(keys[list(places.values())])

    def fingerprints(self, keys: Words) -> NDArray[np.uint64]:
        """The fingerprints of keys."""
        out = np.zeros(len(keys), np.uint64)
        self.table.fingerprints(keys, out)
        return out

    def companion_module(
        self, kind: str, entry: str, functions: Sequence[Callable[..., Any]], text_of: Callable[..., str]
    ) -> Loaded:
        """A separate module for functions of properties; `text_of` writes its `entry` from their names and a configuration."""
        model, config = self.model, None if self.generic or self.shared else self.config
        taken = assigned_in(text_of(lambda function: "any", config))
        whole = program(functions, {entry, "np", *HELPER_NAMES}, model.config, taken)
        whole = with_plugin_checks(whole, map(whole.name_of, functions), model.state, model.config)
        if whole.plugin_code:
            indexed = specialise(whole, self.config, model.state)
            validate_constant_indices(indexed, self.config, map(whole.name_of, functions))
            validate_normal_form_reads(model, self.config, functions)
        if config is not None:
            whole = specialise(whole, config, model.state)
        validate_reads_only(whole, map(whole.name_of, functions))
        return load(f"{model.name}-{kind}", f"{whole.text()}\n\n\n{text_of(whole.name_of, config)}\n", (entry,))
