"""A partition that moves: who holds it until the move ends, and after that (KR7).

While it moves, `zookeeper.assigned` is the target and who is to be removed, `zookeeper.reassigned` the target alone.

Kafka: PartitionReassignmentReplicas.
"""

from ..kraft_choices import MoveEnd
from ..members import NO_BROKER, contains, how_many, subset
from ..vocabulary import Broker, Brokers, Partition
from .state import Kraft


def ends_move(s: Kraft, partition: Partition, isr: Brokers) -> bool:
    """With this ISR the partition has moved."""
    if s.config.reassignments == 0:
        return False
    target = s.zookeeper.reassigned[partition]
    return has_moved(s, isr, target, s.metadata[0].adding[partition], s.zookeeper.assigned[partition] & ~target)


def has_moved(s: Kraft, isr: Brokers, target: Brokers, adding: Brokers, removing: Brokers) -> bool:
    """A member of the ISR is of the target, and all who are added are; of 3.8 to 4.2 the whole target (KAFKA-15665, KAFKA-19975).

    Kafka: PartitionReassignmentReplicas.maybeCompleteReassignment.
    """
    if target == 0 or isr & target == 0:
        return False
    if s.config.move_end is MoveEnd.TARGET:
        return subset(target, isr)
    if not subset(adding, isr):
        return False
    if s.config.move_end is MoveEnd.ADDED_UNLESS_SMALLER and how_many(s, adding) < how_many(s, removing):
        return subset(target, isr)
    return True


def removed_by(s: Kraft, partition: Partition, isr: Brokers) -> int:
    """Who is no replica any more once this is the ISR."""
    if not ends_move(s, partition, isr):
        return 0
    return s.zookeeper.assigned[partition] & ~s.zookeeper.reassigned[partition]


def end_move(s: Kraft, partition: Partition, removed: Broker) -> None:
    """The others are the replicas, and nobody moves."""
    s.zookeeper.assigned[partition] = s.zookeeper.assigned[partition] & ~removed
    s.zookeeper.reassigned[partition] = 0
    s.zookeeper.reassigned_preferred[partition] = NO_BROKER
    s.metadata[0].adding[partition] = 0


def first_replica(s: Kraft, partition: Partition, those: int) -> int:
    """The first of them in the order of the replicas: the target around the ring, then who is to be removed."""
    first = s.zookeeper.reassigned_preferred[partition]
    found = NO_BROKER
    for step in range(s.config.members):
        broker = (first + step) % s.config.members
        if found == NO_BROKER and contains(those & s.zookeeper.reassigned[partition], broker):
            found = broker
    for broker in range(s.config.members):
        if found == NO_BROKER and contains(those, broker):
            found = broker
    return found
