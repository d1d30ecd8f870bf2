"""What can be seen of a cluster, beside what the model's state says: the differences, in words.

Seen from outside: nodes and versions in ZooKeeper, segments, leader epochs and the checkpoint of the high watermark on
disk, and which request of a follower waits at its gate. Of a broker's memory: whom it takes for leader in which epoch,
and a leader's ISR, version and followers' log end offsets.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...model.epoch_cache import latest_epoch
from ...model.members import NO_BROKER
from ...model.vocabulary import NO_EPOCH, Phase
from ..words import in_set, letter
from .controller import broker_id
from .disk import Directory, read_directory, read_records
from .gate import HeldRequest
from .releases import Release
from .requests import FETCH, OFFSET_FOR_LEADER_EPOCH, EpochRequest, Fetch, FetchAnswer
from .wire import decode, request_body

READS = "what a consumer reads"
"""The fact of a leader that goes with its high watermark."""

PENDING_SECONDS = 2.0
CONSUMER = -1
ROOM = 1 << 20


@dataclass(frozen=True)
class Difference:
    """One fact on which they differ, as each has it. `part`: `broker 0`, `zookeeper`; `fact`: `log`, `high watermark`."""

    part: str
    fact: str
    model: str
    broker: str

    def __str__(self) -> str:
        return f"{self.part}, {self.fact}: the model says {self.model}, the broker has {self.broker}"


@dataclass(frozen=True)
class Memory:
    """What a broker's memory holds of a partition."""

    leader: int | None
    epoch: int
    version: int
    isr: frozenset[int]
    ends: dict[int, int]


def memory_of(text: str) -> Memory | None:
    """Read the launcher's answer to `inspect`; None when the broker knows no such partition."""
    if text.startswith("none"):
        return None
    numbers = {name: int(value) for name, value in re.findall(r"\b(epoch|version)=(-?\d+)", text)}
    leader = re.search(r"Leader: (?:Some\((-?\d+)\)|None)", text)
    isr = re.search(r"(?:InSyncReplicas|ISR): ([\d,]*)", text)
    ends = re.search(r"ends=(\S*)", text)
    pairs = [pair.split(":") for pair in ends[1].split(",") if pair] if ends else []
    return Memory(
        int(leader[1]) if leader and leader[1] and leader[1] != "-1" else None,
        numbers["epoch"],
        numbers["version"],
        frozenset(int(b) for b in isr[1].split(",") if b) if isr else frozenset(),
        {int(broker): int(end) for broker, end in pairs},
    )


def log_text(entries: Iterable[tuple[int, int, int]], with_epochs: bool) -> str:
    """A log as traces write it, without the bar: `0a 0a 1c`; `-` for an offset that is missing between others.

    `entries`: (offset, batch, epoch).
    """
    out: list[str] = []
    for offset, batch, epoch in entries:
        out += ["-"] * (offset - len(out))
        out.append(f"{epoch if with_epochs else ''}{letter(batch)}")
    return " ".join(out) or "nothing"


def epochs_text(starts: dict[int, int]) -> str:
    """Leader epochs with their starts, without those that began where a later one did: Kafka overwrites them."""
    kept = [e for e in sorted(starts) if all(starts[later] > starts[e] for later in starts if later > e)]
    return " ".join(f"{epoch}@{starts[epoch]}" for epoch in kept) or "none"


def epochs_of(release: Release, state: Any, me: Any) -> str:
    """The leader epochs of a replica of the model, in the same form; before 2.0.1 only those that have a record."""
    recorded = {me.log[offset].epoch for offset in range(me.leo)}
    starts = {e: me.epoch_start[e] for e in range(state.config.epochs) if me.epoch_start[e] >= 0}
    return epochs_text({e: s for e, s in starts.items() if e in recorded or not release.epoch_at_append})


def describe(cluster: Any, topic: str, partition: int, broker: int) -> str:
    """One copy as it is on disk, for people: `broker 0  0a 0a 1c 1c; epochs 0@0 1@2; high watermark 2`."""
    seen = read_directory(cluster.data(broker), topic, partition)
    text = log_text([(e.offset, e.batch, e.epoch) for e in seen.entries], cluster.release.magic >= 2)
    epochs = " ".join(f"{epoch}@{start}" for epoch, start in sorted(seen.epochs.items()))
    out = f"broker {broker}  {text if seen.exists else 'no replica'}" + (f"; epochs {epochs}" if epochs else "")
    out += f"; high watermark {seen.checkpoint}" if seen.checkpoint is not None else ""
    return out if broker in cluster.brokers else f"{out}; down"


