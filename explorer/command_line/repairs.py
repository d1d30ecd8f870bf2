"""`highwater repairs`: for each property the smallest sets of repairs under which it holds, and what happens without each."""

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...model.language.errors import UsageError, hint
from ...model.language.repairs import Chain, chains, lacking, switches_of, without_rare
from ...properties.property import SOMETIMES, Property
from ..extras import needed
from ..files import write_file
from ..lattice.points import Points
from ..lattice.relevance import relevant
from ..lattice.search import IMPOSSIBLE, LatticeSearch, PointVerdict, Wish
from ..output.machine_readable import conclude, validate_outputs
from ..output.progress_line import ProgressLine
from ..output.repairs_page import with_section
from ..output.repairs_report import Report, as_document, print_report
from ..output.report import console
from ..request import Request
from ..search import INTERRUPTION
from ..sweep.runners import Runner
from ..sweep.tasks import FOUND, Explored, tasks_of
from ..trace_files import text_of, trace_path
from ..verdict import EXIT_HOLDS, EXIT_INCOMPLETE
from .parsing import Parser, add_bounds, add_json, add_subject, request_of, settings_of
from .sweep import add_runner, runner_of, store_of

SUMMARY = """For each property, find the smallest sets of the revision's repairs with which it holds at these sizes, and show
a shortest counterexample without each repair of such a set.

Smaller sets are explored first. A set is not explored when it contains a set with which the property holds, or
when the plain model accepts a known counterexample there too."""

EXAMPLE = "highwater repairs --revision kip-320 --property strong_isr --brokers 2"


def add_flags(parser: Parser) -> None:
    """The flags of `repairs`."""
    add_subject(parser)
    which = parser.add_argument_group("which repairs")
    which.add_argument("--repair", metavar="NAME", action="append", help="vary only this repair; may be repeated")
    which.add_argument("--add", metavar="NAME", action="append", help="also vary one that the revision lacks; all: every one")
    which.add_argument("--keep", action="store_true", help="keep what the revision has, and vary only what --add names")
    add_runner(parser)
    add_bounds(parser)
    files = parser.add_argument_group("files")
    files.add_argument("--traces", metavar="DIR", default="highwater-traces", help="folder of counterexamples (highwater-traces)")
    files.add_argument("--out", metavar="DIR|URI", help="keep the verdicts in this table, as highwater sweep does")
    files.add_argument("--markdown", metavar="PATH", help="write the result as a section of this page")
    add_json(parser)
    parser.add_argument("--quiet", action="store_true", help="no progress")


def run(options: argparse.Namespace) -> int:
    """Search the lattice, and report."""
    request = request_of(options)
    request.properties = [claim for claim in request.properties if must_hold(claim, request)]
    varied = chains_of(options, request)
    validate_outputs(options.json, options.markdown, folder=options.traces)
    mattering = relevant(request.model, request.config, request.properties, varied)
    settings = dict(settings_of(options, request.model))
    unread = [chain for chain in varied if chain not in mattering]
    points = Points(request.model, request.revision, shared_settings(request, settings, varied), mattering, unread)
    begun = time.perf_counter()
    with runner_of(options, request.bounds.memory) as runner, ProgressLine("repairs: ", options.quiet) as progress:
        explorer = Explorer(options, request, points, runner, progress)
        search = LatticeSearch(points, request.properties, explorer, runner.width)
        if not search.answers:
            raise UsageError(f"no property that must hold applies to {request.revision} with these settings and any repairs")
        search.run()
    report = Report(request, points, search, varied, search.explorations, time.perf_counter() - begun)
    writes = planned(report, options)
    if options.json != "-":
        print_report(console(), report)
    if options.markdown:
        writes.append(lambda: write_file(options.markdown, with_section(options.markdown, report)))
    code = EXIT_HOLDS if report.complete or options.allow_incomplete else EXIT_INCOMPLETE
    return conclude(code, options.json, lambda: as_document(report), *writes)


def must_hold(claim: Property, request: Request) -> bool:
    """Whether the question makes sense for a property; UsageError when a person named one for which it does not."""
    if claim.kind == SOMETIMES and request.named:
        raise UsageError(f"{claim.name} is a reachability property; repairs needs a property that must hold")
    return claim.kind != SOMETIMES


