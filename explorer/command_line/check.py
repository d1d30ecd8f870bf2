"""`highwater check`: one revision, exhaustively, on this machine or in shards on Spark."""

import argparse
import sys
from collections.abc import Callable, Iterator
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
from ..output.machine_readable import as_json, as_junit, takes_standard_output, validate_outputs, write_json, write_text
from ..output.progress_line import ProgressLine
from ..output.report import console, print_outcome, shortest
from ..output.streams import attempt, kept
from ..request import Request, revision_named
from ..runs.files import folder_here
from ..trace_files import text_of, trace_path, write_page
from ..verdict import HOLDS, Finding, Outcome
from .parsing import (
    Parser,
    add_against,
    add_bounds,
    add_output,
    add_subject,
    add_threads,
    number,
    positive,
    request_of,
    threads_of,
)
from .start_from import Beginning, begin_there, beginning, lengthen
from .unattended import Ending, program, unattended

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

ON_SPARK = ("master", "conf", "shards", "bits", "worker_memory", "narrow", "spark_log")

LEAST_MEMORY = 8
"""Megabytes of --worker-memory, at least."""


def add_flags(parser: Parser) -> None:
    """The flags of `check`."""
    parser.meant["--spark"] = "--engine spark"
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
    of_conf = "a setting of Spark's, such as spark.ui.enabled=true; may be repeated"
    spark.add_argument("--conf", metavar="NAME=VALUE", action="append", help=of_conf)
    of_shards = "parts of the state space (by an estimate of its states; at least one a core)"
    spark.add_argument("--shards", metavar="P", type=positive, help=of_shards)
    spark.add_argument("--bits", type=int, choices=(64, 128), help="of a fingerprint (64; take 128 above 3e9 states)")
    of_tasks = f"memory for the arrays of a task (256; at least {LEAST_MEMORY})"
    spark.add_argument("--worker-memory", metavar="MB", type=task_memory, help=of_tasks)
    spark.add_argument("--narrow", metavar="N", type=number, help="smaller levels run in the driver (200000 or more)")
    spark.add_argument("--spark-log", action="store_true", default=None, help="let Spark write its log to standard error")
    add_bounds(parser)
    parser.add_argument("--from", dest="start", metavar="TRACE[:STEP]", help="explore from the last state of a trace")
    files = parser.add_argument_group("files")
    files.add_argument("--run-dir", metavar="DIR|URI", help="keep the levels in this directory, for --resume")
    files.add_argument("--resume", action="store_true", help="continue the run in --run-dir")
    files.add_argument("--resume-from", metavar="LEVEL", type=positive, help="continue from an earlier level, drop later ones")
    files.add_argument("--traces", metavar="DIR", default="highwater-traces", help="folder of counterexamples (highwater-traces)")
    add_output(parser)
    add_against(parser)
    files.add_argument("--html", action="store_true", help="draw each counterexample as a page beside its trace")
    parser.add_argument("--notify", metavar="COMMAND", type=program, help="run it when the run ends, with a sentence on how")
    parser.add_argument("--actions", action="store_true", help="print how often each action was taken")
    parser.add_argument("--verbose", action="store_true", help="name the properties that do not apply, and why")
    parser.add_argument("--quiet", action="store_true", help="without the trace, and without progress")


def run(options: argparse.Namespace) -> int:
    """Check, report, and answer the exit code."""
    progress = ProgressLine(quiet=options.quiet, kept_in=options.run_dir or "")
    with unattended(options, progress) as ending:
        begun = beginning(options, options.start) if options.start else None
        request = request_to_check(options, begun)
        ending.is_about(request)
        with progress:
            outcome = (check_on_spark if options.engine == "spark" else check_here)(request, options, ending)
        outcome.kept_in = options.run_dir or ""
        if begun is not None:
            lengthen(outcome, request, begun)
        code, written = conclude(outcome, request, options)
    ending.outcome(outcome, code)
    return kept(code, written)


def request_to_check(options: argparse.Namespace, begun: Beginning | None) -> Request:
    """What is asked for; what can be refused is refused before anything is compiled. `begun`: where --from begins."""
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
    validate_outputs(options.json, options.junit, options.sarif, folder=options.traces)
    if options.against:
        options.against = revision_named(request.model, options.against)
    return request


