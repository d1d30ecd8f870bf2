"""Commands from the controller to brokers, directly (V3 A.4). Late, lost, repeated and overtaken ones are
all there: what is sent stays on its way and may be obeyed at any later time."""

from ..members import contains, excluding, including, only
from .decide import follow_stops


def send_command(s, controller, partition, epoch, broker):
    """The controller sends a decision that it has written to one of the brokers concerned.

    Between the write and this step the controller may lose its office, and then it is never sent; the
    next controller sends what is in the store (D2).

    Design: V3 A.4 (A6).   Kafka: ControllerBrokerRequestBatch.sendRequestsToBrokers.
    Modifies: command[partition][epoch], controller[controller].
    """
    command = s.command[partition][epoch]
    if not contains(command.unsent[controller], broker):
        return False

    command.unsent[controller] = excluding(command.unsent[controller], broker)
    command.sent[controller] = including(command.sent[controller], broker)
    follow_stops(s, controller, partition, only(broker))
    return True


def send_stop_replica(s, controller, partition, brokers):
    """Send StopReplica to `brokers`. What is still to be sent to them is overtaken: it has gone before, or never goes."""
    me = s.controller[controller]
    me.stopping[partition] = me.stopping[partition] | brokers
    if s.config.ordered_stops:
        for epoch in range(s.config.epochs):
            command = s.command[partition][epoch]
            command.unsent[controller] = command.unsent[controller] & ~brokers
