"""What states and transitions cost: seconds, memory and disk on this machine, and on executors.

The constants are those of docs/performance.md and docs/spark.md, from one machine; `highwater bench --json` measures them on
another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Costs:
    """CPU microseconds of a transition, on one local thread and on Spark; by how much a run directory multiplies them; how much
    faster two threads are than one; bytes of memory for a state, without and with a run directory, at the peak; bytes of disk for
    a state, local and on Spark; bytes sent for a transition; seconds of a level beyond its states."""

    local: float = 0.071
    spark: float = 0.129
    with_run: float = 1.28
    two_threads: float = 1.81
    memory: float = 51.0
    memory_with_run: float = 18.6
    disk: float = 47.0
    disk_on_spark: float = 64.9
    sent: float = 20.9
    level: float = 0.033

    def measured(self, bench: Mapping[str, Any]) -> "Costs":
        """With what a document of `bench --json` has measured of these."""
        names = {
            "local_microseconds_per_transition": "local", "spark_microseconds_per_transition": "spark",
            "two_threads_speedup": "two_threads", "stored_bytes_per_state": "disk_on_spark",
            "sent_bytes_per_transition": "sent", "seconds_per_level_on_spark": "level",
        }  # fmt: skip
        found: dict[str, float] = {}
        for row in (row for table in bench.values() if isinstance(table, Sequence) for row in table if isinstance(row, Mapping)):
            if row.get("model", "kafka") == "kafka":
                found |= {ours: float(row[theirs]) for theirs, ours in names.items() if theirs in row}
        return replace(self, **found)


@dataclass(frozen=True)
class Machine:
    """One way to run: seconds of wall time, hours of all cores together, and bytes."""

    name: str
    seconds: float
    core_hours: float
    memory: float
    disk: float


def here(costs: Costs, states: float, transitions: float, threads: int) -> list[Machine]:
    """On this machine: in memory, and with a run directory."""
    cpu = transitions * costs.local / 1e6
    gain = 1 + (threads - 1) * (costs.two_threads - 1)
    return [
        Machine("in memory", cpu / gain, cpu / 3600, states * costs.memory, 0.0),
        Machine(
            "with --run-dir",
            costs.with_run * cpu / gain,
            costs.with_run * cpu / 3600,
            states * costs.memory_with_run,
            states * costs.disk,
        ),
    ]
