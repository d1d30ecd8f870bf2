"""What the controller decides when it is asked: another leader, another ISR (KR3, KR4)."""

from ..history import remember_unclean_election
from ..kraft_choices import Eligible
from ..members import NO_BROKER, contains, only
from ..state import IsrWrite
from ..vocabulary import Broker, Brokers, Partition, Writing
from .elections import can_change, candidates, change_partition, elr_after, write_partition
from .quorum import active, append_change, electable, has_room
from .state import Kraft


def elect_preferred(s: Kraft, partition: Partition) -> bool:
    """The preferred replica leads again: an operator asks for it, or the controller does it on schedule.

    Design: none; Kafka (KR3).   Kafka: ReplicationControlManager.electLeader, maybeBalancePartitionLeaders.
    Modifies: zookeeper.leader_and_isr[partition], metadata, spent.
    Reads: zookeeper, metadata (the log, which the controller writes).
    """
    node = s.zookeeper.leader_and_isr[partition]
    preferred = s.zookeeper.preferred[partition]
    if s.spent.preferred_elections >= s.config.preferred_elections:
        return False  # budget
    if node.leader == preferred:
        return False
    if node.leader_epoch >= s.config.max_epoch:
        return False  # bound of the exploration
    if not has_room(s):
        return False
    if not contains(candidates(s, partition, node.isr, elr_after(s, partition, node.isr, 0), electable(s)), preferred):
        return False

    s.spent.preferred_elections += 1
    write_partition(s, partition, node.isr, elr_after(s, partition, node.isr, 0), preferred, 0)
    append_change(s, 0)
    return True


def elect_unclean(s: Kraft, partition: Partition, broker: Broker) -> bool:
    """Nobody else may lead: a replica from outside the ISR does, as an operator asks or the configuration allows.

    Design: none; Kafka (A3, KR3).   Kafka: ReplicationControlManager.electLeader, PartitionChangeBuilder.electAnyLeader.
    Modifies: zookeeper.leader_and_isr[partition], metadata, history[partition], spent.
    Reads: zookeeper, metadata (the log, which the controller writes).
    """
    node = s.zookeeper.leader_and_isr[partition]
    if s.spent.unclean_elections >= s.config.unclean_elections:
        return False  # budget
    if node.leader != NO_BROKER:
        return False
    if not contains(s.zookeeper.assigned[partition] & electable(s), broker):
        return False
    if node.leader_epoch >= s.config.max_epoch:
        return False  # bound of the exploration
    if not has_room(s):
        return False

    s.spent.unclean_elections += 1
    write_partition(s, partition, only(broker), 0, broker, 0)
    remember_unclean_election(s, partition)
    append_change(s, 0)
    return True


def alter_partition(s: Kraft, partition: Partition, leader: Broker) -> bool:
    """A leader's request for another ISR reaches the controller, which writes the change, or refuses it.

    A refusal because of members that may not join says that nothing was written: the leader has its ISR again. That is one step
    with the answer. After another refusal it does not know, and what it has asked for stays pending until the log tells.

    Design: KIP-497, KIP-841, KIP-903 (KR4).   Kafka: ReplicationControlManager.alterPartition, validateAlterPartitionData,
        Partition.handleAlterPartitionError.
    Modifies: zookeeper, metadata, isr_write[partition][leader].
    Reads: zookeeper, metadata (the log, which the controller writes); replica[partition][leader].leader_epoch (the request).
    """
    write = s.isr_write[partition][leader]
    if write.phase is not Writing.REQUESTED:
        return False
    node = s.zookeeper.leader_and_isr[partition]
    is_current = node.leader == leader and node.leader_epoch == s.replica[partition][leader].leader_epoch
    is_current = is_current and node.version == write.version
    ineligible = may_not_join(s, write.isr, write.bounced[0]) != 0
    if is_current and not ineligible and not has_room(s):
        return False
    if is_current and not ineligible and not can_change(s, partition, write.isr, electable(s), leader):
        return False

    if not is_current:
        write.phase = Writing.REFUSED
    elif ineligible:
        forget_request(write)
    else:
        epoch = node.leader_epoch
        change_partition(s, partition, write.isr, electable(s), leader)
        append_change(s, 0)
        write.phase = Writing.WRITTEN
        if node.leader_epoch != epoch:
            write.phase = Writing.REFUSED  # the answer is of another epoch: the leader ignores it, and waits for the log
        write.version = node.version
        write.bounced[0] = 0
    return True


def may_not_join(s: Kraft, isr: Brokers, bounced: Brokers) -> int:
    """Members of the ISR that is asked for that the controller refuses: fenced, shutting down, or of another registration.

    Kafka: ReplicationControlManager.ineligibleReplicasForIsr.
    """
    refused = 0
    if s.config.eligible is not Eligible.ANY:
        refused = isr & ~active(s)
    if s.config.eligible is Eligible.SAME_REGISTRATION:
        refused = refused | (isr & bounced)
    return refused


def forget_request(write: IsrWrite) -> None:
    """The leader's ISR is what it was."""
    write.phase = Writing.QUIET
    write.version = 0
    write.isr = 0
    write.bounced[0] = 0