def check_here(request: Request, options: argparse.Namespace, ending: Ending) -> Outcome:
    """Explore on this machine."""
    for name in ON_SPARK:
        if getattr(options, name) is not None:
            raise UsageError(f"--{name.replace('_', '-')} needs --engine spark")
    if request.run_directory is not None:
        folder_here(request.run_directory)  # refused before anything is compiled
    return check(request, ending.report)


def check_on_spark(request: Request, options: argparse.Namespace, ending: Ending) -> Outcome:
    """Explore on a session that is begun for it; what can be refused is refused before Java starts."""
    if options.progress:
        leave_undecided(request, options)
    with needed("spark", "the engine spark"):
        from ..spark.explore import OnSpark, explore, validate_place, validate_request
        from ..spark.session import session, settings_in, where_to_watch
    given = {"shards": options.shards, "bits": options.bits, "narrow": options.narrow}
    given["budget"] = options.worker_memory and options.worker_memory << 20
    how = OnSpark(**{name: value for name, value in given.items() if value is not None})
    validate_request(request, how)
    settings = settings_in(options.conf)
    validate_place(request, how, options.master)
    ending.say("starts Spark")
    with session(options.master, bool(options.spark_log), **settings) as spark:
        where = f"{spark.sparkContext.master}; {where_to_watch(spark)}"
        ending.say(f"{'continues' if request.resume else 'begins'} on {where}; {in_words(request.config.sizes())}")
        return explore(request, spark, how, ending.report)


def task_memory(text: str) -> int:
    """Megabytes for the arrays of a task: with fewer than these it is slower by a multiple."""
    if positive(text) < LEAST_MEMORY:
        raise argparse.ArgumentTypeError(f"must be at least {LEAST_MEMORY} MB, not {text}: a task would only divide its work")
    return positive(text)


def leave_undecided(request: Request, options: argparse.Namespace) -> None:
    """Drop the properties of progress that Spark does not decide, unless they are named; say which were left out."""
    left = [claim.name for claim in request.progress if claim.kind != RECOVERABLE and claim.name not in (options.property or [])]
    request.progress = [claim for claim in request.progress if claim.name not in left]
    if not request.progress and not request.properties:
        raise UsageError(f"Spark decides only properties that are recoverable, and {left[0]} is not: leave out --engine spark")
    if left and not options.quiet:
        print(f"Spark decides only properties that are recoverable; left out: {', '.join(left)}", file=sys.stderr)


def conclude(outcome: Outcome, request: Request, options: argparse.Namespace) -> tuple[int, bool]:
    """Report an outcome in every way that was asked for, the verdict first; the exit code, and whether all could be written."""
    writes = planned_traces(outcome, request.model, options.traces, options.html)
    if not takes_standard_output(options):
        first = shortest(outcome)
        shown = first is not None and first.trace is not None and not options.quiet
        trace = text_of(first.trace, request.model) if shown and first and first.trace else ""
        print_outcome(console(), outcome, request.model, trace, options.actions, options.verbose, options.against)
        print_waiting(outcome, request, options.progress)
        sys.stdout.flush()
    code = outcome.exit_code(options.allow_incomplete)
    writes += planned_outputs(options, lambda: as_json(outcome, request.model), [outcome], [outcome], code)
    return code, attempt(*writes)


def print_waiting(outcome: Outcome, request: Request, progress: bool) -> None:
    """The properties that were not asked for, because --progress chooses between two kinds; not where some were named."""
    others = default_properties(request.model) if progress else progress_of(request.model)
    names = [other.name for other in others if other.applies(request.config) and other.kind != SOMETIMES]
    if names and not request.named and outcome.verdict == HOLDS:
        how = "without --progress: what may never happen" if progress else "with --progress: what can still, or must, happen"
        console().print(Text(f"not checked, {how}: {', '.join(names)}", style="dim"))


def planned_outputs(
    options: argparse.Namespace, document: Callable[[], Any], all_of: list[Outcome], news: list[Outcome], code: int
) -> Iterator[Callable[[], None]]:
    """The functions that write output for programs; `news`: outcomes without what was expected; `code`: the exit code."""
    if options.json:
        yield lambda: write_json(document(), options.json)
    if options.junit:
        yield lambda: write_text(as_junit(all_of), options.junit)
    if options.sarif:
        yield lambda: write_text(as_sarif(news, code), options.sarif)


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
