"""The tasks of an executor: for some shards each, one for each core in every level.

    after the driver, or resumed   reads the frontier of a shard, and sends its successors to their owners
    otherwise                      takes what was sent to a shard, writes what is new, and sends the successors of this in turn

A task reads only files that a manifest names or another task's result, and writes only files with fresh names: it can
fail, run twice or run at the same time as its double, and the result that reaches the driver names the files that count.
"""

import gc
import pickle
import resource
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...model.language.errors import UsageError
from ...properties.catalogue import claims_of
from ...properties.plugins import models_with
from ..compiling.arrays import Outboxes, Words
from ..compiling.compiled import Compiled
from ..compiling.compiled_for import compile_for
from ..request import Request
from ..runs.identity import programs_of
from ..runs.manifests import File, SortedRun
from ..sources import validate_same_sources
from .batch import part_of, range_of
from .deduplication import Deduplicated, deduplicate
from .expansion import Expander, Expansion, Report
from .folder import Folder, parts_of
from .successor_files import Arrivals, Outgoing, Sent

Routed = tuple[int, Any]
"""An item of a shuffle, with the shard to which it goes."""

Probe = Callable[[str, int, int], None]
"""Called with a moment of a task (`begun`; `expanded`, when all is written), the level and the shard: for tests of faults."""


def unprobed(moment: str, level: int, shard: int) -> None:
    """The probe of a run that is no test."""


@dataclass(frozen=True)
class Subject:
    """The subject of a run, in a form that can be sent: everything by name. `sources`, `programs`: digests of what is named."""

    model: str
    revision: str
    settings: tuple[tuple[str, Any], ...]
    properties: tuple[str, ...]
    symmetry: bool
    generic: bool
    width: int
    budget: int
    plugins: tuple[str, ...] = ()
    sources: str = ""
    programs: str = ""

    def request(self) -> Request:
        """The request that a local search would have. UsageError where Highwater or a plugin is not the one of the driver."""
        validate_same_sources(self.sources)
        model = models_with(self.plugins)[self.model]
        known = claims_of(model)
        chosen = [known[name] for name in self.properties]
        config = model.configure(self.revision, **dict(self.settings))
        if self.programs and programs_of(model, config, chosen) != self.programs:
            raise UsageError(
                f"its {', '.join(self.plugins):.80} is not what the driver has; install the same there, and begin again"
            )
        return Request(model, self.revision, config, chosen, symmetry=self.symmetry, generic=self.generic)


@dataclass(frozen=True)
class LevelJob:
    """One level for all shards: `run` stands for one search in one process, `level` is that which is expanded, `slices` are those
    of each shard's range to which successors are sent, at most about `rows` in all, `blocks` are those of all fingerprints
    that are expanded one after the other, `found` names what is not looked for any more."""

    subject: Subject
    run: str
    uri: str
    level: int
    shards: int
    slices: int
    rows: int
    blocks: int
    found: tuple[str, ...]
    only_check: bool
    probe: Probe = unprobed


@dataclass
class ShardInput:
    """The input of a task: the shard, and the files of its frontier; or what was sent to it, and the runs of its visited set."""

    shard: int
    frontier: Sequence[File] = ()
    sent: Sent | None = None
    runs: Sequence[SortedRun] = ()


@dataclass
class TaskResult:
    """The result of a task: what is new for each shard, if it took what was sent; the report on the frontier, and what it has
    sent itself."""

    deduplicated: list[Deduplicated]
    report: Report
    name: str
    parts: NDArray[Any]


JOB_PROPERTY, MAX_PROPERTY = "highwater.job", 1 << 16
"""A property of Spark's, in which the job of a level goes to its tasks, and its most characters: each task is sent all of it.
A job begins 6 ms earlier than by `parallelize`, which writes a file for Java and makes the tasks anew for each level."""

FIRST_TASKS = 2

_first_tasks: Counter[tuple[str, Subject]] = Counter()


@cache
def expander_of(subject: Subject) -> Expander:
    """The compiled model, once per process."""
    request = subject.request()
    return Expander(compile_for(request, request.properties), request.properties, subject.width, subject.budget)


def settle(task: str, subject: Subject) -> None:
    """Hide long-lived objects from the garbage collector, after the first tasks of a kind.

    PySpark collects garbage after every task, which with everything loaded costs more than a small task itself. The
    first tasks load what they need as they go, so that it is there only at their end.
    """
    if _first_tasks[task, subject] < FIRST_TASKS:
        _first_tasks[task, subject] += 1
        gc.collect()
        gc.freeze()


def frontier_in_parts(
    folder: Folder, files: Sequence[File], shard: int, shards: int, compiled: Compiled, width: int
) -> Iterator[tuple[Words, Words]]:
    """Fingerprints and keys of a shard's frontier, sorted, in parts; files may hold those of other shards too."""
    low, high = range_of(shard, shards)
    for file in files:
        for words, states in parts_of(folder, file, compiled, width):
            mine = part_of(words[:, 0], low, high)
            yield words[mine], states[mine]


