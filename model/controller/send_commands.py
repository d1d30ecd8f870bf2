"""Commands from the controller to brokers, directly (V3 A.4). Late, lost, repeated and overtaken ones are
all there: what is sent stays on its way and may be obeyed at any later time."""

from ..members import contains, excluding, including


def send_command(s, controller, partition, epoch, broker):
    """The controller sends a decision that it has written to one of the brokers concerned.

    Between the write and this step the controller may lose its office, and then it is never sent; the
    next controller sends what is in the store (D2).

    Design: V3 A.4 (A6).   Kafka: ControllerBrokerRequestBatch.sendRequestsToBrokers.
    Modifies: command[partition][epoch].
    """
    command = s.command[partition][epoch]
    if not contains(command.unsent[controller], broker):
        return False

    command.unsent[controller] = excluding(command.unsent[controller], broker)
    command.sent[controller] = including(command.sent[controller], broker)
    return True
