"""From a frontier to its successors: the local explorer's kernels, with most duplicates dropped before they are sent.

A worker remembers the fingerprints that it sent last, in a table of a fixed size. A task does not send again what it has sent
itself, nor what tasks of earlier levels have sent: that is visited by the time the next level is committed. It does send again
what another task of the same level has sent, because that task may have failed. What the worker has forgotten is sent again too,
and the owner drops it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...properties.property import Property
from ..compiling.arrays import DEADLOCK_NOTE, LINE_SLOTS, WORD_BITS, Checks, Outboxes, Words
from ..compiling.compiled import Compiled
from ..compiling.failure import located
from ..compiling.memory import outboxes, words
from ..compiling.order import in_order
from ..search import DEADLOCK
from .batch import Spare, Successors, owners, room_for, row_bytes
from .compiled import loops

ROUND = 2048
"""States that are expanded before their successors are sorted by owner: few enough for these to stay in the processor's cache."""

PART_ROWS = 1 << 14
"""Successors that are written and read at once, at most: they stay in the processor's cache meanwhile."""

MIN_BITS = 16
"""The logarithm of the slots for what was sent, where little is sent."""

Parts = Sequence[tuple[int, Successors]]
"""Successors by owner, a slice of a shard's range; the arrays are valid until more are requested."""

Place = tuple[tuple[int, ...], int]
"""Where something was noted: the fingerprint of a state, and the code of a step from it or -1."""


@dataclass
class Report:
    """A task's report on the frontier that it expanded; `noted` by the row of the notes."""

    expanded: int
    taken: NDArray[np.int64]
    able: NDArray[np.int64]
    noted: dict[int, Place]
    sent: int = 0
    memory: int = 0


