"""States with bits beside them: in arrays, in Parquet, and on their way through the shuffle.

Each bit of a mask stands for one goal: a property of progress with values of its parameters. One look serves 64 of them.

    steps     to a state, from a state; for which goals the step matters
    open      a state; the goals that are not known to be within reach, those that are asked for there, its level
    reached   a state; the goals that have just been found to be within reach

A file is sorted by its first state in each of its row groups, so that a lookup reads only those that can hold what it wants.
"""

from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..compiling.arrays import Words
from ..runs.manifests import File, Unsound
from .batch import owners
from .folder import Folder, fresh_name, opened, words_of

Masks = NDArray[np.uint64]
Columns = tuple[Any, ...]
"""Fingerprints (n, 1 or 2) and numbers (n), in the order of `COLUMNS`."""


class FileColumns(NamedTuple):
    """The columns of a file: fingerprints of states, then numbers."""

    states: tuple[str, ...]
    numbers: tuple[str, ...]


STEPS, OPEN, REACHED = "steps", "open", "reached"
COLUMNS = {
    STEPS: FileColumns(("target", "source"), ("goals",)),
    OPEN: FileColumns(("state",), ("missing", "asked", "level")),
    REACHED: FileColumns(("state",), ("goals",)),
}

GROUP = 1 << 16
"""Rows of a row group."""


def schema_of(kind: str, width: int) -> pa.Schema:
    """The columns in Parquet: two for a fingerprint of 128 bits."""
    names = [f"{name}{half}" for name in COLUMNS[kind].states for half in ("", "_low")[:width]]
    return pa.schema([(name, pa.uint64()) for name in (*names, *COLUMNS[kind].numbers)])


class Collected:
    """Rows that become files: one whenever they take `budget` bytes, and one for what is left."""

    def __init__(self, folder: Folder, place: str, kind: str, width: int, shard: int, budget: int) -> None:
        self.folder, self.kind, self.width, self.budget = folder, kind, width, budget
        self._name = partial(fresh_name, f"{place}/{kind}", str(shard), "parquet")
        self.held: list[Columns] = []
        self.bytes = 0
        self._files: list[File] = []

    def add(self, *columns: Any) -> None:
        """Take in rows."""
        if len(columns[0]):
            self.held.append(columns)
            self.bytes += sum(column.nbytes for column in columns)
            if self.bytes >= self.budget:
                self._write()

    def files(self) -> list[File]:
        """Everything that was taken in."""
        if self.held:
            self._write()
        return self._files

    def _write(self) -> None:
        columns = [np.concatenate(parts) for parts in zip(*self.held, strict=True)]
        self.held, self.bytes = [], 0
        order = order_of(columns[0])
        columns = [column.take(order, axis=0) for column in columns]
        schema = schema_of(self.kind, self.width)
        arrays = [word for column in columns for word in (column.T if column.ndim > 1 else [column])]
        table = pa.table([pa.array(np.ascontiguousarray(array)) for array in arrays], schema=schema)
        name = self._name()
        how = {"use_dictionary": False, "write_statistics": schema.names[:1], "write_page_checksum": True}
        packed = {name: "lz4" if name in COLUMNS[self.kind].numbers else "none" for name in schema.names}

        def write(file: Any) -> None:
            with pq.ParquetWriter(file, schema, compression=packed, **how) as writer:
                writer.write_table(table, row_group_size=GROUP)

        _, digest = self.folder.write(name, write)
        self._files.append(File(name, len(order), digest))


def read_rows(folder: Folder, kind: str, width: int, file: File, wanted: Words | None = None) -> Iterator[Columns]:
    """The columns of a file, one row group after the other; with `wanted`, sorted, only those that can hold one of it."""
    validate_undamaged(folder.uri, file)
    with opened(folder, file.name) as parquet:
        if parquet.schema_arrow != schema_of(kind, width) or parquet.metadata.num_rows != file.rows:
            raise Unsound(f"{file.name}: its columns or its rows differ")
        for group in range(parquet.num_row_groups):
            known = parquet.metadata.row_group(group).column(0).statistics
            if wanted is not None and known is not None and not is_between(wanted[:, 0], known.min, known.max):
                continue
            table = parquet.read_row_group(group, use_threads=False)
            states = [words_of(table, name) for name in COLUMNS[kind].states]
            numbers = [table.column(name).to_numpy() for name in COLUMNS[kind].numbers]
            if not (states[0][1:, 0] >= states[0][:-1, 0]).all():
                raise Unsound(f"{file.name}: it is not sorted")
            yield (*states, *numbers)


