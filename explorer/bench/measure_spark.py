"""What `highwater bench` measures of Spark: what Spark costs beside the local explorer, and what executors gain.

Comparisons alternate their sides and take each side's best run. CPU seconds are of the whole process tree: of the driver,
of its Java, of the executors and of their Python workers, after they have started and loaded the compiled model.
"""

import tempfile
import time
from typing import Any

import psutil

from ...properties.catalogue import default_properties
from ...properties.registry import MODELS
from ..budget import Bounds
from ..local.check import check
from ..request import Request
from ..spark.explore import OnSpark, cpu_of, cpu_of_all, explore
from ..spark.session import session
from ..spark.settings import NARROW
from ..spark.watch import SparkProgress
from ..verdict import Outcome
from .measure_local import REVISION

LARGE = {"kafka": {"consumers": 1}, "published": {"log_size": 3, "max_records": 3, "max_epoch": 2}}
"""Settings under which this revision has some 5 and 9 million states."""

TINY = {"brokers": 2}
LOCAL = "local[2]"
CLUSTER = "local-cluster[{executors},1,2048]"
NARROW_BESIDE_EXECUTORS = 80_000
"""Levels with fewer states run in the driver where executors are compared: it expands as many in the CPU time of a job there."""

LEVELS = 12
"""Levels of a tiny graph over which the price of a level is averaged."""


def request_for(settings: dict[str, Any], name: str = "kafka", **options: Any) -> Request:
    """All properties that are checked by default, of all states."""
    model = MODELS[name]
    return Request(
        model, REVISION, model.configure(REVISION, **settings), list(default_properties(model)), keep_going=True, **options
    )


def measure_spark(quick: bool, repeat: int) -> dict[str, Any]:
    """Each model's costs on Spark beside the local explorer's."""
    narrow = {"narrow": 200} if quick else {}
    rows = []
    for name, large in LARGE.items():
        settings = TINY if quick else large
        with session(LOCAL) as spark:
            rows.append(against_local(spark, name, settings, repeat, narrow))
            if name == "kafka":
                rows[-1].update(measure_level(spark))
    return {f"Spark {LOCAL} beside one local thread": rows}


def against_local(spark: Any, name: str, settings: dict[str, Any], repeat: int, how: dict[str, Any]) -> dict[str, Any]:
    """The costs of one model locally and on Spark: with jobs as on a cluster, and by default, where the driver does more."""
    local = [check(request_for(settings, name)) for _ in range(repeat)]
    spark_runs, beside = on_spark(spark, name, settings, repeat, **{"narrow": NARROW, **how})
    default = [explore(request_for(settings, name), spark, OnSpark(**how)) for _ in range(repeat)]
    least = min(run.cpu_seconds for run in default)
    fastest = min(local, key=lambda outcome: outcome.cpu_seconds)
    other = min(spark_runs, key=lambda outcome: outcome.cpu_seconds)
    assert fastest.levels == other.levels and fastest.transitions == other.transitions, "both engines count the same"
    return {
        "model": name,
        "revision": REVISION,
        "settings": settings,
        "distinct_states": fastest.distinct_states,
        "transitions": fastest.transitions,
        "levels": fastest.depth,
        "widest_level": max(fastest.levels),
        "local_cpu_seconds": round(fastest.cpu_seconds, 2),
        "spark_cpu_seconds": round(other.cpu_seconds, 2),
        "spark_to_local_cpu": round(other.cpu_seconds / fastest.cpu_seconds, 2),
        "by_default_to_local_cpu": round(least / fastest.cpu_seconds, 2),
        "by_default_seconds": round(min(run.seconds for run in default), 2),
        "local_microseconds_per_transition": per_transition(fastest),
        "spark_microseconds_per_transition": per_transition(other),
        "spark_seconds": round(min(run.seconds for run in spark_runs), 2),
        **beside,
    }


def per_transition(outcome: Outcome) -> float:
    """CPU microseconds for each transition."""
    return round(outcome.cpu_seconds * 1e6 / outcome.transitions, 3)


