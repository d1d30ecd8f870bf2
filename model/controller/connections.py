"""The connection from a controller to each broker: one queue, in the order of sending, as long as it is open (C6, L1)."""

from ..choices import CommandOrder, StopsTo
from ..members import excluding, only
from ..state import Command, Kafka
from ..vocabulary import Broker, ControllerEpoch, Epoch, Partition
from .who_lives import drop_news


def close_connection(s: Kafka, broker: Broker, controller: ControllerEpoch) -> None:
    """The controller believes that the broker has failed, and closes its connection.

    What it has sent may be lost from now on, or arrive late. If the process has ended, nothing of it arrives at the next one.
    """
    if s.config.command_order is CommandOrder.PER_CONNECTION:
        if s.broker[broker].up:
            for partition in range(s.config.partitions):
                for epoch in range(s.config.epochs):
                    overtake(  # Without it, what is sent later waits for a command that may be lost.
                        s, s.command[partition][epoch], broker, controller
                    )
                    if s.config.topic_recreations > 0:
                        overtake(s, s.earlier_command[partition][epoch], broker, controller)
        else:
            forget_all_sent(s, broker, controller)  # Without it, what was sent to a process that has ended reaches the next one.


def overtake(s: Kafka, command: Command, broker: Broker, controller: ControllerEpoch) -> None:
    """The command comes late, or never: what is sent from now on does not wait for it."""
    command.overtaken[controller] = command.overtaken[controller] | (command.sent[controller] & only(broker))


def end_connections(s: Kafka, controller: ControllerEpoch) -> None:
    """The controller ends: what it had sent to a process that has ended is not sent once more."""
    if s.config.command_order is CommandOrder.PER_CONNECTION:
        for broker in range(s.config.members):
            if not s.broker[broker].up:
                forget_all_sent(s, broker, controller)  # Without it, a dead controller's command reaches the next process.


def break_connection(s: Kafka, broker: Broker, controller: ControllerEpoch) -> None:
    """The process of the broker ends.

    What came over an earlier connection is lost with it, and so is all that a controller has sent which has ended too. A living
    controller sends once more what has no answer, until it has one or sees that the broker has failed. It sends the next command
    only after the answer to the one before.

    Kafka: RequestSendThread.doWork, ControllerChannelManager.shutdown.
    """
    if s.config.command_order is CommandOrder.PER_CONNECTION:
        if s.controller[controller].active:
            for partition in range(s.config.partitions):
                for epoch in range(s.config.epochs):
                    send_once_more(  # Without it, what the next process receives must come first, and cannot be lost.
                        s, partition, epoch, broker, controller
                    )
        else:
            forget_all_sent(s, broker, controller)  # Without it, a command of a controller that has ended is sent once more.


def send_once_more(s: Kafka, partition: Partition, epoch: Epoch, broker: Broker, controller: ControllerEpoch) -> None:
    """The commands of one epoch that `break_connection` is about."""
    command = s.command[partition][epoch]
    if is_lost(s, command, partition, epoch, broker, controller):
        forget_sent(s, command, broker, controller)  # Without it, what is lost or answered reaches the next process too.
    overtake(s, command, broker, controller)  # Without it, what is sent to the next process waits for it.
    if s.config.topic_recreations > 0:
        command = s.earlier_command[partition][epoch]
        if command.overtaken[controller] & only(broker) != 0:
            forget_sent(s, command, broker, controller)
        overtake(s, command, broker, controller)


def is_lost(s: Kafka, command: Command, partition: Partition, epoch: Epoch, broker: Broker, controller: ControllerEpoch) -> bool:
    """The command came over an earlier connection, or was answered: the process has obeyed one that was sent after it."""
    if command.overtaken[controller] & only(broker) != 0:
        return True
    for later in range(s.config.epochs):
        other = s.command[partition][later]
        came = other.sent[controller] & ~other.overtaken[controller] & only(broker) != 0
        if epoch < later and later <= s.replica[partition][broker].leader_epoch and came:
            return True
    return False


def forget_all_sent(s: Kafka, broker: Broker, controller: ControllerEpoch) -> None:
    """Nothing that the controller has sent reaches the next process of the broker."""
    drop_news(s, broker, controller)
    for partition in range(s.config.partitions):
        if s.config.stops_to is not StopsTo.DEAD_TOO:
            me = s.controller[controller]
            me.stopping[partition] = excluding(me.stopping[partition], broker)
        for epoch in range(s.config.epochs):
            forget_sent(s, s.command[partition][epoch], broker, controller)  # Without it, the command reaches the next process.
            if s.config.topic_recreations > 0:
                forget_sent(s, s.earlier_command[partition][epoch], broker, controller)


def forget_sent(s: Kafka, command: Command, broker: Broker, controller: ControllerEpoch) -> None:
    """The command is lost on its way to the broker."""
    command.sent[controller] = excluding(command.sent[controller], broker)
    if s.config.command_order is CommandOrder.PER_CONNECTION:
        command.overtaken[controller] = excluding(command.overtaken[controller], broker)


def drop_unsent(s: Kafka, broker: Broker, controller: ControllerEpoch) -> None:
    """The queue of commands to a failed broker is dropped, if there is one (L1)."""
    if s.config.command_order is CommandOrder.PER_CONNECTION:
        for partition in range(s.config.partitions):
            for epoch in range(s.config.epochs):
                command = s.command[partition][epoch]
                command.unsent[controller] = excluding(command.unsent[controller], broker)
