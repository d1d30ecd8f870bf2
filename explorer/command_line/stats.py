"""`highwater stats`: tables about a run of either engine, and SQL over a run on Spark or a sweep."""

import argparse
import logging
from collections.abc import Container
from contextlib import ExitStack
from typing import Any

from rich.table import Table

from ...model.language.errors import UsageError, reason_of
from ...properties.log_fields import NOT_MEASURED
from ...traces.words import plural
from ..extras import needed
from ..files import write_file
from ..output.machine_readable import validate_outputs
from ..output.progress_line import ProgressLine
from ..output.report import console
from ..output.tables import plain_table
from ..runs.ended import end_of
from ..runs.files import LocalFiles, folder_here, local_folder
from ..runs.manifests import Level, Manifests
from ..runs.point_names import points_in
from ..stats.here import is_local, levels_here, tables_here
from ..stats.page import TITLES, stats_page
from ..stats.page import Table as Rows
from .parsing import Parser
from .verify import NOT_RECORDED

SUMMARY = """Query a run that `highwater check --run-dir` has written, locally or on Spark: states per level and shard, actions,
how often each `sometimes` property was witnessed, how far high watermarks lag, epochs per log, and the ten
states nearest to two logs that disagree below both high watermarks.

Only files that a manifest of the run names are read. --sql runs a query: for a run on Spark the views are `states`,
`measured` and the tables; for the table of a `highwater sweep` the view is `sweep` (docs/sweeps.md)."""

EXAMPLE = "highwater stats file:/tmp/kip-279 --csv file:/tmp/tables"


def add_flags(parser: Parser) -> None:
    """The flags of `stats`."""
    parser.add_argument("run", metavar="RUN_DIR", help="the directory of the run, or of a sweep's table; a path or a URI")
    parser.add_argument("--sql", metavar="QUERY", help="a query, for example: select * from sweep where verdict = 'violated'")
    parser.add_argument("--master", metavar="URL", help="as for highwater check")
    parser.add_argument("--table", metavar="NAME", choices=TITLES, action="append", help=f"only this one: {', '.join(TITLES)}")
    parser.add_argument("--csv", metavar="URI", help="write each table as CSV below this folder")
    parser.add_argument("--parquet", metavar="URI", help="write each table as Parquet below this folder")
    parser.add_argument("--html", metavar="FILE", help="write one page with charts of the run, of either engine")
    parser.add_argument("--spark-log", action="store_true", help="let Spark write its log to standard error")


def run(options: argparse.Namespace) -> int:
    """Read the run, print its tables, and write the files that were asked for."""
    validate_outputs(options.html)
    if options.sql is not None and options.table:
        raise UsageError("give --table or --sql, not both")
    if options.sql is not None and options.html:
        raise UsageError("--html draws a whole run, and --sql answers a question: give one of them")
    if is_local(options.run):
        if options.sql is not None or options.csv or options.parquet:
            raise UsageError("--sql, --csv and --parquet need a run on Spark, and this is a run of the local engine; use --html")
        return show(options, *tables_here(options.run, options.models), how_it_ended(options.run))
    here = local_folder(options.run)
    if here is not None:
        validate_readable(LocalFiles(here), options)
        if options.table == ["levels"] and not (options.csv or options.parquet or options.html):
            return show(options, *levels_here(options.run), how_it_ended(options.run))
    with needed("spark", "stats"):
        from ..spark.failures import explained
        from ..spark.session import session
        from ..stats.on_spark import stats_of
        from ..sweep.view import sweep_view
    with ExitStack() as stack:
        progress = stack.enter_context(ProgressLine())
        with progress.ticking("starting Spark"):
            spark = stack.enter_context(session(options.master, options.spark_log, **{"spark.sql.shuffle.partitions": "8"}))
        if options.sql is not None and sweep_view(spark, options.run):
            return answer(spark, options)
        with progress.ticking("compiling what measures states"):
            stats = stats_of(spark, options.run, options.models)
        frames = {name: stats.tables[name] for name in chosen(options, stats.tables)}
        with explained(stats.manifests, True):
            if options.sql is not None:
                for name, frame in frames.items():
                    frame.createOrReplaceTempView(name)
                return answer(spark, options)
            tables = {}
            for number, (name, frame) in enumerate(frames.items(), 1):
                with progress.ticking(f"table {number} of {len(frames)}, {name}: counting {stats.states:,} states"):
                    tables[name] = frame.columns, [tuple(row) for row in frame.collect()]
        how = sentence_of(stats.manifests)
        show(options, f"{stats.subject.model} {stats.subject.revision}", stats.levels, tables, how)
        for name, frame in frames.items():
            write(spark, frame, tables[name], options, name)
    return 0


