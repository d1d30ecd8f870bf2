"""What each step of a trace of the family `kraft` is on brokers whose controller is the run.

What the controller decides is one batch of the metadata log, and a broker receives the log as far as the trace says: so the
trace decides which changes are one delta. Leaders' requests for another ISR wait here until the trace answers them.
"""

import inspect
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...model.kraft_choices import KnownNews
from ...model.members import contains
from ...model.vocabulary import Writing
from ...model.zookeeper.znodes import holders
from ..words import in_set
from .controller import broker_id
from .disk import cut_log
from .gate import closed
from .gated import LAG_MS
from .isr_requests import INELIGIBLE_REPLICA, INVALID_UPDATE_VERSION, NEW_LEADER_ELECTED, NONE, PartitionState, verdict
from .kraft_cluster import KraftCluster
from .kraft_steps import TOPIC_SETTINGS, KraftSteps
from .metadata_compare import MetadataComparison
from .metadata_log import Record
from .process import BrokerError, comes_true
from .requests import FETCH
from .stage import WAIT
from .steps import STEPS, refuse

RECOVERING, RECOVERED = 1, 0
"""Of a leader: elected from outside the ISR, and since then."""


class MetadataTopic:
    """The topic of a run. `images`: of each change, what it says of each partition; `ends`: the offset behind it."""

    base = 0

    def __init__(self, cluster: KraftCluster, name: str, base: int) -> None:
        self.cluster, self.name, self.id = cluster, name, uuid.uuid4()
        self.images: list[list[PartitionState]] = []
        self.ends: list[int] = []
        self.recovering: set[int] = set()

    def create(self, state: Any) -> None:
        """The topic, as the first state has it."""
        controller, store = self.cluster.controller, state.zookeeper
        records: list[Record] = [("TopicRecord", 0, {"Name": self.name, "TopicId": self.id}), self.setting(state.config.min_isr)]
        images = []
        for number, node in enumerate(store.leader_and_isr):
            brokers, first = in_set(holders(state, number)), store.preferred[number]
            replicas = tuple(sorted(brokers, key=lambda b: b != first))
            image = PartitionState(broker_id(node.leader), node.leader_epoch, 0, tuple(in_set(node.isr)), replicas=replicas)
            values = {
                "PartitionId": number, "TopicId": self.id, "Replicas": replicas, "Isr": image.isr, "Leader": image.leader,
                "LeaderEpoch": image.leader_epoch, "PartitionEpoch": 0, "Directories": self.cluster.directories(replicas),
            }  # fmt: skip
            records.append(("PartitionRecord", 1, values))
            images.append(image)
        controller.isr_topic = self.id
        self.note(controller.append(*records), images)

    def setting(self, min_isr: int) -> Record:
        """The record that sets min.insync.replicas of the topic."""
        setting = {"ResourceType": TOPIC_SETTINGS, "ResourceName": self.name}
        return "ConfigRecord", 0, {**setting, "Name": "min.insync.replicas", "Value": str(min_isr)}

    def note(self, end: int, images: list[PartitionState]) -> None:
        """The log has a change more."""
        self.images.append(images)
        self.ends.append(end)

    def remove(self) -> None:
        """The topic is deleted, and every broker hears of it; not where the files stay, for who looks later."""
        if self.cluster.kept:
            self.cluster.controller.deleted.add(self.id)
            return
        end = self.cluster.controller.delete_topic(self.id)
        for broker in self.cluster.brokers:
            self.cluster.controller.let(broker, end)


def images_after(before: Sequence[PartitionState], state: Any) -> list[PartitionState]:
    """What the log's end says of each partition, if it says what the model's does; the partition epoch counts changes."""
    found = []
    for number, old in enumerate(before):
        node, elrs = state.zookeeper.leader_and_isr[number], state.metadata[0].elr
        elr = tuple(in_set(elrs[number])) if number < len(elrs) else ()
        isr, held = tuple(in_set(node.isr)), replicas_after(old.replicas, state, number)
        new = PartitionState(broker_id(node.leader), node.leader_epoch, old.partition_epoch, isr, elr, *held)
        found.append(new if new == old else replace(new, partition_epoch=old.partition_epoch + 1))
    return found


