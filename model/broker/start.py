"""V3 E, on_broker_startup.

In V3 a broker registers, reads the store, and takes the roles that it read. Each is a step, and in between the
controller may decide and its commands may arrive. Kafka's brokers read no roles: they wait for the controller, which sees
the registration (`start_up = told`). With `start_up = at-once` all is one step, as in the releases before 2.2.
"""

from ..choices import EmptyEpoch, StartUp
from ..controller.connections import forget_sent
from ..controller.who_lives import drop_news
from ..epoch_cache import forget_epochs_from
from ..history import remember_generation
from ..members import NO_BROKER, contains, excluding
from ..state import Kafka
from ..truncation.versions import upgrade
from ..vocabulary import NO_EPOCH, Broker, Brokers, Epoch, Partition, Starting, Version
from ..zookeeper.sessions import watch_controller_path
from ..zookeeper.watches import has_session
from ..zookeeper.znodes import assignment, register_broker
from .become_follower import follow
from .become_leader import serve
from .roles import delete_replica, forget_start


def start_broker(s: Kafka, broker: Broker) -> bool:
    """A broker starts, and registers (R6).

    It waits until its old session has ended, because its own node still exists. It reads the store
    later, in separate steps, or now with `start_up = at-once`. Kafka loads the logs first, and
    drops what an epoch cache says of offsets that its log does not have.

    Design: V3 E (E1, E2).   Kafka: KafkaServer.startup, ReplicaManager.startup.
    Modifies: broker[broker], produce_request, zookeeper, controller, command, earlier_command, replica, history, generation,
        isr_write, fetch_response, late_response, fetch_request, start.
    Reads: zookeeper (the store: E.1-4, if all is one step); command, earlier_command (which replicas a partition has, as the
        epoch's command says; what was sent to an earlier registration); controller (what was sent to an earlier registration);
        broker (which version its leader speaks);
        zookeeper.assigned, zookeeper.reassigned (which replicas its command named).
    """
    if s.broker[broker].up:
        return False
    if contains(s.spent.lost_brokers, broker):
        return False  # it never comes back
    if s.config.exits and s.broker[broker].exited:
        return False  # it would exit again, until its leader has caught up. Without it, it starts again and exits again.
    if contains(s.zookeeper.sessions, broker):
        return False

    s.broker[broker].up = 1
    s.broker[broker].leaving = 0
    upgrade(s, broker)  # Without it, it keeps its old release.
    register_broker(s, broker)
    if s.config.broker_epochs:
        drop_earlier_commands(s, broker)
    watch_controller_path(s, broker)  # Without it, the broker may not learn that there is no controller (availability).
    for partition in range(s.config.partitions):
        if s.config.empty_epochs is EmptyEpoch.DROPPED:
            me = s.replica[partition][broker]
            forget_epochs_from(s, me, me.leo)  # Without it, such epochs stay in the cache: empty_epochs = kept.
        if s.config.starting_partitions > 0:
            s.start[partition][broker].phase = Starting.TO_READ
        if s.config.start_up is StartUp.AT_ONCE:
            node = s.zookeeper.leader_and_isr[partition]
            is_assigned = contains(assignment(s, partition), broker)
            take_up(s, partition, broker, is_assigned, node.version, node.leader, node.leader_epoch, node.isr)
    return True


def drop_earlier_commands(s: Kafka, broker: Broker) -> None:
    """Requests name the registration that their controller had seen: those for an earlier one are refused (KIP-380)."""
    for controller in range(s.config.controllers):
        me = s.controller[controller]
        me.init_sent = excluding(me.init_sent, broker)
        drop_news(s, broker, controller)
        for partition in range(s.config.partitions):
            me.stopping[partition] = excluding(me.stopping[partition], broker)
            for epoch in range(s.config.epochs):
                command = s.command[partition][epoch]
                forget_sent(s, command, broker, controller)
                command.unsent[controller] = excluding(command.unsent[controller], broker)
                if s.config.topic_recreations > 0:
                    forget_sent(s, s.earlier_command[partition][epoch], broker, controller)


def read_role(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """A starting broker reads the partition's replicas and its leaderAndISR.

    Design: V3 E.1-2 (E1).   Kafka: none; its brokers wait for the controller.
    Modifies: start[partition][broker].
    Reads: zookeeper.assigned[partition], zookeeper.reassigned[partition], zookeeper.leader_and_isr[partition] (the store).
    """
    if s.config.starting_partitions == 0:
        return False
    me = s.start[partition][broker]
    if me.phase is not Starting.TO_READ:
        return False
    if not has_session(s, broker):
        return False  # the read answers that the session has expired. Without it, it reads without one.

    node = s.zookeeper.leader_and_isr[partition]
    me.phase = Starting.TO_ACT
    me.is_assigned = contains(assignment(s, partition), broker)
    me.version = node.version
    me.leader = node.leader
    me.leader_epoch = node.leader_epoch
    me.isr = node.isr
    return True


def take_role(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """A starting broker leads, follows, or deletes its replica, as it has read; the store may have changed since (R7).

    A command that has arrived in between is newer than what was read, and stays in effect if epochs are compared (C5).
    A replica that is not assigned is deleted in any case: V3 does not read again.

    Design: V3 E.3-4 (E1, E2, C5).   Kafka: none; its brokers wait for the controller.
    Modifies: replica, produce_request[partition][broker], start[partition][broker], history[partition],
        generation[partition], isr_write, fetch_response, late_response, fetch_request.
    Reads: command[partition] (which replicas the partition has, as the epoch's command says); broker (which version its leader
        speaks);
        zookeeper.assigned[partition], zookeeper.reassigned[partition] (which replicas its command named).
    """
    if s.config.starting_partitions == 0:
        return False
    me = s.start[partition][broker]
    if me.phase is not Starting.TO_ACT:
        return False

    is_older = me.leader_epoch <= s.replica[partition][broker].leader_epoch and not s.config.stale_commands
    if not me.is_assigned or not is_older:
        take_up(  # Without it, a broker that has started takes no role (availability).
            s, partition, broker, me.is_assigned, me.version, me.leader, me.leader_epoch, me.isr
        )
    forget_start(s, partition, broker)  # Without it, what was read is acted on again.
    return True


def take_up(
    s: Kafka,
    partition: Partition,
    broker: Broker,
    is_assigned: int,
    version: Version,
    leader: Broker,
    leader_epoch: Epoch,
    isr: Brokers,
) -> None:
    """Start an assigned replica from leaderAndISR, if that is there (E.3); delete one that is not assigned (E.4).

    It rarely leads, because the controller has usually elected another broker.
    """
    if not is_assigned:
        delete_replica(s, partition, broker)
    elif leader_epoch > NO_EPOCH:
        remember_generation(s, partition, broker, 1)
        if leader == broker:
            serve(s, partition, broker, leader_epoch, isr, version)
        elif leader == NO_BROKER:
            me = s.replica[partition][broker]
            me.exists = 1  # there is nobody to follow: it starts, and has no role (E.3.1)
            me.leader_epoch = max(me.leader_epoch, leader_epoch)
        else:
            follow(s, partition, broker, leader_epoch, leader)
