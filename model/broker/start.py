"""V3 E, on_broker_startup."""

from ..history import remember_generation
from ..members import contains, excluding
from ..zookeeper.sessions import watch_controller_path
from ..zookeeper.znodes import assignment, register_broker
from .become_follower import follow
from .become_leader import serve
from .roles import delete_replica


def start_broker(s, broker):
    """A broker starts: it registers, reads the store, and takes up the roles that it finds there.

    It waits until its old session is gone, for its own node is in the way. Then every replica that is
    assigned to it leads or follows as leaderAndISR says (leading is rare: the controller has usually
    elected another), and what is not assigned any more is deleted.

    Design: V3 E (E1, E2).   Kafka: KafkaServer.startup, ReplicaManager.startup.
    Modifies: broker[broker], zookeeper, controller, command, replica, history, generation, earlier_command,
        isr_write, fetch_response.
    Reads: zookeeper (the store: E.1-4, all in one step); command (which replicas a partition has, as the epoch's command
        says; what was sent to an earlier registration); earlier_command,
        controller (what was sent to an earlier registration).
    """
    if s.broker[broker].up:
        return False
    if contains(s.spent.lost_brokers, broker):
        return False  # it never comes back
    if contains(s.zookeeper.sessions, broker):
        return False  # Without it, the old session goes on in the model; a real store refuses the second registration.

    s.broker[broker].up = 1
    register_broker(s, broker)
    if s.config.broker_epochs:
        drop_earlier_commands(s, broker)
    watch_controller_path(s, broker)  # Without it, the broker may not learn that there is no controller (availability).
    for partition in range(s.config.partitions):
        if contains(assignment(s, partition), broker):
            start_replica(s, partition, broker)
        else:
            delete_replica(s, partition, broker)
    return True


def drop_earlier_commands(s, broker):
    """Requests name the registration that their controller had seen: those for an earlier one are refused (KIP-380)."""
    for controller in range(s.config.controllers):
        me = s.controller[controller]
        me.init_sent = excluding(me.init_sent, broker)
        for partition in range(s.config.partitions):
            me.stopping[partition] = excluding(me.stopping[partition], broker)
            for epoch in range(s.config.epochs):
                command = s.command[partition][epoch]
                command.sent[controller] = excluding(command.sent[controller], broker)
                command.unsent[controller] = excluding(command.unsent[controller], broker)
                if s.config.topic_recreations > 0:
                    earlier = s.earlier_command[partition][epoch]
                    earlier.sent[controller] = excluding(earlier.sent[controller], broker)


def start_replica(s, partition, broker):
    """Start one assigned replica from what leaderAndISR says, if it is there (E.3)."""
    node = s.zookeeper.leader_and_isr[partition]
    if node.version > 0:
        remember_generation(s, partition, broker, 1)
        if node.leader == broker:
            serve(s, partition, broker, node.leader_epoch, node.isr, node.version)
        else:
            follow(s, partition, broker, node.leader_epoch, node.leader)
