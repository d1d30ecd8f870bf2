"""What each step of a trace is on real brokers: which process, node, request or frame it stands for.

For steps of the model's own controller that change nothing outside it (it sees an event, reads a node) nothing is to
be done. A step that no broker can be made to take raises `CannotForce`.
"""

import inspect
import shutil
import socket
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ...model.broker.become_follower import keeps_fetching
from ...model.choices import Acks, StartUp
from ...model.fetching import is_fetching_from
from ...model.members import contains
from ...model.vocabulary import Phase
from ..words import in_set
from .disk import build_batch, read_checkpoint, read_directory, write_checkpoint
from .gate import words
from .gated import LAG_MS
from .process import BrokerError
from .requests import FETCH, LIST_OFFSETS, OFFSET_FOR_LEADER_EPOCH, Produce
from .stage import WAIT, Outstanding, Stage
from .wire import request_frame

QUIET = 1.0
"""Seconds in which a broker that follows would have sent a request."""


class CannotForce(Exception):
    """A step that the brokers cannot be made to take; the message says why."""


class Steps(Stage):
    """The actions of the model, by name."""

    # Sessions and processes.

    def expire_session(self, broker: int) -> None:
        """The broker is cut off from ZooKeeper, and its session is closed with the session's password."""
        self.cluster.expire(broker)

    def notice_session_expiry(self, broker: int) -> None:
        """The broker reaches ZooKeeper again."""
        self.cluster.reconnect(broker)

    def crash(self, broker: int) -> None:
        """kill -9. The checkpoint on disk becomes the one that the trace took last; later ones were written to be compared."""
        self.cluster.kill(broker)
        data = self.cluster.data(broker)
        offsets = {key: value for key, value in read_checkpoint(data).items() if key[0] != self.topic.name}
        for partition in range(self.config.partitions):
            self.told.discard((partition, broker))
            if (partition, broker) in self.checkpoints:
                offsets[self.topic.name, partition] = self.checkpoints[partition, broker]
        write_checkpoint(data, offsets)

    def empty_disk(self, broker: int) -> None:
        """kill -9 if it is up; its copies of the topic are deleted, and their checkpoints."""
        if broker in self.cluster.brokers:
            self.crash(broker)
        data = self.cluster.data(broker)
        for partition in range(self.config.partitions):
            shutil.rmtree(data / f"{self.topic.name}-{partition}", ignore_errors=True)
            self.checkpoints.pop((partition, broker), None)
        write_checkpoint(data, {key: value for key, value in read_checkpoint(data).items() if key[0] != self.topic.name})

    def start_broker(self, broker: int) -> None:
        """The process starts and receives what is published, which in V3 it would read for itself.

        With `start_up = told` the trace says when it receives what.
        """
        self.cluster.lines[broker].release()
        self.cluster.launch(broker)
        self.cluster.await_broker(broker)
        if self.config.start_up is StartUp.TOLD:
            return
        for partition, node in enumerate(self.after.zookeeper.leader_and_isr):
            me = self.after.replica[partition][broker]
            if me.exists and node.version > 0:
                self.tell(partition, broker, self.decision(partition, self.latest_controller()))
                self.settle(partition, broker)
            elif self.before.replica[partition][broker].exists and not me.exists:
                self.topic.stop(broker, partition, self.topic.base + self.latest_controller(), False)

    def lose_epoch_file(self, broker: int) -> None:
        """The files are deleted while the broker is down."""
        for partition in range(self.config.partitions):
            folder = self.cluster.data(broker) / f"{self.topic.name}-{partition}"
            (folder / "leader-epoch-checkpoint").unlink(missing_ok=True)

    def checkpoint_high_watermark(self, partition: int, broker: int) -> None:
        """The broker writes its checkpoint; a crash will leave this one."""
        self.checkpoints[partition, broker] = self.high_watermark(partition, broker)

    # The controller.

    def see_controller_change(self, broker: int) -> None:
        """A new controller takes office, with the next controller epoch."""
        if self.after.zookeeper.controller_epoch != self.before.zookeeper.controller_epoch:
            self.cluster.take_office()

    def publish(self, **_: int) -> None:
        """The controller's decisions: the node that changed."""
        for partition, node in enumerate(self.after.zookeeper.leader_and_isr):
            if node.version != self.before.zookeeper.leader_and_isr[partition].version:
                self.topic.write_state(partition, self.decision(partition))

    def create_topic(self, partition: int, broker: int) -> None:
        """The topic's node."""
        self.write_assignments()

    def delete_topic(self, partition: int) -> None:
        """The partition's state node is deleted."""
        self.topic.delete_state(partition)

    def move(self, **arguments: int) -> None:
        """Steps of a reassignment: the assignment changes, and with the switch the state too."""
        self.write_assignments()
        self.publish()

    # Commands.

    def become_leader(self, partition: int, broker: int, epoch: int, controller: int) -> None:
        """UpdateMetadata, then LeaderAndIsr, with what the command says."""
        command, me = self.before.command[partition][epoch], self.before.replica[partition][broker]
        keeps = command.leader != broker and keeps_fetching(self.before, me, command.leader, epoch)
        decision = self.make_decision(partition, controller, command.leader, epoch, command.isr, command.zk_version)
        target = self.after.zookeeper.reassigned[partition] if command.moved else 0
        if contains(target, broker):  # who is to be removed hears of the others from another controller
            decision = replace(decision, replicas=tuple(in_set(target)))
        self.tell(partition, broker, decision, not me.exists, bool(keeps))

    def become_follower(self, partition: int, broker: int, epoch: int, controller: int) -> None:
        """The same; then the follower may have to ask for epochs."""
        self.become_leader(partition, broker, epoch, controller)
        self.settle(partition, broker)

    def learn_who_lives(self, broker: int, controller: int) -> None:
        """UpdateMetadata alone."""
        for partition in range(self.config.partitions):
            decision = self.decision(partition, controller)
            if self.topic.say_who_lives(broker, partition, decision, bool(self.config.broker_epochs)):
                raise BrokerError(f"broker {broker} refuses UpdateMetadata")

    def ignore_unknown_leader(self, partition: int, broker: int, epoch: int, controller: int) -> None:
        """LeaderAndIsr alone. The broker answers without an error, and sends the leader nothing within a second."""
        command = self.before.command[partition][epoch]
        decision = self.make_decision(partition, controller, command.leader, epoch, command.isr, command.zk_version)
        error = self.topic.command(broker, partition, decision, False, bool(self.config.broker_epochs))
        if error:
            raise BrokerError(f"broker {broker} answers LeaderAndIsr of epoch {epoch} with error {error}")
        self.told.add((partition, broker))
        self.passed.append(f"LeaderAndIsr epoch {epoch} to {broker}")
        if self.gate(broker, command.leader).pending(QUIET) is not None:
            raise BrokerError(f"broker {broker} follows broker {command.leader}")

    def stop_replica(self, partition: int, broker: int, controller: int) -> None:
        """StopReplica, with deletion."""
        error = self.topic.stop(broker, partition, self.topic.base + controller, bool(self.config.broker_epochs))
        if error:
            raise BrokerError(f"broker {broker} answers StopReplica with error {error}")
        self.told.discard((partition, broker))

    # Truncation.

    def answer_epoch_request(self, partition: int, leader: int, follower: int) -> None:
        """The request that waits reaches the leader; its answer waits."""
        request = self.waiting(follower, leader)
        if request.key != OFFSET_FOR_LEADER_EPOCH:
            raise BrokerError(f"broker {follower} sends {words(request.key)} instead of an epoch request")
        if self.gate(follower, leader).let_request(request, WAIT) is None:
            raise BrokerError(f"broker {leader} does not answer the epoch request of broker {follower}")
        self.passed.append("epoch request")

    def truncate_to_answer(self, partition: int, follower: int) -> None:
        """The answer reaches the follower, which asks again or fetches."""
        leader = self.before.replica[partition][follower].leader
        gate = self.gate(follower, leader)
        held = gate.answered()
        if held is None or not gate.let_answer(held):
            raise BrokerError(f"no answer to an epoch request waits for broker {follower}")
        self.passed.append("its answer")
        key = OFFSET_FOR_LEADER_EPOCH if self.after.replica[partition][follower].phase is Phase.ASKING else FETCH
        gate.pending(WAIT)
        if key == FETCH:
            self.settle(partition, follower)

    # Replication.

    def produce(self, partition: int, leader: int, batch: int) -> None:
        """One batch. With acks=all the producer waits, and the run goes on when the batch is in the leader's log."""
        number = self.after.spent.records
        acks = -1 if self.config.acks is Acks.ALL else 1
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

    def fetch(self, partition: int, follower: int, leader: int) -> None:
        """A fetch of the model, as the exchanges that it stands for.

        Kafka reads the high watermark for the answer before it notes how far the follower has come; the model after.
        Where that makes a difference and there are records to fetch, the first answer is lost, and the follower asks
        again from the same offset. Where there are none, it asks again anyway.
        """
        has_records = self.before.replica[partition][follower].leo < self.before.replica[partition][leader].leo
        wanted = self.after.replica[partition][follower].hw
        request = self.reach(follower, leader, FETCH)
        if self.needs_a_lost_answer(partition, follower, leader):
            self.exchange(follower, leader, request, deliver=False)
            request = self.reach(follower, leader, FETCH)
        self.exchange(follower, leader, request)
        if self.after.replica[partition][follower].failed:
            return
        for _ in range(4):
            if self.gate(follower, leader).pending(WAIT) is None:
                return
            if has_records or self.high_watermark(partition, follower) >= wanted:
                return
            self.exchange(follower, leader, self.reach(follower, leader, FETCH))

    def send_fetch(self, partition: int, follower: int) -> None:
        """The request that waits at the gate is on its way from now on, whatever the follower does."""
        leader = self.before.replica[partition][follower].leader
        self.sent[partition, leader, follower] = self.reach(follower, leader, FETCH)

    def waits(self, partition: int, leader: int, follower: int) -> bool:
        """The follower has not turned away since it sent the fetch."""
        epoch = self.before.fetch_request[partition][leader][follower].leader_epoch
        same = self.before.replica[partition][follower].leader_epoch == epoch
        return same and bool(is_fetching_from(self.before, partition, follower, leader))

    def answer_fetch(self, partition: int, leader: int, follower: int) -> None:
        """The request arrives; of a follower that has turned away, over a separate connection."""
        request = self.sent.pop((partition, leader, follower))
        gate = self.gate(follower, leader)
        expected = self.after.fetch_response[partition][follower].sent
        if not expected and not request.lost and self.waits(partition, leader, follower):
            self.exchange(follower, leader, request)  # an answer from which it learns nothing
            return
        if request.lost or not expected:
            gate.replay(request.payload, WAIT)
            self.passed.append("late fetch")
            return
        if self.needs_a_lost_answer(partition, follower, leader):
            self.exchange(follower, leader, request, deliver=False)
            request = self.reach(follower, leader, FETCH)
        if gate.let_request(request, WAIT) is None:
            raise BrokerError(f"broker {leader} does not answer the fetch of broker {follower}")
        self.passed.append("fetch")

    def receive_fetch(self, partition: int, follower: int) -> None:
        """The answer arrives. The model's follower may wait with an answer that another fetch has made useless."""
        leader = self.before.replica[partition][follower].leader
        gate = self.gate(follower, leader)
        request = gate.answered()
        if request is not None:
            gate.let_answer(request)
        self.passed.append("its answer")
        if not self.after.replica[partition][follower].failed:
            gate.pending(WAIT)

    def learn_out_of_range(self, partition: int, follower: int, leader: int) -> None:
        """A fetch and its answer, after which the follower asks for offsets; its question waits."""
        self.exchange(follower, leader, self.reach(follower, leader, FETCH))
        request = self.waiting(follower, leader)
        if request.key != LIST_OFFSETS:
            raise BrokerError(f"broker {follower} sends {words(request.key)} instead of a question for the leader's end")

    def ask_for_end(self, partition: int, follower: int, leader: int) -> None:
        """The fetch that is out of range, unless it has been answered, and the question for the leader's end."""
        if self.before.replica[partition][follower].phase is not Phase.OUT_OF_RANGE:
            self.learn_out_of_range(partition, follower, leader)
        self.exchange(follower, leader, self.waiting(follower, leader))

    def cut_to_leader_end(self, partition: int, follower: int, leader: int) -> None:
        """The follower may ask for the log's beginning too; then it fetches."""
        self.ask_for_end(partition, follower, leader)
        while (request := self.waiting(follower, leader)).key == LIST_OFFSETS:
            self.exchange(follower, leader, request)

    def exit_out_of_range(self, partition: int, follower: int, leader: int) -> None:
        """The broker exits by itself within ten seconds."""
        self.ask_for_end(partition, follower, leader)
        code = self.cluster.brokers[follower].end(WAIT)
        if code is None:
            raise BrokerError(f"broker {follower} does not exit")
        self.passed.append(f"broker {follower} exits with code {code}")
        self.crash(follower)

    def shrink_isr(self, partition: int, leader: int, follower: int) -> None:
        """The leader's clock advances past `replica.lag.time.max.ms`, followers in sync fetch again, and the leader looks.

        The answers to those fetches are lost: they could tell a follower of a high watermark that it has yet to learn.
        """
        me = self.before.replica[partition][leader]
        process = self.cluster.brokers[leader]
        process.order(f"advance {LAG_MS + 1}")
        for other in range(self.config.brokers):
            if other in (leader, follower) or not contains(me.isr, other):
                continue
            if me.fetched_to[other] < me.leo or not is_fetching_from(self.before, partition, other, leader):
                raise CannotForce(f"broker {leader} would drop broker {other} from the ISR together with broker {follower}")
            self.exchange(other, leader, self.reach(other, leader, FETCH), deliver=False)
        process.order("shrink")
        self.await_isr(partition)

    def expand_isr(self, partition: int, leader: int, follower: int) -> None:
        """A fetch with which the leader takes the follower into the ISR; its answer is dropped if it has records."""
        behind = self.before.replica[partition][follower].leo < self.before.replica[partition][leader].leo
        self.exchange(follower, leader, self.reach(follower, leader, FETCH), deliver=not behind)
        self.await_isr(partition)


