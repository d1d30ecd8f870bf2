"""The default number of shards, chosen from the number of states that the run is expected to reach when the first job begins; and
the slices and blocks of their ranges."""

from ..compiling.order import BLOCK

STATES, MAX_SHARDS = 20_000_000, 100_000
"""States for each shard, enough to make the cost of its files small; and the most shards of a run."""


def shards_for(states: int, cores: int) -> int:
    """Shards for this many states: at least one for each core."""
    return min(max(cores, -(-states // STATES)), MAX_SHARDS)


def power_of_two(number: int) -> int:
    """The least that is more than the number: slices and blocks of a range then have common edges."""
    return 1 << number.bit_length()


SLICED_ROW, MAX_SLICES = 3, 1024
"""Times the bytes of a row that it takes in a slice, with the table; and how many slices a shard's range has at most."""


def slices_for(rows: int, row: int, budget: int, shards: int) -> int:
    """Slices of the range of each shard, where so many rows arrive at all shards together: each fits the budget of a task."""
    return min(MAX_SLICES, power_of_two(rows * row * SLICED_ROW // (budget * shards)))


def blocks_for(states: int, shards: int) -> int:
    """Blocks of the range of all fingerprints that are sorted before they are expanded, where a level has this many states."""
    return shards * power_of_two(states // (shards * BLOCK))
