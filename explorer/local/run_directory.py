"""A run on disk: what an interrupted search needs to go on, and end in the same counts.

After each level its states are written, key and meta word, in the order of the shards; then the manifest
is replaced, which names every file that counts. A search that resumes reads the levels back, which
rebuilds the tables, and goes on from the last one. The manifest says what the run is about; a directory
of another model, configuration or set of properties is refused.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from ...model.language.errors import UsageError
from ..compiling.compiled import ROOT
from ..identity import identity_of, prove_again, refuse_another
from .breadth_first import BreadthFirst, Found

FORMAT = 1
MANIFEST = "manifest.json"
COUNTS = ("taken", "able", "new")
UNREADABLE = (OSError, ValueError, KeyError, EOFError, RuntimeError, MemoryError, zipfile.BadZipFile, zlib.error)
"""What reading a damaged archive of arrays can raise."""


class RunDirectory:
    """The directory at `path` for one search."""

    def __init__(self, path: str, search: BreadthFirst, revision: str) -> None:
        self.path, self.search, self.revision = Path(path), search, revision
        self.files: list[str] = []
        self.identity = {
            "format": FORMAT,
            **identity_of(search.compiled, revision, search.properties, search.deadlock),
            "exact": search.exact,
            "shards": len(search.shards),
        }

    def begin(self, resume: bool) -> None:
        """Make the directory, or take up the run in it. UsageError when it is not the place for this run."""
        manifest = self.path / MANIFEST
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            exists = manifest.exists()
        except OSError as error:
            raise self._unwritable(error) from None
        if exists and not resume:
            raise UsageError(f"{self.path} already holds a run; add --resume to go on with it, or name another directory")
        if resume and not exists:
            raise UsageError(f"{self.path} holds no run to resume; leave out --resume to begin one there")
        if exists:
            self._restore(self._read(manifest))
        else:
            self.search.seed()
            self.commit()

    def commit(self) -> None:
        """Write the newest level, then the manifest that counts it."""
        try:
            name = _level_name(len(self.files) + 1)
            keys, metas, counts = self._newest_level()
            self._write(name, lambda file: np.savez(file, keys=keys, metas=metas, counts=counts))
            self.files.append(name)
            text = json.dumps({**self.identity, "files": self.files, **self._progress()}, indent=1)
            self._write(MANIFEST, lambda file: file.write(text.encode()))
        except OSError as error:
            raise self._unwritable(error) from None

    def _newest_level(self) -> tuple[Any, Any, Any]:
        shards = self.search.shards
        keys = np.concatenate([shard.frontier() for shard in shards])
        metas = np.concatenate([shard.log[shard.count - shard.fresh : shard.count] for shard in shards])
        return keys, metas, np.array([shard.fresh for shard in shards])

    def _progress(self) -> dict[str, Any]:
        workers = self.search.workers
        return {
            "levels": self.search.levels,
            "found": {name: vars(f) for name, f in self.search.found.items()},
            "taken": [int(x) for x in np.sum([w.checks.taken for w in workers], axis=0)],
            "able": [int(x) for x in np.sum([w.checks.able for w in workers], axis=0)],
            "new": [int(x) for x in np.sum([w.found for w in workers], axis=0)],
        }

    def _write(self, name: str, write: Any) -> None:
        """Write a file so that it is there whole, on disk, or not at all."""
        temporary = self.path / f"{name}.tmp"
        with open(temporary, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, self.path / name)

    def _read(self, manifest: Path) -> dict[str, Any]:
        try:
            found = json.loads(manifest.read_text())
            if not isinstance(found, dict) or {*self.identity, "files", "levels", "found", *COUNTS} - set(found):
                raise ValueError("not a manifest")
        except (OSError, ValueError, RecursionError):
            raise _damaged(manifest) from None
        refuse_another(self.path, found, self.identity)
        if not self._is_sound(found):
            raise _damaged(manifest)
        return found

    def _is_sound(self, found: dict[str, Any]) -> bool:
        """The entries that change from level to level are of the right types and sizes."""
        files, levels, places = found["files"], found["levels"], found["found"]
        if not (isinstance(files, list) and files and files == [_level_name(n) for n in range(1, len(files) + 1)]):
            return False
        counts = [(levels, len(files)), *((found[name], len(self.search.compiled.model.actions)) for name in COUNTS)]
        if not all(_are_numbers(numbers) and len(numbers) == length for numbers, length in counts):
            return False
        if not isinstance(places, dict):
            return False
        fields = set(Found.__dataclass_fields__)
        return all(isinstance(p, dict) and set(p) == fields and _are_numbers(p.values(), -1) for p in places.values())

    def _restore(self, manifest: dict[str, Any]) -> None:
        """Rebuild the search from the levels that the manifest names."""
        search = self.search
        search.levels = []
        for number, name in enumerate(manifest["files"]):
            keys, metas = self._level(name, manifest["levels"][number])
            search.add_level(keys, metas)
            if number == 0:
                search.note_roots()
            if search.levels[-1] != manifest["levels"][number]:
                raise _damaged(self.path / name)
        self.files = list(manifest["files"])
        search.found = {name: Found(**place) for name, place in manifest["found"].items()}
        for place in search.found.values():
            if not (0 <= place.shard < len(search.shards) and 0 <= place.index < search.shards[place.shard].count):
                raise _damaged(self.path / MANIFEST)
        prove_again(search, self.revision, search.properties, self.path / MANIFEST)
        worker = search.workers[0]
        worker.checks.taken[:], worker.checks.able[:], worker.found[:] = (manifest[name] for name in COUNTS)

    def _level(self, name: str, states: int) -> tuple[Any, Any]:
        """The keys and meta words of one level, which fit the search as far as it is rebuilt."""
        search, compiled = self.search, self.search.compiled
        try:
            with np.load(self.path / name) as level:
                keys, metas = level["keys"], level["metas"]
        except UNREADABLE:
            raise _damaged(self.path / name) from None
        if keys.dtype != np.uint64 or metas.dtype != np.uint64 or keys.shape != (states, compiled.key_words):
            raise _damaged(self.path / name)
        if metas.shape != (states,):
            raise _damaged(self.path / name)
        if not search.levels:
            fits = metas == ROOT
        else:
            counts = np.zeros(256, np.uint64)
            counts[: len(search.shards)] = [shard.count for shard in search.shards]
            parents = counts[(metas >> np.uint64(16) & np.uint64(0xFF)).astype(np.int64)]
            fits = (metas >> np.uint64(24) < parents) & (metas & np.uint64(0xFFFF) < np.uint64(compiled.codes))
        if not fits.all():
            raise _damaged(self.path / name)
        return keys, metas

    def _unwritable(self, error: OSError) -> UsageError:
        return UsageError(
            f"the run directory {self.path} cannot be written: {error.strerror or error}; free some space or"
            f" choose another one, then resume: what is committed is kept"
        )


def _level_name(number: int) -> str:
    """The file of a level; the first is 1."""
    return f"level-{number:04d}.npz"


def _are_numbers(values: Any, least: int = 0) -> bool:
    """A collection of whole numbers that fit into 64 bits."""
    if isinstance(values, (str, dict)) or not hasattr(values, "__len__"):
        return False
    return all(isinstance(x, int) and not isinstance(x, bool) and least <= x < 1 << 63 for x in values)


def _damaged(path: Path) -> UsageError:
    return UsageError(f"{path} cannot be read as part of a run: it was damaged or changed; begin another run")