def on_spark(spark: Any, name: str, settings: dict[str, Any], repeat: int, **how: Any) -> tuple[list[Outcome], dict[str, Any]]:
    """Runs on a session whose workers have loaded everything; and what one of them moved, wrote and held."""
    begun, cpu = time.perf_counter(), cpu_of_all()
    warm_workers(spark, name, settings, **how)
    begun, cpu = time.perf_counter() - begun, cpu_of_all() - cpu
    last: list[SparkProgress] = []
    runs = [explore(request_for(settings, name), spark, OnSpark(**how), last.append) for _ in range(repeat)]
    return runs, {
        "warm_up_seconds": round(begun, 2),
        "warm_up_cpu_seconds": round(cpu, 2),
        "sent_bytes_per_transition": round(max(now.shuffled for now in last) / runs[-1].transitions, 1),
        "stored_bytes_per_state": round(runs[-1].bytes_per_state, 1),
        "worker_megabytes": round(max(now.worker_memory for now in last) / 2**20),
    }


def warm_workers(spark: Any, name: str, settings: dict[str, Any], **how: Any) -> None:
    """Make every worker load the compiled model, by exploring the first levels on Spark."""
    explore(request_for(settings, name, bounds=Bounds(depth=6)), spark, OnSpark(**{**how, "narrow": 0}))


def measure_level(spark: Any) -> dict[str, Any]:
    """The cost of a level beyond its states: the first levels of a tiny graph, on Spark and in the driver."""
    seconds = {}
    for narrow in (0, 1 << 40):
        how = OnSpark(narrow=narrow)
        runs = [explore(request_for(TINY, bounds=Bounds(depth=LEVELS)), spark, how) for _ in range(3)]
        seconds[narrow] = min(run.seconds for run in runs) / LEVELS
    here, there = seconds[1 << 40], seconds[0]
    return {"seconds_per_level_on_spark": round(there - here, 3), "seconds_per_level_in_the_driver": round(here, 3)}


def compare_executors(quick: bool, repeat: int) -> dict[str, Any]:
    """The same run on one executor and on two, each a process with one core, after a whole one.

    Wall times need a core for each, and one for the driver. The CPU seconds of the busier executor and of the driver, which
    wait for each other, say how long a run takes where each process has a core.
    """
    settings = TINY if quick else LARGE["kafka"]
    walls: dict[int, list[float]] = {1: [], 2: []}
    busy: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(repeat):
        for executors in walls:
            with session(CLUSTER.format(executors=executors)) as spark, tempfile.TemporaryDirectory() as folder:
                wait_for(spark, executors)
                how: dict[str, Any] = {"shards": 2, "narrow": 200 if quick else NARROW_BESIDE_EXECUTORS}
                depth = explore(request_for(settings, run_directory=f"{folder}/warm"), spark, OnSpark(**how)).depth
                marks: dict[int, list[float]] = {}

                def mark(now: SparkProgress, seen: dict[int, list[float]] = marks, last: int = depth) -> None:
                    if now.depth in (1, last) and now.depth not in seen:
                        seen[now.depth] = cpu_of_parts()

                outcome = explore(request_for(settings, run_directory=f"{folder}/run"), spark, OnSpark(**how), mark)
                parts = [after - earlier for earlier, after in zip(marks[1], marks[depth], strict=True)]
                walls[executors].append(outcome.seconds)
                busy[executors].append(parts[0] + max(parts[1:]))
    (one, two), (one_cpu, two_cpu) = ([min(runs) for runs in found.values()] for found in (walls, busy))
    row = {
        "model": "kafka", "revision": REVISION, "settings": settings,
        "seconds_on_1": round(one, 2), "seconds_on_2": round(two, 2),
        "speedup_of_2": round(one / two, 2), "driver_and_busier_cpu_of_1": round(one_cpu, 2),
        "driver_and_busier_cpu_of_2": round(two_cpu, 2), "speedup_of_2_by_cpu": round(one_cpu / two_cpu, 2),
    }  # fmt: skip
    return {"two executors beside one": [row]}


def cpu_of_parts() -> list[float]:
    """CPU seconds of the driver and its Java, and of each executor with its workers: executors are Java processes of Java's."""
    me = psutil.Process()
    executors = [child for java in me.children() for child in java.children() if "java" in child.name()]
    each = [cpu_of(executor) for executor in sorted(executors, key=lambda process: process.pid)]
    return [cpu_of_all() - sum(each), *each]


def wait_for(spark: Any, executors: int) -> None:
    """Wait until this many executors have registered; the list that Spark gives includes the driver."""
    listed = spark.sparkContext._jsc.sc().getExecutorMemoryStatus
    until = time.monotonic() + 60
    while listed().size() < executors + 1 and time.monotonic() < until:
        time.sleep(0.1)
