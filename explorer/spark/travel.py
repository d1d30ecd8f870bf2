"""How successors travel: in files that the senders write into the run directory, of which each owner reads its parts.

Spark's shuffle carries only where the parts are. A part counts when the result of the task that wrote it names it, as with all
files of a task; its digest is compared when it is read. The files of a level are removed when the next one is committed: if one
of them is lost before, the task fails, and the level is done again.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import xxhash

from ..runs.manifests import Unsound
from .batch import Successors
from .expansion import Parts
from .folder import Folder, fresh_name

FOLDER = "sent"


class Parcel(NamedTuple):
    """Successors for one owner: `rows` of them from byte `at` on; `sender` and `chunk` say in which order they are taken."""

    sender: int
    chunk: int
    name: str
    at: int
    rows: int
    digest: int


def folder_of(level: int) -> str:
    """The folder with the successors of a level's states."""
    return f"{FOLDER}/level={level}"


class Outgoing:
    """The file of one sender, which is created when there is something to write."""

    def __init__(self, folder: Folder, level: int, shard: int) -> None:
        self.folder, self.shard = folder, shard
        self.name = fresh_name(folder_of(level), str(shard), "rows")
        self.file: Any = None
        self.bytes = self.chunk = 0

    def send(self, parts: Parts) -> Iterator[tuple[int, Parcel]]:
        """Write the parts: (owner, where they are)."""
        for owner, batch in parts:
            if self.file is None:
                self.file = self.folder.stream(self.name)
            at, digest = self.bytes, xxhash.xxh3_64()
            for column in (batch.parents, batch.keys, batch.codes):
                data = column.data.cast("B")
                digest.update(data)
                self.file.write(data)
                self.bytes += len(data)
            yield owner, Parcel(self.shard, self.chunk, self.name, at, len(batch), digest.intdigest())
        self.chunk += 1

    def close(self) -> None:
        """Close the file: it is whole."""
        if self.file is not None:
            self.file.close()


class Arrivals:
    """The successors sent to one shard, ordered by sender and then by time; they can be read more than once."""

    def __init__(self, folder: Folder, parcels: Iterable[Parcel], width: int, key_words: int) -> None:
        self.folder, self.parcels, self.width, self.key_words = folder, sorted(parcels), width, key_words
        self.buffer = np.empty(0, np.uint8)

    def __len__(self) -> int:
        return sum(parcel.rows for parcel in self.parcels)

    def __iter__(self) -> Iterator[Successors]:
        """Each is valid until the next is requested."""
        name, file = "", None
        self.buffer = np.empty(max((self._bytes_of(parcel) for parcel in self.parcels), default=0), np.uint8)
        try:
            for parcel in self.parcels:
                if parcel.name != name:
                    if file is not None:
                        file.close()
                    name, file = parcel.name, self._open(parcel.name)
                yield self._read(file, parcel)
        finally:
            if file is not None:
                file.close()

    def _open(self, name: str) -> Any:
        try:
            return self.folder.open(name)
        except FileNotFoundError:
            raise Unsound(f"{name}: it is missing") from None

    def _read(self, file: Any, parcel: Parcel) -> Successors:
        data = self.buffer[: self._bytes_of(parcel)]
        file.seek(parcel.at)
        if file.readinto(data) != len(data) or xxhash.xxh3_64_intdigest(data.data) != parcel.digest:
            raise Unsound(f"{parcel.name}: the digest of a part is another one")
        rows, width, key_words = parcel.rows, self.width, self.key_words
        words = np.frombuffer(data, np.uint64, (width + key_words) * rows)
        parents, keys = words[: width * rows].reshape(rows, -1), words[width * rows :].reshape(rows, -1)
        return Successors(parents, np.frombuffer(data, np.uint16, rows, words.nbytes), keys)

    def _bytes_of(self, parcel: Parcel) -> int:
        return (8 * (self.width + self.key_words) + 2) * parcel.rows
