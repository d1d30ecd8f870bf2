"""Which files speak of scenarios: read in every run of pytest, so nothing of Highwater is imported here."""

import re
import tomllib
from pathlib import Path

HEAD = re.compile(r"^\s*\[\[\s*scenario\s*\]\]", re.MULTILINE)
"""The head of a scenario."""

OURS = re.compile(r"^\s*\[{1,2}\s*tool\s*\.\s*highwater\b(?![-])", re.MULTILINE)
"""The head of a table of ours in a `pyproject.toml` that cannot be parsed."""


def text_of(path: Path) -> str:
    """The text of a file, as far as it can be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def speaks_of_highwater(path: Path) -> bool:
    """Whether a `pyproject.toml` has a table of ours. What cannot be read, or merely names us, is none of our business."""
    text = text_of(path)
    try:
        tools = tomllib.loads(text).get("tool") if "highwater" in text else None
    except (ValueError, RecursionError):  # no TOML, or a number or a nesting too long for Python
        return OURS.search(text) is not None
    return isinstance(tools, dict) and "highwater" in tools
