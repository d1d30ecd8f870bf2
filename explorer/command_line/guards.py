"""`highwater guards`: each rule of the model is broken in turn, and what is violated without it is said."""

import argparse
import fnmatch
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from rich.text import Text

from ...model.language.actions import Model
from ...model.language.errors import UsageError, hint, reason_of
from ...traces.words import plural
from ..files import write_file
from ..mutation import analysis
from ..mutation.analysis import ENOUGH_STATES, KILLED, STEP_RULE, STUCK, UNREACHED, VIOLATED, MutantRuns, Result, Size, results_of
from ..mutation.mutants import CONSTANT, EFFECT, GUARD, ORDER, Mutant, explanation
from ..mutation.record import MutantRecord
from ..output.documents_explored import RuleEntry
from ..output.guards_page import Row, command_in, page, rows_in, table
from ..output.machine_readable import validate_outputs, write_json
from ..output.report import console
from ..output.streams import complain
from ..output.tables import plain_table
from ..request import revision_named
from ..verdict import EXIT_HOLDS, EXIT_INCOMPLETE
from .parsing import Parser, SetSetting, add_json, default_model, model_named, positive, settings_of

SUMMARY = """Break each rule of a model by itself, explore small sizes, and say what is violated.

Each mutant removes one reason of a guard, drops a `+ 1`, exchanges min and max, or leaves out a call.
The mutants are generated from the syntax trees and compiled once."""

EXAMPLE = "highwater guards --model kafka --function 'expand_isr' --markdown guards.md"


def add_flags(parser: Parser) -> None:
    """The flags of `guards`."""
    parser.add_argument("--model", choices=list(parser.models), help=f"default: {default_model(parser.models)}")
    parser.about = True
    parser.add_argument("--revision", metavar="NAME", help="break its rules, at its default sizes")
    parser.add_argument("--set", metavar="NAME=VALUE", action=SetSetting, default=argparse.SUPPRESS, help="at these sizes")
    parser.add_argument(
        "--function",
        metavar="PATTERN",
        action="append",
        help="only rules of functions whose names or places match: 'kraft/*'; may be repeated",
    )
    parser.add_argument("--kind", choices=(GUARD, CONSTANT, ORDER, EFFECT), action="append", help="only these; may be repeated")
    parser.add_argument("--enough", metavar="N", type=positive, default=ENOUGH_STATES, help="states of a survivor to explore")
    parser.add_argument(
        "--jobs",
        metavar="J",
        type=positive,
        default=1,
        help="parallel processes (1); each prepares every size for itself, which pays for many rules",
    )
    parser.add_argument(
        "--record", metavar="PATH", help="keep the results in this file; results of the same programs are not explored again"
    )
    parser.add_argument("--markdown", metavar="PATH", help="write the page, and the whole table beside it (guards-table.md)")
    parser.add_argument("--keep", action="store_true", help="with --markdown: the page there keeps its rows of all other rules")
    add_json(parser)


def with_room(model: Model, configs: Sequence[Any]) -> Model:
    """The model, whose small layout has room for all of these configurations: all mutants are one program."""
    small = model.capacities["small"]
    room = {name: max([length, *(getattr(config, name) for config in configs)]) for name, length in small.items()}
    return model if room == small else replace(model, capacities={**model.capacities, "small": room})


