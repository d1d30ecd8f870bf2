"""Tables and prose that fit: a narrow terminal gets several tables below each other, never half a number, name or path."""

import os
from collections.abc import Container, Iterable, Iterator
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from ...traces.visible import visible

PIPED = 110
"""Columns where the output is no terminal, and COLUMNS says nothing."""

READABLE = 24
"""Columns that a column of prose needs at least."""


class Report(Console):
    """A console on which prose wraps at words, and long words such as paths stay whole.

    Its text is only text: what comes from a file sends nothing to the terminal, and no command to a workflow.
    """

    def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """The segments of something to print; the last place at which they are text, after lines are wrapped."""
        begins = True
        for segment in super().render(renderable, options):
            if segment.control or not segment.text:
                yield segment
                continue
            text = visible(segment.text, begins)
            begins = text.endswith("\n") or (begins and text.isspace())
            yield Segment(text, segment.style)

    def print(self, *objects: Any, **how: Any) -> None:
        """As rich does; `soft_wrap` of prose (`Text`) leaves lines whole only where the output is no terminal."""
        if how.get("soft_wrap") and self.is_terminal and all(isinstance(column, Text) for column in objects):
            how = {**how, "soft_wrap": False, "overflow": "ignore", "crop": False}
        super().print(*objects, **{"crop": False, **how})


def console_for(**how: Any) -> Console:
    """Where reports go; what is no terminal has COLUMNS columns, or 110.

    Text is printed as it stands: names and sentences of users may hold `[` or `:x:`, which are no markup. `Text` has styles.
    """
    how = {"highlight": False, "markup": False, "emoji": False, **how}
    out = Report(**how)
    if out.is_terminal:
        return out
    said = os.environ.get("COLUMNS", "")
    return Report(**{"width": int(said) if said.isdecimal() and 20 <= int(said) < 10_000 else PIPED, **how})


class Fitting(Table):
    """A table without lines. Columns that do not fit go below, with the first one repeated."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        needed = [least_width(column) + self.padding[1] + self.padding[3] for column in self.columns]
        if len(needed) > 1 and needed[0] + max(needed[1:]) > options.max_width:
            yield from (Segment(line + "\n") for line in self.paragraphs())
            return
        for number, part in enumerate(self.parts(options.max_width)):
            if number:
                yield Segment.line()
            for line in Segment.split_lines(segments_of(part, console, options)):
                yield from without_spaces_at_the_end(line)
                yield Segment.line()

    def parts(self, width: int) -> Iterator[Table]:
        """Tables that fit: this one, if it does."""
        gap = self.padding[1] + self.padding[3]
        needed = [least_width(column) + gap for column in self.columns]
        if len(needed) < 3 or sum(needed) <= width:
            yield self
            return
        group: list[int] = []
        for place in range(1, len(needed)):
            if group and needed[0] + sum(needed[column] for column in group) + needed[place] > width:
                yield self.only([0, *group])
                group = []
            group.append(place)
        yield self.only([0, *group])

    def paragraphs(self) -> Iterator[str]:
        """Where not even two columns fit: a line for each cell, below the first one of its row."""
        headings = [" ".join(str(column.header).split()) for column in self.columns]
        for first, *rest in zip(*(list(column.cells) for column in self.columns), strict=True):
            yield str(first)
            yield from (f"  {heading}: {cell}" for heading, cell in zip(headings[1:], rest, strict=True) if str(cell))

    def only(self, places: Iterable[int]) -> Table:
        """The table with these columns."""
        out = Table(box=None, pad_edge=False, header_style="dim", padding=self.padding)
        columns = [self.columns[place] for place in places]
        for column in columns:
            out.add_column(column.header, justify=column.justify, no_wrap=column.no_wrap, overflow=column.overflow)
        for row in zip(*(list(line.cells) for line in columns), strict=True):
            out.add_row(*row)
        return out


def segments_of(table: Table, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
    """What rich makes of a table."""
    yield from (column for column in Table.__rich_console__(table, console, options) if isinstance(column, Segment))


def least_width(column: Column) -> int:
    """How many columns of the terminal a column of a table needs: all of what is not to be broken, some of prose."""
    texts = [str(cell) for cell in (column.header, *column.cells)]
    whole = max((cell_len(line) for text in texts for line in text.split("\n")), default=0)
    words = max((cell_len(word) for text in texts for word in text.split()), default=0)
    return whole if column.no_wrap else min(whole, max(words, READABLE))


def without_spaces_at_the_end(line: list[Segment]) -> list[Segment]:
    """A line as it is read: not filled up to the width of the table."""
    out = list(line)
    while out and not out[-1].text.strip(" "):
        out.pop()
    if out:
        out[-1] = Segment(out[-1].text.rstrip(" "), out[-1].style, out[-1].control)
    return out


def plain_table(*columns: str, right: Container[str] = (), unbroken: Container[str] = (), title: str | None = None) -> Table:
    """A table without lines; columns that are `right` hold numbers; those and the `unbroken` ones stay on one line."""
    table = Fitting(box=None, pad_edge=False, header_style="dim", title=title, title_justify="left")
    for column in columns:
        whole = column in unbroken or column in right
        table.add_column(column, justify="right" if column in right else "left", no_wrap=whole, overflow="fold")
    return table
