"""`highwater estimate`: how many states a configuration has, and what it costs to explore them, before it is explored."""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

from ...model.language.errors import UsageError, reason_of
from ...traces.words import plural
from ..estimate.costs import Costs, Machine, here
from ..estimate.fit import Estimate, estimate, lacking
from ..estimate.smaller import MOST_SECONDS, MOST_STATES, explored_below
from ..growth import in_words
from ..machine import available_memory
from ..output.documents_explored import Estimated
from ..output.machine_readable import about, conclude, validate_outputs
from ..output.progress_line import ProgressLine
from ..output.report import console, print_head
from ..output.tables import plain_table
from ..request import Request
from ..verdict import EXIT_HOLDS, EXIT_INCOMPLETE
from .parsing import Parser, add_json, add_subject, positive, request_of, seconds

SUMMARY = """Explore the configurations below one, with smaller sizes and budgets, and estimate from them how many states it has,
and what exploring it takes on this machine.

Nothing is checked. docs/scale.md says how often the truth was within the interval; more --states and --seconds make it
narrower."""

EXAMPLE = "highwater estimate --revision kip-320 --log-size 3 --max-records 3"


def add_flags(parser: Parser) -> None:
    """The flags of `estimate`."""
    add_subject(parser)
    how = parser.add_argument_group("smaller configurations")
    how.add_argument("--states", metavar="N", type=positive, default=MOST_STATES, help=f"of the largest ({MOST_STATES:,})")
    how.add_argument("--seconds", metavar="S", type=seconds, default=MOST_SECONDS, help=f"for all of them ({MOST_SECONDS:g})")
    how.add_argument("--threads", metavar="T", type=positive, help="parallel threads (as many as there are cores)")
    parser.add_argument("--costs", metavar="FILE", action="append", help="of `highwater bench --json`: costs on your machine")
    add_json(parser)
    parser.add_argument("--quiet", action="store_true", help="no progress")


def run(options: argparse.Namespace) -> int:
    """Explore what is smaller, estimate, print."""
    request = request_of(options, checks=False)
    validate_outputs(options.json)
    if options.property:
        raise UsageError("estimate checks no property: leave out --property")
    costs, threads = costs_of(options.costs or ()), options.threads or os.cpu_count() or 1
    with ProgressLine("estimate: ", options.quiet) as progress:
        names, known = explored_below(
            request.model, request.revision, request.config, options.states, options.seconds, threads, progress
        )
    top = tuple(int(getattr(request.config, name)) for name in names)
    found = estimate(known, top)
    machines = here(costs, found.states, found.transitions, threads) if found else []
    if options.json != "-":
        print_head(console(), request.model, request.revision, request.config)
        if found:
            print_estimate(found, names, threads, machines)
        else:
            console().print(f"no estimate: {lacking(known, top, names)}; allow more --states or --seconds")
    code = EXIT_HOLDS if found else EXIT_INCOMPLETE
    return conclude(code, options.json, lambda: as_document(request, found, machines))


def costs_of(files: Sequence[str]) -> Costs:
    """The costs, as measured in these files."""
    costs = Costs()
    for name in files:
        try:
            costs = costs.measured(json.loads(Path(name).read_text()))
        except (OSError, ValueError, AttributeError) as error:
            raise UsageError(f"{name} is not what `highwater bench --json` writes: {reason_of(error)}") from None
    return costs


def print_estimate(found: Estimate, names: Sequence[str], threads: int, machines: Sequence[Machine]) -> None:
    """The states, and what they take here."""
    out = console()
    if not found.steps:
        out.print(f"{found.states:,.0f} distinct states: the configuration itself was explored")
    else:
        within = f"between {about_number(found.low)} and {about_number(found.high)}"
        out.print(f"about {about_number(found.states)} distinct states, {within}", style="bold")
        out.print(
            f"{about_number(found.transitions)} transitions, {found.levels} levels; from {found.known} configurations with less"
            f" of {', '.join(names).replace('_', ' ')}, the largest with {found.largest:,} states"
        )
    columns = ("time", "core hours", "memory", "disk")
    table = plain_table(f"here, {plural(threads, 'thread')}", *columns, right=columns)
    for m in machines:
        disk = in_words(m.disk) if m.disk else "-"
        table.add_row(m.name, duration(m.seconds), f"{m.core_hours:,.2f}", in_words(m.memory), disk)
    out.print(table)
    if machines and machines[0].memory > available_memory():
        out.print(f"in memory it will not fit: {in_words(available_memory())} are available")


def as_document(request: Request, found: Estimate | None, machines: Sequence[Machine]) -> Estimated:
    """The estimate, for JSON."""
    return {
        **about(request.model, request.revision, request.config),
        "states": round(found.states) if found else None,
        "low": round(found.low) if found else None,
        "high": round(found.high) if found else None,
        "transitions": round(found.transitions) if found else None,
        "levels": found.levels if found else None,
        "largest": found.largest if found else None,
        "steps": found.steps if found else None,
        "here": [
            {"how": machine.name, "seconds": round(machine.seconds, 2), "core_hours": round(machine.core_hours, 4),
             "memory": round(machine.memory), "disk": round(machine.disk)}
            for machine in machines
        ],
    }  # fmt: skip


def about_number(number: float) -> str:
    """Two digits are known."""
    return f"{number:,.0f}" if number < 1e6 else f"{number:.1e}"


def duration(number: float) -> str:
    """Seconds, minutes, hours or days."""
    for most, unit, name in ((120, 1, "s"), (7200, 60, "min"), (172800, 3600, "h")):
        if number < most:
            return f"{number / unit:,.1f} {name}"
    return f"{number / 86400:,.0f} days"
