"""Words of lemmas: what brokers are told of who leads, and have yet to obey; who has come to an epoch, and who has left it.

Under ZooKeeper a command is a LeaderAndIsr request, one for each epoch, and may be lost. Under KRaft it is a change of the log of
metadata that not all brokers have applied: an epoch can have several, and a broker may pass over some.
"""

from ..model.members import NO_BROKER, contains
from ..model.metadata_log import Image
from ..model.state import Kafka
from ..model.vocabulary import Broker, Epoch, Partition


def image_after(s: Kafka, partition: Partition, change: int) -> Image:
    """What that change says of the partition."""
    return s.metadata[0].change[change + 1].image[partition]


def sent_epoch(s: Kafka, partition: Partition, command: int) -> int:
    """The epoch of the command."""
    if s.config.quorums:
        return image_after(s, partition, command).leader_epoch
    return command


def sent_leader(s: Kafka, partition: Partition, command: int) -> int:
    """Whom the command names as leader."""
    if s.config.quorums:
        return image_after(s, partition, command).leader
    return s.command[partition][command].leader


def sent_isr(s: Kafka, partition: Partition, command: int) -> int:
    """The ISR that the command names."""
    if s.config.quorums:
        return image_after(s, partition, command).isr
    return s.command[partition][command].isr


def is_sent_to(s: Kafka, partition: Partition, broker: Broker, command: int) -> bool:
    """The command may still reach the broker."""
    if s.config.quorums:
        return s.metadata[0].applied[broker] <= command and command < s.metadata[0].length
    for controller in range(s.config.controllers):
        if contains(s.command[partition][command].sent[controller], broker):
            return True
    return False


def is_sent(s: Kafka, partition: Partition, command: int) -> bool:
    """The command may still reach somebody."""
    if s.config.quorums:
        return command < s.metadata[0].length
    for controller in range(s.config.controllers):
        if s.command[partition][command].sent[controller] != 0:
            return True
    return False


def is_awaited(s: Kafka, partition: Partition, command: int) -> bool:
    """The leader that the command names runs, is in an earlier epoch, and may still obey it."""
    leader = sent_leader(s, partition, command)
    if leader == NO_BROKER or not s.broker[leader].up:
        return False
    if s.replica[partition][leader].leader_epoch >= sent_epoch(s, partition, command):
        return False
    return is_sent_to(s, partition, leader, command)


def has_reached(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch) -> bool:
    """The broker is in `epoch` or a later one, or is down: it starts in the published one."""
    return not s.broker[broker].up or s.replica[partition][broker].leader_epoch >= epoch


def has_left(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch) -> bool:
    """The broker fetches nothing more in `epoch`: it is in a later one, or is down and starts in a later one."""
    if s.broker[broker].up:
        return s.replica[partition][broker].leader_epoch > epoch
    return s.zookeeper.leader_and_isr[partition].leader_epoch > epoch


def is_in_or_restarts_in(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch) -> bool:
    """The broker is in `epoch`; or it is down, and starts in that epoch."""
    if s.broker[broker].up:
        return s.replica[partition][broker].leader_epoch == epoch
    return s.zookeeper.leader_and_isr[partition].leader_epoch == epoch


def has_begun(s: Kafka, partition: Partition, epoch: Epoch) -> bool:
    """The leader of this epoch has obeyed, and will not begin to lead in it."""
    node = s.zookeeper.leader_and_isr[partition]
    for command in range(s.config.commands):
        if sent_epoch(s, partition, command) == epoch and is_awaited(s, partition, command):
            return False
    return epoch != node.leader_epoch or (node.leader != NO_BROKER and has_reached(s, partition, node.leader, epoch))
