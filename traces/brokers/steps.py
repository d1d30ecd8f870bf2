"""What each step of a trace is on real brokers: which process, node, request or frame it stands for.

Steps of the model's own controller that change nothing outside it (it sees an event, reads a node) have no entry in
`STEPS`: nothing is to be done. A step that no broker can be made to take raises `CannotForce`.
"""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...model.config import ALL
from ...model.members import NO_BROKER, contains
from ...model.vocabulary import ASKING, FETCHING
from ...model.zookeeper.znodes import holders
from .cluster import LAG_MS, Cluster
from .controller import NO_LEADER, Decision, Topic
from .disk import build_batch, read_checkpoint, read_directory, write_checkpoint
from .gate import Gate, Request, close, closed, words
from .process import BrokerError
from .requests import FETCH, OFFSET_FOR_LEADER_EPOCH, Produce, ProduceAnswer
from .wire import decode, read_frame, request_frame, response_body

WAIT = 10.0
"""Seconds that a broker has for what it does at once."""

STALE = 11
"""The error STALE_CONTROLLER_EPOCH."""


class CannotForce(Exception):
    """A step that the brokers cannot be made to take; the message says why."""


@dataclass
class Outstanding:
    """A producer that waits for its acknowledgement: acks=all."""

    record: int
    connection: socket.socket


