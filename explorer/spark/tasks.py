"""The tasks of an executor: two functions, one on each side of the shuffle.

    expand_shard   reads a shard's frontier, and sends its successors to their owners
    absorb_shard   takes what arrived for a shard, and writes what is new

A task reads only files that a manifest names, and writes only files with names of its own: it can fail, run
twice or run at the same time as its double, and the result that reaches the driver names the files that count.
What a task says of its frontier travels through the shuffle too, so that it is counted exactly once.
"""

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
from ..runs.manifests import File, SortedRun
from .absorption import Absorbed, absorb
from .batch import Words, part_of, range_of
from .expansion import Expander, Parts, Report
from .folder import Folder, parts_of
from .travel import Arrivals, Outgoing, Parcel

Sent = tuple[int, Any]
"""An item of the shuffle: its shard, and the place of a part, or a report with the shard's own runs."""

Probe = Callable[[str, int, int], None]
"""Called with a moment of a task (`expanded`, `absorbed`), the level and the shard: for tests of faults."""


@dataclass(frozen=True)
class Subject:
    """The subject of a run, in a form that can be sent: everything by name."""

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
    """The input of a task of a level: the shard, the files of its frontier, and the runs of its visited set."""

    shard: int
    frontier: Sequence[File]
    runs: Sequence[SortedRun] = field(default_factory=list)


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


def expand_shard(job: LevelJob, inputs: Iterable[ShardInput]) -> Iterator[Sent]:
    """(owner, parcel) for a shard's successors, and what the shard needs for the other side of the shuffle."""
    expander, folder = expander_of(job.subject), Folder(job.uri)
    for one in inputs:
        frontier = frontier_in_parts(folder, one.frontier, one.shard, job.shards, expander.compiled, job.subject.width)
        outgoing = Outgoing(folder, job.level, one.shard)
        try:
            report = yield from sent(expander.expand(frontier, job.shards, job.found, job.only_check), outgoing)
        finally:
            outgoing.close()
        if job.probe is not None:
            job.probe("expanded", job.level, one.shard)
        yield one.shard, (report, list(one.runs))
    settle("expand", job.subject)


def sent(parts: Generator[Parts, None, Report], outgoing: Outgoing) -> Generator[Sent, None, Report]:
    """The places of the parts, as each is written; returns the report on the frontier."""
    while True:
        try:
            some = next(parts)
        except StopIteration as end:
            report: Report = end.value
            report.sent = outgoing.bytes
            return report
        yield from outgoing.send(some)


def absorb_shard(job: LevelJob, shard: int, arriving: Iterable[Sent]) -> Iterator[tuple[Report, Absorbed]]:
    """The report on the shard's frontier, and the new states among all that arrived."""
    expander, subject = expander_of(job.subject), job.subject
    report, runs, parcels = None, [], []
    for _, data in arriving:
        if isinstance(data, Parcel):
            parcels.append(data)
        else:
            report, runs = data
    assert report is not None, "every shard sends itself a report"
    folder = Folder(job.uri)
    arrivals = Arrivals(folder, parcels, subject.width, expander.compiled.key_words)
    out = absorb(folder, job.level + 1, shard, job.shards, arrivals, runs, expander.compiled, subject.budget)
    if job.probe is not None:
        job.probe("absorbed", job.level, shard)
    out.memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    yield report, out
    settle("absorb", job.subject)


def run_job(context: Any, job: Any, inputs: Sequence[Any], send: Callable[..., Any], take: Callable[..., Any]) -> list[Any]:
    """A job with a shuffle: `send(job, inputs)` on one side, `take(job, shard, what was sent)` on the other, for each shard."""

    def sent(index: int, some: Iterable[Any]) -> Iterator[Sent]:
        return iter(send(job, some))

    def taken(index: int, some: Iterable[Sent]) -> Iterator[Any]:
        return iter(take(job, index, some))

    source = context.parallelize(list(inputs), job.shards).mapPartitionsWithIndex(sent)
    return list(source.partitionBy(job.shards, int).mapPartitionsWithIndex(taken).collect())
