"""A run on many executors, simulated level by level: what takes the time, and what does not fit.

A level is what `explorer/spark` does with it: a task for each core takes what was sent to its shards, looks it up, expands it,
and sends successors to the owners of their fingerprints, in one file for each task, of which every shard reads its parts. The
list of all parts goes through the driver.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..spark.settings import BUDGET, NARROW
from ..spark.shards import shards_for, slices_for
from ..spark.successor_files import PART
from .costs import Costs

PHASES = ("expand", "wait for the slowest", "write and read", "network", "find parts", "driver", "begin a level", "do again")
"""What the seconds of a level are spent on."""

MAX_RESULT = 1 << 30
"""Bytes that all tasks of a job may return to the driver: Spark's default of `spark.driver.maxResultSize`."""

ROW = 26
"""Bytes of a successor on its way: the parent's fingerprint, the key in two words, the action's code."""


@dataclass(frozen=True)
class Cluster:
    """`disk` and `network`: megabytes a second of one executor. `look_up`: seconds to find a part of a file; `per_part`: seconds
    of the driver to sort one, to receive it and to send it on. `uneven`: standard deviation of the logarithm of an executor's
    speed; `slow`: the chance that one is `slower` times slower for a level; `fails`: failures of an executor in an hour.
    `footers`: not as it is, but as it could be: each file ends with the list of its parts, and the driver knows only its name."""

    executors: int
    cores: int = 4
    disk: float = 500.0
    network: float = 1000.0
    look_up: float = 100e-6
    per_part: float = 0.6e-6
    uneven: float = 0.1
    slow: float = 0.01
    slower: float = 3.0
    fails: float = 0.01
    footers: bool = False


@dataclass
class Simulated:
    """Seconds by phase; the most bytes that go to the driver at once; shards; executors that failed; what does not fit."""

    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PHASES, 0.0))
    to_driver: float = 0.0
    shards: int = 0
    failed: int = 0
    broken: str = ""

    @property
    def total(self) -> float:
        """Seconds of the whole run."""
        return sum(self.seconds.values())


def simulate(profile: Sequence[float], transitions: float, cluster: Cluster, costs: Costs, seed: int = 0) -> Simulated:
    """A run whose levels have so many states."""
    chance, out, states = np.random.default_rng(seed), Simulated(), sum(profile)
    tasks = cluster.executors * cluster.cores
    out.shards = shards_for(round(states), tasks)
    for level in profile:
        sent = transitions * level / states
        if level < NARROW:
            out.seconds["driver"] += sent * costs.local / 1e6
            continue
        one_level(sent, cluster, costs, chance, out)
    return out


def one_level(sent: float, cluster: Cluster, costs: Costs, chance: np.random.Generator, out: Simulated) -> None:
    """Add a level that sends so many successors."""
    executors, tasks = cluster.executors, cluster.executors * cluster.cores
    speed = np.exp(chance.normal(0.0, cluster.uneven, executors))
    speed[chance.random(executors) < cluster.slow] /= cluster.slower
    share = chance.poisson(min(sent / tasks, 1e15), executors) * costs.spark / 1e6
    expand = share / speed
    bytes_each = sent * costs.sent / executors / 1e6
    slices = slices_for(int(sent), ROW, BUDGET, out.shards)
    parts = min(tasks * out.shards * slices, sent)
    listed = tasks if cluster.footers else parts
    mean, last = float(np.mean(expand)), float(np.max(expand))
    spent = {
        "expand": mean,
        "wait for the slowest": last - mean,
        "write and read": 2 * bytes_each / cluster.disk,
        "network": bytes_each * (1 - 1 / executors) / cluster.network,
        "find parts": parts / tasks * cluster.look_up * (2 if cluster.footers else 1),
        "driver": listed * cluster.per_part,
        "begin a level": costs.level,
    }
    lost = chance.poisson(executors * cluster.fails * sum(spent.values()) / 3600)
    spent["do again"] = mean if lost else 0.0  # the tasks of those that failed begin again together
    out.failed += int(lost)
    for phase, seconds in spent.items():
        out.seconds[phase] += seconds
    out.to_driver = max(out.to_driver, listed * PART.itemsize)
    if out.to_driver > MAX_RESULT and not out.broken:
        out.broken = (
            f"the list of {parts:.1e} parts, {tasks:,} senders times {out.shards:,} shards times {slices} slices, is"
            f" {out.to_driver / 2**30:,.1f} GB in the driver; spark.driver.maxResultSize allows {MAX_RESULT / 2**30:g}"
        )