def frontier_of(
    folder: Folder, files: Sequence[File], shard: int, shards: int, compiled: Compiled, width: int
) -> tuple[Words, Words]:
    """All parts together."""
    fps, keys = zip(*frontier_in_parts(folder, files, shard, shards, compiled, width), strict=True)
    return np.concatenate(fps), np.concatenate(keys)


def expand_shards(job: LevelJob, inputs: Sequence[ShardInput], expander: Expander) -> TaskResult:
    """Expand the frontier of shards: what files hold, or what is new of that which was sent."""
    subject, folder = job.subject, Folder(job.uri)
    outgoing, router, deduplicated = Outgoing(folder, job.level, inputs[0].shard), expander.router, []
    router.begin(job.shards * job.slices, job.run, job.level, job.rows * len(inputs) // job.shards)

    def enter(boxes: Outboxes, fps: Words) -> None:
        for parts in router.take(boxes, fps):
            outgoing.send(parts)

    expansion = Expansion(expander, job.found, job.only_check, enter, job.blocks)
    try:
        for given in inputs:
            job.probe("begun", job.level, given.shard)
            if given.sent is None:
                for part in frontier_in_parts(folder, given.frontier, given.shard, job.shards, expander.compiled, subject.width):
                    expansion.take(*part)
            else:
                arrivals = Arrivals(folder, given.sent, subject.width, expander.compiled.key_words, expander.spare)
                deduplicated.append(
                    deduplicate(
                        folder, job.level, given.shard, job.shards, arrivals, given.runs,
                        expander.compiled, subject.budget, expansion.take,
                    )
                )  # fmt: skip
        outgoing.send(router.parts())
    finally:
        outgoing.close()
    report = expansion.end()
    report.sent, report.memory = outgoing.bytes, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    for given in inputs:
        job.probe("expanded", job.level, given.shard)
    return TaskResult(deduplicated, report, outgoing.name, outgoing.parts())


def expand_in_worker(job: LevelJob, groups: Iterable[Sequence[ShardInput]]) -> Iterator[TaskResult]:
    """The same of a task on Spark, for each group of shards."""
    for group in groups:
        yield expand_shards(job, group, expander_of(job.subject))
        settle("expand", job.subject)


def expand_from_property(task: int, nothing: Iterable[Any]) -> Iterator[TaskResult]:
    """The same of a task whose job is in the property `JOB_PROPERTY`."""
    list(nothing)  # a worker whose input was not drained is not reused
    from pyspark import TaskContext

    context: Any = TaskContext.get()
    job, groups = pickle.loads(b64decode(context.getLocalProperty(JOB_PROPERTY)))
    return expand_in_worker(job, groups[task : task + 1])


def tasks_for(context: Any, shards: int) -> int:
    """How many tasks a level has: one for each core, so that little is sent twice.

    With dynamic allocation it is one for each shard, because Spark requests executors only while tasks are waiting.
    """
    is_dynamic = context._jsc.sc().conf().getBoolean("spark.dynamicAllocation.enabled", False)
    return shards if is_dynamic else min(shards, int(context.defaultParallelism))


def groups_of(inputs: Sequence[ShardInput], count: int) -> list[Sequence[ShardInput]]:
    """The inputs in their order, in this many groups of about the same size."""
    edges = [len(inputs) * number // count for number in range(count + 1)]
    return [inputs[first:last] for first, last in pairwise(edges)]


def run_level(context: Any, job: LevelJob, inputs: Sequence[ShardInput]) -> list[TaskResult]:
    """The results of a level, in the order of the shards."""
    from pyspark import cloudpickle

    count, tasks = tasks_of(context, job.run, len(inputs))
    groups = groups_of(inputs, count)
    text = b64encode(cloudpickle.dumps((job, groups))).decode()
    if len(text) > MAX_PROPERTY:
        return list(context.parallelize(groups, count).mapPartitions(partial(expand_in_worker, job)).collect())
    context.setLocalProperty(JOB_PROPERTY, text)
    try:
        return list(tasks.collect())
    finally:
        context.setLocalProperty(JOB_PROPERTY, None)


@lru_cache(maxsize=1)
def tasks_of(context: Any, run: str, shards: int) -> tuple[int, Any]:
    """How many tasks the levels of a run have, and those tasks, which Spark has once for all levels."""
    count = tasks_for(context, shards)
    return count, context.parallelize(range(count), count).mapPartitionsWithIndex(expand_from_property)


def run_job(context: Any, job: Any, inputs: Sequence[Any], send: Callable[..., Any], take: Callable[..., Any]) -> list[Any]:
    """A job with a shuffle: `send(job, inputs)` on one side, `take(job, shard, what was sent)` on the other, for each shard."""

    sent = context.parallelize(list(inputs), job.shards).mapPartitions(partial(send, job))
    return list(sent.partitionBy(job.shards, int).mapPartitionsWithIndex(partial(take, job)).collect())
