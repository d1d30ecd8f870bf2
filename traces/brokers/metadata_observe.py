"""Trace validation under KRaft: the log of metadata, the brokers' logs and the segments that a run has left, read.

The metadata log says everything that the controller has decided, and when. Brokers say in their logs when they led or
followed, from which offset: so a broker that has skipped an epoch is seen.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from .disk import read_directory
from .isr_requests import PartitionState
from .logs import DECIDES, KRAFT, STARTS, Event, read_log
from .metadata_log import Written, batches_in
from .observe import Observed, room_for
from .releases import Release
from .schemas import Schemas
from .walks import described_by

LOG = "__cluster_metadata-0"
WINDOW = 8
"""Changes by which a broker may be late: the most that the model has."""


@dataclass
class ObservedMetadata(Observed):
    """What was found; the events of the controller come last. `min_isr`: the topic's."""

    min_isr: int = 1

    def contradiction(self) -> str:
        """Why no behaviour fits, whatever happened between the events."""
        return self.damage()


@dataclass(frozen=True)
class Says:
    """What the log says after a batch: who is not fenced, and the partition; `registered` has registered with it."""

    registered: int
    live: tuple[int, ...]
    state: PartitionState

    def __str__(self) -> str:
        who = f"broker {self.registered} registers; " if self.registered >= 0 else ""
        return f"{who}unfenced {list(self.live)}, {self.state}"


def is_under_kraft(folder: Path) -> bool:
    """The folders are those of a cluster under KRaft."""
    return any(folder.glob(f"node[0-9]*/data/{LOG}"))


def read_metadata_run(folder: Path, topic: str | None, partition: int, schemas: Schemas) -> ObservedMetadata:
    """What the folders `node0`, `node1`, ... tell; UsageError when that is not all of it, or is none of the model's."""
    nodes = {int(path.name[4:]): path for path in folder.glob("node[0-9]*")}
    brokers = [broker for broker in sorted(nodes) if broker < len(nodes)]
    log = longest([nodes[node] / "data" / LOG for node in sorted(nodes)], schemas)
    told = Reading(log, topic, partition)
    if sorted(told.assigned) != brokers:
        raise UsageError(f"the partition's replicas are {sorted(told.assigned)}, but {folder} has brokers {brokers}")
    events = [read_log(nodes[b] / "server.log", b, told.topic, partition, KRAFT) for b in brokers]
    decisions = [replace(event, broker=len(brokers)) for event in told.decisions]
    registered = {b: [d.milliseconds for d in decisions if d.says.registered == b] for b in brokers}
    events = [at_registration(event, registered[b]) for b, event in enumerate(events)]
    return ObservedMetadata(
        told.topic, partition, [*events, decisions], [read_directory(nodes[b] / "data", told.topic, partition) for b in brokers],
        None, 0, frozenset(told.live), told.assigned, told.min_isr,
    )  # fmt: skip


def longest(folders: Sequence[Path], schemas: Schemas) -> list[list[Written]]:
    """The log of metadata that reaches furthest, of the controller's and each broker's own copy, batch by batch."""
    best: list[list[Written]] = []
    for folder in folders:
        segments = sorted(folder.glob("*.log"))
        if [segment.name for segment in segments] != [f"{0:020}.log"]:
            continue
        found = [batch for batch in batches_in(schemas, segments[0].read_bytes()) if batch]
        if found and (not best or found[-1][-1].offset > best[-1][-1].offset):
            best = found
    if not best:
        raise UsageError(f"no node has a log of metadata that begins at offset 0 in one segment ({LOG}/{0:020}.log)")
    return best


def at_registration(events: list[Event], registered: Sequence[int]) -> list[Event]:
    """A process that has started does nothing before it has registered: its start has that time."""
    times = iter(registered)
    first = True
    out = []
    for event in events:
        if event.kind == STARTS and not first:
            event = replace(event, milliseconds=next(times, event.milliseconds))
        first = first and event.kind != STARTS
        out.append(event)
    return out


