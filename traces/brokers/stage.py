"""The stage: a cluster as one trace plays on it, and what several steps share: telling brokers, frames, producers."""

import select
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from ...model.fetching import leads
from ...model.members import NO_BROKER
from ...model.vocabulary import Phase
from ...model.zookeeper.znodes import holders
from ..words import in_set
from .compare import Comparison
from .controller import Published, Topic, broker_id
from .disk import read_checkpoint
from .gate import Gate, HeldRequest, close, closed, words
from .process import BrokerError, comes_true
from .requests import FETCH, OFFSET_FOR_LEADER_EPOCH, Produce, ProduceAnswer
from .wire import decode, read_frame, response_body

WAIT = 10.0
"""Seconds that a broker has for what it does at once."""


@dataclass
class Outstanding:
    """A producer that waits for its acknowledgement: acks=all."""

    record: int
    connection: socket.socket


class Stage:
    """The cluster as one trace plays on it; `before` and `after` are the model's states around the present step.

    `topic_of`, `comparison` and `actions` are what differs between ZooKeeper and KRaft.
    """

    topic_of: Callable[..., Any] = Topic
    comparison = Comparison
    actions: ClassVar[Mapping[str, Callable[..., None]]] = MappingProxyType({})

    def __init__(self, cluster: Any, name: str, initial: Any) -> None:
        self.cluster, self.config = cluster, initial.config
        self.before = self.after = initial
        self.topic: Any = self.topic_of(cluster, name, cluster.controller_epoch)
        self.told: set[tuple[int, int]] = set()
        self.checkpoints: dict[tuple[int, int], int] = {}
        self.outstanding: list[Outstanding] = []
        self.answers: dict[int, int] = {}
        self.sent: dict[tuple[int, int, int], HeldRequest] = {}
        self.passed: list[str] = []

    # The beginning.

    def begin(self) -> None:
        """Bring the brokers into the trace's initial state: topic, leaders, followers that fetch from offset 0."""
        for partition in range(self.config.partitions):
            if self.after.zookeeper.assigned[partition]:
                self.write_assignments()
                self.topic.write_state(partition, self.decision(partition))
        for partition, node in enumerate(self.after.zookeeper.leader_and_isr):
            brokers = [b for b in range(self.config.brokers) if self.after.replica[partition][b].exists]
            for broker in sorted(brokers, key=lambda b: b != node.leader):
                self.tell(partition, broker, self.decision(partition), True)
            for broker in brokers:
                if broker != node.leader:
                    self.reach(broker, node.leader, FETCH)

    def write_assignments(self) -> None:
        """The topic's node, from the model's assignment; the preferred replica stands first."""
        store, found = self.after.zookeeper, {}
        for partition in range(self.config.partitions):
            brokers = in_set(holders(self.after, partition))
            if brokers:
                found[partition] = sorted(brokers, key=lambda b: b != store.preferred[partition])
        self.topic.write_assignment(found, self.config.min_isr, not self.config.exits)

    def decision(self, partition: int, controller: int | None = None) -> Published:
        """What the state's node says, as a request."""
        node = self.after.zookeeper.leader_and_isr[partition]
        epoch = node.controller_epoch if controller is None else controller
        return self.make_decision(partition, epoch, node.leader, node.leader_epoch, node.isr, node.version)

    def make_decision(self, partition: int, controller: int, leader: int, epoch: int, isr: int, version: int) -> Published:
        """From the model's numbers to Kafka's."""
        return Published(
            self.topic.base + max(0, controller),
            broker_id(leader),
            epoch,
            tuple(in_set(isr)),
            version - 1,
            tuple(in_set(holders(self.after, partition))),
        )

    def tell(self, partition: int, broker: int, decision: Published, is_new: bool = False, keeps: bool = False) -> None:
        """Send LeaderAndIsr. The follower's connections are closed first, so that no fetcher waits for an answer.

        `keeps`: the broker will not touch its fetcher, and neither do we.
        """
        with closed([] if keeps else self.cluster.gates_of(broker)):
            error = self.topic.tell(broker, partition, decision, is_new, bool(self.config.broker_epochs))
        if error:
            raise BrokerError(f"broker {broker} answers LeaderAndIsr of epoch {decision.leader_epoch} with error {error}")
        self.told.add((partition, broker))
        self.passed.append(f"LeaderAndIsr epoch {decision.leader_epoch} to {broker}")

    # Frames.

    def gate(self, follower: int, leader: int) -> Gate:
        """The way between them."""
        gate: Gate = self.cluster.gates[follower, leader]
        return gate

    def waiting(self, follower: int, leader: int, seconds: float = WAIT) -> HeldRequest:
        """The follower's request; BrokerError when none comes."""
        request = self.gate(follower, leader).pending(seconds)
        if request is None:
            raise BrokerError(f"broker {follower} sends no request to broker {leader}")
        return request

    def exchange(self, follower: int, leader: int, request: HeldRequest, deliver: bool = True) -> bytes:
        """One request and its answer; without `deliver` the answer is lost and the follower will ask again."""
        gate = self.gate(follower, leader)
        answer = gate.let_request(request, WAIT)
        if answer is None:
            raise BrokerError(f"broker {leader} does not answer the {words(request.key)} of broker {follower}")
        self.passed.append(words(request.key) if deliver else f"{words(request.key)}, its answer lost")
        if deliver:
            gate.let_answer(request)
        else:
            gate.drop()
        return answer

    def reach(self, follower: int, leader: int, key: int) -> HeldRequest:
        """Let epoch requests pass until the follower's request is of this kind.

        A follower without any epoch asks all the same, from 0.11 to 2.0, and is answered undefined: in the model it
        fetches at once.
        """
        for _ in range(4):
            request = self.waiting(follower, leader)
            if request.key == key:
                return request
            if request.key != OFFSET_FOR_LEADER_EPOCH:
                break
            self.exchange(follower, leader, request)
        raise BrokerError(f"broker {follower} sends {words(request.key)} instead of {words(key)}")

    def high_watermark(self, partition: int, broker: int) -> int:
        """As the broker would checkpoint it now."""
        self.cluster.brokers[broker].order("checkpoint")
        return read_checkpoint(self.cluster.data(broker)).get((self.topic.name, partition), 0)

    def latest_controller(self) -> int:
        """The controller in office, by the model's count."""
        return max(0, int(self.after.zookeeper.controller_epoch))

    def settle(self, partition: int, broker: int) -> None:
        """A follower that in the model fetches at once may ask for epochs before it does (see `reach`)."""
        me = self.after.replica[partition][broker]
        if me.phase is Phase.FETCHING and me.leader not in (broker, NO_BROKER) and leads(self.after, partition, me.leader):
            if all(start < 0 for start in me.epoch_start):
                self.reach(broker, me.leader, FETCH)

    def hear_producers(self) -> None:
        """Note which producers have been answered: 0 is an acknowledgement, else the error."""
        for request in list(self.outstanding):
            if select.select([request.connection], [], [], 0)[0]:
                self.outstanding.remove(request)
                try:
                    payload = read_frame(request.connection)
                except OSError:
                    payload = None
                close(request.connection)
                if payload is not None:
                    version = self.cluster.release.versions[3]
                    answer = decode(ProduceAnswer, version, response_body(Produce, version, payload)[1])
                    self.answers[request.record] = answer["topics"][0]["partitions"][0]["error"]

    def needs_a_lost_answer(self, partition: int, follower: int, leader: int) -> bool:
        """There are records to fetch, and the high watermark from before would leave the follower's too low."""
        me, their = self.before.replica[partition][follower], self.before.replica[partition][leader]
        risen = self.after.replica[partition][leader].hw > their.hw
        return bool(risen and me.leo < their.leo and their.hw <= me.leo)

    def await_isr(self, partition: int) -> None:
        """The node has the version that it has in the model; from 2.7 on it is written in the background."""
        wanted, path = self.after.zookeeper.leader_and_isr[partition].version, self.topic.state_path(partition)
        comes_true(lambda: (read := self.cluster.read(path)) is not None and read[1] + 1 >= wanted, 1)

    def prepare(self) -> None:
        """What has to be so before a step."""

    def finish(self) -> None:
        """What happens by itself after a step."""

    def end(self) -> None:
        """Close what is open, and delete the topic's replicas where the broker lives."""
        for request in self.outstanding:
            close(request.connection)