class Router:
    """Room for the successors of a task, by owner, at most `budget` bytes; and four times as many for what was sent last."""

    def __init__(self, width: int, key_words: int, budget: int) -> None:
        self.width, self.key_words, self.budget = width, key_words, budget
        self.owners, self.filled = 0, np.zeros(0, np.int64)
        self.table = words(width << max(MIN_BITS, (4 * budget // (8 * width)).bit_length() - 1))
        self.run, self.level = "", 0
        self._forget(0)

    def _forget(self, rows: int) -> None:
        """Forget what was sent; slots for `rows` fingerprints, if the budget allows."""
        slots = min(len(self.table) // self.width, 1 << max(MIN_BITS, (rows - 1).bit_length()))
        self.recent, self.most = self.table[: slots * self.width], slots // LINE_SLOTS - 1
        self.recent[:] = 0
        self.task = self.earlier = 0

    def begin(self, count: int, run: str, level: int, rows: int = 0) -> None:
        """Begin a task, which expands states of this level of a run and sends about `rows` rows to `count` owners."""
        if count != self.owners:
            most = min(PART_ROWS, max(1, self.budget // (count * row_bytes(self.width, self.key_words))))
            self.room, self.owners = room_for((count, most), self.width, self.key_words), count
        self.filled = np.zeros(count, np.int64)
        is_other = run != self.run or level < self.level
        is_larger = rows > len(self.recent) // self.width and len(self.recent) < len(self.table)
        if is_other or is_larger or self.task == self.most:
            self._forget(rows if is_other else max(rows, len(self.recent) // self.width))
            self.run, self.level = run, -1
        self.task += 1
        if level != self.level:
            self.level, self.earlier = level, self.task

    def take(self, boxes: Outboxes, fps: Words) -> Iterator[Parts]:
        """Take in what the boxes hold, successors of states with these fingerprints; parts whenever an owner's room is full."""
        route = loops(self.width, self.key_words).route
        count, task, earlier = (np.uint64(number) for number in (self.owners, self.task, self.earlier))
        for box in range(boxes.filled.shape[1]):
            at = 0
            while at < boxes.filled[0, box]:
                at = route(boxes, box, at, fps, count, self.recent, task, earlier, self.filled, *self.room)
                if at < boxes.filled[0, box]:
                    yield self.parts()

    def parts(self) -> Parts:
        """Hand out what was taken in since the last time."""
        counts = self.filled.tolist()
        self.filled[:] = 0
        parents, codes, keys = self.room
        return [(to, Successors(parents[to, :n], codes[to, :n], keys[to, :n])) for to, n in enumerate(counts) if n]


class Expander:
    """The kernels with their rows, and outboxes by the first `bits` of a fingerprint for the successors of `turn` states. Batches
    hold at most a quarter of `budget` bytes, roughly."""

    def __init__(
        self, compiled: Compiled, properties: Iterable[Property], width: int, budget: int, bits: int = 1, turn: int = ROUND
    ) -> None:
        self.compiled, self.properties = compiled, list(properties)
        self.scratch, self.shift, self.turn = compiled.scratch(), np.uint64(WORD_BITS - bits), turn
        self.boxes = outboxes(1, 1 << bits, turn + compiled.most_successors, compiled.key_words)
        self.router = Router(width, compiled.key_words, budget // 4)
        self.spare = Spare()

    def expand(self, keys: Words, at: int, checks: Checks, only_check: bool) -> int:
        """Check and expand states from `at` on, until the boxes are full; where it stopped."""
        self.boxes.filled[:] = 0
        compiled, scratch = self.compiled, self.scratch
        with located(compiled, self.properties, lambda: scratch.rows[:1]):
            last = min(at + self.turn, len(keys))
            return compiled.expand(keys, at, last, 0, 0, self.shift, scratch, checks, self.boxes, only_check)


class Expansion:
    """The frontier of a task's shards is checked and expanded; `enter` gets the successors, and the fingerprints of the states.

    The range of all fingerprints is divided into `blocks`. In a block, states are sorted (`order`): neighbours then do much the
    same, which the lanes need to be fast. Where several steps lead to one successor, the first is sent first.
    The order does not depend on tasks and slices while these hold whole blocks.
    """

    def __init__(
        self,
        expander: Expander,
        found: Collection[str],
        only_check: bool,
        enter: Callable[[Outboxes, Words], None],
        blocks: int = 1,
    ) -> None:
        self.expander, self.only_check, self.enter, self.blocks = expander, only_check, enter, blocks
        self.properties = [claim for claim in expander.properties if claim.name not in found]
        self.reports = list[Report]()

    def take(self, fps: Words, keys: Words) -> None:
        """Expand the next part, which is sorted by fingerprint."""
        if not self.expander.compiled.sorts:
            self._expand(fps, keys)
            return
        cuts = np.flatnonzero(np.diff(owners(fps, self.blocks))) + 1
        for first, last in pairwise([0, *cuts.tolist(), len(fps)]):
            order = self.expander.compiled.order.of(keys[first:last])
            self._expand(*(self._in_order(name, rows[first:last], order) for name, rows in (("fps", fps), ("keys", keys))))

    def _in_order(self, name: str, rows: Words, order: NDArray[np.int64]) -> Words:
        return in_order(rows, order, self.expander.spare.words(f"block.{name}", rows.size))

    def _expand(self, fps: Words, keys: Words) -> None:
        """Expand a block."""
        checks = self.expander.compiled.checks(self.properties)
        at = 0
        while at < len(keys):
            at = self.expander.expand(keys, at, checks, self.only_check)
            if not self.only_check:
                self.enter(self.expander.boxes, fps)
        self.reports.append(report_of(checks, fps))

    def end(self) -> Report:
        """The report on all parts."""
        return merge_reports(self.reports, len(self.expander.compiled.model.actions))


def report_of(checks: Checks, fps: Words) -> Report:
    """The report on states with these fingerprints."""
    rows = np.flatnonzero(checks.notes[:, 0] >= 0)
    noted = {int(row): (tuple(int(x) for x in fps[checks.notes[row, 0]]), int(checks.notes[row, 1])) for row in rows}
    return Report(len(fps), checks.taken, checks.able, noted)


def merge_reports(reports: Iterable[Report], actions: int) -> Report:
    """The reports of all blocks as one: of the states that they note, the least is the one that is named."""
    total = Report(0, np.zeros(actions, np.int64), np.zeros(actions, np.int64), {})
    for report in reports:
        total.expanded += report.expanded
        total.sent += report.sent
        total.memory = max(total.memory, report.memory)
        total.taken += report.taken
        total.able += report.able
        for row, place in report.noted.items():
            total.noted[row] = min(place, total.noted.get(row, place))
    return total


def names_of(report: Report, compiled: Compiled, deadlock: bool) -> dict[str, Place]:
    """The properties that a report has notes on, with the place; deadlock only if it is checked."""
    rows = {claim.name: row for claim, row, *_ in compiled.properties.notes()}
    if deadlock:
        rows[DEADLOCK] = DEADLOCK_NOTE
    return {name: report.noted[row] for name, row in rows.items() if row in report.noted}
