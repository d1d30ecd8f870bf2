"""`highwater check`: one revision, exhaustively, on this machine or in shards on Spark."""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from rich.text import Text

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.settings import in_words
from ...properties.catalogue import default_properties, progress_of
from ...properties.property import RECOVERABLE, SOMETIMES
from ..extras import needed
from ..files import write_file
from ..harness.sarif import as_sarif
from ..local.check import check
from ..request import Request, revision_named
from ..runs.files import folder_here
from ..trace_files import text_of, trace_path, write_page
from ..verdict import HOLDS, Finding, Outcome
from .github import annotate
from .machine_readable import as_json, as_junit, refuse_unwritable, takes_standard_output, write_json, write_text
from .parsing import (
    Parser,
    add_beside,
    add_bounds,
    add_output,
    add_subject,
    add_threads,
    number,
    positive,
    request_of,
    threads_of,
)
from .progress_line import ProgressLine
from .report import console, counted, print_outcome, shortest
from .start_from import begin_there, beginning, lengthen
from .streams import attempt, complain, kept

SUMMARY = """Explore every state of one revision, breadth-first, and say which properties hold.

A counterexample is a shortest one. It is printed, and written as a trace that
`highwater replay` runs and `highwater show` draws. With --engine spark the exploration runs on
Spark; verdict, counts and lengths are the same."""

EXAMPLE = "highwater check --revision kip-279 --brokers 3 --max-epoch 2"


MODES = {
    "--keep-going": "do not stop at the first violation: find the shortest trace of each",
    "--symmetry": "explore only one of the states that differ in members' names",
    "--exact": "compare whole states, not fingerprints: more memory",
    "--deadlock": "a state in which nothing is enabled is a violation",
    "--progress": "check what can still, or must, happen, instead of safety: keeps every step; Spark: only what can still happen",
    "--generic": "use code compiled once for all configurations: slower, but compiled only the first time",
}

ON_SPARK = ("master", "shards", "bits", "worker_memory", "narrow", "spark_log")


def add_flags(parser: Parser) -> None:
    """The flags of `check`."""
    parser.add_argument("--engine", choices=("local", "spark"), default="local", help="the engine (local)")
    add_subject(parser)
    how = parser.add_argument_group("how to explore")
    for flag, text in MODES.items():
        if flag == "--symmetry":
            how.add_argument(flag, action=argparse.BooleanOptionalAction, default=False, help=text)
        else:
            how.add_argument(flag, action="store_true", help=text)
    add_threads(parser)
    spark = parser.add_argument_group("with --engine spark")
    masters = "local[2], spark://HOST:PORT, yarn, k8s://... (default: that of spark-submit, SPARK_MASTER, or local[*])"
    spark.add_argument("--master", metavar="URL", help=masters)
    of_shards = "parts of the state space (by an estimate of its states; at least one a core)"
    spark.add_argument("--shards", metavar="P", type=positive, help=of_shards)
    spark.add_argument("--bits", type=int, choices=(64, 128), help="of a fingerprint (64; take 128 above 3e9 states)")
    spark.add_argument("--worker-memory", metavar="MB", type=positive, help="memory for the arrays of a task (256)")
    spark.add_argument("--narrow", metavar="N", type=number, help="levels of fewer states run in the driver (200000)")
    spark.add_argument("--spark-log", action="store_true", default=None, help="let Spark write its log to standard error")
    add_bounds(parser)
    parser.add_argument("--from", dest="start", metavar="TRACE[:STEP]", help="explore from the last state of a trace")
    files = parser.add_argument_group("files")
    files.add_argument("--run-dir", metavar="DIR|URI", help="keep the levels in this directory, so that the run can be resumed")
    files.add_argument("--resume", action="store_true", help="continue the run in --run-dir")
    files.add_argument("--resume-from", metavar="LEVEL", type=positive, help="continue from an earlier level, drop later ones")
    files.add_argument("--traces", metavar="DIR", default="highwater-traces", help="folder of counterexamples (highwater-traces)")
    add_output(parser)
    add_beside(parser)
    files.add_argument("--html", action="store_true", help="draw each counterexample as a page beside its trace")
    parser.add_argument("--notify", metavar="COMMAND", type=program, help="run it at the end, with the verdict as its last word")
    parser.add_argument("--actions", action="store_true", help="print how often each action was taken")
    parser.add_argument("--verbose", action="store_true", help="name the properties that do not apply, and why")
    parser.add_argument("--quiet", action="store_true", help="without the trace, and without progress")


