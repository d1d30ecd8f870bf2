"""The state as bytes: rows that compiled code works on, and keys that are stored and carried.

A row is one state as an array of little cells (int8, or int16, int32 or int64 where that is not enough) in the order of
declaration, padded to 64-bit words, then the configuration, which compiled actions read as `s.config`.
A layout has room for every configuration up to its capacities, so that code compiled once serves them
all; the exact layout has room for one configuration only, and code compiled for it is faster.

A key is the same state in as few bits as the configuration needs: of each word of the row, `mask` names
the bits that can differ, after `bias` has made the lowest legal value zero. The key does not depend on
the layout.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..actions import Model
from ..errors import LayoutError, UsageError
from ..kinds import NO_MEMBER, Integer, Kind, Many, Member, MemberSet, cells, fill, walk
from ..reading.program import is_plugin_code
from ..settings import Named, Settings
from ..sizes import spans, validate_sizes, variables_of
from ..steps import Rule
from .processor import LANES

BYTE = np.iinfo("i1")

Words = NDArray[np.uint64]


@dataclass(frozen=True)
class Plan:
    """How rows of one configuration are packed; arrays have one entry per word of the row that is used.

    `word`: its index; `mask`: the bits that vary, after `bias` was added lane by lane; `post`: what is
    kept of each lane when unpacking; `bits`: how many bits `mask` has; `key_words`: words per key.
    """

    word: NDArray[np.int64]
    mask: Words
    bias: Words
    post: Words
    bits: NDArray[np.int64]
    key_words: int


class Layout:
    """The arrays of one model: the layout `name` of its capacities, or the exact one of `config`.

    `alike`: configurations whose rows are the same bytes, and whose keys then have room for the states of each of them.
    """

    def __init__(self, model: Model, name: str, config: Settings | None = None, alike: tuple[Settings, ...] = ()) -> None:
        self.model, self.name, self.alike = model, name, alike
        self._kinds: dict[Settings, list[tuple[str, int, Kind]]] = {}
        self._checked: set[Settings] = set()
        self.normal = not has_plugin_steps(model)
        """Whether the cells need room for a state's normal form only."""
        dimensions = model.capacities["small"]
        self.capacity = {d: max(1, getattr(config, d)) for d in dimensions} if config else model.capacities[name]
        small = fits_small_cells(model, config) if config else name != "large" and self._declares_bytes()
        wider = next((width for width in ("i2", "i4") if self._fits(config, np.iinfo(width))), "i8")
        self.cell = np.dtype("i1" if small else wider)
        state = self._fields(model.state)
        size = np.dtype(state).itemsize
        settings = [(n, self.cell) for n in (*model.config.settings, *model.config.computed)]
        self.state_words = -(-size // 8)
        parts: list[Any] = [*state, ("spare", "i1", (self.state_words * 8 - size,)), ("config", _record(settings))]
        tail = -np.dtype(settings).itemsize % 8
        self.dtype = _record([*parts, ("tail", "i1", (tail,))])
        self.words = self.dtype.itemsize // 8

    def _fits(self, config: Settings | None, limits: Any) -> bool:
        """Whether these limits hold every number of the configuration; without one, every bound that is a number."""
        if config is None:
            bounds = [end for _, kind in self._declared() if isinstance(kind, Integer) for end in (kind.low, kind.high)]
            return all(limits.min <= bound <= limits.max for bound in bounds if isinstance(bound, int))
        ends = [end for _, *both in spans(self.model.state, config, self.normal) for end in both]
        return all(limits.min <= end <= limits.max for end in (*ends, *(value for _, value in config.numbers())))

    def _declares_bytes(self) -> bool:
        """Whether 8 bits hold every bound that is a number, and every set of members; for a bound by name `check` looks."""
        bounds = [(1 << self.capacity.get(kind.of, 0)) - 1 for _, kind in self._declared() if isinstance(kind, MemberSet)]
        for _, kind in self._declared():
            if isinstance(kind, Integer):
                most = kind.high if kind.normal_high is None or not self.normal else kind.normal_high
                bounds += [bound for bound in (kind.low, most) if isinstance(bound, int)]
        return all(BYTE.min <= bound <= BYTE.max for bound in bounds)

    def _declared(self) -> tuple[tuple[str, Kind], ...]:
        return variables_of(self.model.state)

    @property
    def high_bits(self) -> int:
        """A word with the top bit of each lane."""
        lane = 8 * self.cell.itemsize
        return sum(1 << (at + lane - 1) for at in range(0, 64, lane))

    def _fields(self, kind: Any) -> list[Any]:
        """The fields of a record: (name, type, shape)."""
        return [(name, *self._type(field)) for name, field in kind.fields.items()]

    def _type(self, kind: Any) -> tuple[Any, tuple[int, ...]]:
        if isinstance(kind, Many):
            inner, shape = self._type(kind.element)
            return inner, (self.capacity[kind.dimension], *shape)
        return (self.cell if isinstance(kind, Kind) else _record(self._fields(kind))), ()

    @cached_property
    def in_lanes(self) -> np.dtype[Any]:
        """A record like the state's: each cell is a row of bytes, one for each of `LANES` states. Behind them stands the
        configuration, where code that several share reads it."""
        cells = _in_lanes(self.dtype, [name for name in self.dtype.names or () if name not in ("config", "tail")])
        if not self.alike:
            return cells
        config = self.dtype["config"]
        tail = ("tail", "u1", (-config.itemsize % LANES,))
        return np.dtype([*((name, cells[name]) for name in cells.names or ()), ("config", config), tail])

    def check(self, config: Settings) -> None:
        """UsageError when a size, or the range of a variable, is beyond this layout."""
        if config in self._checked:
            return
        validate_sizes(self.model.state, config)
        for dimension, room in self.capacity.items():
            size = getattr(config, dimension)
            if size > room:
                raise UsageError(
                    f"{dimension} = {size} is more than the {self.name} layout of the model"
                    f" {self.model.name} holds ({room}); choose a smaller size"
                )
        limits = np.iinfo(self.cell)
        settings = ((name, value, value) for name, value in config.numbers())  # they are cells of a row, too
        for path, low, high in (*spans(self.model.state, config, self.normal), *settings):
            if low < limits.min or high > limits.max:
                raise UsageError(
                    f"the {self.name} layout of the model {self.model.name} holds numbers from {limits.min} to {limits.max}, and"
                    f" {path} goes from {low} to {high}; choose smaller sizes, or code for this configuration alone"
                )
        self._checked.add(config)

    def has_room(self, config: Settings) -> bool:
        """Whether this layout can hold the states of a configuration."""
        try:
            self.check(config)
        except UsageError:
            return False
        return True

    def offset(self, path: str) -> int:
        """The index of the cell at `path` (`replica[1].hw`) in a row seen as cells."""
        at, dtype = 0, self.dtype
        for part in re.findall(r"\w+(?:\[\d+\])*", path):
            name, *indices = re.findall(r"\w+", part)
            field = dtype.fields[name]  # type: ignore[index]
            dtype, at = field[0], at + field[1]
            base, shape = dtype.subdtype or (dtype, ())
            for position, index in enumerate(indices):
                at += int(index) * base.itemsize * int(np.prod(shape[position + 1 :], dtype=int))
            dtype = base
        return at // self.cell.itemsize

    def rows(self, config: Settings, count: int) -> Words:
        """`count` empty rows of `config`, as words; `records` gives the other view of them."""
        self.check(config)
        rows = np.zeros((count, self.words), np.uint64)
        view = self.records(rows)["config"]
        for name, value in config.numbers():
            view[name] = value
        return rows

    def records(self, rows: Words) -> Any:
        """The rows as records, for compiled code; the same memory."""
        return rows.view(self.dtype).reshape(len(rows))

    def variables(self, config: Settings) -> list[tuple[str, int, Kind]]:
        """Every variable of `config`: (path, index of its cell in a row, kind), in order of declaration."""
        if config not in self._kinds:
            empty = self.model.state(config)
            self._kinds[config] = [(p, self.offset(p), k) for p, k, _ in walk(type(empty), empty)]
        return self._kinds[config]

    def validate(self, state: Any) -> None:
        """LayoutError when a value of a plain state is out of its range."""
        for path, kind, value in walk(type(state), state):
            if not kind.legal(value, state.config):
                raise LayoutError(f"{path} = {value} is outside {kind.span(state.config)}: {kind.doc}")

    def write(self, state: Any, row: Words) -> None:
        """Put a plain state into a row; LayoutError when a value is out of its range."""
        self.validate(state)
        view = row.view(self.cell)
        for (_, at, _), value in zip(self.variables(state.config), cells(state), strict=True):
            view[at] = value

    def read(self, row: Words, config: Settings) -> Any:
        """The plain state in a row."""
        view = row.view(self.cell)
        return fill(self.model.state(config), [int(view[at]) for _, at, _ in self.variables(config)])

    def packed(self, config: Settings) -> dict[int, tuple[Kind, int, int]]:
        """By the cell in a row, in their order: what is packed into a key, and the least and the largest number of each."""
        found: dict[int, tuple[Kind, int, int]] = {}
        for one in self.alike or (config,):
            for _, at, kind in self.variables(one):
                low, high = kind.normal_span(one)
                _, least, most = found.get(at, (kind, low, high))
                found[at] = kind, min(low, least), max(high, most)
        return dict(sorted(found.items()))

    def plan(self, config: Settings) -> Plan:
        """How to pack rows of `config`."""
        lane_bits = 8 * self.cell.itemsize
        lanes = 64 // lane_bits
        mask, bias, post = (np.zeros(self.state_words, np.uint64) for _ in range(3))
        for at, (kind, low, high) in self.packed(config).items():
            width = int(high - low).bit_length()
            word, shift = at // lanes, (at % lanes) * lane_bits
            full = (1 << lane_bits) - 1
            mask[word] |= np.uint64(((1 << width) - 1) << shift)
            bias[word] |= np.uint64((-low & full) << shift)
            keep = NO_MEMBER if isinstance(kind, Member) else full
            post[word] |= np.uint64(keep << shift)
        used = np.flatnonzero(post)
        bits = np.array([int(m).bit_count() for m in mask[used]], np.int64)
        key_words = max(1, -(-int(bits.sum()) // 64))
        return Plan(used, mask[used], bias[used], post[used], bits, key_words)


def fits_small_cells(model: Model, config: Settings) -> bool:
    """Whether every number of the configuration, and every variable that it has, fits into 8 bits.

    Of a model whose steps are our own, a variable in its normal form: such a step goes beyond it by little.
    """
    empty, normal = model.state(config), not has_plugin_steps(model)
    kinds = {id(kind): kind for _, kind, _ in walk(type(empty), empty)}.values()
    ends = [end for kind in kinds for end in (kind.normal_span(config) if normal else kind.span(config))]
    return all(BYTE.min < end < BYTE.max for end in (*ends, *(value for _, value in config.numbers())))


def has_plugin_steps(model: Model) -> bool:
    """Whether the code of a plugin or of a user takes part in the steps of a model: these may go to the ends of a range."""
    found: list[Any] = [model.normal_form]
    for action in model.actions:
        found += action.function.under(model.config) if isinstance(action.function, Rule) else [action.function]
    for setting in model.config.settings.values():
        found += [version for row in (setting.rows if isinstance(setting, Named) else ()) for version in row.values()]
    return any(map(is_plugin_code, found))


def _in_lanes(kind: np.dtype[Any], names: Iterable[str]) -> np.dtype[Any]:
    """A record with these fields, in which a row of bytes takes the place of each cell."""
    fields: list[Any] = []
    for name in names:
        field = kind.fields[name][0]  # type: ignore[index]
        base, shape = field.subdtype or (field, ())
        fields.append((name, _in_lanes(base, base.names), shape) if base.names else (name, base, (*shape, LANES)))
    return np.dtype(fields)


def _record(fields: list[Any]) -> np.dtype[Any]:
    """A record type whose fields are attributes in Python too; fields without room are left out."""
    kept = [f for f in fields if len(f) < 3 or all(f[2])]
    return np.dtype((np.record, kept))
