"""`highwater cost`: what a failover costs in operations on the store and in requests, and how long that takes."""

import argparse
from typing import Any

from rich.text import Text

from ...model.language.actions import Model
from ...model.language.costs import Cost
from ...model.language.errors import UsageError
from ...traces.words import plural
from ..output.machine_readable import conclude, validate_outputs
from ..output.report import console, print_head
from ..output.tables import plain_table
from ..plain.costs import FailoverPath, cheapest_and_dearest, in_sequence
from ..request import Request
from ..verdict import EXIT_HOLDS
from .parsing import Parser, add_json, add_subject, positive, request_of, seconds

SUMMARY = """Count what a failover costs: the cheapest and the most expensive sequence of steps, from the failure until nothing
is left to do.

The model declares what each action costs: reads of the store (one remote call), writes (two), watches that fire (one) and
requests between brokers (one). For more partitions than can be counted, --at applies the model's formula."""

EXAMPLE = "highwater cost --revision v3 --brokers 3 --partitions 2 --crashes 1 --at 10000 --sessions 10"


def add_flags(parser: Parser) -> None:
    """The flags of `cost`."""
    add_subject(parser)
    parser.add_argument("--latency", metavar="MS", type=seconds, default=4.0, help="milliseconds of a write (4, as in V3)")
    parser.add_argument("--sessions", metavar="N", type=positive, default=1, help="sessions that write in parallel (1)")
    parser.add_argument("--at", metavar="P", type=positive, help="also apply the formula, for this many partitions")
    parser.add_argument("--steps", action="store_true", help="show every step with its cost")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Count, print, and write JSON."""
    request = request_of(options, checks=False)
    validate_outputs(options.json)
    model, config = request.model, request.config
    if options.property:
        raise UsageError("cost checks no property: leave out --property")
    both = cheapest_and_dearest(model, config)
    entries = [entry(name, path, model, options) for name, path in zip(("cheapest", "dearest"), both, strict=True)]
    if options.at:
        entries += list(by_formula(model, config, options))
    if options.json != "-":
        print_entries(request, entries, both if options.steps else ())
    about = {"model": model.name, "revision": request.revision, "settings": config.shown()}
    return conclude(EXIT_HOLDS, options.json, lambda: {**about, "failovers": entries})


def entry(name: str, path: FailoverPath, model: Model, options: argparse.Namespace) -> dict[str, Any]:
    """One path as an entry: its operations, and how long its writes take, one after the other within a session."""
    assert model.failover is not None
    return numbers_of(name, path.cost, in_sequence(path, model.failover.shared_by, options.sessions), options.latency)


def numbers_of(name: str, cost: Cost, writes_in_sequence: int, latency: float) -> dict[str, Any]:
    """The numbers of one path."""
    return {
        "failover": name,
        **cost._asdict(),
        "remote calls": cost.calls,
        "writes in sequence": writes_in_sequence,
        "seconds": round(writes_in_sequence * latency / 1000, 3),
    }


def by_formula(model: Model, config: Any, options: argparse.Namespace) -> list[dict[str, Any]]:
    """The same for `--at` partitions: their writes are dealt to the sessions."""
    assert model.failover is not None
    costs = model.failover.formula(config, options.at)
    names = [f"{name} at {plural(options.at, 'partition')}" for name in ("cheapest", "dearest")]
    return [
        numbers_of(name, cost, -(-cost.writes // options.sessions), options.latency)
        for name, cost in zip(names, costs, strict=True)
    ]


def print_entries(request: Request, entries: list[dict[str, Any]], both: tuple[FailoverPath, ...]) -> None:
    """A table, and the steps if they are asked for."""
    assert request.model.failover is not None
    out = console()
    print_head(out, request.model, request.revision, request.config)
    out.print(Text(f"after {', '.join(request.model.failover.begins)}"))
    table = plain_table(*entries[0])
    for row in entries:
        table.add_row(*(f"{value:,}" if isinstance(value, int) else str(value) for value in row.values()))
    out.print(table)
    for name, path in zip(("cheapest", "dearest"), both, strict=False):
        out.print(Text(name, style="bold"))
        for label, cost in path.steps:
            parts = [f"{count} {heading}" for heading, count in cost._asdict().items() if count]
            out.print(Text(f"  {label}: {', '.join(parts) or 'nothing'}"))
