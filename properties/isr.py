"""The in-sync replicas: every broker that may be elected has what was committed."""

from ..model.choices import IsrWriter, Store
from ..model.controller.decide import its_writes_are_taken, leaving_brokers
from ..model.controller.memory import is_working
from ..model.fetching import leads
from ..model.log import same_record
from ..model.members import NO_BROKER, contains, how_many, subset
from ..model.min_isr import known_min_isr
from ..model.state import Kafka
from ..model.vocabulary import Broker, Offset, Partition, Version, Writing
from ..model.zookeeper.znodes import assignment, holders
from .committed_records import exists


def weak_isr(s: Kafka, partition: Partition, leader: Broker, broker: Broker, offset: Offset) -> bool:
    """Every member of a leader's own ISR has every record below that leader's high watermark.

    This is expected of a zombie leader too. Replicas that have been deleted are not checked.

    Golden trace: first_try_stale_leader.kip-320-first-try.
    """
    if not exists(s, partition) or not leads(s, partition, leader):
        return True
    if not contains(s.replica[partition][leader].isr, broker) or not s.replica[partition][broker].exists:
        return True
    return holds_committed_of(s, partition, leader, broker, offset)


def strong_isr(s: Kafka, partition: Partition, leader: Broker, broker: Broker, offset: Offset) -> bool:
    """Every member of the published ISR has every record below any leader's high watermark.

    The controller may elect any of them next, so clean elections rely on this. A broker that is lost for good with its disks is
    never elected, and is not checked.

    Golden trace: first_try_stale_leader.kip-320-first-try.
    """
    if not leads(s, partition, leader) or not contains(s.zookeeper.leader_and_isr[partition].isr, broker):
        return True
    if not exists(s, partition):
        return True
    if contains(s.spent.lost_brokers, broker):
        return True
    return holds_committed_of(s, partition, leader, broker, offset)


def holds_committed_of(s: Kafka, partition: Partition, leader: Broker, broker: Broker, offset: Offset) -> bool:
    """If the offset is below the leader's high watermark, the broker has the leader's record there."""
    me = s.replica[partition][leader]
    return offset >= me.hw or same_record(me, s.replica[partition][broker], offset)


def isr_reaches_high_watermark(s: Kafka, partition: Partition, leader: Broker, broker: Broker) -> bool:
    """Every member of the published ISR has a log that reaches the newest leader's high watermark (G10).

    Golden trace: first_try_stale_leader.kip-320-first-try.
    """
    past = s.history[partition]
    me = s.replica[partition][leader]
    if past.server != leader or not leads(s, partition, leader) or me.leader_epoch != past.served:
        return True
    if contains(s.spent.lost_brokers, broker) or not exists(s, partition):
        return True
    return not contains(s.zookeeper.leader_and_isr[partition].isr, broker) or s.replica[partition][broker].leo >= me.hw


def inactive_brokers_join_no_isr(s: Kafka, t: Kafka, partition: Partition, broker: Broker) -> bool:
    """Who joins the published ISR is neither dead, as far as a controller in office knows, nor in controlled shutdown (KIP-841).

    Otherwise a leader waits for a replica that was removed for good, and the next election counts on it (KAFKA-14140).

    Golden trace: dead_joins.high-watermark.
    """
    before = s.zookeeper.leader_and_isr[partition]
    if before.version <= 0 or contains(before.isr, broker) or not contains(t.zookeeper.leader_and_isr[partition].isr, broker):
        return True
    return contains(known_live(s) & ~leaving_brokers(s), broker)


def known_live(s: Kafka) -> int:
    """Whom the controllers know as live whose writes the store takes."""
    known = 0
    for controller in range(s.config.controllers):
        if its_writes_are_taken(s, controller) and is_working(s, controller):
            known = known | s.controller[controller].live
    return known


def isr_within_assignment(s: Kafka, partition: Partition) -> bool:
    """Every member of the published ISR is assigned to the partition, or will be by a reassignment or addition in progress."""
    isr = s.zookeeper.leader_and_isr[partition].isr
    if s.config.changing_partitions > 0:
        return subset(isr, s.zookeeper.assigned[partition] | s.zookeeper.adding[partition])
    return subset(isr, holders(s, partition))


