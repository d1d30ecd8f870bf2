"""`highwater walk`: random behaviours of a size that cannot be exhausted."""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from rich.console import Console
from rich.text import Text

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...properties.explain import explain
from ...properties.property import SOMETIMES
from ...traces.words import plural
from ..compiling.compiled_for import compile_for
from ..compiling.walker import OVER, ready_to_walk
from ..files import write_file
from ..local.random_walk import Walks, walk_randomly
from ..output.documents_explored import ActionCounted, Walked, WalkEntry
from ..output.machine_readable import conclude, head_of, validate_outputs
from ..output.progress_line import ProgressLine
from ..output.report import console, print_head, print_idle, print_why
from ..request import Request
from ..trace_files import text_of, trace_path
from ..verdict import EXIT_HOLDS, EXIT_INCOMPLETE, EXIT_VIOLATED, INCOMPLETE, NOT_APPLICABLE, VIOLATED, WITNESSED
from .parsing import Parser, add_json, add_subject, add_threads, number, positive, request_of, seconds, threads_of

SUMMARY = """Take random walks through a configuration that is too large to explore.

A walk that violates a property is shrunk to a locally shortest trace. Walks without a violation prove
nothing, so the command then exits with 20."""

EXAMPLE = "highwater walk --revision kip-279 --brokers 5 --log-size 8 --max-records 8 --max-epoch 6 --seconds 30"


