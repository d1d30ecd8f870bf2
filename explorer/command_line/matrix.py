"""`highwater matrix`: every revision against every property, with what is expected beside what is found."""

import argparse
import sys
import textwrap
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from rich.console import Console
from rich.text import Text

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...properties.catalogue import properties_of
from ...properties.property import SOMETIMES, Property
from ..compiling.shared import laid_out_alike
from ..local.check import check
from ..output.documents_explored import MatrixDocument
from ..output.machine_readable import as_json, takes_standard_output, validate_outputs
from ..output.progress_line import ProgressLine
from ..output.report import console
from ..output.streams import attempt, kept
from ..output.tables import plain_table
from ..processes import run_all
from ..request import Request, sizes
from ..verdict import (
    EXIT_HOLDS,
    EXIT_INCOMPLETE,
    EXIT_USAGE,
    EXIT_VIOLATED,
    HOLDS,
    INCOMPLETE,
    NEVER,
    NOT_APPLICABLE,
    VIOLATED,
    WITNESSED,
    Finding,
    Outcome,
)
from .check import planned_outputs, planned_traces
from .parsing import Parser, add_jobs, add_output, add_threads, jobs_of, settings_of, threads_of

SUMMARY = """Explore every revision of each model completely, at its default sizes, and compare each verdict
with the expected one. Exits with 12 when one differs.

With --model and settings you can try other sizes, for which no verdict is expected."""

EXAMPLE = "highwater matrix --model kafka --json matrix.json"


@dataclass
class Matrix:
    """The outcomes of one model, by revision; `expecting`: the sizes are those that expectations are about."""

    model: Model
    expecting: bool
    outcomes: dict[str, Outcome] = field(default_factory=dict)

    def expected(self, claim: Property, revision: str) -> str | None:
        """The expected verdict, in the words of the table; None where nothing is expected."""
        if not self.expecting:
            return None
        holds = claim.expected_to_hold(revision, self.model)
        if claim.kind == SOMETIMES:
            return "seen" if holds else "never"
        return HOLDS if holds else VIOLATED

    def differences(self) -> list[str]:
        """Where what was found is not what was expected; what an interrupted run leaves open is no difference."""
        out = []
        for revision, outcome in self.outcomes.items():
            for finding in outcome.findings:
                expected, found = self.expected(finding.property, revision), word(finding)
                decided = finding.verdict not in (NOT_APPLICABLE, INCOMPLETE)
                if decided and expected is not None and expected != found:
                    name = f"{self.model.name} {revision}: {finding.property.name}"
                    out.append(f"{name} was expected to be `{expected}`, and is `{found}`")
        return out

    def in_order(self) -> "Matrix":
        """The same, with the outcomes in the order of the revisions, whichever was done first."""
        self.outcomes = {name: self.outcomes[name] for name in self.model.revisions if name in self.outcomes}
        return self

    @property
    def is_complete(self) -> bool:
        """Every revision was explored to its end."""
        return len(self.outcomes) == len(self.model.revisions) and all(o.complete for o in self.outcomes.values())

    @property
    def checks(self) -> bool:
        """Some property was checked in some revision."""
        return any(f.verdict != NOT_APPLICABLE for outcome in self.outcomes.values() for f in outcome.findings)

    def unexpected(self) -> list[Outcome]:
        """The outcomes without the violations that are expected: those are no news to a reader of code."""
        out = []
        for revision, outcome in self.outcomes.items():
            bad = [f for f in outcome.findings if f.verdict in (VIOLATED, NEVER)]
            expected = [f for f in bad if self.expected(f.property, revision) == word(f)]
            out.append(replace(outcome, findings=[f for f in outcome.findings if f not in expected]))
        return out


def word(finding: Finding) -> str:
    """A verdict in a word: holds, violated, seen, never, open, or nothing where it does not apply."""
    words = {VIOLATED: VIOLATED, WITNESSED: "seen", NEVER: "never", NOT_APPLICABLE: "", INCOMPLETE: "open"}
    return words.get(finding.verdict, finding.verdict)


def add_flags(parser: Parser) -> None:
    """The flags of `matrix`."""
    parser.about = True
    parser.add_argument("--model", metavar="NAME", help=f"only this model: {', '.join(parser.models)}")
    parser.add_argument("--traces", metavar="DIR", help="write every counterexample to this folder")
    add_jobs(parser)
    add_threads(parser, "of each process (what there is of cores for each)")
    add_output(parser)
    parser.add_argument("--quiet", action="store_true", help="no progress")


