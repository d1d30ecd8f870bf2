"""The new states among the successors that arrived for a shard: each once, and not visited before.

A shard's range of fingerprints is processed in slices, each of which fits the memory allowed. The new states leave in the order
of their fingerprints.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise

import numpy as np

from ..compiling.arrays import WORD_BITS, Words
from ..compiling.compiled import Compiled
from ..runs.manifests import File, SortedRun
from .batch import Batch, Slice, Spare, Successors, fingerprints, range_of
from .compiled import loops
from .folder import Folder, fingerprints_in, fresh_name, schema_of, write_states
from .kernels import TAIL
from .successor_files import Arrivals
from .visited import FileRuns, write_run


@dataclass
class Deduplicated:
    """A shard's result for a level: its file, its runs, how many states each action's code found."""

    shard: int
    new: int = 0
    name: str = ""
    runs: list[SortedRun] = field(default_factory=list)
    retired: list[SortedRun] = field(default_factory=list)
    by_code: dict[int, int] = field(default_factory=dict)
    bytes: int = 0
    digest: str = ""


def slices_of(shard: int, shards: int, rows: int, bytes_of_row: int, budget: int) -> list[tuple[int, int]]:
    """Parts of a shard's range, with about `budget` bytes expected in each."""
    low, high = range_of(shard, shards)
    parts = max(1, -(-rows * bytes_of_row // max(1, budget)))
    edges = [low + (high - low) * number // parts for number in range(parts + 1)]
    return list(pairwise(edges))


class Gathered:
    """States whose fingerprints lie in a slice, each once: of equal ones the first that was added stays."""

    def __init__(self, width: int, key_words: int, low: int, high: int, room: int, spare: Spare) -> None:
        self.low, self.last = np.uint64(low), np.uint64(high - 1)
        self.span, self.spare = high - low, spare
        self.filled = np.zeros(1, np.int64)
        self.shift, self.factor, self.slots = self._table(width, room, spare)
        self.width, self.key_words = width, key_words
        self.rows = self._rows(room, spare)

    def _rows(self, room: int, spare: Spare) -> Words:
        """Room for what is found: parent, key and code in each row."""
        return spare.words("found", room * (self.width + self.key_words + 1)).reshape(room, -1)

    def _table(self, width: int, room: int, spare: Spare) -> tuple[np.uint64, np.uint64, Words]:
        """Slots over which the fingerprints of the slice are spread evenly: shift, factor and the slots, all empty."""
        shift = min(WORD_BITS - 1, WORD_BITS - (self.span - 1).bit_length())
        factor = (room * 3 // 2 << WORD_BITS) // (self.span << shift)
        slots = spare.words("slots", (room * 3 // 2 + TAIL) * (width + 1)).reshape(-1, width + 1)
        slots[:] = 0
        return np.uint64(shift), np.uint64(factor), slots

    def add(self, fps: Words, batch: Successors) -> None:
        """Take in those that are in the slice."""
        at, collect = 0, loops(self.width, self.key_words).collect
        while at < len(fps):
            slots = self.low, self.last, self.shift, self.factor, self.slots
            at = collect(fps, *batch, at, *slots, self.rows, self.filled)
            if at < len(fps):
                self._grow()

    def _grow(self) -> None:
        """Double the room, in new memory."""
        slots, rows, self.spare = self.slots, self.rows, Spare()
        self.shift, self.factor, self.slots = self._table(self.width, 2 * len(rows), self.spare)
        loops(self.width).rehome(slots, self.low, self.shift, self.factor, self.slots)
        self.rows = self._rows(2 * len(rows), self.spare)
        self.rows[: len(rows)] = rows

    def without(self, visited: FileRuns) -> Batch:
        """Those that were not visited before, sorted; all but the fingerprints in memory that is used again."""
        count, width = int(self.filled[0]), self.width
        fps = self.spare.words("fps", (count + 1) * width).reshape(-1, width)
        at = self.spare.words("at", count + 1).view(np.int64)
        loops(width).in_order(self.slots, fps, at)
        fps, at = fps[:count], at[:count]
        known = np.zeros(count, np.bool_)
        visited.mark(fps, known)
        new = count - int(np.count_nonzero(known))
        batch = Batch(np.empty((new, width), np.uint64), *self.spare.successors("picked", new, width, self.key_words))
        loops(width, self.key_words).pick(fps, at, known, self.rows, *batch)
        return batch


def new_states(compiled: Compiled, width: int, slices: Iterable[Slice], visited: FileRuns, spare: Spare) -> Iterator[Batch]:
    """The new states, sorted, one slice at a time; each batch is valid until the next is requested.

    Of equal states the first one received is kept.
    """
    for low, high, rows, batches in slices:
        gathered = Gathered(width, compiled.key_words, low, high, rows + 1, spare)
        for batch in batches:
            gathered.add(fingerprints(compiled, batch.keys, width), batch)
        yield gathered.without(visited)


def deduplicate(
    folder: Folder, level: int, shard: int, shards: int, arrivals: Arrivals, runs: Sequence[SortedRun], compiled: Compiled,
    budget: int, expand: Callable[[Words, Words], None],
) -> Deduplicated:  # fmt: skip
    """Write what is new for a shard: its states, and its visited set with them; `expand` is called with fingerprints and keys."""
    if not arrivals.sent.rows:
        return Deduplicated(shard, runs=list(runs))
    width, key_words, spare = arrivals.width, compiled.key_words, arrivals.spare
    visited = FileRuns(folder, runs, *range_of(shard, shards), spare)
    out = Deduplicated(shard, runs=list(runs))
    fresh: list[Words] = []

    def noted() -> Iterator[Batch]:
        """The new states; their fingerprints stay in memory while they are few."""
        for batch in new_states(compiled, width, arrivals.slices(shard, shards), visited, spare):
            if 8 * width * (out.new + len(batch)) <= budget // 4:
                fresh.append(batch.fps)
            yield batch
            if len(batch):
                expand(batch.fps, batch.keys)

    try:
        write_level(folder, level, str(shard), noted(), width, key_words, out)
        if out.new:
            written = File(out.name, out.new, out.digest)
            held = iter(fresh) if 8 * width * out.new <= budget // 4 else fingerprints_in(folder, written)
            first = visited.due(out.new)
            total = out.new + sum(run.rows for run in runs[first:])
            parts = visited.merged(first, held, slices_of(shard, shards, total, 24 * width, budget))
            out.retired = list(runs[first:])
            out.runs = [*runs[:first], write_run(folder, fresh_name("visited", str(shard), "run"), parts, width)]
    finally:
        visited.close()
        arrivals.close()
    return out


def write_level(
    folder: Folder, level: int, shard: str, batches: Iterator[Batch], width: int, key_words: int, out: Deduplicated
) -> None:
    """Write the new states of a level, if there are any, and count them in `out`."""

    def counted(some: Iterator[Batch]) -> Iterator[Batch]:
        for batch in some:
            out.new += len(batch)
            counts = np.bincount(batch.codes)
            for code in np.flatnonzero(counts).tolist():
                out.by_code[code] = out.by_code.get(code, 0) + int(counts[code])
            yield batch

    some = (batch for batch in batches if len(batch))
    first = next(some, None)
    if first is not None:
        out.name = fresh_name(f"level={level}", shard, "parquet")
        how = schema_of(width, key_words), counted(chain([first], some)), folder.local is None
        out.bytes, out.digest = folder.write(out.name, lambda file: write_states(file, *how), cached=False)
