"""`highwater matrix`: every revision against every property, with what is expected beside what is found."""

import argparse
import sys
import textwrap
from collections.abc import Callable
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
from .documents_explored import MatrixDocument
from .machine_readable import as_json, takes_standard_output, validate_outputs
from .parsing import Parser, add_output, add_threads, settings_of, threads_of
from .progress_line import ProgressLine
from .report import console
from .streams import attempt, kept
from .tables import plain_table

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

    def expected(self, one: Property, revision: str) -> str | None:
        """The expected verdict, in the words of the table; None where nothing is expected."""
        if not self.expecting:
            return None
        holds = one.expected_to_hold(revision, self.model)
        if one.kind == SOMETIMES:
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
    add_threads(parser)
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
    for model in models:
        matrix = explore_all(model, settings, threads_of(options), options.quiet)
        matrices.append(matrix)
        if options.traces:
            for outcome in matrix.outcomes.values():
                writes += planned_traces(outcome, model, options.traces)
        print_matrix(out, matrix)
        if not matrix.is_complete:
            break  # interrupted: what is left is not begun
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
    writes += planned_outputs(options, lambda: as_document(matrices), outcomes, unexpected, code, differences)
    return kept(code, attempt(*writes))


def explore_all(model: Model, settings: dict[str, Any], threads: int, quiet: bool) -> Matrix:
    """Explore every revision of a model to the end, with code that they share."""
    matrix = Matrix(model, not settings)
    properties = list(properties_of(model))
    configs = {revision: model.configure(revision, **settings) for revision in model.revisions}
    groups = [group for group in laid_out_alike(model, list(configs.values())) if len(group) > 1]
    for revision, config in configs.items():
        shared = next((group for group in groups if config in group), ())
        request = Request(model, revision, config, properties, keep_going=True, threads=threads, shared=shared)
        with ProgressLine(f"{model.name} {revision}: ", quiet) as progress:
            matrix.outcomes[revision] = check(request, progress)
        if matrix.outcomes[revision].stopped:
            break
    return matrix


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