def chains_of(options: argparse.Namespace, request: Request) -> tuple[Chain, ...]:
    """The chains of the repairs that are asked about; UsageError when there are none."""
    known = request.model.repairs or switches_of(request.model.config)
    catalogue = {claim.name: claim for claim in known}
    if not catalogue:
        raise UsageError(f"the model {request.model.name} has no repairs: each would be a switch of its settings")
    for name in (*(options.repair or ()), *(options.add or ())):
        if name not in catalogue and name != "all":
            raise UsageError(f"the model {request.model.name} has no repair {name!r:.60}; {hint(name, catalogue)}")
    wanted = list(catalogue) if "all" in (options.add or ()) else options.add
    found = chains(known, request.config, wanted)
    if options.keep:
        if options.repair or not wanted:
            raise UsageError("--keep varies only what a revision lacks: give --add NAME, or --add all, and no --repair")
        found = tuple(c for c in (lacking(c, request.config) for c in found) if c.repairs)
    if options.repair:
        asked = {*options.repair, *(wanted or ())}
        found = tuple(c for c in found if any(repair.name in asked for repair in c.repairs))
        absent = [name for name in options.repair if not any(repair.name == name for c in found for repair in c.repairs)]
        if found and absent:
            raise UsageError(f"the revision {request.revision} lacks {absent[0]}; --add {absent[0]} varies it all the same")
    else:
        named = [name for name in options.add or () if name != "all"]
        found = tuple(c for c in (without_rare(c, named) for c in found) if not all(repair.only_adds for repair in c.repairs))
    if not found and not request.model.repairs:
        raise UsageError(f"the model {request.model.name} declares no repairs, Model(repairs=...), so there is none to vary")
    if not found:
        raise UsageError(f"the revision {request.revision} has no such repair; --add NAME, or --add all, varies what it lacks")
    return found


def shared_settings(request: Request, given: Mapping[str, Any], varied: Sequence[Chain]) -> dict[str, Any]:
    """The settings that all points share beside the revision's: those that were given, without those that vary."""
    names = {chain.setting for chain in varied}
    base = request.model.defaults(request.revision)
    shown = request.config.shown()
    return {n: v for n, v in shown.items() if n not in names and (n in given or v != base.shown()[n])}


class Explorer:
    """Explores points as tasks, keeps them if asked to, and says how far it is."""

    def __init__(
        self, options: argparse.Namespace, request: Request, points: Points, runner: Runner, progress: ProgressLine
    ) -> None:
        self.request, self.points, self.runner, self.progress = request, points, runner, progress
        self.exact_code = options.exact_code
        self.done = 0
        place = options.out or ("highwater-sweep" if runner.spark is not None else None)
        self.store = None
        if place is not None:
            with needed("spark", "--out"):
                from ..sweep import table as table
            self.store = store_of(place, runner)

    def __call__(self, wishes: Sequence[Wish]) -> Iterator[tuple[int, Mapping[str, PointVerdict]]]:
        request, points = self.request, self.points
        tasks = [
            tasks_of(
                request.model, request.revision, [points.possible_settings(point)], names, request.bounds,
                until=FOUND, exact_code=self.exact_code,
            )[0]
            for point, names in wishes
        ]  # fmt: skip
        for number, found in self.results(tasks, [points.point_shown(point) for point, _ in wishes]):
            if found.stopped == INTERRUPTION:
                raise KeyboardInterrupt
            self.done += 1
            point, names = wishes[number]
            self.progress(f"{self.done} explored of {points.count:,} sets  {' + '.join(points.names(point)) or 'none'}")
            yield point, verdicts(found, names)

    def results(self, tasks: Any, varied: Any) -> Iterator[tuple[int, Explored]]:
        """The results of tasks."""
        if self.store is None:
            return self.runner.run(tasks)
        from ..sweep.table import run_kept

        return ((number, found) for number, found, _ in run_kept(self.store, self.runner, tasks, varied))


def verdicts(found: Explored, names: Sequence[str]) -> dict[str, PointVerdict]:
    """What an exploration says of each property."""
    if found.refused:
        return dict.fromkeys(names, PointVerdict(IMPOSSIBLE))
    return {answer.name: PointVerdict(answer.verdict, answer.depth, answer.trace) for answer in found.verdicts}


def planned(report: Report, options: argparse.Namespace) -> list[Callable[[], None]]:
    """Each counterexample without a repair has a path from here on; what writes it there."""
    writes: list[Callable[[], None]] = []
    for counterexample in report.counterexamples():
        if id(counterexample) not in report.paths:
            text = text_of(counterexample, report.request.model)
            path = trace_path(options.traces, counterexample, text, taken=report.paths.values())
            report.paths[id(counterexample)] = path
            writes.append(partial(write_file, path, text))
    return writes