def how_it_ended(place: str) -> str:
    """How a run on this machine ended."""
    manifests = Manifests(LocalFiles(folder_here(place)), place)
    manifests.read_levels()
    return sentence_of(manifests)


def sentence_of(manifests: Manifests) -> str:
    """How a run ended whose manifests were read."""
    try:
        ended = end_of(manifests)
    except UsageError as error:
        return str(error)
    return ended.sentence() if ended else NOT_RECORDED


def validate_readable(store: LocalFiles, options: argparse.Namespace) -> None:
    """UsageError where there is nothing to read, before Spark is asked for, or starts, which takes ten seconds."""
    try:
        is_sweep = bool(points_in(store))
    except OSError as error:
        raise UsageError(f"{options.run} cannot be read: {reason_of(error)}; name a run or the --out of a sweep") from None
    if is_sweep and options.sql is None:
        raise UsageError(f"{options.run} holds the table of a sweep; ask it with --sql, for example: select * from sweep")
    if not is_sweep:
        Manifests(store, options.run).require_run()


def chosen(options: argparse.Namespace, tables: Container[str]) -> list[str]:
    """The names of the tables that are asked for; UsageError for one that this run does not have."""
    for name in options.table or ():
        if name not in tables:
            raise UsageError(f"there is no table {name}: {NOT_MEASURED}")
    return options.table or [name for name in TITLES if name in tables]


def show(options: argparse.Namespace, title: str, levels: list[Level], tables: dict[str, Any], how: str) -> int:
    """Print the tables, and write the page, if it is asked for. `how`: how the run ended."""
    names, out = chosen(options, tables), console()
    out.print(f"{title}: {plural(len(levels), 'level')} in {options.run}")
    out.print(how, soft_wrap=True)
    for name in names:
        out.print(TITLES[name], style="bold")
        out.print(as_table(tables[name]))
        out.print()
    if options.html:
        counted = f"{sum(level.states for level in levels):,} states in {plural(len(levels), 'level')}"
        about = f"{how}; {counted}; {options.run}"
        write_file(options.html, stats_page(title, about, tables, [sum(level.taken) for level in levels]))
    return 0


def answer(spark: Any, options: argparse.Namespace) -> int:
    """Run the query, print its rows, and write the files that were asked for."""
    from ..spark.session import first_line

    logging.getLogger("SQLQueryContextLogger").disabled = not options.spark_log
    try:
        frame = spark.sql(options.sql)
        table = frame.columns, [tuple(row) for row in frame.collect()]
    except Exception as error:  # Spark's words for what is wrong with a query
        if any(f"{kind}: " in str(error) for kind in ("Unsound", "Unread", "LostPath")):
            raise
        unknown = any(sign in str(error) for sign in ("TABLE_OR_VIEW_NOT_FOUND", "UNRESOLVED_COLUMN"))
        raise UsageError(f"--sql cannot be answered: {first_line(error)}{views(spark) if unknown else ''}") from None
    console().print(as_table(table))
    write(spark, frame, table, options, "sql")
    return 0


def views(spark: Any) -> str:
    """The views that a query can name, with their columns."""
    names = [view.name for view in spark.catalog.listTables() if view.name in ("states", "measured", "sweep", *TITLES)]
    return "; there is " + "; ".join(f"{name} ({', '.join(spark.table(name).columns)})" for name in names)


def as_table(found: Rows) -> Table:
    """Rows for people."""
    columns, rows = found
    numbers = [name for name, value in zip(columns, rows[0], strict=True) if not isinstance(value, str)] if rows else []
    table = plain_table(*columns, right=numbers)
    for row in rows:
        table.add_row(*(f"{v:,}" if isinstance(v, int) else str(v) for v in row))
    return table


def write(spark: Any, frame: Any, found: Rows, options: argparse.Namespace, name: str) -> None:
    """Write a table that was collected already, in each form that was asked for, as one file, through Spark."""
    from ..spark.session import first_line

    for form in ("csv", "parquet"):
        folder = getattr(options, form)
        try:
            if folder is not None:
                small = spark.createDataFrame(found[1], frame.schema).coalesce(1)
                small.write.mode("errorifexists").option("header", "true").format(form).save(f"{folder}/{name}")
        except Exception as error:  # any file system's refusal becomes one sentence
            raise UsageError(f"{folder}/{name} cannot be written: {first_line(error)}; choose another place") from None
