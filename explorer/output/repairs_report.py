"""What a search over sets of repairs found, for people and as JSON: the answers, and what each of them rests on."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from rich.console import Console
from rich.text import Text

from ...model.language.repairs import Chain, Repair
from ...model.language.settings import in_words
from ...traces.trace import Trace
from ...traces.words import plural
from ..lattice.points import Points
from ..lattice.search import Answer, LatticeSearch, PointVerdict
from ..request import Request
from ..verdict import INCOMPLETE, VIOLATED
from .documents_explored import MinimalSet, Repaired, RepairedEntry, SetCounts, VariedRepair, WithAll, WithoutRepair
from .machine_readable import about

EXPLORED = "explored: breadth-first, until the property is violated or everything reachable was seen"
SHOWN = (
    "shown to be violated: with this set too the plain model accepts the steps of a counterexample to another set, and they"
    " end in a violation"
)
ABOVE = "not looked at: larger than a set under which the property holds, so it cannot be a smallest one, whatever its verdict"
INAPPLICABLE = "not asked: the property does not apply with this set"
UNREAD = (
    "not varied: at these sizes the program, folded for everything else, does not read the setting, so every verdict is the same"
    " with it and without it"
)
"""Why each inference is valid. Nowhere is it assumed that more repairs are better."""


@dataclass
class Report:
    """A finished search. `varied`: the chains that were to be varied; those of `points` are the ones that make a difference.

    `paths`: where counterexamples are written, by the id of the trace.
    """

    request: Request
    points: Points
    search: LatticeSearch
    varied: Sequence[Chain]
    explorations: int
    seconds: float
    paths: dict[int, str] = field(default_factory=dict)

    @property
    def answers(self) -> list[Answer]:
        """One for each property."""
        return list(self.search.answers.values())

    @property
    def complete(self) -> bool:
        """No bound left anything open on which an answer rests."""
        return all(map(self.search.is_complete, self.answers))

    @property
    def sizes(self) -> str:
        """Sizes, budgets and other settings that all points share."""
        return in_words(self.points.base.sizes() | self.points.settings)

    @property
    def unread(self) -> list[Repair]:
        """The repairs that no program reads at these sizes."""
        read = {chain.setting for chain in self.points.chains}
        return [repair for chain in self.varied if chain.setting not in read for repair in chain.repairs]

    def counterexamples(self) -> Iterator[Trace]:
        """Those without one repair of a minimal set, and of what every set violates those with all repairs."""
        for answer in self.answers:
            found = self.search.with_all(answer)
            if not answer.minimal and found.trace is not None:
                yield found.trace
            for point in answer.minimal:
                for _, _, found in self.search.without(answer, point):
                    if found.trace is not None:
                        yield found.trace

    def method(self) -> list[str]:
        """What was explored and what was inferred, in sentences."""
        sums: Counter[str] = Counter()
        for answer in self.answers:
            sums.update(self.search.counts(answer))
        asked = self.points.count * len(self.answers)
        lines = [
            f"{self.points.count:,} sets of repairs, {asked:,} questions: of each set whether each property holds",
            f"{self.explorations:,} explorations, of which some answered several questions",
            f"{sums['explored']:,} {EXPLORED}",
            f"{sums['shown']:,} {SHOWN}",
            f"{sums['above']:,} {ABOVE}",
        ]
        if sums["inapplicable"]:
            lines.append(f"{sums['inapplicable']:,} {INAPPLICABLE}")
        if self.search.inapplicable:
            lines.append(f"not asked, because they apply with none of these sets: {', '.join(self.search.inapplicable)}")
        if self.unread:
            lines.append(f"{', '.join(repair.name for repair in self.unread)} {UNREAD}")
        return lines


def verdict_without(found: PointVerdict) -> str:
    """`violated after 13 steps`."""
    if found.verdict != VIOLATED or found.depth is None:
        return found.verdict
    return f"violated after {plural(found.depth - 1, 'step')}"


def print_report(out: Console, report: Report) -> None:
    """The report for people: a paragraph for each property."""
    out.print(Text.assemble((f"{report.request.model.name} {report.request.revision}", "bold"), f" at {report.sizes}"))
    for answer in report.answers:
        out.print()
        out.print(Text(answer.claim.name, style="bold"))
        if not answer.minimal:
            everything = report.search.with_all(answer)
            path = report.paths.get(id(everything.trace), "")
            out.print("  holds with none of these sets of repairs", style="red")
            out.print(f"    with all of them: {verdict_without(everything)}  {path}", soft_wrap=True)
        for point in answer.minimal:
            names = report.points.names(point)
            out.print(f"  holds with {' + '.join(names) or 'none of them'}", style="green", soft_wrap=True)
            for name, _, lacking in report.search.without(answer, point):
                path = report.paths.get(id(lacking.trace), "")
                out.print(f"    without {name}: {verdict_without(lacking)}  {path}", soft_wrap=True)
        if not report.search.is_complete(answer):
            left = sum(t.verdict == INCOMPLETE for t in answer.explored.values())
            out.print(f"  incomplete: a bound left {plural(left, 'set')} of repairs undecided", style="yellow")
    out.print()
    for line in report.method():
        out.print(line, style="dim")


def as_document(report: Report) -> Repaired:
    """The JSON document."""
    request, points = report.request, report.points
    unread = report.unread
    return {
        **about(request.model, request.revision, points.base),
        "config": {n: v for n, v in points.base.shown().items() if n not in {c.setting for c in points.chains}},
        "repairs": [
            cast(VariedRepair, {**vars(r), "varied": r not in unread}) for chain in report.varied for r in chain.repairs
        ],
        "sets": points.count,
        "not_applicable": report.search.inapplicable,
        "explorations": report.explorations,
        "method": {"explored": EXPLORED, "shown": SHOWN, "above": ABOVE, "inapplicable": INAPPLICABLE, "not_varied": UNREAD},
        "properties": [property_as_json(report, answer) for answer in report.answers],
        "complete": report.complete,
        "seconds": round(report.seconds, 2),
    }  # fmt: skip


def property_as_json(report: Report, answer: Answer) -> RepairedEntry:
    """One property's entry. `without`: by repair, the shortest of the counterexamples that `each` minimal set has."""
    each: dict[str, list[MinimalSet]] = {}
    for point in answer.minimal:
        for name, _, found in report.search.without(answer, point):
            repair: MinimalSet = {
                "set": report.points.names(point),
                "depth": found.depth,
                "steps": found.depth and found.depth - 1,
                "trace": report.paths.get(id(found.trace)),
                "verdict": found.verdict,
            }
            each.setdefault(name, []).append(repair)
    without: dict[str, WithoutRepair] = {}
    for name, some in each.items():
        first = min(some, key=lambda setting: setting["depth"] or 1 << 30)
        without[name] = {"each": some, "depth": first["depth"], "steps": first["steps"], "trace": first["trace"]}
    everything: WithAll | None = None
    if not answer.minimal:
        found = report.search.with_all(answer)
        everything = {"verdict": found.verdict, "depth": found.depth, "trace": report.paths.get(id(found.trace))}
    return {
        "name": answer.claim.name,
        "minimal_sets": [report.points.names(point) for point in answer.minimal],
        "without": without,
        "with_all": everything,
        "complete": report.search.is_complete(answer),
        **cast(SetCounts, report.search.counts(answer)),
    }
