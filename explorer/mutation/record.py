"""What was seen of mutants, by their programs: it is kept in a file, so that a run that was cut off continues where it was.

Each line of the file is about one program. A change of the model makes other programs, at the sizes where it is at work.
"""

import json
import re
from pathlib import Path
from typing import NamedTuple

from ...model.language.errors import UsageError
from ..runs.files import checksum


class Seen(NamedTuple):
    """What a mutant does at one size; a property that is violated, and after how many steps.

    `states`: how many were seen; `more` and `more_steps`: how many more than of the unbroken model. `same`: as many on each
    level, and of each action.
    """

    verdict: str = ""
    property: str = ""
    steps: int = 0
    states: int = 0
    more: int = 0
    more_steps: int = 0
    complete: bool = True
    same: bool = False


class MutantRecord:
    """What was seen of each program; without a path, in memory only."""

    def __init__(self, path: str | None) -> None:
        self.path = Path(path) if path else None
        self.known: dict[str, Seen] = {}
        if self.path is not None and self.path.exists():
            for number, line in enumerate(self.path.read_bytes().split(b"\n"), 1):
                self._read(line, number)

    def _read(self, line: bytes, number: int) -> None:
        """One line. What was cut off or damaged is explored again."""
        digest, _, told = line.partition(b" ")
        if digest == checksum([told]).encode():
            program, seen = json.loads(told)
            self.known[program] = Seen(**seen)
        elif not re.match(rb"[0-9a-f]{0,32}$|.{32} \[", line):
            raise UsageError(f"{self.path} is not a record of mutants: line {number} is none")

    def add(self, program: str, seen: Seen) -> None:
        """Keep what was seen: a line with its digest. It starts a new line, since the last one may be cut off."""
        self.known[program] = seen
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            told = json.dumps([program, seen._asdict()]).encode()
            with self.path.open("ab") as file:
                file.write(f"\n{checksum([told])} ".encode() + told)
