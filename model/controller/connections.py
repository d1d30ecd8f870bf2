"""The connection from a controller to each broker: one queue, in the order of sending, as long as it is open (C6, L1)."""

from ..config import PER_CONNECTION
from ..members import excluding, only


def close_connection(s, broker, controller):
    """The controller believes that the broker has failed, and closes its connection.

    What it has sent may be lost from now on, or arrive late. If the process has ended, nothing of it arrives at the next one.
    """
    if s.config.command_order == PER_CONNECTION:
        for partition in range(s.config.partitions):
            for epoch in range(s.config.epochs):
                close(s, s.command[partition][epoch], broker, controller)
                if s.config.topic_recreations > 0:
                    close(s, s.earlier_command[partition][epoch], broker, controller)


def close(s, command, broker, controller):
    """One command of those that `close_connection` is about."""
    if s.broker[broker].up:
        command.overtaken[controller] = command.overtaken[controller] | (command.sent[controller] & only(broker))
    else:
        forget_sent(s, command, broker, controller)


def break_connection(s, broker, controller):
    """The process of the broker ends.

    What came over an earlier connection is lost with it. What is on this one may be lost, or is sent once more to the process
    that comes next: a controller tries again until it has an answer, or sees that the broker has failed.
    """
    if s.config.command_order == PER_CONNECTION:
        for partition in range(s.config.partitions):
            for epoch in range(s.config.epochs):
                send_once_more(  # Without it, what the next process receives must come first, and cannot be lost.
                    s, s.command[partition][epoch], broker, controller
                )
                if s.config.topic_recreations > 0:
                    send_once_more(s, s.earlier_command[partition][epoch], broker, controller)


def send_once_more(s, command, broker, controller):
    """One command of those that `break_connection` is about."""
    if command.overtaken[controller] & only(broker) != 0:
        forget_sent(s, command, broker, controller)
    command.overtaken[controller] = command.overtaken[controller] | (command.sent[controller] & only(broker))


def forget_sent(s, command, broker, controller):
    """The command is lost on its way to the broker."""
    command.sent[controller] = excluding(command.sent[controller], broker)
    if s.config.command_order == PER_CONNECTION:
        command.overtaken[controller] = excluding(command.overtaken[controller], broker)


def drop_unsent(s, broker, controller):
    """The queue of commands to a failed broker is dropped, if there is one (L1)."""
    if s.config.command_order == PER_CONNECTION:
        for partition in range(s.config.partitions):
            for epoch in range(s.config.epochs):
                command = s.command[partition][epoch]
                command.unsent[controller] = excluding(command.unsent[controller], broker)