class Stage:
    """The cluster as one trace plays on it; `before` and `after` are the model's states around the present step."""

    def __init__(self, cluster: Cluster, name: str, initial: Any) -> None:
        self.cluster, self.config = cluster, initial.config
        self.before = self.after = initial
        self.topic = Topic(cluster, name, cluster.controller_epoch)
        self.told: set[tuple[int, int]] = set()
        self.checkpoints: dict[tuple[int, int], int] = {}
        self.outstanding: list[Outstanding] = []
        self.answers: dict[int, int] = {}
        self.sent: dict[tuple[int, int, int], Request] = {}
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
                    self.reach(partition, broker, node.leader, FETCH)

    def write_assignments(self) -> None:
        """The topic's node, from the model's assignment; the preferred replica stands first."""
        store, found = self.after.zookeeper, {}
        for partition in range(self.config.partitions):
            brokers = [b for b in range(self.config.brokers) if contains(holders(self.after, partition), b)]
            if brokers:
                found[partition] = sorted(brokers, key=lambda b: b != store.preferred[partition])
        self.topic.write_assignment(found, self.config.min_isr)

    def decision(self, partition: int, controller: int | None = None) -> Decision:
        """What the state's node says, as a request."""
        node = self.after.zookeeper.leader_and_isr[partition]
        epoch = node.controller_epoch if controller is None else controller
        return self.make_decision(partition, epoch, node.leader, node.leader_epoch, node.isr, node.version)

    def make_decision(self, partition: int, controller: int, leader: int, epoch: int, isr: int, version: int) -> Decision:
        """From the model's numbers to Kafka's."""
        everyone = range(self.config.brokers)
        return Decision(
            self.topic.base + max(0, controller),
            NO_LEADER if leader == NO_BROKER else leader,
            epoch,
            tuple(b for b in everyone if contains(isr, b)),
            version - 1,
            tuple(b for b in everyone if contains(holders(self.after, partition), b)),
        )

    def tell(self, partition: int, broker: int, decision: Decision, is_new: bool = False, keeps: bool = False) -> None:
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
        return self.cluster.gates[follower, leader]

    def waiting(self, follower: int, leader: int, seconds: float = WAIT) -> Request:
        """The follower's request; BrokerError when none comes."""
        request = self.gate(follower, leader).pending(seconds)
        if request is None:
            raise BrokerError(f"broker {follower} sends no request to broker {leader}")
        return request

    def exchange(self, follower: int, leader: int, request: Request, deliver: bool = True) -> bytes:
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

    def reach(self, partition: int, follower: int, leader: int, key: int) -> Request:
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

    # Sessions and processes.

    def expire_session(self, broker: int) -> None:
        self.cluster.expire(broker)

    def notice_session_expiry(self, broker: int) -> None:
        self.cluster.reconnect(broker)

    def crash(self, broker: int) -> None:
        """kill -9. The checkpoint on disk becomes the one that the trace took last: later ones served to look inside."""
        self.cluster.kill(broker)
        data = self.cluster.data(broker)
        offsets = {key: value for key, value in read_checkpoint(data).items() if key[0] != self.topic.name}
        for partition in range(self.config.partitions):
            self.told.discard((partition, broker))
            if (partition, broker) in self.checkpoints:
                offsets[self.topic.name, partition] = self.checkpoints[partition, broker]
        write_checkpoint(data, offsets)

    def start_broker(self, broker: int) -> None:
        """The process starts; then it is told what is published, which in V3 it would read for itself."""
        self.cluster.lines[broker].release()
        self.cluster.launch(broker)
        self.cluster.await_broker(broker)
        for partition, node in enumerate(self.after.zookeeper.leader_and_isr):
            me = self.after.replica[partition][broker]
            if me.exists and node.version > 0:
                self.tell(partition, broker, self.decision(partition, self.latest_controller()))
                self.settle(partition, broker)
            elif self.before.replica[partition][broker].exists and not me.exists:
                self.topic.stop(broker, partition, self.topic.base + self.latest_controller(), False)

    def latest_controller(self) -> int:
        """The controller in office, by the model's count."""
        return max(0, int(self.after.zookeeper.controller_epoch))

    def lose_epoch_file(self, broker: int) -> None:
        for partition in range(self.config.partitions):
            folder = self.cluster.data(broker) / f"{self.topic.name}-{partition}"
            (folder / "leader-epoch-checkpoint").unlink(missing_ok=True)

    def lose_power(self, broker: int, **_: int) -> None:
        raise CannotForce("a power loss that takes an unflushed suffix: the operating system has written it already")

    def checkpoint_high_watermark(self, partition: int, broker: int) -> None:
        self.checkpoints[partition, broker] = self.high_watermark(partition, broker)

    # The controller.

    def see_controller_change(self, broker: int) -> None:
        if self.after.zookeeper.controller_epoch != self.before.zookeeper.controller_epoch:
            self.cluster.take_office()

    def publish(self, **_: int) -> None:
        """The controller's decisions: the node that changed."""
        for partition, node in enumerate(self.after.zookeeper.leader_and_isr):
            if node.version != self.before.zookeeper.leader_and_isr[partition].version:
                self.topic.write_state(partition, self.decision(partition))

    def create_topic(self, partition: int, broker: int) -> None:
        self.write_assignments()

    def delete_topic(self, partition: int) -> None:
        self.topic.delete_state(partition)

    def move(self, **arguments: int) -> None:
        """Steps of a reassignment: the assignment changes, and with the switch the state too."""
        self.write_assignments()
        self.publish()

    # Commands.

    def become_leader(self, partition: int, broker: int, epoch: int, controller: int) -> None:
        command, me = self.before.command[partition][epoch], self.before.replica[partition][broker]
        keeps = self.config.keep_following and me.leader == command.leader not in (broker, NO_BROKER)
        decision = self.make_decision(partition, controller, command.leader, epoch, command.isr, command.zk_version)
        self.tell(partition, broker, decision, not me.exists, bool(keeps))

    def become_follower(self, partition: int, broker: int, epoch: int, controller: int) -> None:
        self.become_leader(partition, broker, epoch, controller)
        self.settle(partition, broker)

    def settle(self, partition: int, broker: int) -> None:
        """A follower that in the model fetches at once may ask for epochs before it does (see `reach`)."""
        me = self.after.replica[partition][broker]
        if me.phase == FETCHING and me.leader not in (broker, NO_BROKER) and self.leads(partition, me.leader):
            if all(start < 0 for start in me.epoch_start):
                self.reach(partition, broker, me.leader, FETCH)

    def leads(self, partition: int, broker: int) -> bool:
        """In the model: the broker runs and serves."""
        return bool(self.after.broker[broker].up and self.after.replica[partition][broker].leader == broker)

    def stop_replica(self, partition: int, broker: int, controller: int) -> None:
        error = self.topic.stop(broker, partition, self.topic.base + controller, bool(self.config.broker_epochs))
        if error:
            raise BrokerError(f"broker {broker} answers StopReplica with error {error}")
        self.told.discard((partition, broker))

    def delete_unnamed(self, broker: int, controller: int) -> None:
        raise CannotForce("the flag INIT: no release of Kafka deletes what a new controller's first request does not name")

    # Truncation.

    def answer_epoch_request(self, partition: int, leader: int, follower: int) -> None:
        request = self.waiting(follower, leader)
        if request.key != OFFSET_FOR_LEADER_EPOCH:
            raise BrokerError(f"broker {follower} sends {words(request.key)} instead of an epoch request")
        if self.gate(follower, leader).let_request(request, WAIT) is None:
            raise BrokerError(f"broker {leader} does not answer the epoch request of broker {follower}")
        self.passed.append("epoch request")

    def truncate_to_answer(self, partition: int, follower: int) -> None:
        leader = self.before.replica[partition][follower].leader
        gate = self.gate(follower, leader)
        held = [r for r in gate.requests if r.sent and r.answer is not None]
        if not held or not gate.let_answer(held[0]):
            raise BrokerError(f"no answer to an epoch request waits for broker {follower}")
        self.passed.append("its answer")
        key = OFFSET_FOR_LEADER_EPOCH if self.after.replica[partition][follower].phase == ASKING else FETCH
        gate.pending(WAIT)
        if key == FETCH:
            self.settle(partition, follower)

    def truncate_on_divergence(self, partition: int, follower: int, leader: int) -> None:
        raise CannotForce("truncation by what a fetch answers: brokers do so from 2.7 on, when the leader does not write the ISR")

    def fail_epoch_request(self, partition: int, follower: int) -> None:
        raise CannotForce("a fall-back to the high watermark when an epoch request fails: Kafka asks again")

    # Replication.

    def produce(self, partition: int, leader: int, batch: int) -> None:
        """One batch. With acks=all the producer waits, and the run goes on when the batch is in the leader's log."""
        number = self.after.spent.records
        acks = -1 if self.config.acks == ALL else 1
        version = self.cluster.release.versions[3]
        records = build_batch(number, batch + 1, self.cluster.release.magic)
        part = {"partition": partition, "records": records}
        topics = [{"topic": self.topic.name, "partitions": [part]}]
        values = {"transactional_id": None, "acks": acks, "timeout": 3_600_000, "topics": topics}
        connection = socket.create_connection(self.cluster.addresses[leader], 10)
        connection.sendall(request_frame(Produce, version, number, "highwater", values))
        connection.settimeout(WAIT)
        self.outstanding.append(Outstanding(number, connection))
        end = self.after.replica[partition][leader].leo
        until = time.monotonic() + WAIT
        while read_directory(self.cluster.data(leader), self.topic.name, partition).end < end:
            self.hear_producers()
            if self.answers.get(number) or time.monotonic() > until:
                raise BrokerError(f"broker {leader} does not append batch {number}: error {self.answers.get(number, 'none')}")
            time.sleep(0.002)

    def hear_producers(self) -> None:
        """Note which producers have been answered: 0 is an acknowledgement, else the error."""
        for one in list(self.outstanding):
            if select.select([one.connection], [], [], 0)[0]:
                self.outstanding.remove(one)
                try:
                    payload = read_frame(one.connection)
                except OSError:
                    payload = None
                close(one.connection)
                if payload is not None:
                    version = self.cluster.release.versions[3]
                    answer = decode(ProduceAnswer, version, response_body(Produce, version, payload)[1])
                    self.answers[one.record] = answer["topics"][0]["partitions"][0]["error"]

    def fetch(self, partition: int, follower: int, leader: int) -> None:
        """A fetch of the model, as the exchanges that it stands for.

        Kafka reads the high watermark for the answer before it notes how far the follower has come; the model after.
        Where that makes a difference and there are records to fetch, the first answer is lost, and the follower asks
        again from the same offset. Where there are none, it asks again anyway.
        """
        has_records = self.before.replica[partition][follower].leo < self.before.replica[partition][leader].leo
        wanted = self.after.replica[partition][follower].hw
        request = self.reach(partition, follower, leader, FETCH)
        if self.needs_a_lost_answer(partition, follower, leader):
            self.exchange(follower, leader, request, deliver=False)
            request = self.reach(partition, follower, leader, FETCH)
        self.exchange(follower, leader, request)
        if self.after.replica[partition][follower].failed:
            return
        for _ in range(4):
            if self.gate(follower, leader).pending(WAIT) is None:
                return
            if has_records or self.high_watermark(partition, follower) >= wanted:
                return
            self.exchange(follower, leader, self.reach(partition, follower, leader, FETCH))

    def needs_a_lost_answer(self, partition: int, follower: int, leader: int) -> bool:
        """There are records to fetch, and the high watermark from before would leave the follower's too low."""
        me, their = self.before.replica[partition][follower], self.before.replica[partition][leader]
        risen = self.after.replica[partition][leader].hw > their.hw
        return bool(risen and me.leo < their.leo and their.hw <= me.leo)

    def send_fetch(self, partition: int, follower: int) -> None:
        """The request that waits at the gate is on its way from now on, whatever the follower does."""
        leader = self.before.replica[partition][follower].leader
        self.sent[partition, leader, follower] = self.reach(partition, follower, leader, FETCH)

    def answer_fetch(self, partition: int, leader: int, follower: int) -> None:
        """The request arrives; of a follower that has turned away, over a connection of its own."""
        request = self.sent.pop((partition, leader, follower))
        gate = self.gate(follower, leader)
        expected = self.after.fetch_response[partition][follower].sent
        if request.lost or not expected:
            gate.replay(request.payload, WAIT)
            self.passed.append("late fetch")
            return
        if self.needs_a_lost_answer(partition, follower, leader):
            self.exchange(follower, leader, request, deliver=False)
            request = self.reach(partition, follower, leader, FETCH)
        if gate.let_request(request, WAIT) is None:
            raise BrokerError(f"broker {leader} does not answer the fetch of broker {follower}")
        self.passed.append("fetch")

    def receive_fetch(self, partition: int, follower: int) -> None:
        """The answer arrives. The model's follower may wait with an answer that another fetch has made useless."""
        leader = self.before.replica[partition][follower].leader
        gate = self.gate(follower, leader)
        for request in [r for r in gate.requests if r.sent and r.answer is not None]:
            gate.let_answer(request)
        self.passed.append("its answer")
        if not self.after.replica[partition][follower].failed:
            gate.pending(WAIT)

    def shrink_isr(self, partition: int, leader: int, follower: int) -> None:
        """The leader's clock goes past `replica.lag.time.max.ms`, who is in sync fetches again, and the leader looks.

        The answers to those fetches are lost: they could tell a follower of a high watermark that it has yet to learn.
        """
        me = self.before.replica[partition][leader]
        process = self.cluster.brokers[leader]
        process.order(f"advance {LAG_MS + 1}")
        for other in range(self.config.brokers):
            if other in (leader, follower) or not contains(me.isr, other):
                continue
            if me.fetched_to[other] < me.leo or not self.fetches(partition, other, leader):
                raise CannotForce(f"broker {leader} would drop broker {other} from the ISR together with broker {follower}")
            self.exchange(other, leader, self.reach(partition, other, leader, FETCH), deliver=False)
        process.order("shrink")
        self.await_isr(partition)

    def fetches(self, partition: int, follower: int, leader: int) -> bool:
        """In the model: the follower's fetcher runs against this leader."""
        me = self.before.replica[partition][follower]
        return bool(self.before.broker[follower].up and me.leader == leader and me.phase == FETCHING and not me.failed)

    def expand_isr(self, partition: int, leader: int, follower: int) -> None:
        """A leader takes a follower back with the fetch that shows it in sync; when that is past, with the next one.

        A follower that has records to fetch would get them with the answer, which is therefore lost.
        """
        read = self.cluster.read(self.topic.state_path(partition))
        if read is None or read[1] + 1 < self.after.zookeeper.leader_and_isr[partition].version:
            behind = self.before.replica[partition][follower].leo < self.before.replica[partition][leader].leo
            self.exchange(follower, leader, self.reach(partition, follower, leader, FETCH), deliver=not behind)
        self.await_isr(partition)

    def await_isr(self, partition: int) -> None:
        """The node has the version that it has in the model; from 2.7 on it is written in the background."""
        until = time.monotonic() + 1
        wanted = self.after.zookeeper.leader_and_isr[partition].version
        while time.monotonic() < until:
            read = self.cluster.read(self.topic.state_path(partition))
            if read is not None and read[1] + 1 >= wanted:
                return
            time.sleep(0.005)

    def end(self) -> None:
        """Close what is open, and delete the topic's replicas where the broker lives."""
        for one in self.outstanding:
            close(one.connection)


STEPS: dict[str, Callable[..., None]] = {
    name: getattr(Stage, name)
    for name in (
        "expire_session", "notice_session_expiry", "crash", "start_broker", "lose_epoch_file", "lose_power",
        "checkpoint_high_watermark", "see_controller_change", "create_topic", "delete_topic", "become_leader",
        "become_follower", "stop_replica", "delete_unnamed", "answer_epoch_request", "truncate_to_answer",
        "truncate_on_divergence", "fail_epoch_request", "produce", "fetch", "send_fetch", "answer_fetch", "receive_fetch", "shrink_isr", "expand_isr",
    )
}  # fmt: skip
STEPS |= dict.fromkeys(
    ("init_leader", "elect_leader", "elect_unclean_leader", "take_offline", "elect_preferred_replica",
     "elect_preferred_replica_on_schedule"), Stage.publish,
)  # fmt: skip
STEPS |= dict.fromkeys(("request_reassignment", "switch_isr", "finish_reassignment"), Stage.move)
