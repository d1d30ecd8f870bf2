"""V3 C: directories are deleted, on StopReplica and on a LeaderAndIsr request with the flag INIT."""

from ..choices import Init
from ..members import contains, excluding, including
from ..state import Kafka
from ..vocabulary import Broker, ControllerEpoch, Partition
from ..zookeeper.sessions import awaits_registration
from .roles import delete_replica


def stop_replica(s: Kafka, partition: Partition, broker: Broker, controller: ControllerEpoch) -> bool:
    """A broker obeys StopReplica: it stops fetching and checkpointing, and deletes the directory (R7, R8).

    The command has no leader epoch, as in Kafka up to 2.5 (KIP-570): only the controller epoch identifies an old one
    (D4). The replica's own epoch is deleted with the directory, so a command that was sent before would start it again.
    Requests of one controller use one connection: none that was sent before is obeyed after this one.

    Design: V3 C, on_StopReplicaCommand (C6, B2).   Kafka: ReplicaManager.stopReplicas.
    Modifies: replica[partition][broker], produce_request[partition][broker], broker[broker], controller[controller],
        command[partition], earlier_command[partition], isr_write, fetch_response, late_response, fetch_request.
    Reads: controller[controller].stopping, controller[controller].stopped, controller[controller].live (the request on its way,
        and its response, if the connection is open);
        command[partition], earlier_command[partition] (those sent before it have arrived, or are lost).
    """
    if not contains(s.controller[controller].stopping[partition], broker):
        return False
    if not s.broker[broker].up:
        return False
    if awaits_registration(s, broker):
        return False  # it refuses what names a registration that it does not know
    if not s.replica[partition][broker].exists and not awaits_confirmation(s, partition, broker, controller):
        return False  # Without it, nothing is deleted; the broker's controller epoch grows.
    if s.config.controller_epoch and controller < s.broker[broker].controller_epoch:
        return False  # from an earlier controller

    s.broker[broker].controller_epoch = max(s.broker[broker].controller_epoch, controller)
    delete_replica(s, partition, broker)
    if s.config.confirming_partitions > 0:
        if contains(s.controller[controller].live, broker):
            s.controller[controller].stopped[partition] = including(s.controller[controller].stopped[partition], broker)
    if s.config.ordered_stops:
        for epoch in range(s.config.epochs):
            command = s.command[partition][epoch]
            command.sent[controller] = excluding(command.sent[controller], broker)
            if s.config.topic_recreations > 0:
                earlier = s.earlier_command[partition][epoch]
                earlier.sent[controller] = excluding(earlier.sent[controller], broker)
    if not s.config.repeated_commands:
        s.controller[controller].stopping[partition] = excluding(s.controller[controller].stopping[partition], broker)
    return True


def awaits_confirmation(s: Kafka, partition: Partition, broker: Broker, controller: ControllerEpoch) -> bool:
    """The controller deletes the topic and waits for this broker's confirmation, although it holds no replica (KAFKA-330).

    From a broker that it believes dead no confirmation comes: the connection is closed.
    """
    if s.config.confirming_partitions == 0:
        return False  # Without it, a broker without the replica obeys too; there is nothing to delete.
    me = s.controller[controller]
    return contains(me.live & ~me.stopped[partition], broker)


def delete_unnamed(s: Kafka, broker: Broker, controller: ControllerEpoch) -> bool:
    """A broker obeys INIT, a new controller's first request: every partition that it does not name is deleted (R7, R11).

    V3 sends it "to relevant brokers": it names to each broker the partitions whose AR has it. A partition that was created
    after that controller read the store is not named. So the request must not be obeyed late: not after a later
    controller's request, and, as the first of its controller, not after any other of the same one. The controller epoch
    identifies both cases; without it a late request deletes a new replica (Q19). What the request says of the partitions
    that it names is in their commands.

    Design: V3 C.3, D.4 (C2, D2, D4).   Kafka: none under ZooKeeper.
    Modifies: replica, produce_request, broker[broker], isr_write, fetch_response, late_response, fetch_request,
        controller[controller].init_sent.
    Reads: controller[controller].init_sent, controller[controller].init_names (the request on its way).
    """
    if s.config.init is Init.NONE:
        return False  # switched off
    if not contains(s.controller[controller].init_sent, broker):
        return False
    if not s.broker[broker].up:
        return False
    if s.config.controller_epoch and controller <= s.broker[broker].controller_epoch:
        return False  # late
    if not has_unnamed(s, broker, controller):
        return False  # Without it, nothing is deleted; the broker's controller epoch grows.

    newest = max(s.broker[broker].controller_epoch, controller)  # Without it, an older INIT counts: harmless at these sizes.
    s.broker[broker].controller_epoch = newest
    for partition in range(s.config.partitions):
        if not contains(s.controller[controller].init_names[partition], broker):
            delete_replica(s, partition, broker)  # Without it, the deleted partition's replica stays, and does nothing.
    if not s.config.repeated_commands:
        s.controller[controller].init_sent = excluding(s.controller[controller].init_sent, broker)
    return True


def has_unnamed(s: Kafka, broker: Broker, controller: ControllerEpoch) -> bool:
    """The broker holds a replica of a partition that the controller's INIT does not name."""
    for partition in range(s.config.partitions):
        if s.replica[partition][broker].exists and not contains(s.controller[controller].init_names[partition], broker):
            return True
    return False