def is_between(words: Masks, low: int, high: int) -> bool:
    """Whether one of the sorted words lies from `low` to `high`."""
    place = int(np.searchsorted(words, np.uint64(low)))
    return place < len(words) and int(words[place]) <= high


@cache
def validate_undamaged(uri: str, file: File) -> None:
    """Unsound when a file of this machine is not what was written. Once for each process: later on pages have checksums."""
    Folder(uri).validate_undamaged(file)


# Arrays.


def order_of(fps: Words) -> NDArray[np.int64]:
    """The order in which fingerprints are sorted."""
    return np.argsort(fps[:, 0], kind="stable") if fps.shape[1] == 1 else np.lexsort((fps[:, 1], fps[:, 0]))


def united(fps: Words, masks: Masks) -> tuple[Words, Masks]:
    """Each fingerprint once, sorted, with the union of its bits."""
    order = order_of(fps)
    fps, masks = fps.take(order, axis=0), masks[order]
    differs = np.ones(len(fps), np.bool_)
    differs[1:] = (fps[1:] != fps[:-1]).any(axis=1)
    starts = np.flatnonzero(differs)
    return fps.take(starts, axis=0), np.bitwise_or.reduceat(masks, starts) if len(starts) else masks


def places_of(fps: Words, among: Words) -> NDArray[np.int64]:
    """The place of each fingerprint in `among`, which is sorted and has each once; -1: it is not there."""
    at = np.searchsorted(among[:, 0], fps[:, 0])
    out = np.full(len(fps), -1, np.int64)
    unknown = np.arange(len(fps))
    while True:
        unknown = unknown[at[unknown] < len(among)]
        unknown = unknown[among[at[unknown], 0] == fps[unknown, 0]]
        if not len(unknown):
            return out
        same = (among[at[unknown]] == fps[unknown]).all(axis=1)
        out[unknown[same]] = at[unknown[same]]
        unknown = unknown[~same]
        at[unknown] += 1


class United:
    """Masks by state that come in parts; in memory each state is there a few times at most."""

    def __init__(self, width: int) -> None:
        self.parts = [(np.zeros((0, width), np.uint64), np.zeros(0, np.uint64))]
        self.fresh = 0

    def add(self, fps: Words, masks: Masks) -> None:
        """Take in a part."""
        self.parts.append((fps, masks))
        self.fresh += len(fps)
        if self.fresh > max(1 << 20, len(self.parts[0][0])):
            self.all()

    def all(self) -> tuple[Words, Masks]:
        """Each state once, sorted, with its bits."""
        fps, masks = (np.concatenate(column) for column in zip(*self.parts, strict=True))
        self.parts, self.fresh = [united(fps, masks)], 0
        return self.parts[0]


# The shuffle.


def addressed(columns: Sequence[Any], shards: int) -> Iterator[tuple[int, bytes]]:
    """The rows as bytes, in parts: one for each owner of the states of the first column."""
    owner = owners(columns[0], shards)
    order = np.argsort(owner, kind="stable")
    ordered, begun = [column.take(order, axis=0) for column in columns], 0
    for shard, count in enumerate(np.bincount(owner).tolist()):
        if count:
            part = [column[begun : begun + count] for column in ordered]
            head = np.array([count, *(column.size // count for column in part)], np.uint64)
            yield shard, b"".join(column.tobytes() for column in (head, *part))
        begun += count


def from_bytes(data: bytes, columns: int) -> Columns:
    """The rows that `addressed` has packed: columns of fingerprints in two dimensions, and a last column of masks."""
    count, *widths = (int(x) for x in np.frombuffer(data, np.uint64, columns + 1))
    at, out = 8 * (columns + 1), []
    for width in widths:
        out.append(np.frombuffer(data, np.uint64, count * width, at).reshape(count, width))
        at += 8 * count * width
    return (*out[:-1], out[-1][:, 0])