class Comparison:
    """One look at the cluster. `told`: the partitions, with brokers, of which each has been told since it started."""

    def __init__(self, topic: Any, state: Any, checkpoints: dict[tuple[int, int], int], told: set[tuple[int, int]]) -> None:
        self.topic, self.cluster, self.s = topic, topic.cluster, state
        self.release = topic.cluster.release
        self.checkpoints, self.told = checkpoints, told
        self.found: list[Difference] = []

    def differ(self, part: str, fact: str, model: Any, broker: Any) -> None:
        """Note a difference, if there is one."""
        if model != broker:
            self.found.append(Difference(part, fact, str(model), str(broker)))

    def all(self) -> list[Difference]:
        """Every difference."""
        self.zookeeper()
        for broker in range(self.s.config.brokers):
            if broker in self.cluster.brokers:
                self.cluster.brokers[broker].order("checkpoint")
            for partition in range(self.s.config.partitions):
                self.replica(partition, broker)
        return self.found

    def zookeeper(self) -> None:
        """Registrations, and the state of each partition."""
        names = self.cluster.store.get_children("/brokers/ids")
        ids = sorted(int(name) for name in names if int(name) < self.s.config.brokers)
        live = in_set(self.s.zookeeper.broker_ids)
        self.differ("zookeeper", "live brokers", live, ids)
        for partition, node in enumerate(self.s.zookeeper.leader_and_isr):
            read = self.cluster.read(self.topic.state_path(partition))
            self.differ("zookeeper", f"state of partition {partition}", self.node_text(node), self.real_node_text(read))

    def node_text(self, node: Any) -> str:
        """The model's node."""
        if node.version == 0:
            return "none"
        decision = f"leader {broker_id(node.leader)} epoch {node.leader_epoch} isr {in_set(node.isr)}"
        return f"{decision} v{node.version} controller {node.controller_epoch}"

    def real_node_text(self, read: tuple[Any, int] | None) -> str:
        """The node in ZooKeeper, told in the same way."""
        if read is None:
            return "none"
        node, version = read
        controller = node["controller_epoch"] - self.topic.base
        isr = sorted(node["isr"])
        return f"leader {node['leader']} epoch {node['leader_epoch']} isr {isr} v{version + 1} controller {controller}"

    def replica(self, partition: int, broker: int) -> None:
        """One copy: on disk, and in memory when the broker runs and has been told of it."""
        me = self.s.replica[partition][broker]
        part = f"broker {broker}" if self.s.config.partitions == 1 else f"broker {broker} p{partition}"
        seen = read_directory(self.cluster.data(broker), self.topic.name, partition)
        up = broker in self.cluster.brokers
        if not me.exists or not seen.exists:
            self.differ(part, "replica", "there" if me.exists else "none", "there" if seen.exists else "none")
            return
        self.disk(part, me, seen)
        if not up:
            kept = self.checkpoints.get((partition, broker), 0)
            if self.s.config.crashes:
                self.differ(part, "high watermark after a crash", min(me.checkpoint, me.leo), min(kept, seen.end))
        elif (partition, broker) in self.told:
            self.differ(part, "high watermark", me.hw, seen.checkpoint or 0)
            self.memory(part, partition, broker, me)

    def disk(self, part: str, me: Any, seen: Directory) -> None:
        """Records, and the leader epochs."""
        with_epochs = self.release.magic >= 2
        model = log_text([(o, me.log[o].record, me.log[o].epoch) for o in range(me.leo)], with_epochs)
        real = log_text([(e.offset, e.batch, e.epoch) for e in seen.entries], with_epochs)
        self.differ(part, "log", model, real)
        if seen.damage:
            self.differ(part, "segment", "readable", seen.damage)
        if with_epochs:
            self.differ(part, "leader epochs", epochs_of(self.release, self.s, me), epochs_text(seen.epochs))

    def memory(self, part: str, partition: int, broker: int, me: Any) -> None:
        """Whom it takes for leader, what a leader knows, what a follower waits for."""
        held = memory_of(self.cluster.brokers[broker].order(f"inspect {self.topic.name} {partition}"))
        if held is None:
            self.differ(part, "role", "some", "none")
            return
        leader = None if me.leader == NO_BROKER else me.leader
        self.differ(part, "leader", (leader, me.leader_epoch), (held.leader, held.epoch))
        if leader == broker:
            self.differ(part, "isr it knows", (in_set(me.isr), self.known_version(partition, me.zk_version, held.version)),
                        (sorted(held.isr), held.version))  # fmt: skip
            for follower in range(self.s.config.brokers):
                if follower != broker:
                    end = max(0, held.ends.get(follower, 0))
                    self.differ(part, f"log end offset of {follower} as it knows", me.fetched_to[follower], end)
            self.consumer(part, partition, broker, me)
        elif leader is not None:
            model, real = self.doing(me), self.waiting(broker, leader, partition, me)
            if real == "asks for epoch -1" and me.phase is Phase.FETCHING and latest_epoch(self.s, me) == NO_EPOCH:
                real = model  # from 0.11 to 2.0 a follower without epochs asks all the same, before its first fetch
            self.differ(part, "what it does", model, real)

    def known_version(self, partition: int, version: int, held: int) -> int:
        """A leader's version of the state: the model counts from 1."""
        return version - 1

    def consumer(self, part: str, partition: int, broker: int, me: Any) -> None:
        """What a leader hands to a consumer: the records below its high watermark, and that."""
        with_epochs = self.release.magic >= 2
        asked = {"partition": partition, "fetch_offset": 0, "max_bytes": ROOM}
        values = {
            "replica_id": CONSUMER, "max_wait": 0, "min_bytes": 0, "max_bytes": ROOM, "isolation_level": 0,
            "topics": [{"topic": self.topic.name, "partitions": [asked]}],
        }  # fmt: skip
        answer = self.cluster.send(broker, Fetch, FetchAnswer, 4 if with_epochs else 3, values)
        told = answer["topics"][0]["partitions"][0]
        found = Directory()
        read_records(told["records"], "records", found)
        real = log_text([(e.offset, e.batch, e.epoch) for e in found.entries], with_epochs)
        model = log_text([(o, me.log[o].record, me.log[o].epoch) for o in range(me.hw)], with_epochs)
        error = f"error {told['error']}" if told["error"] else found.damage
        self.differ(part, READS, f"{model} below {me.hw}", error or f"{real} below {told['high_watermark']}")

    def doing(self, me: Any) -> str:
        """A follower of the model."""
        if me.failed:
            return "cannot append"
        if me.phase is Phase.ASKING:
            return f"asks for epoch {latest_epoch(self.s, me)}"
        found = {Phase.ANSWERED: "has an answer", Phase.OUT_OF_RANGE: "asks for offsets"}
        return f"fetches from {me.leo}" if me.phase is Phase.FETCHING else found.get(me.phase, "nothing")

    def waiting(self, broker: int, leader: int, partition: int, me: Any) -> str:
        """A real follower, by the request that waits at its gate."""
        gate = self.cluster.gates[broker, leader]
        request = gate.answered()
        if request is not None and request.key == OFFSET_FOR_LEADER_EPOCH:
            return "has an answer"
        if request is None:
            request = gate.pending(0.5 if me.failed else PENDING_SECONDS)
        if request is None:
            return "cannot append" if me.failed else "nothing"
        if request.key not in (FETCH, OFFSET_FOR_LEADER_EPOCH):
            return "asks for offsets"
        named = self.named_in(request, partition)
        if named is not None:
            return f"{named[0]} {named[1]}"
        return self.doing(me) if me.phase is Phase.FETCHING else "fetches"  # a fetch session repeats what it has named before

    def named_in(self, request: HeldRequest, partition: int) -> tuple[str, int] | None:
        """What a request asks for the partition, and from where; None if it does not name it."""
        message, name, verb = ASKED[request.key]
        asked = decode(message, request.version, request_body(message, request.version, request.payload))
        for topic in asked["topics"]:
            for partition_of in topic["partitions"]:
                if (topic["topic"], partition_of["partition"]) == (self.topic.name, partition):
                    return verb, partition_of[name]
        return None


ASKED = {
    FETCH: (Fetch, "fetch_offset", "fetches from"),
    OFFSET_FOR_LEADER_EPOCH: (EpochRequest, "leader_epoch", "asks for epoch"),
}
