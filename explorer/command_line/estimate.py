"""`highwater estimate`: how many states a configuration has, and what it costs to explore them, before it is explored."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...model.language.errors import UsageError, reason_of
from ...traces.words import plural
from ..estimate.costs import Costs, Machine, here
from ..estimate.fit import Estimate, estimate, lacking
from ..estimate.smaller import MOST_SECONDS, MOST_STATES, explored_below
from ..extras import needed
from ..growth import in_words
from ..machine import MOST_THREADS, available_memory, threads_for
from ..output.documents_explored import Estimated, OnExecutors
from ..output.machine_readable import about, conclude, validate_outputs
from ..output.progress_line import ProgressLine
from ..output.report import console, print_head
from ..output.tables import plain_table
from ..request import Request
from ..verdict import EXIT_HOLDS, EXIT_INCOMPLETE
from .parsing import Parser, above_zero, add_json, add_subject, positive, request_of, seconds

if TYPE_CHECKING:
    from ..estimate.exchange import Cluster, Simulated

SUMMARY = """Explore the configurations below one, with smaller sizes and budgets, and estimate from them how many states it has,
and what exploring it takes on this machine, or on executors.

Nothing is checked. docs/scale.md says how often the truth was within the interval; more --states and --seconds make it
narrower."""

EXAMPLE = "highwater estimate --revision kip-320 --log-size 3 --max-records 3 --executors 20"


def add_flags(parser: Parser) -> None:
    """The flags of `estimate`."""
    add_subject(parser)
    how = parser.add_argument_group("smaller configurations")
    how.add_argument("--states", metavar="N", type=positive, default=MOST_STATES, help=f"of the largest ({MOST_STATES:,})")
    how.add_argument("--seconds", metavar="S", type=seconds, default=MOST_SECONDS, help=f"for all of them ({MOST_SECONDS:g})")
    how.add_argument("--threads", metavar="T", type=positive, help=f"at most {MOST_THREADS} (default: one per core)")
    where = parser.add_argument_group("executors, each with cores, disk and network")
    where.add_argument("--executors", metavar="N", type=positive, action="append", help="simulate so many; may be repeated")
    where.add_argument("--executor-cores", metavar="C", type=positive, default=4, help="of each (4)")
    where.add_argument("--executor-disk", metavar="MB/S", type=positive, default=500, help="of each (500)")
    where.add_argument("--executor-network", metavar="MB/S", type=positive, default=1000, help="of each (1000)")
    where.add_argument("--core-price", metavar="P", type=above_zero("price"), help="of a core for an hour")
    parser.add_argument("--costs", metavar="FILE", action="append", help="of `highwater bench --json`: costs on your machine")
    add_json(parser)
    parser.add_argument("--quiet", action="store_true", help="no progress")


def run(options: argparse.Namespace) -> int:
    """Explore what is smaller, estimate, print."""
    request = request_of(options, checks=False)
    validate_outputs(options.json)
    if options.property:
        raise UsageError("estimate checks no property: leave out --property")
    if options.core_price is not None and not options.executors:
        raise UsageError("--core-price needs --executors")
    costs, threads = costs_of(options.costs or ()), threads_for(options.threads)
    with ProgressLine("estimate: ", options.quiet) as progress:
        names, known = explored_below(
            request.model, request.revision, request.config, options.states, options.seconds, threads, progress
        )
    top = tuple(int(getattr(request.config, name)) for name in names)
    found = estimate(known, top)
    runs = on_executors(options, found, costs) if found and options.executors else []
    machines = here(costs, found.states, found.transitions, threads) if found else []
    if options.json != "-":
        print_head(console(), request.model, request.revision, request.config)
        if found:
            print_estimate(found, names, threads, machines)
        else:
            console().print(f"no estimate: {lacking(known, top, names)}; allow more --states or --seconds")
        print_runs(runs, options.core_price)
    code = EXIT_HOLDS if found else EXIT_INCOMPLETE
    return conclude(code, options.json, lambda: as_document(request, found, machines, runs))


def on_executors(options: argparse.Namespace, found: Estimate, costs: Costs) -> "list[tuple[Cluster, Simulated]]":
    """Simulated runs, one for each number of executors."""
    with needed("spark", "--executors"):
        from ..estimate.exchange import Cluster, simulate
    clusters = [
        Cluster(number, options.executor_cores, options.executor_disk, options.executor_network) for number in options.executors
    ]
    return [(cluster, simulate(found.profile, found.transitions, cluster, costs)) for cluster in clusters]


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


def print_runs(runs: Sequence["tuple[Cluster, Simulated]"], price: float | None) -> None:
    """The simulated runs on executors."""
    if not runs:
        return
    columns = ["executors", "time", "core hours", "most of it", "list in the driver", *(["price"] if price is not None else [])]
    table = plain_table(*columns, right=[column for column in columns if column != "most of it"])
    for cluster, answer in runs:
        hours = answer.total / 3600 * cluster.executors * cluster.cores
        phase = max(answer.seconds, key=lambda name: answer.seconds[name])
        share = f"{phase}, {answer.seconds[phase] / answer.total:.0%}" if answer.total else ""
        row = [f"{cluster.executors} x {cluster.cores}", duration(answer.total), f"{hours:,.2f}", share]
        table.add_row(*row, in_words(answer.to_driver), *([f"{hours * price:,.2f}"] if price is not None else []))
    console().print(table)
    for cluster, answer in runs:
        if answer.broken:
            console().print(f"with {cluster.executors} executors it breaks: {answer.broken}")


def as_document(
    request: Request, found: Estimate | None, machines: Sequence[Machine], runs: Sequence["tuple[Cluster, Simulated]"]
) -> Estimated:
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
        "executors": [as_entry(cluster, item) for cluster, item in runs],
    }  # fmt: skip


def as_entry(cluster: "Cluster", run: "Simulated") -> OnExecutors:
    """A run run, for JSON."""
    return {
        "executors": cluster.executors, "cores": cluster.cores, "seconds": round(run.total, 2),
        "phases": {name: round(value, 3) for name, value in run.seconds.items()}, "bytes_to_the_driver": round(run.to_driver),
        "shards": run.shards, "failed": run.failed, "broken": run.broken or None,
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
