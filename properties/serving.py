"""When a partition is served, and when progress can be required of it: what the properties of progress are made of."""

from ..model.controller.decide import has_epoch_left, is_switched
from ..model.controller.old_replicas import old_members
from ..model.fetching import leads
from ..model.members import NO_BROKER, contains, subset
from ..model.state import Kafka
from ..model.vocabulary import Broker, ControllerEpoch, Moving, Partition


def is_over(s: Kafka, partition: Partition) -> bool:
    """The bounds of the exploration leave no epoch or no controller to decide with, or no version for the leader to write."""
    node = s.zookeeper.leader_and_isr[partition]
    if node.leader_epoch >= s.config.max_epoch:
        return True
    if s.config.renewed_nodes and node.version >= s.config.max_version:
        return True
    return is_without_controller(s)


def is_without_controller(s: Kafka) -> bool:
    """No controller lives and the budget allows no other, or the bound on epochs holds it up. Under KRaft there is always one."""
    if s.config.quorums:
        return False
    if is_held_up(s, s.zookeeper.controller_epoch):
        return True
    if s.zookeeper.controller_epoch < s.config.controller_changes:
        return False
    for controller in range(s.config.controllers):
        me = s.controller[controller]
        if me.active and (me.host == NO_BROKER or s.broker[me.host].up):
            return False
    return True


def is_held_up(s: Kafka, controller: ControllerEpoch) -> bool:
    """It has switched a partition, and no epoch is left to take the old replicas out of the ISR: it does nothing else (N6)."""
    if s.config.stepwise_moves == 0 or not s.controller[controller].active:
        return False
    for partition in range(s.config.partitions):
        if s.controller[controller].moving[partition] is Moving.SWITCHED:
            if old_members(s, partition) != 0 and not has_epoch_left(s, partition):
                return True
    return False


def isr_member_lives(s: Kafka, partition: Partition) -> bool:
    """A member of the ISR runs, and it has everything that was committed; and the topic is not to be deleted."""
    node = s.zookeeper.leader_and_isr[partition]
    if node.version == 0:
        return False
    if s.config.deleting_partitions > 0:
        if s.zookeeper.deleting[partition]:
            return False
    for broker in range(s.config.members):
        if contains(node.isr, broker) and s.broker[broker].up:
            return True
    return False


def is_served(s: Kafka, partition: Partition) -> int:
    """The published leader runs, in session, and knows that it leads."""
    node = s.zookeeper.leader_and_isr[partition]
    if node.version == 0 or node.leader == NO_BROKER:
        return False
    if not contains(s.zookeeper.sessions, node.leader):
        return False
    return leads(s, partition, node.leader) and s.replica[partition][node.leader].leader_epoch == node.leader_epoch


def has_been_moved(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """A reassignment has taken the replica out of the ISR, or will: since the switch it is told nothing more (N6).

    The assignment is written later.
    """
    if s.config.reassignments == 0:
        return False
    new = s.zookeeper.reassigned[partition]
    if new == 0 or contains(new, broker):
        return False
    if s.config.stepwise_moves:
        for controller in range(s.config.controllers):
            if is_switched(s, controller, partition):
                return True
    return subset(s.zookeeper.leader_and_isr[partition].isr, new)


def is_in_session(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """The broker is in session and holds an assigned replica that stays, and a member of the ISR runs."""
    if not s.broker[broker].up or not contains(s.zookeeper.sessions, broker):
        return False
    if has_been_moved(s, partition, broker):
        return False
    return contains(s.zookeeper.assigned[partition], broker) and isr_member_lives(s, partition)
