"""Commands from the controller to brokers, directly (V3 A.4). They may be late, lost, repeated
and overtaken: what is sent stays in flight and may be obeyed at any later time."""

from ..choices import CommandOrder
from ..members import contains, excluding, only
from ..state import Kafka
from ..vocabulary import Broker, ControllerEpoch, Epoch, Partition
from .decide import send


def send_command(s: Kafka, controller: ControllerEpoch, partition: Partition, epoch: Epoch, broker: Broker) -> bool:
    """The controller sends a decision that it has written to one of the brokers concerned.

    If the controller is replaced between the write and this step, the decision is never sent; the
    next controller sends what is in the store (D2).

    Design: V3 A.4 (A6).   Kafka: ControllerBrokerRequestBatch.sendRequestsToBrokers.
    Modifies: command[partition][epoch], controller[controller].
    """
    command = s.command[partition][epoch]
    if not contains(command.unsent[controller], broker):
        return False
    if s.config.command_order is CommandOrder.PER_CONNECTION and has_earlier_to_send(s, controller, partition, epoch, broker):
        return False  # Without it, a later command may be sent first; the earlier one is stale then.

    command.unsent[controller] = excluding(command.unsent[controller], broker)
    send(s, controller, partition, epoch, only(broker))
    return True


def has_earlier_to_send(s: Kafka, controller: ControllerEpoch, partition: Partition, epoch: Epoch, broker: Broker) -> bool:
    """A command of an earlier epoch waits in the same queue (C6)."""
    for earlier in range(s.config.epochs):
        if earlier < epoch and contains(s.command[partition][earlier].unsent[controller], broker):
            return True
    return False
