"""`highwater verify`: whether a run directory is what was written, file by file."""

import argparse
from contextlib import ExitStack

from rich.console import Console
from rich.text import Text

from ...model.language.errors import UsageError, reason_of
from ...traces.words import plural
from ..extras import needed
from ..output.documents import EndedRun, PropertyAtEnd
from ..output.machine_readable import conclude, validate_outputs
from ..output.report import STYLES, console
from ..output.tables import plain_table
from ..runs.ended import NAME as OUTCOME
from ..runs.ended import Ended
from ..runs.files import LocalFiles, local_folder
from ..runs.lock import unwritten
from ..runs.manifests import QUESTION
from ..runs.verify import Verified, verify
from ..verdict import EXIT_HOLDS, EXIT_USAGE, VIOLATED
from .parsing import Parser, add_json

SUMMARY = """Read every file of a run that was kept with --run-dir and compare it with its digest. Print whether the run is
sound, and what its verdict was; or where it is damaged, or what cannot be read now.

Exits with 0 when the run is sound, with 2 when it is not; `--resume-from LEVEL` continues from the sound levels."""

EXAMPLE = "highwater verify /tmp/kip-279"


def add_flags(parser: Parser) -> None:
    """The flags of `verify`."""
    parser.add_argument("run", metavar="RUN_DIR", help="the directory of the run, a path or a URI")
    parser.add_argument("--master", metavar="URL", help="Spark master, for a directory that is not on this machine's file system")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Read, and report."""
    validate_outputs(options.json)
    found = verified(options.run, options.master)
    if options.json != "-":
        print_verified(found)
    verdict = "damaged" if found.wrong else "unreadable" if found.unread else "sound"
    code = EXIT_HOLDS if verdict == "sound" else EXIT_USAGE
    return conclude(code, options.json, lambda: {**vars(found), "ended": as_json(found.ended), "verdict": verdict})


def verified(place: str, master: str | None) -> Verified:
    """The run at a path or URI, read while no one writes to it."""
    folder = local_folder(place)
    if folder is not None:
        with ExitStack() as stack:
            try:
                stack.enter_context(unwritten(folder, place))
            except OSError as error:
                raise UsageError(f"{place} cannot be read: {reason_of(error)}") from None
            return verify(LocalFiles(folder), place)
    with needed("spark", f"verify {place}"):
        from ..spark.explore import store_at
        from ..spark.session import session

    with session(master) as spark:
        try:
            store, _ = store_at(spark, place)
        except OSError as error:
            raise UsageError(f"{place} cannot be read: {error}") from None
        return verify(store, place)


def print_verified(found: Verified) -> None:
    """What people read."""
    out = console()
    if found.about:
        model, revision, engine = (found.about.get(name) for name in ("model", "revision", "engine"))
        out.print(Text(f"{model} {revision}, engine {engine}", style="bold"))
    counted = f"{plural(found.levels, 'level')}, {plural(found.states, 'state')}, {plural(found.files, 'file')}"
    if not found.wrong and not found.unread:
        out.print(Text.assemble(("sound", "green"), f": {counted}"))
        print_end(out, found.ended)
        return
    what = "damaged" if found.wrong else "not everything could be read"
    out.print(Text.assemble((what, "bold red"), f": {counted} were read"))
    for line in (*found.wrong, *found.unread):
        out.print(Text(f"  {line}"), soft_wrap=True)
    if found.unread:
        return  # what cannot be read now may be sound: nothing is advised that drops levels
    beside = (f"/{QUESTION}", f"/{OUTCOME}")  # no level rests on these
    if found.sound > 0 and not all(any(name in line for name in beside) for line in found.wrong):
        out.print(Text(f"sound up to level {found.sound}: continue from there with --resume-from {found.sound}"))


NOT_RECORDED = "verdict: not recorded, as the run was killed or is of an earlier version; --resume continues it, or prints it"


def print_end(out: Console, ended: Ended | None) -> None:
    """How the run ended: the verdict, and that of each property."""
    if ended is None:
        out.print(Text(NOT_RECORDED), soft_wrap=True)
        return
    verdict, rest = ended.sentence().split(":", 1)
    out.print(Text(verdict, style=STYLES[verdict]).append(f":{rest}", style="default"), soft_wrap=True)
    table = plain_table("property", "verdict", "steps", right=("steps",), unbroken=("property", "verdict"))
    for name, claim, steps in sorted(ended.properties, key=lambda row: row[1] != VIOLATED):
        table.add_row(name, Text(claim, style=STYLES[claim]), "" if steps is None else str(steps))
    out.print(table)


def as_json(ended: Ended | None) -> EndedRun | None:
    """How the run ended, for programs."""
    if ended is None:
        return None
    verdicts = [PropertyAtEnd(name=name, verdict=verdict, steps=steps) for name, verdict, steps in ended.properties]
    return EndedRun(
        verdict=ended.verdict, sentence=ended.sentence(), complete=ended.complete, stopped_by=ended.stopped or None,
        properties=verdicts,
    )  # fmt: skip
