"""`highwater check`: one revision, exhaustively."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...traces.notation import change_lines
from ...traces.shrink import plain_states
from ...traces.text import write
from ...traces.trace import Trace
from ..local.check import check
from ..request import Request
from ..verdict import Finding, Outcome
from .github import annotate
from .machine_readable import as_json, as_junit, refuse_unwritable, write_file, write_json
from .parsing import (
    Parser,
    add_bounds,
    add_output,
    add_subject,
    add_threads,
    bounds_of,
    subject_of,
    threads_of,
)
from .progress import ProgressLine
from .report import console, print_outcome, shortest
from .sarif import as_sarif

SUMMARY = """Explore every state of one revision, breadth-first, and say which properties hold.

A counterexample is a shortest one. It is printed, and written as a trace that
`highwater replay` runs and `highwater show` draws."""

EXAMPLE = "highwater check --revision kip-279 --brokers 3 --max-epoch 2"


MODES = {
    "--keep-going": "do not stop at the first violation: find the shortest trace of each",
    "--symmetry": "of states that differ in brokers' names only, explore one",
    "--exact": "compare whole states, not fingerprints: more memory, no chance of a missed state",
    "--deadlock": "a state in which nothing is enabled is a violation",
    "--generic": "use code compiled once for all configurations: slower, but nothing to compile",
}


def parser_for(arguments: list[str]) -> Parser:
    """The flags of `check`."""
    parser = Parser("check", SUMMARY, EXAMPLE)
    add_subject(parser, arguments)
    how = parser.add_argument_group("how to explore")
    for flag, text in MODES.items():
        if flag == "--symmetry":
            how.add_argument(flag, action=argparse.BooleanOptionalAction, default=False, help=text)
        else:
            how.add_argument(flag, action="store_true", help=text)
    add_threads(parser)
    add_bounds(parser)
    add_files(parser, "DIR")
    return parser


def add_files(parser: Parser, place: str) -> None:
    """Flags for what is written: the run, traces, the result in other forms, and how much is told."""
    files = parser.add_argument_group("files")
    files.add_argument("--run-dir", metavar=place, help="keep the levels there, so that the run can be resumed")
    files.add_argument("--resume", action="store_true", help="go on with the run in --run-dir")
    files.add_argument("--traces", metavar="DIR", default="highwater-traces", help="for counterexamples (highwater-traces)")
    add_output(parser)
    parser.add_argument("--actions", action="store_true", help="print how often each action was taken")
    parser.add_argument("--quiet", action="store_true", help="print the verdict without the trace, and no progress")


def request_of(options: argparse.Namespace) -> Request:
    """The flags as a request."""
    subject = subject_of(options)
    if options.resume and options.run_dir is None:
        raise UsageError("--resume needs --run-dir, the directory of the run to go on with")
    return Request(
        model=subject.model,
        revision=subject.revision,
        config=subject.config,
        properties=subject.properties,
        symmetry=options.symmetry,
        exact=options.exact,
        keep_going=options.keep_going,
        deadlock=options.deadlock,
        threads=threads_of(options),
        generic=options.generic,
        bounds=bounds_of(options),
        run_directory=options.run_dir,
        resume=options.resume,
        named=subject.named,
    )


def run(arguments: list[str]) -> int:
    """Check, report, and answer the exit code."""
    options = parser_for(arguments).parse_args(arguments)
    return run_locally(request_of(options), options)


def run_locally(request: Request, options: argparse.Namespace) -> int:
    """Explore on this machine, and report; the exit code."""
    refuse_unwritable(options.json, options.junit, options.sarif, f"{options.traces}/x")
    progress = ProgressLine(quiet=options.quiet)
    outcome = check(request, progress)
    progress.done()
    return conclude(outcome, request, options)


def conclude(outcome: Outcome, request: Request, options: argparse.Namespace) -> int:
    """Report an outcome in every way that was asked for; the exit code."""
    write_traces(outcome, request.model, options.traces)
    if options.json != "-":
        out = console()
        print_outcome(out, outcome, request.model, options.actions)
        first = shortest(outcome)
        if first is not None and first.trace is not None and not options.quiet:
            out.print(f"\n{told(first.trace, request.model)}", markup=False, end="", soft_wrap=True)
    if options.json:
        write_json(as_json(outcome, request.model), options.json)
    if options.junit:
        write_file(options.junit, as_junit([outcome]))
    if options.sarif:
        write_file(options.sarif, as_sarif([outcome]))
    if options.github:
        annotate([outcome])
    return outcome.exit_code(options.allow_incomplete)


def write_traces(outcome: Outcome, model: Model, folder: str) -> None:
    """Write each counterexample to a file, and note its path in the finding."""
    findings: Iterable[Finding] = [*outcome.findings, *([outcome.deadlock] if outcome.deadlock else [])]
    for finding in findings:
        if finding.trace is not None:
            path = Path(folder) / f"{outcome.model}-{outcome.revision}-{finding.property.name}.trace"
            write_file(str(path), told(finding.trace, model))
            finding.trace_path = str(path)


def told(trace: Trace, model: Model) -> str:
    """The trace as text, with what each step changed."""
    return write(trace, change_lines(model.name, plain_states(trace, model)))
