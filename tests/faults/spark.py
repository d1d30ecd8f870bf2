"""The engine on Spark under faults: damaged files, and driver, executors and workers that are killed at random moments.

Half of the runs that are killed are on executors that are processes of their own. A kill strikes everything (driver, Java,
workers; the run is resumed), one executor, or one Python worker (the run goes on by itself). It counts only when the run was not
over yet.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import psutil
from highwater.explorer.local.check import check
from highwater.explorer.spark.session import session
from support.clusters import CLUSTER
from support.elsewhere import with_support
from support.on_spark import alike, on_spark, request

from . import local
from .damage import DAMAGES, flip

DEPTH = 11
"""Levels of the run that is damaged, the last of them on Spark."""

RUN = """
import json, sys
from highwater.explorer.spark.session import session
from support.on_spark import alike, on_spark, request
with session(sys.argv[2], **{"spark.task.maxFailures": "8"}) as spark:
    print("begins", flush=True)
    how = {"shards": 3, "narrow": int(sys.argv[3]), "path": sys.argv[1], "resume": sys.argv[4] == "resume"}
    print(json.dumps(alike(on_spark(spark, request(), **how))), flush=True)
"""


def parts(seconds):
    """What `python -m tests.faults` can do to runs on Spark."""

    def flips(folder, seed, count):
        return damages_on_a_session(folder, seed, count, (flip,), seconds)

    def damages(folder, seed, count):
        return damages_on_a_session(folder, seed, count, DAMAGES, seconds)

    def kills(folder, seed, count):
        try:
            runs, struck = many(count, seed, seconds)
        except AssertionError as error:
            return Counter(), [str(error)]
        return Counter({**struck, "runs": runs}), []

    return {"kills": kills, "flips": flips, "damages": damages}


def damages_on_a_session(folder, seed, count, kinds, seconds):
    """As `local.damages`, on threads of this machine; so many, or as many as fit."""
    until = time.monotonic() + seconds
    with session("local[2]", **{"spark.sql.shuffle.partitions": "2"}) as spark:

        def go(path, resume=False, **bounds):
            if path is None:
                return alike(check(request()))
            return alike(on_spark(spark, request(**bounds), path=path, narrow=300, resume=resume))

        return local.damages(folder, seed, count, kinds, go, DEPTH, until)


def begin(path, master, narrow):
    """A process that begins the run at `path`, or resumes it; returns once its session is up."""
    resume = "resume" if (path / "manifest" / "0001.json").exists() else "begin"
    if resume == "begin" and path.exists():
        path.rename(path.with_name(f"{path.name}-{time.time_ns()}"))  # killed before anything was committed
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(path), master, str(narrow), resume], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, env=with_support(), start_new_session=True,
    )  # fmt: skip
    assert process.stdout.readline() == "begins\n", "no session"
    return process


def below(process):
    """All processes below one."""
    try:
        return psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def kill(processes):
    for one in processes:
        try:
            one.kill()
        except psutil.NoSuchProcess:
            continue


def strike_processes(process, chance):
    """Kill something; what it was, or nothing when there was none of its sort."""
    sort = chance.choices(("everything", "executor", "worker"), (3, 1, 1))[0]
    family = below(process)
    if sort == "everything":
        process.kill()
        kill(family)
        process.communicate()
        return sort
    chosen = []
    for one in family:
        try:
            line = " ".join(one.cmdline())
        except psutil.Error:
            continue
        if ("CoarseGrainedExecutorBackend" if sort == "executor" else "pyspark.worker") in line:
            chosen.append(one)
    if not chosen or process.poll() is not None:
        return ""
    kill([chance.choice(chosen)])
    return sort


def one_run(path, master, narrow, chance, wanted):
    """Begin, strike up to so many times, and bring to an end: (what was struck, what the run found)."""
    struck = Counter()
    while True:
        process = begin(path, master, narrow)
        while sum(struck.values()) < wanted:
            time.sleep(chance.uniform(0.1, 4.0))
            if process.poll() is not None:
                break
            sort = strike_processes(process, chance)
            if sort:
                struck[sort] += 1
            if sort == "everything":
                break
        else:
            told, _ = process.communicate(timeout=600)
            assert process.returncode == 0, "a run that nobody disturbs any more ends"
            return struck, json.loads(told)
        if process.returncode == 0:
            return struck, json.loads(process.communicate()[0])
        assert process.returncode == -9, "it was killed, and did not fail"


def many(kills, seed, seconds, of_a_run=6, tell=print):
    """Runs until so many kills or seconds; what was struck, over how many runs. AssertionError when a count differs."""
    chance, struck, runs, until = random.Random(seed), Counter(), 0, time.monotonic() + seconds
    whole = json.loads(json.dumps(alike(check(request()))))
    while sum(struck.values()) < kills and time.monotonic() < until:
        master = CLUSTER if runs % 2 else "local[2,8]"
        with tempfile.TemporaryDirectory() as folder:
            of_this, found = one_run(Path(folder) / "run", master, chance.choice((0, 100, 700)), chance, of_a_run)
        assert found == whole, f"run {runs} with seed {seed} ended in other counts"
        struck += of_this
        runs += 1
        tell(f"run {runs} on {master}: struck {dict(of_this)}; the counts are the same", flush=True)
    tell(f"{runs} runs, {sum(struck.values())} kills: {dict(struck)}", flush=True)
    return runs, struck