NOTHING_TO_DO = (
    "recover_controller", "see_broker_change", "see_topic_change", "see_reassignment", "send_command",
    "find_caught_up", "remove_controller", "request_preferred_election", "drop_preferred_election",
    "flush_log", "compact_log", "consume", "read_role", "answer_command", "ignore_command",
    "look_at_isr", "raise_alert", "begin_shutdown",
    "refresh_leader", "publish_view",
)  # fmt: skip
"""What a controller, or an operator with it, sees, reads or asks for; and what brokers need not be told to do."""

REFUSED = {
    "a write to ZooKeeper and its answer cannot be held apart: record the trace with store = atomic": (
        "write_isr", "learn_isr_write", "learn_earlier_answer", "refuse_from_behind", "lose_isr_answer", "write_decision",
        "write_decisions", "lose_decision_answer",
    ),
    "ZooKeeper that fails in the middle of a request cannot be timed from outside": ("remember_command",),
    "a broker that is lost with its disks is not compared: use crash": ("lose_broker",),
    "there is no controller in this cluster to answer a controlled shutdown: use crash": ("stop_broker",),
    "a power loss that takes an unflushed suffix: the operating system has written it already": ("lose_power",),
    "the flag INIT: no release of Kafka deletes what a new controller's first request does not name": ("delete_unnamed",),
    "truncation by what a fetch answers: brokers do so from 2.8 on, when the leader does not write the ISR": (
        "truncate_on_divergence", "count_diverging_fetch", "refuse_fetch", "receive_refusal",
        "receive_late_response",
    ),
    "a fetch that is compared and counted in two steps: nothing from outside holds a broker between them": (
        "check_fetch", "count_fetch",
    ),
    "a produce request that waits some time after it was appended: nothing from outside holds a broker there": ("await_commit",),
    "a fall-back to the high watermark when an epoch request fails: Kafka asks again": ("fail_epoch_request",),
    "what follows the deletion of a topic, node by node and under the same name, is not performed here": (
        "delete_topic_path", "finish_topic_deletion", "create_topic_again", "obey_earlier_command",
    ),
    "no release of Kafka adds or removes a partition through a request's path, as V3 H has it": (
        "request_addition", "request_removal", "init_added", "stop_removed", "delete_change_request", "update_topic_path",
    ),
    "records are never deleted from the front of a log here, because topics have no retention limit": (
        "delete_old_records", "start_anew",
    ),
    "a leader that forgets a follower's end as it answers with an error: no request shows what it has forgotten": ("forget_end",),
    "a registration that a broker does not know yet: 2.2.0 to 2.5.0 refuse what names it, and are not performed here": (
        "learn_registration", "refuse_unknown_command", "refuse_unknown_stop",
    ),
    "a move of a partition is performed to its end here: none is cancelled": ("cancel_reassignment",),
    "what happens between two moments of one thread: nothing from outside holds a broker there": ("renew_answer", "cut_late"),
    "a broker here has one log directory, so it has no other to exchange it for": ("exchange_directory",),
    "a broker of Kafka reads no roles from the store as it starts: it waits for the controller": ("take_role",),
}  # fmt: skip
"""Steps that brokers cannot be made to take, by the reason."""


def refuse(why: str, stage: Stage, **arguments: int) -> None:
    """The step cannot be forced."""
    raise CannotForce(why)


STEPS: dict[str, Callable[..., None]] = {name: partial(refuse, why) for why, names in REFUSED.items() for name in names}
SEVERAL = ("publish", "move", "waits", "ask_for_end")
"""Methods of `Steps` that are several actions or none; every other method is the action of its name."""

STEPS |= {name: step for name, step in vars(Steps).items() if inspect.isfunction(step) and name not in SEVERAL}
STEPS |= dict.fromkeys(
    ("init_leader", "elect_leader", "elect_unclean_leader", "elect_instead", "take_offline", "take_offline_but_one",
     "elect_preferred_replica", "elect_preferred_replica_on_schedule", "elect_leaders", "move_leader_away"), Steps.publish,
)  # fmt: skip
STEPS |= dict.fromkeys(
    ("request_reassignment", "start_new_replicas", "switch_isr", "remove_old_replica", "stop_old_replicas", "write_assignment",
     "finish_reassignment"),
    Steps.move,
)  # fmt: skip
Steps.actions = STEPS
