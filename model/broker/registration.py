"""A broker learns its new registration later than the controller (KAFKA-9839, N3).

The store has the node, and the controller may have seen it, before the answer reaches the broker. By broker epochs (KIP-380) the
broker compares each request with the registration that it knows. Up to 2.5.0 it answers one that names a later registration with
an error, and the controller does not send it again. Since then it obeys. Then it makes no difference when it learns: what was
sent to its earlier registration is refused from the registration on, and was obeyed before. So `unknown_registration = obeyed`
has no such steps. A process that has just started knows its registration before it takes requests.
"""

from ..controller.connections import forget_sent
from ..members import contains, excluding
from ..state import Kafka
from ..vocabulary import Broker, ControllerEpoch, Epoch, Partition
from ..zookeeper.sessions import awaits_registration


def learn_registration(s: Kafka, broker: Broker) -> bool:
    """The answer of the store reaches the broker: it knows its registration, and obeys what names it.

    Design: none; ZooKeeper's contract (N3, R6, Z12).   Kafka: KafkaController.processRegisterBrokerAndReelect.
    Modifies: broker[broker].
    """
    if not awaits_registration(s, broker):
        return False

    s.broker[broker].registering = 0
    return True


def refuse_unknown_command(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch, controller: ControllerEpoch) -> bool:
    """A broker answers a LeaderAndIsr request for a registration that it does not know with an error; it is not sent again.

    Design: none; a bug (N3, R6).   Kafka: KafkaApis.isBrokerEpochStale (2.2.0 to 2.5.0; KAFKA-9839).
    Modifies: command[partition][epoch].
    """
    if not awaits_registration(s, broker):
        return False
    command = s.command[partition][epoch]
    if not contains(command.sent[controller], broker):
        return False

    forget_sent(s, command, broker, controller)
    return True


def refuse_unknown_stop(s: Kafka, partition: Partition, broker: Broker, controller: ControllerEpoch) -> bool:
    """A broker answers StopReplica for a registration that it does not know with an error: nothing is deleted or confirmed.

    Design: none; a bug (N3, R6).   Kafka: KafkaApis.isBrokerEpochStale (2.2.0 to 2.5.0; KAFKA-9839).
    Modifies: controller[controller].stopping.
    Reads: controller[controller].stopping (the request on its way).
    """
    if not awaits_registration(s, broker):
        return False  # Without it, a request is refused that could be obeyed.
    me = s.controller[controller]
    if not contains(me.stopping[partition], broker):
        return False

    me.stopping[partition] = excluding(me.stopping[partition], broker)
    return True
