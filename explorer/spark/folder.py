"""Files of a run directory, as the tasks and the driver write and read states: whole, or not there at all.

`file:` is written as `runs.files` does it, `s3:` and `s3a:` as `object_store` does. Every other file system is reached through
Hadoop's client library (libhdfs), which the machines of a Hadoop cluster have: `hdfs:` and whatever else their Hadoop is
configured for; there the manifests are written by the driver's Java, see `hadoop`. What is read is compared with what was
written: files of this machine by their digests, pages of other Parquet by their checksums, and states that a search continues
from by their fingerprints, which are computed again.
"""

import errno
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq

from ...model.language.errors import reason_of
from ..compiling.arrays import Words
from ..compiling.compiled import Compiled
from ..runs.files import Digesting, LocalFiles, Written, checksum, local_folder
from ..runs.manifests import File, Unsound
from ..runs.reading import PatientFile, Unread, reading
from .batch import Batch, fingerprints
from .object_store import SCHEMES, base_of, system

LONG_CHUNK = 1 << 23
"""Bytes of a part of a large file that is read over a network."""


class Folder:
    """The run directory at a qualified URI."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        parts, here = urlsplit(uri), local_folder(uri)
        self.base = unquote(parts.path, errors="surrogateescape").rstrip("/")
        self.local = LocalFiles(here) if here is not None else None
        self.system: Any
        self.of_objects = parts.scheme in SCHEMES
        if self.local is not None:
            self.system = pyarrow.fs.LocalFileSystem()
        elif self.of_objects:
            self.system, self.base = system(), base_of(uri)
        else:
            self.system = pyarrow.fs.HadoopFileSystem(f"{parts.scheme}://{parts.netloc}" if parts.netloc else "default")

    def write(self, name: str, write: Callable[[Any], None], cached: bool = True) -> Written:
        """Write a file under another name first, so that its own name never stands for a part of it; an object at once.

        `cached`: as with `LocalFiles.create`.
        """
        if self.local is not None:
            return self.local.create(name, write, cached)
        path = f"{self.base}/{name}"
        parent, own = path.rsplit("/", 1)
        temporary = path if self.of_objects else f"{parent}/.{own}.tmp"
        try:
            self._make(parent)
            with self.system.open_output_stream(temporary) as file:
                through = Digesting(file)
                write(through)
            if not self.of_objects:
                self.system.move(temporary, path)
        except BaseException:
            self.remove_path(temporary)
            raise
        return through.written()

    def stream(self, name: str) -> Any:
        """A file to be written from its beginning, under its own name: for data that is not needed after a crash."""
        path = f"{self.base}/{name}"
        self._make(path.rsplit("/", 1)[0])
        return self.system.open_output_stream(path)

    def _make(self, folder: str) -> None:
        """Make a folder; objects need none."""
        if not self.of_objects:
            self.system.create_dir(folder, recursive=True)

    def chunks(self, name: str) -> Iterator[bytes]:
        """A large file, part by part."""
        if self.local is not None:
            return self.local.chunks(name)
        return iter(partial(self.open(name).read, LONG_CHUNK), b"")

    def validate_undamaged(self, file: File) -> None:
        """Unsound when a file of this machine is not what was written."""
        try:
            with reading(file.name):
                if self.local is not None and checksum(self.local.chunks(file.name)) != file.digest:
                    raise Unsound(f"{file.name}: its digest differs")
        except OSError as error:
            raise Unsound(f"{file.name}: {reason_of(error)}") from None

    def open(self, name: str) -> Any:
        """A file to read at any place; FileNotFoundError when it is missing, Unread when it cannot be read now."""
        path = f"{self.base}/{name}"
        if self.local is None:
            return PatientFile(name, lambda: self.system.open_input_file(path))
        with reading(name):
            return self.system.open_input_file(path)

    def remove(self, name: str) -> None:
        """Remove a file that no longer counts, if it is there."""
        self.remove_path(f"{self.base}/{name}")

    def remove_path(self, path: str) -> None:
        """As `remove`; a file that cannot be removed stays, and is never read."""
        with suppress(OSError):
            self.system.delete_file(path)

    def remove_folder(self, name: str) -> None:
        """Remove a folder of files that no longer count, if it is there."""
        with suppress(OSError):
            self.system.delete_dir(f"{self.base}/{name}")


def fresh_name(kind: str, shard: str, ending: str) -> str:
    """A name that no other attempt of any task uses."""
    return f"{kind}/shard={shard}/{uuid.uuid4().hex}.{ending}"


# States of a level in Parquet.


def schema_of(width: int, key_words: int) -> pa.Schema:
    """fingerprint, parent, action, state: two columns instead of one where fingerprints have 128 bits."""
    parts = [(f"{name}{half}", pa.uint64()) for name in ("fingerprint", "parent") for half in ("", "_low")[:width]]
    columns = [*parts, ("action", pa.uint16()), ("state", pa.binary(8 * key_words))]
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in columns])  # to note that none is null costs time


def table_of(batch: Batch, schema: pa.Schema) -> pa.Table:
    """A batch as a table; the packed states are not copied."""
    columns: list[Any] = []
    for rows in (batch.fps, batch.parents):
        columns += [pa.array(np.ascontiguousarray(column)) for column in rows.T]
    return pa.table([*columns, pa.array(batch.codes), states_as_column(batch.keys)], schema=schema)


def states_as_column(keys: Words) -> pa.Array:
    """Packed states as Arrow has them."""
    data = pa.py_buffer(np.ascontiguousarray(keys))
    return pa.Array.from_buffers(pa.binary(8 * keys.shape[1]), len(keys), [None, data])


def write_states(file: Any, schema: pa.Schema, batches: Any, page_checksums: bool) -> None:
    """Write batches as the row groups of a Parquet file. Compressing packed states costs more time than it saves space."""
    how = {"use_dictionary": ["action"], "write_statistics": ["fingerprint"], "write_page_checksum": page_checksums}
    with pq.ParquetWriter(file, schema, compression="none", **how) as writer:
        for batch in batches:
            writer.write_table(table_of(batch, schema), row_group_size=max(1, len(batch)))


MISREAD = (OSError, pa.ArrowException, ValueError, OverflowError, LookupError, TypeError, AttributeError)
"""Errors of reading a file whose metadata were damaged: a missing column, or one of another type."""


@contextmanager
def opened(folder: Folder, name: str) -> Iterator[Any]:
    """A Parquet file, to be read within the block; Unsound names it when it is not what was written."""
    try:
        with folder.open(name) as file:
            yield pq.ParquetFile(file, page_checksum_verification=True)
    except MISREAD as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.ENOENT):
            raise Unread(f"{name}: {reason_of(error)}") from None
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise Unsound(f"{name}: {said[0][:160]}") from None


@contextmanager
def opened_states(folder: Folder, file: File) -> Iterator[Any]:
    """A file of states, to be read within the block; Unsound when it is not what was written.

    A file of this machine is compared with its digest, and any other by the checksums of its pages.
    """
    folder.validate_undamaged(file)
    with opened(folder, file.name) as parquet:
        yield parquet


def parts_of(folder: Folder, file: File, compiled: Compiled, width: int) -> Iterator[tuple[Words, Words]]:
    """Fingerprints and packed states of a file, sorted by fingerprint, a row group at a time: Unsound when they do not fit
    each other."""
    columns = ["fingerprint", "fingerprint_low", "state"] if width > 1 else ["fingerprint", "state"]
    with opened_states(folder, file) as parquet:
        if parquet.schema_arrow != schema_of(width, compiled.key_words):
            raise Unsound(f"{file.name}: its columns differ")
        rows, last = 0, np.uint64(0)
        for group in range(parquet.num_row_groups):
            table = parquet.read_row_group(group, columns, use_threads=False)
            fps, keys = words_of(table, "fingerprint"), keys_of(table)
            first = fps[:, 0]
            sorted_on = (first[1:] >= first[:-1]).all() and not (first[:1] < last).any()
            if not sorted_on or not (fingerprints(compiled, keys, width) == fps).all():
                raise Unsound(f"{file.name}: its fingerprints are not those of its states")
            if len(fps):
                rows, last = rows + len(fps), first[-1]
                yield fps, keys
    if rows != file.rows:
        raise Unsound(f"{file.name}: it has {rows:,} states, and its manifest says {file.rows:,}")


def first_states(folder: Folder, name: str, count: int) -> Words:
    """The packed states of the first rows of a file."""
    with opened(folder, name) as parquet:
        return keys_of(pa.Table.from_batches([next(parquet.iter_batches(count, columns=["state"], use_threads=False))]))


def fingerprints_in(folder: Folder, file: File) -> Iterator[Words]:
    """The fingerprints of a file of states, one row group after the other."""
    with opened_states(folder, file) as parquet:
        columns = [column for column in parquet.schema_arrow.names if column.startswith("fingerprint")]
        for group in range(parquet.num_row_groups):
            yield words_of(parquet.read_row_group(group, columns, use_threads=False), "fingerprint")


def words_of(table: pa.Table, name: str) -> Words:
    """The column `name` of fingerprints, with its low half where there is one, as (n, 1 or 2)."""
    columns = [table.column(name).to_numpy()]
    if f"{name}_low" in table.column_names:
        columns.append(table.column(f"{name}_low").to_numpy())
    return np.ascontiguousarray(np.stack(columns, axis=1))


def keys_of(table: pa.Table) -> Words:
    """The packed states, as (n, words)."""
    return states_in_column(table.column("state").combine_chunks())


def states_in_column(states: pa.Array) -> Words:
    """The same of a column of states, copied."""
    size, data = states.type.byte_width, states.buffers()[1] or b""
    found = np.frombuffer(data, np.uint64, len(states) * size // 8, states.offset * size)
    return found.reshape(len(states), size // 8).copy()