class Reading:
    """The log of metadata, read for one partition."""

    def __init__(self, log: Sequence[Sequence[Written]], topic: str | None, partition: int) -> None:
        self.partition = partition
        self.live: set[int] = set()
        self.state: PartitionState | None = None
        self.assigned: tuple[int, ...] = ()
        self.min_isr = 1
        self.decisions: list[Event] = []
        names = {r.values["Name"]: r.values["TopicId"] for batch in log for r in batch if r.name == "TopicRecord"}
        known = [name for name in names if not name.startswith("__")]
        if topic is None and len(known) != 1:
            some = ", ".join(known[:5])
            raise UsageError(f"the log of metadata tells of {len(known)} topics ({some}): choose one with --topic")
        self.topic = topic or known[0]
        if self.topic not in names:
            raise UsageError(f"the log of metadata tells of no topic {self.topic:.40}, but of {', '.join(known[:5])}")
        self.id = names[self.topic]
        for batch in log:
            self.read(batch)
        if self.state is None:
            raise UsageError(f"the log of metadata tells of no partition {partition} of topic {self.topic}")

    def read(self, batch: Sequence[Written]) -> None:
        """One batch: a decision, if it changes what the model knows, once the partition is there."""
        registered, matters, was_there = -1, False, self.state is not None
        for record in batch:
            values = record.values
            if record.name == "RegisterBrokerRecord":
                registered, matters = values["BrokerId"], True
                (self.live.discard if values["Fenced"] else self.live.add)(values["BrokerId"])
            elif record.name == "BrokerRegistrationChangeRecord":
                matters = self.registration(values) or matters
            elif record.name in ("ConfigRecord", "FeatureLevelRecord"):
                self.setting(record)
            elif values.get("TopicId") == self.id:
                matters = self.about_topic(record) or matters
        if was_there and matters and self.state is not None:
            says = Says(registered, tuple(sorted(self.live)), replace(self.state, partition_epoch=0))
            self.decisions.append(Event(batch[0].milliseconds, -1, DECIDES, epoch=self.state.leader_epoch, says=says))

    def setting(self, record: Written) -> None:
        """The topic's min.insync.replicas; a change of it, or of who is eligible, is not searched for."""
        values = record.values
        feature = values["Name"] == "eligible.leader.replicas.version"
        if not feature and (values.get("ResourceName"), values["Name"]) != (self.topic, "min.insync.replicas"):
            return
        if self.state is not None:
            raise UsageError(f"{values['Name']} changes at offset {record.offset}, for which no search has a step yet")
        if not feature:
            self.min_isr = int(values["Value"])

    def registration(self, values: Mapping[str, Any]) -> bool:
        """A broker is fenced, or unfenced; or it is to stop, which the model does not follow here."""
        if values.get("InControlledShutdown", 0) == 1 and self.state is not None:
            raise UsageError(f"broker {values['BrokerId']} is in controlled shutdown, for which no search has a step yet")
        if values["Fenced"] in (1, -1):
            (self.live.discard if values["Fenced"] == 1 else self.live.add)(values["BrokerId"])
        return values["Fenced"] in (1, -1)

    def about_topic(self, record: Written) -> bool:
        """A record about the topic; true when the partition is another then."""
        values = record.values
        if record.name == "RemoveTopicRecord":
            raise UsageError(f"topic {self.topic} is deleted at offset {record.offset} of the log of metadata")
        if values.get("PartitionId") != self.partition:
            return False
        if record.name == "PartitionRecord":
            self.assigned = tuple(values["Replicas"])
            isr = tuple(sorted(values["Isr"]))
            self.state = PartitionState(values["Leader"], values["LeaderEpoch"], values["PartitionEpoch"], isr)
            if isr != tuple(sorted(self.assigned)) or set(self.assigned) - self.live:
                raise UsageError("the partition begins with a broker that is fenced or outside the ISR; the model's does not")
        elif record.name == "PartitionChangeRecord" and self.state is not None:
            if values["Replicas"] is not None:
                raise UsageError(f"the replicas change at offset {record.offset}, for which no search has a step yet")
            now = self.state.after(values)
            self.state = replace(now, isr=tuple(sorted(now.isr)))
        return True


def metadata_configuration(run: ObservedMetadata, model: Model, release: Release, known: Mapping[str, int]) -> Any:
    """A configuration that has room for the run."""
    decisions, room = run.events[-1], room_for(run, known)
    lives = [set(run.assigned), *(set(d.says.live) for d in decisions)]
    sizes = {
        "max_epoch": max([1, *(d.epoch for d in decisions)]),
        "window": WINDOW,
        "min_isr": run.min_isr,
        "crashes": sum(d.says.registered >= 0 for d in decisions) + len(run.logs) - len(run.live),
        "fences": sum(len(before - after) for before, after in itertools.pairwise(lives)),
    }
    revision, settings = described_by(model, release)
    if any(d.says.state.elr for d in decisions):
        settings["recovery"] = "eligible-replicas"  # off by default up to 4.0
    return model.configure(revision, **{**settings, **sizes, **room})