def run(options: argparse.Namespace) -> int:
    """Explore the mutants, and report."""
    validate_outputs(options.json, options.record, options.markdown)
    beside = options.markdown and str(Path(options.markdown).with_stem(f"{Path(options.markdown).stem}-table"))
    validate_outputs(beside)
    page_before, rows_before = before(options, beside)
    model = model_named(options)
    given, last = settings_of(options, model), list(model.revisions)[-1]
    own = revision_named(model, options.revision) if options.revision else last
    sizes: Sequence[Size] = [(own, given)] if given or options.revision else model.sizes or [(last, {})]
    model = with_room(model, [model.configure(revision, **settings) for revision, settings in sizes])
    runs = MutantRuns(model, sizes, options.enough, MutantRecord(options.record))
    patterns = options.function or ["*"]
    named = [m for m in runs.mutants if any(fnmatch.fnmatch(name, p) for name in (m.function, m.place) for p in patterns)]
    chosen = [m for m in named if not options.kind or m.kind in options.kind]
    if not chosen:
        functions = dict.fromkeys(m.function for m in runs.mutants)
        raise UsageError(f"the model {model.name} has no such rule; {hint(patterns[0], functions)}")
    number = count(1)
    report = None if options.json == "-" else lambda result: tell(result, next(number), len(chosen))
    results = results_of(runs, chosen, report, options.jobs)
    if options.json != "-":
        print_counts(results)
    if options.json:
        write_json([as_json(result, sizes) for result in results], options.json)
    if len(results) < len(chosen):
        unwritten = "; the page is not written" if options.markdown else ""
        complain(f"interrupted after {len(results)} of {len(chosen)} rules{unwritten}")
        return EXIT_INCOMPLETE
    if options.markdown:
        rows = [row_of(result) for result in results]
        ends = " ".join([options.markdown, *(f"--function '{pattern}'" for pattern in options.function or ())])
        if options.keep:
            ends, rows = command_in(page_before), with_kept(rows, rows_before, runs.mutants)
        text = page(model.name, rows, sizes, runs.left_out, Path(beside).name, runs.enough, len(runs.mutants), ends)
        write_file(options.markdown, text)
        write_file(beside, table(model.name, rows, Path(options.markdown).name))
    return EXIT_HOLDS


def before(options: argparse.Namespace, table_of_page: str) -> tuple[str, list[Row]]:
    """The page that is there, and the rows of its table, with `--keep`."""
    if not options.keep:
        return "", []
    if not options.markdown:
        raise UsageError("--keep needs --markdown PATH, a page that is there")
    try:
        page, rows = Path(options.markdown).read_text(encoding="utf-8"), rows_in(Path(table_of_page).read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"--keep: {error.filename} cannot be read: {reason_of(error)}") from None
    if not rows:
        raise UsageError(f"--keep: {table_of_page} has no row that guards wrote: leave out --keep to write the page anew")
    return page, rows


def with_kept(rows: Sequence[Row], others: Sequence[Row], mutants: Sequence[Mutant]) -> list[Row]:
    """New rows and those that are kept, in the order of the mutants; what became of a rule that is no more is left out."""
    waiting = defaultdict(list)
    for row in (*rows, *others):
        waiting[row.function, row.kind, row.rule].append(row)
    return [waiting[key].pop(0) for m in mutants if waiting[key := (m.function, m.kind, m.text)]]


def row_of(result: Result) -> Row:
    """A result as the pages show it."""
    mutant = result.mutant
    note = "" if result.verdict in KILLED else explanation(mutant)
    return Row(mutant.function, mutant.kind, mutant.text, result.verdict, detail_of(result), note, result.size)


def detail_of(result: Result) -> str:
    """`strong_isr after 9 steps`, or by how much the counts differ."""
    if result.verdict in (VIOLATED, STUCK, STEP_RULE):
        return f"{result.property} after {plural(result.steps, 'step')}"
    if result.verdict == UNREACHED:
        return result.property
    return f"{result.more:+,}" if result.more else ""


def tell(result: Result, number: int, of: int) -> None:
    """A line while the rest is explored."""
    print(f"{number} of {of}  {result.mutant.label}: {row_of(result).outcome}", flush=True)


def print_counts(results: Sequence[Result]) -> None:
    """How many of each verdict."""
    counted = plain_table("rules", "verdict", "meaning", right=("rules",))
    counts = Counter(result.verdict for result in results)
    for verdict, meaning in analysis.WORDS.items():
        if counts[verdict]:
            counted.add_row(str(counts[verdict]), verdict, Text(meaning, style="dim"))
    console().print(counted)


def as_json(result: Result, sizes: Sequence[Size]) -> RuleEntry:
    """One rule's entry."""
    return {
        "function": result.mutant.function,
        "place": result.mutant.place,
        "kind": result.mutant.kind,
        "rule": result.mutant.text,
        "verdict": result.verdict,
        "property": result.property or None,
        "steps": result.steps or None,
        "size": {"revision": sizes[result.size][0], **sizes[result.size][1]} if result.size >= 0 else None,
        "more": result.more,
    }
