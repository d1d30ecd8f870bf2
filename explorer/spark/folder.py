"""Files of a run directory, as the tasks and the driver write and read states: whole, or not there at all.

`file:` is reached by Arrow itself; every other file system through Hadoop's client library (libhdfs), which
the machines of a Hadoop cluster have: `hdfs:`, `s3a:` and whatever else their Hadoop is configured for. Manifests
are written by the driver's Java, see `hadoop`.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq

from .batch import Batch, Words

MADE: set[str] = set()
"""Folders that this process has made already."""


class Folder:
    """The run directory at a qualified URI."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        parts = urlsplit(uri)
        self.base = unquote(parts.path).rstrip("/")
        self.system: Any
        if parts.scheme == "file":
            self.system = pyarrow.fs.LocalFileSystem()
        else:
            self.system = pyarrow.fs.HadoopFileSystem(f"{parts.scheme}://{parts.netloc}" if parts.netloc else "default")

    def write(self, name: str, write: Callable[[Any], None]) -> int:
        """Write a file under another name first, so that its own name never stands for a part of it; its size."""
        path = f"{self.base}/{name}"
        parent = path.rsplit("/", 1)[0]
        if parent not in MADE:
            self.system.create_dir(parent, recursive=True)
            MADE.add(parent)
        temporary = f"{parent}/.{path.rsplit('/', 1)[1]}.tmp"
        try:
            with self.system.open_output_stream(temporary) as file:
                write(file)
                size = int(file.tell())
            self.system.move(temporary, path)
            return size
        except BaseException:
            MADE.discard(parent)
            self.remove_path(temporary)
            raise

    def open(self, name: str) -> Any:
        """A file to read at any place."""
        return self.system.open_input_file(f"{self.base}/{name}")

    def remove(self, name: str) -> None:
        """Remove a file that counts no more, if it is there."""
        self.remove_path(f"{self.base}/{name}")

    def remove_path(self, path: str) -> None:
        """As `remove`; what cannot be removed stays, and nothing reads it."""
        try:
            self.system.delete_file(path)
        except OSError:
            return


def fresh_name(kind: str, shard: str, ending: str) -> str:
    """A name that no other attempt of any task uses."""
    return f"{kind}/shard={shard}/{uuid.uuid4().hex}.{ending}"


# States of a level in Parquet.


def schema_of(width: int, key_words: int) -> pa.Schema:
    """fingerprint, parent, action, state: two columns instead of one where fingerprints have 128 bits."""
    columns = []
    for name in ("fingerprint", "parent"):
        columns.append((name, pa.uint64()))
        if width == 2:
            columns.append((f"{name}_low", pa.uint64()))
    return pa.schema([*columns, ("action", pa.uint16()), ("state", pa.binary(8 * key_words))])


def table_of(batch: Batch, schema: pa.Schema) -> pa.Table:
    """A batch as a table; the packed states are not copied."""
    columns: list[Any] = []
    for words in (batch.fps, batch.parents):
        columns += [pa.array(np.ascontiguousarray(column)) for column in words.T]
    keys = np.ascontiguousarray(batch.keys)
    states = pa.Array.from_buffers(schema.field("state").type, len(keys), [None, pa.py_buffer(keys)])
    return pa.table([*columns, pa.array(batch.codes), states], schema=schema)


def write_states(file: Any, schema: pa.Schema, batches: Any) -> None:
    """Write batches as the row groups of a Parquet file. Fingerprints cannot be compressed."""
    how = {"use_dictionary": False, "write_statistics": ["fingerprint"]}
    packed = {name: "lz4" if name in ("action", "state") else "none" for name in schema.names}
    with pq.ParquetWriter(file, schema, compression=packed, **how) as writer:
        for batch in batches:
            writer.write_table(table_of(batch, schema))


def read_frontier(folder: Folder, name: str, width: int) -> pa.Table:
    """Fingerprints and packed states of a file."""
    columns = ["fingerprint", "fingerprint_low", "state"] if width > 1 else ["fingerprint", "state"]
    with folder.open(name) as file:
        return pq.ParquetFile(file).read(columns, use_threads=False)


def fingerprints_in(folder: Folder, name: str) -> Iterator[Words]:
    """The fingerprints of a file of states, one row group after the other."""
    with folder.open(name) as file:
        parquet = pq.ParquetFile(file)
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
    column = table.column("state").combine_chunks()
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    width = column.type.byte_width // 8
    parts = []
    for chunk in chunks:
        data = np.frombuffer(chunk.buffers()[1], np.uint64).reshape(-1, width)
        parts.append(data[chunk.offset : chunk.offset + len(chunk)])
    return np.concatenate(parts) if parts else np.zeros((0, width), np.uint64)
