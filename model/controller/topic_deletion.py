"""V3 B.2, a topic is deleted, and perhaps created again under the same name (B2, Q14).

V3 sends StopReplica to the brokers that it knows as live, and requires no confirmation. It does not mention the znodes. Here
they are deleted in one step (`deletion` = at-once); or leaderAndISR before the topic's path, as in a recursive deletion
(node-by-node); or as in Kafka since 0.8.1 (confirmed, KAFKA-330): the operator makes a request, and the controller deletes the
nodes when every replica has confirmed StopReplica. Until then the name is taken and no leader is elected. A confirmation
arrives in the step that makes it.
"""

from ..choices import Deletion
from ..history import forget_history, remember_creation
from ..members import NO_BROKER, contains, subset
from ..state import Kafka
from ..vocabulary import Broker, Brokers, ControllerEpoch, Partition
from ..zookeeper.watches import fire_topics_watch
from ..zookeeper.znodes import delete_assignment, delete_leader_and_isr, delete_reassignment
from .decide import may_write, send_stop_replica
from .placement import placement


def delete_topic(s: Kafka, partition: Partition) -> bool:
    """An operator deletes the partition: its assignment, its leaderAndISR, and everything that it promised.

    With deletion = node-by-node this is the first step, which the controller does not see; with confirmed it is a request.

    Design: V3 B.2 (B2).   Kafka: AdminUtils.deleteTopic.
    Modifies: zookeeper, controller, history[partition], spent.
    Reads: zookeeper.assigned[partition], zookeeper.reassigned[partition], zookeeper.deleting[partition] (the store, which the
        operator's tool reads).
    """
    if s.spent.topic_deletions >= s.config.topic_deletions:
        return False  # budget
    if s.zookeeper.assigned[partition] == 0:
        return False
    if is_deleting(s, partition):
        return False
    if s.config.confirming_partitions > 0 and s.config.reassignments > 0:
        if s.zookeeper.reassigned[partition] != 0:
            return False  # Without it, the deletion does not wait until the move has ended.

    s.spent.topic_deletions += 1
    if s.config.deletion is Deletion.CONFIRMED:
        s.zookeeper.deleting[partition] = 1
        fire_topics_watch(s)
    else:
        delete_leader_and_isr(s, partition)
        forget_history(s, partition)  # Without it, properties still see the history, and count what was deleted as committed.
        if s.config.deletion is Deletion.NODE_BY_NODE:
            s.zookeeper.deleting[partition] = 1
        else:
            delete_topic_nodes(s, partition)
    return True


def delete_topic_path(s: Kafka, partition: Partition) -> bool:
    """The operator's tool deletes the topic's path, and first what a controller has written below it in the meantime.

    Design: V3 B.2, paths 3-4 (B2).   Kafka: AdminUtils.deleteTopic, ZkClient.deleteRecursive.
    Modifies: zookeeper, controller.
    Reads: zookeeper.deleting[partition], zookeeper.leader_and_isr[partition] (the store, and where the tool has come to).
    """
    if s.config.topic_deletions == 0:
        return False
    if s.config.deletion is not Deletion.NODE_BY_NODE:
        return False
    if not is_deleting(s, partition):
        return False  # Without it, the tool deletes a topic whose deletion has not begun.

    if s.zookeeper.leader_and_isr[partition].version != 0:
        delete_leader_and_isr(s, partition)  # ZooKeeper deletes no node that has children
    else:
        s.zookeeper.deleting[partition] = 0
        delete_topic_nodes(s, partition)
    return True


