"""What runs in an executor: two functions, one on each side of the shuffle.

    expand_shard   reads a shard's frontier, and sends its successors to their owners
    absorb_shard   takes what arrived for a shard, and writes what is new

A task reads only files that a manifest names, and writes only files with names of its own: it can fail, run
twice or run at the same time as its double, and the result that reaches the driver names the files that count.
What a task says of its frontier travels through the shuffle too, so that it is told exactly once.
"""

from __future__ import annotations

import gc
import resource
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from ...properties.catalogue import claims_of
from ...properties.plugins import models_with
from ..compiling.compiled import Compiled
from ..request import Request, compile_for
from ..runs.manifests import File, Run
from .absorption import Absorbed, Arrivals, absorb
from .batch import Successors, Words, fingerprints, owners, part_of, range_of, to_bytes
from .expansion import Expander, Report
from .folder import Folder, read_frontier

Sent = tuple[int, Any]
"""What travels: the shard that gets it, and a batch as bytes, or a report with the shard's own runs."""

Probe = Callable[[str, int, int], None]
"""Called with a moment of a task (`expanded`, `absorbed`), the level and the shard: for tests of faults."""


@dataclass(frozen=True)
class Subject:
    """What is explored, in a form that travels: everything by name."""

    model: str
    revision: str
    settings: tuple[tuple[str, Any], ...]
    properties: tuple[str, ...]
    symmetry: bool
    generic: bool
    width: int
    budget: int
    plugins: tuple[str, ...] = ()

    def request(self) -> Request:
        """The request that a local search would have."""
        model = models_with(self.plugins)[self.model]
        known = claims_of(model)
        chosen = [known[name] for name in self.properties]
        config = model.configure(self.revision, **dict(self.settings))
        return Request(model, self.revision, config, chosen, symmetry=self.symmetry, generic=self.generic)


@dataclass(frozen=True)
class LevelJob:
    """One level for all shards: `level` is that of the frontier, `found` names what is not looked for any more."""

    subject: Subject
    uri: str
    level: int
    shards: int
    found: tuple[str, ...]
    only_check: bool
    probe: Probe | None = None


@dataclass
class ShardInput:
    """What a task of a level gets: the shard, the files of its frontier, and the runs of its visited set."""

    shard: int
    frontier: Sequence[File]
    runs: Sequence[Run] = field(default_factory=list)


FIRST_TASKS = 2

_first_tasks: Counter[tuple[str, Subject]] = Counter()


@cache
def expander_of(subject: Subject) -> Expander:
    """The compiled model, once per process."""
    request = subject.request()
    return Expander(compile_for(request, request.properties), request.properties, subject.width, subject.budget)


def settle(task: str, subject: Subject) -> None:
    """Take what is here to stay out of the garbage collector's sight, after the first tasks of a sort.

    PySpark collects garbage after every task, which with everything loaded costs more than a small task itself. The
    first tasks load what they need as they go, so that it is there only at their end.
    """
    if _first_tasks[task, subject] < FIRST_TASKS:
        _first_tasks[task, subject] += 1
        gc.collect()
        gc.freeze()


def frontier_of(
    folder: Folder, files: Sequence[File], shard: int, shards: int, compiled: Compiled, width: int
) -> tuple[Words, Words]:
    """Fingerprints and keys of a shard's frontier, sorted; files may hold those of other shards too."""
    low, high = range_of(shard, shards)
    fps, keys = [], []
    for file in files:
        words, states = read_frontier(folder, file, compiled, width)
        mine = part_of(words[:, 0], low, high)
        fps.append(words[mine])
        keys.append(states[mine])
    return np.concatenate(fps), np.concatenate(keys)


def expand_shard(job: LevelJob, inputs: Iterable[ShardInput]) -> Iterator[Sent]:
    """(owner, batch) of a shard's successors, and what the shard needs for the other side of the shuffle."""
    expander = expander_of(job.subject)
    for one in inputs:
        report = Report(0, np.zeros_like(expander.spare), np.zeros_like(expander.spare), {})
        if one.frontier:
            folder, width = Folder(job.uri), job.subject.width
            fps, keys = frontier_of(folder, one.frontier, one.shard, job.shards, expander.compiled, width)
            batches = expander.expand(fps, keys, job.found, job.only_check)
            report = yield from addressed(expander.compiled, batches, one.shard, job.shards)
        if job.probe is not None:
            job.probe("expanded", job.level, one.shard)
        yield one.shard, (report, list(one.runs))
    settle("expand", job.subject)


def addressed(
    compiled: Compiled, batches: Generator[Successors, None, Report], shard: int, shards: int
) -> Generator[Sent, None, Report]:
    """Each batch in parts, one for each owner, with the owner."""
    chunk = 0
    while True:
        try:
            batch = next(batches)
        except StopIteration as end:
            report: Report = end.value
            return report
        owner = owners(fingerprints(compiled, batch.keys, 1), shards)
        ordered = batch.pick(np.argsort(owner, kind="stable"))
        at = 0
        for number, count in enumerate(np.bincount(owner).tolist()):
            if count:
                yield number, to_bytes(ordered.pick(slice(at, at + count)), shard, chunk)
            at += count
        chunk += 1


def absorb_shard(job: LevelJob, shard: int, arriving: Iterable[Sent]) -> Iterator[tuple[Report, Absorbed]]:
    """What the shard's frontier was found to be, and what is new of all that arrived."""
    expander = expander_of(job.subject)
    arrivals = Arrivals(job.subject.budget)
    report, runs = None, []
    try:
        for _, data in arriving:
            if isinstance(data, bytes):
                arrivals.add(data)
            else:
                report, runs = data
        out = absorb(Folder(job.uri), job.level + 1, shard, job.shards, arrivals, runs, expander.compiled, job.subject.width)
    finally:
        arrivals.close()
    if job.probe is not None:
        job.probe("absorbed", job.level, shard)
    assert report is not None, "every shard sends itself a report"
    out.memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    yield report, out
    settle("absorb", job.subject)


def run_level(context: Any, job: LevelJob, inputs: Sequence[ShardInput]) -> list[tuple[Report, Absorbed]]:
    """The one Spark job of a level."""

    return run_job(context, job, inputs, expand_shard, absorb_shard)


def run_job(context: Any, job: Any, inputs: Sequence[Any], send: Callable[..., Any], take: Callable[..., Any]) -> list[Any]:
    """A job with a shuffle: `send(job, inputs)` on one side, `take(job, shard, what was sent)` on the other, for each shard."""

    def sent(index: int, some: Iterable[Any]) -> Iterator[Sent]:
        return iter(send(job, some))

    def taken(index: int, some: Iterable[Sent]) -> Iterator[Any]:
        return iter(take(job, index, some))

    source = context.parallelize(list(inputs), job.shards).mapPartitionsWithIndex(sent)
    return list(source.partitionBy(job.shards, int).mapPartitionsWithIndex(taken).collect())
