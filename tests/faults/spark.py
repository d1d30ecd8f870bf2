"""The engine on Spark under faults: damaged files, and drivers, executors and workers that are killed at random moments.

A session stays warm and explores one run after another, as long as its driver lives; the runs are small. A kill strikes
everything (driver, Java, workers), the driver alone, whose Java and tasks may still be at work when the run is resumed, an
executor, the process from which workers are forked, or a worker; after the last three the run goes on by itself. Where Java alone
is killed, the driver says so. A kill counts only when the run was not over yet. What outlives its driver is wrong, too.
"""

import json
import os
import random
import select
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from math import inf

import psutil
from highwater.explorer.local.check import check
from highwater.explorer.spark.session import session
from highwater.model.language import UsageError
from support.clusters import CLUSTER
from support.elsewhere import with_support
from support.on_spark import alike, on_spark, request

from . import local
from .damage import DAMAGES, flip

SIZES = {"brokers": 2, "log_size": 2, "max_records": 2, "max_epoch": 1}
"""1,177 states in 15 levels."""

NARROW = 150
"""Of the levels of so many states, two are expanded on Spark before `DEPTH`, and one later."""

DEPTH = 10
"""Levels of the run that is damaged, the last of them on Spark."""

OF_A_RUN = 12
"""Kills of one run at most: Spark gives a task up after some more."""

OF_CLUSTERS = 0.1
"""Of the sessions, those on executors that are processes of their own. They take many seconds to begin."""

PATIENCE = 300
"""Seconds after which a run hangs."""

SORTS = {"worker": 12, "daemon": 1, "executor": 4}
"""How often each is struck. Executors are processes only in a cluster."""

FATAL, OF_FATAL = ("driver", "everything", "java"), 0.1
"""One of these ends this part of the runs, and a new session resumes them. Where Java alone is gone, the driver says so."""

SERVER = """
import json, sys
from faults.spark import answer
from highwater.explorer.spark.session import session
from highwater.model.language import UsageError
with session(sys.argv[1], **{"spark.task.maxFailures": "30", "spark.sql.shuffle.partitions": "2"}) as spark:
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(spark, *json.loads(line))), flush=True)
"""


def small(**options):
    """The request of all these runs."""
    return request(settings=SIZES, **options)


def parts(seconds=inf):
    """What `python -m tests.faults` can do to runs on Spark; nothing begins after so many seconds."""

    def flips(folder, seed, count):
        return damages_on_a_session(folder, seed, count, (flip,), seconds)

    def damages(folder, seed, count):
        return damages_on_a_session(folder, seed, count, DAMAGES, seconds)

    def killed(folder, seed, count):
        return kills(folder, seed, count, time.monotonic() + seconds)

    return {"kills": killed, "flips": flips, "damages": damages}


def damages_on_a_session(folder, seed, count, kinds, seconds):
    """As `local.damages`, on threads of this machine; so many, or as many as fit."""
    until = time.monotonic() + seconds
    with session("local[2]", **{"spark.sql.shuffle.partitions": "2"}) as spark:

        def go(path, resume=False, **bounds):
            if path is None:
                return alike(check(small()))
            return alike(on_spark(spark, small(**bounds), path=path, shards=2, narrow=NARROW, resume=resume))

        return local.damages(folder, seed, count, kinds, go, DEPTH, until)


def answer(spark, path, narrow, resume):
    """What a run says: what it found, or the sentence with which it is refused."""
    try:
        return {"counts": alike(on_spark(spark, small(), path=path, narrow=narrow, shards=3, resume=resume))}
    except UsageError as error:
        return {"refused": str(error)}
    except BaseException as error:
        return {"defect": f"{type(error).__name__}: {error}"[:1500]}


