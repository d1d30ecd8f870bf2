"""What was seen of mutants, by their programs: it is kept in a file, so that a run that was cut off continues where it was.

Each line of the file is about one program. A change of the model makes other programs, at the sizes where it is at work.
"""

import json
from pathlib import Path
from typing import NamedTuple

from ...model.language.errors import UsageError


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


class Record:
    """What was seen of each program; of no file, only in memory."""

    def __init__(self, path: str | None) -> None:
        self.path = Path(path) if path else None
        self.known: dict[str, Seen] = {}
        if self.path is not None and self.path.exists():
            for number, line in enumerate(self.path.read_text(encoding="utf-8").splitlines(), 1):
                self._read(line, number)

    def _read(self, line: str, number: int) -> None:
        """One line; the last one may be cut off."""
        try:
            program, seen = json.loads(line)
            self.known[program] = Seen(**seen)
        except (ValueError, TypeError):
            if not line.startswith('["'):
                raise UsageError(f"{self.path} is no record of mutants: line {number} is none") from None

    def of(self, program: str) -> Seen | None:
        """What was seen of a program; None if it was never run."""
        return self.known.get(program)

    def add(self, program: str, seen: Seen) -> None:
        """Keep what was seen."""
        self.known[program] = seen
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([program, seen._asdict()]) + "\n")
