"""`highwater matrix`: every revision against every property, with what is expected beside what is found."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field, replace
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...model.language.actions import Model
from ...model.registry import MODELS, model_named
from ...properties.catalogue import properties_of
from ...properties.property import SOMETIMES, Property
from ..local.check import check
from ..request import Request
from ..verdict import (
    EXIT_HOLDS,
    EXIT_INCOMPLETE,
    EXIT_VIOLATED,
    INCOMPLETE,
    NEVER,
    NOT_APPLICABLE,
    VIOLATED,
    WITNESSED,
    Finding,
    Outcome,
)
from .check import write_traces
from .github import annotate
from .machine_readable import as_json, as_junit, refuse_unwritable, write_file, write_json
from .parsing import GROUPS, Parser, add_output, add_setting, add_threads, early, threads_of
from .progress import ProgressLine
from .report import console, sizes
from .sarif import as_sarif

SUMMARY = """Explore every revision of each model at its default sizes, to the end, and compare each verdict
with the expected one. Exits with 12 when one differs.

With --model and settings other sizes can be tried; then nothing is expected."""

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
        holds = one.expected_to_hold(revision, list(self.model.revisions))
        if one.kind == SOMETIMES:
            return "seen" if holds else "never"
        return "holds" if holds else "falls"

    def differences(self) -> list[str]:
        """Where what was found is not what was expected; what a run that was cut short leaves open is neither."""
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

    def unexpected(self) -> list[Outcome]:
        """The outcomes without the violations that are expected: those are no news to a reader of code."""
        out = []
        for revision, outcome in self.outcomes.items():
            bad = [f for f in outcome.findings if f.verdict in (VIOLATED, NEVER)]
            expected = [f for f in bad if self.expected(f.property, revision) == word(f)]
            out.append(replace(outcome, findings=[f for f in outcome.findings if f not in expected]))
        return out


def word(finding: Finding) -> str:
    """A verdict in a word: holds, falls, seen, never, open, or nothing where it does not apply."""
    words = {VIOLATED: "falls", WITNESSED: "seen", NEVER: "never", NOT_APPLICABLE: "", INCOMPLETE: "open"}
    return words.get(finding.verdict, finding.verdict)


def parser_for(arguments: list[str]) -> Parser:
    """The flags of `matrix`."""
    parser = Parser("matrix", SUMMARY, EXAMPLE)
    name, _ = early(arguments)
    parser.add_argument("--model", choices=list(MODELS), help="only this model")
    parser.set_defaults(named=name)
    if name is not None:
        section = parser.add_argument_group(", ".join(GROUPS.values()))
        for setting_name, setting in model_named(name).config.settings.items():
            add_setting(section, setting_name, setting)
    parser.add_argument("--traces", metavar="DIR", help="write every counterexample there")
    add_threads(parser)
    add_output(parser)
    parser.add_argument("--quiet", action="store_true", help="no progress")
    return parser


def run(arguments: list[str]) -> int:
    """Check everything, print a table per model, and answer the exit code."""
    options = parser_for(arguments).parse_args(arguments)
    refuse_unwritable(options.json, options.junit, options.sarif, f"{options.traces}/x" if options.traces else None)
    out = console(stderr=options.json == "-")
    models = [model_named(options.named)] if options.named else list(MODELS.values())
    matrices = []
    for model in models:
        settings = {n: getattr(options, f"setting_{n}", None) for n in model.config.settings}
        settings = {n: v for n, v in settings.items() if v is not None}
        matrix = explore_all(model, settings, threads_of(options), options.quiet)
        matrices.append(matrix)
        if options.traces:
            for outcome in matrix.outcomes.values():
                write_traces(outcome, model, options.traces)
        print_matrix(out, matrix)
        if not matrix.is_complete:
            break  # interrupted: what is left is not begun
    write_results(matrices, options.json, options.junit)
    if options.sarif:
        write_file(options.sarif, as_sarif([outcome for matrix in matrices for outcome in matrix.unexpected()]))
    differences = [line for matrix in matrices for line in matrix.differences()]
    if options.github:
        annotate([outcome for matrix in matrices for outcome in matrix.unexpected()], differences)
    for line in differences:
        out.print(Text(f"differs: {line}", style="bold red"))
    complete = all(m.is_complete for m in matrices) and len(matrices) == len(models)
    if not differences and complete and all(m.expecting for m in matrices):
        out.print(Text("every verdict is the expected one", style="green"))
    if not complete:
        out.print(Text("incomplete: the exploration was interrupted; what is open is not known", style="yellow"))
    if differences:
        return EXIT_VIOLATED
    return EXIT_HOLDS if complete else EXIT_INCOMPLETE


def explore_all(model: Model, settings: dict[str, Any], threads: int, quiet: bool) -> Matrix:
    """Explore every revision of a model to the end, with code that they share."""
    matrix = Matrix(model, not settings)
    for revision in model.revisions:
        progress = ProgressLine(f"{model.name} {revision}: ", quiet)
        config = model.configure(revision, **settings)
        properties = list(properties_of(model.name))
        request = Request(model, revision, config, properties, keep_going=True, threads=threads, generic=True)
        matrix.outcomes[revision] = check(request, progress)
        progress.done()
        if matrix.outcomes[revision].stopped:
            break
    return matrix


def print_matrix(out: Console, matrix: Matrix) -> None:
    """The table of one model."""
    outcomes = list(matrix.outcomes.values())
    out.print(Text(f"{matrix.model.name}: {matrix.model.title}", style="bold"))
    out.print(Text(f"at {sizes(outcomes[0], matrix.model).split(', truncation ')[0]}", style="dim"))
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("property", no_wrap=True)
    for revision in matrix.outcomes:
        table.add_column(textwrap.fill(revision, 11), no_wrap=True)
    absent = []
    for place, finding in enumerate(outcomes[0].findings):
        row = [outcome.findings[place] for outcome in outcomes]
        if all(f.verdict == NOT_APPLICABLE for f in row):
            absent.append(f"{finding.property.name} ({finding.property.where})")
            continue
        table.add_row(finding.property.name, *(cell(matrix, f, r) for f, r in zip(row, matrix.outcomes, strict=True)))
    table.add_row("distinct states", *(f"{o.distinct_states:,}" for o in outcomes), style="dim")
    table.add_row("depth", *(str(o.depth) for o in outcomes), style="dim")
    table.add_row("seconds", *(f"{o.seconds:.1f}" for o in outcomes), style="dim")
    out.print(table)
    if absent:
        out.print(Text(f"not applicable at these sizes: {', '.join(absent)}", style="dim"))
    legend = "falls 14: violated first in states of depth 14; seen 4: witnessed first there"
    expected = "; = as expected, ≠ another verdict was expected" if matrix.expecting else ""
    out.print(Text(legend + expected + "\n", style="dim"))


def cell(matrix: Matrix, finding: Finding, revision: str) -> Text:
    """`falls 14 =` or `falls 14 ≠ holds`."""
    if finding.verdict == NOT_APPLICABLE:
        return Text("-", style="dim")
    found, expected = word(finding), matrix.expected(finding.property, revision)
    text = f"{found} {finding.depth}" if finding.depth else found
    if expected is None:
        return Text(text, style="red" if found == "falls" else "")
    if finding.verdict == INCOMPLETE:
        return Text(text, style="yellow")
    if expected == found:
        return Text(f"{text} =", style="red" if found == "falls" else "green" if found == "holds" else "")
    return Text(f"{text} ≠ {expected}", style="bold red reverse")


def write_results(matrices: list[Matrix], json_path: str | None, junit_path: str | None) -> None:
    """Everything for machines: one entry per model and revision, with the expected verdicts."""
    if json_path:
        entries = []
        for matrix in matrices:
            for revision, outcome in matrix.outcomes.items():
                entry = as_json(outcome, matrix.model)
                for shown, finding in zip(entry["properties"], outcome.findings, strict=True):
                    shown["expected"] = matrix.expected(finding.property, revision)
                entries.append(entry)
        differences = [line for matrix in matrices for line in matrix.differences()]
        write_json({"revisions": entries, "differences": differences}, json_path)
    if junit_path:
        write_file(junit_path, as_junit([o for m in matrices for o in m.outcomes.values()]))
