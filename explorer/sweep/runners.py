"""Tasks run one after the other here, in parallel in processes of this machine, or as tasks of Spark.

Each answers (number of the task, what came of it) as soon as it is known.
"""

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from ...model.language.errors import UsageError
from .tasks import Explored, Task, prepare, run_task

Results = Iterator[tuple[int, Explored]]


class Runner:
    """Where tasks run: in `jobs` processes of this machine, or on a session of Spark. `width`: how many in parallel."""

    def __init__(self, jobs: int = 1, spark: Any = None) -> None:
        self.spark = spark
        self.width = int(spark.sparkContext.defaultParallelism) if spark is not None else max(1, jobs)

    def run(self, tasks: Sequence[Task]) -> Results:
        """Run the tasks."""
        if self.spark is not None:
            return on_spark(self.spark, tasks, self.width)
        if self.width == 1 or len(tasks) < 2 or "fork" not in multiprocessing.get_all_start_methods():
            return ((number, run_task(task)) for number, task in enumerate(tasks))
        return in_processes(tasks, self.width)


def in_processes(tasks: Sequence[Task], jobs: int) -> Results:
    """Forks of this process, which inherit the compiled code. UsageError when one of them is killed."""
    prepare(tasks)
    with ProcessPoolExecutor(min(jobs, len(tasks)), multiprocessing.get_context("fork")) as pool:
        try:
            yield from as_done(pool, tasks, run_task)
        except BrokenProcessPool:
            raise UsageError(
                "a process that explored was killed, usually for want of memory; give fewer --jobs, or bound it with --memory"
            ) from None


def on_spark(spark: Any, tasks: Sequence[Task], width: int) -> Results:
    """Each task is a job of one task, so that its result is there as soon as it ends; `width` of them in parallel."""
    from ..spark.session import first_line, share_package

    share_package(spark.sparkContext)

    def one(task: Task) -> Explored:
        found: Explored = spark.sparkContext.parallelize([task], 1).map(run_task).collect()[0]
        return found

    with ThreadPoolExecutor(width) as pool:
        try:
            yield from as_done(pool, tasks, one)
        except UsageError:
            raise
        except Exception as error:  # whatever Spark raises when its processes die
            raise UsageError(f"Spark ended a task: {first_line(error)}; what is done is kept, so run it again") from None


def as_done(pool: Executor, tasks: Sequence[Task], run: Any) -> Results:
    """Submit all, and answer each as it ends; what has not begun is dropped when the caller leaves."""
    waiting = {pool.submit(run, task): number for number, task in enumerate(tasks)}
    try:
        for future in as_completed(waiting):
            yield waiting[future], future.result()
    finally:
        pool.shutdown(cancel_futures=True)
