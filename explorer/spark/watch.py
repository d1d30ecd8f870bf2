"""What Spark reports about a job while it runs: tasks, failures, bytes through the shuffle."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..search import SearchStatus

LONGEST, SOON = 60.0, 0.1
"""Seconds that tasks of a failed job have to end, and between two looks."""

EVERY = 1.0
"""Seconds between two looks."""

OF_A_GROUP = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")
"""The thread's properties that `setJobGroup` sets: the user's are put back."""


@dataclass
class SparkProgress(SearchStatus):
    """`skew`: the largest shard of the newest level against their mean; `tasks`: those of the job that runs; `worker_memory`:
    the most bytes that a worker has held; `waiting`: no executor has come yet; `background`: what takes the time before the first
    job has a result; the rest counts from the beginning."""

    skew: float = 1.0
    shuffled: int = 0
    failed: int = 0
    retried: int = 0
    tasks_done: int = 0
    tasks: int = 0
    worker_memory: int = 0
    waiting: bool = False
    background: str = ""


class JobWatch:
    """The jobs of one search. Each is a separate group: Spark lists the jobs of a group, with one call for each."""

    def __init__(self, context: Any, name: str) -> None:
        self.context, self.name, self.job = context, name, 0
        self.shuffled = self.failed = self.retried = self.tasks_done = self.tasks = 0
        self.waiting = False
        self._before = (0, 0, 0)

    @contextmanager
    def awaited(self) -> Iterator[None]:
        """If the block fails, wait for the tasks of its last job: what they write belongs to a run that has the directory."""
        try:
            yield
        except Exception:
            with suppress(Exception):  # Java may be gone, and its tasks with it
                self.cancel()
                until = time.monotonic() + LONGEST
                while self._active() and time.monotonic() < until:
                    time.sleep(SOON)
            raise

    def _active(self) -> int:
        """The tasks of the newest job that have not ended."""
        tracker, store = self.context.statusTracker(), self.context._jsc.sc().statusStore()
        infos = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(self.group)]
        stages = [last_attempt(store, stage) for info in infos if info is not None for stage in info.stageIds]
        return sum(int(data.numActiveTasks()) for data in stages if data is not None)

    def cancel(self) -> None:
        """Cancel what runs."""
        self.context.cancelJobGroup(self.group)

    def compiling(self, levels: int) -> str:
        """What takes the time before the first level, or the first job, has a result; then nothing. `levels`: those with one."""
        if levels and (self.job != 1 or self.tasks_done):
            return ""
        return "compiling in the executors  " if self.job else "compiling  "

    @property
    def group(self) -> str:
        """The group of the newest job."""
        return f"{self.name}-{self.job}"

    @contextmanager
    def watching(self, tick: Callable[[], None], about: str = "highwater") -> Iterator[None]:
        """Within the block one job runs, which Spark's pages call `about`; `tick` is called now and then."""
        of_the_user = {name: self.context.getLocalProperty(name) for name in OF_A_GROUP}
        self.job += 1
        self.context.setJobGroup(self.group, about, False)
        self._before, over = (self.shuffled, self.failed, self.retried), threading.Event()

        def look_on() -> None:
            while not over.wait(EVERY):
                self._look()
                tick()

        thread = threading.Thread(target=look_on, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
            self._look()
            for name, value in of_the_user.items():
                self.context.setLocalProperty(name, value)

    def _look(self) -> None:
        """Add up the stages of the newest job."""
        tracker = self.context.statusTracker()
        store = self.context._jsc.sc().statusStore()
        shuffled = failed = retried = done = tasks = 0
        for job in tracker.getJobIdsForGroup(self.group):
            info = tracker.getJobInfo(job)
            for stage in info.stageIds if info is not None else ():
                data = last_attempt(store, stage)
                if data is not None:
                    shuffled += int(data.shuffleWriteBytes())
                    counts = Attempts.of(data)
                    failed += counts.failed
                    retried += counts.begun_again
                    done += counts.complete
                    tasks += counts.tasks
        self.shuffled, self.failed, self.retried = (
            before + now for before, now in zip(self._before, (shuffled, failed, retried), strict=True)
        )
        self.tasks_done, self.tasks = done, tasks
        self.waiting = done == 0 and lacks_executors(self.context)


def lacks_executors(context: Any) -> bool:
    """Whether the executors are other processes, and none has come: the driver is the only one that Spark lists."""
    alone = str(context.master).partition("[")[0] == "local"
    return not alone and int(context._jsc.sc().getExecutorMemoryStatus().size()) < 2


class Attempts(NamedTuple):
    """The attempts at the tasks of a stage, each number asked of Java once."""

    attempt: int
    tasks: int
    complete: int
    active: int
    failed: int
    killed: int

    @classmethod
    def of(cls, stage: Any) -> "Attempts":
        """Those of Spark's record of a stage."""
        asked = stage.attemptId, stage.numTasks, stage.numCompleteTasks, stage.numActiveTasks, stage.numFailedTasks
        return cls(*(int(ask()) for ask in (*asked, stage.numKilledTasks)))

    @property
    def begun_again(self) -> int:
        """How many tasks were retried: the attempts beyond the first of each task that has begun; all tasks of a stage that
        is itself retried, because its shuffle output was lost."""
        if self.attempt > 0:
            return self.tasks
        return max(0, self.complete + self.active + self.failed + self.killed - self.tasks)


def last_attempt(store: Any, stage: int) -> Any:
    """Spark's record of a stage; None while there is none."""
    from py4j.protocol import Py4JError

    try:
        return store.lastStageAttempt(stage)
    except Py4JError:
        return None
