"""Where a run is kept; and files on this machine's file system that are there whole and on disk, or not at all."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self
from urllib.parse import unquote, urlsplit

import xxhash

from ...model.language.errors import UsageError
from ..files import replacing
from .reading import in_parts, patiently

CHUNK = 1 << 20

LARGE = 1 << 24
"""Bytes of a file that is not kept in the system's memory unless it is read again."""


URI = re.compile(r"(file|hdfs|s3a?):|[a-z][a-z0-9+.-]+:/", re.IGNORECASE)
"""How a URI begins. Everything else is a path, `a:b` too."""


def local_folder(place: str) -> Path | None:
    """The folder on this machine that a path or a URI names; None when the URI names another file system.

    UsageError when it can name nothing.
    """
    path = place
    if not place:
        raise UsageError("a folder without a name was given, as by a variable of the shell that is not set; name one")
    if URI.match(place):
        try:
            parts = urlsplit(place)
        except ValueError as error:
            raise UsageError(f"{place!r:.200} is not a URI: {error}") from None
        if parts.scheme != "file":
            return None
        if parts.netloc not in ("", "localhost") or parts.query or parts.fragment:
            what = "file:/FOLDER does, with %23 for # and %3F for ?"
            raise UsageError(f"{place:.200} names no folder of this machine: {what}; or write a path")
        path = unquote(parts.path, errors="surrogateescape")
    if "\0" in path:
        raise UsageError(f"{place!r:.200} names no folder: a path has no NUL character")
    return Path(path)


def folder_here(place: str) -> Path:
    """The same, and UsageError when it is not on this machine."""
    folder = local_folder(place)
    if folder is None:
        raise UsageError(f"{place:.200} is a URI of another file system, which needs --engine spark; name a folder")
    return folder


class Written(NamedTuple):
    """What was written: bytes, and their digest."""

    bytes: int
    digest: str


class Store(Protocol):
    """Where a run is kept: names are relative to its directory, which is "" itself. Everything raises OSError."""

    def names(self, folder: str) -> list[str]:
        """The names in a folder; none when it is not there."""

    def read(self, name: str) -> bytes:
        """A whole small file."""

    def write(self, name: str, data: bytes) -> None:
        """A whole small file, on disk before its name stands for it."""

    def remove(self, name: str) -> None:
        """Remove a file, on disk too; nothing when it is not there."""

    def chunks(self, name: str) -> Iterator[bytes]:
        """A large file, part by part."""

    def below(self, name: str) -> Self:
        """A folder of the directory, as a store."""


def checksum(parts: Iterator[bytes] | list[Any]) -> str:
    """The digest of bytes that come in parts."""
    state = xxhash.xxh3_128()
    for part in parts:
        state.update(part)
    return str(state.hexdigest())


class Digesting:
    """A file to write to; it keeps count, and the digest, of what passes."""

    closed = False

    def __init__(self, file: Any) -> None:
        self.file, self.state, self.bytes = file, xxhash.xxh3_128(), 0

    def write(self, data: Any) -> int:
        """Write all of it."""
        view = memoryview(data)
        view = view.cast("B") if view.nbytes else memoryview(b"")
        self.state.update(view)
        self.file.write(view)
        self.bytes += len(view)
        return len(view)

    def tell(self) -> int:
        """How much was written."""
        return self.bytes

    def flush(self) -> None:
        """Nothing: the caller, who opened the file, flushes it."""

    def close(self) -> None:
        """Nothing: the caller, who opened the file, closes it."""

    def writable(self) -> bool:
        """It is."""
        return True

    def written(self) -> Written:
        """What has passed."""
        return Written(self.bytes, str(self.state.hexdigest()))


class LocalFiles:
    """Files below a folder, which is made when the first is written."""

    def __init__(self, base: str | Path) -> None:
        self.base = Path(base)
        self._named: dict[Path, tuple[int, int]] = {}

    def create(self, name: str, write: Callable[[Any], None], cached: bool = True) -> Written:
        """Write a file under another name beside it, sync it, give it its name, and sync the folders that lead to it.

        If it is not `cached`, because it will not be read soon, a large file does not stay in the system's memory.
        """
        path = self.base / name
        with replacing(path, durable=True) as file:
            through = Digesting(file)
            write(through)
        if not cached and through.bytes >= LARGE:
            forget(path)
        self._sync_folders(path.parent)
        return through.written()

    def _sync_folders(self, folder: Path) -> None:
        """The folder and those above it, up to the one that holds the base: a new name is on disk when its folder is. Those
        above a folder whose own name is on disk are left out: each sync waits for the disk."""
        found = {}
        while True:
            found[folder] = sync(folder)
            if self._named.get(folder) == found[folder]:
                break
            if folder == self.base.parent or self.base not in (folder, *folder.parents):
                break
            folder = folder.parent
        self._named |= {name: number for name, number in found.items() if name != self.base.parent}

    def names(self, folder: str) -> list[str]:
        """The names in a folder; none when it is not there."""
        try:
            return patiently(lambda: os.listdir(self.base / folder))
        except FileNotFoundError:
            return []

    def read(self, name: str) -> bytes:
        """A whole small file."""
        return patiently((self.base / name).read_bytes)

    def write(self, name: str, data: bytes) -> None:
        """A whole small file, on disk before its name stands for it."""
        self.create(name, lambda file: file.write(data))

    def remove(self, name: str) -> None:
        """Remove a file, on disk too; nothing when it is not there."""
        with suppress(FileNotFoundError):
            (self.base / name).unlink()
            sync((self.base / name).parent)

    def below(self, name: str) -> Self:
        """A folder of the directory, as a store."""
        return type(self)(self.base / name)

    def chunks(self, name: str) -> Iterator[bytes]:
        """A large file, part by part."""

        def part_at(at: int) -> bytes:
            with open(self.base / name, "rb") as file:
                file.seek(at)
                return file.read(CHUNK)

        return in_parts(part_at)


def forget(path: Path) -> None:
    """Tell the system that it need not keep a file, which is on disk, in memory too.

    Memory that is given back at once is used again, which is several times as fast as memory that was never used.
    """
    if hasattr(os, "posix_fadvise"):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)


def sync(folder: Path) -> tuple[int, int]:
    """Sync a folder, so that the names in it are on disk; its numbers, which a folder that is made again has not."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
        found = os.fstat(descriptor)
        return found.st_dev, found.st_ino
    finally:
        os.close(descriptor)


def shard_of(name: str) -> str:
    """The shard in the name of a file of a run on Spark: a number, or `driver`; empty where there is none."""
    found = re.search(r"/shard=(\w+)/", name)
    return found[1] if found else ""
