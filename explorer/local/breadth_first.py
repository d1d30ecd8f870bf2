"""Breadth-first search, level by level, over shards of fingerprints.

A state belongs to the shard that the top bits of its fingerprint name; where a level is sorted, another may expand it
(`sorting`). The number of shards is fixed, not the number of threads: what is found, in which order and by which path does not
depend on it. Nor does it depend on the machine, unless the successors of a round do not fit into a box: code in lanes has
other boxes, and may show another of several shortest traces.

    frontier of a shard -- expand --> outboxes, one per shard -- insert --> that shard's next level

Levels make the first path to a state a shortest one. A level is processed in rounds, so that the outboxes
stay small enough for the caches.
"""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

import numpy as np

from ...properties.property import Property
from ..budget import Bounds
from ..compiling.arrays import DEADLOCK_NOTE, WORD_BITS, Checks, Numbers, Scratch, Words, separate
from ..compiling.compiled import Compiled
from ..compiling.memory import apart, outboxes, part
from ..compiling.meta_words import ROOT, action_code, parent_index, parent_shard
from ..compiling.path import Key
from ..compiling.visited import Shard
from ..promises import needs_normal_states, sample
from ..request import Request
from ..search import DEADLOCK, Counts, Found, Search, SearchStatus
from .sorting import Enabled, Sorting

SHARDS = 16
ROUND = 8192
"""States of a shard whose successors lie in the outboxes one after the other."""

TURNS = 2
"""How often a shard expands `ROUND` states before any shard inserts: larger batches use the caches better. States are inserted
in the order of the turns, then of the shards."""


class Worker:
    """The working memory of one shard's task: rows, notes and counts; `at`: how many states it has expanded."""

    def __init__(self, compiled: Compiled, chosen: Iterable[Property]) -> None:
        self.scratch: Scratch = compiled.scratch()
        self.checks: Checks = compiled.checks(chosen)
        self.found = separate((len(compiled.model.actions),), np.int64)
        self.at = 0


