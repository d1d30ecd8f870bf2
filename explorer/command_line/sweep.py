"""`highwater sweep`: every point of a grid of settings is explored, and the verdicts are rows of one Parquet table."""

import argparse
import itertools
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.text import Text

from ...model.language.actions import Model
from ...model.language.errors import UsageError, hint, reason_of
from ...model.language.settings import in_words
from ..config_files import ConfigFile, read
from ..extras import needed
from ..files import probe
from ..output.documents_explored import PointEntry, Swept
from ..output.machine_readable import conclude, validate_outputs
from ..output.progress_line import ProgressLine
from ..output.report import by_promises, console
from ..output.tables import plain_table
from ..request import Request, revision_named, validate_applicable
from ..runs.files import LocalFiles, Store, folder_here, local_folder
from ..runs.manifests import Manifests
from ..search import INTERRUPTION
from ..sweep.runners import Runner
from ..sweep.tasks import END, FIRST, Explored, Task, tasks_of
from ..verdict import EXIT_HOLDS, EXIT_INCOMPLETE, INCOMPLETE, NOT_APPLICABLE, VIOLATED
from .parsing import (
    Parser,
    add_bounds,
    add_jobs,
    add_json,
    add_subject,
    bounds_of,
    chosen_properties,
    jobs_of,
    model_named,
    settings_of,
    subject_of,
)

SUMMARY = """Explore every point of a grid of settings, each on one thread, and write the verdicts to one Parquet table.

Points that are already in the table are not explored again. `highwater stats DIR --sql` queries the table;
docs/sweeps.md describes its columns. Exits with 0 when every point was explored completely."""

EXAMPLE = "highwater sweep --vary revision=kip-279,kip-320 --vary crashes=0,1 --brokers 2 --jobs 2"

MAX_POINTS = 100_000

Point = dict[str, Any]
"""What a point of the grid gives to the names that vary."""


def add_flags(parser: Parser) -> None:
    """The flags of `sweep`."""
    add_subject(parser)
    grid = parser.add_argument_group("the grid")
    grid.add_argument("--vary", metavar="NAME=A,B", action="append", default=[], help="a setting, or revision; may be repeated")
    grid.add_argument("--first-violation", action="store_true", help="stop each point at its first violation")
    grid.add_argument("--symmetry", action="store_true", help="explore only one of states that differ in the names of members")
    add_runner(parser)
    add_bounds(parser)
    files = parser.add_argument_group("files")
    files.add_argument("--out", metavar="DIR|URI", default="highwater-sweep", help="the table (highwater-sweep)")
    add_json(parser)
    parser.add_argument("--quiet", action="store_true", help="no progress")


def add_runner(parser: Parser) -> None:
    """Flags that say where tasks run."""
    how = parser.add_argument_group("where tasks run")
    add_jobs(how)
    how.add_argument("--exact-code", action="store_true", help="compile each configuration separately: for many million states")
    how.add_argument("--engine", choices=("local", "spark"), default="local", help="on Spark, one task for each point (local)")
    how.add_argument("--master", metavar="URL", help="as for highwater check")
    how.add_argument("--spark-log", action="store_true", help="let Spark write its log to standard error")


@contextmanager
def runner_of(options: argparse.Namespace, memory: int | None) -> Iterator[Runner]:
    """Where tasks run, until the end of the block; `memory`: the bound that all of them share."""
    if options.engine == "local":
        if options.master is not None:
            raise UsageError("--master needs --engine spark")
        yield Runner(jobs_of(options, memory))
        return
    with needed("spark", "the engine spark"):
        from ..spark.session import session
    with session(options.master, options.spark_log) as spark:
        yield Runner(spark=spark)


