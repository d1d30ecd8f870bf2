"""What a report of pytest carries for reviewers: an entry for each property of a scenario, or check of the fixture.

Entries are plain data, because reports travel from the workers of pytest-xdist.
"""

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypedDict, cast

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...properties.catalogue import claims_of
from ...traces.trace import Trace
from ..files import write_file
from ..verdict import Finding
from .changed_code import Spot, spot_of_finding
from .drawing import drawn
from .places import Place, for_reviewers, relative, repository
from .sarif import document, located, physical, result_of, rule_of

FAILED, NOT_RUN, OPEN, PASSED = "failed", "could not run", "not decided", "passed"


class Entry(TypedDict):
    """`what`: of these four; `text` says why, at `path` and `line`; `trace` is the counterexample's file; `ran`: what of a plugin
    a step ran; `also`: other lines that it is about, with words; `drawn`: its picture; the rest is SARIF."""

    what: str
    title: str
    text: str
    path: str
    line: int
    trace: str
    ran: str
    also: list[tuple[Place, str]]
    drawn: list[str]
    rule: dict[str, Any] | None
    result: dict[str, Any] | None


def entry(what: str, title: str, place: Place, text: str = "", rule: Any = None, result: Any = None, trace: str = "") -> Entry:
    """An entry of a report."""
    path, line = place
    more: Any = {"trace": trace, "ran": "", "also": [], "drawn": [], "rule": rule, "result": result}
    return cast(Entry, {"what": what, "title": title, "text": text, "path": path, "line": line, **more})


def entry_of(
    what: str, title: str, default: Place, text: str, subject: tuple[Model, str], name: str, verdict: str, trace: Trace | None,
    path: str = "",
) -> Entry:  # fmt: skip
    """The entry of a property under a revision, at the line that a reader can change, else at the default."""
    model, revision = subject
    claim = claims_of(model).get(name)
    if claim is None or what == PASSED:
        return entry(what, title, default, text, rule_of(claim) if claim else None, trace=path)
    steps = len(trace.steps) + 1 if trace is not None else None
    found = Finding(claim, verdict, steps, trace, path or None)
    spot = spot_of_finding(claim.function, model, revision, trace) if what == FAILED else Spot(None)
    place = spot.place or default
    result = result_of(model, revision, found) if what == FAILED else None
    if result is not None:
        result |= located(place, spot)
        if trace is None:
            result["message"] = {"text": text}
    made = entry(what, title, place, for_reviewers(text, model.plugins), rule_of(claim), result, path)
    made["ran"], made["also"] = spot.ran, [(at, said) for at, said in spot.related if said == spot.ran]
    explained = found.explained(model) if what == FAILED else None
    made["drawn"] = drawn(explained, model) if explained else []
    return made


def not_run(title: str, file: Path, line: int, text: str, plugins: Iterable[str] = ()) -> Entry:
    """The entry of what could not run: at the line of a plugin that the text names, else of the scenario."""
    place = place_in_text(text, plugins, file.parent) or (relative(file), line)
    return entry(NOT_RUN, title, place, for_reviewers(text, plugins))


def place_in_text(text: str, plugins: Iterable[str], beside: Path) -> Place | None:
    """`mine.py:12` in a message, where that is a file of a plugin in the repository."""
    names = [plugin.partition(":")[0] for plugin in plugins]
    loaded = [getattr(sys.modules.get(name), "__file__", None) for name in names]
    files = [Path(file) for file in loaded if file]
    files += [folder / f"{name.replace('.', '/')}.py" for name in names for folder in (beside, Path.cwd())]
    for said, line in re.findall(r"([\w./-]+\.py):(\d+)", text):
        for file in files:
            if str(file.resolve()).endswith(f"/{said.lstrip('./')}") and file.resolve().is_relative_to(repository()):
                return relative(file), int(line)
    return None


def as_sarif(entries: Sequence[Entry], code: int) -> str:
    """SARIF of all entries: a result for what failed, a notification for what could not run or was not decided."""
    rules = {e["rule"]["id"]: e["rule"] for e in entries if e["rule"]}
    notes, results = [], []
    for entry in entries:
        if entry["what"] in (NOT_RUN, OPEN):
            where = [{"physicalLocation": physical((entry["path"], entry["line"]))}]
            level = "error" if entry["what"] == NOT_RUN else "warning"
            notes.append({"level": level, "message": {"text": f"{entry['title']}: {entry['text']}"}, "locations": where})
        elif entry["result"]:
            results.append(entry["result"])
    return document(rules, results, notes, not any(e["what"] == NOT_RUN for e in entries), code)


def write_sarif(path: str, entries: Sequence[Entry], code: int) -> str:
    """Write SARIF of all entries; what went wrong, else nothing."""
    try:
        write_file(path, as_sarif(entries, code))
    except UsageError as error:
        return str(error)
    return ""
