"""Options for exploring on Spark, and their defaults."""

from dataclasses import dataclass

from .tasks import Probe, unprobed

NARROW = 200_000
"""Levels with fewer states run in the driver, which expands about this many in the time that a job takes to begin and end."""

DRIVER_STATES = 1 << 24
"""While fewer states were seen, the driver can hold all their fingerprints."""

BUDGET = 256 << 20
"""Bytes that the arrays of one task may take, roughly."""


@dataclass
class OnSpark:
    """How to explore on Spark: `shards` (when None those of the run that is resumed, else by an estimate when the first job
    begins), `bits` of a fingerprint (64 or 128), `budget` for the arrays of a task, `narrow` and `driver_states` as above."""

    shards: int | None = None
    bits: int = 64
    budget: int = BUDGET
    narrow: int = NARROW
    driver_states: int = DRIVER_STATES
    probe: Probe = unprobed
