"""Runs: a cluster of a release for one trace or many, made as new between them."""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...model.choices import CommandOrder
from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ..trace import Trace
from .artifacts import jars_of
from .cluster import Cluster
from .controller import Topic
from .explain import Case, Reason, explain
from .gate import closed
from .kraft_cluster import KraftCluster
from .perform import STUCK, Performed, perform
from .releases import KRAFT, RELEASES, Release, release_in, release_named
from .walks import walk


@dataclass(frozen=True)
class Source:
    """Where a release's jars are: a distribution that the user unpacked, or Maven's repository."""

    release: Release
    folder: Path


def source_of(name: str | None, distribution: str | None) -> Source:
    """From what the user gave; UsageError when it is neither or both, or not there."""
    if (name is None) == (distribution is None):
        raise UsageError("give either --release VERSION, to be fetched with mvn, or --kafka DIR, an unpacked distribution")
    if distribution is not None:
        folder = Path(distribution)
        return Source(release_in(folder), folder)
    assert name is not None
    release = release_named(name)
    return Source(release, jars_of(release))


def under_kraft(config: Any) -> bool:
    """The decisions of this configuration's controller are one log."""
    return bool(config.command_order is CommandOrder.LOG)


@contextlib.contextmanager
def cluster_of(source: Source, brokers: int, keep: str | None = None, kraft: bool = False) -> Iterator[Any]:
    """A running cluster, which ends with the block; `keep` names a folder for its files, which then stay.

    `kraft`: the controller's decisions are a metadata log. UsageError when the release does not have it, or has nothing else.
    """
    release = source.release
    if not (release.kraft if kraft else release.zookeeper):
        known = ", ".join(r.name for r in (*RELEASES, *KRAFT) if (r.kraft if kraft else r.zookeeper))
        what = "commands are one log (command_order = log, KRaft)" if kraft else "a controller sends commands (ZooKeeper)"
        raise UsageError(f"in this trace {what}, which cannot be performed on Kafka {release.name}; it can on {known}")
    folder = None
    if keep is not None:
        folder = Path(keep)
        if folder.exists() and any(folder.iterdir()):
            raise UsageError(f"{keep} is not empty: name a new folder for what the brokers write")
        folder.mkdir(parents=True, exist_ok=True)
    cluster = (KraftCluster if kraft else Cluster)(release, source.folder, brokers, folder)
    try:
        yield cluster
    finally:
        cluster.stop()


def renew(cluster: Any, done: Performed) -> None:
    """Make the cluster as new: every broker up and in session, no fetcher dead, the last trace's topic gone."""
    if isinstance(cluster, KraftCluster):
        for broker in range(cluster.count):
            if broker not in cluster.brokers:
                if broker in cluster.controller.unfenced:
                    cluster.controller.fence(broker, True)  # else it would count as there before it has registered
                cluster.launch(broker)
        cluster.await_brokers([broker for broker in range(cluster.count) if broker not in cluster.controller.unfenced])
        return
    stuck = any(d.part == STUCK for d in done.differences)
    doubtful = stuck or any(r.failed for s in done.states for p in s.replica for r in p)
    for broker in list(cluster.brokers) if doubtful else []:
        cluster.kill(broker)
    started = [broker for broker in range(cluster.count) if broker not in cluster.brokers]
    for broker in started:
        if cluster.store.exists(f"/brokers/ids/{broker}") is not None:
            cluster.expire(broker)
        cluster.lines[broker].release()
        cluster.launch(broker)
    for broker in range(cluster.count):
        if broker in started:
            cluster.await_broker(broker)
        elif cluster.store.exists(f"/brokers/ids/{broker}") is None:
            cluster.reconnect(broker)
    topic = Topic(cluster, done.topic, cluster.controller_epoch)
    for broker in range(cluster.count):
        with closed(cluster.gates_of(broker)):
            for partition in range(done.states[0].config.partitions if done.states else 0):
                topic.stop(broker, partition, cluster.controller_epoch, False)


@dataclass
class Tally:
    """The outcome of many walks. `differing`: each walk that differed, with why, where that is known."""

    walks: int = 0
    steps: int = 0
    agreed: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)
    differing: list[tuple[int, Performed, Reason | None]] = field(default_factory=list)

    @property
    def unexplained(self) -> list[tuple[int, Performed]]:
        """The walks whose difference no one has explained."""
        return [(seed, done) for seed, done, reason in self.differing if reason is None]


def reason_of(release: Release, done: Performed) -> Reason | None:
    """Why a trace differed at its step, if it is known."""
    if done.ran >= len(done.trace.steps) or not done.differences:
        return None
    before, after = done.states[done.ran], done.states[done.ran + 1]
    return explain(Case(release, before, after, done.trace.steps[done.ran], done.differences))


def take_walks(
    model: Model, cluster: Cluster, config: Any, seeds: range, length: int,
    report: Callable[[int, Performed, Reason | None], None],
) -> Tally:  # fmt: skip
    """Perform one walk for each seed, one after the other, on one cluster."""
    tally = Tally()
    for seed in seeds:
        trace: Trace = walk(model, cluster.release, config, length, seed)
        done = perform(trace, model, cluster)
        reason = reason_of(cluster.release, done)
        tally.walks += 1
        tally.steps += done.ran
        if done.refused:
            tally.refused[done.refused] += 1
        elif done.differences:
            tally.differing.append((seed, done, reason))
            tally.explained[reason.name if reason else "not explained"] += 1
        else:
            tally.agreed += 1
        report(seed, done, reason)
        if seed + 1 < seeds.stop:
            renew(cluster, done)
    return tally