def replicas_after(old: tuple[int, ...], state: Any, number: int) -> tuple[tuple[int, ...], ...]:
    """The replicas, who of them is added and who removed: the target of a move around the ring, then who was there before."""
    if not state.config.reassignments:
        return old, (), ()
    store, adding = state.zookeeper, tuple(in_set(state.metadata[0].adding[number]))
    target, first = in_set(store.reassigned[number]), store.reassigned_preferred[number]
    ring = sorted(target, key=lambda broker: (broker - first) % state.config.brokers)
    rest = [broker for broker in old if contains(store.assigned[number], broker) and broker not in target]
    return (*ring, *rest), adding, tuple(rest) if target else ()


def change_record(topic: uuid.UUID, number: int, old: PartitionState, new: PartitionState, recovery: int | None) -> Record:
    """The record that makes one of the other. A leader epoch begins with each record that names a leader."""
    change: dict[str, Any] = {"PartitionId": number, "TopicId": topic}
    if new.leader_epoch > old.leader_epoch:
        change["Leader"] = new.leader
    if new.isr != old.isr:
        change["Isr"] = list(new.isr)
    if new.elr != old.elr:
        change["EligibleLeaderReplicas"] = list(new.elr)
    if new.replicas != old.replicas:
        change["Replicas"] = list(new.replicas)
    if (new.adding, new.removing) != (old.adding, old.removing):
        change |= {"AddingReplicas": list(new.adding), "RemovingReplicas": list(new.removing)}
    if recovery is not None:
        change["LeaderRecoveryState"] = recovery
    return "PartitionChangeRecord", 2 if new.elr or old.elr else 1, change


