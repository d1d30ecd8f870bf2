"""The configurations below one: the same with smaller sizes and budgets, explored completely from the smallest on.

Of each the states, transitions and levels are known then. `fit` draws a surface through these numbers.
"""

import heapq
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.settings import Named
from ..budget import Bounds
from ..lattice.relevance import settings_read
from ..local.check import check
from ..request import Request

Point = tuple[int, ...]
"""The values of the settings that are lowered."""

MOST_STATES, MOST_SECONDS = 1_000_000, 60.0
"""Of each of these explorations, and of all of them."""


@dataclass(frozen=True)
class Known:
    """A configuration that was explored completely."""

    states: int
    transitions: int
    levels: tuple[int, ...]


def lowered(model: Model, config: Any) -> list[str]:
    """The settings that can be smaller and make a difference: sizes, and budgets of faults."""
    values = {
        name: [int(getattr(config, name)) - 1, int(getattr(config, name))]
        for name, setting in config.settings.items()
        if setting.group in ("size", "fault") and not isinstance(setting, Named) and getattr(config, name) > setting.low
    }
    read = settings_read(model, config, [], values)
    return [name for name in values if name in read]


def explored_below(
    model: Model,
    revision: str,
    config: Any,
    states: int = MOST_STATES,
    seconds: float = MOST_SECONDS,
    threads: int = 1,
    report: Callable[[str], None] | None = None,
) -> tuple[list[str], dict[Point, Known]]:
    """(the names of the lowered settings, what is known of each configuration at or below `config`).

    From the smallest on, those first that are expected to be small; one that has more than so many states is left out, and
    everything above it.
    """
    names, known = lowered(model, config), dict[Point, Known]()
    top = tuple(int(getattr(config, name)) for name in names)
    lows = tuple(config.settings[name].low for name in names)
    until, waiting, seen, too_large = time.monotonic() + seconds, [(1.0, lows)], {lows}, set[Point]()
    while waiting and time.monotonic() < until:
        _, point = heapq.heappop(waiting)
        if any(all(map(int.__le__, large, point)) for large in too_large):
            continue
        found = explored_at(model, revision, config, dict(zip(names, point, strict=True)), states, until, threads)
        if found is None:
            too_large.add(point)
            continue
        if isinstance(found, Known):
            known[point] = found
            if report is not None:
                report(f"{len(known)} smaller configurations, the last with {found.states:,} states")
        size = float(found.states) if isinstance(found, Known) else 1.0
        for above in neighbours(point, top):
            if above not in seen:
                seen.add(above)
                heapq.heappush(waiting, (size, above))
    return names, known


def explored_at(
    model: Model, revision: str, config: Any, settings: dict[str, int], states: int, until: float, threads: int
) -> Known | str | None:
    """What is known of one configuration; why the model refuses it; or None when it has too many states, or needs too long."""
    try:
        smaller = config.with_(**settings)
        bounds = Bounds(states=states, seconds=max(0.1, until - time.monotonic()))
        outcome = check(Request(model, revision, smaller, [], generic=True, threads=threads, bounds=bounds))
    except UsageError as error:
        return str(error)
    if not outcome.complete:
        return None
    return Known(outcome.distinct_states, outcome.transitions, tuple(map(int, outcome.levels)))


def neighbours(point: Point, top: Point) -> Iterator[Point]:
    """The points that are one larger in one place."""
    for place, most in enumerate(top):
        if point[place] < most:
            yield (*point[:place], point[place] + 1, *point[place + 1 :])
