"""What each golden trace must show: `golden.toml`, a row for each file of traces/golden."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from highwater.traces.text import read_file

FOLDER = Path(__file__).parents[2] / "traces" / "golden"


@dataclass(frozen=True)
class Shows:
    """A row; the file says what each part is. `beyond` is by property here."""

    property: str
    broken: dict[str, int]
    logs: tuple[str, ...]
    committed: str
    beyond: dict[str, str]
    witnessed: int | None


def shows(property, logs, committed, broken=None, beyond=None, witnessed=None):
    """A row of the file; a word that it does not know is a TypeError."""
    reasons = {name: reason for reason, names in (beyond or {}).items() for name in names}
    return Shows(property, broken or {}, tuple(logs), committed, reasons, witnessed)


GOLDEN = {name: shows(**row) for name, row in tomllib.loads(Path(__file__).with_name("golden.toml").read_text()).items()}


def golden(name):
    """The trace of this name."""
    return read_file(str(FOLDER / f"{name}.trace"))
