"""The visited set of a shard: sorted runs of fingerprints.

A run in a file is read in blocks, and only those that can contain a wanted fingerprint, so that a task
needs memory for a few blocks, not for the set. Behind the fingerprints stand the fences, the first one of
every block, and the digests of the blocks; the manifest has the digest of both (`SortedRun.root`), so every block
that is read is compared with what was written. Runs are merged when the later ones have become much
longer: there are few of them, and each fingerprint is copied once or twice.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from ..compiling.arrays import Words
from ..runs.files import checksum
from ..runs.manifests import SortedRun, Unsound
from ..runs.reading import reading
from .batch import END, Spare, part_of
from .compiled import loops
from .folder import Folder

BLOCK = 1 << 14
"""Fingerprints of a block: 128 KB, or 256 of 128 bits."""

LATER = 3
"""A run is merged with all later ones when together they are this many times as long: larger means fewer merges, more lookups."""

WINDOW = 32
"""Blocks that are read together where all are needed."""


def mark_known(run: Words, fps: Words, known: NDArray[np.bool_]) -> None:
    """Set `known` where a fingerprint is in the run; both are sorted."""
    loops(run.shape[1]).mark_known(np.ascontiguousarray(run), np.ascontiguousarray(fps), known)


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
        data = self._read_at(8 * run.width * run.rows, np.empty((run.width + 1) * self.blocks, np.uint64))
        if checksum([data.data]) != run.root:
            raise Unsound(f"{run.name}: the digest of its blocks differs")
        fences, self.sums = np.split(data, [run.width * self.blocks])
        self.fences = fences.reshape(-1, run.width)[:, 0]

    def _read_at(self, at: int, out: Words) -> Words:
        with reading(self.run.name):
            self.file.seek(at)
            count = self.file.readinto(out.view(np.uint8).data)
        if count != out.nbytes:
            raise Unsound(f"{self.run.name}: it is shorter than its manifest says")
        return out

    def _read(self, first: int, last: int, out: Words) -> Words:
        """The fingerprints of these blocks, from `first` up to but without `last`, at the beginning of `out` [word]."""
        size = self.run.width * BLOCK
        count = min(size * last, self.run.width * self.run.rows) - size * first
        return self._compared(self._read_at(8 * size * first, out[:count]), first, last)

    def _compared(self, data: Words, first: int, last: int) -> Words:
        """These words as fingerprints, if they are what was written in these blocks."""
        size = self.run.width * BLOCK
        for place, block in enumerate(range(first, last)):
            if xxhash.xxh3_64_intdigest(data[size * place : size * (place + 1)].data) != self.sums[block]:
                raise Unsound(f"{self.run.name}: the digest of block {block} differs")
        return data.reshape(-1, self.run.width)

    def _blocks(self, low: int, high: int) -> tuple[int, int]:
        """The blocks that can contain words from `low` up to but without `high`."""
        first = max(0, int(np.searchsorted(self.fences, np.uint64(low))) - 1)
        return first, len(self.fences) if high >= END else int(np.searchsorted(self.fences, np.uint64(high)))

    def most_between(self, low: int, high: int) -> int:
        """How many fingerprints `between` reads."""
        first, last = self._blocks(low, high)
        return BLOCK * (last - first)

    def between(self, low: int, high: int, out: Words) -> Words:
        """The fingerprints whose first word lies from `low` to `high`, which is not included, in the memory of `out` [word]."""
        part = self._read(*self._blocks(low, high), out)
        return part[part_of(part[:, 0], low, high)]

    def mark(self, fps: Words, known: NDArray[np.bool_], window: Words) -> None:
        """Mark which of the sorted fingerprints are in the run, which is read into the window."""
        for first, last in self._needed(fps[:, 0]):
            begin = int(np.searchsorted(fps[:, 0], self.fences[first])) if first else 0
            whole = last == len(self.fences)
            end = len(fps) if whole else int(np.searchsorted(fps[:, 0], self.fences[last], "right"))
            mark_known(self._read(first, last, window), fps[begin:end], known[begin:end])

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
            fences.append(part[-count % BLOCK :: BLOCK].copy())
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
        root = checksum([ends])
        file.write(ends)

    written = folder.write(name, write)
    return SortedRun(name, count, width, written.digest, root)


class Ascending:
    """Sorted parts, each beginning where the one before ends: they are taken from the beginning on."""

    def __init__(self, parts: Iterable[Words]) -> None:
        self.parts = iter(parts)
        self.rest: Words | None = next(self.parts, None)

    def below(self, high: int) -> Iterator[Words]:
        """What is left of that which is below `high`."""
        while self.rest is not None:
            here = part_of(self.rest[:, 0], 0, high).stop
            yield self.rest[:here]
            if here < len(self.rest):
                self.rest = self.rest[here:]
                return
            self.rest = next(self.parts, None)


class FileRuns:
    """The runs of one shard, open for a task; its fingerprints begin with a word from `low` on and below `high`."""

    def __init__(self, folder: Folder, runs: Sequence[SortedRun], low: int, high: int, spare: Spare) -> None:
        self.runs, self.spare = list(runs), spare
        self.open = [OpenRun(folder, run) for run in runs]
        for run in self.open:
            if len(run.fences) and not low <= int(run.fences[0]) <= int(run.fences[-1]) < high:
                raise Unsound(f"{run.run.name}: it belongs to another shard")

    def mark(self, fps: Words, known: NDArray[np.bool_]) -> None:
        """Mark which of the sorted fingerprints were visited."""
        window = self.spare.words("window", WINDOW * BLOCK * fps.shape[1])
        for run in self.open:
            run.mark(fps, known, window)

    def close(self) -> None:
        """Close all files."""
        for run in self.open:
            run.close()

    def due(self, fresh: int) -> int:
        """The first of the runs to be merged with `fresh` fingerprints; all later ones are merged too."""
        first, later = len(self.runs), fresh
        for number in reversed(range(len(self.runs))):
            if LATER * self.runs[number].rows <= later:
                first = number
            later += self.runs[number].rows
        return first

    def merged(self, first: int, fresh: Iterable[Words], slices: Sequence[tuple[int, int]]) -> Iterator[Words]:
        """The runs from `first` on and fresh fingerprints, in sorted parts, merged slice by slice; each until the next."""
        new = Ascending(fresh)
        for low, high in slices:
            parts = list(new.below(high))
            if not self.open[first:]:
                yield from parts
                continue
            rows = sum(map(len, parts)) + sum(run.most_between(low, high) for run in self.open[first:])
            yield self._merged(self.open[first:], parts, low, high, rows)

    def _merged(self, runs: Sequence[OpenRun], parts: Sequence[Words], low: int, high: int, rows: int) -> Words:
        """These parts, and what the runs have between two words: at most this many rows."""
        width = parts[0].shape[1] if parts else runs[0].run.width
        out = self.spare.words("merged", rows * width)
        at = 0
        for part in parts:
            out[at : at + part.size] = part.reshape(-1)
            at += part.size
        for run in runs:
            part = run.between(low, high, out[at:])
            out[at : at + part.size] = part.reshape(-1)
            at += part.size
        fps = out[:at].reshape(-1, width)
        if width > 1:
            return sorted_rows(fps)
        out[:at].sort(kind="stable")  # which merges what is sorted already
        return fps


def sorted_rows(fps: Words) -> Words:
    """Fingerprints in their order; parts that are sorted already are merged."""
    if fps.shape[1] == 1:
        return np.sort(fps.reshape(-1), kind="stable").reshape(-1, 1)
    return fps[np.lexsort((fps[:, 1], fps[:, 0]))]
