"""`highwater explore`: one revision, exhaustively, in shards on Spark."""

from __future__ import annotations

import argparse
import sys
import time

from ..spark.explore import BUDGET, OnSpark, explore
from ..spark.search import NARROW
from ..spark.session import session
from ..spark.watch import SparkProgress
from .check import MODES, add_files, conclude, request_of, run_locally
from .machine_readable import refuse_unwritable
from .parsing import Parser, add_bounds, add_subject, add_threads, number, positive
from .progress import EVERY

SUMMARY = """Explore every state of one revision, breadth-first, in shards that executors of Spark share.

The verdict, the counts and the length of the counterexample are those of `highwater check`.
Without --master, spark-submit or SPARK_MASTER decide where it runs, else all cores of this machine."""

EXAMPLE = "highwater explore --engine spark --master local[2] --revision kip-279 --run-dir file:/tmp/kip-279"


def parser_for(arguments: list[str]) -> Parser:
    """The flags of `explore`."""
    parser = Parser("explore", SUMMARY, EXAMPLE)
    parser.add_argument("--engine", choices=("spark", "local"), default="spark", help="local: as highwater check (spark)")
    add_subject(parser, arguments)
    how = parser.add_argument_group("how to explore")
    for flag, text in MODES.items():
        action = argparse.BooleanOptionalAction if flag == "--symmetry" else "store_true"
        how.add_argument(flag, action=action, default=False, help=text)
    spark = parser.add_argument_group("Spark")
    spark.add_argument("--master", metavar="URL", help="local[2], spark://HOST:PORT, yarn, k8s://...")
    spark.add_argument("--shards", metavar="P", type=positive, help="parts of the state space (one for each core)")
    spark.add_argument("--bits", type=int, choices=(64, 128), default=64, help="of a fingerprint (64; 128 above 3e9 states)")
    spark.add_argument(
        "--worker-memory", metavar="MB", type=positive, default=BUDGET >> 20, help=f"for the arrays of a task ({BUDGET >> 20})"
    )
    spark.add_argument(
        "--narrow", metavar="N", type=number, default=NARROW, help=f"levels of fewer states run in the driver ({NARROW})"
    )
    spark.add_argument("--spark-log", action="store_true", help="let Spark write its log to standard error")
    add_threads(parser)
    add_bounds(parser)
    add_files(parser, "URI")
    return parser


def run(arguments: list[str]) -> int:
    """Explore, report, and answer the exit code."""
    options = parser_for(arguments).parse_args(arguments)
    request = request_of(options)
    if options.engine == "local":
        return run_locally(request, options)
    refuse_unwritable(options.json, options.junit, options.sarif, f"{options.traces}/x")
    how = OnSpark(
        shards=options.shards,
        bits=options.bits,
        budget=options.worker_memory << 20,
        narrow=options.narrow,
        run_directory=options.run_dir,
        resume=request.resume,
        resume_from=request.resume_from,
    )
    progress = LevelLine(options.quiet)
    with session(options.master, options.spark_log) as spark:
        outcome = explore(request, spark, how, progress)
    progress.done()
    return conclude(outcome, request, options)


class LevelLine:
    """The live line of a run on Spark; call it with each `SparkProgress`."""

    def __init__(self, quiet: bool) -> None:
        self.quiet, self.live, self.last, self.shown = quiet, sys.stderr.isatty(), time.monotonic(), False

    def __call__(self, now: SparkProgress) -> None:
        moment = time.monotonic()
        if self.quiet or moment - self.last < EVERY[self.live]:
            return
        self.last, self.shown = moment, True
        sys.stderr.write(f"\r\x1b[2K{line(now)}" if self.live else f"{line(now)}\n")
        sys.stderr.flush()

    def done(self) -> None:
        """Clear what was shown."""
        if self.live and self.shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


def line(now: SparkProgress) -> str:
    """Level, states, frontier, rate, skew of the newest level, shuffle, tasks."""
    rate = now.states / max(1e-9, now.seconds)
    tasks = f"  tasks {now.tasks_done} of {now.tasks}" if now.tasks else ""
    return (
        f"depth {now.depth}  {now.states:,} states  frontier {now.frontier:,}  {rate:,.0f} states/s  skew {now.skew:.2f}"
        f"  shuffled {now.shuffled >> 20:,} MB{tasks}  {now.failed} failed  {now.retried} retried  {now.seconds:.0f} s"
    )