def run(options: argparse.Namespace) -> int:
    """Check, report, and answer the exit code."""
    begun = beginning(options, options.start) if options.start else None
    modes = {name: getattr(options, name) for name in ("symmetry", "exact", "keep_going", "deadlock", "generic")}
    resume = options.resume or options.resume_from is not None
    kept_in = {"run_directory": options.run_dir, "resume": resume, "resume_from": options.resume_from}
    request = request_of(options, progress=True, threads=threads_of(options), **modes, **kept_in)
    request.bounds.count_from_start()
    if begun is not None:
        if options.engine == "spark":
            raise UsageError("--from needs the local engine: leave out --engine")
        begin_there(request, begun)
    if request.resume and request.run_directory is None:
        raise UsageError("--resume needs --run-dir, the directory of the run to continue")
    refuse_unwritable(options.json, options.junit, options.sarif, folder=options.traces)
    if options.beside:
        options.beside = revision_named(request.model, options.beside)
    with ProgressLine(quiet=options.quiet, kept_in=options.run_dir or "") as progress:
        outcome = (check_on_spark if options.engine == "spark" else check_here)(request, options, progress)
    outcome.kept_in = options.run_dir or ""
    if begun is not None:
        lengthen(outcome, request, begun)
    return conclude(outcome, request, options)


def check_here(request: Request, options: argparse.Namespace, progress: ProgressLine) -> Outcome:
    """Explore on this machine."""
    for name in ON_SPARK:
        if getattr(options, name) is not None:
            raise UsageError(f"--{name.replace('_', '-')} needs --engine spark")
    if request.run_directory is not None:
        folder_here(request.run_directory)  # refused before anything is compiled
    return check(request, progress)


def check_on_spark(request: Request, options: argparse.Namespace, progress: ProgressLine) -> Outcome:
    """Explore on a session that is begun for it; what can be refused is refused before Java starts."""
    if options.progress:
        leave_undecided(request, options)
    with needed("spark", "the engine spark"):
        from ..spark.explore import OnSpark, explore, refuse
        from ..spark.session import session
    given = {"shards": options.shards, "bits": options.bits, "narrow": options.narrow}
    given["budget"] = options.worker_memory and options.worker_memory << 20
    how = OnSpark(**{name: value for name, value in given.items() if value is not None})
    refuse(request, how)
    about = f"{request.model.name} {request.revision}"
    with session(options.master, bool(options.spark_log)) as spark:
        progress.note(f"{about} begins on {spark.sparkContext.master}: {in_words(request.config.sizes())}")
        outcome = explore(request, spark, how, progress)
    progress.note(f"{about} ends: {outcome.verdict}, {counted(outcome)}")
    return outcome


def leave_undecided(request: Request, options: argparse.Namespace) -> None:
    """Drop the properties of progress that Spark does not decide, unless they are named; say which were left out."""
    left = [one.name for one in request.progress if one.kind != RECOVERABLE and one.name not in (options.property or [])]
    request.progress = [one for one in request.progress if one.name not in left]
    if not request.progress and not request.properties:
        raise UsageError(f"Spark decides only properties that are recoverable, and {left[0]} is not: leave out --engine spark")
    if left and not options.quiet:
        print(f"Spark decides only properties that are recoverable; left out: {', '.join(left)}", file=sys.stderr)