class MetadataSteps(KraftSteps):
    """The actions of the family, by name."""

    topic_of = MetadataTopic
    comparison = MetadataComparison

    def begin(self) -> None:
        """The topic, of which leaders hear first, so that followers are not refused; until all have fetched once."""
        self.topic.create(self.after)
        for broker in sorted(range(self.config.brokers), key=lambda b: not self.leads_any(b)):
            self.apply(broker)
        for number, node in enumerate(self.after.zookeeper.leader_and_isr):
            for broker in self.topic.images[0][number].replicas:
                if broker != node.leader:
                    self.reach(broker, node.leader, FETCH)

    def leads_any(self, broker: int) -> bool:
        """The log's end says that the broker leads."""
        return any(node.leader == broker for node in self.after.zookeeper.leader_and_isr)

    # The log.

    def changes(self, recovery: int | None = None) -> tuple[list[Record], list[PartitionState]]:
        """The records about partitions that the step writes, and what the log says then."""
        images = images_after(self.topic.images[-1], self.after)
        pairs = enumerate(zip(self.topic.images[-1], images, strict=True))
        records = [change_record(self.topic.id, n, old, new, recovery) for n, (old, new) in pairs if new != old]
        return [self.placed(record) for record in records], images

    def placed(self, record: Record) -> Record:
        """A record that names replicas says where each of them keeps its log."""
        name, version, change = record
        if "Replicas" not in change:
            return record
        return name, version, {**change, "Directories": self.cluster.directories(change["Replicas"])}

    def apply(self, broker: int) -> None:
        """The broker receives the log as far as the model's has applied it after the step."""
        log = self.after.metadata[0]
        end = self.topic.ends[len(self.topic.ends) - 1 - (log.length - log.applied[broker])]
        pairs = [(s.replica[p][broker] for s in (self.before, self.after)) for p in range(self.config.partitions)]
        turns = any(before.leader_epoch != after.leader_epoch for before, after in pairs)
        with closed(self.cluster.gates_of(broker) if turns or self.before is self.after else []):
            self.cluster.controller.let(broker, end)
            self.await_applied(broker, end)
        self.told |= {(number, broker) for number in range(self.config.partitions)}

    def await_applied(self, broker: int, end: int) -> None:
        """Until a broker says that it has applied the log up to this offset."""
        process = self.cluster.brokers[broker]
        if not comes_true(lambda: int(process.order("applied")) >= end - 1, WAIT):
            applied = process.order("applied")
            raise BrokerError(f"broker {broker} has applied the metadata log to offset {applied}, not to {end - 1}")

    def apply_metadata(self, broker: int, change: int) -> None:
        """The broker receives the log up to that change at once, and applies what it has not as one delta.

        A leader that thereby forgets a request waits for a follower that was caught up, as long as that is recent. Its clock
        advances past `replica.lag.time.max.ms`, and it waits no more.
        """
        self.apply(broker)
        for partition in range(self.config.partitions):
            if self.forgets(partition, broker):
                self.pass_time(broker)
        self.passed.append(f"metadata to offset {self.topic.ends[-1]}")

    def pass_time(self, broker: int) -> None:
        """Whoever has not caught up with the broker by now is late."""
        self.cluster.brokers[broker].order(f"advance {LAG_MS + 1}")

    def prepare(self) -> None:
        """A leader waits for a replica outside the ISR that was caught up; no more where the model's high watermark passes it."""
        for partition in range(self.config.partitions):
            for leader in self.cluster.brokers:
                before, after = (s.replica[partition][leader] for s in (self.before, self.after))
                outside = [end for other, end in enumerate(after.fetched_to) if not contains(after.isr, other)]
                if before.leader == leader and after.hw > before.hw and any(0 < end < after.hw for end in outside):
                    self.pass_time(leader)

    def forgets(self, partition: int, leader: int) -> bool:
        """The leader's request is on its way, or its answer, and the log has brought what an earlier answer had brought."""
        before, after = (s.replica[partition][leader] for s in (self.before, self.after))
        pending = self.before.isr_write[partition][leader].phase is not Writing.QUIET
        told = self.after.isr_write[partition][leader].phase is Writing.QUIET and before.leader_epoch == after.leader_epoch
        return self.config.known_news is KnownNews.FORGETS and pending and told and before.isr == after.isr

    # The controller.

    def fence(self, broker: int, other: int) -> None:
        """One batch: the broker is fenced, and each partition that changes."""
        records, images = self.changes()
        self.topic.note(self.cluster.controller.fence(broker, True, *records), images)

    def unfence(self, broker: int) -> None:
        """One batch, once a heartbeat says that the broker can be unfenced; one that starts then serves."""
        if not self.cluster.controller.await_ready(broker, WAIT):
            raise BrokerError(f"broker {broker} does not say that it can be unfenced")
        records, images = self.changes()
        self.topic.note(self.cluster.controller.fence(broker, False, *records), images)
        self.cluster.await_started(broker)

    def elect_preferred(self, partition: int) -> None:
        """A record about the partition."""
        records, images = self.changes()
        self.topic.note(self.cluster.controller.append(*records), images)

    def reassign(self, partition: int, broker: int) -> None:
        """A record about the partition, whose replicas change."""
        self.elect_preferred(partition)

    def revert_reassignment(self, partition: int) -> None:
        """The opposite: the record that cancels the move."""
        self.elect_preferred(partition)

    def elect_unclean(self, partition: int, broker: int) -> None:
        """A record about the partition, whose leader has yet to recover."""
        records, images = self.changes(RECOVERING)
        self.topic.recovering.add(partition)
        self.topic.note(self.cluster.controller.append(*records), images)

    def register(self, broker: int) -> None:
        """The process starts and registers, with one batch; it receives the log up to there, and waits to be unfenced."""
        controller = self.cluster.controller
        records, images = self.changes()
        controller.with_registration[broker] = records
        earlier = controller.epochs[broker]
        self.cluster.launch(broker)
        if not controller.await_ready(broker, 6 * WAIT):
            raise BrokerError(f"broker {broker} does not register, or does not apply its registration")
        if controller.previous[broker] == earlier:
            raise BrokerError(f"broker {broker} says that it has stopped in order")
        self.topic.note(controller.epochs[broker] + len(records) + 1, images)
        self.told |= {(number, broker) for number in range(self.config.partitions)}

    def register_early(self, broker: int) -> None:
        """The same, though nobody has fenced the broker: its registration does."""
        self.register(broker)

    # What an operator changes.

    def change_min_isr(self, min_isr: int) -> None:
        """One batch: the topic's configuration, and that nobody is eligible any more, where somebody was."""
        changed, images = self.changes()
        clears = [("ClearElrRecord", 0, {"TopicName": self.topic.name})] if changed else []
        self.topic.note(self.cluster.controller.append(self.topic.setting(min_isr), *clears), images)

    def update_feature(self) -> None:
        """A record, which brokers receive with the next change: only the controller asks for the level."""
        level = {"Name": "eligible.leader.replicas.version", "FeatureLevel": self.after.metadata[0].elr_feature[0]}
        self.cluster.controller.append(("FeatureLevelRecord", 0, level))

    # The ISR.

    def alter_partition(self, partition: int, leader: int) -> None:
        """The request that waits is answered by Kafka's rules, which must be what the model does; the answer waits.

        One that ends a move and begins an epoch is answered at once: its leader waits for the log.
        """
        controller = self.cluster.controller
        asked = controller.await_isr_request(leader, WAIT)
        if asked is None:
            raise BrokerError(f"broker {leader} does not ask for another ISR")
        error = self.verdict(partition, leader)
        recovery = RECOVERED if partition in self.topic.recovering else None
        records, images = self.changes(recovery)
        phase = self.after.isr_write[partition][leader].phase
        if (error == NONE) != bool(records) or (error == INELIGIBLE_REPLICA) != (phase is Writing.QUIET):
            raise BrokerError(f"by Kafka's rules the controller answers {asked} with error {error}")
        asked.answer = error
        if error == NONE:
            self.topic.recovering.discard(partition)
            self.topic.note(controller.append(*records), images)
            asked.answer = images[partition] if images[partition].leader == leader else NEW_LEADER_ELECTED
        if phase is not Writing.WRITTEN:
            controller.release_isr_answer(leader)
        self.passed.append(f"AlterPartition: {asked}")

    def verdict(self, partition: int, leader: int) -> int:
        """What Kafka's controller answers to the request that waits."""
        controller = self.cluster.controller
        asked, state = controller.isr_requests[leader], self.topic.images[-1][partition]
        return verdict(asked, state, controller.epochs, controller.unfenced)

    def learn_isr_write(self, partition: int, leader: int) -> None:
        """The answer reaches the leader."""
        self.cluster.controller.release_isr_answer(leader)

    def lose_isr_answer(self, partition: int, leader: int) -> None:
        """The connection is closed instead, and the leader asks again."""
        self.cluster.controller.lose_isr_request(leader)

    def await_isr(self, partition: int) -> None:
        """The leader only asks; what it asks is compared."""

    def finish(self) -> None:
        """A request that the model's leader has forgotten is answered now, and its answer changes nothing any more."""
        controller = self.cluster.controller
        for leader, asked in list(controller.isr_requests.items()):
            if self.after.isr_write[asked.number][leader].phase is Writing.QUIET:
                if asked.answer is None:
                    asked.answer = self.verdict(asked.number, leader) or INVALID_UPDATE_VERSION
                controller.release_isr_answer(leader)

    # What a process leaves.

    def lose_power(self, broker: int, kept: int) -> None:
        """kill -9, and what the model's log loses is cut from the segments, as if it had not been flushed."""
        self.crash(broker)
        for number in range(self.config.partitions):
            cut_log(self.cluster.data(broker), self.topic.name, number, self.after.replica[number][broker].leo)

    def end(self) -> None:
        """As otherwise; leaders that ask give up."""
        super().end()
        self.cluster.controller.isr_topic = None


