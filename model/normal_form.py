"""Merges states whose differences can never matter again, so that exploration visits one of them.

Every clause is a bisimulation: the two states have the same steps, up to what is forgotten, and no
property reads it. Tests explore with and without.
"""

from .choices import CommandOrder, Compaction, StartUp, Store
from .members import NO_BROKER, excluding
from .state import Kafka
from .vocabulary import Broker, Epoch, Partition, Version


def normalise(s: Kafka) -> None:
    """Rewrite a state to the representative of those that behave alike."""
    for partition in range(s.config.partitions):
        forget_stale_versions(s, partition)
        forget_stale_commands(s, partition)
        forget_checkpoints(s, partition)
        forget_early(s, partition)
    forget_news(s)


def forget_early(s: Kafka, partition: Partition) -> None:
    """A command that is neither on its way nor to be sent came neither before nor after other news (N9)."""
    for epoch in range(s.config.epochs):
        command = s.command[partition][epoch]
        for controller in range(s.config.news_controllers):
            command.early[controller] = command.early[controller] & (command.sent[controller] | command.unsent[controller])


def forget_news(s: Kafka) -> None:
    """What a controller has said of who lives, to nobody any more."""
    for controller in range(s.config.news_controllers):
        me = s.controller[controller]
        if me.naming[0] == 0:
            me.named_live[0] = 0


def forget_stale_versions(s: Kafka, partition: Partition) -> None:
    """A version is only compared with the node's own, and a stale one stays stale for ever (Z4).

    If the node may be deleted and created again, its versions begin again (Q14), and none is forgotten. A new controller also
    creates the node of a partition of which only the topic's path is left (B2).
    """
    if s.config.renewed_nodes:
        return
    node = s.zookeeper.leader_and_isr[partition]
    for broker in range(s.config.members):
        me = s.replica[partition][broker]
        me.zk_version = is_current(me.zk_version, node.version)
    for epoch in range(s.config.epochs):
        command = s.command[partition][epoch]
        command.zk_version = is_current(command.zk_version, node.version)
    if s.config.watched_moves > 0:
        for controller in range(s.config.controllers):
            read = s.controller[controller].isr_read
            read[partition] = is_current(read[partition], node.version)
    if s.config.store is Store.ANSWERED:
        for controller in range(s.config.controllers):
            request = s.decision[partition][controller]
            request.version = is_current(request.version, node.version)
        for broker in range(s.config.members):
            write = s.isr_write[partition][broker]
            write.version = is_current(write.version, node.version)
    if s.config.starting_partitions > 0:
        for broker in range(s.config.members):
            start = s.start[partition][broker]
            start.version = is_current(start.version, node.version)
    node.version = min(node.version, 1)


def is_current(version: Version, present: int) -> int:
    """1 when the version is the node's present one, else 0; so is 0, which stands for no version."""
    if version > 0 and version == present:
        return 1
    return 0


def forget_stale_commands(s: Kafka, partition: Partition) -> None:
    """A command that no broker can obey any more is forgotten (C5).

    A replica's epoch decreases in a crash, and the start that follows reads an epoch from the store that is at
    least as large, unless it is not one step; and when it is deleted. While that can happen nothing is forgotten. With broker
    epochs a start drops all that was sent before (R6).
    """
    if s.config.stale_commands or may_be_deleted(s, partition):
        return
    if s.config.stops > 0 and s.config.start_up is not StartUp.AT_ONCE and not s.config.broker_epochs:
        return
    for epoch in range(s.config.epochs):
        command = s.command[partition][epoch]
        awaited = 0
        for controller in range(s.config.controllers):
            for broker in range(s.config.members):
                if can_never_obey(s, partition, broker, epoch):
                    command.sent[controller] = excluding(command.sent[controller], broker)
                    if s.config.command_order is not CommandOrder.PER_CONNECTION:
                        command.unsent[controller] = excluding(command.unsent[controller], broker)
                    else:  # what is yet to be sent keeps its place in the queue
                        command.overtaken[controller] = excluding(command.overtaken[controller], broker)
            awaited = awaited | command.sent[controller] | command.unsent[controller]
        if awaited == 0:
            command.leader = NO_BROKER
            command.isr = 0
            command.zk_version = 0


def may_be_deleted(s: Kafka, partition: Partition) -> bool:
    """A StopReplica or an INIT that does not name the partition is in flight, or may be later.

    A broker that starts deletes a replica of a partition that is being added, and is not in the topic's path yet (E2, H1).
    """
    if s.config.topic_deletions > 0 or s.config.reassignments > 0 or s.config.changing_partitions > 0:
        return True
    for controller in range(s.config.controllers):
        me = s.controller[controller]
        if me.init_sent & ~me.init_names[partition] != 0:
            return True
    return False


def can_never_obey(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch) -> int:
    """The replica is in a later epoch, or will be as soon as its broker starts."""
    if s.broker[broker].up:
        return epoch <= s.replica[partition][broker].leader_epoch
    return s.config.broker_epochs or epoch <= s.zookeeper.leader_and_isr[partition].leader_epoch


def forget_checkpoints(s: Kafka, partition: Partition) -> None:
    """Without a crash to come, no step reads the checkpoint or what is flushed (C7), except compaction (M9)."""
    for broker in range(s.config.members):
        me = s.replica[partition][broker]
        if s.spent.crashes >= s.config.crashes and s.config.compaction is not Compaction.BELOW_CHECKPOINT:
            me.checkpoint = 0
            me.no_checkpoint = 0
        if s.spent.power_losses >= s.config.power_losses or s.spent.crashes >= s.config.crashes:
            me.flushed = 0
