"""A trace as a picture for a terminal: a row for each step, a column for each broker.

A broker's cell always has its log and its role; whatever a step changed is marked with `*` and bold. The
last column shows what changed elsewhere: in the store, in a controller, on the way, in what was promised.
Each row stands below the step's name, and comments above the steps that they explain. Where the columns
would be too narrow, as with many brokers, one column shows all that changed.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .notation import describe, differences, phrase, split_name
from .text import AGAIN, BEGINS, NO_MORE
from .trace import Trace
from .words import Facts

NARROWEST, WIDEST = 14, 36
"""Columns of a broker's cell."""

MARGIN = 2
"""Blanks before each column."""

ALWAYS_SHOWN = ("log", "role", "process")
"""Facts of a broker that stand in its cell also when nothing changed, in this order."""


def render(trace: Trace, states: Sequence[Any], console: Console, broken: Mapping[str, int] | None = None) -> None:
    """Print the picture. `states`: those of the steps that ran; `broken`: where properties are violated, by name."""
    told = [describe(trace.model, state) for state in states]
    brokers = [part for part in told[0] if part.split(" ")[0] in ("broker", "replica")]
    widths = column_widths(console.width, len(brokers))
    if len(widths) == 1:
        brokers = []
    print_head(trace, console)
    print_headings(brokers, widths, console)
    print_row(cells_of(None, told[0], brokers), widths, console)
    print_violated(broken or {}, 0, console)
    for number, step in enumerate(trace.steps[: len(states) - 1], 1):
        if number == trace.cycle:
            print_mark(BEGINS, console)
        console.print()
        if step.comment:
            print_comment(step.comment, console)
            print_headings(brokers, widths, console)
        console.print(Text(f"{number} {step.label}", style="cyan"))
        print_row(cells_of(told[number - 1], told[number], brokers), widths, console)
        print_violated(broken or {}, number, console)
    if trace.cycle is not None and len(states) > len(trace.steps):
        print_mark(AGAIN.format(trace.cycle) if trace.cycle <= len(trace.steps) else NO_MORE, console)


def print_mark(text: str, console: Console) -> None:
    """Where the part begins that is repeated for ever, or ends."""
    console.print()
    console.print(Text(f"-- {text} --", style="bold magenta"))


def column_widths(width: int, brokers: int) -> list[int]:
    """Columns for each broker and for the rest, without margins; only one when the brokers' would be too narrow."""
    if brokers:
        free = width - MARGIN * (brokers + 1)
        cell = min(WIDEST, free * 2 // (2 * brokers + 3))
        if cell >= NARROWEST:
            return [*[cell] * brokers, min(2 * WIDEST, free - brokers * cell)]
    return [max(NARROWEST, width - MARGIN)]


def print_row(cells: Iterable[Text], widths: Sequence[int], console: Console) -> None:
    """One row; all rows of a picture have the same columns."""
    table = Table.grid(padding=(0, 0, 0, MARGIN), pad_edge=True)
    for width in widths:
        table.add_column(width=width + MARGIN, overflow="fold")  # Rich counts the padding in
    table.add_row(*cells)
    console.print(table)


def print_headings(brokers: Sequence[str], widths: Sequence[int], console: Console) -> None:
    """The columns' names."""
    names = [*brokers, "elsewhere" if brokers else "what changed"]
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


def cells_of(before: Facts | None, after: Facts, brokers: Sequence[str]) -> list[Text]:
    """A cell for each broker, and one for the rest."""
    changes: dict[str, list[tuple[str, str]]] = {}
    for part, fact, told in differences(before, after):
        changes.setdefault(part, []).append((fact, told))
    rest = Text()
    for part in after:
        lines = [text for _, text in changes.get(part, [])] if part not in brokers else []
        if lines and not brokers:
            lines = ["; ".join(lines)]
        for place, text in enumerate(lines):
            add_line(rest, text if place else f"{part}: {text}", marked=before is not None)
    return [*(broker_cell(after[part], changes.get(part, []), before is None) for part in brokers), rest]


def broker_cell(facts: Mapping[str, str], changes: Sequence[tuple[str, str]], start: bool) -> Text:
    """The log and the role, and whatever else the step changed."""
    changed = {fact for fact, _ in changes}
    cell = Text()
    shown = [fact for fact in facts if split_name(fact)[1] in ALWAYS_SHOWN or fact in changed]
    for fact in sorted(shown, key=place_of):
        partition, name = split_name(fact)
        text = facts[fact] if name == "log" else phrase(name, facts[fact])
        if fact not in changed:
            text = shortened(name, text)
        add_line(cell, f"{partition}{text}", fact in changed and not start)
    for fact, told in changes:
        if fact not in facts:
            add_line(cell, told, marked=True)
    return cell


def place_of(fact: str) -> tuple[str, int]:
    """Partition by partition; the facts that are always shown first."""
    partition, name = split_name(fact)
    return partition, ALWAYS_SHOWN.index(name) if name in ALWAYS_SHOWN else len(ALWAYS_SHOWN)


def shortened(name: str, text: str) -> str:
    """A fact that did not change, in few words: the reader has seen it before."""
    if name == "process":
        return "down" if text.endswith("down") else "session expired"
    return text.split(",")[0].replace(" in epoch ", ", epoch ")


def add_line(cell: Text, text: str, marked: bool) -> None:
    """Another line in a cell, with `*` and bold when it is new."""
    if cell:
        cell.append("\n")
    cell.append(f"* {text}" if marked else text, style="bold" if marked else "")
