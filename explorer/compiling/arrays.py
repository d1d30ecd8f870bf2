"""The arrays that kernels work on, and what they hold. Shapes stand in brackets."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.language.machine_code.layout import Layout
from ...model.language.machine_code.processor import way

WORD_BITS = 64

Words = NDArray[np.uint64]
Numbers = NDArray[np.int64]
Place = int | np.int64 | np.uint64
Records = Any
"""Rows of states as an array of records (`Layout.records`)."""


class Packing(NamedTuple):
    """How rows become keys, see `layout.Plan`: one entry for each word of a row that is used.

    `word`: its index in the row; `mask`: the bits that vary, after `bias` was added lane by lane; `post`: what is kept of
    each lane when unpacking; `bits`: how many bits `mask` has; `high`: the top bit of each lane, in one word.
    """

    word: Numbers
    mask: Words
    bias: Words
    post: Words
    bits: Words
    high: np.uint64


class Scratch(NamedTuple):
    """A task's own rows: row 0 is the state, the next ones are its successors, the last one is spare.

    `rows` [row, word] and `recs` [row] are the same memory; `codes` [row]: of the action that led to the row; `key` and
    `trial` [1, word of a key]; of each symmetric sort `signs` [sort, member]: signatures, `order` [sort, place]: which member
    takes each place, `places` [sort, member or `NO_MEMBER`]: the place to which each goes, `twins` [sort, member]: the first
    member with which it can be exchanged; `lanes` [1]: a record for a block of states (`lanes.block_type`), or None where states
    are expanded one at a time.
    """

    rows: Words
    recs: Records
    codes: Numbers
    key: Words
    trial: Words
    signs: Numbers
    order: Numbers
    places: Numbers
    twins: Numbers
    lanes: Any


class Outboxes(NamedTuple):
    """Successors in transit, by the shard they come from, the shard that owns them, and their place.

    `fp` [from, to, place]: fingerprints; `meta` [from, to, place]: meta words; `key` [from, to, place, word of a key];
    `filled` [from, to]: how many there are.
    """

    fp: Words
    meta: Words
    key: Words
    filled: Numbers


class Checks(NamedTuple):
    """The checks to make, and their results.

    `active` [4]: masks of the properties to check, by group; `notes` [`NOTES`, 2]: the index of the first state that violates
    or witnesses each, -1 for none, and the code of the action from it, -1 for none; `taken` [action]: steps; `able` [action]:
    states in which the action is enabled.
    """

    active: Words
    notes: Numbers
    taken: Numbers
    able: Numbers


LINE_SLOTS = 8
"""Words of a cache line."""

LINE = 128
"""Bytes that processors fetch together: two cache lines. No two tasks write to the same ones."""


def separate(shape: tuple[int, ...], kind: type[np.generic]) -> NDArray[Any]:
    """Zeros on separate cache lines."""
    size = int(np.prod(shape)) * np.dtype(kind).itemsize
    whole = np.zeros(size + 2 * LINE, np.uint8)
    begin = -whole.ctypes.data % LINE
    return whole[begin : begin + size].view(kind).reshape(shape)


ALWAYS_NOTES, STEP_NOTES, SOMETIMES_NOTES, SOMETIMES_STEP_NOTES, DEADLOCK_NOTE = (WORD_BITS * group for group in range(5))
"""Where the notes begin: on properties that always hold, that hold of all steps, that sometimes hold, that some step has, and
on deadlock. A group has as many notes as a mask has bits; the first two groups are about violations."""

NOTES = DEADLOCK_NOTE + 1


class PlainRecords:
    """Records of rows as plain Python reads them: numbers are Python's own, and do not overflow in the few bits of a cell."""

    __slots__ = ("_records",)

    def __init__(self, records: Any) -> None:
        object.__setattr__(self, "_records", records)

    def __getitem__(self, key: Any) -> Any:
        found = self._records[key]
        return int(found) if isinstance(found, np.integer) else PlainRecords(found)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._records[key] = value

    def __getattr__(self, name: str) -> Any:
        return self._records.shape if name == "shape" else self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


def records_of(layout: Layout, rows: Words) -> Any:
    """Rows as the records that generated code works on."""
    records = layout.records(rows)
    return records if way().is_compiled else PlainRecords(records)
