"""How successors travel: in files that the senders write into the run directory, of which each owner reads its parts.

Spark's shuffle carries only where the parts are. A part counts when the result of the task that wrote it names it, as with all
files of a task; its digest is compared when it is read. The files of a level are removed when the next one is committed: if one
of them is lost before, the task fails, and the level is done again.
"""

from __future__ import annotations

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
    """Successors for one owner: `count` of them from byte `at` on; `sender` and `chunk` say in which order they are taken."""

    sender: int
    chunk: int
    name: str
    at: int
    count: int
    digest: int


def folder_of(level: int) -> str:
    """Where the successors of a level's states are."""
    return f"{FOLDER}/level={level}"


class Outgoing:
    """The file of one sender, which is begun when there is something to write."""

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
                data = memoryview(column).cast("B")
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
    """What was sent to one shard, in the order of senders and of what each sent first; it can be read more than once."""

    def __init__(self, folder: Folder, parcels: Iterable[Parcel], width: int, key_words: int) -> None:
        self.folder, self.parcels, self.width, self.key_words = folder, sorted(parcels), width, key_words

    def __len__(self) -> int:
        return sum(parcel.count for parcel in self.parcels)

    def __iter__(self) -> Iterator[Successors]:
        name, file = "", None
        try:
            for parcel in self.parcels:
                if parcel.name != name:
                    if file is not None:
                        file.close()
                    name, file = parcel.name, self.folder.open(parcel.name)
                yield self._read(file, parcel)
        finally:
            if file is not None:
                file.close()

    def _read(self, file: Any, parcel: Parcel) -> Successors:
        sizes = [size * parcel.count for size in (8 * self.width, 8 * self.key_words, 2)]
        data = file.read_at(sum(sizes), parcel.at)
        if xxhash.xxh3_64_intdigest(data) != parcel.digest:
            raise Unsound(f"{parcel.name}: the digest of a part is another one")
        parents, keys, codes = np.split(np.frombuffer(data, np.uint8), np.cumsum(sizes[:-1]))
        parents, keys = (part.view(np.uint64).reshape(parcel.count, -1) for part in (parents, keys))
        return Successors(parents, codes.view(np.uint16), keys)
