"""The visited set: for each shard a table of fingerprints, the meta words of its states, and keys.

All of them grow in place (`Reserved`), so that memory is touched once. Lines of slots are in the order of the fingerprints, so
a table is rehashed in one pass. Large arrays use huge pages.
"""

import numpy as np

from .arrays import LINE_SLOTS, Numbers, Outboxes, Words
from .compiled import Compiled
from .hash_table import STRETCH, WRAP
from .memory import Reserved

FULLEST = 0.8
"""A table grows before it is fuller than this."""
GROWTH = 1.7
LARGE, GROWTH_OF_LARGE = 1 << 26, 1.25
"""Tables of at least this many bytes grow by less, which saves memory, and are rehashed more often."""


class Shard:
    """The states that one shard owns: `count` of them; the last `fresh` are the newest level.

    `keeps_log`: the meta words of all states stay in memory; without it only those of the newest level, for the caller to keep.
    `on_disk`: the keys of the newest level, if they are in a file.
    """

    def __init__(self, compiled: Compiled, shift: np.uint64, exact: bool) -> None:
        self.compiled, self.shift, self.exact = compiled, shift, exact
        self.keeps_log = True
        self._slots, self._log = Reserved(1024 + WRAP), Reserved(1024)
        self._keys, self._spare = Reserved(1024 * compiled.key_words), Reserved(0 if exact else 1024 * compiled.key_words)
        self.count = 0
        self.fresh = 0
        self.on_disk: Words | None = None

    @property
    def slots(self) -> Words:
        """The table."""
        return self._slots.words

    @property
    def log(self) -> Words:
        """The meta words that are kept."""
        return self._log.words

    @property
    def keys(self) -> Words:
        """The keys that are kept: of all states in exact mode, else of the newest level."""
        return self._keys.words.reshape(-1, self.compiled.key_words)

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
        return 8 * sum(room.used for room in (self._slots, self._log, self._keys, self._spare))

    def begin_level(self) -> None:
        """New states now belong to the next level; the keys of the level before the newest are dropped."""
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
        """Free the memory of the newest level's keys: `keys` maps them from a file, in the order of `frontier`."""
        self.on_disk = keys
        self._keys = Reserved(1024 * self.compiled.key_words)

    def slots_for(self, arrivals: int) -> int:
        """The slots of the table that would not overflow if all arrivals were new."""
        slots = len(self.slots)
        if (self.count + arrivals) <= FULLEST * (slots - WRAP):
            return slots
        growth = GROWTH if self.slots.nbytes < LARGE else GROWTH_OF_LARGE
        return int(max((self.count + arrivals) / FULLEST + 1, growth * slots)) // LINE_SLOTS * LINE_SLOTS + LINE_SLOTS + WRAP

    def growth(self, arrivals: int) -> int:
        """Bytes that the shard would take in addition if all arrivals were new."""
        words = self.slots_for(arrivals) - len(self.slots) + arrivals * (self.compiled.key_words + self.keeps_log)
        return 8 * words

    def make_room(self, arrivals: int) -> None:
        """Grow what would overflow if all arrivals were new."""
        slots, needed = len(self.slots), self.slots_for(arrivals)
        if needed > slots:
            self._slots.grow(needed, at_random=True)
            self.rehash(slots)
        self._log.grow(self.next_meta + arrivals)
        self._keys.grow((self.next_key + arrivals) * self.compiled.key_words)

    def rehash(self, left: int) -> None:
        """Spread the table, which had `left` slots, over all that there are now."""
        room = 4 * STRETCH
        while left:
            aside = np.empty(room, np.uint64)
            left = self.compiled.table.rehash(self.slots, left, self.shift, self.keys, self.exact, aside)
            room *= 4  # for a stretch that was longer

    def take(self, boxes: Outboxes, number: int, found: Numbers) -> None:
        """Insert what has arrived for this shard, number `number`; count new states in `found`."""
        arrivals = int(boxes.filled[:, number].sum())
        if not arrivals:
            return
        self.make_room(arrivals)
        insert = self.compiled.table.insert_exact if self.exact else self.compiled.table.insert
        new = insert(
            boxes, number, self.slots, self.shift, self.keys, self.next_key, self.log, self.next_meta,
            self.compiled.action_of, found,
        )  # fmt: skip
        self.count += new
        self.fresh += new
        self._log.used = max(self._log.used, self.next_meta)
        self._keys.used = max(self._keys.used, self.next_key * self.compiled.key_words)
