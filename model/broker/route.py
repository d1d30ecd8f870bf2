"""Clients find the leader by what is published, and look again when they were wrong (G9).

V3 discussion 6 compares two designs. Clients may read leaderAndISR, which the controller writes before the brokers act on
it: for some time they are sent to a broker that does not lead yet. Or they read a view that is written once the new leader
has answered: for some time they are sent to the old leader.
"""

from ..choices import Routing
from ..controller.memory import is_working
from ..fetching import leads
from ..members import NO_BROKER
from ..state import Kafka
from ..vocabulary import Broker, ControllerEpoch, Partition
from ..zookeeper.watches import has_session


def refresh_leader(s: Kafka, partition: Partition) -> bool:
    """A client got NotLeader, or no answer, and reads again who leads.

    Design: V3 discussion 6, comment C.1 (G9, Q21).   Kafka: DefaultEventHandler, Metadata.requestUpdate.
    Modifies: client[partition].
    Reads: client[partition] (its own memory); broker, replica[partition] (the answer: NotLeader, or no connection);
        zookeeper.leader_and_isr[partition] (what is published).
    """
    if s.config.clients == 0:
        return False
    me = s.client[partition]
    if is_answered(s, partition):
        return False  # Without it, a client also looks again when it was right.
    if me.leader == published_leader(s, partition):
        return False  # it reads the same, and tries again

    me.leader = published_leader(s, partition)
    return True


def is_answered(s: Kafka, partition: Partition) -> int:
    """The broker that the client knows as leader accepts its requests, as the leader or as a zombie."""
    leader = s.client[partition].leader
    if leader == NO_BROKER:
        return False
    return leads(s, partition, leader)  # Without it, a client that got NotLeader asks the same broker for ever.


def published_leader(s: Kafka, partition: Partition) -> Broker:
    """What a client reads now."""
    if s.config.routing is Routing.EXTERNAL_VIEW:
        return s.client[partition].external_view
    return s.zookeeper.leader_and_isr[partition].leader


def publish_view(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The controller has the new leader's answer, and writes the view that clients read.

    Design: V3 discussion 6 (G9, M1).   Kafka: none; the design that V3 decided against.
    Modifies: client[partition].
    Reads: zookeeper.leader_and_isr[partition] (the store); broker, replica[partition] (the leader's response: that it leads in
        the epoch of the command); client[partition].external_view (what it wrote last).
    """
    if s.config.clients == 0 or s.config.routing is not Routing.EXTERNAL_VIEW:
        return False
    if not is_working(s, controller):
        return False
    if not has_session(s, s.controller[controller].host):
        return False
    node = s.zookeeper.leader_and_isr[partition]
    if node.leader == NO_BROKER or s.client[partition].external_view == node.leader:
        return False
    if not leads(s, partition, node.leader) or s.replica[partition][node.leader].leader_epoch < node.leader_epoch:
        return False  # it has not answered. Without it, clients are sent to a broker that does not lead yet.

    s.client[partition].external_view = node.leader
    return True
