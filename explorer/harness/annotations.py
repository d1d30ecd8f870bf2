"""What GitHub shows of scenarios that fail under pytest: an annotation at the line that was changed, and the step summary."""

import os
from collections.abc import Iterable, Sequence

from ...traces.visible import visible

KEY = "highwater"
"""The name under which a report carries what is annotated; reports travel from the workers of pytest-xdist."""

Told = tuple[str, int, str, str]
"""Path, line, title and text of an annotation."""


def message(text: str) -> str:
    """Text as the data of a workflow command."""
    return visible(text, begins=False).replace("%", "%25").replace("\n", "%0A")


def field(text: str) -> str:
    """Text as a property of a workflow command."""
    return message(text).replace(":", "%3A").replace(",", "%2C")


def command(place: tuple[str, int] | None, title: str, text: str) -> str:
    """The workflow command for one error."""
    where = f"file={field(place[0])},line={place[1]}," if place else ""
    return f"::error {where}title={field(title)}::{message(text)}"


def lines_of(told: Iterable[Told]) -> list[str]:
    """An annotation for each; none where no workflow of GitHub reads them."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return []
    return [command((path, line) if path else None, title, text) for path, line, title, text in told]


def summarise(told: Sequence[Told], passed: int) -> None:
    """Append a table of the scenarios' failures to the file that GITHUB_STEP_SUMMARY names, if it names one."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    rows = [f"| {cell(title)} | {cell(text.partition(chr(10))[0])} | {cell(file)}:{line} |" for file, line, title, text in told]
    table = ["| scenario | why | where |", "| --- | --- | --- |", *rows, ""] if rows else []
    with open(path, "a", encoding="utf-8") as out:
        out.write("\n".join([f"### Highwater: {len(told)} failed, {passed} passed", "", *table]) + "\n")


def cell(text: str) -> str:
    """Text in a table of Markdown."""
    return visible(text).replace("|", "\\|").replace("<", "&lt;")
