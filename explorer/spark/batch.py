"""States on their way: parallel arrays sorted by fingerprint, and the bytes that travel through the shuffle.

A fingerprint is a row of one word, or of two when 128 bits were chosen. The first word decides on the shard.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compiled import Compiled

Words = NDArray[np.uint64]

NO_ACTION = 0xFFFF
"""The action of an initial state, whose parent is zero: no fingerprint is zero."""


class Batch(NamedTuple):
    """Fingerprints (n, 1 or 2), those of the parents, the actions' codes, and the packed states."""

    fps: Words
    parents: Words
    codes: NDArray[np.uint16]
    keys: Words

    def __len__(self) -> int:  # type: ignore[override]
        return len(self.codes)

    def pick(self, chosen: Any) -> Batch:
        """The states at these places, or in this slice."""
        return Batch(self.fps[chosen], self.parents[chosen], self.codes[chosen], self.keys[chosen])


def row_bytes(width: int, key_words: int) -> int:
    """Bytes of one state of a batch."""
    return 8 * (2 * width + key_words) + 2


def joined(batches: Sequence[Batch]) -> Batch:
    """One batch after the other."""
    if len(batches) == 1:
        return batches[0]
    return Batch(*(np.concatenate(column) for column in zip(*batches, strict=True)))


def to_bytes(batch: Batch, sender: int, chunk: int) -> bytes:
    """The batch as bytes, with the shard it comes from and its number among that shard's batches."""
    head = np.array([len(batch), batch.fps.shape[1], batch.keys.shape[1], sender, chunk], np.uint64)
    columns = (head, batch.fps, batch.parents, batch.keys, batch.codes)
    return b"".join(memoryview(np.ascontiguousarray(column)).cast("B") if column.size else b"" for column in columns)


def from_bytes(data: Any) -> tuple[tuple[int, int], Batch]:
    """((sender, chunk), batch); the arrays are views of the bytes."""
    count, width, key_words, sender, chunk = (int(x) for x in np.frombuffer(data, np.uint64, 5))
    at, columns = 40, []
    for words in (width, width, key_words):
        columns.append(np.frombuffer(data, np.uint64, count * words, at).reshape(count, words))
        at += 8 * count * words
    codes = np.frombuffer(data, np.uint16, count, at)
    return (sender, chunk), Batch(columns[0], columns[1], codes, columns[2])


def fingerprints(compiled: Compiled, keys: Words, width: int) -> Words:
    """The fingerprints of keys, of one word or of two."""
    first = compiled.fingerprints(keys)
    return first.reshape(-1, 1) if width == 1 else np.stack([first, second_word(keys)], axis=1)


def second_word(keys: Words) -> Words:
    """64 bits that do not depend on those of `table_kernels.fingerprint`: xor, multiply and shift of each word."""
    h = np.full(len(keys), 0x6A09E667F3BCC908, np.uint64)
    for column in range(keys.shape[1]):
        h ^= keys[:, column]
        for factor in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):
            h ^= h >> np.uint64(31)
            h *= np.uint64(factor)
        h ^= h >> np.uint64(29)
    return h


def order_of(fps: Words) -> NDArray[np.int64]:
    """The order that sorts fingerprints and keeps equal ones as they are."""
    if fps.shape[1] == 1:
        return np.argsort(fps[:, 0], kind="stable")
    return np.lexsort((fps[:, 1], fps[:, 0]))


def firsts(fps: Words) -> NDArray[np.bool_]:
    """Of sorted fingerprints, which differ from the one before."""
    out = np.ones(len(fps), np.bool_)
    out[1:] = (fps[1:] != fps[:-1]).any(axis=1)
    return out


def edges_of(shards: int) -> Words:
    """Where the ranges of the shards begin, from the second one on: equal parts of all 64-bit numbers."""
    return np.array([-(-(number << 64) // shards) for number in range(1, shards)], np.uint64)


def range_of(shard: int, shards: int) -> tuple[int, int]:
    """The first words that belong to a shard: from, and up to but without."""
    return -(-(shard << 64) // shards), -(-((shard + 1) << 64) // shards)
