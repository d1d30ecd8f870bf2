"""`highwater guards`: each guard is taken out of the model in turn, and what falls without it is said."""

from __future__ import annotations

import fnmatch
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from ...model.language.errors import UsageError
from ...model.registry import MODELS, model_named
from ...properties.guard_notes import notes_of, remarks_on
from ...properties.small_sizes import small_sizes
from ..mutation.analysis import (
    BOUND,
    FALLS,
    FREER,
    IDLE,
    IMPLIED,
    LESS,
    MISSED,
    MOST_STATES,
    OPEN,
    Fate,
    Laboratory,
    Size,
    all_fates,
)
from ..mutation.mutants import CONSTANT, EFFECT, GUARD, ORDER, Mutant
from ..verdict import EXIT_HOLDS
from .machine_readable import refuse_unwritable, write_file, write_json
from .parsing import Parser, positive
from .report import console

SUMMARY = """Break each rule of a model by itself, explore the small sizes, and say what falls.

Guards are taken out, reason by reason; `+ 1` is dropped, min and max are exchanged, calls are
left out. The mutants come from the syntax trees and are compiled once."""

EXAMPLE = "highwater guards --model kafka --function 'expand_isr' --markdown guards.md"

WORDS = {
    FALLS: "a property falls that the model keeps at these sizes",
    MISSED: "a state that must be reachable is not reached any more",
    BOUND: "a variable leaves its range: the rule keeps the model finite",
    IMPLIED: "the same states and the same steps at every size: there the other rules refuse the same",
    IDLE: "the same states with other steps between them: nothing new comes about without the rule",
    LESS: "fewer states or steps: the rule makes something happen, and no property says that it must",
    FREER: "states that the whole model does not have; all were explored, and every property holds",
    OPEN: "the same, but an exploration reached the bound of states",
}
"""What each verdict means."""


def run(arguments: list[str]) -> int:
    """Explore the mutants, and report."""
    parser = Parser("guards", SUMMARY, EXAMPLE)
    parser.add_argument("--model", choices=list(MODELS), default="kafka", help="default: kafka")
    parser.add_argument("--function", metavar="PATTERN", default="*", help="only rules of functions with such a name")
    parser.add_argument("--kind", choices=(GUARD, CONSTANT, ORDER, EFFECT), action="append", help="only these; may be repeated")
    parser.add_argument("--most-states", metavar="N", type=positive, default=MOST_STATES, help=f"of one run ({MOST_STATES})")
    parser.add_argument("--markdown", metavar="PATH", help="write the table as a page")
    parser.add_argument("--json", metavar="PATH|-", help="write the result as JSON, to a file or to standard output")
    options = parser.parse_args(arguments)
    refuse_unwritable(options.json, options.markdown)
    model = model_named(options.model)
    sizes: Sequence[Size] = small_sizes(model.name) or [(list(model.revisions)[-1], {})]
    laboratory = Laboratory(model, sizes, options.most_states)
    chosen = [m for m in laboratory.mutants if is_chosen(m, options.function, options.kind)]
    if not chosen:
        raise UsageError(f"the model {model.name} has no such rule; functions with rules: {names(laboratory.mutants)}")
    fates = all_fates(laboratory, chosen, None if options.json == "-" else tell)
    if options.json != "-":
        print_counts(fates)
    if options.json:
        write_json([as_json(fate, sizes) for fate in fates], options.json)
    if options.markdown:
        write_file(options.markdown, page(model.name, fates, sizes, laboratory.left_out))
    return EXIT_HOLDS


def is_chosen(mutant: Mutant, pattern: str, kinds: Sequence[str] | None) -> bool:
    """Whether the flags name this mutant."""
    return fnmatch.fnmatch(mutant.function, pattern) and (not kinds or mutant.kind in kinds)


def names(mutants: Sequence[Mutant]) -> str:
    """The functions, each once."""
    return ", ".join(dict.fromkeys(m.function for m in mutants))


def tell(fate: Fate) -> None:
    """A line while the rest is explored."""
    sys.stdout.write(f"{fate.mutant.label}: {verdict_of(fate)}\n")
    sys.stdout.flush()