def add_flags(parser: Parser) -> None:
    """The flags of `walk`."""
    add_subject(parser)
    how = parser.add_argument_group("how to walk")
    how.add_argument("--walks", metavar="N", type=positive, help="number of walks (default: as many as --seconds allows)")
    how.add_argument("--seconds", metavar="S", type=seconds, help="time limit, compilation included (default: 10 s without it)")
    how.add_argument("--length", metavar="N", type=positive, default=200, help="most steps of a walk (200)")
    how.add_argument("--seed", metavar="N", type=number, default=0, help="seed of the first walk; later walks count up (0)")
    how.add_argument("--keep-going", action="store_true", help="continue until all are violated or the bound is reached")
    how.add_argument("--generic", action="store_true", help="use code compiled once for all configurations")
    add_threads(parser)
    parser.add_argument("--allow-incomplete", action="store_true", help="exit with 0 when no walk violated a property")
    parser.add_argument("--traces", metavar="DIR", default="highwater-traces", help="where traces are written (highwater-traces)")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Walk, report, and answer the exit code."""
    subject = request_of(options)
    validate_outputs(options.json, folder=options.traces)
    if options.length > 1_000_000:
        raise UsageError("--length is at most 1,000,000 steps; take more walks instead")
    request = Request(subject.model, subject.revision, subject.config, subject.applicable, generic=options.generic)
    compiled = compile_for(request, subject.applicable)
    with ProgressLine(quiet=options.quiet) as progress:
        left = ready_to_walk(compiled, subject.applicable, progress, options.seconds)
        walks = Walks(stopped=OVER.format(options.seconds or 0))
        if left != 0:
            duration = left if left or options.walks else 10.0
            walks = walk_randomly(
                compiled, subject.applicable, subject.revision, options.length, options.walks, duration, options.seed,
                threads_of(options), options.keep_going, lambda now: progress(so_far(now, options)),
            )  # fmt: skip
    texts = {name: text_of(trace, subject.model) for name, trace in walks.broken.items()}
    paths = {name: trace_path(options.traces, walks.broken[name], text, "walk") for name, text in texts.items()}
    if options.json != "-":
        print_walks(console(), walks, subject, options.length, options.seed, paths)
        sys.stdout.flush()
    writes: list[Callable[[], None]] = [partial(write_file, paths[name], text) for name, text in texts.items()]
    code = EXIT_VIOLATED if walks.broken else EXIT_HOLDS if options.allow_incomplete else EXIT_INCOMPLETE
    return conclude(code, options.json, lambda: as_json(walks, subject, options, paths), *writes)


def so_far(walks: Walks, options: argparse.Namespace) -> str:
    """A line while it walks."""
    of = f" of {options.walks:,}" if options.walks else ""
    until = f" of {options.seconds or 10:g}" if options.seconds or not options.walks else ""
    return f"{walks.walks:,}{of} walks, {walks.steps:,} steps, {len(walks.broken)} violated, {walks.seconds:.0f}{until} s"


def print_walks(out: Console, walks: Walks, subject: Request, length: int, seed: int, paths: dict[str, str]) -> None:
    """What people read. `paths`: of the traces that are written."""
    print_head(out, subject.model, subject.revision, subject.config)
    for name, trace in walks.broken.items():
        out.print(Text.assemble((VIOLATED, "bold red"), f": {name}, in {plural(len(trace.steps), 'step')} after shrinking"))
        out.print(f"  {paths[name]} (walk of seed {walks.seeds[name]})" if paths else f"  walk of seed {walks.seeds[name]}")
    if not walks.broken:
        out.print(Text.assemble((INCOMPLETE, "yellow"), ": no walk violated a property; this proves nothing"))
    if walks.stopped:
        out.print(Text(f"stopped: {walks.stopped}", style="yellow"), soft_wrap=True)
    rate = walks.steps / max(1e-9, walks.seconds)
    took = f"{plural(walks.steps, 'step')} in {walks.seconds:.1f} s ({rate:,.0f} steps/s)"
    walked = f"{plural(walks.walks, 'walk')} of at most {plural(length, 'step')} from seed {seed}"
    out.print(Text(f"{walked}, {took}", style="dim"))
    wanted = [p.name for p in subject.applicable if p.kind == SOMETIMES]
    missed = [name for name in wanted if name not in walks.witnessed and walks.walks]
    if missed:
        out.print(Text(f"never witnessed: {', '.join(missed)}", style="yellow"))
    print_idle(out, subject.model, subject.config, walks.actions)
    if walks.broken:
        first = min(walks.broken.values(), key=lambda trace: len(trace.steps))
        claims = {p.name: p for p in subject.applicable}
        print_why(out, first, subject.model, claims[first.property])
        for name, trace in walks.broken.items():
            if trace is not first:
                out.print(Text(explain(trace, subject.model, claims[name]).why.sentence), soft_wrap=True)
        out.print(f"\n{text_of(first, subject.model)}", end="", soft_wrap=True)


def as_json(walks: Walks, subject: Request, options: argparse.Namespace, paths: dict[str, str]) -> Walked:
    """The JSON document, with the fields of `check` as far as walks have them."""
    return {
        **head_of(subject.model, subject.revision, subject.config, "walk"),
        "verdict": VIOLATED if walks.broken else INCOMPLETE,
        "complete": False,
        "walks": walks.walks,
        "length": options.length,
        "seed": options.seed,
        "transitions": walks.steps,
        "seconds": round(walks.seconds, 4),
        "properties": [property_as_json(p, subject.model, p in subject.applicable, walks, paths) for p in subject.properties],
        "actions": [cast(ActionCounted, vars(action)) for action in walks.actions],
    }


def property_as_json(walker: Any, model: Model, applies: bool, walks: Walks, paths: dict[str, str]) -> WalkEntry:
    """One property's entry; `steps`: of the shrunk trace."""
    trace = walks.broken.get(walker.name)
    found = explain(trace, model, walker).why if trace else None
    verdict = VIOLATED if trace else WITNESSED if walker.name in walks.witnessed else INCOMPLETE if applies else NOT_APPLICABLE
    return {
        "name": walker.name,
        "kind": walker.kind,
        "verdict": verdict,
        "depth": len(trace.steps) + 1 if trace else None,
        "steps": len(trace.steps) if trace else None,
        "trace": paths.get(walker.name),
        "seed": walks.seeds.get(walker.name),
        "why": found.sentence if found else None,
        "witness": dict(found.witness) if found else None,
    }
