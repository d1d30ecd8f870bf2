"""Numbers drawn: a page of charts in the style of the page of a trace, without anything outside of it and without a script."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..visible import escape

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 560, 240, 64, 34, 14, 16
"""Pixels of a chart, and of its margins."""

BAR, LABEL = 22, 220
"""Pixels of a bar with what is above it, and of the room for its name."""

STEEP = 200
"""From this ratio of the largest to the smallest number on, an axis is logarithmic."""


@dataclass(frozen=True)
class Lines:
    """Numbers over levels: `series` has a name and the points (x, y) of each line."""

    title: str
    across: str
    series: Sequence[tuple[str, Sequence[tuple[float, float]]]]


@dataclass(frozen=True)
class Bars:
    """A number for each name."""

    title: str
    bars: Sequence[tuple[str, float]]


@dataclass(frozen=True)
class Rows:
    """A small table."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


Chart = Lines | Bars | Rows


def charts(some: Sequence[Chart]) -> str:
    """The body of the page: a figure for each."""
    figures = (f'<figure class="chart"><figcaption>{escape(chart.title)}</figcaption>{drawn(chart)}</figure>' for chart in some)
    return f'<main class="charts">{"".join(figures)}</main>'


def drawn(chart: Chart) -> str:
    """One chart."""
    if isinstance(chart, Rows):
        heads = "".join(f"<th>{escape(str(name))}</th>" for name in chart.columns)
        cells = ("".join(f"<td>{escape(shown(value))}</td>" for value in row) for row in chart.rows)
        return f"<table><tr>{heads}</tr>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"
    if isinstance(chart, Bars):
        return svg(chart.title, WIDTH, BAR * max(1, len(chart.bars)) + 8, bars(chart))
    return svg(chart.title, WIDTH, HEIGHT, lines(chart))


def svg(title: str, width: int, height: int, body: Iterator[str]) -> str:
    """An SVG element."""
    return (
        f'<svg class="diagram" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" role="img" aria-label="{escape(title)}">{"".join(body)}</svg>'
    )


def shown(value: Any) -> str:
    """A value as text: thousands are set apart."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}" if isinstance(value, float) else str(value)


def bars(chart: Bars) -> Iterator[str]:
    """A bar for each name, as long as its number."""
    most = max((number for _, number in chart.bars), default=0) or 1
    for place, (name, number) in enumerate(chart.bars):
        y, length = BAR * place + 6, (WIDTH - LABEL - 90) * number / most
        yield f'<text class="end" x="{LABEL - 6}" y="{y + 11}">{escape(name)}</text>'
        yield f'<rect class="bar" x="{LABEL}" y="{y}" width="{max(1.0, length):.1f}" height="{BAR - 8}"/>'
        yield f'<text x="{LABEL + length + 6:.1f}" y="{y + 11}">{shown(number)}</text>'


def lines(chart: Lines) -> Iterator[str]:
    """Axes with ticks, and a line for each series; below, what each is."""
    points = [point for _, some in chart.series for point in some] or [(0.0, 0.0)]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    positive = [y for y in ys if y > 0]
    steep = bool(positive) and min(ys) >= 0 and max(ys) / min(positive) >= STEEP
    low, high = (min(positive), max(ys)) if steep else (min(0.0, *ys), max(ys) or 1)

    def across(x: float) -> float:
        return LEFT + (x - min(xs)) / ((max(xs) - min(xs)) or 1) * (WIDTH - LEFT - RIGHT)

    def up(y: float) -> float:
        part = math.log(max(y, low) / low) / (math.log(high / low) or 1) if steep else (y - low) / ((high - low) or 1)
        return HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - TOP)

    for y in ticks(low, high, steep):
        yield f'<path class="line" d="M{LEFT} {up(y):.1f}H{WIDTH - RIGHT}"/>'
        yield f'<text class="number" x="{LEFT - 6}" y="{up(y) + 4:.1f}">{shown(y)}</text>'
    for x in ticks(min(xs), max(xs), False):
        yield f'<text class="over" x="{across(x):.1f}" y="{HEIGHT - BOTTOM + 16}">{shown(x)}</text>'
    yield f'<text class="end" x="{WIDTH - RIGHT}" y="{HEIGHT - 4}">{escape(chart.across)}</text>'
    for place, (name, some) in enumerate(chart.series):
        if some:
            path = "L".join(f"{across(x):.1f} {up(y):.1f}" for x, y in some)
            yield f'<path class="curve c{place % 3}" d="M{path}"/>'
            yield f'<path class="curve c{place % 3}" d="M{LEFT + 150 * place} {HEIGHT - 8}h16"/>'
            yield f'<text class="said" x="{LEFT + 150 * place + 22}" y="{HEIGHT - 4}">{escape(name)}</text>'


def ticks(low: float, high: float, steep: bool) -> list[int]:
    """Round numbers from `low` to `high`, some five of them."""
    if steep:
        powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
        return [10**power for power in powers][:: max(1, len(powers) // 5)]
    span = max(high - low, 1)
    size = 10 ** math.floor(math.log10(span / 4)) if span >= 4 else 1
    size = next((size * factor for factor in (1, 2, 5, 10) if span / (size * factor) <= 6), size * 10)
    return list(range(math.ceil(low / size) * size, math.floor(high) + 1, size))