def verdict_of(fate: Fate) -> str:
    """`falls: strong_isr after 9 steps`."""
    if fate.verdict == FALLS:
        return f"{fate.verdict}: {fate.property} after {fate.steps} step{'' if fate.steps == 1 else 's'}"
    if fate.verdict == MISSED:
        return f"{fate.verdict}: {fate.property}"
    if fate.more:
        return f"{fate.verdict}: {fate.more:+,}"
    return fate.verdict


def print_counts(fates: Sequence[Fate]) -> None:
    """How many of each verdict."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("rules", "verdict", "meaning"):
        table.add_column(heading, justify="right" if heading == "rules" else "left")
    counts = Counter(fate.verdict for fate in fates)
    for verdict, meaning in WORDS.items():
        if counts[verdict]:
            table.add_row(str(counts[verdict]), verdict, Text(meaning, style="dim"))
    console().print(table)


def as_json(fate: Fate, sizes: Sequence[Size]) -> dict[str, Any]:
    """One rule's entry."""
    return {
        "function": fate.mutant.function,
        "place": fate.mutant.place,
        "kind": fate.mutant.kind,
        "rule": fate.mutant.text,
        "verdict": fate.verdict,
        "property": fate.property or None,
        "steps": fate.steps or None,
        "size": {"revision": sizes[fate.size][0], **sizes[fate.size][1]} if fate.size >= 0 else None,
        "more": fate.more,
    }


def page(model: str, fates: Sequence[Fate], sizes: Sequence[Size], left_out: Sequence[str]) -> str:
    """The whole result as a page of the docs."""
    counts = Counter(fate.verdict for fate in fates)
    open_ones = [fate for fate in fates if not is_explained(fate, model)]
    lines = [
        f"# What each rule of the {model} model is for",
        "",
        f"Generated by `highwater guards --model {model} --markdown`; do not edit. Each rule is broken by itself: a guard is",
        "taken out, reason by reason; a `+ 1` is dropped; min and max are exchanged; a call is left out. Then the sizes below",
        "are explored, one after the other, until something falls that the whole model keeps there: a property of the",
        "catalogue, or a rule of single steps (`properties/rules_of_steps.py`). Every exploration of the whole model came to its",
        "end. What falls nowhere has a sentence (`properties/guard_notes.py`) beside the counts.",
        f"{len(fates) - len(open_ones)} of {len(fates)} rules fall or are explained.",
        "",
        *remarks_on(model),
        "",
        "| rules | verdict | meaning |",
        "| --- | --- | --- |",
        *(f"| {counts[v]} | {v} | {WORDS[v]} |" for v in WORDS),
        "",
        f"Not broken, because they do not see the configuration: {', '.join(f'`{name}`' for name in left_out)}.",
        "",
        "| size | revision | settings |",
        "| --- | --- | --- |",
    ]
    for number, (revision, settings) in enumerate(sizes, 1):
        shown = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in settings.items())
        lines.append(f"| {number} | {revision} | {shown or 'the defaults'} |")
    lines += ["", "| where | rule | without it | size |", "| --- | --- | --- | --- |"]
    for fate in fates:
        rule = fate.mutant.text.replace("|", "\\|")
        note = note_on(fate, model)
        told = f"{verdict_of(fate)}. {note}" if note else verdict_of(fate)
        size = fate.size + 1 if fate.size >= 0 else "all"
        lines.append(f"| `{fate.mutant.function}` | {fate.mutant.kind} `{rule}` | {told} | {size} |")
    lines += ["", "## Unexplained", ""]
    lines += [f"- `{fate.mutant.function}`: `{fate.mutant.text}`" for fate in open_ones] or ["None."]
    return "\n".join(lines) + "\n"


def note_on(fate: Fate, model: str) -> str:
    """The sentence on a rule without which nothing falls."""
    if fate.verdict in (FALLS, MISSED, BOUND):
        return ""
    return notes_of(model).get((fate.mutant.function, fate.mutant.text), "")


def is_explained(fate: Fate, model: str) -> bool:
    """It falls, or the counts say that nothing new comes about without it, or a sentence says why nothing falls."""
    return fate.verdict not in (LESS, FREER, OPEN) or bool(note_on(fate, model))
