"""Measures of replicas over many states at once: columns of numbers, found by the names of the state's variables.

Any model serves whose state has `replica[...]` with `hw`, `leo` and `log[offset].epoch`, as the Kafka model and the
published one have. Of others nothing is measured here.
"""

import re
from collections import Counter
from typing import Any

import numpy as np

from ..compiling.arrays import Numbers, Words
from ..compiling.compiled import Compiled
from .batch import END
from .witnesses import Witnesses

FAR = 1 << 20
"""The gap of a state in which no two logs differ."""

NEAREST = 10
"""States that are listed as the nearest to a violation."""


class Replicas:
    """The replicas of a configuration: for each partition those that are copies of the same log."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.cells = {path: at for path, at, _ in compiled.layout.variables(compiled.config)}
        names = {match[1] for path in self.cells if (match := re.match(r"(replica(?:\[\d+\])+)\.hw$", path))}
        self.names = sorted(name for name in names if {f"{name}.leo", f"{name}.log[0].epoch"} <= self.cells.keys())
        slots = [re.match(r"replica(?:\[\d+\])+\.log\[(\d+)\]\.epoch$", path) for path in self.cells]
        self.offsets = 1 + max((int(match[1]) for match in slots if match), default=-1)

    def column(self, rows: Any, path: str) -> Numbers:
        """One variable of all states."""
        cells = rows.view(self.compiled.layout.cell)
        return np.asarray(cells[:, self.cells[path]], np.int64)

    def starts(self, rows: Any, name: str) -> Any:
        """The first offset of the replica's log: 0 in a model without retention."""
        path = f"{name}.log_start"
        return self.column(rows, path) if path in self.cells else 0

    def lags(self, rows: Any) -> Numbers:
        """(state, replica): how far the high watermark is behind the log's end."""
        return np.stack([self.column(rows, f"{n}.leo") - self.column(rows, f"{n}.hw") for n in self.names], axis=1)

    def epochs(self, rows: Any) -> Numbers:
        """(state, replica): how many different leader epochs the records of the log have."""
        out = []
        for name in self.names:
            leo, start, count = self.column(rows, f"{name}.leo"), self.starts(rows, name), np.zeros(len(rows), np.int64)
            last = np.full(len(rows), -1, np.int64)
            for offset in range(self.offsets):
                epoch = self.column(rows, f"{name}.log[{offset}].epoch")
                held = (leo > offset) & (start <= offset)
                count, last = count + (held & (epoch != last)), np.where(held, epoch, last)
            out.append(count)
        return np.stack(out, axis=1)

    def gaps(self, rows: Any) -> Numbers:
        """For each state by how many offsets the lower of two high watermarks must rise until two logs that differ are
        both committed where they differ: 0 or less is a violation of agreement, `FAR` is no difference."""
        out = np.full(len(rows), FAR, np.int64)
        for place, one in enumerate(self.names):
            for other in self.names[place + 1 :]:
                if one.rsplit("[", 1)[0] == other.rsplit("[", 1)[0]:
                    out = np.minimum(out, self._gap(rows, one, other))
        return out

    def _gap(self, rows: Any, one: str, other: str) -> Numbers:
        starts = np.maximum(self.starts(rows, one), self.starts(rows, other))
        both = np.minimum(self.column(rows, f"{one}.leo"), self.column(rows, f"{other}.leo"))
        committed = np.minimum(self.column(rows, f"{one}.hw"), self.column(rows, f"{other}.hw"))
        gap = np.full(len(rows), FAR, np.int64)
        for offset in reversed(range(self.offsets)):
            differs = np.zeros(len(rows), np.bool_)
            for path in self.cells:
                if path.startswith(f"{one}.log[{offset}]."):
                    differs |= self.column(rows, path) != self.column(rows, other + path[len(one) :])
            gap = np.where(differs & (starts <= offset) & (offset < both), offset + 1 - committed, gap)
        return gap


def replicas_of(compiled: Compiled) -> Replicas | None:
    """The replicas of a configuration; None when the model's state has no such replicas."""
    found = Replicas(compiled)
    return found if found.names else None


class Counts:
    """The counts of `stats` over all states. `totals`: how often each number was met; of `state` that of a witnessed property.

    `nearest`: (gap, level, fingerprint) of the states nearest to a violation.
    """

    def __init__(self, witnesses: Witnesses) -> None:
        self.replicas, self.witnesses = replicas_of(witnesses.compiled), witnesses
        self.totals: Counter[tuple[str, int]] = Counter()
        self.nearest: list[tuple[int, int, str]] = []

    def add(self, keys: Words, levels: Any, fingerprints: Any) -> None:
        """Count some states: their keys, levels and (first words of) fingerprints."""
        rows = self.witnesses.compiled.rows_of(keys)
        for place, one in enumerate(self.witnesses.properties):
            if not one.over_steps:
                self.totals["state", place] += self.witnesses.count(one, rows, rows)
        if self.replicas is not None:
            self._measure(self.replicas, rows, levels, fingerprints)

    def _measure(self, replicas: Replicas, rows: Any, levels: Any, fingerprints: Any) -> None:
        """Count what is measured of the replicas of some states."""
        for what, numbers in (("lag", replicas.lags(rows)), ("epochs", replicas.epochs(rows))):
            for number, n in zip(*np.unique(numbers, return_counts=True), strict=True):
                self.totals[what, int(number)] += int(n)
        gaps = replicas.gaps(rows)
        near = np.flatnonzero(gaps <= min(np.sort(gaps)[min(NEAREST, len(gaps)) - 1], FAR - 1))
        order = np.lexsort((fingerprints[near].astype(np.uint64), levels[near], gaps[near]))[:NEAREST]
        found = [(int(gaps[at]), int(levels[at]), f"{int(fingerprints[at]) & END - 1:016x}") for at in near[order].tolist()]
        self.nearest = sorted({*self.nearest, *found})[:NEAREST]
