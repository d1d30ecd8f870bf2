"""Controlled shutdown, the controller's part: it moves the leaderships of a broker away before the broker stops (M3).

In V3 a broker stops, its session ends, and only then the controller elects others (discussion 1). Here the broker asks
until some controller answers, so its request is the broker's own variable, which every controller sees.
The controller elects others before the broker stops, and does not rely on it until it sees it start.

Kafka also sends StopReplica, without deletion, so that the broker fetches no more and cannot come back into an ISR. V3's
StopReplica deletes the directory, and would cost a copy at each restart, so it is not sent here. A broker may therefore stop
as a member of the ISR again; the leader then removes it.
"""

from ..members import NO_BROKER, contains
from ..state import Kafka
from ..vocabulary import Broker, ControllerEpoch, Partition, Purpose
from .decide import can_decide, has_epoch_left, leaving_brokers, publish, staying_members


def move_leader_away(s: Kafka, controller: ControllerEpoch, partition: Partition, broker: Broker) -> bool:
    """The controller elects a member of the ISR that stays, and removes those that shut down from the ISR.

    A leader that stays keeps its role. Without such a member nothing is moved: the broker's leadership ends when it stops.

    Design: ZH, channels to brokers; V3 discussion 1 (M3, A2).   Kafka: KafkaController.shutdownBroker.
    Modifies: zookeeper.leader_and_isr[partition], controller[controller], decision[partition][controller], command[partition].
    Reads: broker (who has asked to be shut down: its requests); zookeeper.leader_and_isr[partition],
        zookeeper.assigned[partition], zookeeper.reassigned[partition] (the store, as it decides, A.3.1);
        zookeeper.controller_epoch (the store checks it within the write, Z9); command[partition] (what an epoch's command said
        of the replicas stays).
    """
    if s.config.controlled_shutdowns == 0:
        return False  # switched off
    if not can_decide(s, controller, partition):
        return False
    if not has_epoch_left(s, partition):
        return False
    node = s.zookeeper.leader_and_isr[partition]
    if node.leader == NO_BROKER:
        return False
    if node.isr & leaving_brokers(s) == 0:
        return False  # nothing to move
    staying = staying_members(s, controller, partition)
    if not contains(staying, broker):
        return False  # a clean election
    if contains(staying, node.leader) and node.leader != broker:
        return False  # the leader stays

    publish(s, controller, partition, broker, staying, Purpose.ELECTION)
    return True
