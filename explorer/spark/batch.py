"""States as parallel arrays: those of a level, sorted by fingerprint, and those on their way through the shuffle.

A fingerprint is a row of one word, or of two when 128 bits were chosen. The first word decides on the shard.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compiling.compiled import Compiled

Words = NDArray[np.uint64]

NO_ACTION = 0xFFFF
"""The action of an initial state, whose parent is zero: no fingerprint is zero."""


class Batch(NamedTuple):
    """Fingerprints (n, 1 or 2), those of the parents, the actions' codes, and the packed states."""

    fps: Words
    parents: Words
    codes: NDArray[np.uint16]
    keys: Words

    def __len__(self) -> int:
        return len(self.codes)

    def pick(self, chosen: Any) -> Batch:
        """The states at these places, or in this slice."""
        return Batch(*(rows_at(column, chosen) for column in self))


def rows_at(column: Any, chosen: Any) -> Any:
    """`column[chosen]` for a slice, a mask or places; `take` is several times as fast where a row has several words."""
    if isinstance(chosen, slice):
        return column[chosen]
    return column.take(np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen, axis=0)


def row_bytes(width: int, key_words: int) -> int:
    """Bytes of one state of a batch."""
    return 8 * (2 * width + key_words) + 2


class Successors(NamedTuple):
    """States on their way to their owners, in the order of the parents: as `Batch`, but the owner computes fingerprints."""

    parents: Words
    codes: NDArray[np.uint16]
    keys: Words

    def __len__(self) -> int:
        return len(self.codes)

    def pick(self, chosen: Any) -> Successors:
        """The states at these places, or in this slice."""
        return Successors(*(rows_at(column, chosen) for column in self))


def to_bytes(batch: Successors, sender: int, chunk: int) -> bytes:
    """The batch as bytes, with the shard it comes from and its number among that shard's batches."""
    head = np.array([len(batch), batch.parents.shape[1], batch.keys.shape[1], sender, chunk], np.uint64)
    columns = (head, batch.parents, batch.keys, batch.codes)
    return b"".join(column.tobytes() for column in columns)


def from_bytes(data: Any) -> tuple[tuple[int, int], Successors]:
    """((sender, chunk), batch); the arrays are views of the bytes."""
    count, width, key_words, sender, chunk = (int(x) for x in np.frombuffer(data, np.uint64, 5))
    at = 40
    parents = np.frombuffer(data, np.uint64, count * width, at).reshape(count, width)
    at += parents.nbytes
    keys = np.frombuffer(data, np.uint64, count * key_words, at).reshape(count, key_words)
    return (sender, chunk), Successors(parents, np.frombuffer(data, np.uint16, count, at + keys.nbytes), keys)


def fingerprints(compiled: Compiled, keys: Words, width: int) -> Words:
    """The fingerprints of keys, of one word or of two."""
    first = compiled.fingerprints(keys)
    return first.reshape(-1, 1) if width == 1 else np.stack([first, second_word(keys)], axis=1)


def second_word(keys: Words) -> Words:
    """64 bits that do not depend on those of `hash_table.fingerprint`: xor, multiply and shift of each word."""
    h = np.full(len(keys), 0x6A09E667F3BCC908, np.uint64)
    for column in range(keys.shape[1]):
        h ^= keys[:, column]
        for factor in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):
            h ^= h >> np.uint64(31)
            h *= np.uint64(factor)
        h ^= h >> np.uint64(29)
    return h


def first_of_each(fps: Words) -> tuple[NDArray[np.int64], Words]:
    """Where each fingerprint stands first, in the order of the fingerprints; and those, sorted."""
    if fps.shape[1] == 1:
        order = np.argsort(fps[:, 0])
    else:
        order = np.lexsort((fps[:, 1], fps[:, 0]))
    ordered = fps.take(order, axis=0)
    differs = np.ones(len(fps), np.bool_)
    differs[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    starts = np.flatnonzero(differs)
    return (np.minimum.reduceat(order, starts) if len(starts) else order), ordered.take(starts, axis=0)


HALF = np.uint64(32)


def owners(fps: Words, shards: int) -> NDArray[np.uint16]:
    """The shard of each fingerprint: its upper half, scaled."""
    return (((fps[:, 0] >> HALF) * np.uint64(shards)) >> HALF).astype(np.uint16)


def range_of(shard: int, shards: int) -> tuple[int, int]:
    """The first words of the fingerprints of a shard: from, and up to but without."""
    return -(-(shard << 32) // shards) << 32, -(-((shard + 1) << 32) // shards) << 32


def part_of(words: Words, low: int, high: int) -> slice:
    """Where the sorted words lie that are not less than `low`, and less than `high`."""
    first = int(np.searchsorted(words, np.uint64(low)))
    return slice(first, len(words) if high >= 1 << 64 else int(np.searchsorted(words, np.uint64(high))))
