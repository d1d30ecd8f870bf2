"""V3 H, partitions are added to a topic and removed from it: each write to the store is a step, in the document's order.

The operator's request is a path of its own (paths 6). For an addition the controller writes a leader and sends the commands
(init_leaders), deletes the request and then updates the topic's path; for a removal it sends StopReplica, deletes the request and
updates the topic's path. Only its memory says how far it has come: a new controller begins from the requests that it finds
(D.8-9). A controller that stops between the last two writes therefore leaves a change half done, without a record of it.
`path_change` = topic-first updates the topic's path before it deletes the request; the change then begins again.
In Kafka there is no request (topic-alone): the operator's tool adds the partition to the topic's path, where the controller finds
it as it finds a new topic (`topic_change`), and no partition is ever removed.

The watch on /brokers/topics stands for those on the two paths of requests, and on the topic's own path, too.
"""

from ..choices import PathChange
from ..history import forget_history
from ..members import NO_BROKER, contains
from ..state import Kafka
from ..vocabulary import Broker, Changing, ControllerEpoch, Partition, Purpose
from ..zookeeper.watches import fire_topics_watch
from ..zookeeper.znodes import delete_assignment, delete_leader_and_isr
from .decide import can_decide, has_epoch_left, leaving_brokers, may_write, publish, send_stop_replica, to_stop
from .placement import first_isr, placement


