"""Levels that run in the driver, while it can hold what is visited: as in the local explorer, whose tables it uses.

Fingerprints of 64 bits are visited as such; where they have 128 bits, whole keys are compared.
"""

from collections.abc import Collection, Iterable

import numpy as np

from ...properties.property import Property
from ..compiling.arrays import Outboxes, Words
from ..compiling.compiled import Compiled
from ..compiling.meta_words import action_code, parent_index
from ..compiling.visited import Shard
from .batch import NO_ACTION, Batch, fingerprints, part_of, range_of
from .expansion import Expander, Expansion, Report
from .masks import order_of
from .visited import sorted_rows

TABLE_BITS = 4
"""There are this many tables, as a logarithm: the caches hold more of a small one."""

TURN = 1 << 15
"""States that are expanded before their successors are entered: with more of them, more of a table is in the caches."""


class Driver:
    """What is visited, and the newest level: `fps`, `keys`, sorted by fingerprint."""

    def __init__(self, compiled: Compiled, properties: Iterable[Property], width: int) -> None:
        self.compiled, self.width = compiled, width
        self.expander = Expander(compiled, properties, width, 0, TABLE_BITS, TURN)
        self.shards = [Shard(compiled, np.uint64(TABLE_BITS), width > 1) for _ in range(1 << TABLE_BITS)]
        for shard in self.shards:
            shard.keeps_log = False
        self.counted = np.zeros(len(compiled.model.actions), np.int64)
        self.parents: list[list[Words]] = []
        self.fps = self.keys = np.empty((0, width), np.uint64)

    def seed(self, keys: Words) -> Batch:
        """The initial states, each once."""
        self.begin_with(fingerprints(self.compiled, keys, self.width), keys)
        once = np.append(True, (self.fps[1:] != self.fps[:-1]).any(axis=1))
        self.fps, self.keys = self.fps[once], self.keys[once]
        self.remember(self.fps, self.keys)
        return Batch(self.fps, np.zeros_like(self.fps), np.full(len(self.fps), NO_ACTION, np.uint16), self.keys)

    def begin_with(self, fps: Words, keys: Words) -> None:
        """The newest level is this one, whose states are entered."""
        order = order_of(fps)
        self.fps, self.keys = fps[order], keys[order]

    def remember(self, fps: Words, keys: Words) -> None:
        """Enter states that are visited, sorted by fingerprint."""
        for number, shard in enumerate(self.shards):
            mine = part_of(fps[:, 0], *range_of(number, len(self.shards)))
            count = mine.stop - mine.start
            heads, metas = np.ascontiguousarray(fps[mine, 0]), np.zeros((1, 1, count), np.uint64)
            shard.take(Outboxes(heads.reshape(1, 1, -1), metas, keys[None, None, mine], np.array([[count]])), 0, self.counted)
            shard.begin_level()

    def expand(self, found: Collection[str], only_check: bool, blocks: int) -> Report:
        """Check and expand the newest level, and enter its successors."""
        self.parents = [[] for _ in self.shards]
        expansion = Expansion(self.expander, found, only_check, self._enter, blocks)
        expansion.take(self.fps, self.keys)
        return expansion.end()

    def _enter(self, boxes: Outboxes, fps: Words) -> None:
        """Enter successors of states with these fingerprints."""
        for number, shard in enumerate(self.shards):
            known = shard.fresh
            shard.take(boxes, number, self.counted)
            self.parents[number].append(fps[parent_index(shard.metas()[known:]).view(np.int64)])

    def next_level(self) -> Batch:
        """What is new of the successors, sorted by fingerprint: the newest level from now on."""
        count, width = sum(shard.fresh for shard in self.shards), self.width
        fps, parents = np.empty((count, width), np.uint64), np.empty((count, width), np.uint64)
        keys, codes, at = np.empty((count, self.compiled.key_words), np.uint64), np.empty(count, np.uint16), 0
        for shard, some in zip(self.shards, self.parents, strict=True):
            if shard.fresh:
                here, at = slice(at, at + shard.fresh), at + shard.fresh
                mine = fingerprints(self.compiled, shard.frontier(), width)
                order = np.argsort(mine[:, 0]) if width == 1 else order_of(mine)  # all differ, so any sort will do
                for rows, out in ((mine, fps), (np.concatenate(some), parents), (shard.frontier(), keys)):
                    np.take(rows, order, 0, out[here], "clip")
                codes[here] = action_code(shard.metas()[order])
            shard.begin_level()
        self.fps, self.keys = fps, keys
        return Batch(fps, parents, codes, keys)

    def visited(self) -> Words:
        """Every fingerprint, sorted."""
        if self.width == 1:
            return np.concatenate([np.sort(shard.slots[shard.slots > 0]) for shard in self.shards]).reshape(-1, 1)
        fps = fingerprints(self.compiled, np.concatenate([shard.keys[: shard.count] for shard in self.shards]), self.width)
        return sorted_rows(fps)
