"""A small state graph as a picture: a row for each depth, a box for each state, arrows with the actions' names."""

from collections.abc import Mapping
from typing import Any

import networkx as nx

from ...model.language.actions import Model
from ...traces.notation import describe, phrase
from ...traces.visible import escape
from ...traces.words import plural

WIDTH, GAP, LINE, BETWEEN, MARGIN = 262, 26, 15, 84, 16
"""Pixels: of a box, between two boxes, of a line of text, between two rows, around the whole."""

MAX_LINES, MAX_LETTERS = 5, 43
"""Lines in a box, and letters in a line; the rest stands in its title."""

STYLE = (
    ":root{--ink:#1c1c1c;--paper:#fff;--card:#eef1f5;--line:#8a8f98;--bad:#a8001c}"
    "@media(prefers-color-scheme:dark){:root{--ink:#ececec;--paper:#16181c;--card:#2a2e35;--line:#7d838f;--bad:#ff8a94}}"
    "svg{font:11px system-ui,sans-serif}text{fill:var(--ink)}.paper{fill:var(--paper)}.box{fill:var(--card);stroke:var(--line)}"
    ".bad{stroke:var(--bad);stroke-width:2.5}.edge{fill:none;stroke:var(--line)}.tip{fill:var(--line)}.head{font-weight:700}"
    ".said{font-size:10px;text-anchor:middle;paint-order:stroke;stroke:var(--paper);stroke-width:3px}"
)


def lines_of(model: Model, state: Any, initial: Any) -> list[str]:
    """A state in lines: its facts that are not those of the initial state, the most telling first."""
    before = describe(model, initial)
    changed = [
        (part, fact, text)
        for part, facts in describe(model, state).items()
        for fact, text in facts.items()
        if before.get(part, {}).get(fact) != text
    ]
    foremost = model.notation.foremost
    changed.sort(key=lambda item: foremost.index(item[1]) if item[1] in foremost else len(foremost))
    return [f"{part} {text if fact == 'value' else phrase(model.notation, fact, text)}" for part, fact, text in changed]


def svg(graph: nx.MultiDiGraph) -> str:
    """The picture. Nodes have `depth`, `broken` and `lines`, edges `action` and `label`."""
    places, heights = layout(graph)
    width = max(x for x, _ in places.values()) + WIDTH + MARGIN
    height = max(places[node][1] + heights[node] for node in graph) + MARGIN
    arrows: dict[tuple[Any, Any], list[Mapping[str, Any]]] = {}
    for start, end, edge in graph.edges(data=True):
        arrows.setdefault((start, end), []).append(edge)
    leaving: dict[Any, list[Any]] = {}
    for start, end in arrows:
        leaving.setdefault(start, []).append(end)
    body = []
    for (start, end), edges in arrows.items():
        ends = leaving[start]  # the names along several arrows that leave one box stand at different heights
        body.append(arrow(places, heights, start, end, edges, 0.3 + 0.4 * ends.index(end) / max(1, len(ends) - 1)))
    body += [box(graph.nodes[node], node, *places[node], heights[node]) for node in graph]
    title = f"{plural(len(graph), 'state')} and {plural(graph.number_of_edges(), 'step')} of {graph.graph['model']}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img"'
        f' aria-label="{escape(title)}"><style>{STYLE}</style><defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4"'
        f' markerWidth="8" markerHeight="8" orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>'
        f'<rect class="paper" width="{width}" height="{height}"/>{"".join(body)}</svg>\n'
    )


def layout(graph: nx.MultiDiGraph) -> tuple[dict[Any, tuple[int, int]], dict[Any, int]]:
    """Where each box begins, and its height: rows by depth, and in a row each state near those that lead to it."""
    rows: dict[int, list[Any]] = {}
    for node, depth in graph.nodes(data="depth"):
        rows.setdefault(depth, []).append(node)
    heights = {node: 22 + LINE * min(MAX_LINES, len(lines)) for node, lines in graph.nodes(data="lines")}
    places: dict[Any, tuple[int, int]] = {}
    widest, y = max(len(row) for row in rows.values()), MARGIN
    for depth in sorted(rows):
        row = sorted(rows[depth], key=lambda node: mean_above(graph, node, places))
        left = MARGIN + (widest - len(row)) * (WIDTH + GAP) // 2
        for number, node in enumerate(row):
            places[node] = (left + number * (WIDTH + GAP), y)
        y += max(heights[node] for node in row) + BETWEEN
    return places, heights


def mean_above(graph: nx.MultiDiGraph, node: Any, places: Mapping[Any, tuple[int, int]]) -> float:
    """The mean place of the states in earlier rows that lead to a state."""
    above = [places[start][0] for start in graph.predecessors(node) if start in places]
    return sum(above) / len(above) if above else 0.0


def box(about: Mapping[str, Any], node: Any, x: int, y: int, height: int) -> str:
    """One state: its number, what it violates, and its lines."""
    broken = about.get("broken", "")
    lines = about["lines"]
    shown = [line if len(line) <= MAX_LETTERS else f"{line[: MAX_LETTERS - 1]}…" for line in lines[:MAX_LINES]]
    if len(lines) > MAX_LINES:
        shown[-1] = f"and {len(lines) - MAX_LINES + 1} facts more"
    head = f"{node}" + (" initial" if about.get("initial") else "") + (f" violates {broken}" if broken else "")
    texts = "".join(f'<text x="{x + 8}" y="{y + 31 + LINE * number}">{escape(line)}</text>' for number, line in enumerate(shown))
    title = escape("\n".join([head, *lines]))
    return (
        f'<g><title>{title}</title><rect class="box{" bad" if broken else ""}" x="{x}" y="{y}" width="{WIDTH}" height="{height}"'
        f' rx="5"/><text class="head" x="{x + 8}" y="{y + 15}">{escape(head[: MAX_LETTERS + 2])}</text>{texts}</g>'
    )


def arrow(
    places: Mapping[Any, tuple[int, int]],
    heights: Mapping[Any, int],
    start: Any,
    end: Any,
    edges: list[Mapping[str, Any]],
    along: float,
) -> str:
    """The steps between two states, as one arrow: downwards from box to box, else around the boxes' sides.

    `along`: where on its way down the names stand, from 0 to 1.
    """
    (x1, y1), (x2, y2) = places[start], places[end]
    names = list(dict.fromkeys(edge["action"] for edge in edges))
    title = escape("\n".join(edge["label"] for edge in edges))
    said = escape(", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else ""))
    if y2 > y1:
        top, bottom = y1 + heights[start], y2
        item, other = x1 + WIDTH // 2, x2 + WIDTH // 2
        path = f"M{item} {top}C{item} {top + 34} {other} {bottom - 34} {other} {bottom}"
        share = along * along * (3 - 2 * along)  # of the way from one to the other, on this curve
        at = (round(item + (other - item) * share), round(top + (bottom - top) * along))
    else:
        out, back = y1 + heights[start] // 2, y2 + heights[end] // 2 + (8 if start == end else 0)
        path = f"M{x1 + WIDTH} {out}C{x1 + WIDTH + 40} {out} {x2 + WIDTH + 40} {back} {x2 + WIDTH} {back}"
        at = (max(x1, x2) + WIDTH + 12, (out + back) // 2)
    return (
        f'<g><title>{title}</title><path class="edge" marker-end="url(#tip)" d="{path}"/>'
        f'<text class="said" x="{at[0]}" y="{at[1]}">{said}</text></g>'
    )
