"""Breadth-first search, level by level, over shards of fingerprints.

A state belongs to the shard that the top bits of its fingerprint name. The number of shards is fixed, not
the number of threads: what is found, in which order and by which path is the same on any machine.

    frontier of a shard -- expand --> outboxes, one per shard -- insert --> that shard's next level

Levels make the first path to a state a shortest one. A level is worked in rounds, so that the outboxes
stay small enough for the caches.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...properties.property import ALWAYS, STEP, Property
from ..budget import Bounds
from ..compiling import kernels
from ..compiling.compiled import ROOT, Compiled
from ..compiling.kernels import Checks, Outboxes, Scratch
from ..verdict import ActionCount
from .visited import Shard

SHARDS = 16
ROUND = 2048
"""States of a shard that are expanded in one round."""


@dataclass(frozen=True)
class Found:
    """Where a property was broken or witnessed first: a state, and the code of a step from it, or -1."""

    depth: int
    shard: int
    index: int
    code: int


@dataclass
class Progress:
    """What is known between rounds."""

    depth: int
    states: int
    frontier: int
    expanded: int
    transitions: int
    seconds: float
    bytes: int


class Explored(Protocol):
    """What a finished search of any engine can say."""

    levels: list[int]
    found: dict[str, Found]
    stopped: str
    complete: bool

    @property
    def compiled(self) -> Compiled:
        """The model that was explored."""

    @property
    def states(self) -> int:
        """States seen."""

    @property
    def transitions(self) -> int:
        """Steps taken, and the initial states."""

    @property
    def bytes(self) -> int:
        """What it keeps of them, in memory or on disk."""

    def action_counts(self) -> list[ActionCount]:
        """For each action: enabled, taken, new states."""

    def path_of(self, found: Found) -> tuple[tuple[int, ...], list[int]]:
        """A shortest path to where something was found: the initial state's key, and codes."""

    def interrupt(self) -> None:
        """End soon."""


class Worker:
    """What a task of one shard needs for itself: rows, notes and counts; `at`: what it has expanded."""

    def __init__(self, compiled: Compiled, chosen: Iterable[Property]) -> None:
        self.scratch: Scratch = compiled.scratch()
        self.checks: Checks = compiled.checks(chosen)
        self.found = np.zeros(len(compiled.model.actions), np.int64)
        self.at = 0


def note_rows(compiled: Compiled) -> Iterator[tuple[str, int, int | None, int]]:
    """What the rows of the notes are about: name, row, and the property's group and place; of deadlock no group."""
    offsets = (kernels.ALWAYS, kernels.STEPS, kernels.SOMETIMES, kernels.SOMETIMES_STEPS)
    for number, (offset, group) in enumerate(zip(offsets, compiled.properties.groups, strict=True)):
        for place, one in enumerate(group):
            yield one.name, offset + place, number, place
    yield "deadlock", kernels.DEADLOCK, None, 0


def outboxes(sources: int, owners: int, room: int, key_words: int) -> Outboxes:
    """Empty outboxes from so many shards to so many, each with room for so many successors."""
    shape = (sources, owners, room)
    fp, meta, key = np.empty(shape, np.uint64), np.empty(shape, np.uint64), np.empty((*shape, key_words), np.uint64)
    return Outboxes(fp, meta, key, np.zeros((sources, owners), np.int64))


