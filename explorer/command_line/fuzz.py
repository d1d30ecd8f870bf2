"""`highwater fuzz`: Hypothesis tests a cluster that is too large to explore."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from ...properties.explain import explain
from ...traces.words import plural
from ..budget import Bounds
from ..output.documents_explored import FuzzedDocument
from ..output.machine_readable import conclude, head_of, validate_outputs
from ..output.progress_line import ProgressLine
from ..output.report import console, print_head, print_why
from ..request import Request
from ..stateful.corpus import Corpus
from ..stateful.session import RULES, RUNS, fuzz
from ..trace_files import text_of
from ..verdict import EXIT_HOLDS, EXIT_INCOMPLETE, EXIT_VIOLATED, INCOMPLETE, VIOLATED
from .parsing import Parser, add_json, add_subject, number, positive, request_of, seconds

SUMMARY = """Test a configuration that is too large to explore, with behaviours that Hypothesis generates.

Hypothesis has one rule for each action of the model and runs compiled code. A failure is shrunk and kept as a
trace in the corpus, which the next run replays first. A run without a violation proves nothing, so it exits
with 20."""

EXAMPLE = "highwater fuzz --revision kip-279 --brokers 5 --log-size 12 --max-records 30 --max-epoch 10 --session-expiries 6"


def add_flags(parser: Parser) -> None:
    """The flags of `fuzz`."""
    add_subject(parser)
    how = parser.add_argument_group("how to test")
    how.add_argument("--runs", metavar="N", type=positive, default=RUNS, help=f"behaviours ({RUNS})")
    how.add_argument("--seconds", metavar="S", type=seconds, help="stop soon after this time, compilation included")
    how.add_argument("--rules", metavar="N", type=positive, default=RULES, help=f"rules in each, of many steps ({RULES})")
    how.add_argument("--seed", metavar="N", type=number, default=0, help="the same seed gives the same behaviours (0)")
    how.add_argument("--vary", action="store_true", help="vary sizes and faults up to those given, instead of always using them")
    how.add_argument("--corpus", metavar="DIR", default="highwater-corpus", help="folder of past failures (highwater-corpus)")
    parser.add_argument("--allow-incomplete", action="store_true", help="exit with 0 when nothing is violated")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Play, report, and answer the exit code."""
    subject = request_of(options)
    validate_outputs(options.json, folder=options.corpus)
    request = replace(subject, properties=subject.applicable, bounds=Bounds(seconds=options.seconds))
    corpus = Corpus(Path(options.corpus))
    with ProgressLine(quiet=options.quiet) as progress:
        fuzzed = fuzz(request, options.seed, options.runs, options.rules, corpus, options.vary, progress)
    if options.json != "-":
        print_result(console(), fuzzed, subject, options.vary)
    code = EXIT_VIOLATED if fuzzed.violated else EXIT_HOLDS if options.allow_incomplete else EXIT_INCOMPLETE
    return conclude(code, options.json, lambda: as_json(fuzzed, subject, options))


def print_result(out: Console, fuzzed: Any, subject: Request, vary: bool) -> None:
    """What people read."""
    print_head(out, subject.model, subject.revision, subject.config, "at sizes up to" if vary else "at")
    for note in fuzzed.notes:
        out.print(Text(note, style="yellow"), soft_wrap=True)
    if fuzzed.violated:
        again = ", as in the corpus" if fuzzed.known else " after shrinking"
        out.print(Text.assemble((VIOLATED, "bold red"), f": {fuzzed.violated}, in {plural(fuzzed.length, 'step')}{again}"))
        out.print(f"  {fuzzed.trace_path} (seed {fuzzed.seed})".replace("   (", "  ("), soft_wrap=True)
    else:
        out.print(Text.assemble((INCOMPLETE, "yellow"), ": nothing was violated; this proves nothing"))
    rate = fuzzed.steps / max(1e-9, fuzzed.seconds)
    took = f"{plural(fuzzed.runs, 'behaviour')}, {plural(fuzzed.steps, 'step')} in {fuzzed.seconds:.1f} s ({rate:,.0f} steps/s)"
    out.print(Text(took, style="dim"))
    if fuzzed.violated:
        print_why(out, fuzzed.trace, subject.model, {p.name: p for p in subject.applicable}[fuzzed.violated])
        out.print(f"\n{text_of(fuzzed.trace, subject.model)}", end="", soft_wrap=True)


def as_json(fuzzed: Any, subject: Request, options: argparse.Namespace) -> FuzzedDocument:
    """The JSON document, with the fields of `check` as far as playing has them."""
    claims = {p.name: p for p in subject.applicable}
    found = explain(fuzzed.trace, subject.model, claims[fuzzed.violated]).why if fuzzed.violated else None
    return {
        **head_of(subject.model, subject.revision, subject.config, "hypothesis"),
        "verdict": VIOLATED if fuzzed.violated else INCOMPLETE,
        "complete": False,
        "runs": fuzzed.runs,
        "rules": options.rules,
        "seed": options.seed,
        "transitions": fuzzed.steps,
        "seconds": round(fuzzed.seconds, 4),
        "violated": fuzzed.violated or None,
        "steps": fuzzed.length or None,
        "known": fuzzed.known,
        "trace": fuzzed.trace_path or None,
        "why": found.sentence if found else None,
        "witness": dict(found.witness) if found else None,
        "notes": fuzzed.notes,
    }
