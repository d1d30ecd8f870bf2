"""Options for exploring on Spark, and their defaults."""

from dataclasses import dataclass
from typing import Any

from .tasks import Probe, unprobed

NARROW = 200_000
"""Levels with fewer states run in the driver, which expands about this many in the time that a job takes to begin and end."""

IN_A_JOB, DEARER = 110_000, 2.0
"""States that the driver expands while a job begins and ends, and CPU time in jobs against that in the driver (docs/spark.md)."""

DRIVER_STATES = 1 << 24
"""While fewer states were seen, the driver can hold all their fingerprints; with 128 bits, their keys."""

BUDGET = 256 << 20
"""Bytes that the arrays of one task may take, roughly."""


@dataclass
class OnSpark:
    """How to explore on Spark: `shards` (when None those of the run that is resumed, else by an estimate when the first job
    begins), `bits` of a fingerprint (64 or 128), `budget` for the arrays of a task, `narrow` (when None by `narrow_for`) and
    `driver_states` as above."""

    shards: int | None = None
    bits: int = 64
    budget: int = BUDGET
    narrow: int | None = None
    driver_states: int = DRIVER_STATES
    probe: Probe = unprobed


def narrow_for(context: Any, most: int) -> int:
    """The states below which a level runs in the driver: as many as it expands in the time of a job on all cores, where these are
    cores of its own machine, and at most so many."""
    cores = int(context.defaultParallelism)
    if str(context.master).partition("[")[0] != "local":
        return NARROW
    return max(NARROW, round(IN_A_JOB / (1 - DEARER / cores))) if cores > DEARER else most