def isr_never_empty(s: Kafka, partition: Partition) -> bool:
    """The published ISR has a member as long as the partition exists.

    With an empty ISR only an unclean election could give the partition a leader. Up to 1.0 it is empty once all replicas have
    failed, where unclean elections are allowed.

    Golden trace: empty_isr.kip-101.
    """
    node = s.zookeeper.leader_and_isr[partition]
    return node.version <= 0 or node.isr != 0


def zk_version_guards_isr(s: Kafka, t: Kafka, partition: Partition) -> bool:
    """Within an epoch leaderAndISR changes only by its leader's conditional write, and each write gives it a new version.

    The leader is in session, or known to the controller that writes for it (`isr_writer`), and it knows the present version
    (Z4, Z11). Otherwise a zombie could remove the new leader from the ISR (Q1, Q2). A new epoch is a controller's write; whether
    that is conditional, the settings say (`decision_condition`).
    """
    before = s.zookeeper.leader_and_isr[partition]
    after = t.zookeeper.leader_and_isr[partition]
    changed = after.isr != before.isr or after.leader != before.leader or after.leader_epoch != before.leader_epoch
    if not changed or after.version <= 0:
        return True
    if after.version != before.version + 1:
        return False
    if after.leader_epoch != before.leader_epoch or is_switch_of_v3(s, t, partition):
        return True
    return written_by_present_leader(s, t, partition)


def is_switch_of_v3(s: Kafka, t: Kafka, partition: Partition) -> bool:
    """A controller writes the new replicas as the ISR and keeps the epoch (V3 F 3.2.2)."""
    if s.config.reassignments == 0 or s.config.switch_epoch:
        return False
    wanted = s.zookeeper.reassigned[partition]
    return wanted != 0 and t.zookeeper.leader_and_isr[partition].isr == wanted


def written_by_present_leader(s: Kafka, t: Kafka, partition: Partition) -> bool:
    """Some leader that may write knew the version before the write, and knows the new one or is about to receive it."""
    before = s.zookeeper.leader_and_isr[partition]
    after = t.zookeeper.leader_and_isr[partition]
    for broker in range(s.config.members):
        me = s.replica[partition][broker]
        if leads(s, partition, broker) and me.leader_epoch == before.leader_epoch and contains(writers(s), broker):
            known = t.replica[partition][broker].zk_version == after.version
            if me.zk_version == before.version and (known or is_told(t, partition, broker, after.version)):
                return True
    return False


def writers(s: Kafka) -> int:
    """The brokers in session; with KIP-497 those whose registration the controller in office knows, which writes for them."""
    if s.config.isr_writer is not IsrWriter.CONTROLLER:
        return s.zookeeper.sessions
    known = 0
    for controller in range(s.config.controllers):
        me = s.controller[controller]
        if me.active and not me.recovering and (me.host == NO_BROKER or contains(s.zookeeper.sessions, me.host)):
            if not s.config.fenced_controllers or s.zookeeper.controller_epoch <= controller:
                known = known | me.live
                for registration in range(s.config.registrations):
                    known = known & ~me.bounced[registration]
    return known


def is_told(s: Kafka, partition: Partition, broker: Broker, version: Version) -> bool:
    """The answer in flight to the leader says that its write has made this version."""
    if s.config.store is not Store.ANSWERED:
        return False
    write = s.isr_write[partition][broker]
    return write.phase is Writing.WRITTEN and write.version == version


def writes_need_min_isr(s: Kafka, t: Kafka, partition: Partition, broker: Broker) -> bool:
    """With acks=all no leader accepts a batch while its ISR has fewer members than min.isr.

    A producer can rely on this: that many brokers had everything when the leader accepted the batch (G6).
    """
    if t.spent.records <= s.spent.records or t.replica[partition][broker].leo <= s.replica[partition][broker].leo:
        return True
    return how_many(s, s.replica[partition][broker].isr) >= known_min_isr(s, broker)


def restart_keeps_only_assigned(s: Kafka, t: Kafka, partition: Partition, broker: Broker) -> bool:
    """A broker that has just started holds no replica that is not assigned to it (E2).

    Otherwise old records would return if the partition were assigned to it again (Q14). A broker that starts in steps deletes
    them in a later one, or is told to.
    """
    if not t.broker[broker].up or s.broker[broker].up or (not t.replica[partition][broker].exists):
        return True
    return contains(assignment(t, partition), broker)