def conclude(outcome: Outcome, request: Request, options: argparse.Namespace) -> int:
    """Report an outcome in every way that was asked for, the verdict first; the exit code."""
    writes = planned_traces(outcome, request.model, options.traces, options.html)
    if not takes_standard_output(options):
        first = shortest(outcome)
        shown = first is not None and first.trace is not None and not options.quiet
        trace = text_of(first.trace, request.model) if shown and first and first.trace else ""
        print_outcome(console(), outcome, request.model, trace, options.actions, options.verbose, options.beside)
        print_waiting(outcome, request, options.progress)
        sys.stdout.flush()
    code = outcome.exit_code(options.allow_incomplete)
    writes += planned_outputs(options, lambda: as_json(outcome, request.model), [outcome], [outcome], code)
    written = attempt(*writes)
    if options.notify:
        notify(options.notify, outcome, code)
    return kept(code, written)


def print_waiting(outcome: Outcome, request: Request, progress: bool) -> None:
    """The properties that were not asked for, because --progress chooses between two kinds; not where some were named."""
    others = default_properties(request.model) if progress else progress_of(request.model)
    names = [one.name for one in others if one.applies(request.config) and one.kind != SOMETIMES]
    if names and not request.named and outcome.verdict == HOLDS:
        how = "without --progress: what may never happen" if progress else "with --progress: what can still, or must, happen"
        console().print(Text(f"not checked, {how}: {', '.join(names)}", style="dim"))


def program(text: str) -> list[str]:
    """The words of a command of the user's; what could not be run at the end of a night is refused before it begins."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"cannot be read as a command: {error}") from None
    if not words or shutil.which(words[0]) is None:
        raise argparse.ArgumentTypeError(f"there is no program {words[0] if words else ''!r:.60} that can be run")
    return words


def notify(command: list[str], outcome: Outcome, code: int) -> None:
    """Run a command of the user's with the verdict in a sentence; what goes wrong is said, and changes no exit code."""
    about = f"{outcome.model.name} {outcome.revision}: {outcome.verdict}, {counted(outcome)}"
    try:
        done = subprocess.run([*command, about], env={**os.environ, "HIGHWATER_EXIT_CODE": str(code)}, check=False)
        wrong = f"ended with {done.returncode}" if done.returncode else ""
    except OSError as error:
        wrong = f"cannot be run: {error}"
    if wrong:
        complain(f"--notify: {shlex.join(command):.80} {wrong}")


def planned_outputs(
    options: argparse.Namespace, document: Callable[[], Any], all_of: list[Outcome], news: list[Outcome], code: int,
    differences: Sequence[str] = (),
) -> Iterator[Callable[[], None]]:  # fmt: skip
    """The functions that write output for programs; `news`: outcomes without what was expected, `differences`: from that;
    `code`: with which the command will exit."""
    if options.json:
        yield lambda: write_json(document(), options.json)
    if options.junit:
        yield lambda: write_text(as_junit(all_of), options.junit)
    if options.sarif:
        yield lambda: write_text(as_sarif(news, code), options.sarif)
    if options.github:
        yield lambda: annotate(news, differences)


def planned_traces(outcome: Outcome, model: Model, folder: str, html: bool = False) -> list[Callable[[], None]]:
    """Give each counterexample a path; returns the functions that write them, and their pages."""
    writes: list[Callable[[], None]] = []
    for finding in outcome.reported:
        if finding.trace is not None:
            text = text_of(finding.trace, model)
            finding.trace_path = trace_path(folder, finding.trace, text)
            writes.append(partial(write_trace, finding, text, model if html else None))
    return writes


def write_trace(finding: Finding, text: str, drawn: Model | None) -> None:
    """Write a counterexample to its path; the finding has none when that cannot be. `drawn`: its model, if it gets a page."""
    assert finding.trace_path is not None and finding.trace is not None
    path, finding.trace_path = finding.trace_path, None
    write_file(path, text)
    finding.trace_path = path
    if drawn is not None and (there := write_page(finding.trace, drawn, path)):
        print(f"html: wrote {there}", file=sys.stderr)
