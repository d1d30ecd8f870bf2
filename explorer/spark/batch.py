"""States as parallel arrays: those of a level, sorted by fingerprint, and those on their way to their owners.

A fingerprint is a row of one word, or of two when 128 bits were chosen. The first word decides on the shard.
"""

import resource
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compiling.arrays import WORD_BITS, Words
from ..compiling.compiled import Compiled
from ..compiling.memory import words
from ..compiling.meta_words import MAX_CODES
from .compiled import loops

NO_ACTION = MAX_CODES
"""The action of an initial state, whose parent is zero: no fingerprint is zero."""


class Batch(NamedTuple):
    """Fingerprints (n, 1 or 2), those of the parents, the actions' codes, and the packed states."""

    fps: Words
    parents: Words
    codes: NDArray[np.uint16]
    keys: Words

    def __len__(self) -> int:
        return len(self.codes)


GROWTH = 4
"""How many times the words that an array needs at first have addresses: they take no memory before they are used."""


def with_addresses(count: int) -> Words:
    """At least `count` words; no more where addresses are limited (`spark.executor.pyspark.memory`): other arrays need them."""
    is_limited = resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY
    return words(count if is_limited else GROWTH * count)


class Spare:
    """Memory that is reused for one array after another, because allocating new memory is slow.

    Requesting an array under a name releases the previous array of that name.
    """

    def __init__(self) -> None:
        self._held: dict[str, NDArray[np.uint8]] = {}

    def bytes(self, name: str, count: int) -> NDArray[np.uint8]:
        """An array of this many bytes, whose values are arbitrary."""
        if name not in self._held or len(self._held[name]) < count:
            self._held.pop(name, None)
            self._held[name] = with_addresses(-(-count // 8)).view(np.uint8)
        return self._held[name][:count]

    def words(self, name: str, count: int) -> Words:
        """An array of this many words, whose values are arbitrary."""
        return self.bytes(name, 8 * count).view(np.uint64)

    def successors(self, name: str, room: int, width: int, key_words: int) -> "Successors":
        """Room for this many successors."""
        parents = self.words(f"{name}.parents", room * width).reshape(room, width)
        keys = self.words(f"{name}.keys", room * key_words).reshape(room, key_words)
        return Successors(parents, self.bytes(f"{name}.codes", 2 * room).view(np.uint16), keys)


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


class Slice(NamedTuple):
    """`rows` successors with first words from `low` up to but without `high`; the batches can be read once."""

    low: int
    high: int
    rows: int
    batches: Iterable[Successors]


def room_for(shape: tuple[int, ...], width: int, key_words: int) -> Successors:
    """Arrays of this shape for successors."""
    return Successors(np.empty((*shape, width), np.uint64), np.empty(shape, np.uint16), np.empty((*shape, key_words), np.uint64))


def fingerprints(compiled: Compiled, keys: Words, width: int) -> Words:
    """The fingerprints of keys, of one word or of two."""
    first = compiled.fingerprints(keys)
    if width == 1:
        return first.reshape(-1, 1)
    both = np.stack([first, first], axis=1)
    loops(width).second_words(keys, both)
    return both


HALF = WORD_BITS // 2
"""Bits of a fingerprint that decide on its shard: its upper ones."""

END = 1 << WORD_BITS
"""Above every word of a fingerprint."""


def owners(fps: Words, shards: int) -> NDArray[np.uint32]:
    """The shard of each fingerprint: its upper half, scaled."""
    return (((fps[:, 0] >> np.uint64(HALF)) * np.uint64(shards)) >> np.uint64(HALF)).astype(np.uint32)


def range_of(shard: int, shards: int) -> tuple[int, int]:
    """The first words of the fingerprints of a shard: from, and up to but without."""
    return -(-(shard << HALF) // shards) << HALF, -(-((shard + 1) << HALF) // shards) << HALF


def part_of(words: Words, low: int, high: int) -> slice:
    """The place of the sorted words that are at least `low` and less than `high`."""
    first = int(np.searchsorted(words, np.uint64(low)))
    return slice(first, len(words) if high >= END else int(np.searchsorted(words, np.uint64(high))))
