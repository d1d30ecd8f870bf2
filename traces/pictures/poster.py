"""One SVG of a trace, for documents: why, the space-time diagram, and the logs where the property is violated."""

import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from ..visible import escape
from .diagram import Document, diagram
from .page import asset

LINE, CELL, SIDE = 19, 26, 380
"""Pixels: of a line of text, of a record's cell, of the panel beside the diagram."""


def poster(document: Document) -> str:
    """The picture; its panel shows the state of the first violation, else the last state."""
    about, states = document["#meta"], document["states"]
    shown = [violation for violation in about["violations"] if violation["property"] == about["property"]] or about["violations"]
    step = shown[0]["step"] if shown else len(states) - 1
    drawn = diagram(document, links=False)
    width, height = (int(number) for number in re.findall(r'(?:width|height)="(\d+)"', drawn)[:2])
    title = f"{about['model']} {about['revision']}"
    why = re.sub(r":\d+\)$", ")", shown[0]["why"]) if shown else ""  # documents outlive the numbers of lines
    lines = textwrap.wrap(why if shown else f"{about['property']} is not violated", (width + SIDE) // 9)
    kept = textwrap.wrap(about["repair"], (width + SIDE) // 8) if shown else []
    top = 34 + LINE * (len(lines) + len(kept))
    body = [f'<text class="title" x="14" y="22">{escape(title)}</text>']
    body += [f'<text class="why" x="14" y="{42 + LINE * number}">{escape(line)}</text>' for number, line in enumerate(lines)]
    for number, line in enumerate(kept, len(lines)):
        body.append(f'<text x="14" y="{42 + LINE * number}">{escape(line)}</text>')
    panel, bottom = panel_of(states[step]["#meta"], step, width + 10, top + 12)
    body.append(drawn.replace("<svg ", f'<svg x="0" y="{top}" ', 1))
    body += panel
    whole, high = width + SIDE, max(top + height, bottom) + 10
    said = f"{title}: {why}" if shown else title
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {high}" width="{whole}" height="{high}" role="img"'
        f' aria-label="{escape(said)}"><style>{style()}</style><rect class="paper" width="{whole}" height="{high}"/>'
        f"{''.join(body)}</svg>\n"
    )


def style() -> str:
    """The page's colours and the diagram's style, and what only this picture has."""
    page = asset("page.css")
    colours = re.findall(r"^:root\{.*\}$|^@media\(prefers-color-scheme.*$", page, re.M)
    epochs = re.findall(r"\.(e\d)\{background:(#\w+);color:(#\w+)\}", page)
    cells = "".join(f".{name}{{fill:{back}}}.t{name}{{fill:{front}!important}}" for name, back, front in epochs)
    own = (
        "svg{font:12px system-ui,sans-serif}text{fill:var(--ink)}.paper{fill:var(--paper)}.card{fill:var(--card)}"
        ".title{font-size:16px;font-weight:700}.why{font-size:13px;font-weight:600}.part{font-weight:700}.dim{fill:var(--dim)}"
        ".cell{font:600 11px ui-monospace,monospace;text-anchor:middle}.ring{fill:none;stroke:var(--bad);stroke-width:2.5}"
        ".hw{stroke:var(--ink);stroke-width:2.5}.mark{font-size:9px;text-anchor:middle}.new{font-weight:700}"
    )
    return re.sub(r"\n", "", "".join(colours) + cells + own + asset("diagram.css"))


def panel_of(meta: Mapping[str, Any], step: int, x: int, y: int) -> tuple[list[str], int]:
    """The parts of a state, one below the other; and where they end."""
    out = [f'<text class="part" x="{x}" y="{y}">{escape(f"after step {step}" if step else "at first")}</text>']
    y += 8
    for part, facts in meta["facts"].items():
        scene = meta["scene"].get(part, {"logs": [], "badges": []})
        shown = [(fact, told) for fact, told in facts.items() if not (scene["logs"] and fact.endswith("log"))]
        text = [line for fact, told in shown for line in fact_lines(fact, told)]
        logs = scene["logs"]
        high = 24 + 38 * len(logs) + (LINE - 3) * len(text)
        out.append(f'<rect class="card" x="{x}" y="{y}" width="{SIDE - 24}" height="{high}" rx="5"/>')
        badges = " · ".join(scene["badges"])
        name = f'{escape(part)}<tspan class="dim"> {escape(badges)}</tspan>'
        out.append(f'<text class="part" x="{x + 8}" y="{y + 16}">{name}</text>')
        at = y + 24
        for log in logs:
            out += log_of(log, x + 14, at)
            at += 38
        changed = meta["changed"].get(part, {})
        new = {line for fact in changed if fact in facts for line in fact_lines(fact, facts[fact])}
        for line in text:
            mark = ' class="new"' if line in new else ""
            out.append(f'<text{mark} x="{x + 8}" y="{at + 11}">{escape(line)}</text>')
            at += LINE - 3
        y += high + 6
    return out, y


def fact_lines(fact: str, text: str) -> list[str]:
    """A fact as lines that fit the panel."""
    return textwrap.wrap(text if fact.endswith("role") else f"{fact} {text}", (SIDE - 50) // 6)


def log_of(log: Mapping[str, Any], x: int, y: int) -> Iterator[str]:
    """A log's cells, with rings and the high watermark."""
    for offset, (epoch, letter) in enumerate(log["cells"]):
        if not letter:
            continue  # retention has deleted it
        left, name = x + offset * CELL, f"e{epoch % 7}"
        yield f'<rect class="{name}" x="{left}" y="{y + 10}" width="{CELL - 2}" height="20" rx="3"/>'
        if offset in log["differs"]:
            yield f'<rect class="ring" x="{left}" y="{y + 10}" width="{CELL - 2}" height="20" rx="3"/>'
        yield f'<text class="cell t{name}" x="{left + CELL / 2 - 1:g}" y="{y + 24}">{epoch}{escape(letter)}</text>'
    mark, end = x + log["hw"] * CELL - 1, x + len(log["cells"]) * CELL + 12
    yield f'<path class="hw" d="M{mark} {y + 8}V{y + 32}"/><text class="mark" x="{mark}" y="{y + 6}">HW</text>'
    yield f'<text class="dim" x="{end}" y="{y + 24}">LEO {log["leo"]}</text>'
