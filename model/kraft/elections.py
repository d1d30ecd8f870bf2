"""What the controller makes of a partition: ISR, eligible replicas, leader and epoch together (KR3, KR6).

Kafka: PartitionChangeBuilder.build.
"""

from ..kraft_choices import LastLeader, NamedLast, Recovery, RemovedEligible, ShrinkEpoch
from ..members import NO_BROKER, contains, how_many, only
from ..vocabulary import Broker, Brokers, Epoch, Partition
from ..zookeeper.znodes import write_leader_and_isr
from .moves import end_move, ends_move, first_replica, removed_by
from .quorum import elr_is_on, min_isr_at_end
from .state import Kraft


def elr_after(s: Kraft, partition: Partition, isr: Brokers, removed: Broker) -> int:
    """The eligible replicas once this is the ISR: who leaves an ISR below min ISR stays eligible, until there are enough again.

    In every release also who leaves it because it is `removed`, and no replica any more.

    Kafka: PartitionChangeBuilder.maybePopulateTargetElr.
    """
    if s.config.recovery is not Recovery.ELIGIBLE_REPLICAS:
        return 0
    if not elr_is_on(s):
        return s.metadata[0].elr[partition]  # one of them may still be elected, with the record that forgets them
    if how_many(s, isr) >= min_isr_at_end(s):
        return 0
    eligible = (s.metadata[0].elr[partition] | s.zookeeper.leader_and_isr[partition].isr) & ~isr
    if s.config.removed_eligible is RemovedEligible.LEAVES:
        return eligible & ~removed
    return eligible


def candidates(s: Kraft, partition: Partition, isr: Brokers, elr: Brokers, among: Brokers) -> int:
    """Who may lead, of those that are acceptable: a member of the ISR; if that is empty, an eligible replica.

    Kafka: PartitionChangeBuilder.isValidNewLeader.
    """
    if isr == 0:
        return elr & among & s.zookeeper.assigned[partition]
    return isr & among


def elected(s: Kraft, partition: Partition, isr: Brokers, elr: Brokers, among: Brokers, wanted: int) -> int:
    """Who leads: the leader if it may, the preferred replica if it may, `wanted` if it may, else the only one that may.

    Kafka takes the first in the order of the replicas, of which the model knows the first alone; while they move, all of it.

    Kafka: PartitionChangeBuilder.electAnyLeader.
    """
    those = candidates(s, partition, isr, elr, among)
    leader = s.zookeeper.leader_and_isr[partition].leader
    if contains(those, leader):
        return leader
    if those == 0:
        return last_leader_elected(s, partition, isr, elr, among)
    if s.config.reassignments > 0 and s.zookeeper.reassigned[partition] != 0:
        return first_replica(s, partition, those)
    if contains(those, s.zookeeper.preferred[partition]):
        return s.zookeeper.preferred[partition]
    if contains(those, wanted):
        return wanted
    return sole(s, those)


def sole(s: Kraft, brokers: Brokers) -> int:
    """The only member of the set; NO_BROKER if there are more."""
    found = NO_BROKER
    for broker in range(s.config.members):
        if brokers == only(broker):
            found = broker
    return found


def last_leader_elected(s: Kraft, partition: Partition, isr: Brokers, elr: Brokers, among: Brokers) -> int:
    """Neither ISR nor eligible replicas are left: the last leader leads again, with what it has (KIP-966).

    Kafka: PartitionChangeBuilder.canElectLastKnownLeader.
    """
    if not elr_is_on(s) or isr != 0 or elr != 0:
        return NO_BROKER
    last = s.metadata[0].last_leader[partition]
    if s.config.last_leader is LastLeader.ACTIVE and not contains(among, last):
        return NO_BROKER
    return last


def isr_after(s: Kraft, partition: Partition, isr: Brokers, leader: Broker) -> int:
    """The ISR that is written: with a leader from outside it the leader alone; never an empty one where the last member stays."""
    if isr == 0 and leader != NO_BROKER:
        return only(leader)
    if isr == 0 and not elr_is_on(s):
        return s.zookeeper.leader_and_isr[partition].isr
    return isr