def run(options: argparse.Namespace) -> int:
    """Check everything, print a table per model, and answer the exit code."""
    models = [options.models[options.model]] if options.model else list(options.models.values())
    settings = settings_of(options, models[0])
    if settings and len(models) > 1:
        raise UsageError("settings need one model: name it with --model")
    validate_outputs(options.json, options.junit, options.sarif, folder=options.traces)
    out = console(stderr=takes_standard_output(options))
    matrices: list[Matrix] = []
    writes: list[Callable[[], None]] = []
    jobs = jobs_of(options)
    threads = threads_of(options) if options.threads else max(1, threads_of(options) // jobs)
    for matrix in explored(models, settings, jobs, threads, options.quiet):
        matrices.append(matrix)
        if options.traces:
            for outcome in matrix.outcomes.values():
                writes += planned_traces(outcome, matrix.model, options.traces)
        print_matrix(out, matrix)
    differences = [line for matrix in matrices for line in matrix.differences()]
    for line in differences:
        out.print(Text(f"differs: {line}", style="bold red"))
    complete = all(m.is_complete for m in matrices) and len(matrices) == len(models)
    empty = [matrix.model.name for matrix in matrices if not matrix.checks]
    for name in empty:
        out.print(Text(f"nothing checked: no property of the model {name} applies at these sizes", style="yellow"))
    if not differences and complete and not empty and all(m.expecting for m in matrices):
        out.print(Text("every verdict is as expected", style="green"))
    if not complete:
        out.print(Text("incomplete: the exploration was interrupted; open verdicts are not known", style="yellow"))
    sys.stdout.flush()
    unexpected = [outcome for matrix in matrices for outcome in matrix.unexpected()]
    outcomes = [outcome for matrix in matrices for outcome in matrix.outcomes.values()]
    code = EXIT_VIOLATED if differences else EXIT_INCOMPLETE if not complete else EXIT_USAGE if empty else EXIT_HOLDS
    writes += planned_outputs(options, lambda: as_document(matrices), outcomes, unexpected, code)
    return kept(code, attempt(*writes))


def explored(models: Sequence[Model], settings: dict[str, Any], jobs: int, threads: int, quiet: bool) -> Iterator[Matrix]:
    """The matrix of each model as soon as all of its revisions are explored to the end; what is left after an interruption is not
    begun, and the models of which nothing is known have none."""
    matrices = {model.name: Matrix(model, not settings) for model in models}
    requests = [request for model in models for request in requests_of(model, settings, threads)]
    waiting, stopped = list(matrices.values()), False
    with suppress(KeyboardInterrupt), closing(outcomes_of(requests, jobs, quiet)) as outcomes:
        for number, outcome in outcomes:
            request, stopped = requests[number], bool(outcome.stopped)
            matrices[request.model.name].outcomes[request.revision] = outcome
            while waiting and not stopped and len(waiting[0].outcomes) == len(waiting[0].model.revisions):
                yield waiting.pop(0).in_order()
            if stopped:
                break
    yield from (matrix.in_order() for matrix in waiting if matrix.outcomes)


def requests_of(model: Model, settings: dict[str, Any], threads: int) -> Iterator[Request]:
    """A request for each revision of a model, with code that they share."""
    configs = {revision: model.configure(revision, **settings) for revision in model.revisions}
    groups = [group for group in laid_out_alike(model, list(configs.values())) if len(group) > 1]
    for revision, config in configs.items():
        shared = next((group for group in groups if config in group), ())
        yield Request(model, revision, config, list(properties_of(model)), keep_going=True, threads=threads, shared=shared)


def outcomes_of(requests: Sequence[Request], jobs: int, quiet: bool) -> Generator[tuple[int, Outcome], None, None]:
    """(Number of the request, outcome), as each is done. In processes, the first of each group that shares code compiles it, and
    the others, which begin afterwards, load it."""
    if jobs == 1:
        for number, request in enumerate(requests):
            with ProgressLine(f"{request.model.name} {request.revision}: ", quiet) as progress:
                outcome = check(request, progress)
            yield number, outcome
        return
    known: dict[Any, int] = {}
    for number, request in enumerate(requests):
        known.setdefault((request.model.name, request.shared or request.revision), number)
    first = list(known.values())
    others, done = [number for number in range(len(requests)) if number not in first], 0
    with ProgressLine("matrix: ", quiet) as progress:
        for numbers in (first, others):
            for place, found in run_all(lambda n: without_model(check(requests[n])), numbers, jobs, "give fewer --jobs"):
                number, done = numbers[place], done + 1
                outcome = with_model(found, requests[number])
                progress(
                    f"{done} of {len(requests)}  {outcome.model.name} {outcome.revision}: {outcome.distinct_states:,} states"
                )
                yield number, outcome


def without_model(outcome: Outcome) -> Outcome:
    """An outcome that can be sent: functions of a model cannot."""
    nothing: Any = None
    findings = [replace(finding, property=nothing) for finding in outcome.findings]
    return replace(outcome, model=nothing, config=nothing, findings=findings)


def with_model(sent: Outcome, request: Request) -> Outcome:
    """The outcome of a request that was sent."""
    findings = [replace(finding, property=claim) for finding, claim in zip(sent.findings, request.properties, strict=True)]
    return replace(sent, model=request.model, config=request.config, findings=findings)


def print_matrix(out: Console, matrix: Matrix) -> None:
    """The table of one model."""
    outcomes = list(matrix.outcomes.values())
    out.print(Text(f"{matrix.model.name}: {matrix.model.title}", style="bold"))
    at = sizes(matrix.model, outcomes[0].revision, outcomes[0].config).split(", truncation ")[0]
    out.print(Text(f"at {at}" if at else "without settings", style="dim"))
    revisions = [textwrap.fill(revision, 9) for revision in matrix.outcomes]
    table = plain_table("property", *revisions, unbroken=("property", *revisions))
    table.padding = (0, 1, 0, 0)
    absent = []
    for place, finding in enumerate(outcomes[0].findings):
        row = [outcome.findings[place] for outcome in outcomes]
        if all(f.verdict == NOT_APPLICABLE for f in row):
            absent.append(f"{finding.property.name} ({finding.property.lacks(outcomes[0].config)})")
            continue
        table.add_row(finding.property.name, *(cell(matrix, f, r) for f, r in zip(row, matrix.outcomes, strict=True)))
    out.print(table)
    if absent:
        out.print(Text(f"not applicable at these sizes: {', '.join(absent)}", style="dim"))
    expected = "; ≠: another verdict was expected" if matrix.expecting else ""
    legend = "✗ 13: violated, shortest counterexample 13 steps; seen 3: witnessed after 3"
    out.print(Text(legend + expected, style="dim"))
    counted = ("distinct states", "depth", "seconds")
    table = plain_table("revision", *counted, right=counted)
    for revision, o in matrix.outcomes.items():
        table.add_row(revision, f"{o.distinct_states:,}", str(o.depth), f"{o.seconds:.1f}")
    out.print(table)
    out.print()


def cell(matrix: Matrix, finding: Finding, revision: str) -> Text:
    """`✗ 13`, or `✗ 13 ≠ holds` where another verdict was expected."""
    if finding.verdict == NOT_APPLICABLE:
        return Text("-", style="dim")
    found, expected = word(finding), matrix.expected(finding.property, revision)
    shown = "✗" if finding.verdict == VIOLATED else found
    text = f"{shown} {finding.steps}" if finding.steps is not None else shown
    if finding.verdict == INCOMPLETE:
        return Text(text, style="yellow")
    if expected not in (None, found):
        return Text(f"{text} ≠ {expected}", style="bold red reverse")
    return Text(text, style={VIOLATED: "red", HOLDS: "green"}.get(finding.verdict, ""))


def as_document(matrices: list[Matrix]) -> MatrixDocument:
    """The JSON document: one entry per model and revision, with the expected verdicts."""
    entries = []
    for matrix in matrices:
        for revision, outcome in matrix.outcomes.items():
            entry = as_json(outcome, matrix.model)
            for shown, finding in zip(entry["properties"], outcome.findings, strict=True):
                shown["expected"] = matrix.expected(finding.property, revision)
            entries.append(entry)
    return {"revisions": entries, "differences": [line for matrix in matrices for line in matrix.differences()]}
