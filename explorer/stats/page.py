"""The page of `highwater stats --html`: a run's tables as charts."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

from ...properties.log_fields import COUNTED, MEASURES, NEAREST
from ...traces.pictures.charts import Bars, Chart, Lines, Rows
from ...traces.pictures.page import chart_page

MAX_BARS = 24
"""Actions that have a bar; the others are in the printed table."""

Table = tuple[Sequence[str], Sequence[Sequence[Any]]]
"""The names of the columns, and the rows."""


def stats_page(title: str, about: str, tables: Mapping[str, Table], taken: Sequence[int]) -> str:
    """The page; `taken`: steps after each level."""
    return chart_page(title, about, list(charts_of(tables, taken)))


def charts_of(tables: Mapping[str, Table], taken: Sequence[int]) -> Iterator[Chart]:
    """A chart for each table that there is."""
    levels = as_dicts(tables.get("levels", ((), ())))
    if levels:
        new = [(float(row["level"]), float(row["states"])) for row in levels]
        pairs = enumerate(pairwise(taken), 1)
        steps = [(float(place), float(after - before)) for place, (before, after) in pairs]
        yield Lines("new states of each level, and steps from it", "level", [("new states", new), ("steps", steps)])
        seen = zip((x for x, _ in new), accumulate(y for _, y in new), strict=True)
        yield Lines("states seen", "level", [("states", list(seen))])
    if levels and "largest" in levels[0]:
        yield Lines("shards: states of the largest and the smallest", "level", [
            (name, [(float(row["level"]), float(row[name])) for row in levels]) for name in ("largest", "smallest")
        ])  # fmt: skip
        yield Lines("skew: the largest shard against the mean", "level", [
            ("skew", [(float(row["level"]), float(row["skew"])) for row in levels])
        ])  # fmt: skip
    for name in BARS:
        found = as_dicts(tables[name]) if name in tables else []
        if found:
            label, *_, number = found[0]
            yield Bars(TITLES[name], [(str(row[label]), float(row[number])) for row in found[:MAX_BARS]])
    if NEAREST in tables:
        yield Rows(TITLES[NEAREST], *tables[NEAREST])


TITLES = {
    "levels": "states per level; skew: the largest shard against the mean",
    "actions": "actions by which states were found first",
    "witnesses": "how often `sometimes` properties were witnessed",
    **MEASURES,
}
"""What each table holds; those of `BARS` are bars on the page."""

BARS = ("actions", "witnesses", *COUNTED)


def as_dicts(table: Table) -> list[dict[str, Any]]:
    """The rows by the names of their columns."""
    columns, rows = table
    return [dict(zip(columns, row, strict=True)) for row in rows]