def raises_epoch(s: Kraft, partition: Partition, isr: Brokers, leader: Broker, removed: Broker) -> bool:
    """The change begins a leader epoch: another leader, or none; replicas are removed; up to 3.5 the ISR shrinks (KAFKA-15021).

    Kafka: PartitionChangeBuilder.triggerLeaderEpochBumpForReplicaReassignmentIfNeeded,
        triggerLeaderEpochBumpForIsrShrinkIfNeeded.
    """
    node = s.zookeeper.leader_and_isr[partition]
    if leader != node.leader or removed != 0:
        return True
    return s.config.shrink_epoch is ShrinkEpoch.RAISED and node.isr & ~isr != 0


def can_change(s: Kraft, partition: Partition, isr: Brokers, among: Brokers, wanted: int) -> bool:
    """It is known who leads then, and, as a bound of the exploration, the change needs no epoch, or one is left."""
    removed = removed_by(s, partition, isr)
    isr = isr & ~removed
    elr = elr_after(s, partition, isr, removed)
    leader = elected(s, partition, isr, elr, among, wanted)
    if leader == NO_BROKER and candidates(s, partition, isr, elr, among) != 0:
        return False  # another is to be wanted
    if not raises_epoch(s, partition, isr_after(s, partition, isr, leader), leader, removed):
        return True
    return s.zookeeper.leader_and_isr[partition].leader_epoch < s.config.max_epoch


def change_partition(s: Kraft, partition: Partition, isr: Brokers, among: Brokers, wanted: int) -> None:
    """Write what follows if this is to be the ISR, and who leads is `among` those; nothing if nothing changes.

    Kafka: ReplicationControlManager.generateLeaderAndIsrUpdates, PartitionChangeBuilder.build.
    """
    ends = ends_move(s, partition, isr)
    removed = removed_by(s, partition, isr)
    isr = isr & ~removed
    elr = elr_after(s, partition, isr, removed)
    leader = elected(s, partition, isr, elr, among, wanted)
    write_partition(s, partition, isr, elr, leader, removed)
    if ends:
        end_move(s, partition, removed)


def write_partition(s: Kraft, partition: Partition, isr: Brokers, elr: Brokers, leader: Broker, removed: Broker) -> None:
    """Write a record about the partition, with this leader and without these replicas; nothing if nothing changes.

    Kafka: PartitionRegistration.merge.
    """
    node = s.zookeeper.leader_and_isr[partition]
    written = isr_after(s, partition, isr, leader)
    left = elr & ~written if elr_is_on(s) else 0
    if written != node.isr or leader != node.leader or has_other_elr(s, partition, left) or removed != 0:
        epoch = node.leader_epoch
        if raises_epoch(s, partition, written, leader, removed):
            epoch += 1
        remember_last_leader(s, partition, written, leader, epoch)
        write_leader_and_isr(s, partition, leader, epoch, written)
        if s.config.recovery is Recovery.ELIGIBLE_REPLICAS:
            s.metadata[0].elr[partition] = left


def has_other_elr(s: Kraft, partition: Partition, elr: Brokers) -> bool:
    """The eligible replicas change."""
    return s.config.recovery is Recovery.ELIGIBLE_REPLICAS and s.metadata[0].elr[partition] != elr


def remember_last_leader(s: Kraft, partition: Partition, isr: Brokers, leader: Broker, epoch: Epoch) -> None:
    """Who led when the ISR became empty; nobody once there is a leader again.

    Since 4.1.1 a record that names no leader says nothing of the last one, and one that is there stays. It can be there although
    somebody leads if eligible leader replicas were off when that was elected.

    Kafka: PartitionChangeBuilder.maybeUpdateLastKnownLeader.
    """
    log, node = s.metadata[0], s.zookeeper.leader_and_isr[partition]
    if not elr_is_on(s):
        return
    first = s.config.named_last is NamedLast.FIRST
    if isr == 0 and node.leader != NO_BROKER and not (first and log.last_leader[partition] != NO_BROKER):
        log.last_leader[partition] = node.leader
    elif leader != NO_BROKER and not (first and epoch == node.leader_epoch):
        log.last_leader[partition] = NO_BROKER