class Warm:
    """A process with a session, from outside."""

    def __init__(self, master):
        self.master = master
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER, master], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, env=with_support(), start_new_session=True,
        )  # fmt: skip
        assert self.process.stdout.readline() == "ready\n", "no session"

    def begin(self, *asked):
        """Begin a run."""
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()

    def said(self, seconds):
        """What the run has said, if it says so within this time."""
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        line = self.process.stdout.readline() if ready else ""
        return json.loads(line) if line else None

    def family(self):
        """All other processes of this one's session, whatever has become of their parents."""
        found = []
        for pid in psutil.pids():
            with suppress(psutil.Error, ProcessLookupError):
                if pid != self.process.pid and os.getsid(pid) == self.process.pid:
                    found.append(psutil.Process(pid))
        return found

    def chosen(self, sort):
        """The processes of a sort."""
        found = []
        for one in self.family():
            with suppress(psutil.Error):
                if one.status() != psutil.STATUS_ZOMBIE and self.is_of(sort, one):
                    found.append(one)
        return found

    def is_of(self, sort, one):
        """Whether a process is of a sort."""
        if one.name() == "java":
            return sort == ("executor" if "CoarseGrainedExecutorBackend" in " ".join(one.cmdline()) else "java")
        above = one.parent()
        return one.name().startswith("python") and sort == ("daemon" if above and above.name() == "java" else "worker")

    def strike(self, sort, dice):
        """Kill something; whether there was something of its sort."""
        if sort in FATAL[:2]:
            family = self.family()
            self.process.kill()
            if sort == "everything":
                kill(family)
            self.process.communicate()
            self.left = family
            return True
        found = self.chosen(sort)
        kill([dice.choice(found)] if found else [])
        return bool(found)

    def outlived(self):
        """What is there long after the driver's end; it is ended."""
        _, alive = psutil.wait_procs(self.left, 60)
        kill(alive)
        return [one.pid for one in alive]

    def close(self):
        """End it."""
        self.left = self.family()
        self.process.communicate()


def kill(processes):
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()


def kills(folder, seed, count, until=inf):
    """(what was struck and what came of the runs, what was wrong): until so many kills, or the moment `until`."""
    dice, seen, wrong, warm, ended = random.Random(f"kills {seed}"), Counter(), [], None, []
    whole, path, levels = json.loads(json.dumps(alike(check(small())))), folder / "run", 0
    while sum(seen[sort] for sort in (*SORTS, *FATAL)) < count and time.monotonic() < until and not wrong:
        warm = warm or Warm(CLUSTER if dice.random() < OF_CLUSTERS else "local[2,30]")
        resume = local.committed(path) > 0
        if not resume and path.exists():
            path.rename(folder / f"run-{time.monotonic_ns()}")  # nothing was committed
        warm.begin(str(path), dice.choice((0, 0, 50, 150)), resume)
        struck, said, begun = Counter(), None, time.monotonic()
        fatal = dice.randrange(1, OF_A_RUN) if dice.random() < OF_FATAL else 0
        while said is None and warm is not None:
            said = warm.said(dice.uniform(0.02, 2.0 if warm.master == CLUSTER else 0.4))
            if said is None and struck.total() < OF_A_RUN:
                sorts = [one for one in SORTS if one != "executor" or warm.master == CLUSTER]
                sort = dice.choices(sorts, [SORTS[one] for one in sorts])[0]
                if struck.total() + 1 == fatal:
                    sort = dice.choice(FATAL)
                if warm.strike(sort, dice):
                    struck[sort] += 1
                    warm, ended = (None, [*ended, warm]) if sort in FATAL[:2] else (warm, ended)
            if time.monotonic() > begun + PATIENCE:
                wrong.append((str(path), dict(struck), f"no end in {PATIENCE} s"))
                break
        seen += struck
        now = local.committed(path)
        if now < levels:
            wrong.append((dict(struck), f"{levels} levels were committed, {now} are there"))
        levels = now
        if said is None:
            continue
        seen[f"runs {next(iter(said))}"] += 1
        if "counts" in said:
            if said["counts"] != whole:
                wrong.append((dict(struck), "another count"))
            path.rename(folder / f"run-{time.monotonic_ns()}")
            levels = 0
        elif "defect" in said or "\n" in said["refused"] or not struck:
            wrong.append((dict(struck), said))
        if struck["java"]:
            warm.close()
            warm, ended = None, [*ended, warm]
    if warm is not None:
        warm.close()
        ended.append(warm)
    wrong += [("outlived its driver", left) for left in (one.outlived() for one in ended) if left]
    return seen, wrong
