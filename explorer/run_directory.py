"""A run on disk: what an interrupted search needs to go on, and end in the same counts.

After each level its states are written, key and meta word, in the order of the shards; then the manifest
is replaced, which names every file that counts. A search that resumes reads the levels back, which
rebuilds the tables, and goes on from the last one. The manifest says what the run is about; a directory
of another model, configuration or set of properties is refused.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from ..model.language.errors import UsageError
from ..traces.trace import version_of
from .breadth_first import BreadthFirst, Found

FORMAT = 1
MANIFEST = "manifest.json"


class RunDirectory:
    """The directory at `path` for one search."""

    def __init__(self, path: str, search: BreadthFirst, revision: str) -> None:
        self.path, self.search = Path(path), search
        self.files: list[str] = []
        compiled = search.compiled
        self.identity = {
            "format": FORMAT,
            "model": compiled.model.name,
            "model_version": version_of(compiled.model),
            "revision": revision,
            "settings": compiled.config.shown(),
            "properties": sorted(p.name for p in search.properties),
            "symmetry": compiled.symmetry,
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
            name = f"level-{len(self.files) + 1:04d}.npz"
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
            for key in (*self.identity, "files", "levels", "found", "taken", "able", "new"):
                if key not in found:
                    raise ValueError(key)
        except (OSError, ValueError, RecursionError):
            raise UsageError(f"{manifest} cannot be read as the manifest of a run; it was damaged: begin another run") from None
        for key, mine in self.identity.items():
            if found[key] != mine:
                raise UsageError(
                    f"{self.path} holds a run with another {key.replace('_', ' ')} ({_brief(found[key], mine)});"
                    f" give the same model, revision, settings and properties, or name another directory"
                )
        return dict(found)

    def _restore(self, manifest: dict[str, Any]) -> None:
        """Rebuild the search from the levels that the manifest names."""
        search = self.search
        search.levels = []
        for number, name in enumerate(manifest["files"]):
            try:
                with np.load(self.path / name) as level:
                    keys, metas = level["keys"], level["metas"]
            except (OSError, ValueError, KeyError) as error:
                raise UsageError(f"{self.path / name}, a level of the run, cannot be read ({error}); begin another run") from None
            search.add_level(keys, metas)
            if number == 0:
                search.note_roots()
            if search.levels[-1] != manifest["levels"][number]:
                expected = manifest["levels"][number]
                raise UsageError(f"{self.path / name} does not hold the {expected} states of its level; begin another run")
        self.files = list(manifest["files"])
        search.found = {name: Found(**place) for name, place in manifest["found"].items()}
        worker = search.workers[0]
        worker.checks.taken[:], worker.checks.able[:], worker.found[:] = manifest["taken"], manifest["able"], manifest["new"]

    def _unwritable(self, error: OSError) -> UsageError:
        return UsageError(
            f"the run directory {self.path} cannot be written: {error.strerror or error}; free some space or"
            f" choose another one, then resume: what is committed is kept"
        )


def _brief(theirs: Any, mine: Any) -> str:
    """How two parts of an identity differ, in a few words."""
    if isinstance(theirs, dict) and isinstance(mine, dict):
        keys = [k for k in {**theirs, **mine} if theirs.get(k) != mine.get(k)]
        return ", ".join(f"{k}: {theirs.get(k)} there, {mine.get(k)} here" for k in keys[:3])
    return f"{str(theirs)[:80]} there, {str(mine)[:80]} here"
