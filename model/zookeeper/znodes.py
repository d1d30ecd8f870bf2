"""Znodes: creation that only one client wins, conditional writes, ephemeral nodes (Z1-Z4)."""

from ..choices import Reassignment
from ..members import NO_BROKER, excluding, including, only
from ..state import Kafka
from ..vocabulary import Broker, Brokers, Epoch, Partition
from .watches import fire_brokers_watch, fire_controller_watch


def write_leader_and_isr(s: Kafka, partition: Partition, leader: Broker, leader_epoch: Epoch, isr: Brokers) -> None:
    """Write the partition's leaderAndISR; the version grows by one.

    The caller has compared the version that it knows with the node's; this makes the write
    conditional (Z4).
    """
    node = s.zookeeper.leader_and_isr[partition]
    node.leader = leader
    node.leader_epoch = leader_epoch
    node.isr = isr
    node.version += 1


def delete_leader_and_isr(s: Kafka, partition: Partition) -> None:
    """Delete the partition's leaderAndISR."""
    node = s.zookeeper.leader_and_isr[partition]
    node.leader = NO_BROKER
    node.leader_epoch = -1
    node.isr = 0
    node.controller_epoch = -1
    node.version = 0


def delete_assignment(s: Kafka, partition: Partition) -> None:
    """The topic's path loses the partition; a requested election of its preferred replica goes with it (Z3, Z10)."""
    s.zookeeper.assigned[partition] = 0
    s.zookeeper.preferred[partition] = NO_BROKER
    s.zookeeper.preferred_election[partition] = 0


def holders(s: Kafka, partition: Partition) -> int:
    """The brokers that hold a replica or will hold one: AR, and RAR while the partition is reassigned (Z3, Z5)."""
    brokers = s.zookeeper.assigned[partition]
    if s.config.reassignments > 0:
        brokers = brokers | s.zookeeper.reassigned[partition]
    return brokers


def assignment(s: Kafka, partition: Partition) -> int:
    """What /brokers/topics says to a broker that starts: in V3 AR until a reassignment ends, in Kafka AR + RAR (E1, F2)."""
    if s.config.reassignment is Reassignment.KAFKA:
        return holders(s, partition)
    return s.zookeeper.assigned[partition]


def delete_reassignment(s: Kafka, partition: Partition) -> None:
    """Delete the partition's node under /admin/partitions_reassigned, if there is one (Z5)."""
    if s.config.reassignments > 0:
        s.zookeeper.reassigned[partition] = 0
        s.zookeeper.reassigned_preferred[partition] = NO_BROKER


def create_controller_path(s: Kafka, broker: Broker) -> None:
    """Create /controller, which is not there (Z1); the epoch's node counts the controllers."""
    s.zookeeper.controller = broker
    s.zookeeper.controller_epoch += 1
    fire_controller_watch(s)


def delete_controller_path(s: Kafka) -> None:
    """Delete /controller."""
    s.zookeeper.controller = NO_BROKER
    fire_controller_watch(s)


def register_broker(s: Kafka, broker: Broker) -> None:
    """Create /brokers/ids/[broker] in a new session (Z2). It has another broker epoch than the one that was read before (R6)."""
    for epoch in range(s.config.controllers):
        for place in range(s.config.registrations):
            me = s.controller[epoch]
            me.bounced[place] = me.bounced[place] | (me.live & only(broker))
    s.zookeeper.sessions = including(s.zookeeper.sessions, broker)
    s.zookeeper.broker_ids = including(s.zookeeper.broker_ids, broker)
    fire_brokers_watch(s)


def end_session(s: Kafka, broker: Broker) -> None:
    """The session ends, and with it its ephemeral nodes (Z7) and its watches."""
    s.zookeeper.sessions = excluding(s.zookeeper.sessions, broker)
    s.zookeeper.broker_ids = excluding(s.zookeeper.broker_ids, broker)
    fire_brokers_watch(s)
    if s.zookeeper.controller == broker:
        delete_controller_path(s)