class BreadthFirst:
    """The state of a search: run `level` until it answers False, or `run` for all of it."""

    def __init__(
        self,
        compiled: Compiled,
        properties: Iterable[Property],
        exact: bool = False,
        threads: int = 1,
        keep_going: bool = False,
        deadlock: bool = False,
    ) -> None:
        self.compiled, self.exact, self.threads = compiled, exact, threads
        self.keep_going, self.deadlock = keep_going, deadlock
        self.properties = list(properties)
        bits = SHARDS.bit_length() - 1
        self.shift = np.uint64(64 - bits)
        self.shards = [Shard(compiled, np.uint64(bits), exact) for _ in range(SHARDS)]
        self.workers = [Worker(compiled, self.properties) for _ in range(SHARDS)]
        self.boxes = outboxes(SHARDS, SHARDS, ROUND + len(self.workers[0].scratch.rows), compiled.key_words)
        self.levels: list[int] = []
        self.firsts: list[list[int]] = [[0] for _ in range(SHARDS)]
        self.found: dict[str, Found] = {}
        self.roots: dict[tuple[int, int], tuple[int, ...]] = {}
        self.stopped = ""
        self.complete = False

    # Seeding and levels.

    def seed(self) -> None:
        """The first level: the initial states."""
        keys = self.compiled.initial_keys()
        self.add_level(keys, np.full(len(keys), ROOT, np.uint64))
        self.note_roots()

    def note_roots(self) -> None:
        """Remember the keys of the first level: every path begins at one of them."""
        for number, shard in enumerate(self.shards):
            for index, key in enumerate(shard.frontier()):
                self.roots[number, index] = tuple(int(word) for word in key)

    def add_level(self, keys: NDArray[np.uint64], metas: NDArray[np.uint64]) -> None:
        """Insert a level whose states are known: the first, or one that an earlier run has found."""
        fps = self.compiled.fingerprints(keys)
        owner = (fps >> self.shift).astype(np.int64)
        spare = np.zeros(len(self.compiled.model.actions), np.int64)
        for number, shard in enumerate(self.shards):
            mine = np.flatnonzero(owner == number)
            shard.begin_level()
            box = outboxes(1, 1, len(mine), self.compiled.key_words)
            box.fp[0, 0], box.meta[0, 0], box.key[0, 0], box.count[0, 0] = fps[mine], metas[mine], keys[mine], len(mine)
            shard.take(box, 0, spare)
            self.firsts[number].append(shard.count)
        self.levels.append(sum(shard.fresh for shard in self.shards))

    @property
    def states(self) -> int:
        """States seen so far."""
        return sum(shard.count for shard in self.shards)

    @property
    def transitions(self) -> int:
        """Steps taken so far, and the initial states."""
        initial = self.levels[0] if self.levels else 0
        return initial + int(sum(worker.checks.taken.sum() for worker in self.workers))

    def run(
        self,
        bounds: Bounds,
        report: Callable[[Progress], None] | None = None,
        commit: Callable[[], None] | None = None,
    ) -> None:
        """Explore until everything is seen, a property is broken, a bound is reached, or `interrupt` is called.

        `report` is called after each round, `commit` when another level is complete.
        """
        bounds.begin()
        self._silence_found()
        if self._is_decided():
            return
        with ThreadPoolExecutor(self.threads) as pool:
            run_all: Callable[..., Any] = map if self.threads == 1 else pool.map
            while self.level(bounds, run_all, report):
                if commit is not None:
                    commit()

    def interrupt(self) -> None:
        """End the search after the present round."""
        self.stopped = "an interruption"

    def level(self, bounds: Bounds, run_all: Callable[..., Any], report: Callable[[Progress], None] | None) -> bool:
        """Check and expand the newest level. False when there is nothing more to do."""
        frontiers = [shard.frontier() for shard in self.shards]
        starts = [shard.count - shard.fresh for shard in self.shards]
        last = bounds.deepest(len(self.levels))
        for worker, shard in zip(self.workers, self.shards, strict=True):
            worker.at = 0
            shard.begin_level()
        while any(w.at < len(f) for w, f in zip(self.workers, frontiers, strict=True)):
            self._round(frontiers, starts, run_all, bool(last))
            if report is not None:
                report(self._progress(bounds))
            self.stopped = self.stopped or bounds.reached(self.states)
            if self.stopped:
                break
        self._gather()
        if self._is_decided() or self.stopped:
            self._forget_next_level(starts, frontiers)
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
        return not self.complete

    def _round(self, frontiers: list[Any], starts: list[int], run_all: Callable[..., Any], only_check: bool) -> None:
        """One round: each shard expands some of its frontier, then each takes what arrived for it."""
        for _ in run_all(lambda number: self._expand(number, frontiers[number], starts[number], only_check), range(SHARDS)):
            pass
        if not only_check:
            for _ in run_all(self._insert, range(SHARDS)):
                pass

    def _expand(self, number: int, keys: NDArray[np.uint64], start: int, only_check: bool) -> None:
        """One shard's part of a round: check and expand some of its frontier `keys`, whose first has index `start`."""
        compiled, worker = self.compiled, self.workers[number]
        self.boxes.count[number] = 0
        if worker.at < len(keys):
            worker.at = compiled.module.expand(
                keys, worker.at, min(worker.at + ROUND, len(keys)), start, number, self.shift,
                compiled.packing, worker.scratch, compiled.renaming, compiled.base,
                worker.checks, self.boxes, only_check,
            )  # fmt: skip

    def _insert(self, number: int) -> None:
        """One shard takes what has arrived for it."""
        self.shards[number].take(self.boxes, number, self.workers[number].found)

    def _forget_next_level(self, starts: list[int], frontiers: list[Any]) -> None:
        """The search ends within a level: states of the next one do not count."""
        for number, shard in enumerate(self.shards):
            shard.count = starts[number] + len(frontiers[number])
            shard.fresh = 0

    # Findings.

    def _gather(self) -> None:
        """Collect the shards' notes of this level: the first shard's first index is the finding."""
        for name, row, group, place in note_rows(self.compiled):
            if group is not None or self.deadlock:
                self._gather_note(name, row, group, place)

    def _gather_note(self, name: str, row: int, group: int | None, place: int) -> None:
        for number, worker in enumerate(self.workers):
            index, code = (int(x) for x in worker.checks.notes[row])
            if index >= 0 and name not in self.found:
                depth = len(self.levels) + (1 if code >= 0 else 0)
                self.found[name] = Found(depth, number, index, code)
        if name in self.found and group is not None:
            self._silence(group, place)

    def _silence(self, group: int, place: int) -> None:
        """Look no more for what is found."""
        for worker in self.workers:
            worker.checks.active[group] &= ~np.uint64(1 << place)

    def _silence_found(self) -> None:
        """A search that goes on does not look for what an earlier one has found."""
        for name, _, group, place in note_rows(self.compiled):
            if group is not None and name in self.found:
                self._silence(group, place)

    def _is_decided(self) -> bool:
        """Something was broken, and the search is not to keep going."""
        broken = any(p.name in self.found and p.kind in (ALWAYS, STEP) for p in self.properties)
        return not self.keep_going and (broken or "deadlock" in self.found)

    # The way back.

    def path_of(self, found: Found) -> tuple[tuple[int, ...], list[int]]:
        """A shortest path to where something was found."""
        return self.path_to(found.shard, found.index)

    def path_to(self, shard: int, index: int) -> tuple[tuple[int, ...], list[int]]:
        """A shortest path to a state: the key of the initial state that it begins with, and its codes."""
        codes = []
        meta = int(self.shards[shard].log[index])
        while meta != int(ROOT):
            codes.append(meta & 0xFFFF)
            shard, index = meta >> 16 & 0xFF, meta >> 24
            meta = int(self.shards[shard].log[index])
        return self.roots[shard, index], codes[::-1]

    # Counts.

    def rows(self) -> list[Any]:
        """The row of the state that each worker looked at last."""
        return [worker.scratch.rows[0] for worker in self.workers]

    def action_counts(self) -> list[ActionCount]:
        """For each action that exists under the configuration: enabled, taken, new states."""
        out = []
        for place, action in enumerate(self.compiled.model.actions):
            if self.compiled.base[place] >= 0:
                enabled = int(sum(w.checks.able[place] for w in self.workers))
                taken = int(sum(w.checks.taken[place] for w in self.workers))
                new = int(sum(w.found[place] for w in self.workers))
                out.append(ActionCount(action.name, enabled, taken, new))
        return out

    @property
    def bytes(self) -> int:
        """Memory of the tables, the logs and the keys."""
        return sum(shard.bytes for shard in self.shards)

    def _progress(self, bounds: Bounds) -> Progress:
        expanded = sum(worker.at for worker in self.workers)
        frontier = self.levels[-1]
        return Progress(
            len(self.levels), self.states, frontier, expanded, self.transitions, bounds.elapsed(), self.bytes
        )


def timed(
    search: BreadthFirst,
    bounds: Bounds,
    report: Callable[[Progress], None] | None = None,
    commit: Callable[[], None] | None = None,
) -> tuple[float, float]:
    """Run the search; wall and CPU seconds that it took."""
    wall, cpu = time.perf_counter(), time.process_time()
    search.run(bounds, report, commit)
    return time.perf_counter() - wall, time.process_time() - cpu
