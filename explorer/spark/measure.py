"""What `highwater bench --engine spark` measures: what Spark costs beside the local explorer, and what executors gain.

Comparisons alternate their sides and take each side's best run. CPU seconds are of the whole process tree: of the driver,
of its Java, of the executors and of their Python workers, after they have started and loaded the compiled model.
"""

from __future__ import annotations

import tempfile
import time
from typing import Any

from ...model.registry import MODELS
from ...properties.catalogue import default_properties
from ..budget import Bounds
from ..local.check import check
from ..request import Request
from ..verdict import Outcome
from .explore import OnSpark, cpu_of_all, explore
from .session import session
from .watch import SparkProgress

REVISION = "kip-279"
TEN_MILLION = {"consumers": 1}
"""Settings of the Kafka model under which this revision has 10,158,334 states."""

TINY = {"brokers": 2}
LOCAL = "local[2]"
CLUSTER = "local-cluster[{executors},1,2048]"
LEVELS = 12
"""Levels of a tiny graph over which the price of a level is averaged."""


def request_for(settings: dict[str, Any], **options: Any) -> Request:
    """All properties that are checked by default, of all states."""
    model = MODELS["kafka"]
    return Request(
        model, REVISION, model.configure(REVISION, **settings), list(default_properties(model)), keep_going=True, **options
    )


def measure_spark(quick: bool, repeat: int) -> dict[str, Any]:
    """The tables of the command."""
    settings = TINY if quick else TEN_MILLION
    narrow = {"narrow": 200} if quick else {}
    local = [check(request_for(settings)) for _ in range(repeat)]
    with session(LOCAL) as spark:
        spark_runs, beside = on_spark(spark, settings, repeat, **narrow)
        overhead = measure_level(spark)
    one = min(local, key=lambda outcome: outcome.cpu_seconds)
    other = min(spark_runs, key=lambda outcome: outcome.cpu_seconds)
    assert one.levels == other.levels, "both engines count the same"
    head = {"model": "kafka", "revision": REVISION, "settings": settings, "distinct_states": one.distinct_states}
    return {
        f"Spark {LOCAL} beside one local thread": [
            {
                **head,
                "levels": one.depth,
                "local_cpu_seconds": round(one.cpu_seconds, 2),
                "spark_cpu_seconds": round(other.cpu_seconds, 2),
                "spark_to_local_cpu": round(other.cpu_seconds / one.cpu_seconds, 2),
                "local_microseconds_per_state": per_state(one.cpu_seconds, one),
                "spark_microseconds_per_state": per_state(other.cpu_seconds, other),
                "spark_seconds": round(min(run.seconds for run in spark_runs), 2),
                **beside,
                **overhead,
            }
        ],
        "two executors beside one": [{**head, **measure_executors(settings, repeat, **narrow)}],
    }


def per_state(seconds: float, outcome: Outcome) -> float:
    """Microseconds for each distinct state."""
    return round(seconds * 1e6 / outcome.distinct_states, 2)


def on_spark(spark: Any, settings: dict[str, Any], repeat: int, **how: Any) -> tuple[list[Outcome], dict[str, Any]]:
    """Runs on a session whose workers have loaded everything; and what one of them moved, wrote and held."""
    begun, cpu = time.perf_counter(), cpu_of_all()
    warm_workers(spark, settings, **how)
    begun, cpu = time.perf_counter() - begun, cpu_of_all() - cpu
    last: list[SparkProgress] = []
    runs = [explore(request_for(settings), spark, OnSpark(**how), last.append) for _ in range(repeat)]
    states = runs[-1].distinct_states
    return runs, {
        "warm_up_seconds": round(begun, 2),
        "warm_up_cpu_seconds": round(cpu, 2),
        "shuffled_bytes_per_state": round(max(now.shuffled for now in last) / states, 1),
        "stored_bytes_per_state": round(runs[-1].bytes_per_state, 1),
        "worker_megabytes": round(max(now.worker_memory for now in last) / 2**20),
    }


def warm_workers(spark: Any, settings: dict[str, Any], **how: Any) -> None:
    """Have every worker load the compiled model: the first levels, all of them on Spark."""
    explore(request_for(settings, bounds=Bounds(depth=6)), spark, OnSpark(**{**how, "narrow": 0}))


def measure_level(spark: Any) -> dict[str, Any]:
    """What a level costs beyond its states: the first levels of a tiny graph, on Spark and in the driver."""
    seconds = {}
    for narrow in (0, 1 << 40):
        how = OnSpark(narrow=narrow)
        runs = [explore(request_for(TINY, bounds=Bounds(depth=LEVELS)), spark, how) for _ in range(3)]
        seconds[narrow] = min(run.seconds for run in runs) / LEVELS
    here, there = seconds[1 << 40], seconds[0]
    return {"seconds_per_level_on_spark": round(there - here, 3), "seconds_per_level_in_the_driver": round(here, 3)}


def measure_executors(settings: dict[str, Any], repeat: int, **how: Any) -> dict[str, Any]:
    """The same run on one executor and on two, each a process with one core."""
    found: dict[int, list[Outcome]] = {1: [], 2: []}
    for _ in range(repeat):
        for executors, runs in found.items():
            with session(CLUSTER.format(executors=executors)) as spark, tempfile.TemporaryDirectory() as folder:
                wait_for(spark, executors)
                warm_workers(spark, settings, shards=2, **how)
                request = request_for(settings, run_directory=f"file:{folder}/run")
                runs.append(explore(request, spark, OnSpark(shards=2, **how)))
    one, two = (min(found[executors], key=lambda outcome: outcome.seconds) for executors in (1, 2))
    return {
        "one_executor_seconds": round(one.seconds, 2),
        "two_executors_seconds": round(two.seconds, 2),
        "two_executors_speedup": round(one.seconds / two.seconds, 2),
        "two_executors_cpu": round(two.cpu_seconds / one.cpu_seconds, 2),
    }


def wait_for(spark: Any, executors: int) -> None:
    """Wait until so many executors have come; the driver is among those that Spark lists."""
    listed = spark.sparkContext._jsc.sc().getExecutorMemoryStatus
    until = time.monotonic() + 60
    while listed().size() < executors + 1 and time.monotonic() < until:
        time.sleep(0.1)
