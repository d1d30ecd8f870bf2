"""From a frontier to its successors: the local explorer's kernels, with duplicates dropped before they travel."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...properties.property import Property
from ..compiling.compiled import Compiled
from ..local.breadth_first import Worker, note_rows, outboxes
from ..local.visited import Shard
from .batch import Successors, Words, row_bytes

ROUND = 4096
"""States that are expanded between two looks at the table of successors."""

HALVES = np.uint64(63)
"""The shift that leaves one bit of a fingerprint: successors go to two tables of this task."""

Place = tuple[tuple[int, ...], int]
"""Where something was noted: the fingerprint of a state, and the code of a step from it or -1."""


@dataclass
class Report:
    """What a task says of the frontier that it expanded; `noted` by the row of the notes."""

    expanded: int
    taken: NDArray[np.int64]
    able: NDArray[np.int64]
    noted: dict[int, Place]
    successors: int = 0


class Expander:
    """The kernels with rows and outboxes of their own. Batches hold at most `budget` bytes, roughly."""

    def __init__(self, compiled: Compiled, properties: Iterable[Property], width: int, budget: int) -> None:
        self.compiled, self.properties, self.width = compiled, list(properties), width
        self.scratch = compiled.scratch()
        self.boxes = outboxes(1, 2, ROUND + len(self.scratch.rows), compiled.key_words)
        self.most = max(ROUND, budget // (3 * row_bytes(width, compiled.key_words)))
        self.spare = np.zeros(len(compiled.model.actions), np.int64)

    def expand(self, fps: Words, keys: Words, found: Collection[str], only_check: bool) -> Generator[Successors, None, Report]:
        """Check and expand a frontier, sorted by fingerprint: batches without duplicates, and a report.

        Of several ways to a successor within a batch the first stays: the least parent, then the least code.
        """
        worker = Worker(self.compiled, self.properties)
        for name, _, group, place in note_rows(self.compiled):
            if group is not None and name in found:
                worker.checks.active[group] &= ~np.uint64(1 << place)
        at, sent = 0, 0
        tables = self._tables(len(keys))
        while at < len(keys):
            at = self._round(keys, at, worker, only_check)
            if only_check:
                continue
            for number, table in enumerate(tables):
                table.take(self.boxes, number, self.spare)
            if at < len(keys) and sum(table.count for table in tables) >= self.most:
                sent += yield from self._batches(tables, fps)
                tables = self._tables(len(keys) - at)
        sent += yield from self._batches(tables, fps)
        notes = worker.checks.notes
        noted = {
            int(row): (tuple(int(x) for x in fps[notes[row, 0]]), int(notes[row, 1])) for row in np.flatnonzero(notes[:, 0] >= 0)
        }
        return Report(len(keys), worker.checks.taken, worker.checks.able, noted, sent)

    def _round(self, keys: Words, at: int, worker: Worker, only_check: bool) -> int:
        self.boxes.count[:] = 0
        compiled = self.compiled
        return int(
            compiled.module.expand(
                keys,
                at,
                min(at + ROUND, len(keys)),
                0,
                0,
                HALVES,
                compiled.packing,
                self.scratch,
                compiled.renaming,
                compiled.base,
                worker.checks,
                self.boxes,
                only_check,
            )
        )

    def _tables(self, states: int) -> list[Shard]:
        """Empty tables, with room for what so many states can be expected to lead to."""
        tables = [Shard(self.compiled, np.uint64(1), exact=self.width > 1) for _ in range(2)]
        for table in tables:
            table.make_room(min(states * 3 // 2, self.most) + 1)
        return tables

    def _batches(self, tables: list[Shard], parents: Words) -> Generator[Successors, None, int]:
        """What the tables hold, in the order in which it was found; how many there are."""
        sent = 0
        for table in tables:
            keys, metas = table.keys[: table.count], table.log[: table.count]
            if len(keys):
                parent = parents[(metas >> np.uint64(24)).astype(np.int64)]
                yield Successors(parent, (metas & np.uint64(0xFFFF)).astype(np.uint16), keys)
                sent += len(keys)
        return sent


def merge_reports(reports: Iterable[Report], actions: int) -> Report:
    """The reports of all shards as one: the least state is where something is said to be noted first."""
    total = Report(0, np.zeros(actions, np.int64), np.zeros(actions, np.int64), {})
    for one in reports:
        total.expanded += one.expanded
        total.successors += one.successors
        total.taken += one.taken
        total.able += one.able
        for row, place in one.noted.items():
            total.noted[row] = min(place, total.noted.get(row, place))
    return total


def names_of(report: Report, compiled: Compiled, deadlock: bool) -> dict[str, Any]:
    """The properties that a report has notes on, with the place; deadlock only when it was asked for."""
    return {
        name: report.noted[row]
        for name, row, group, _ in note_rows(compiled)
        if row in report.noted and (group is not None or deadlock)
    }
