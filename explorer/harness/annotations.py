"""What GitHub shows of scenarios and checks under pytest: an annotation at the line that was changed, and the step summary."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence

from ...model.language.errors import reason_of
from ...traces.visible import visible
from .entries import FAILED, NOT_RUN, OPEN, PASSED, Entry
from .places import repository

DRAWN = 3
"""Counterexamples that a summary draws: there is a limit to its size."""

LEVELS = {FAILED: "error", NOT_RUN: "error", OPEN: "notice"}


def message(text: str) -> str:
    """Text as the data of a workflow command."""
    return visible(text, begins=False).replace("%", "%25").replace("\n", "%0A")


def field(text: str) -> str:
    """Text as a property of a workflow command."""
    return message(text).replace(":", "%3A").replace(",", "%2C")


def command(place: tuple[str, int] | None, title: str, text: str, level: str = "error") -> str:
    """The workflow command for one error."""
    where = f"file={field(place[0])},line={place[1]}," if place else ""
    return f"::{level} {where}title={field(title)}::{message(text)}"


def lines_of(entries: Iterable[Entry]) -> list[str]:
    """An annotation for each that did not pass; none where no workflow of GitHub reads them."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return []
    out = []
    for entry in (item for item in entries if item["what"] in LEVELS):
        text = "\n".join(filter(None, (entry["text"], entry["ran"], entry["trace"])))
        out.append(command((entry["path"], entry["line"]), entry["title"], text, LEVELS[entry["what"]]))
        out += [command(place, entry["title"], said, "notice") for place, said in entry["also"]]
    return out


def summarise(entries: Sequence[Entry]) -> str:
    """Append a table of what did not pass to the file that GITHUB_STEP_SUMMARY names, if it names one; why it cannot be."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path or not entries:
        return ""
    counts = Counter(entry["what"] for entry in entries)
    said = [f"{counts[what]} {what}" for what in (FAILED, NOT_RUN, OPEN, PASSED) if counts[what] or what in (FAILED, PASSED)]
    rows = [row_of(entry) for entry in entries if entry["what"] != PASSED]
    table = ["| scenario | why | where | counterexample |", "| --- | --- | --- | --- |", *rows, ""] if rows else []
    drawings = [line for entry in [entry for entry in entries if entry["drawn"]][:DRAWN] for line in entry["drawn"]]
    try:
        with open(path, "a", encoding="utf-8") as out:
            out.write("\n".join([f"### Highwater: {', '.join(said)}", "", *table, *drawings]) + "\n")
    except OSError as error:
        return f"the step summary {path} cannot be written: {reason_of(error)}; check GITHUB_STEP_SUMMARY"
    return ""


def row_of(entry: Entry) -> str:
    """A row of the summary; beside a counterexample's file its page, which the artifact has, too."""
    why = entry["text"].strip().partition("\n")[0]
    page = entry["trace"].removesuffix(".trace") + ".html"
    trace = f"`{cell(entry['trace'])}`" if entry["trace"] else ""
    trace += f", `{cell(page)}`" if trace and (repository() / page).is_file() else ""
    return f"| {cell(entry['title'])} | {cell(why)} | {cell(entry['path'])}:{entry['line']} | {trace} |"


def cell(text: str) -> str:
    """Text in a table of Markdown."""
    return visible(text).replace("|", "\\|").replace("<", "&lt;")
