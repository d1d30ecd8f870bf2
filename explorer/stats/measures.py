"""Measures of the copies of logs in many states at once: columns of numbers, found by the names in `properties.log_fields`."""

import re
from collections import Counter
from typing import Any

import numpy as np

from ...properties.log_fields import EPOCHS, LAG, LOGS
from ..compiling.arrays import Numbers, Words
from ..compiling.compiled import Compiled
from .witnesses import Witnesses

COPY = rf"{LOGS.copies}(?:\[\d+\])+"
"""A pattern: the name of one copy."""

FAR = 1 << 20
"""The gap of a state in which no two logs differ."""

MAX_NEAREST = 10
"""States that are listed as the nearest to a violation."""


class CopiedLogs:
    """The copies of logs in the states of a configuration: `names` of those copies whose fields are all there."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.cells = {path: at for path, at, _ in compiled.layout.variables(compiled.config)}
        names = {match[1] for path in self.cells if (match := re.match(rf"({COPY})\.{LOGS.committed}$", path))}
        needed = (LOGS.end, f"{LOGS.entries}[0].{LOGS.epoch}")
        self.names = sorted(name for name in names if {f"{name}.{field}" for field in needed} <= self.cells.keys())
        slots = [re.match(rf"{COPY}\.{LOGS.entries}\[(\d+)\]\.{LOGS.epoch}$", path) for path in self.cells]
        self.offsets = 1 + max((int(match[1]) for match in slots if match), default=-1)

    def column(self, rows: Any, path: str) -> Numbers:
        """One variable of all states."""
        cells = rows.view(self.compiled.layout.cell)
        return np.asarray(cells[:, self.cells[path]], np.int64)

    def starts(self, rows: Any, name: str) -> Any:
        """The first offset of a copy: 0 in a model in which logs have no beginning."""
        path = f"{name}.{LOGS.start}"
        return self.column(rows, path) if path in self.cells else 0

    def ends(self, rows: Any, name: str) -> Numbers:
        """The end of a copy."""
        return self.column(rows, f"{name}.{LOGS.end}")

    def committed(self, rows: Any, name: str) -> Numbers:
        """Up to where a copy knows its log to be committed."""
        return self.column(rows, f"{name}.{LOGS.committed}")

    def lags(self, rows: Any) -> Numbers:
        """(state, copy): how far what is known to be committed is behind the log's end."""
        return np.stack([self.ends(rows, name) - self.committed(rows, name) for name in self.names], axis=1)

    def epochs(self, rows: Any) -> Numbers:
        """(state, copy): how many different epochs the entries of the log have."""
        out = []
        for name in self.names:
            end, start, count = self.ends(rows, name), self.starts(rows, name), np.zeros(len(rows), np.int64)
            last = np.full(len(rows), -1, np.int64)
            for offset in range(self.offsets):
                epoch = self.column(rows, f"{name}.{LOGS.entries}[{offset}].{LOGS.epoch}")
                held = (end > offset) & (start <= offset)
                count, last = count + (held & (epoch != last)), np.where(held, epoch, last)
            out.append(count)
        return np.stack(out, axis=1)

    def gaps(self, rows: Any) -> Numbers:
        """For each state by how many offsets the lower of two ends of what is committed must rise until two logs that differ
        are both committed where they differ: 0 or less is a violation of agreement, `FAR` is no difference."""
        out = np.full(len(rows), FAR, np.int64)
        for place, name in enumerate(self.names):
            for other in self.names[place + 1 :]:
                if name.rsplit("[", 1)[0] == other.rsplit("[", 1)[0]:
                    out = np.minimum(out, self._gap(rows, name, other))
        return out

    def _gap(self, rows: Any, left: str, right: str) -> Numbers:
        starts = np.maximum(self.starts(rows, left), self.starts(rows, right))
        both = np.minimum(self.ends(rows, left), self.ends(rows, right))
        committed = np.minimum(self.committed(rows, left), self.committed(rows, right))
        gap = np.full(len(rows), FAR, np.int64)
        for offset in reversed(range(self.offsets)):
            differs = np.zeros(len(rows), np.bool_)
            for path in self.cells:
                if path.startswith(f"{left}.{LOGS.entries}[{offset}]."):
                    differs |= self.column(rows, path) != self.column(rows, right + path[len(left) :])
            gap = np.where(differs & (starts <= offset) & (offset < both), offset + 1 - committed, gap)
        return gap


def logs_of(compiled: Compiled) -> CopiedLogs | None:
    """The copies of logs in a configuration; None when the model's state has none."""
    found = CopiedLogs(compiled)
    return found if found.names else None


class Counts:
    """The counts of `stats` over all states. `totals`: how often each number was met; of `state` that of a witnessed property.

    `nearest`: (gap, level, fingerprint) of the states nearest to a violation.
    """

    def __init__(self, witnesses: Witnesses) -> None:
        self.logs, self.witnesses = logs_of(witnesses.compiled), witnesses
        self.totals: Counter[tuple[str, int]] = Counter()
        self.nearest: list[tuple[int, int, str]] = []

    def add(self, keys: Words, levels: Any, fingerprints: Any) -> None:
        """Count some states: their keys, levels and (first words of) fingerprints."""
        rows = self.witnesses.compiled.rows_of(keys)
        for place, claim in enumerate(self.witnesses.properties):
            if not claim.over_steps:
                self.totals["state", place] += self.witnesses.count(claim, rows, rows)
        if self.logs is not None:
            self._measure(self.logs, rows, levels, fingerprints)

    def _measure(self, logs: CopiedLogs, rows: Any, levels: Any, fingerprints: Any) -> None:
        """Count what is measured of the logs of some states."""
        for what, numbers in ((LAG, logs.lags(rows)), (EPOCHS, logs.epochs(rows))):
            for number, n in zip(*np.unique(numbers, return_counts=True), strict=True):
                self.totals[what, int(number)] += int(n)
        gaps = logs.gaps(rows)
        near = np.flatnonzero(gaps <= min(np.sort(gaps)[min(MAX_NEAREST, len(gaps)) - 1], FAR - 1))
        words = fingerprints.astype(np.uint64)
        order = np.lexsort((words[near], levels[near], gaps[near]))[:MAX_NEAREST]
        found = [(int(gaps[at]), int(levels[at]), f"{int(words[at]):016x}") for at in near[order].tolist()]
        self.nearest = sorted({*self.nearest, *found})[:MAX_NEAREST]