def finish_topic_deletion(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """Every replica has confirmed its deletion: the controller deletes the topic's nodes, and the name is free.

    Design: none; Q14, B2.   Kafka: TopicDeletionManager.completeDeleteTopic.
    Modifies: zookeeper, controller, history[partition].
    Reads: zookeeper.assigned[partition] (the store); zookeeper.controller_epoch (the store checks it within the write, Z9).
    """
    if s.config.confirming_partitions == 0:
        return False
    me = s.controller[controller]
    if not me.ending[partition]:
        return False
    if not may_write(s, controller):
        return False
    if not subset(s.zookeeper.assigned[partition], me.stopped[partition]):
        return False

    s.zookeeper.deleting[partition] = 0
    me.ending[partition] = 0
    me.stopped[partition] = 0
    me.known[partition] = 0
    delete_leader_and_isr(s, partition)
    forget_history(s, partition)
    delete_topic_nodes(s, partition)
    return True


def is_deleting(s: Kafka, partition: Partition) -> bool:
    """The deletion of the topic has begun and has not ended."""
    return s.config.deleting_partitions > 0 and s.zookeeper.deleting[partition] == 1


def delete_topic_nodes(s: Kafka, partition: Partition) -> None:
    """Delete the topic's path and everything that depends on it."""
    delete_assignment(s, partition)
    delete_reassignment(s, partition)  # Without it, the request outlives its topic; nothing acts on it.
    fire_topics_watch(s)


def note_deletions(s: Kafka, controller: ControllerEpoch) -> None:
    """Read which topics are to be deleted, and send StopReplica to their replicas."""
    if s.config.confirming_partitions > 0:
        for partition in range(s.config.partitions):
            s.controller[controller].ending[partition] = s.zookeeper.deleting[partition]
    stop_deleted(s, controller, s.controller[controller].live)


def stop_deleted(s: Kafka, controller: ControllerEpoch, brokers: Brokers) -> None:
    """Send StopReplica to the replicas on `brokers` of topics that are to be deleted, and await their confirmation.

    An earlier confirmation of a failed or new broker is void, because the broker starts from the store.
    """
    if s.config.confirming_partitions > 0:
        me = s.controller[controller]
        for partition in range(s.config.partitions):
            me.stopped[partition] = me.stopped[partition] & me.live & ~brokers
            if me.ending[partition]:
                send_stop_replica(s, controller, partition, s.zookeeper.assigned[partition] & brokers)


def create_topic_again(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """An operator creates a deleted topic again, under the same name: leader epochs and versions begin anew.

    Replicas are placed on live brokers only; V3's claim that no old record returns relies on this. A controller that
    has not read since the deletion sees the same names as before. What is in flight for the old topic stays in
    flight; what a controller had yet to send counts as never sent, since otherwise it could have been sent before.

    Design: V3 discussion 5, B, paths 3 (Q14, J1, Z3, N7).   Kafka: AdminUtils.createTopic.
    Modifies: zookeeper, controller, replica[partition], command[partition], earlier_command[partition], history[partition],
        generation[partition], spent.
    Reads: zookeeper.assigned[partition], zookeeper.broker_ids (the store, which the operator's tool reads); command[partition]
        (what is on its way is set apart); replica[partition] (a name for the id that each directory has: nobody learns of it).
    """
    if s.spent.topic_recreations >= s.config.topic_recreations:
        return False  # budget
    if s.zookeeper.assigned[partition] != 0:
        return False  # the name is taken
    if not contains(s.zookeeper.broker_ids, broker):
        return False  # Without it, the ring begins at a broker that is down, and the next one is the first replica.

    s.spent.topic_recreations += 1
    s.zookeeper.assigned[partition] = placement(s, broker)
    if s.config.preferred_elections > 0:
        s.zookeeper.preferred[partition] = broker
    mark_earlier_logs(s, partition)
    set_commands_apart(s, partition)  # Without it, messages in flight for the old topic are lost.
    remember_creation(s, partition)
    fire_topics_watch(s)
    return True


def mark_earlier_logs(s: Kafka, partition: Partition) -> None:
    """What is on a disk by now has the id of the deleted topic: directories have one since 2.8 (KIP-516, N7)."""
    if s.config.topic_id_marks:
        for broker in range(s.config.members):
            if s.replica[partition][broker].exists:
                s.replica[partition][broker].earlier_topic = 1


def set_commands_apart(s: Kafka, partition: Partition) -> None:
    """Set commands about the deleted topic apart from those about the new one, whose epochs begin at 0 again."""
    for epoch in range(s.config.epochs):
        command = s.command[partition][epoch]
        earlier = s.earlier_command[partition][epoch]
        earlier.leader = command.leader
        earlier.isr = command.isr
        earlier.zk_version = command.zk_version
        earlier.moved = command.moved
        command.leader = NO_BROKER
        command.isr = 0
        command.zk_version = 0
        command.moved = 0
        for controller in range(s.config.news_controllers):
            command.early[controller] = 0
        for controller in range(s.config.controllers):
            earlier.sent[controller] = command.sent[controller]
            command.sent[controller] = 0
            command.unsent[controller] = 0
        for controller in range(s.config.connections):
            earlier.overtaken[controller] = command.overtaken[controller]
            command.overtaken[controller] = 0
