"""What a broker knows of who lives, from UpdateMetadata alone (N9, KAFKA-4443)."""

from ..controller.who_lives import drop_news
from ..members import NO_BROKER, contains, excluding
from ..state import Kafka
from ..vocabulary import Broker, ControllerEpoch, Epoch, Partition
from ..zookeeper.sessions import awaits_registration
from .roles import obeys, obeys_controller, waits_on_connection


def learn_who_lives(s: Kafka, broker: Broker, controller: ControllerEpoch) -> bool:
    """UpdateMetadata reaches the broker, after the roles that were sent before it over the same connection.

    Design: none; V3's brokers ask nobody who lives (N9, D4).   Kafka: ReplicaManager.maybeUpdateMetadataCache.
    Modifies: broker[broker], controller[controller].naming.
    Reads: controller[controller].naming, controller[controller].named_live (the request on its way); command (which of the
        requests over one connection comes first).
    """
    if s.config.news == 0:
        return False
    if not contains(s.controller[controller].naming[0], broker):
        return False  # Without it, it learns what it was not told.
    if not s.broker[broker].up:
        return False  # Without it, a broker that is down learns.
    if awaits_registration(s, broker):
        return False
    if not obeys_controller(s, broker, controller):
        return False  # Without it, an earlier controller is believed.
    for partition in range(s.config.partitions):
        for epoch in range(s.config.epochs):
            if waits_early(s, partition, broker, epoch, controller):
                return False  # the role comes first. Without it, who lives comes before it.

    hear(s, broker, controller)  # Without it, no broker learns who lives.
    return True


def waits_early(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch, controller: ControllerEpoch) -> bool:
    """The controller has sent the role before it said who lives, and it has yet to arrive."""
    command = s.command[partition][epoch]
    if not contains(command.early[controller], broker):
        return False  # Without it, it waits for roles that were sent later, too.
    if contains(command.unsent[controller], broker):
        return True
    return waits_on_connection(s, command, epoch, partition, broker, controller)  # Without it, it waits for ever.


def hear(s: Kafka, broker: Broker, controller: ControllerEpoch) -> None:
    """The broker knows who lives, as this controller says."""
    s.broker[broker].controller_epoch = max(s.broker[broker].controller_epoch, controller)
    s.broker[broker].knows_live[0] = s.controller[controller].named_live[0]
    drop_news(s, broker, controller)  # Without it, the same news is heard again.


def hear_before(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch, controller: ControllerEpoch) -> None:
    """What was sent before the command has arrived before it."""
    if s.config.news:
        early = contains(s.command[partition][epoch].early[controller], broker)
        if contains(s.controller[controller].naming[0], broker) and not early:
            hear(s, broker, controller)


def names_unknown_leader(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch, controller: ControllerEpoch) -> bool:
    """The command names a leader that the broker does not know as live; nor has its controller said who lives."""
    if s.config.news == 0:
        return False
    command = s.command[partition][epoch]
    if not contains(command.early[controller], broker):
        return False  # Without it, roles that were sent later are ignored too.
    return not contains(s.broker[broker].knows_live[0], command.leader)  # Without it, a known leader is ignored too.


def ignore_unknown_leader(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch, controller: ControllerEpoch) -> bool:
    """A broker is told to follow a leader that it does not know as live: it does nothing, and answers as if it had obeyed.

    Nothing is sent again. Until the next decision it has the role that it had, or none.

    Design: none; a bug (N9).   Kafka: ReplicaManager.makeFollowers, KafkaController.onControllerFailover (to 0.10.1.1;
        KAFKA-4443).
    Modifies: command[partition][epoch], broker[broker].
    Reads: command[partition], earlier_command[partition] (which of the requests over one connection comes first).
    """
    command = s.command[partition][epoch]
    if not contains(command.sent[controller], broker):
        return False
    if command.leader == broker or command.leader == NO_BROKER:
        return False
    if not names_unknown_leader(s, partition, broker, epoch, controller):
        return False
    if not obeys(s, partition, broker, epoch, controller):
        return False

    s.broker[broker].controller_epoch = max(s.broker[broker].controller_epoch, controller)
    command.sent[controller] = excluding(command.sent[controller], broker)
    command.early[controller] = excluding(command.early[controller], broker)
    return True
