"""A trace as a picture for a terminal: a row for each step, a column for each actor.

A cell always has what says most of its part, such as its log; whatever a step changed is marked with `*` and bold. The
last column shows what changed elsewhere. Which parts have columns, and what says most, the model's notation says.
Each row stands below the step's name, and comments above the steps that they explain. Where the columns
would be too narrow, as with many columns, one column shows all that changed.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..model.language.actions import Model
from ..model.language.notation import Facts, Notation
from .notation import describe, differences, phrase, split_name
from .text import AGAIN, BEGINS, NO_MORE
from .trace import Trace

NARROWEST, WIDEST = 14, 36
"""Columns of a cell."""

MARGIN = 2
"""Blanks before each column."""


def render(
    trace: Trace, model: Model, states: Sequence[Any], console: Console, broken: Mapping[str, int] | None = None
) -> None:
    """Print the picture. `states`: those of the steps that ran; `broken`: where properties are violated, by name."""
    notation, told = model.notation, [describe(model, state) for state in states]
    columns = [part for part in told[0] if re.split(r"[ \[]", part)[0] in notation.columns]
    widths = column_widths(console.width, len(columns))
    if len(widths) == 1:
        columns = []
    print_head(trace, console)
    print_headings(columns, widths, console)
    print_row(cells_of(notation, None, told[0], columns), widths, console)
    print_violated(broken or {}, 0, console)
    for number, step in enumerate(trace.steps[: len(states) - 1], 1):
        if number == trace.cycle:
            print_mark(BEGINS, console)
        console.print()
        if step.comment:
            print_comment(step.comment, console)
            print_headings(columns, widths, console)
        console.print(Text(f"{number} {step.label}", style="cyan"))
        print_row(cells_of(notation, told[number - 1], told[number], columns), widths, console)
        print_violated(broken or {}, number, console)
    if trace.cycle is not None and len(states) > len(trace.steps):
        print_mark(AGAIN.format(trace.cycle) if trace.cycle <= len(trace.steps) else NO_MORE, console)


def print_mark(text: str, console: Console) -> None:
    """Where the part begins that is repeated for ever, or ends."""
    console.print()
    console.print(Text(f"-- {text} --", style="bold magenta"))


def column_widths(width: int, columns: int) -> list[int]:
    """Columns for each actor and for the rest, without margins; only one when the columns' would be too narrow."""
    if columns:
        free = width - MARGIN * (columns + 1)
        cell = min(WIDEST, free * 2 // (2 * columns + 3))
        if cell >= NARROWEST:
            return [*[cell] * columns, min(2 * WIDEST, free - columns * cell)]
    return [max(NARROWEST, width - MARGIN)]


def print_row(cells: Iterable[Text], widths: Sequence[int], console: Console) -> None:
    """One row; all rows of a picture have the same columns."""
    table = Table.grid(padding=(0, 0, 0, MARGIN), pad_edge=True)
    for width in widths:
        table.add_column(width=width + MARGIN, overflow="fold")  # Rich counts the padding in
    table.add_row(*cells)
    console.print(table)


def print_headings(columns: Sequence[str], widths: Sequence[int], console: Console) -> None:
    """The columns' names."""
    names = [*columns, "elsewhere" if columns else "what changed"]
    print_row([Text(name, style="dim underline") for name in names], widths, console)


def print_head(trace: Trace, console: Console) -> None:
    """What the trace is of, what it is about, and its own comments."""
    settings = " ".join(f"{name}={value}" for name, value in trace.settings.items())
    console.print(Text.assemble((f"{trace.model} {trace.revision}", "bold"), f" {settings}".rstrip()))
    if trace.property:
        console.print(Text(f"about {trace.property}", style="dim"))
    console.print()
    if trace.comment:
        print_comment(trace.comment, console)
        console.print()


def print_comment(lines: Sequence[str], console: Console) -> None:
    """Comments as running text: an empty line separates paragraphs."""
    for place, paragraph in enumerate("\n".join(lines).split("\n\n")):
        if place:
            console.print()
        console.print(Text(" ".join(paragraph.split("\n")), style="italic"))


def print_violated(broken: Mapping[str, int], number: int, console: Console) -> None:
    """The properties that are violated here."""
    violated = [name for name, at in broken.items() if at == number]
    if violated:
        verb = "is" if len(violated) == 1 else "are"
        where = f"at step {number}" if number else "in the initial state"
        console.print(Text(f"! {', '.join(violated)} {verb} violated {where}", style="bold red"))


def cells_of(notation: Notation, before: Facts | None, after: Facts, columns: Sequence[str]) -> list[Text]:
    """A cell for each column, and one for the rest."""
    changes: dict[str, list[tuple[str, str]]] = {}
    for part, fact, told in differences(notation, before, after):
        changes.setdefault(part, []).append((fact, told))
    rest = Text()
    for part in after:
        lines = [text for _, text in changes.get(part, [])] if part not in columns else []
        if lines and not columns:
            lines = ["; ".join(lines)]
        for place, text in enumerate(lines):
            add_line(rest, text if place else f"{part}: {text}", marked=before is not None)
    return [*(cell_of(notation, after[part], changes.get(part, []), before is None) for part in columns), rest]


def cell_of(notation: Notation, facts: Mapping[str, str], changes: Sequence[tuple[str, str]], start: bool) -> Text:
    """What says most of a part, and whatever else the step changed."""
    changed = {fact for fact, _ in changes}
    cell = Text()
    shown = [fact for fact in facts if split_name(fact)[1] in notation.foremost or fact in changed]
    for fact in sorted(shown, key=lambda fact: place_of(notation, fact)):
        partition, name = split_name(fact)
        text = facts[fact]
        text = notation.in_cell(name, text, fact in changed) if notation.in_cell else phrase(notation, name, text)
        add_line(cell, f"{partition}{text}", fact in changed and not start)
    for fact, told in changes:
        if fact not in facts:
            add_line(cell, told, marked=True)
    return cell


def place_of(notation: Notation, fact: str) -> tuple[str, int]:
    """Partition by partition; the facts that are always shown first."""
    partition, name = split_name(fact)
    return partition, notation.foremost.index(name) if name in notation.foremost else len(notation.foremost)


def add_line(cell: Text, text: str, marked: bool) -> None:
    """Another line in a cell, with `*` and bold when it is new."""
    if cell:
        cell.append("\n")
    cell.append(f"* {text}" if marked else text, style="bold" if marked else "")