SHUTDOWN = "a broker in controlled shutdown stops to fetch what it is not in the ISR of, which the model's does not: use crash"
REFUSAL = "a refused fetch is one step with its answer here (fetch = rendezvous): a broker that turns away closes its connections"
UNREGISTERED = "a broker is registered here as it starts: none of its fetches comes before"
DIRECTORY = "a broker here has one log directory, which it tells as it registers"
RECREATION = "a topic keeps its name and its id in one run here"
OWN = (
    "begin", "leads_any", "forgets", "pass_time", "prepare", "changes", "placed", "apply", "await_applied", "verdict",
    "await_isr", "finish", "end",
)  # fmt: skip
"""Methods that are no actions."""
METADATA_STEPS: Mapping[str, Any] = {
    **KraftSteps.actions,
    "empty_disk": STEPS["empty_disk"],
    "shrink_isr": STEPS["shrink_isr"],
    "expand_isr": STEPS["expand_isr"],
    **{name: step for name, step in vars(MetadataSteps).items() if inspect.isfunction(step) and name not in OWN},
    **dict.fromkeys(("begin_shutdown", "start_leaving", "stop_leaving"), partial(refuse, SHUTDOWN)),
    **dict.fromkeys(("refuse_fetch", "receive_refusal", "receive_late_response"), partial(refuse, REFUSAL)),
    **dict.fromkeys(("report_directory", "crash_while_moving"), partial(refuse, DIRECTORY)),
    "recreate_topic": partial(refuse, RECREATION),
    "fetch_unregistered": partial(refuse, UNREGISTERED),
}
MetadataSteps.actions = METADATA_STEPS
