"""What has been seen: for each shard a table of fingerprints, the meta words of its states, and keys.

Tables grow shard by shard, so the old and the new one are both in memory for one shard only. Slots are in
the order of the fingerprints, so growing passes over memory once. Large arrays lie in huge pages.
"""

from __future__ import annotations

import mmap

import numpy as np

from .arrays import Numbers, Outboxes, Words
from .compiled import Compiled
from .hash_table import WRAP

HUGE = 1 << 21
LEAST_HUGE = 8 * HUGE
"""From so many bytes on an array lies in huge pages: below that they save less than it takes to clear them."""
FULLEST = 0.8
"""A table is replaced by a larger one before it is fuller than this."""
GROWTH = 1.7
LARGE, GROWTH_OF_LARGE = 1 << 26, 1.25
"""From so many bytes on memory is worth more than time: then a table grows by less, and is moved more often."""


def words(count: int) -> Words:
    """`count` zeros, in huge pages when there are many."""
    size = count * 8
    if size < LEAST_HUGE or not hasattr(mmap, "MADV_HUGEPAGE"):
        return np.zeros(count, np.uint64)
    region = mmap.mmap(-1, size + HUGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # what is shared has no huge pages
    region.madvise(mmap.MADV_HUGEPAGE)
    whole = np.frombuffer(region, np.uint8)
    skip = -whole.ctypes.data % HUGE
    return whole[skip : skip + size].view(np.uint64)


class Shard:
    """The states that one shard owns. `count` of them, of which the last `fresh` are the newest level.

    `keeps_log`: the meta words of all states stay in memory; without it those of the newest level only, for whoever keeps them.
    `on_disk`: the keys of the newest level, where a file has them.
    """

    def __init__(self, compiled: Compiled, shift: np.uint64, exact: bool) -> None:
        self.compiled, self.shift, self.exact = compiled, shift, exact
        self.keeps_log = True
        self.slots = words(1024 + WRAP)
        self.log = words(1024)
        self.count = 0
        self.fresh = 0
        self._keys = words(1024 * compiled.key_words)
        self._spare = words(0 if exact else 1024 * compiled.key_words)
        self.on_disk: Words | None = None

    @property
    def keys(self) -> Words:
        """The keys that are kept: of all states in exact mode, else of the newest level."""
        return self._keys.reshape(-1, self.compiled.key_words)

    @property
    def next_key(self) -> int:
        """Where in `keys` the next new state's key goes."""
        return self.count if self.exact else self.fresh

    @property
    def next_meta(self) -> int:
        """Where in `log` the next new state's meta word goes."""
        return self.count if self.keeps_log else self.fresh

    def metas(self) -> Words:
        """The meta words of the newest level."""
        return self.log[self.next_meta - self.fresh : self.next_meta]

    @property
    def bytes(self) -> int:
        """Memory that the shard holds."""
        return int(self.slots.nbytes + self.log.nbytes + self._keys.nbytes + self._spare.nbytes)

    def begin_level(self) -> None:
        """From here on new states are of the next level; `keys` of the last one go out of use."""
        if not self.exact:
            self._keys, self._spare = self._spare, self._keys
        self.on_disk = None
        self.fresh = 0

    def frontier(self) -> Words:
        """The keys of the newest level, to be expanded; valid until the level after the next begins."""
        if self.on_disk is not None:
            return self.on_disk
        keys = self.keys
        return keys[self.count - self.fresh : self.count] if self.exact else keys[: self.fresh]

    def leave_on_disk(self, keys: Words) -> None:
        """The newest level's keys, which lie in the order of `frontier` in a file that is mapped here, leave the memory."""
        self.on_disk = keys
        self._keys = words(1024 * self.compiled.key_words)

    def make_room(self, arrivals: int) -> None:
        """Grow what would overflow if all arrivals were new."""
        if (self.count + arrivals) > FULLEST * (len(self.slots) - WRAP):
            growth = GROWTH if self.slots.nbytes < LARGE else GROWTH_OF_LARGE
            larger = int(max((self.count + arrivals) / FULLEST + 1, growth * len(self.slots)))
            slots = words(larger + WRAP)
            self.compiled.module.rehash(self.slots, slots, self.shift, self.keys, self.exact)
            self.slots = slots
        self.log = grown(self.log, self.next_meta, self.next_meta + arrivals)
        kept, width = self.next_key, self.compiled.key_words
        self._keys = grown(self._keys, kept * width, (kept + arrivals) * width)

    def take(self, boxes: Outboxes, number: int, found: Numbers) -> None:
        """Insert what has arrived for this shard, the one of this number; count new states in `found`."""
        arrivals = int(boxes.filled[:, number].sum())
        if not arrivals:
            return
        self.make_room(arrivals)
        insert = self.compiled.module.insert_exact if self.exact else self.compiled.module.insert
        new = insert(
            boxes, number, self.slots, self.shift, self.keys, self.next_key, self.log, self.next_meta,
            self.compiled.action_of, found,
        )  # fmt: skip
        self.count += new
        self.fresh += new


def grown(array: Words, used: int, needed: int) -> Words:
    """The array, or a larger one with its first `used` words, so that `needed` fit."""
    if needed <= len(array):
        return array
    larger = words(max(needed, 2 * len(array)))
    larger[:used] = array[:used]
    return larger