def request_addition(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """An operator requests, through a path in the store, one more partition for the topic, on the brokers from `broker` on.

    `broker` will be the preferred replica (paths 3). Kafka's tools write the topic's path themselves.

    Design: V3 H, paths 6 (Z6, J1).   Kafka: AddPartitionsCommand of 0.8, AdminUtils.addPartitions.
    Modifies: zookeeper, controller, spent.
    Reads: zookeeper.assigned[partition], zookeeper.adding[partition], zookeeper.leader_and_isr[partition],
        zookeeper.broker_ids (the store, which the operator's tool reads).
    """
    if s.spent.partition_additions >= s.config.partition_additions:
        return False  # budget
    if s.zookeeper.assigned[partition] != 0 or s.zookeeper.leader_and_isr[partition].version != 0:
        return False
    if s.config.path_change is not PathChange.TOPIC_ALONE:
        if s.zookeeper.adding[partition] != 0:
            return False
    if not contains(s.zookeeper.broker_ids, broker):
        return False  # Without it, the ring begins at a broker that is down, and the next one is the first replica.

    s.spent.partition_additions += 1
    if s.config.path_change is PathChange.TOPIC_ALONE:
        s.zookeeper.assigned[partition] = placement(s, broker)
        if s.config.preferred_elections > 0:
            s.zookeeper.preferred[partition] = broker
    else:
        s.zookeeper.adding[partition] = placement(s, broker)
        if s.config.preferred_additions > 0:
            s.zookeeper.adding_preferred[partition] = broker
    fire_topics_watch(s)
    return True


def request_removal(s: Kafka, partition: Partition) -> bool:
    """An operator requests that a partition be removed, with everything in it.

    Design: V3 H, paths 6 (Z6).   Kafka: none.
    Modifies: zookeeper, controller, history[partition], spent.
    Reads: zookeeper.assigned[partition], zookeeper.removing[partition] (the store, which the operator's tool reads).
    """
    if s.spent.partition_removals >= s.config.partition_removals:
        return False  # budget
    if s.zookeeper.assigned[partition] == 0:
        return False
    if s.zookeeper.removing[partition]:
        return False

    s.spent.partition_removals += 1  # Without it, partitions bound the number of removals.
    s.zookeeper.removing[partition] = 1
    forget_history(s, partition)  # Without it, properties still see the history; nothing else reads it.
    fire_topics_watch(s)
    return True


def note_changes(s: Kafka, controller: ControllerEpoch) -> None:
    """Read both paths, and begin what is not in progress (H.1, D.8-9)."""
    me = s.controller[controller]
    if s.config.changing_partitions > 0:
        for partition in range(s.config.partitions):
            if me.changing[partition] is Changing.NOT_CHANGING:
                if s.zookeeper.adding[partition] != 0:
                    me.changing[partition] = Changing.TO_ADD
                    me.added[partition] = s.zookeeper.adding[partition]
                    if s.config.preferred_additions > 0:
                        me.added_preferred[partition] = s.zookeeper.adding_preferred[partition]
                elif s.zookeeper.removing[partition]:
                    me.changing[partition] = Changing.TO_REMOVE


def init_added(s: Kafka, controller: ControllerEpoch, partition: Partition, broker: Broker) -> bool:
    """The controller gives an added partition its first leader and ISR, live brokers of those that will hold it.

    If its predecessor has done so, it continues.

    Design: V3 H, on_partitions_add 1-2 (H1, B1).   Kafka: KafkaController.onNewPartitionCreation.
    Modifies: zookeeper.leader_and_isr[partition], controller[controller], decision[partition][controller], command[partition].
    Reads: broker (who has asked to be shut down: its requests); zookeeper.leader_and_isr[partition],
        zookeeper.assigned[partition], zookeeper.reassigned[partition] (the store); zookeeper.controller_epoch (the store checks
        it within the write, Z9); command[partition] (what an epoch's command said of the replicas stays).
    """
    if s.config.changing_partitions == 0:
        return False
    if not can_decide(s, controller, partition):
        return False
    me = s.controller[controller]
    if me.changing[partition] is not Changing.TO_ADD:
        return False
    live = me.live & ~leaving_brokers(s)
    if not contains(me.added[partition] & live, broker):
        return False
    if s.zookeeper.leader_and_isr[partition].version == 0 and not has_epoch_left(s, partition):
        return False

    me.changing[partition] = Changing.TO_DELETE_REQUEST
    if s.zookeeper.leader_and_isr[partition].version == 0:
        isr = first_isr(s, me.added[partition], live)
        publish(s, controller, partition, broker, isr, Purpose.ELECTION)  # Without it, it has no leader.
    return True


def stop_removed(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The controller sends StopReplica to the brokers that hold a partition which is to be removed.

    Design: V3 H, on_partitions_remove 1-2 (H2, C6).   Kafka: none.
    Modifies: controller[controller], command[partition].
    Reads: zookeeper.assigned[partition] (the store); zookeeper.controller_epoch (whether it was replaced).
    """
    if s.config.changing_partitions == 0:
        return False
    me = s.controller[controller]
    if me.changing[partition] is not Changing.TO_REMOVE:
        return False
    if not may_write(s, controller):
        return False

    me.changing[partition] = Changing.TO_DELETE_REQUEST
    send_stop_replica(  # Without it, the replicas of the partition stay where they are; no property checks them.
        s, controller, partition, to_stop(s, controller, s.zookeeper.assigned[partition])
    )
    return True


def delete_change_request(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The request's path is deleted: in V3 before the topic's path is updated, else as the last write.

    Design: V3 H, on_partitions_add 3, on_partitions_remove 3 (H1, H2, Z6).   Kafka: none.
    Modifies: zookeeper, controller[controller].
    Reads: zookeeper.controller_epoch (the store checks it within the write, Z9).
    """
    if s.config.changing_partitions == 0:
        return False
    me = s.controller[controller]
    due = Changing.TO_UPDATE_TOPIC
    if s.config.path_change is PathChange.REQUEST_FIRST:
        due = Changing.TO_DELETE_REQUEST
    if me.changing[partition] != due:
        return False
    if not may_write(s, controller):
        return False

    s.zookeeper.adding[partition] = 0
    if s.config.preferred_additions > 0:
        s.zookeeper.adding_preferred[partition] = NO_BROKER
    s.zookeeper.removing[partition] = 0
    go_on_changing(s, controller, partition)
    return True


def update_topic_path(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The topic's path gets the added partition, or loses the removed one, and with it what hangs on it.

    Design: V3 H, on_partitions_add 4, on_partitions_remove 4 (H1, H2, Z3).   Kafka: AdminUtils.addPartitions.
    Modifies: zookeeper, controller[controller].
    Reads: zookeeper.controller_epoch (the store checks it within the write, Z9).
    """
    if s.config.changing_partitions == 0:
        return False
    me = s.controller[controller]
    due = Changing.TO_DELETE_REQUEST
    if s.config.path_change is PathChange.REQUEST_FIRST:
        due = Changing.TO_UPDATE_TOPIC
    if me.changing[partition] != due:
        return False
    if not may_write(s, controller):
        return False

    me.known[partition] = me.added[partition] != 0
    if me.added[partition] == 0:
        delete_assignment(s, partition)
        delete_leader_and_isr(s, partition)
    else:
        s.zookeeper.assigned[partition] = me.added[partition]
        if s.config.preferred_additions > 0:
            s.zookeeper.preferred[partition] = me.added_preferred[partition]
    go_on_changing(s, controller, partition)
    return True


def go_on_changing(s: Kafka, controller: ControllerEpoch, partition: Partition) -> None:
    """One of the last two writes is done; after the second nothing is remembered."""
    me = s.controller[controller]
    if me.changing[partition] is Changing.TO_DELETE_REQUEST:
        me.changing[partition] = Changing.TO_UPDATE_TOPIC
    else:
        me.changing[partition] = Changing.NOT_CHANGING
        me.added[partition] = 0
        if s.config.preferred_additions > 0:
            me.added_preferred[partition] = NO_BROKER
