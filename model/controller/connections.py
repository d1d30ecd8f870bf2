"""The connection from a controller to each broker: one queue, in the order of sending, as long as it is open (C6, L1)."""

from ..config import PER_CONNECTION
from ..members import excluding, only


def close_connection(s, broker, controller):
    """What this controller has sent to the broker may be lost from now on, or arrive late."""
    if s.config.command_order == PER_CONNECTION:
        for partition in range(s.config.partitions):
            for epoch in range(s.config.epochs):
                command = s.command[partition][epoch]
                command.overtaken[controller] = command.overtaken[controller] | (command.sent[controller] & only(broker))
                if s.config.topic_recreations > 0:
                    earlier = s.earlier_command[partition][epoch]
                    earlier.overtaken[controller] = earlier.overtaken[controller] | (earlier.sent[controller] & only(broker))


def drop_unsent(s, broker, controller):
    """The queue of commands to a failed broker is dropped, if there is one (L1)."""
    if s.config.command_order == PER_CONNECTION:
        for partition in range(s.config.partitions):
            for epoch in range(s.config.epochs):
                command = s.command[partition][epoch]
                command.unsent[controller] = excluding(command.unsent[controller], broker)
