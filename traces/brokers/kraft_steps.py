"""What each step of a trace is under KRaft: a record of the metadata log, or how much of it a broker receives.

What brokers do among themselves is the same as under ZooKeeper (`steps`).
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..words import in_set
from .compare import Comparison, memory_of
from .controller import Published
from .gate import HeldRequest
from .kraft_cluster import KraftCluster
from .metadata_log import Record
from .process import BrokerError, comes_true
from .requests import FETCH
from .stage import WAIT
from .steps import STEPS, Steps, refuse
from .wire import decode, request_body

TOPIC_SETTINGS = 2
"""The resource type of a topic in a ConfigRecord."""


class KraftTopic:
    """The topic of a run in the metadata log. It has the methods of `controller.Topic` that steps use."""

    def __init__(self, cluster: KraftCluster, name: str, base: int) -> None:
        self.cluster, self.name, self.base, self.id = cluster, name, base, uuid.uuid4()
        self.replicas: Mapping[int, Sequence[int]] = {}
        self.min_isr = 1
        self.states: dict[int, Published] = {}
        self.ends: dict[tuple[int, int], int] = {}

    def write_assignment(self, replicas: Mapping[int, Sequence[int]], min_isr: int, unclean: bool = True) -> None:
        """Who holds each partition. It enters the log with the partition's first state."""
        self.replicas, self.min_isr = replicas, min_isr

    def write_state(self, number: int, decision: Published) -> None:
        """A decision becomes a record. A partition's leader epoch counts the records that name a leader."""
        before = self.states.get(number)
        changed = {"PartitionId": number, "TopicId": self.id}
        records: list[Record] = []
        if before is None:
            if not self.states:
                setting = {"ResourceType": TOPIC_SETTINGS, "ResourceName": self.name}
                records.append(("TopicRecord", 0, {"Name": self.name, "TopicId": self.id}))
                records.append(("ConfigRecord", 0, {**setting, "Name": "min.insync.replicas", "Value": str(self.min_isr)}))
            brokers = self.replicas[number]
            first = {"Leader": decision.leader, "LeaderEpoch": 0, "PartitionEpoch": 0, "Isr": decision.isr, "Replicas": brokers}
            records.append(("PartitionRecord", 1, {**changed, **first, "Directories": self.cluster.directories(brokers)}))
        else:
            if decision.leader_epoch > before.leader_epoch:
                changed["Leader"] = decision.leader
            if decision.isr != before.isr:
                changed["Isr"] = decision.isr
            records.append(("PartitionChangeRecord", 1, changed))
        self.states[number] = decision
        self.ends[number, decision.leader_epoch] = self.cluster.controller.append(*records)

    def tell(self, broker: int, number: int, decision: Published, is_new: bool, with_broker_epoch: bool) -> int:
        """The broker receives the log up to this decision, and obeys it: the newest of what it receives. 0: no error."""
        self.cluster.controller.let(broker, self.ends[number, decision.leader_epoch])

        def obeys() -> bool:
            held = memory_of(self.cluster.brokers[broker].order(f"inspect {self.name} {number}"))
            return held is not None and held.epoch >= decision.leader_epoch

        if not comes_true(obeys, WAIT):
            raise BrokerError(f"broker {broker} has received epoch {decision.leader_epoch} and does not obey it")
        return 0

    def remove(self) -> None:
        """The topic is deleted, and every broker hears of it."""
        end = self.cluster.controller.delete_topic(self.id)
        for broker in range(self.cluster.count):
            self.cluster.controller.let(broker, end)


