"""`highwater verify`: whether a run directory is what was written, file by file."""

import argparse
from contextlib import ExitStack

from rich.text import Text

from ...model.language.errors import UsageError, reason_of
from ...traces.words import plural
from ..extras import needed
from ..runs.files import LocalFiles, local_folder
from ..runs.lock import unwritten
from ..runs.manifests import QUESTION
from ..runs.verify import Verified, verify
from ..verdict import EXIT_HOLDS, EXIT_USAGE
from .machine_readable import conclude, refuse_unwritable
from .parsing import Parser, add_json
from .report import console

SUMMARY = """Read every file of a run that was kept with --run-dir and compare it with its digest. Print whether the run is
sound, where it is damaged, or what cannot be read now.

Exits with 0 when the run is sound, with 2 when it is not; `--resume-from LEVEL` continues from the sound levels."""

EXAMPLE = "highwater verify /tmp/kip-279"


def add_flags(parser: Parser) -> None:
    """The flags of `verify`."""
    parser.add_argument("run", metavar="RUN_DIR", help="the directory of the run, a path or a URI")
    parser.add_argument("--master", metavar="URL", help="Spark master, for a directory that is not on this machine's file system")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Read, and report."""
    refuse_unwritable(options.json)
    found = verified(options.run, options.master)
    if options.json != "-":
        print_verified(found)
    verdict = "damaged" if found.wrong else "unreadable" if found.unread else "sound"
    code = EXIT_HOLDS if verdict == "sound" else EXIT_USAGE
    return conclude(code, options.json, lambda: {**vars(found), "verdict": verdict})


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
        return
    what = "damaged" if found.wrong else "not everything could be read"
    out.print(Text.assemble((what, "bold red"), f": {counted} were read"))
    for line in (*found.wrong, *found.unread):
        out.print(Text(f"  {line}"), soft_wrap=True)
    if found.unread:
        return  # what cannot be read now may be sound: nothing is advised that drops levels
    if found.sound > 0 and not all(f"/{QUESTION}" in line for line in found.wrong):  # no level rests on a question about progress
        out.print(Text(f"sound up to level {found.sound}: continue from there with --resume-from {found.sound}"))
