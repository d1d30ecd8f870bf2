"""How many states a run will have, from the growth of its first levels; and what will end it before that.

The logarithm of the ratio of two levels falls about evenly from level to level, until levels shrink.
"""

import math
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .budget import Bounds
from .search import Search, SearchStatus
from .verdict import DISK, MEMORY, Expected

RATIOS = 6
"""Ratios of neighbouring levels that an estimate goes by."""

SLOWEST = 0.05
"""By how much the logarithm of the ratio falls at least. In some early levels it hardly falls, which says nothing about later
ones; and each shard that is not needed costs every level its files."""


def expected_states(levels: Sequence[int], bounds: Bounds) -> int:
    """About how many states a run with these first levels will have, at most what its bounds allow."""
    most = bounds.states or 10**15
    growth = np.diff(np.log(levels))[-RATIOS:]
    if len(growth) < 2:
        return min(sum(levels), most)
    slope, start = np.polyfit(np.arange(len(growth)), growth, 1)
    at, slope = float(start + slope * (len(growth) - 1)), min(float(slope), -SLOWEST)
    total, last, number = float(sum(levels)), float(levels[-1]), len(levels)
    while last >= 1 and total < most and not bounds.deepest(number):
        at, number = at + slope, number + 1
        last *= math.exp(at)
        total += last
    return min(round(total), most)


ENOUGH, WITHIN = 300_000, 8.0
"""States from which on an estimate is said, and the factor by which the truth may differ: from there on 17 configurations of 7e5
to 1e9 states, of the models that come with Highwater and of the gallery, were expected to have 0.15 to 6.7 times their states.
Earlier it is often too low by far; and at any time where levels grow like a power of their number, as of independent counters."""


Report = Callable[[Any], None]


@dataclass(frozen=True)
class Place:
    """Where states are kept: bytes that are left, and how many a state takes; what ends a run there, in words."""

    name: str
    left: float
    each: float


def warned(
    report: Report | None, search: Search, bounds: Bounds, places: Callable[[SearchStatus], Iterable[Place]]
) -> Callable[[SearchStatus], None]:
    """`report`, told once, at the beginning of a level, if the run is expected to be ended by a bound, or by what there is."""
    seen, begun = 0, (0.0, 0)

    def told(status: SearchStatus) -> None:
        nonlocal seen, begun
        begun = begun if seen else (bounds.elapsed(), status.states)
        if search.expected is None and status.depth > seen and sum(search.levels) >= ENOUGH:
            rate = (status.states - begun[1]) / max(1e-9, bounds.elapsed() - begun[0])
            search.expected = status.doubt = foreseen(search.levels, status.states, bounds, rate, list(places(status)))
        seen = max(seen, status.depth)
        if report is not None:
            report(status)

    return told


def foreseen(levels: Sequence[int], held: int, bounds: Bounds, rate: float, places: Sequence[Place]) -> Expected | None:
    """What is expected of a run with these first levels that holds so many states, and what ends it first; None if nothing does.

    `rate`: states in a second; 0 where it is not known.
    """
    states = expected_states(levels, Bounds(depth=bounds.depth))
    ends = {place.name: held + place.left / place.each for place in places}
    needs = {
        place.name: f", which need {in_words(states * place.each)}, and {in_words(place.left)} are left"
        for place in places
    }
    if bounds.states is not None:
        ends[f"the bound of {bounds.states:,} states"] = bounds.states
    if bounds.seconds is not None and rate:
        ends[bounds.over()] = held + rate * max(0.0, bounds.seconds - bounds.elapsed())
        needs[bounds.over()] = f", which take about {states / rate:,.0f} s at this rate"
    first = min(ends, key=lambda name: ends[name], default="")
    if not first or states <= ends[first]:
        return None
    low = max(held, round(states / WITHIN))
    return Expected(states, low, round(states * WITHIN), len(levels), first, needs.get(first, ""))


def in_words(size: float) -> str:
    """Bytes, in terabytes, gigabytes or megabytes."""
    for unit, name in ((2**40, "TB"), (2**30, "GB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size / 2**20:,.{0 if size >= 10 << 20 else 1}f} MB"


def in_memory(bounds: Bounds, each: float) -> list[Place]:
    """Memory as a place, if it is bounded."""
    room = bounds.room()
    return [] if room is None else [Place(MEMORY, room, each)]


def on_disk(folder: Path | None, each: float) -> list[Place]:
    """The disk of a folder of this machine."""
    try:
        return [] if folder is None else [Place(DISK, shutil.disk_usage(folder).free, each)]
    except OSError:
        return []
