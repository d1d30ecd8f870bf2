"""The steps of a finished search, found by expanding each of its states again: a search does not keep them.

The search has kept whole states, so that they can be expanded again, and the tables give the numbers of the states that steps
lead to. A state's number is its place in its shard, after all those of the shards before.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from ..compiling.arrays import Outboxes
from ..compiling.memory import outboxes
from ..compiling.meta_words import action_code, parent_index
from ..progress.compiled import passes
from ..progress.decide import fairness_of, units_of
from ..progress.graph import MAX_STATES, Array, ArrayFolder, Graph, keeping_steps
from ..progress.labels import Labels
from .breadth_first import ROUND, BreadthFirst, Worker


def graph_of(search: BreadthFirst, labels: Labels) -> Graph:
    """The graph of a search that has seen everything, and that has kept whole states."""
    assert search.exact and search.complete and search.states <= MAX_STATES
    store = ArrayFolder()
    passes()  # compiled here once: Python's parser may fail where two threads do so at a time
    with ThreadPoolExecutor(search.threads) as pool:
        degrees = list(pool.map(lambda number: Linker(search, number, store.path).run(), range(len(search.shards))))
    offsets = np.concatenate([[0], np.cumsum(np.concatenate(degrees), dtype=np.int64)])
    steps, numbers = int(offsets[-1]), range(len(search.shards))
    targets = store.joined((store.path / f"targets-{number}" for number in numbers), steps, np.int32)
    codes = store.joined((store.path / f"codes-{number}" for number in numbers), steps, np.uint16)
    paid = np.concatenate([labels.paid(keys) for keys in keys_of(search)])
    levels = np.arange(1, len(search.levels) + 1, dtype=np.int32)
    depths = np.concatenate([np.repeat(levels, np.diff(firsts)) for firsts in search.firsts])
    return Graph(offsets, targets, codes, depths, paid, fairness_of(search.compiled), store, units_of(search.compiled))


def keys_of(search: BreadthFirst) -> list[Any]:
    """The states of each shard, in the order of their numbers."""
    return [shard.keys[: shard.count] for shard in search.shards]


def first_numbers(search: BreadthFirst) -> list[int]:
    """The number of the first state of each shard."""
    counts = [shard.count for shard in search.shards]
    return [sum(counts[:number]) for number in range(len(counts))]


class Linker:
    """One shard's part: its states are expanded again, a round at a time, and its steps written to files in their order."""

    def __init__(self, search: BreadthFirst, number: int, folder: Path) -> None:
        self.search, self.number, self.folder = search, number, folder
        self.worker = Worker(search.compiled, [])
        room = ROUND + search.compiled.most_successors
        self.boxes: Outboxes = outboxes(1, len(search.shards), room, search.compiled.key_words)
        self.firsts = first_numbers(search)
        self.ends = np.zeros(room, np.int32)

    def run(self) -> Array:
        """Write the steps; how many each state has."""
        search, compiled, worker = self.search, self.search.compiled, self.worker
        keys = search.shards[self.number].keys[: search.shards[self.number].count]
        degrees = np.zeros(len(keys), np.int32)
        files = [self.folder / f"{what}-{self.number}" for what in ("targets", "codes")]
        with keeping_steps(), files[0].open("wb") as targets, files[1].open("wb") as codes:
            while worker.at < len(keys):
                begun, self.boxes.filled[:] = worker.at, 0
                last, checks = min(begun + ROUND, len(keys)), worker.checks
                worker.at = compiled.expand(keys, begun, last, 0, 0, search.shift, worker.scratch, checks, self.boxes, False)
                source, target, code = self._arrived(begun)
                degrees[begun : worker.at] = np.bincount(source, minlength=worker.at - begun)
                order = np.argsort(source, kind="stable")
                targets.write(target[order].data)
                codes.write(code[order].data)  # `tofile` does not notice a full disk at the end
        return degrees

    def _arrived(self, begun: int) -> tuple[Array, Array, Array]:
        """The steps of this round: from which state, counted from the round's first, to which number, and by which code."""
        parts: list[tuple[Array, Array, Array]] = []
        for shard, first in zip(self.search.shards, self.firsts, strict=True):
            place = len(parts)
            count = int(self.boxes.filled[0, place])
            missing = passes().locate(
                self.boxes.fp[0, place, :count], self.boxes.key[0, place, :count], shard.slots, shard.shift, shard.keys,
                first, self.ends,
            )  # fmt: skip
            assert not missing, "a search that is complete has seen every successor"
            metas = self.boxes.meta[0, place, :count]
            source = (parent_index(metas).astype(np.int64) - begun).astype(np.uint16)
            parts.append((source, self.ends[:count].copy(), action_code(metas).astype(np.uint16)))
        sources, targets, codes = zip(*parts, strict=True)
        return np.concatenate(sources), np.concatenate(targets), np.concatenate(codes)
