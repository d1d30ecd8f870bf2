"""Which files of a run directory count: one manifest for each level, written when all its files are there.

    manifest/0000.json   what the run is about
    manifest/0007.json   level 7: its files, the visited sets after it, and what was found and counted so far

A manifest is never changed. What no manifest names does not count, whatever it is called.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ...model.language.errors import UsageError
from ..identity import refuse_another
from .hadoop import HadoopFolder
from .visited import Run

FORMAT = 1
FIELDS = ("files", "runs", "states", "found", "taken", "able", "new", "bytes")


@dataclass
class Level:
    """A level: files as (name, rows), and for each shard its runs; none where the driver holds the visited set."""

    files: list[tuple[str, int]]
    runs: dict[int, list[Run]]
    states: int
    found: dict[str, Any]
    taken: list[int]
    able: list[int]
    new: list[int]
    bytes: int = 0

    def as_json(self) -> dict[str, Any]:
        """The document."""
        return {**vars(self), "runs": {str(shard): [list(run) for run in runs] for shard, runs in self.runs.items()}}

    @staticmethod
    def from_json(found: dict[str, Any]) -> Level:
        """The level of a document; ValueError, KeyError or TypeError when it is none."""
        runs = {int(shard): [Run(*run) for run in some] for shard, some in found["runs"].items()}
        values = {name: found[name] for name in FIELDS if name not in ("runs", "files")}
        files = [(str(name), int(rows)) for name, rows in found["files"]]
        if sum(rows for _, rows in files) != found["states"]:
            raise ValueError("states")
        return Level(files, runs, **values)


class Manifests:
    """The manifests in a run directory."""

    def __init__(self, folder: HadoopFolder, shown: str) -> None:
        self.folder, self.shown = folder, shown

    def begin(self, identity: dict[str, Any], resume: bool, notes: dict[str, Any]) -> list[Level]:
        """Take the directory for a run, or take up the run in it: the levels that it has committed.

        `notes` are kept beside the identity; another run may have others.
        """
        numbers = self.numbers()
        if numbers and not resume:
            raise UsageError(f"{self.shown} already holds a run; add --resume to go on with it, or name another directory")
        if not numbers:
            if resume:
                raise UsageError(f"{self.shown} holds no run to resume; leave out --resume to begin one there")
            self._write(0, {**identity, **notes})
            return []
        refuse_another(self.shown, self.read(0), identity)
        return [self.level(number) for number in range(1, numbers[-1] + 1)]

    def numbers(self) -> list[int]:
        """The levels that have a manifest; 0 stands for the run."""
        try:
            names = self.folder.names("manifest")
        except OSError as error:
            raise self.unwritable(error) from None
        return sorted(int(name[:-5]) for name in names if name.endswith(".json") and name[:-5].isdecimal())

    def read(self, number: int) -> dict[str, Any]:
        """One manifest's document."""
        name = f"manifest/{number:04d}.json"
        try:
            found = json.loads(self.folder.read(name))
            if not isinstance(found, dict):
                raise ValueError(name)
            return found
        except (OSError, ValueError, RecursionError):
            raise UsageError(
                f"{self.shown}/{name} cannot be read as the manifest of a run; it was damaged: begin another run"
            ) from None

    def level(self, number: int) -> Level:
        """What was committed of a level."""
        document = self.read(number)
        try:
            return Level.from_json(document)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise UsageError(
                f"{self.shown}/manifest/{number:04d}.json does not say all that a level's manifest says; begin another run"
            ) from None

    def commit(self, number: int, level: Level) -> None:
        """From here on the level counts."""
        self._write(number, level.as_json())

    def _write(self, number: int, document: dict[str, Any]) -> None:
        try:
            self.folder.make("manifest")
            self.folder.write(f"manifest/{number:04d}.json", (json.dumps(document, indent=1) + "\n").encode())
        except OSError as error:
            raise self.unwritable(error) from None

    def unwritable(self, error: Any) -> UsageError:
        """The error of a directory that cannot be written."""
        return UsageError(
            f"the run directory {self.shown} cannot be written: {getattr(error, 'strerror', None) or error}; free some space"
            f" or choose another one, then resume: what is committed is kept"
        )
