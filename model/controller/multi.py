"""V3 A, last line, and discussion 1: all affected partitions are read and written in one operation, `multi` (Z9).

The store carries out all writes of a multi or none: each is conditional on the version of its own node, and one changed
version refuses all. Then the controller reads and decides again.
"""

from ..choices import LiveLeader, Store
from ..language import Rule
from ..members import NO_BROKER, contains
from ..state import Kafka
from ..vocabulary import Broker, ControllerEpoch, Partition, Purpose
from .decide import carry_out, go_on, may_lead, needs_decision, publish, succeeds
from .memory import forget_decision


def to_elect(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The partition is affected, and a live member of its ISR can lead: the conditions of `elect_leader`."""
    return may_lead(s, controller, partition) != 0 and needs_decision(s, controller, partition)


def chosen(s: Kafka, controller: ControllerEpoch, partition: Partition, broker: Broker) -> Broker:
    """The new leader: the old one if it lives and stays; `broker` if it can lead; the old one if it lives; the first that can."""
    node = s.zookeeper.leader_and_isr[partition]
    able = may_lead(s, controller, partition)
    if s.config.live_leader is LiveLeader.STAYS and contains(able, node.leader):
        return node.leader
    if contains(able, broker):
        return broker
    if contains(able, node.leader):
        return node.leader
    first = NO_BROKER
    for other in range(s.config.members):
        if first == NO_BROKER and contains(able, other):
            first = other
    return first


def elect_all(s: Kafka, controller: ControllerEpoch, broker: Broker) -> bool:
    """The controller decides on all affected partitions with one read, and asks the store for one write.

    If a leader has failed, `broker` leads wherever it can.

    Design: V3 A, discussion 1: "use ZK multi to do the reads and writes in step 3.1 and 3.3" (Z9, A1, A2, Q16).
        Kafka: KafkaZkClient.updateLeaderAndIsr, in batches.
    Modifies: zookeeper.leader_and_isr, controller[controller], decision, command.
    Reads: broker (who has asked to be shut down: its requests);
        zookeeper.leader_and_isr, zookeeper.assigned, zookeeper.reassigned (the store, as it decides, A.3.1);
        zookeeper.controller_epoch (the store checks it within the write, Z9); command (what an epoch's command said of the
        replicas stays).
    """
    wanted = 0
    for partition in range(s.config.partitions):
        if to_elect(s, controller, partition) and chosen(s, controller, partition, broker) == broker:
            wanted = 1
    if wanted == 0:
        return False  # it would lead nowhere: another broker stands for this choice

    for partition in range(s.config.partitions):
        if to_elect(s, controller, partition):
            isr = s.zookeeper.leader_and_isr[partition].isr & s.controller[controller].live
            publish(s, controller, partition, chosen(s, controller, partition, broker), isr, Purpose.TOGETHER)
    return True


def write_all(s: Kafka, controller: ControllerEpoch) -> bool:
    """The store carries out all writes that were asked for together, or refuses all: one version that has changed is enough.

    Design: V3 A, discussion 1 (Z9, A5, Z4, Q16).   Kafka: KafkaZkClient.updateLeaderAndIsr, in batches.
    Modifies: zookeeper.leader_and_isr, controller[controller], decision, command.
    Reads: zookeeper.leader_and_isr, zookeeper.controller_epoch (the store, which checks the conditions);
        zookeeper.assigned, zookeeper.reassigned (the store: to whom the decisions are sent); command (what an epoch's
        command said of the replicas stays).
    """
    if s.config.store is not Store.ANSWERED:
        return False
    asked = 0
    refused = 0
    for partition in range(s.config.partitions):
        if goes_together(s, controller, partition):
            asked += 1
            if not succeeds(s, controller, partition):
                refused += 1
    if asked == 0:
        return False

    for partition in range(s.config.partitions):
        if goes_together(s, controller, partition):
            request = s.decision[partition][controller]
            if refused == 0:
                carry_out(s, controller, partition, request.leader, request.leader_epoch, request.isr, Purpose.TOGETHER)
            forget_decision(s, controller, partition)
            if refused == 0:
                go_on(s, controller, partition, Purpose.TOGETHER)
    return True


def goes_together(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The controller has asked for this write in its multi."""
    request = s.decision[partition][controller]
    return request.asked == 1 and request.purpose is Purpose.TOGETHER


elect_leaders = Rule("elect_leaders", "decisions", [None, elect_all])
write_decisions = Rule("write_decisions", "decisions", [None, write_all])
