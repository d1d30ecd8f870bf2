"""Who leads, and who can commit."""

from ..model.controller.memory import dead_before
from ..model.fetching import leads
from ..model.log import same_record
from ..model.members import NO_BROKER, contains
from ..model.state import Kafka
from ..model.vocabulary import Broker, ControllerEpoch, Offset, Partition
from .state_machines import is_ending


def single_committable_leader(s: Kafka, t: Kafka, partition: Partition, leader: Broker, offset: Offset) -> bool:
    """At most one broker can commit: an older leader commits nothing that the newest leader lacks.

    Once a broker serves as leader in epoch e, no broker that leads in an earlier epoch raises its high
    watermark over a record that the newest leader's log does not hold. V3 claims this of a zombie (Q1). The
    zombie may still receive fetches that its followers made before they turned to the new leader, and so commit
    late what all of the ISR already has. It can commit nothing new. A producer that got an acknowledgement
    relies on this.
    """
    if not commits_late(s, t, partition, leader):
        return True
    return not rises_over(s, t, partition, leader, offset) or newest_leader_holds(s, t, partition, leader, offset)


def commits_agree(s: Kafka, t: Kafka, partition: Partition) -> int:
    """No two brokers ever commit different records at one offset.

    A producer that got an acknowledgement, and a consumer that read the record, rely on it.

    Golden trace: new_leader_admits_follower.kip-279.
    """
    return s.history[partition].contradicted or not t.history[partition].contradicted


def rises_over(s: Kafka, t: Kafka, partition: Partition, leader: Broker, offset: Offset) -> bool:
    """In this step the broker's high watermark rises over the record at the offset."""
    return s.replica[partition][leader].hw <= offset and offset < t.replica[partition][leader].hw


def newest_leader_holds(s: Kafka, t: Kafka, partition: Partition, leader: Broker, offset: Offset) -> bool:
    """The newest leader has the leader's record at the offset. A replica that has been deleted is not checked."""
    newest = t.replica[partition][s.history[partition].server]
    return not newest.exists or same_record(t.replica[partition][leader], newest, offset)


def single_committable_leader_strict(s: Kafka, t: Kafka, partition: Partition, leader: Broker) -> bool:
    """Once a broker serves as leader, no broker that leads in an earlier epoch raises its high watermark.

    The strict reading of Q1. Every revision violates it, without harm: a zombie may receive fetches that its followers
    made before they turned to the new leader. It shows why the claim needs its second half.

    Golden trace: zombie_commits_what_all_have.kip-320.
    """
    return not commits_late(s, t, partition, leader)


def commits_late(s: Kafka, t: Kafka, partition: Partition, broker: Broker) -> bool:
    """In this step the broker raises its high watermark as leader of an epoch older than the newest served."""
    me = t.replica[partition][broker]
    if not leads(t, partition, broker) or me.leader_epoch >= s.history[partition].served:
        return False
    return me.hw > s.replica[partition][broker].hw


def one_leader_per_epoch(s: Kafka, partition: Partition, broker: Broker, other: Broker) -> bool:
    """No two brokers lead in the same epoch.

    An epoch identifies a leader's term: all records of one epoch come from one broker. Everything that compares
    epochs, KIP-101 and later, relies on this.
    """
    if broker == other or not leads(s, partition, broker) or not leads(s, partition, other):
        return True
    return s.replica[partition][broker].leader_epoch != s.replica[partition][other].leader_epoch


def leaders_are_published_first(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """A broker leads only in an epoch that is already published (V3 discussion 6, comment C.1: M7, Q2).

    The store may be ahead of the brokers; clients are then sent to a broker that does not lead yet. If the store were behind, a
    leader would serve that no client and no starting broker can find, and the old leader could still change the ISR.
    """
    node = s.zookeeper.leader_and_isr[partition]
    if not leads(s, partition, broker):
        return True
    if node.version == 0 and s.config.topic_deletions + s.config.partition_removals > 0:
        return True  # what was published is deleted
    return s.replica[partition][broker].leader_epoch <= node.leader_epoch


def returning_broker_leads_nothing(s: Kafka, t: Kafka, controller: ControllerEpoch, broker: Broker) -> bool:
    """A broker that the controller saw fail leads no partition when the controller sees it again (V3 A.2-3, comment A.3: M5).

    "Even if the leader for one partition disappears, we will recompute the leader for all partitions on that broker." Otherwise
    some partitions of a broker have a new leader and others keep the old one, which may have lost its memory. Expected in all
    revisions, if a controller takes one event at a time and waits for its writes.
    """
    before = s.controller[controller]
    after = t.controller[controller]
    if not before.active or before.recovering or s.zookeeper.controller_epoch > controller:
        return True
    if contains(before.live, broker) or not contains(after.live, broker):
        return True
    if contains(dead_before(s, controller), broker):
        return True  # that one it did not see fail (KAFKA-3143)
    for partition in range(s.config.partitions):
        node = s.zookeeper.leader_and_isr[partition]
        if node.leader == broker and node.leader_epoch < s.config.max_epoch and not is_ending(s, controller, partition):
            return False
    return True


def shutdown_keeps_leaders(s: Kafka, partition: Partition) -> int:
    """During controlled shutdowns the published leader runs, as long as a member of the ISR stays (M3).

    When a broker crashes, its partitions take no writes until its session has expired. A controlled shutdown avoids that.
    Expected if no broker fails otherwise. For two shutdowns in sequence it is expected only if a starting broker waits for
    the controller (start_up = told); otherwise it may be in the ISR before the controller knows that it lives.
    """
    node = s.zookeeper.leader_and_isr[partition]
    return node.leader == NO_BROKER or s.broker[node.leader].up or not a_member_stays(s, partition)


def a_member_stays(s: Kafka, partition: Partition) -> bool:
    """A member of the published ISR runs, and does not shut down."""
    for broker in range(s.config.members):
        stays = s.broker[broker].up and not s.broker[broker].leaving
        if stays and contains(s.zookeeper.leader_and_isr[partition].isr, broker):
            return True
    return False


def leader_none_or_in_isr(s: Kafka, partition: Partition) -> bool:
    """The published leader is a member of the published ISR, or there is no leader.

    A leader outside the ISR could commit although it lacks what was committed before.
    """
    node = s.zookeeper.leader_and_isr[partition]
    return node.leader == NO_BROKER or contains(node.isr, node.leader)


def epochs_increase(s: Kafka, t: Kafka, partition: Partition, broker: Broker) -> bool:
    """Epochs never decrease: the published one while the partition exists, a replica's while its broker runs.

    Brokers use epochs to distinguish late commands from new ones (C5).
    """
    before = s.zookeeper.leader_and_isr[partition]
    after = t.zookeeper.leader_and_isr[partition]
    if after.version > 0 and after.leader_epoch < before.leader_epoch:
        return False
    me = t.replica[partition][broker]
    if not s.broker[broker].up or not t.broker[broker].up or not me.exists:
        return True
    if t.spent.recreations > s.spent.recreations:
        return True  # what is left is the directory of an earlier topic
    return me.leader_epoch >= s.replica[partition][broker].leader_epoch
