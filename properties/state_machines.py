"""The controller's state machines of partitions and of replicas (ZH, summary: M2), derived from its memory and the store.

ZH names the machines but not their transitions; the transitions are Kafka's (PartitionStateMachine, ReplicaStateMachine, 1.0).
What one handler does at once, such as Online to Offline to ReplicaDeletionStarted, is one transition here. The states are those
that the present controller sees: what it reads from the store when it starts is not a transition.
"""

from ..model.members import contains
from ..model.state import Kafka
from ..model.vocabulary import Broker, ControllerEpoch, Partition

NON_EXISTENT, NEW, ONLINE, OFFLINE = 0, 1, 2, 3
DELETION_STARTED, DELETION_SUCCESSFUL, DELETION_INELIGIBLE = 4, 5, 6

LIVES = (1 << ONLINE) | (1 << OFFLINE)
ENDS = (1 << ONLINE) | (1 << NON_EXISTENT)
ASKED = (1 << DELETION_STARTED) | (1 << DELETION_INELIGIBLE)
ANSWERED = (1 << DELETION_SUCCESSFUL) | (1 << DELETION_INELIGIBLE)
"""Sets of states."""


def partition_transitions(s: Kafka, t: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """A partition is created, gets a leader, loses it, and is deleted without one: no step makes another transition (M2).

    New partitions have no leader yet, and only an Offline partition is deleted. So no client is sent to a leader that is being
    deleted, and no controller elects one. Expected where topics are created, and deleted with confirmation. V3's own procedures
    to delete a topic, and to add or remove a partition, violate it.
    """
    if not observes(s, controller) or not observes(t, controller):
        return True
    before = partition_state(s, controller, partition)
    after = partition_state(t, controller, partition)
    if before == after:
        return True
    if before == NON_EXISTENT:
        return after == NEW
    if before == NEW:
        return contains(LIVES, after)
    if before == ONLINE:
        return after == OFFLINE
    return contains(ENDS, after)


def replica_transitions(s: Kafka, t: Kafka, controller: ControllerEpoch, partition: Partition, broker: Broker) -> bool:
    """For the controller a replica exists until its broker has confirmed the deletion (M2).

    Otherwise a topic that is created again under the same name finds the old one's records. Expected where deletion is confirmed,
    if no broker leaves after it has confirmed: its confirmation is then void, and the machine has no transition back.
    """
    if not observes(s, controller) or not observes(t, controller):
        return True
    before = replica_state(s, controller, partition, broker)
    after = replica_state(t, controller, partition, broker)
    if before == after:
        return True
    if before == NON_EXISTENT:
        return after == NEW
    if before == DELETION_STARTED:
        return contains(ANSWERED, after)
    if before == DELETION_SUCCESSFUL:
        return after == NON_EXISTENT
    return contains(LIVES | ASKED, after)


def observes(s: Kafka, controller: ControllerEpoch) -> int:
    """This is the present controller, and it has read the store."""
    me = s.controller[controller]
    return me.active and not me.recovering and s.zookeeper.controller_epoch == controller


def is_ending(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The controller has read that the topic is being deleted."""
    if s.config.confirming_partitions == 0:
        return False
    return s.controller[controller].ending[partition] == 1


def partition_state(s: Kafka, controller: ControllerEpoch, partition: Partition) -> int:
    """NonExistentPartition, NewPartition, OnlinePartition or OfflinePartition."""
    node = s.zookeeper.leader_and_isr[partition]
    if s.zookeeper.assigned[partition] == 0 and node.version == 0:
        return NON_EXISTENT
    if is_ending(s, controller, partition):
        return OFFLINE
    if node.version == 0:
        return NEW
    if contains(s.controller[controller].live, node.leader):
        return ONLINE
    return OFFLINE


def replica_state(s: Kafka, controller: ControllerEpoch, partition: Partition, broker: Broker) -> int:
    """NonExistentReplica, NewReplica, OnlineReplica, OfflineReplica, or how far its deletion has come."""
    me = s.controller[controller]
    if not contains(s.zookeeper.assigned[partition], broker):
        return NON_EXISTENT
    if is_ending(s, controller, partition):
        if contains(me.stopped[partition], broker):
            return DELETION_SUCCESSFUL
        if contains(me.stopping[partition] & me.live, broker):
            return DELETION_STARTED
        return DELETION_INELIGIBLE
    if s.zookeeper.leader_and_isr[partition].version == 0:
        return NEW
    if contains(me.live, broker):
        return ONLINE
    return OFFLINE
