"""`highwater show`: a recorded trace as a picture, a column for each broker."""

from __future__ import annotations

import argparse

from rich.text import Text

from ...traces.itf import to_itf
from ...traces.render import render
from ...traces.scenarios import path_of
from ...traces.text import read_file
from ..verdict import EXIT_HOLDS, EXIT_NONCONFORMANT
from .machine_readable import refuse_unwritable, write_json
from .parsing import Parser
from .replay import replayed
from .report import console

SUMMARY = """Draw a trace: a row for each step, a column for each broker, what a step changed marked.

The trace runs through the plain model; where it does not fit, the picture ends there and the exit code is 17."""

EXAMPLE = "highwater show KAFKA-6361"


def add_flags(parser: Parser) -> None:
    """The flags of `show`."""
    parser.add_argument("trace", metavar="FILE", help="a trace file, or the name of a scenario (highwater list scenarios)")
    parser.add_argument("--itf", metavar="PATH|-", help="write it in the Informal Trace Format instead (*.itf.json)")


def run(options: argparse.Namespace) -> int:
    """Draw, or write ITF."""
    refuse_unwritable(options.itf)
    trace = read_file(path_of(options.trace))
    _, result = replayed(trace, options.trace)
    if options.itf:
        write_json(to_itf(trace, result.states), options.itf)
    else:
        render(trace, result.states, console(), result.broken)
    if result.misfit:
        console(stderr=True).print(Text.assemble(("does not fit the model", "bold red"), f": {result.misfit}"))
        return EXIT_NONCONFORMANT
    return EXIT_HOLDS
