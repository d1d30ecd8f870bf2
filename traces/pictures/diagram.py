"""The space-time diagram: a lane for each actor, a row for each step, an arrow for each message."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..visible import escape
from ..words import plural

ROW, HEAD, LEFT, RIGHT = 33, 40, 44, 34
"""Pixels: of a row, above the first, left of the first lane's middle, right of the last one's."""

WIDEST, NARROWEST, FULL, HALF = 158, 96, 900, 500
"""Pixels between two lanes, as many as there is room for; and the width of one picture, and of one of two."""

STUB = 0.55
"""How far a message that is never received is drawn towards its receiver."""

Document = Mapping[str, Any]


class Grid:
    """Where lanes and rows are: a row for each of so many steps."""

    def __init__(self, parts: Sequence[str], rows: int, full: int = FULL) -> None:
        self.parts = list(parts)
        self.gap = max(NARROWEST, min(WIDEST, full // max(1, len(parts))))
        self.width = LEFT + self.gap * len(parts) + RIGHT
        self.height = HEAD + ROW * rows + 8

    def x(self, part: str) -> float:
        """The middle of a lane."""
        return LEFT + self.gap * (self.parts.index(part) + 0.5)

    def y(self, number: float) -> float:
        """The middle of a step's row."""
        return HEAD + ROW * (number - 0.5)


def diagram(document: Document, prefix: str = "", links: bool = True, headed: bool = True, full: int = FULL) -> str:
    """The diagram as an SVG element. `prefix`: of its rows' ids; `headed`: with the lanes' names."""
    about, states = document["#meta"], document["states"]
    grid = Grid(about["parts"], len(states) - 1, full)
    top = 0 if headed else HEAD - 6
    body = [*(headings(grid) if headed else ()), *lanes(grid), *steps(document, grid, prefix, links)]
    for number, state in enumerate(states):
        for violation in state["#meta"].get("messages", []):
            body += message(violation, number, grid)
    title = f"Space-time diagram of {about['model']} {about['revision']}: {plural(len(states) - 1, 'step')}"
    return (
        f'<svg class="diagram" xmlns="http://www.w3.org/2000/svg" viewBox="0 {top} {grid.width} {grid.height - top}"'
        f' width="{grid.width}" height="{grid.height - top}" role="group" aria-label="{escape(title)}">'
        f'<defs><marker id="{prefix}tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8"'
        f' orient="auto-start-reverse"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>'
        + "".join(body).replace("url(#tip)", f"url(#{prefix}tip)")
        + "</svg>"
    )


def heading(document: Document, full: int = FULL) -> str:
    """The lanes' names as a separate element, which stays in sight while the diagram scrolls."""
    grid = Grid(document["#meta"]["parts"], 0, full)
    return (
        f'<svg class="diagram heads" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {grid.width} 28" width="{grid.width}"'
        f' height="28" role="img" aria-label="lanes: {escape(", ".join(grid.parts))}">{"".join(headings(grid))}</svg>'
    )


def headings(grid: Grid) -> Iterator[str]:
    """The lanes' names."""
    for part in grid.parts:
        yield f'<text class="lane" x="{grid.x(part):g}" y="20">{escape(part)}</text>'


def lanes(grid: Grid) -> Iterator[str]:
    """The lanes' lines."""
    for part in grid.parts:
        yield f'<path class="line" d="M{grid.x(part):g} 28V{grid.height - 4:g}"/>'


def steps(document: Document, grid: Grid, prefix: str, links: bool) -> Iterator[str]:
    """A row for each step: its number, which is a link, and a cross where a property is violated."""
    violated: dict[int, list[str]] = {}
    for violation in document["#meta"].get("violations", []):
        violated.setdefault(violation["step"], []).append(violation["property"])
    for number, state in enumerate(document["states"][1:], 1):
        label = state["#meta"]["label"]
        y = grid.y(number)
        bad = " bad" if number in violated else ""
        row = f'<rect class="hit{bad}" x="1" y="{y - ROW / 2:g}" width="{grid.width - 2}" height="{ROW}"/>'
        row += f'<text class="number" x="{LEFT - 12}" y="{y + 4:g}">{number}</text>'
        if bad:
            names = ", ".join(violated[number])
            verb = "is" if len(violated[number]) == 1 else "are"
            said = f"{escape(names)} {verb} violated"
            row += f'<text class="cross" x="{grid.width - 18}" y="{y + 6:g}">✖<title>{said}</title></text>'
        if links:
            said = f"step {number}: {label}" + (f", violates {', '.join(violated[number])}" if bad else "")
            yield f'<a class="row" id="{prefix}row{number}" href="#{number}" aria-label="{escape(said)}">{row}</a>'
        else:
            yield row


def message(violation: Mapping[str, Any], sent: int, grid: Grid) -> Iterator[str]:
    """An arrow from the row of sending to that of receiving; dashed and short when it is never received; a dot for one actor."""
    if violation["from"] not in grid.parts or violation["to"] not in grid.parts:
        return
    received = violation["received"]
    if received is None and not sent:
        return
    start, end = grid.x(violation["from"]), grid.x(violation["to"])
    y = grid.y(max(sent, 0.5))  # of the initial state: half a row above the first
    title = f"<title>{escape(said(violation, sent))}</title>"
    kind = "".join(c if c.isalnum() else "-" for c in violation["kind"])
    if violation["from"] == violation["to"]:
        yield f'<circle class="dot" cx="{start:g}" cy="{y:g}" r="5"/>'
        fits = start + 10 + 6.2 * len(violation["text"]) < grid.width - 22
        x, side = (start + 10, "start") if fits else (start - 10, "end")
        yield f'<text class="said {side}" x="{x:g}" y="{y + 4:g}">{escape(violation["text"])}{title}</text>'
        return
    towards = 1 if end > start else -1
    if received is None:
        tip = start + (end - start) * STUB
        yield f'<path class="arrow lost {kind}" d="M{start:g} {y:g}L{tip:g} {y + ROW * 0.6:g}">{title}</path>'
        return
    to = grid.y(received)
    yield f'<path class="arrow {kind}" marker-end="url(#tip)" d="M{start:g} {y:g}L{end - 4 * towards:g} {to:g}">{title}</path>'
    if received == sent:
        yield f'<text class="said over" x="{(start + end) / 2:g}" y="{to - 5:g}">{escape(violation["label"])}{title}</text>'
    else:
        side = "end" if towards > 0 else "start"
        yield f'<text class="said {side}" x="{end - 12 * towards:g}" y="{to + 12:g}">{escape(violation["label"])}{title}</text>'


def said(violation: Mapping[str, Any], sent: int) -> str:
    """A message in a sentence."""
    came = "never received" if violation["received"] is None else f"received in step {violation['received']}"
    return f"{violation['kind']} from {violation['from']} to {violation['to']}: {violation['text']}; sent in step {sent}, {came}"
