"""I1: leadership moves back to the preferred replica, the first of AR."""

from ..members import NO_BROKER, contains, excluding
from ..state import Kafka
from ..vocabulary import ControllerEpoch, Partition, Purpose
from .decide import can_decide, has_epoch_left, publish, staying_members


def request_preferred_election(s: Kafka, partition: Partition) -> bool:
    """An operator asks, through a path in the store, that the preferred replica lead.

    Design: 279 scenario 1, ZH listener 6 (Z10).   Kafka: PreferredReplicaLeaderElectionCommand.
    Modifies: zookeeper.preferred_election[partition], spent.
    Reads: zookeeper.leader_and_isr[partition], zookeeper.preferred[partition], zookeeper.preferred_election[partition] (the
        store, which the operator's tool reads).
    """
    if s.spent.preferred_elections >= s.config.preferred_elections:
        return False  # budget
    node = s.zookeeper.leader_and_isr[partition]
    if s.zookeeper.preferred_election[partition]:
        return False
    if node.version == 0:
        return False
    if node.leader == s.zookeeper.preferred[partition]:
        return False  # nothing to move

    s.spent.preferred_elections += 1
    s.zookeeper.preferred_election[partition] = 1
    return True


def elect_preferred_replica(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The controller makes the preferred replica leader; no one has failed, and the ISR stays.

    The old leader keeps its place in the ISR although it may hold records that no other has: this is
    what lets two fast leader changes follow each other without a truncation between.

    Design: 279 scenario 1 (I1).   Kafka: PreferredReplicaPartitionLeaderSelector.
    Modifies: zookeeper, controller[controller], decision[partition][controller], command[partition].
    Reads: zookeeper.leader_and_isr[partition], zookeeper.assigned[partition], zookeeper.reassigned[partition],
        zookeeper.preferred[partition], zookeeper.preferred_election[partition] (the store, as it decides, A.3.1);
        zookeeper.controller_epoch (the store checks it within the write, Z9); command[partition] (what an epoch's command
        said of the replicas stays); broker (who has asked to be shut down: its requests).
    """
    if not s.zookeeper.preferred_election[partition]:
        return False
    if not can_elect_preferred(s, controller, partition):
        return False

    publish(s, controller, partition, s.zookeeper.preferred[partition], isr_after(s, partition), Purpose.PREFERRED)
    return True


def elect_preferred_replica_on_schedule(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """A scheduled task of the controller finds a partition led by another than its preferred replica.

    The election is the requested one; the budget counts it the same way.

    Design: ZH summary, internal scheduled tasks (I2).   Kafka: KafkaController.checkAndTriggerPartitionRebalance.
    Modifies: zookeeper, controller[controller], decision[partition][controller], command[partition], spent.
    Reads: zookeeper.leader_and_isr[partition], zookeeper.assigned[partition], zookeeper.reassigned[partition],
        zookeeper.preferred[partition], zookeeper.preferred_election[partition] (the store, as it decides, A.3.1);
        zookeeper.controller_epoch (the store checks it within the write, Z9); command[partition] (what an epoch's command
        said of the replicas stays); broker (who has asked to be shut down: its requests).
    """
    if not s.config.scheduled_elections:
        return False  # switched off. Without it, the election is like one that an operator requests.
    if s.spent.preferred_elections >= s.config.preferred_elections:
        return False  # budget
    if s.zookeeper.preferred_election[partition]:
        return False  # it is asked for already
    if not can_elect_preferred(s, controller, partition):
        return False

    s.spent.preferred_elections += 1
    preferred = s.zookeeper.preferred[partition]
    isr = isr_after(s, partition)
    publish(s, controller, partition, preferred, isr, Purpose.ELECTION)  # Without it, the budget is spent and the leader stays.
    return True


def isr_after(s: Kafka, partition: Partition) -> int:
    """The ISR of the election: as it is, or without the old leader, which then has to catch up to come back (T6)."""
    node = s.zookeeper.leader_and_isr[partition]
    if s.config.leader_leaves_isr and node.leader != NO_BROKER:
        return excluding(node.isr, node.leader)
    return node.isr


def can_elect_preferred(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The preferred replica does not lead, is live as far as the controller knows, and is in the ISR."""
    if not can_decide(s, controller, partition):
        return False
    if not has_epoch_left(s, partition):
        return False
    node = s.zookeeper.leader_and_isr[partition]
    preferred = s.zookeeper.preferred[partition]
    if node.version == 0:
        return False
    if node.leader == preferred:
        return False
    return contains(staying_members(s, controller, partition), preferred)


def drop_preferred_election(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The controller finds that the request cannot be met, and deletes it.

    Design: 279 scenario 1 (I1, Z10).   Kafka: KafkaController.removePartitionsFromPreferredReplicaElection.
    Modifies: zookeeper.preferred_election[partition].
    Reads: zookeeper.preferred_election[partition], zookeeper.preferred[partition], zookeeper.leader_and_isr[partition] (the
        store, as it decides); zookeeper.controller_epoch (the store checks it within the write, Z9); broker (who has asked to be
        shut down: its requests).
    """
    if not s.zookeeper.preferred_election[partition]:
        return False  # Without it, a missing request is deleted.
    if not can_decide(s, controller, partition):
        return False
    node = s.zookeeper.leader_and_isr[partition]
    preferred = s.zookeeper.preferred[partition]
    if node.leader != preferred and contains(staying_members(s, controller, partition), preferred):
        return False

    s.zookeeper.preferred_election[partition] = 0
    return True
