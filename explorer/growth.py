"""How many states a run will have, from the growth of its first levels; and whether memory will end it.

The logarithm of the ratio of two levels falls about evenly from level to level, until levels shrink.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from .budget import Bounds
from .search import SearchStatus

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


ENOUGH = 300_000
"""States from which on an estimate is worth a warning: from there on it was 0.25 to 1.4 times the truth in complete runs, and up
to 20 times what others had reached when a bound ended them. Earlier it is often too low by far."""


Report = Callable[[SearchStatus], None]


def warned(report: Report | None, levels: Sequence[int], bounds: Bounds) -> Report:
    """`report`, told at the beginning of each level whether the run is expected to need more memory than there is."""
    seen = 0

    def told(status: SearchStatus) -> None:
        nonlocal seen
        if status.depth > seen and status.states >= ENOUGH:
            seen, status.doubt = status.depth, doubt(levels, status.bytes / status.states, status.bytes, bounds)
        if report is not None:
            report(status)

    return told


def doubt(levels: Sequence[int], each: float, held: int, bounds: Bounds) -> str:
    """That a run is expected to need more memory than there is, in a sentence with its numbers; empty where it is not.

    `each`: bytes for a state; `held`: bytes that the states of these levels have already.
    """
    states, room = expected_states(levels, bounds), bounds.room()
    if room is None or states * each <= held + room:
        return ""
    return (
        f"by the growth of {len(levels)} levels about {states:.0e} states are expected, which need"
        f" {states * each / 2**30:,.0f} GB, and {room / 2**30:,.1f} GB are left: memory will probably end this run"
    )
