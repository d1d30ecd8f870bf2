"""What is new of the successors that arrived for a shard: each once, and not visited before.

A shard's range of fingerprints is worked through in slices, as many as it takes to stay within the memory
allowed. What is too much to be held until all has arrived waits in a file of the task's own. The new states leave in
the order of their fingerprints.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..compiling.compiled import Compiled
from .batch import Batch, Successors, Words, fingerprints, first_of_each, from_bytes, range_of, row_bytes, rows_at
from .folder import Folder, fingerprints_in, fresh_name, schema_of, write_states
from .visited import FileRuns, Run, write_run


class Visited(Protocol):
    """A visited set."""

    def mark(self, fps: Words, known: NDArray[np.bool_]) -> None:
        """Mark which of the sorted fingerprints were visited."""


@dataclass
class Absorbed:
    """What a shard says of a level: its file, its runs, how many states each action's code found."""

    shard: int
    new: int = 0
    name: str = ""
    runs: list[Run] = field(default_factory=list)
    retired: list[Run] = field(default_factory=list)
    by_code: dict[int, int] = field(default_factory=dict)
    arrived: int = 0
    bytes: int = 0
    peak: int = 0
    memory: int = 0


class Arrivals:
    """The batches for one shard: in memory while they are few, else in a temporary file."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.held: list[tuple[tuple[int, int], Successors]] = []
        self.spilled: list[tuple[int, int]] = []
        self.bytes = self.written = 0
        self.file: Any = None

    def add(self, data: bytes) -> None:
        """Take in one batch."""
        if self.bytes + len(data) <= self.budget:
            self.bytes += len(data)
            self.held.append(from_bytes(data))
            return
        if self.file is None:
            self.file = tempfile.TemporaryFile(dir=scratch_folder())  # noqa: SIM115 it lives as long as this object
        self.spilled.append((self.written, len(data)))
        self.file.write(data)
        self.file.write(b"\0" * (-len(data) % 8))
        self.written += len(data) + -len(data) % 8

    def batches(self) -> list[Successors]:
        """All of them, in the order of senders and of what each sent first."""
        found = list(self.held)
        if self.file is not None:
            self.file.flush()
            whole = np.memmap(self.file, np.uint8, "r", shape=(self.written,))
            found += [from_bytes(whole[at : at + size]) for at, size in self.spilled]
        return [batch for _, batch in sorted(found, key=lambda pair: pair[0])]

    def close(self) -> None:
        """Remove the temporary file."""
        if self.file is not None:
            self.file.close()


def scratch_folder() -> str | None:
    """Where Spark lets a task put what it does not keep."""
    first = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0]
    return first if first and os.path.isdir(first) else None


def slices_of(shard: int, shards: int, rows: int, bytes_of_row: int, budget: int) -> list[tuple[int, int]]:
    """Parts of a shard's range in each of which about `budget` bytes are expected."""
    low, high = range_of(shard, shards)
    parts = max(1, -(-rows * bytes_of_row // max(1, budget)))
    edges = [low + (high - low) * number // parts for number in range(parts + 1)]
    return list(pairwise(edges))


def new_states(
    compiled: Compiled, width: int, batches: Sequence[Successors], slices: Sequence[tuple[int, int]], visited: Visited
) -> Iterator[Batch]:
    """What is new, sorted, slice by slice. Of equal states the first in the order of the batches stays."""
    for low, high in slices:
        fps, parts = [], []
        for batch in batches:
            words = fingerprints(compiled, np.ascontiguousarray(batch.keys), width)
            if len(slices) > 1:
                inside = (words[:, 0] >= np.uint64(low)) & (words[:, 0] <= np.uint64(high - 1))
                words, batch = rows_at(words, inside), batch.pick(inside)
            fps.append(words)
            parts.append(batch)
        if parts:
            place, found = first_of_each(np.concatenate(fps))
            known = np.zeros(len(found), np.bool_)
            visited.mark(found, known)
            place, found = place[~known], rows_at(found, ~known)
            yield Batch(found, *(np.concatenate(column).take(place, axis=0) for column in zip(*parts, strict=True)))


def absorb(
    folder: Folder, level: int, shard: int, shards: int, arrivals: Arrivals, runs: Sequence[Run], compiled: Compiled, width: int
) -> Absorbed:
    """Write what is new for a shard: its states, and its visited set with them."""
    batches, visited = arrivals.batches(), FileRuns(folder, runs)
    out = Absorbed(shard, runs=list(runs), arrived=sum(map(len, batches)))
    key_words = compiled.key_words
    size = 3 * row_bytes(width, key_words)
    slices = slices_of(shard, shards, out.arrived, size, arrivals.budget)
    fresh: list[Words] = []

    def noted() -> Iterator[Batch]:
        """The new states; their fingerprints stay at hand while they are few."""
        for batch in new_states(compiled, width, batches, slices, visited):
            if 8 * width * (out.new + len(batch)) <= arrivals.budget // 4:
                fresh.append(batch.fps)
            yield batch

    try:
        write_level(folder, level, str(shard), noted(), width, key_words, out)
        if out.new:
            held = iter(fresh) if 8 * width * out.new <= arrivals.budget // 4 else fingerprints_in(folder, out.name)
            run = write_run(folder, fresh_name("visited", str(shard), "run"), held, width)
            fresh.clear()
            first = visited.due(run.rows)
            if first < len(runs):
                total = run.rows + sum(r.rows for r in runs[first:])
                parts = visited.merged(first, run, slices_of(shard, shards, total, 24 * width, arrivals.budget))
                merged = write_run(folder, fresh_name("visited", str(shard), "run"), parts, width)
                folder.remove(run.name)
                out.retired, run = list(runs[first:]), merged
            out.runs = [*runs[:first], run]
    finally:
        visited.close()
    return out


def write_level(
    folder: Folder, level: int, shard: str, batches: Iterator[Batch], width: int, key_words: int, out: Absorbed
) -> None:
    """Write the new states of a level, if there are any, and count them in `out`."""

    def counted(first: Batch) -> Iterator[Batch]:
        batch: Batch | None = first
        while batch is not None:
            out.new += len(batch)
            out.peak = max(out.peak, 3 * len(batch) * row_bytes(width, key_words))
            counts = np.bincount(batch.codes)
            for code in np.flatnonzero(counts).tolist():
                out.by_code[code] = out.by_code.get(code, 0) + int(counts[code])
            yield batch
            batch = next(some, None)

    some = (batch for batch in batches if len(batch))
    first = next(some, None)
    if first is not None:
        out.name = fresh_name(f"level={level}", shard, "parquet")
        out.bytes = folder.write(out.name, lambda file: write_states(file, schema_of(width, key_words), counted(first)))
