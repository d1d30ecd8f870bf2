"""V3 B, on_topic_change: partitions are created, and the controller reads which exist. Deletion: `topic_deletion`."""

from ..choices import Beginning
from ..members import NO_BROKER, contains, everyone
from ..state import Kafka
from ..vocabulary import Broker, ControllerEpoch, Partition, Purpose
from ..zookeeper.watches import fire_topics_watch, has_session, see_event
from .decide import can_decide, has_epoch_left, leaving_brokers, publish, send_stop_replica, to_stop
from .memory import is_free
from .partition_change import note_changes
from .placement import first_isr, placement
from .topic_deletion import note_deletions


def create_topic(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """An operator creates the partition on the live brokers, from `broker` on: it is the preferred replica.

    Replicas are placed on live brokers only, at most one each (Q14).

    Design: V3 B, paths 3; ZH placement (B1, J1, Z3).   Kafka: AdminUtils.assignReplicasToBrokers.
    Modifies: zookeeper, controller.
    Reads: zookeeper.assigned[partition], zookeeper.leader_and_isr[partition], zookeeper.broker_ids (the store, which the
        operator's tool reads).
    """
    if s.config.start is not Beginning.EMPTY:
        return False
    if s.zookeeper.assigned[partition] != 0:
        return False
    if s.zookeeper.leader_and_isr[partition].version != 0:
        return False
    if s.spent.topic_deletions > 0:
        return False  # a deleted topic is not created again here
    if not contains(s.zookeeper.broker_ids, broker):
        return False  # Without it, the ring begins at a broker that is down, and the next one is the first replica.

    s.zookeeper.assigned[partition] = placement(s, broker)
    if s.config.preferred_elections > 0:
        s.zookeeper.preferred[partition] = broker
    fire_topics_watch(s)
    return True


def see_topic_change(s: Kafka, controller: ControllerEpoch) -> bool:
    """The watch on /brokers/topics fired: new partitions await a leader, deleted ones are stopped.

    Design: V3 B.1-2 (B1, B2, M6, Z8).   Kafka: PartitionStateMachine.TopicChangeListener.
    Modifies: controller, broker, command.
    Reads: zookeeper.assigned, zookeeper.deleting, zookeeper.adding, zookeeper.adding_preferred, zookeeper.removing (the store:
        the children of /brokers/topics, and of the paths of requests).
    """
    me = s.controller[controller]
    if not is_free(s, controller):
        return False
    if me.topics_watch != 1:
        return False
    if not has_session(s, me.host):
        return False  # Without it, a controller reads after its session; what it does next needs a session.

    see_event(s, me.host)
    for partition in range(s.config.partitions):
        if s.zookeeper.assigned[partition] != 0:
            if s.config.vanishing_partitions > 0 and not me.known[partition]:
                me.fresh[partition] = 1
            me.known[partition] = 1
        elif me.known[partition]:
            me.known[partition] = 0
            if s.config.vanishing_partitions > 0:
                me.fresh[partition] = 0
            send_stop_replica(s, controller, partition, to_stop(s, controller, everyone(s.config.members)))
    note_deletions(s, controller)
    note_changes(s, controller)
    return True


def init_leader(s: Kafka, controller: ControllerEpoch, partition: Partition, broker: Broker) -> bool:
    """The controller gives a new partition its first leader: a live replica, and all live ones as ISR.

    Nothing was written yet, so no replica lacks anything. In V3 a new controller also does this for partitions without a
    leader (D.6); their ISR then no longer says which replicas have what was committed.

    Design: V3 B, init_leaders; ZH has ISR = AR (B1).   Kafka: PartitionStateMachine.initializeLeaderAndIsrForPartition.
    Modifies: zookeeper.leader_and_isr[partition], controller[controller], decision[partition][controller], command[partition].
    Reads: broker (who has asked to be shut down: its requests); zookeeper.leader_and_isr[partition],
        zookeeper.assigned[partition], zookeeper.reassigned[partition] (the store, as it decides, A.3.1);
        zookeeper.controller_epoch (the store checks it within the write, Z9); command[partition] (what an epoch's command said
        of the replicas stays).
    """
    if not can_decide(s, controller, partition):
        return False  # Without it, it is elected while another event is handled.
    me = s.controller[controller]
    if not me.known[partition]:
        return False
    if s.zookeeper.leader_and_isr[partition].version != 0 and not is_unled(s, controller, partition):
        return False  # the creation of an existing node fails
    if s.config.vanishing_partitions > 0 and not me.fresh[partition]:
        return False  # what was there before is not new, though its node is gone. Without it, it gets a leader again.
    if not has_epoch_left(s, partition):
        return False
    live = me.live & ~leaving_brokers(s)
    if not contains(s.zookeeper.assigned[partition] & live, broker):
        return False

    if s.config.unled_partitions > 0:
        me.unled[partition] = 0
    if s.config.vanishing_partitions > 0:
        me.fresh[partition] = 0
    publish(s, controller, partition, broker, first_isr(s, s.zookeeper.assigned[partition], live), Purpose.ELECTION)
    return True


def is_unled(s: Kafka, controller: ControllerEpoch, partition: Partition) -> int:
    """The controller found the partition without a leader when it was elected, and it still has none (D.6)."""
    if s.config.unled_partitions == 0:
        return False
    return s.controller[controller].unled[partition] and s.zookeeper.leader_and_isr[partition].leader == NO_BROKER