class BreadthFirst(Search):
    """The state of a search: call `level` until it returns False, or `run` once."""

    def __init__(
        self,
        compiled: Compiled,
        properties: Iterable[Property],
        exact: bool = False,
        threads: int = 1,
        keep_going: bool = False,
        deadlock: bool = False,
        shards: int = SHARDS,
    ) -> None:
        super().__init__(compiled, properties, keep_going, deadlock)
        self.exact, self.threads = exact, threads
        bits = shards.bit_length() - 1
        self.shift = np.uint64(WORD_BITS - bits)
        self.shards = [Shard(compiled, np.uint64(bits), exact) for _ in range(shards)]
        self.sorting = Sorting(compiled, self.shards, exact)
        self.workers = [Worker(compiled, self.properties) for _ in range(shards)]
        self.boxes = outboxes(TURNS * shards, shards, apart(ROUND + compiled.most_successors), compiled.key_words)
        self.turns = [part(self.boxes, turn * shards, (turn + 1) * shards) for turn in range(TURNS)]
        self.firsts: list[list[int]] = [[0] for _ in range(shards)]
        self.roots: list[Words] = []
        self.samples: list[Words] = []
        self.bounds = Bounds()
        all_shards = self.shards  # not `self`: a search that refers to itself keeps its memory until Python searches for garbage
        self.meta_of: Callable[[int, int], int] = lambda shard, index: int(all_shards[shard].log[index])

    # Seeding and levels.

    def seed(self) -> None:
        """The first level: the initial states."""
        keys = self.compiled.initial_keys()
        with self.compiled.beginnings.timed():
            self.add_level(keys, np.full(len(keys), ROOT, np.uint64))
            self.note_roots()

    def note_roots(self) -> None:
        """Remember the keys of the first level: every path begins at one of them."""
        self.roots = [shard.frontier().copy() for shard in self.shards]

    def add_level(self, keys: Words, metas: Words, is_back: bool = False) -> None:
        """Insert a level whose states are known: the first, or one of an earlier run, which is read back."""
        fps = self.compiled.fingerprints(keys)
        owner = (fps >> self.shift).astype(np.uint8)
        spare = np.zeros(len(self.compiled.model.actions), np.int64)

        def insert(number: int) -> None:
            shard, mine = self.shards[number], np.flatnonzero(owner == number)
            shard.begin_level()
            box = outboxes(1, 1, len(mine), self.compiled.key_words)
            box.fp[0, 0], box.meta[0, 0], box.key[0, 0], box.filled[0, 0] = fps[mine], metas[mine], keys[mine], len(mine)
            shard.take(box, 0, spare)
            self.firsts[number].append(shard.count)

        with ThreadPoolExecutor(self.threads) as pool:
            self._share_out(pool, insert)
        self.whole_levels = len(self.levels)
        self.levels.append(sum(shard.fresh for shard in self.shards))
        if is_back:
            self._place(keys, metas)
        self._sample()

    def _place(self, keys: Words, metas: Words) -> None:
        """The states of a level that was read back go to the places where they were, which may be in other shards."""
        self.sorting.choose(self.levels[-1], self._enabled_in)
        ends = np.cumsum([shard.fresh for shard in self.shards])
        if ends[-1] == len(keys) and not self.exact:
            for shard, mine, words in zip(self.shards, np.split(keys, ends[:-1]), np.split(metas, ends[:-1]), strict=True):
                shard.frontier()[:], shard.metas()[:] = mine, words

    def _sample(self) -> None:
        """Keep some states of the newest level, if they will be needed: the others' keys are forgotten."""
        if self.compiled.symmetry or needs_normal_states(self.compiled):
            self.samples.append(sample(np.concatenate([sample(shard.frontier()) for shard in self.shards])))

    def sampled(self) -> list[Words]:
        """Some states of each level."""
        return self.samples

    @property
    def states(self) -> int:
        """States seen so far."""
        return sum(shard.count for shard in self.shards)

    def run(
        self, bounds: Bounds, report: Callable[[SearchStatus], None] | None = None, commit: Callable[[], None] | None = None
    ) -> None:
        """Explore until everything is seen, a property is violated, a bound is reached, or `interrupt` is called.

        `report` is called after each round, `commit` when another level is complete.
        """
        bounds.begin()
        self._silence_found()
        if self.is_decided():
            return
        with ThreadPoolExecutor(self.threads) as pool:
            while self.level(bounds, pool, report):
                if commit is not None:
                    commit()

    def level(self, bounds: Bounds, pool: Executor, report: Callable[[SearchStatus], None] | None) -> bool:
        """Check and expand the newest level. False when there is nothing more to do."""
        frontiers = [shard.frontier() for shard in self.shards]
        starts = [shard.count - shard.fresh for shard in self.shards]
        known = [worker.found.copy() for worker in self.workers]
        last, self.bounds = bounds.deepest(len(self.levels)), bounds
        for worker, shard in zip(self.workers, self.shards, strict=True):
            worker.at = 0
            shard.begin_level()
        while any(w.at < len(f) for w, f in zip(self.workers, frontiers, strict=True)):
            self._round(frontiers, starts, pool, bool(last))
            if report is not None:
                report(self.progress(bounds.elapsed()))
            self.stop_at(bounds.reached(self.states))
            if self.stopped:
                break
        if all(w.at == len(f) for w, f in zip(self.workers, frontiers, strict=True)):
            self.whole_levels = len(self.levels)
        self._gather()
        if self.is_decided() or self.stopped:
            self._forget_next_level(starts, frontiers, known)
            return False
        fresh = sum(shard.fresh for shard in self.shards)
        if last:
            self.stopped = last
            return False
        self.complete = fresh == 0
        if not self.complete:
            self.levels.append(fresh)
            for number, shard in enumerate(self.shards):
                self.firsts[number].append(shard.count)
            if not (self.compiled.plugin_code and bounds.deepest(len(self.levels))):  # what is not expanded must not fail
                self.sorting.choose(fresh, self._enabled_in)
            groups = self.sorting.groups(fresh)
            self._share_out(pool, lambda number: self.sorting.sort(groups[number]), len(groups))
            self._sample()
        return not self.complete

    def _round(self, frontiers: list[Any], starts: list[int], pool: Executor, only_check: bool) -> None:
        """One round: each shard expands some of its frontier, then each takes what arrived for it, if memory allows."""
        self._share_out(pool, lambda number: self._expand(number, frontiers[number], starts[number], only_check))
        if not only_check:
            arrivals = self.boxes.filled.sum(axis=0).tolist()
            self.stop_at(self.bounds.filled(sum(shard.growth(count) for shard, count in zip(self.shards, arrivals, strict=True))))
            if not self.stopped:
                self._share_out(pool, self._insert)

    def _share_out(self, pool: Executor, work: Callable[[int], None], count: int | None = None) -> None:
        """Do the work of each shard, or so many, here and in other threads; each takes the next: separate tasks cost more."""
        numbers = iter(range(len(self.shards) if count is None else count))

        def take() -> None:
            for number in numbers:
                work(number)

        others = [pool.submit(take) for _ in range(self.threads - 1)]
        take()
        for task in others:
            task.result()

    def _expand(self, number: int, keys: Words, start: int, only_check: bool) -> None:
        """One shard's part of a round: check and expand some of its frontier `keys`, whose first has index `start`."""
        worker = self.workers[number]
        for turn, boxes in enumerate(self.turns):
            boxes.filled[number] = 0
            if worker.at < len(keys):
                worker.at = self.expand(number, keys, min(worker.at + ROUND, len(keys)), start, only_check, turn)

    def expand(self, number: int, keys: Words, last: int, start: int, only_check: bool, turn: int = 0) -> int:
        """Expand a shard's states before the `last`, as far as there is room in the boxes of a turn; how far that was."""
        compiled, worker = self.compiled, self.workers[number]
        boxes = self.turns[turn]
        return compiled.expand(
            keys, worker.at, last, start, number, self.shift, worker.scratch, worker.checks, boxes, only_check
        )

    def _enabled_in(self, keys: Words) -> Enabled:
        """What is enabled in some states, as far as their successors fit into the boxes."""
        compiled, boxes, checks = self.compiled, self.turns[0], self.compiled.checks(())
        boxes.filled[0] = 0
        done = compiled.expand(keys, 0, len(keys), 0, 0, self.shift, self.workers[0].scratch, checks, boxes, False)
        enabled = np.zeros((done, compiled.codes), np.bool_)
        for count, metas in zip(boxes.filled[0], boxes.meta[0], strict=True):
            enabled[parent_index(metas[:count]).astype(np.int64), action_code(metas[:count]).astype(np.int64)] = True
        return enabled

    def _insert(self, number: int) -> None:
        """One shard takes what has arrived for it."""
        self.shards[number].take(self.boxes, number, self.workers[number].found)

    def _forget_next_level(self, starts: list[int], frontiers: list[Any], known: list[Numbers]) -> None:
        """The search ends within a level: drop the states of the next one; `known`: each worker's counts without them."""
        for number, shard in enumerate(self.shards):
            shard.count = starts[number] + len(frontiers[number])
            shard.fresh = 0
            self.workers[number].found[:] = known[number]

    # Findings.

    def _gather(self) -> None:
        """Collect the shards' notes of this level: the first shard's first index is the finding."""
        noted = np.max([worker.checks.notes[:, 0] for worker in self.workers], axis=0) >= 0
        for claim, row, group, bit in self.compiled.properties.notes():
            if noted[row] and claim.name not in self.found:
                self._gather_note(claim.name, row)
                self._silence(group, bit)
        if self.deadlock:
            self._gather_note(DEADLOCK, DEADLOCK_NOTE)

    def _gather_note(self, name: str, row: int) -> None:
        for number, worker in enumerate(self.workers):
            index, code = (int(x) for x in worker.checks.notes[row])
            if index >= 0 and name not in self.found:
                depth = len(self.levels) + (1 if code >= 0 else 0)
                self.found[name] = Found(depth, number, index, code)

    def _silence(self, group: int, bit: np.uint64) -> None:
        """Stop looking for a property that was found."""
        for worker in self.workers:
            worker.checks.active[group] &= ~bit

    def _silence_found(self) -> None:
        """A resumed search does not look for what the earlier run has found."""
        for claim, _, group, bit in self.compiled.properties.notes():
            if claim.name in self.found:
                self._silence(group, bit)

    # Paths.

    def path_of(self, found: Found) -> tuple[Key, list[int]]:
        """A shortest path to where something was found."""
        return self.path_to(found.shard, found.index)

    def path_to(self, shard: int, index: int) -> tuple[Key, list[int]]:
        """A shortest path to a state: the key of the initial state that it begins with, and its codes."""
        codes = []
        meta = np.uint64(self.meta_of(shard, index))
        while meta != ROOT:
            codes.append(int(action_code(meta)))
            shard, index = int(parent_shard(meta)), int(parent_index(meta))
            meta = np.uint64(self.meta_of(shard, index))
        return tuple(self.roots[shard][index].tolist()), codes[::-1]

    def leave_predecessors_to(self, meta_of: Callable[[int, int], int]) -> None:
        """Keep only the newest level's meta words in memory; `meta_of(shard, index)` reads the others."""
        self.meta_of = meta_of
        for shard in self.shards:
            shard.keeps_log = False

    # Counts.

    def rows(self) -> list[Any]:
        """The row of the state that each worker looked at last."""
        return [worker.scratch.rows[0] for worker in self.workers]

    def counts(self) -> Counts:
        """The workers' counts for each action."""
        sums = [(w.checks.taken, w.checks.able, w.found) for w in self.workers]
        return Counts(*(np.sum(column, axis=0) for column in zip(*sums, strict=True)))

    @property
    def bytes(self) -> int:
        """Memory of the tables, the logs and the keys."""
        return sum(shard.bytes for shard in self.shards)

    def progress(self, seconds: float) -> SearchStatus:
        """The progress after this many seconds."""
        expanded = sum(worker.at for worker in self.workers)
        frontier = self.levels[-1]
        return SearchStatus(
            len(self.levels), self.states, frontier, expanded, self.transitions, seconds, self.bytes, self.resumed
        )


def search_for(request: Request, compiled: Compiled, threads: int) -> BreadthFirst:
    """The search that a request asks for."""
    how = (request.exact, threads, request.keep_going, request.deadlock)
    search = BreadthFirst(compiled, request.applicable, *how)
    search.until_found = request.until_found
    return search


def compile_tables(compiled: Compiled) -> None:
    """Compile what keeps states, with a key of no state in particular: nothing of the model is compiled."""
    search = BreadthFirst(compiled, ())
    search.add_level(np.zeros((1, compiled.key_words), np.uint64), np.full(1, ROOT, np.uint64))
    for shard in search.shards:
        shard.rehash(len(shard.slots))
    if compiled.sorts:
        search.sorting.sort(search.shards)


def timed(
    search: BreadthFirst,
    bounds: Bounds,
    report: Callable[[SearchStatus], None] | None = None,
    commit: Callable[[], None] | None = None,
) -> tuple[float, float]:
    """Run the search; wall and CPU seconds that it took."""
    wall, cpu = time.perf_counter(), time.process_time()
    search.run(bounds, report, commit)
    return time.perf_counter() - wall, time.process_time() - cpu
