"""The state as bytes: one array layout per size class, and a packed key per configuration.

A layout has room for every configuration up to its capacities, so compiled code serves them all. A row
of the layout is one state: little cells (int8, int16 in the large layout) in the order of declaration,
padded to 64-bit words, then the configuration, which compiled actions read as `s.config`.

A key is the same state in as few bits as the configuration needs: of each word of the row, `mask` names
the bits that can differ, after `bias` has made the lowest legal value zero. A state of the published
model with three brokers has 26 words as a row and two as a key.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .actions import Model
from .errors import UsageError
from .kinds import NO_MEMBER, Integer, Kind, Many, Member, One, Record, walk
from .settings import Settings

Words = NDArray[np.uint64]


class LayoutError(Exception):
    """A value that its variable cannot hold: the model is wrong."""


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
    """The arrays of one model in one size class ("small" for exploration, "large" for walks)."""

    def __init__(self, model: Model, size_class: str) -> None:
        self.model, self.size_class = model, size_class
        self.capacity = model.capacities[size_class]
        self.cell = np.dtype("i1" if size_class == "small" else "i2")
        fields = [(name, *self._type(kind)) for name, kind in model.state.fields.items()]
        state = np.dtype([(n, t, shape) for n, t, shape in fields])
        settings = [*model.config.settings, *model.config.computed]
        self.state_words = -(-state.itemsize // 8)
        spare = self.state_words * 8 - state.itemsize
        config = np.dtype([(name, self.cell) for name in settings])
        tail = -config.itemsize % 8
        parts: list[Any] = [*state.descr]
        parts += [("spare", "i1", (spare,))] if spare else []
        parts += [("config", config)]
        parts += [("tail", "i1", (tail,))] if tail else []
        self.dtype = np.dtype(parts)
        self.words = self.dtype.itemsize // 8
        self.name = f"{model.name}-{size_class}"

    def _type(self, kind: Any) -> tuple[Any, tuple[int, ...]]:
        if isinstance(kind, Many):
            inner, shape = self._type(kind.element)
            return inner, (self.capacity[kind.dimension], *shape)
        if isinstance(kind, Kind):
            return self.cell, ()
        record = kind.element if isinstance(kind, One) else kind
        return np.dtype([(n, *self._type(f)) for n, f in record.fields.items()]), ()

    def check(self, config: Settings) -> None:
        """UsageError when a size is beyond this layout."""
        for dimension, room in self.capacity.items():
            size = getattr(config, dimension)
            if size > room:
                raise UsageError(
                    f"{dimension} = {size} is more than the {self.size_class} layout of the model"
                    f" {self.model.name} holds ({room}); choose a smaller size"
                )

    def offset(self, path: str) -> int:
        """The index of the cell at `path` (`replica[1].hw`) in a row seen as cells."""
        at, dtype = 0, self.dtype
        for part in re.findall(r"\w+(?:\[\d+\])*", path):
            name, *indices = re.findall(r"\w+", part)
            field = dtype.fields[name]  # type: ignore[index]
            dtype, at = field[0], at + field[1]
            base, shape = (dtype.subdtype or (dtype, ()))
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
            if not np.iinfo(self.cell).min <= value <= np.iinfo(self.cell).max:
                raise UsageError(f"{name} = {value} does not fit the {self.size_class} layout")
            view[name] = value
        return rows

    def records(self, rows: Words) -> Any:
        """The rows as records, for compiled code; the same memory."""
        return rows.view(self.dtype).reshape(len(rows))

    @cached_property
    def _kinds(self) -> dict[Settings, list[tuple[str, int, Kind]]]:
        return {}

    def variables(self, config: Settings) -> list[tuple[str, int, Kind]]:
        """Every variable of `config`: (path, index of its cell in a row, kind), in order of declaration."""
        if config not in self._kinds:
            empty = self.model.state(config)
            self._kinds[config] = [(p, self.offset(p), k) for p, k, _ in walk(type(empty), empty)]
        return self._kinds[config]

    def write(self, state: Any, row: Words) -> None:
        """Put a plain state into a row; LayoutError when a value is out of its range."""
        view = row.view(self.cell)
        values = walk(type(state), state)
        for (path, at, kind), (_, _, value) in zip(self.variables(state.config), values, strict=True):
            if not kind.legal(value, state.config):
                raise LayoutError(f"{path} = {value} is outside {kind.span(state.config)}: {kind.doc}")
            view[at] = value

    def read(self, row: Words, config: Settings) -> Any:
        """The plain state in a row."""
        view = row.view(self.cell)
        state = self.model.state(config)
        numbers = iter([int(view[at]) for _, at, _ in self.variables(config)])
        _fill(state, numbers)
        return state

    def plan(self, config: Settings) -> Plan:
        """How to pack rows of `config`."""
        lane_bits = 8 * self.cell.itemsize
        lanes = 64 // lane_bits
        mask, bias, post = (np.zeros(self.state_words, np.uint64) for _ in range(3))
        for _, at, kind in self.variables(config):
            low, high = kind.normal_span(config)
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


def _fill(value: Any, numbers: Any) -> None:
    """Assign the numbers to the variables of a plain record, in order."""
    for name, kind in value.fields.items():
        current = getattr(value, name)
        if isinstance(current, Record):
            _fill(current, numbers)
        elif isinstance(current, list):
            _fill_row(current, numbers)
        else:
            setattr(value, name, next(numbers))


def _fill_row(row: list[Any], numbers: Any) -> None:
    for index, element in enumerate(row):
        if isinstance(element, Record):
            _fill(element, numbers)
        elif isinstance(element, list):
            _fill_row(element, numbers)
        else:
            row[index] = next(numbers)


def instances(config: Settings, dimensions: tuple[str, ...]) -> Any:
    """Every tuple of indices over these dimensions."""
    return itertools.product(*(range(getattr(config, d)) for d in dimensions))


__all__ = ["Integer", "Layout", "LayoutError", "Plan", "Words"]
