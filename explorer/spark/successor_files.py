"""How successors travel: in files that the senders write into the run directory. Each owner reads its parts of these files.

Spark itself carries only the list of where the parts are. A part counts when the result of the task that wrote it names it, as
with all files of a task; its digest is compared when it is read. The files of a level are removed when the next one is
committed: if one of them is lost before, the task fails, and with it the run; when that is resumed, it expands the newest level
again.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from ..runs.manifests import SENT, Unsound
from ..runs.reading import reading
from .batch import Slice, Spare, Successors, range_of
from .expansion import Parts
from .folder import Folder, fresh_name

MAX_OPEN = 256
"""Files of senders that a task keeps open."""

PART = np.dtype([("slice", "i8"), ("sender", "i8"), ("at", "i8"), ("rows", "i8"), ("digest", "u8")])
"""Successors in a slice; every shard has the same number of slices: `rows` of them from byte `at` of the sender's file on."""


class Sent(NamedTuple):
    """What was sent to a shard: parts (of type PART), in the order in which they are taken, of files by sender, "" where there is
    none; `slices` of the range of each shard."""

    names: list[str]
    parts: NDArray[Any]
    slices: int

    @property
    def rows(self) -> int:
        """Successors in all parts. Not its length: a tuple that is pickled asks for memory by its length."""
        return int(self.parts["rows"].sum())


def by_owner(files: Sequence[str], parts: Sequence[NDArray[Any]], shards: int, slices: int) -> list[Sent]:
    """What each shard takes of the files of all senders: sorted by slice, then by sender, then by time."""
    for sender, some in enumerate(parts):
        some["sender"] = sender
    every = np.concatenate([np.empty(0, PART), *parts])
    every = every[np.lexsort((every["at"], every["sender"], every["slice"]))]
    of_shards = np.split(every, np.searchsorted(every["slice"], slices * np.arange(1, shards)))
    return [Sent(list(files), some, slices) for some in of_shards]


def folder_of(level: int) -> str:
    """The folder with the successors of a level's states."""
    return f"{SENT}/level={level}"


class Outgoing:
    """The file of a task, named by its first shard, which is created when there is something to write."""

    def __init__(self, folder: Folder, level: int, shard: int) -> None:
        self.folder, self.level, self.shard, self.name = folder, level, shard, ""
        self.file: Any = None
        self.bytes = 0
        self._parts: list[tuple[int, int, int, int, int]] = []

    def send(self, parts: Parts) -> None:
        """Write these parts."""
        for number, batch in parts:
            if self.file is None:
                self.name = fresh_name(folder_of(self.level), str(self.shard), "rows")
                self.file = self.folder.stream(self.name)
            at, digest = self.bytes, xxhash.xxh3_64()
            for column in (batch.parents, batch.keys, batch.codes):
                data = column.data.cast("B")
                digest.update(data)
                self.file.write(data)
                self.bytes += len(data)
            self._parts.append((number, 0, at, len(batch), digest.intdigest()))

    def parts(self) -> NDArray[Any]:
        """Where the parts are that were written, of type PART."""
        return np.array(self._parts, PART)

    def close(self) -> None:
        """Close the file: it is whole."""
        if self.file is not None:
            self.file.close()


class Arrivals:
    """The successors sent to one shard, slice by slice; in a slice by sender and then by time."""

    def __init__(self, folder: Folder, sent: Sent, width: int, key_words: int, spare: Spare) -> None:
        self.folder, self.sent, self.width, self.key_words, self.spare = folder, sent, width, key_words, spare
        self.buffer = spare.bytes("part", self._bytes_of(int(sent.parts["rows"].max(initial=0))))
        self.files: dict[str, Any] = {}

    def slices(self, shard: int, shards: int) -> Iterator[Slice]:
        """The slices of the shard's range."""
        every, count = self.sent.parts["slice"], self.sent.slices
        for number in range(shard * count, (shard + 1) * count):
            parts = self.sent.parts[np.searchsorted(every, number) : np.searchsorted(every, number + 1)]
            yield Slice(*range_of(number, shards * count), int(parts["rows"].sum()), self._batches(parts))

    def _batches(self, parts: NDArray[Any]) -> Iterator[Successors]:
        """Each is valid until the next is requested."""
        for _, sender, at, rows, digest in parts.tolist():
            yield self._read(self.sent.names[sender], at, rows, digest)

    def close(self) -> None:
        """Close the files."""
        while self.files:
            self.files.popitem()[1].close()

    def _open(self, name: str) -> Any:
        """The file, which stays open for the next slice."""
        try:
            if name not in self.files:
                if len(self.files) == MAX_OPEN:
                    self.close()
                self.files[name] = self.folder.open(name)
            return self.files[name]
        except FileNotFoundError:
            raise Unsound(f"{name}: it is missing") from None

    def _read(self, name: str, at: int, rows: int, digest: int) -> Successors:
        file, data = self._open(name), self.buffer[: self._bytes_of(rows)]
        with reading(name):
            file.seek(at)
            count = file.readinto(data)
        if count != len(data) or xxhash.xxh3_64_intdigest(data.data) != digest:
            raise Unsound(f"{name}: the digest of a part differs")
        width, key_words = self.width, self.key_words
        words = np.frombuffer(data, np.uint64, (width + key_words) * rows)
        parents, keys = words[: width * rows].reshape(rows, -1), words[width * rows :].reshape(rows, -1)
        return Successors(parents, np.frombuffer(data, np.uint16, rows, words.nbytes), keys)

    def _bytes_of(self, rows: int) -> int:
        return (8 * (self.width + self.key_words) + 2) * rows
