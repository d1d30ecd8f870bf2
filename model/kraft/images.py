"""A broker applies the log of metadata (KR1): several changes at once are one delta, compared with the last image alone.

What lay between is not seen: a broker that led, and leads again after another one, is a leader in a new epoch.

Kafka: MetadataLoader.handleCommit, BrokerMetadataPublisher.onMetadataUpdate, TopicDelta.localChanges, ReplicaManager.applyDelta.
"""

from ..broker.become_follower import follow, stand_by
from ..broker.become_leader import serve
from ..broker.high_watermark import advance_high_watermark
from ..broker.roles import delete_replica, forget_isr_write
from ..fetching import leads
from ..kraft_choices import KnownNews, OlderNews
from ..members import NO_BROKER, contains
from ..vocabulary import Broker, Brokers, Epoch, Partition, Version
from .state import Kraft
from .topics import delete_earlier_topic, has_topic


def apply_metadata(s: Kraft, broker: Broker, change: int) -> bool:
    """A broker applies one change more than `change`, of those that it has yet to apply, as one delta.

    Design: KIP-631 (KR1).   Kafka: ReplicaManager.applyDelta.
    Modifies: metadata, produce_request, replica, isr_write, fetch_request, fetch_response, late_response, history.
    Reads: metadata (the log, which it has fetched).
    """
    log = s.metadata[0]
    to = log.applied[broker] + change + 1
    if not s.broker[broker].up:
        return False
    if to > log.length:
        return False

    for partition in range(s.config.partitions):
        old = log.change[log.applied[broker]].image[partition].version
        new = log.change[to].image[partition]
        if new.version != old and is_replica(s, partition, broker, to) and has_topic(s, partition, to):
            if s.config.recreations > 0:
                delete_earlier_topic(s, partition, broker)
            obey_image(s, partition, broker, new.leader, new.leader_epoch, new.version, new.isr)
        if s.config.reassignments > 0:
            leave_removed(s, partition, broker, to)
    log.applied[broker] = to
    return True


def is_replica(s: Kraft, partition: Partition, broker: Broker, change: int) -> bool:
    """The broker holds a replica, as the log says with this change."""
    if s.config.reassignments == 0:
        return contains(s.zookeeper.assigned[partition], broker)
    return contains(s.metadata[0].change[change].image[partition].replicas[0], broker)


def leave_removed(s: Kraft, partition: Partition, broker: Broker, change: int) -> None:
    """A replica that the log has removed is deleted, and a leader forgets those that are not there with this change (KR7).

    One that was removed and added again within the delta stays, and nobody forgets it.

    Kafka: TopicDelta.localChanges, Partition.updateAssignmentAndIsr.
    """
    for follower in range(s.config.members):
        if not is_replica(s, partition, follower, change):
            s.replica[partition][broker].fetched_to[follower] = 0
    if s.replica[partition][broker].exists and not is_replica(s, partition, broker, change):
        delete_replica(s, partition, broker)


def obey_image(
    s: Kraft, partition: Partition, broker: Broker, leader: Broker, epoch: Epoch, version: Version, isr: Brokers
) -> None:
    """The partition has changed, as far as the log was applied.

    An answer to AlterPartition may have come before: what is older than that is skipped, since 3.3 (KAFKA-13790). In the epoch
    that a follower knows nothing changes for it.

    Kafka: Partition.makeLeader, Partition.makeFollower.
    """
    me = s.replica[partition][broker]
    if leader == broker and leads(s, partition, broker) and me.leader_epoch == epoch:
        if version >= me.zk_version or s.config.older_news is OlderNews.TAKEN:
            update_isr(s, partition, broker, version, isr)
    elif epoch > me.leader_epoch:
        take_image(s, partition, broker, leader, epoch, version, isr)


def update_isr(s: Kraft, partition: Partition, broker: Broker, version: Version, isr: Brokers) -> None:
    """The leader's ISR is what the log says. What it has asked for since an answer brought the same is on its way.

    Kafka: Partition.updateAssignmentAndIsr.
    """
    me = s.replica[partition][broker]
    if version > me.zk_version or s.config.known_news is KnownNews.FORGETS:
        forget_isr_write(s, partition, broker)
    me.isr = isr
    me.zk_version = version
    advance_high_watermark(s, partition, broker)


def take_image(
    s: Kraft, partition: Partition, broker: Broker, leader: Broker, epoch: Epoch, version: Version, isr: Brokers
) -> None:
    """The broker takes the role that the log gives it.

    Kafka: ReplicaManager.applyLocalLeadersDelta, ReplicaManager.applyLocalFollowersDelta.
    """
    if leader == broker:
        serve(s, partition, broker, epoch, isr, version)
    elif leader == NO_BROKER:
        stand_by(s, partition, broker, epoch)
    else:
        follow(s, partition, broker, epoch, leader)