def run(options: argparse.Namespace) -> int:
    """Explore what the table lacks, and print all of it."""
    with needed("spark", "sweep"):
        from ..sweep.table import name_of
    validate_outputs(options.json)
    points, tasks = grid_of(options)
    names = [name_of(task) for task in tasks]
    done: dict[int, Explored] = {}
    begun = time.perf_counter()
    with runner_of(options, tasks[0].bounds.memory) as runner, ProgressLine("sweep: ", options.quiet) as progress:
        store = store_of(options.out, runner)
        found_there = sweep(points, tasks, store, runner, progress, done)
    if options.json != "-":
        print_table(points, done, options.out)
        took = time.perf_counter() - begun
        said = f"{len(done)} of {len(points)} points, {found_there} of them found in the table; {took:.1f} s"
        console().print(said, style="dim")
    complete = len(done) == len(points) and all(entry.refused or not entry.stopped for entry in done.values())
    code = EXIT_HOLDS if complete or (options.allow_incomplete and len(done) == len(points)) else EXIT_INCOMPLETE
    return conclude(code, options.json, lambda: as_document(points, names, done, options.out))


def grid_of(options: argparse.Namespace) -> tuple[list[Point], list[Task]]:
    """The points of the grid, and a task for each; UsageError for what no point can mean."""
    file = read(options.config, ConfigFile) if options.config else ConfigFile()
    model = model_named(options, file.model)
    varied = axes(model, options.vary)
    if "revision" in varied and options.release:
        raise UsageError("--release and --vary revision=... exclude each other")
    chosen, own = ("", {}) if "revision" in varied else subject_of(options, model, file.revision)
    given = {**own, **file.settings, **settings_of(options, model)}
    properties = chosen_properties(model, options.property or file.properties)
    points = [dict(zip(varied, values, strict=True)) for values in itertools.product(*varied.values())]
    bounds = bounds_of(options, file.bounds)
    how = {"until": FIRST if options.first_violation else END, "symmetry": options.symmetry, "exact_code": options.exact_code}
    tasks, names = [], [claim.name for claim in properties]
    for point in points:
        revision = point.get("revision") or chosen
        settings = {**given, **{n: v for n, v in point.items() if n != "revision"}}
        tasks += tasks_of(model, revision, [settings], names, bounds, **how)
    validate_points(tasks, bool(options.property or file.properties))
    return points, tasks


def axes(model: Model, texts: Sequence[str]) -> dict[str, list[Any]]:
    """The names that vary, and their values."""
    out: dict[str, list[Any]] = {}
    count = 1
    for text in texts:
        name, sign, values = text.partition("=")
        name = name.strip().replace("-", "_")
        listed = [value.strip() for value in values.split(",") if value.strip()]
        if not sign or not listed:
            raise UsageError(f"--vary takes NAME=A,B, not {text!r:.60}; for example {example_of(model)}")
        if name in out:
            raise UsageError(f"--vary {name} is given twice; list all its values in one")
        if name == "revision":
            out[name] = [revision_named(model, value) for value in listed]
        elif name in model.config.settings:
            setting = model.config.settings[name]
            out[name] = [setting.show(setting.parse(name, value)) for value in listed]
        else:
            better = hint(name, ["revision", *model.config.settings], "see highwater list settings")
            raise UsageError(f"--vary: there is no setting {name!r:.40}; {better}")
        if len(set(out[name])) < len(out[name]):
            raise UsageError(f"--vary {name} names a value twice")
        count *= len(out[name])
    if not out:
        raise UsageError(f"--vary is missing; for example {example_of(model)}")
    if count > MAX_POINTS:
        raise UsageError(f"{count:,} points are too many: at most {MAX_POINTS:,} in one sweep")
    return out


def example_of(model: Model) -> str:
    """How something of this model is varied."""
    if not model.config.settings:
        return f"--vary revision={','.join([*model.revisions][:2])}; the model {model.name} has no settings"
    name, setting = next(iter(model.config.settings.items()))
    values = (setting.low, min(setting.high, setting.low + 1))
    return f"--vary {name}={','.join(str(setting.show(setting.typed(value))) for value in values)}"


def validate_points(tasks: Sequence[Task], named: bool) -> None:
    """UsageError when the model refuses all points, or nothing that was named means anything at any of them."""
    error: UsageError | None = None
    for task in tasks:
        try:
            request: Request = task.request()
            request.named = named and len(request.properties) == 1
            validate_applicable(request)
            return
        except UsageError as refused:
            error = error or refused
    if error is not None:
        raise error


