"""Conditions of a fetch, for `broker` and `truncation`: who leads, who fetches from whom, what is accepted, what diverges."""

from .choices import FetchEpoch
from .epoch_cache import end_of_epochs_up_to, largest_epoch_up_to
from .fetch_choices import FetchBeyondEnd
from .log import epoch_named
from .members import contains
from .state import Kafka, Replica
from .truncation.names import Truncation
from .truncation.versions import fences_fetches
from .vocabulary import NO_EPOCH, Broker, Epoch, Offset, Partition, Phase


def leads(s: Kafka, partition: Partition, broker: Broker) -> int:
    """The broker serves as leader of the partition, rightly or as a zombie."""
    return s.broker[broker].up and s.replica[partition][broker].leader == broker


def is_fetching_from(s: Kafka, partition: Partition, follower: Broker, leader: Broker) -> int:
    """The follower's fetcher runs, and against this leader."""
    me = s.replica[partition][follower]
    return s.broker[follower].up and me.phase is Phase.FETCHING and me.leader == leader and not me.failed


def is_taken(s: Kafka, partition: Partition, follower: Broker, leader: Broker) -> bool:
    """The leader would refuse a fetch of this follower neither because of its epochs nor because of its offset."""
    me = s.replica[partition][follower]
    their = s.replica[partition][leader]
    if not is_accepted(s, their, me.leo, epoch_told(s, me, follower, leader), epoch_named(s, me)):
        return False
    return me.leo >= their.log_start  # else out of range: it starts anew


def epoch_told(s: Kafka, me: Replica, follower: Broker, leader: Broker) -> int:
    """The leader epoch that a fetch names; a fetch between different releases names none (T9)."""
    if s.config.truncation is Truncation.MIXED and not fences_fetches(s, follower, leader):
        return NO_EPOCH
    return me.leader_epoch


def known_replicas(s: Kafka, partition: Partition, broker: Broker) -> int:
    """The replicas of the partition, as a leader knows them by the log of metadata that it has applied (KR7)."""
    log = s.metadata[0]
    return log.change[log.applied[broker]].image[partition].replicas[0]


def is_known(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """The leader takes the follower for a replica: of others it answers no fetch. Under ZooKeeper it does not ask here.

    Kafka: Partition.followerReplicaOrThrow.
    """
    if s.config.quorums == 0 or s.config.reassignments == 0:
        return True
    return contains(known_replicas(s, partition, leader), follower)  # Without it, under KRaft, others are answered.


def learns_nothing(me: Replica, their: Replica, follower: Broker) -> bool:
    """The leader knows how far the follower is, and a fetch would bring the follower nothing."""
    if me.leo < their.leo or their.fetched_to[follower] != me.leo or me.log_start < their.log_start:
        return False
    return me.hw == max(min(their.hw, me.leo), me.log_start)


def is_accepted(s: Kafka, leader: Replica, offset: Offset, leader_epoch: Epoch, last_epoch: Epoch) -> bool:
    """The leader answers a fetch with these contents; else it answers with an error.

    Fenced: the request's leader epoch must be the leader's own (T7). From 2.1 to 2.4 Kafka compares only the first fetch of a
    session, and the next one is accepted: no fetch is fenced then (KAFKA-9338).
    Checked: the follower's last record is in the leader's log, by offset and epoch. If retention has deleted it there, only
    the cache can tell; and of a follower that has neither a record nor an epoch nothing is known. Kafka compares caches alone
    (`fetch_epoch`).
    """
    if s.config.fenced_fetches and leader_epoch != NO_EPOCH and leader_epoch != leader.leader_epoch:
        return False  # T7
    if cannot_compare(s, leader, last_epoch):
        return False  # out of range, until the leader enters a later epoch
    if is_beyond_end(s, leader, offset, last_epoch):
        return False  # out of range (N5)
    if s.config.checked_fetch and s.config.fetch_epoch is FetchEpoch.CACHE and last_epoch != NO_EPOCH:
        return may_be_of(s, leader, last_epoch) and offset <= end_of_epochs_up_to(s, leader, last_epoch)
    if s.config.checked_fetch and offset > 0:
        if offset > leader.leo:
            return False  # beyond the log, where no epoch is
        if offset <= leader.log_start or last_epoch == NO_EPOCH:
            return may_be_of(s, leader, last_epoch)
        return leader.log[offset - 1].epoch == last_epoch
    return True


def cannot_compare(s: Kafka, leader: Replica, last_epoch: Epoch) -> bool:
    """The fetch names a later epoch than all in the leader's cache: Kafka's leader knows no end for it (N2, KAFKA-15608).

    It answers out-of-range. The follower compares offsets: if its log ends within the leader's, it fetches from there again.

    Kafka: Partition.readRecords, "Could not determine the end offset of the last fetched epoch".
    """
    if not s.config.checked_fetch or s.config.fetch_epoch is not FetchEpoch.CACHE:
        return False
    return largest_epoch_up_to(s, leader, s.config.max_epoch) < last_epoch


def is_beyond_end(s: Kafka, leader: Replica, offset: Offset, last_epoch: Epoch) -> bool:
    """The fetch begins beyond the end of the leader's log, and no epoch that it names says more: out-of-range (N5).

    V3 answers with nothing until the leader has caught up. Since 2.8 a leader compares epochs first, and tells its follower where
    to cut; only a fetch that names no epoch, or one that the leader cannot compare, is out of range.

    Kafka: Log.read (OffsetOutOfRangeException).
    """
    if s.config.fetch_beyond_end is FetchBeyondEnd.NOTHING or offset <= leader.leo:
        return False
    if not s.config.checked_fetch:
        return True
    return s.config.fetch_epoch is FetchEpoch.CACHE and (
        last_epoch == NO_EPOCH or cannot_compare(s, leader, last_epoch)  # Without it, the leader does not say where to cut.
    )


def may_be_of(s: Kafka, leader: Replica, epoch: Epoch) -> bool:
    """The leader's history has this epoch, or begins after it: what is deleted it cannot compare (KAFKA-7415)."""
    first = largest_epoch_up_to(s, leader, epoch)
    if first == NO_EPOCH:
        return True
    return first == epoch


def diverges(s: Kafka, partition: Partition, follower: Broker, leader: Broker) -> bool:
    """A fetch of the follower shows its leader that their histories differ: the leader refuses it (T7)."""
    if not is_fetching_from(s, partition, follower, leader):
        return False
    if not leads(s, partition, leader):
        return False  # Without it, a broker that does not lead refuses the fetch, as an unfenced stale leader does.
    if not is_known(s, partition, leader, follower):
        return False  # Without it, under KRaft, the leader tells who is no replica where to cut.
    me = s.replica[partition][follower]
    their = s.replica[partition][leader]
    if is_accepted(s, their, me.leo, me.leader_epoch, epoch_named(s, me)):
        return False
    if cannot_compare(s, their, epoch_named(s, me)) or is_beyond_end(s, their, me.leo, epoch_named(s, me)):
        return False  # out of range. Without it, the leader says where to cut.
    # A refusal because of the epoch says nothing of logs.
    return not s.config.fenced_fetches or me.leader_epoch == their.leader_epoch