class KraftComparison(Comparison):
    """What can be seen, with the metadata log in place of ZooKeeper."""

    topic: Any

    def zookeeper(self) -> None:
        """Who is unfenced, and the state of each partition as the log has it."""
        self.differ("metadata log", "live brokers", in_set(self.s.zookeeper.broker_ids), sorted(self.cluster.controller.unfenced))
        for number, node in enumerate(self.s.zookeeper.leader_and_isr):
            last = self.topic.states.get(number)
            told = "none"
            if last is not None:
                told = f"leader {last.leader} epoch {last.leader_epoch} isr {sorted(last.isr)} v{last.version + 1} controller 0"
            self.differ("metadata log", f"state of partition {number}", self.node_text(node), told)

    def named_in(self, request: HeldRequest, partition: int) -> tuple[str, int] | None:
        """The partition by its topic's id, since version 13 of the request."""
        if request.key != FETCH:
            return super().named_in(request, partition)
        for topic in asked_in(self.cluster, request)["Topics"]:
            for row in topic["Partitions"]:
                if (topic["TopicId"], row["Partition"]) == (self.topic.id, partition):
                    return "fetches from", row["FetchOffset"]
        return None


def asked_in(cluster: KraftCluster, request: HeldRequest) -> dict[str, Any]:
    """What a fetch asks."""
    message = cluster.controller.schemas.requests[FETCH].message
    return decode(message, request.version, request_body(message, request.version, request.payload))


class KraftSteps(Steps):
    """The actions of the model, by name, where they differ from those under ZooKeeper."""

    topic_of: Callable[..., Any] = KraftTopic
    comparison = KraftComparison

    def expire_session(self, broker: int) -> None:
        """The controller fences the broker; who lives goes on."""
        self.cluster.controller.fence(broker, True)

    def notice_session_expiry(self, broker: int) -> None:
        """A broker that lives is unfenced again."""
        self.cluster.controller.fence(broker, False)

    def start_broker(self, broker: int) -> None:
        """The process starts, registers, and receives all of the log."""
        self.cluster.launch(broker)
        self.cluster.await_brokers([broker])

    def truncate_on_divergence(self, partition: int, follower: int, leader: int) -> None:
        """A fetch, whose answer names another history: the follower cuts its log, and fetches again."""
        self.exchange(follower, leader, self.reach(follower, leader, FETCH))
        self.gate(follower, leader).pending(WAIT)

    def fetch(self, partition: int, follower: int, leader: int) -> None:
        """As under ZooKeeper; where there are no records, until the follower has learnt the high watermark.

        A leader that has refused a fetch takes the high watermark of that answer for told; the follower does not (KAFKA-14704).
        So an answer is lost: the follower begins another fetch session, in which it is told again.
        """
        super().fetch(partition, follower, leader)
        before, after = self.before.replica[partition], self.after.replica[partition][follower]
        if after.failed or before[follower].leo < before[leader].leo or self.high_watermark(partition, follower) >= after.hw:
            return
        for deliver in (False, True):
            self.exchange(follower, leader, self.reach(follower, leader, FETCH), deliver)
        self.gate(follower, leader).pending(WAIT)

    def reach(self, follower: int, leader: int, key: int) -> HeldRequest:
        """A follower that waits before it fetches on, since a fetch has failed, first takes the partition out of its session."""
        while True:
            request = super().reach(follower, leader, key)
            if key != FETCH or not asked_in(self.cluster, request)["ForgottenTopicsData"]:
                return request
            self.exchange(follower, leader, request)

    def end(self) -> None:
        """As under ZooKeeper, and the topic is deleted."""
        super().end()
        self.topic.remove()


EMPTIED = "a disk that is emptied while the metadata log names its directory is not performed under KRaft yet"
UNSERVED = "a change of the ISR by its leader (AlterPartition) is not served yet under KRaft: record a trace without one"
KRAFT_STEPS = {
    **STEPS,
    **{name: step for name, step in vars(KraftSteps).items() if name in STEPS},
    **dict.fromkeys(("shrink_isr", "expand_isr"), partial(refuse, UNSERVED)),
    "empty_disk": partial(refuse, EMPTIED),
}
KraftSteps.actions = KRAFT_STEPS
