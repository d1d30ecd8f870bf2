"""A topic is deleted, and created again under its name: what brokers do with what they have of the earlier one (KIP-516, KR7).

Every request about a partition names its topic's id, so none of the earlier topic reaches the new one. Here the new topic numbers
on: its first leader epoch and partition epoch follow the earlier one's, where Kafka begins at 0 under another id. What brokers do
for the earlier topic until they hear of the deletion is left out; its directories are not.
"""

from ..broker.roles import delete_directory, delete_replica
from ..history import forget_history
from ..kraft_choices import StrayReplica
from ..members import NO_BROKER, contains
from ..vocabulary import Broker, Partition
from ..zookeeper.znodes import write_leader_and_isr
from .quorum import append_change, electable, has_room
from .state import Kraft


def recreate_topic(s: Kraft, partition: Partition, leader: Broker) -> bool:
    """An operator deletes a topic and creates it again, on the same brokers: whoever is active is in the ISR, and one leads.

    Both are one change. An answer to a fetch for the earlier topic finds an empty log, whose fetcher has yet to begin: it is
    dropped. Up to 3.2 AlterPartition names the topic and not its id; that the controller takes one for the other is left out.

    Design: KIP-516 (KR7, N7).   Kafka: ReplicationControlManager.deleteTopic, ReplicationControlManager.createTopic.
    Modifies: zookeeper.leader_and_isr[partition], metadata, replica[partition], isr_write[partition], produce_request[partition],
        fetch_request[partition], fetch_response[partition], late_response[partition], history[partition], spent.
    Reads: zookeeper, metadata (the log, which the controller writes); replica[partition] (whose directory is the earlier topic's
        from now on: nobody learns of it).
    """
    if s.spent.recreations >= s.config.recreations:
        return False  # budget
    isr = s.zookeeper.assigned[partition] & electable(s)
    if not contains(isr, leader):
        return False
    if contains(isr, s.zookeeper.preferred[partition]) and leader != s.zookeeper.preferred[partition]:
        return False  # Without it, another replica than the first may lead.
    if s.zookeeper.leader_and_isr[partition].leader_epoch >= s.config.max_epoch:
        return False  # bound of the exploration
    if not has_room(s):
        return False

    s.spent.recreations += 1
    for broker in range(s.config.members):
        leave_earlier_topic(s, partition, broker)
    forget_history(s, partition)
    write_leader_and_isr(s, partition, leader, s.zookeeper.leader_and_isr[partition].leader_epoch + 1, isr)
    if s.config.eligible_partitions > 0:
        s.metadata[0].elr[partition] = 0
        s.metadata[0].last_leader[partition] = NO_BROKER
    append_change(s, 0)
    s.metadata[0].born_at[partition] = s.metadata[0].length
    return True


def leave_earlier_topic(s: Kraft, partition: Partition, broker: Broker) -> None:
    """Nothing is left of the earlier topic at this broker but a directory with its id."""
    had = s.replica[partition][broker].exists
    delete_replica(s, partition, broker)
    s.replica[partition][broker].exists = had
    s.replica[partition][broker].earlier_topic = had


def has_topic(s: Kraft, partition: Partition, change: int) -> bool:
    """With this change the log has the topic that it has at its end: what it says of an earlier one is left out."""
    return s.config.recreations == 0 or change >= s.metadata[0].born_at[partition]


def delete_earlier_topic(s: Kraft, partition: Partition, broker: Broker) -> None:
    """A broker that hears of the deletion deletes the directory, as it starts too.

    Kafka: ReplicaManager.stopPartitions, LogManager.deleteStrayKRaftReplicas.
    """
    if s.replica[partition][broker].earlier_topic:
        delete_directory(s, partition, broker)


def is_blocked(s: Kraft, partition: Partition, broker: Broker) -> bool:
    """As the broker starts, the earlier topic's directory is in the way of the new one's replica, up to 3.6 (KAFKA-14616).

    Kafka: BrokerMetadataPublisher.initializeManagers, ReplicaManager.getOrCreatePartition.
    """
    if s.config.recreations == 0 or s.config.stray_replica is not StrayReplica.BLOCKS:
        return False
    return s.replica[partition][broker].earlier_topic == 1  # Without it, no start makes a replica; the next change does.
