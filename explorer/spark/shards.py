"""The default number of shards, chosen from the number of states the run is expected to reach.

The first levels run in the driver. When the first job begins, their growth says how the run goes on: the logarithm
of the ratio of two levels falls about evenly from level to level, until levels shrink.
"""

import math
from collections.abc import Sequence

import numpy as np

from ..budget import Bounds
from ..compiling.order import BLOCK

STATES, MAX_SHARDS = 20_000_000, 100_000
"""States for each shard, enough to make the cost of its files small; and the most shards of a run."""

RATIOS = 6
"""Ratios of neighbouring levels that an estimate goes by."""

SLOWEST = 0.05
"""By how much the logarithm of the ratio falls at least. In some early levels it hardly falls, which says nothing about later
ones; and each shard that is not needed costs every level its files."""


def shards_for(states: int, cores: int) -> int:
    """Shards for this many states: at least one for each core."""
    return min(max(cores, -(-states // STATES)), MAX_SHARDS)


def power_of_two(number: int) -> int:
    """The least that is more than the number: slices and blocks of a range then have common edges."""
    return 1 << number.bit_length()


def blocks_for(states: int, shards: int) -> int:
    """Blocks of the range of all fingerprints that are sorted before they are expanded, where a level has this many states."""
    return shards * power_of_two(states // (shards * BLOCK))


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
