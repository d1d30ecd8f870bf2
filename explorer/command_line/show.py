"""`highwater show`: a recorded trace as a picture: in the terminal, as a page, as an SVG, as a sequence diagram."""

import argparse
import os
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from rich.text import Text

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...properties.catalogue import claims_of
from ...properties.explained_document import document_of, document_under
from ...traces.families.scenarios import path_of
from ...traces.pictures.mermaid import mermaid
from ...traces.pictures.page import page
from ...traces.pictures.poster import poster
from ...traces.render import render
from ...traces.replay import Replayed
from ...traces.text import read_file
from ...traces.trace import Trace
from ..output.machine_readable import validate_outputs, write_json, write_text
from ..output.report import console, print_comparison, print_why
from ..output.streams import attempt, kept
from ..request import revision_named
from ..runs.manifests import FOLDER
from ..trace_files import MOST_STEPS, model_of
from ..verdict import EXIT_HOLDS, EXIT_NONCONFORMANT
from .parsing import Parser, add_against
from .replay import replayed

SUMMARY = """Draw a trace: a row for each step, a column for each broker, changes marked.

With --html it becomes a page in one file that needs no network: the messages as arrows on the left, the replicas' logs on
the right. The trace runs through the plain model. If a step does not fit, the picture ends there and the exit code is 17."""

EXAMPLE = "highwater show KAFKA-6361 --html bug.html --against kip-279"


def add_flags(parser: Parser) -> None:
    """The flags of `show`."""
    parser.add_argument("trace", metavar="FILE", help="a trace file, or the name of a scenario (highwater list scenarios)")
    parser.add_argument("--html", metavar="PATH|-", help="write a page that shows the trace step by step")
    parser.add_argument("--svg", metavar="PATH|-", help="write a picture for documents")
    parser.add_argument("--mermaid", metavar="PATH|-", help="write a sequence diagram for Markdown")
    parser.add_argument("--itf", metavar="PATH|-", help="write it in the Informal Trace Format (*.itf.json)")
    add_against(parser)


def run(options: argparse.Namespace) -> int:
    """Draw, or write what was asked for."""
    wanted = {"html": options.html, "svg": options.svg, "mermaid": options.mermaid, "itf": options.itf}
    if list(wanted.values()).count("-") > 1:
        raise UsageError("only one of --html, --svg, --mermaid and --itf can go to standard output")
    if options.against and not options.html and any(wanted.values()):
        raise UsageError("--against needs --html or the picture in the terminal")
    validate_outputs(*wanted.values())
    validate_is_trace(options.trace)
    trace = read_file(path_of(options.trace))
    if len(trace.steps) > MOST_STEPS:
        drawn = f"{options.trace} has {len(trace.steps):,} steps, and at most {MOST_STEPS:,} can be drawn"
        raise UsageError(f"{drawn}; highwater replay runs it, and highwater check shows shortest traces")
    model = model_of(options.models, trace, options.trace)
    result = replayed(trace, options.trace, model)
    revision = revision_named(model, options.against) if options.against else None
    writes = list(planned(wanted, trace, model, result, revision))
    if not writes:
        draw(trace, model, result, revision)
    written = attempt(*writes)
    for form, path in wanted.items():
        if path and path != "-" and written:
            print(f"{form}: wrote {path}", file=sys.stderr)
    if result.mismatch:
        console(stderr=True).print(Text.assemble(("does not fit the model", "bold red"), f": {result.mismatch}"))
    return kept(EXIT_NONCONFORMANT if result.mismatch else EXIT_HOLDS, written)


def validate_is_trace(place: str) -> None:
    """UsageError for a run directory."""
    if os.path.isdir(os.path.join(place, FOLDER)):
        what = f"highwater verify {place} prints its verdict, highwater stats {place} its tables"
        raise UsageError(f"{place} is the directory of a run, not a trace: {what}; its traces are in the folder of --traces")


def draw(trace: Trace, model: Model, result: Replayed, revision: str | None) -> None:
    """Why, and how the steps go under another revision; then the picture in the terminal."""
    out = console()
    claim = claims_of(model).get(trace.property)
    ran = trace.with_steps(trace.steps[: len(result.states) - 1])
    if trace.property in result.broken:
        print_why(out, ran, model, claim, revision)
        out.print()
    elif revision:
        print_comparison(out, ran, model, claim, revision)
        out.print()
    render(trace, model, result.states, out, result.broken)


def planned(
    wanted: dict[str, str | None], trace: Trace, model: Model, result: Replayed, revision: str | None
) -> list[Callable[[], None]]:
    """What writes each file that is wanted; the texts are made before the first is written."""
    if not any(wanted.values()):
        return []
    document: dict[str, Any] = document_of(trace, model, result, choices=bool(wanted["itf"]))
    out: list[Callable[[], None]] = []
    if wanted["html"]:
        other = document_under(trace, model, revision, result.states) if revision else None
        out.append(partial(write_text, page(document, other), wanted["html"]))
    if wanted["svg"]:
        out.append(partial(write_text, poster(document), wanted["svg"]))
    if wanted["mermaid"]:
        out.append(partial(write_text, mermaid(document), wanted["mermaid"]))
    if wanted["itf"]:
        out.append(partial(write_json, document, wanted["itf"]))
    return out
