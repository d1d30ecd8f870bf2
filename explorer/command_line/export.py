"""`highwater export --tla`: a model under one configuration as a module of TLA+, for TLC."""

import argparse
import re
from pathlib import Path

from ...model.language.errors import UsageError
from ..files import write_file
from ..output.machine_readable import validate_outputs
from ..verdict import EXIT_HOLDS
from .parsing import Parser, add_subject, request_of

SUMMARY = """Write a model, under one configuration, as a module of TLA+, so that TLC can check what Highwater says.

The module has every action, and each property of a state or of a step; those of progress are left out, and those of steps that
read what the model's normal form forgets. TLC finds as many distinct states. Members (15: none) and choices are written as
numbers."""

EXAMPLE = "highwater export two_phase.py --tla TwoPhase.tla"


def add_flags(parser: Parser) -> None:
    """The flags of `export`."""
    add_subject(parser)
    parser.add_argument("--tla", metavar="PATH", required=True, help="the module, NAME.tla; NAME.cfg is written beside it")


def run(options: argparse.Namespace) -> int:
    """Write the module, and what is to be checked of it."""
    from ..symbolic.tla import WHY, left_out, module  # only here: it loads Z3

    path = Path(options.tla)
    if path.suffix != ".tla" or not re.fullmatch(r"[A-Za-z]\w*", path.stem):
        raise UsageError(f"--tla {options.tla!r:.60}: a module of TLA+ is a file NAME.tla, of letters and digits: Model.tla")
    validate_outputs(options.tla)
    request = request_of(options, checks=False)
    text, checks = module(path.stem, request.model, request.config, request.applicable)
    for file, what in ((path, text), (path.with_suffix(".cfg"), checks)):
        write_file(str(file), what)
    print(f"{path} and {path.with_suffix('.cfg').name}: java -cp tla2tools.jar tlc2.TLC {path}")
    if without := left_out(request.model, request.config, request.applicable):
        print(f"without {', '.join(without)}: {WHY}")
    return EXIT_HOLDS
