"""Reassignment: who shall hold a partition changes record by record, and the log says all of it (KR7, F1, F2).

While a partition moves its replicas are the target and, behind those, who is to be removed. With the change that brings those who
are added into the ISR the move ends, or the whole target: who is to be removed is no replica any more, and an epoch begins. That
is looked at whenever a record about the partition is made, whatever it was made for.

Kafka: PartitionReassignmentReplicas, PartitionReassignmentRevert, PartitionChangeBuilder.completeReassignmentIfNeeded.
"""

from ..controller.placement import placement
from ..members import NO_BROKER, contains, how_many
from ..vocabulary import Broker, Brokers, Partition, Version
from ..zookeeper.znodes import write_leader_and_isr
from .elections import change_partition, elected, elr_after, write_partition
from .moves import end_move, first_replica, has_moved
from .quorum import append_change, electable, has_room
from .state import Kraft


def reassign(s: Kraft, partition: Partition, broker: Broker) -> bool:
    """An operator asks that the partition move to the brokers from `broker` on; also while it moves elsewhere (KIP-455).

    The brokers are chosen as for a new topic, around the ring of brokers that are not fenced: `broker` is the preferred one at
    once. New replicas are assigned at once and without an epoch.

    Design: KIP-455 (KR7, J1).   Kafka: ReplicationControlManager.changePartitionReassignment.
    Modifies: zookeeper, metadata, spent.
    Reads: zookeeper, metadata (the log, which the controller writes).
    """
    if s.spent.reassignments >= s.config.reassignments:
        return False  # budget
    if not contains(s.zookeeper.broker_ids, broker):
        return False
    node = s.zookeeper.leader_and_isr[partition]
    target = placement(s, broker)
    if how_many(s, target) < s.config.replicas:
        return False  # the partition keeps its number of replicas
    if target == s.zookeeper.reassigned[partition]:
        return False  # it moves there already
    if target == s.zookeeper.assigned[partition] and not_moving(s, partition):
        return False  # nothing to move
    if not has_room(s):
        return False
    adding, removing = target & ~s.zookeeper.assigned[partition], s.zookeeper.assigned[partition] & ~target
    if node.leader_epoch >= s.config.max_epoch and (node.leader == NO_BROKER or has_moved(s, node.isr, target, adding, removing)):
        return False  # bound of the exploration

    s.spent.reassignments += 1
    begin_move(s, partition, target, broker)
    version = node.version
    change_partition(s, partition, node.isr, electable(s), NO_BROKER)
    write_replicas(s, partition, version)
    append_change(s, 0)
    return True


def write_replicas(s: Kraft, partition: Partition, version: Version) -> None:
    """The record says who the replicas are, if it says nothing else: the partition epoch has grown since this version."""
    node = s.zookeeper.leader_and_isr[partition]
    if node.version == version:
        write_leader_and_isr(s, partition, node.leader, node.leader_epoch, node.isr)


def not_moving(s: Kraft, partition: Partition) -> bool:
    """No reassignment of the partition is in progress."""
    return s.zookeeper.reassigned[partition] == 0


def begin_move(s: Kraft, partition: Partition, target: Brokers, first: Broker) -> None:
    """The target are replicas at once. Kafka moves nobody if they were that already, and are all: in whatever move they came."""
    s.metadata[0].adding[partition] = target & ~s.zookeeper.assigned[partition]
    removing = s.zookeeper.assigned[partition] & ~target
    s.zookeeper.assigned[partition] = s.zookeeper.assigned[partition] | target
    if s.config.preferred_elections > 0:
        s.zookeeper.preferred[partition] = first
    s.zookeeper.reassigned[partition] = 0
    s.zookeeper.reassigned_preferred[partition] = NO_BROKER
    if s.metadata[0].adding[partition] | removing != 0:
        s.zookeeper.reassigned[partition] = target
        s.zookeeper.reassigned_preferred[partition] = first


def revert_reassignment(s: Kraft, partition: Partition) -> bool:
    """An operator cancels a move: who was added with it is no replica any more, and an epoch begins (KIP-455).

    If the ISR has nobody else, that would be an unclean election. Kafka refuses it unless those are allowed; here always.

    Design: KIP-455 (KR7).   Kafka: ReplicationControlManager.cancelPartitionReassignment.
    Modifies: zookeeper, metadata, spent.
    Reads: zookeeper, metadata (the log, which the controller writes).
    """
    if s.spent.cancelled_moves >= s.config.cancelled_moves:
        return False  # budget
    if not_moving(s, partition):
        return False
    node = s.zookeeper.leader_and_isr[partition]
    adding = s.metadata[0].adding[partition]
    isr = node.isr & ~adding
    if isr == 0:
        return False
    if not has_room(s):
        return False
    if node.leader_epoch >= s.config.max_epoch:
        return False  # bound of the exploration

    s.spent.cancelled_moves += 1
    if s.config.preferred_elections > 0:
        s.zookeeper.preferred[partition] = first_replica(s, partition, s.zookeeper.assigned[partition] & ~adding)
    version = node.version
    elr = elr_after(s, partition, isr, adding)
    write_partition(s, partition, isr, elr, elected(s, partition, isr, elr, electable(s), NO_BROKER), adding)
    write_replicas(s, partition, version)
    end_move(s, partition, adding)
    append_change(s, 0)
    return True
