"""Tasks run one after the other here, in parallel in processes of this machine, or as tasks of Spark.

Each yields (number of the task, its result) as soon as it is known.
"""

import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from functools import partial
from typing import Any

from ...model.language.errors import UsageError
from ..processes import run_all
from ..sources import digest_of_what_runs
from .tasks import Explored, Task, prepare, run_sent, run_task

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
        if self.width > 1 and len(tasks) > 1:
            prepare(tasks)
        return run_all(run_task, tasks, self.width, "give fewer --jobs, or bound it with --memory")


def on_spark(spark: Any, tasks: Sequence[Task], width: int) -> Results:
    """Each task is a job of one task, so that its result is there as soon as it ends; `width` of them in parallel.

    When the caller leaves early, the jobs that run are cancelled.
    """
    from ..spark.session import first_line, share_package

    context, group = spark.sparkContext, f"highwater-{uuid.uuid4().hex}"
    share_package(context)
    sources = digest_of_what_runs()

    def run(task: Task) -> Explored:
        context.setJobGroup(group, "highwater task", False)
        found: Explored = context.parallelize([task], 1).map(partial(run_sent, sources)).collect()[0]
        return found

    with ThreadPoolExecutor(width) as pool:
        waiting = {pool.submit(run, task): number for number, task in enumerate(tasks)}
        try:
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        except UsageError:
            raise
        except Exception as error:  # whatever Spark raises when its processes die
            raise UsageError(f"Spark ended a task: {first_line(error)}; what is done is kept, so run it again") from None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            while running := [future for future in waiting if not future.done()]:
                context.cancelJobGroup(group)  # again and again: a thread may be about to begin its job
                wait(running, 0.2)