def store_of(place: str, runner: Runner) -> Store:
    """Where the table is: a folder of this machine, or with Spark any file system that it reaches."""
    here = folder_here(place) if runner.spark is None else local_folder(place)
    if here is not None:
        probe(str(here), is_folder=True)
        store: Store = LocalFiles(here)
    else:
        from ..spark.explore import store_at

        try:
            store = store_at(runner.spark, place)[0]
        except OSError as error:
            raise UsageError(f"{place} cannot be used: {reason_of(error)}; choose another --out") from None
    if Manifests(store, place).numbers():
        raise UsageError(f"{place} holds a run, not the table of a sweep; choose another --out")
    return store


def sweep(
    points: Sequence[Point], tasks: Sequence[Task], store: Any, runner: Runner, progress: ProgressLine, done: dict[int, Explored]
) -> int:
    """Fill `done` as points become known; how many of them the table had."""
    from ..sweep.table import kept, run_kept

    found_there, received = 0, []

    def end(number: int, frame: Any) -> None:
        """End the sweep, at the latest with the next point: Python ignores what is raised within a `__del__`."""
        received.append(number)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        for number, found, was_there in run_kept(store, runner, tasks, points):
            if found.stopped == INTERRUPTION:
                break
            done[number] = found
            found_there += was_there
            progress(f"{len(done)} of {len(points)} points  {in_words(points[number])}: {found.states:,} states")
            if received:
                break
    except KeyboardInterrupt:
        pass  # the finished points are kept and reported
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if len(done) < len(points):
        done.update(kept(store, tasks))  # the signal may have come between the writing of a point and its count
    return found_there


def print_table(points: Sequence[Point], done: Mapping[int, Explored], place: str) -> None:
    """A line for each point: what is violated, and how much was explored."""
    out = console()
    numbers = ("states", "depth", "seconds")
    table = plain_table(*(name.replace("_", " ") for name in points[0]), "violated (steps)", *numbers, right=numbers)
    for number, point in enumerate(points):
        found = done.get(number)
        values = [str(value) for value in point.values()]
        if found is None:
            table.add_row(*values, Text("not explored", style="yellow"))
        elif found.refused:
            table.add_row(*values, Text(f"refused: {found.refused}", style="dim"))
        else:
            table.add_row(*values, summary_of(found), f"{found.states:,}", str(found.depth), f"{found.seconds:.2f}")
    out.print(table)
    if promised := sorted({name for found in done.values() for name in found.promises.split(", ") if name}):
        out.print(f"verdicts are{by_promises(promised)}")
    out.print(f"highwater stats {place} --sql 'select * from sweep' queries the table", style="dim")


def summary_of(found: Explored) -> Text:
    """`strong_isr 13`, of each violated property; and what ended the exploration, if anything did."""
    if all(answer.verdict == NOT_APPLICABLE for answer in found.verdicts):
        return Text("no property was checked", style="yellow")
    violated = [f"{answer.name} {answer.depth - 1}" for answer in found.verdicts if answer.verdict == VIOLATED and answer.depth]
    nothing = "nothing" if found.complete else "nothing so far"
    text = Text(", ".join(violated) or nothing, style="red" if violated else "green")
    if found.stopped:
        open_ones = sum(answer.verdict == INCOMPLETE for answer in found.verdicts)
        text.append(f"; {found.stopped} ended it, {open_ones} open", style="yellow")
    return text


def as_document(points: Sequence[Point], names: Sequence[str], done: Mapping[int, Explored], place: str) -> Swept:
    """The JSON document."""
    entries = []
    for number, point in enumerate(points):
        found = done.get(number)
        entry: PointEntry = {"varied": point, "file": names[number], "explored": found is not None}
        if found is not None:
            entry |= {
                "complete": found.complete,
                "stopped_by": found.stopped or None,
                "refused": found.refused or None,
                "promises": found.promises.split(", ") if found.promises else [],
                "states": found.states,
                "transitions": found.transitions,
                "depth": found.depth,
                "seconds": round(found.seconds, 4),
                "properties": [
                    {"name": a.name, "kind": a.kind, "verdict": a.verdict, "depth": a.depth} for a in found.verdicts
                ],
            }
        entries.append(entry)
    return {"table": place, "points": entries}
