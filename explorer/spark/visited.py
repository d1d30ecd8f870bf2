"""The visited set of a shard: sorted runs of fingerprints, of which older ones are longer.

A run in a file is read in blocks, and only those that can contain a wanted fingerprint, so that a task
needs memory for a few blocks, not for the set. Behind the fingerprints stand the fences, the first one of
every block, and the digests of the blocks; the manifest has the digest of both (`Run.root`), so every block
that is read is compared with what was written. Runs are merged when they are of about the same length:
there are few of them, and each fingerprint is copied a few times only.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from ..runs.files import digest_of
from ..runs.manifests import SortedRun, Unsound
from .batch import END, Words, part_of
from .compiled import loops
from .folder import Folder

BLOCK = 1 << 14
"""Fingerprints of a block: 128 KB, or 256 of 128 bits."""

WINDOW = 32
"""Blocks that are read together where all are needed."""


def mark_known(run: Words, fps: Words, known: NDArray[np.bool_]) -> None:
    """Set `known` where a fingerprint is in the run; both are sorted."""
    loops().mark_known(np.ascontiguousarray(run), np.ascontiguousarray(fps), known)


def bytes_of(run: SortedRun) -> int:
    """The size of a run's file."""
    blocks = -(-run.rows // BLOCK)
    return 8 * run.width * (run.rows + blocks) + 8 * blocks


class OpenRun:
    """A run while it is read."""

    def __init__(self, folder: Folder, run: SortedRun) -> None:
        self.run, self.blocks = run, -(-run.rows // BLOCK)
        try:
            self.file = folder.open(run.name)
        except FileNotFoundError:
            raise Unsound(f"{run.name}: it is missing") from None
        data = self._read_at(8 * run.width * run.rows, 8 * (run.width + 1) * self.blocks)
        if digest_of([data]) != run.root:
            raise Unsound(f"{run.name}: the digest of its blocks is another one")
        fences, self.sums = np.split(np.frombuffer(data, np.uint64), [run.width * self.blocks])
        self.fences = fences.reshape(-1, run.width)[:, 0]

    def _read_at(self, at: int, size: int) -> Any:
        data = self.file.read_at(size, at)
        if len(data) != size:
            raise Unsound(f"{self.run.name}: it is shorter than its manifest says")
        return data

    def _read(self, first: int, last: int) -> Words:
        """The fingerprints of these blocks, from `first` up to but without `last`."""
        size = 8 * self.run.width * BLOCK
        end = min(size * last, 8 * self.run.width * self.run.rows)
        data = memoryview(self._read_at(size * first, end - size * first))
        for place, block in enumerate(range(first, last)):
            if xxhash.xxh3_64_intdigest(data[size * place : size * (place + 1)]) != self.sums[block]:
                raise Unsound(f"{self.run.name}: the digest of block {block} is another one")
        return np.frombuffer(data, np.uint64).reshape(-1, self.run.width)

    def between(self, low: int, high: int) -> Words:
        """The fingerprints whose first word lies from `low` to `high`, which is not included."""
        first = max(0, int(np.searchsorted(self.fences, np.uint64(low))) - 1)
        last = len(self.fences) if high >= END else int(np.searchsorted(self.fences, np.uint64(high)))
        part = self._read(first, last)
        return part[part_of(part[:, 0], low, high)]

    def mark(self, fps: Words, known: NDArray[np.bool_]) -> None:
        """Mark which of the sorted fingerprints are in the run."""
        for first, last in self._needed(fps[:, 0]):
            begin = int(np.searchsorted(fps[:, 0], self.fences[first])) if first else 0
            whole = last == len(self.fences)
            end = len(fps) if whole else int(np.searchsorted(fps[:, 0], self.fences[last], "right"))
            part = self._read(first, last)
            mark_known(part, fps[begin:end], known[begin:end])

    def _needed(self, words: Words) -> Iterator[tuple[int, int]]:
        """The blocks in which these words can stand, as stretches of at most WINDOW blocks."""
        begins = np.searchsorted(words, self.fences, "left")
        ends = np.append(np.searchsorted(words, self.fences[1:], "right"), len(words))
        first = last = -1
        for block in np.flatnonzero(ends > begins).tolist():
            if first >= 0 and (block > last or block - first >= WINDOW):
                yield first, last
                first = -1
            if first < 0:
                first = block
            last = block + 1
        if first >= 0:
            yield first, last

    def close(self) -> None:
        """Close the file."""
        self.file.close()


def write_run(folder: Folder, name: str, parts: Iterator[Words], width: int) -> SortedRun:
    """Write sorted parts, one after the other, as a run."""
    count, root, fences, sums = 0, "", [], []
    block = xxhash.xxh3_64()

    def write(file: Any) -> None:
        nonlocal count, root
        for part in parts:
            fences.append(part[-count % BLOCK :: BLOCK])
            for first in range(-(count % BLOCK), len(part), BLOCK):
                data = np.ascontiguousarray(part[max(0, first) : first + BLOCK]).data
                block.update(data)
                file.write(data)
                if len(part) >= first + BLOCK:
                    sums.append(block.intdigest())
                    block.reset()
            count += len(part)
        if count % BLOCK:
            sums.append(block.intdigest())
        ends = np.concatenate([*(fence.reshape(-1) for fence in fences), np.array(sums, np.uint64)])
        root = digest_of([ends])
        file.write(ends)

    written = folder.write(name, write)
    return SortedRun(name, count, width, written.digest, root)


class FileRuns:
    """The runs of one shard, open for a task; its fingerprints begin with a word from `low` on and below `high`."""

    def __init__(self, folder: Folder, runs: Sequence[SortedRun], low: int, high: int) -> None:
        self.folder, self.runs = folder, list(runs)
        self.open = [OpenRun(folder, run) for run in runs]
        for run in self.open:
            if len(run.fences) and not low <= int(run.fences[0]) <= int(run.fences[-1]) < high:
                raise Unsound(f"{run.run.name}: it is of another shard")

    def mark(self, fps: Words, known: NDArray[np.bool_]) -> None:
        """Mark which of the sorted fingerprints were visited."""
        for run in self.open:
            run.mark(fps, known)

    def close(self) -> None:
        """Close all files."""
        for run in self.open:
            run.close()

    def due(self, fresh: int) -> int:
        """The first of the runs to be merged with a new run of `fresh` fingerprints; all later ones are merged too."""
        first, total = len(self.runs), fresh
        while first > 0 and self.runs[first - 1].rows <= 2 * total:
            first -= 1
            total += self.runs[first].rows
        return first

    def merged(self, first: int, fresh: SortedRun, slices: Sequence[tuple[int, int]]) -> Iterator[Words]:
        """The runs from `first` on and a new one, merged slice by slice."""
        newest = OpenRun(self.folder, fresh)
        try:
            for low, high in slices:
                parts = [run.between(low, high) for run in (*self.open[first:], newest)]
                yield sorted_rows(np.concatenate(parts))
        finally:
            newest.close()


class MemoryRuns:
    """The visited set of a search whose levels run in the driver."""

    def __init__(self, width: int, runs: Iterable[Words] = ()) -> None:
        self.runs = sorted(runs, key=len, reverse=True)
        self.width = width

    def mark(self, fps: Words, known: NDArray[np.bool_]) -> None:
        """Mark which of the sorted fingerprints were visited."""
        for run in self.runs:
            mark_known(run, fps, known)

    def add(self, fps: Words) -> None:
        """Add sorted fingerprints that are new."""
        while self.runs and len(self.runs[-1]) <= 2 * len(fps):
            fps = sorted_rows(np.concatenate([self.runs.pop(), fps]))
        self.runs.append(fps)

    def all(self) -> Words:
        """Every fingerprint, sorted."""
        return sorted_rows(np.concatenate(self.runs)) if self.runs else np.zeros((0, self.width), np.uint64)


def sorted_rows(fps: Words) -> Words:
    """Fingerprints in their order."""
    if fps.shape[1] == 1:
        return np.sort(fps.reshape(-1)).reshape(-1, 1)
    return fps[np.lexsort((fps[:, 1], fps[:, 0]))]
