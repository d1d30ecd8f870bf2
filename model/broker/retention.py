"""Retention: a broker deletes the oldest records, and a follower that needs them starts again (279 compatibility, T8).

By age or size every broker deletes whole segments of its own log; DeleteRecords (KIP-107) moves the start of the leader's log to
any offset, within a batch too. Since 0.11.0.1 neither goes beyond the high watermark (`retention_limit`). The deletion is on disk
at once: in Kafka a log start offset within a segment is checkpointed once a minute, and a crash in between brings its records
back.
"""

from ..choices import FetchBelowStart
from ..fetch_choices import RetentionLimit
from ..fetching import diverges, is_fetching_from, leads
from ..log import delete_before, start_log_anew_at, starts_batch
from ..state import Kafka, Replica
from ..vocabulary import Broker, Offset, Partition


def delete_old_records(s: Kafka, partition: Partition, broker: Broker, offset: Offset) -> bool:
    """A broker deletes the records up to and with this offset: its log starts after it.

    The epochs of what is deleted leave the cache; the last of them is kept, as the epoch in which the log starts.

    Design: 279 compatibility (T8).   Kafka: Log.deleteOldSegments, Log.maybeIncrementLogStartOffset (0.11).
    Modifies: replica[partition][broker], spent.
    """
    me = s.replica[partition][broker]
    if s.spent.retentions >= s.config.retentions:
        return False  # budget
    if not s.broker[broker].up:
        return False
    if offset < me.log_start:
        return False
    if offset >= deletable_end(s, me):
        return False  # what is not committed stays
    if not ends_batch(s, me, offset) and not leads(s, partition, broker):
        return False  # only a leader is asked by clients to delete part of a batch

    s.spent.retentions += 1  # Without it, only the records of the log bound retention.
    delete_before(s, me, offset + 1)  # Without it, no record or one record less is deleted.
    me.hw = max(me.hw, me.log_start)
    return True


def deletable_end(s: Kafka, me: Replica) -> int:
    """Where retention stops: at the high watermark; up to 0.11.0.0 at the end of the log (KAFKA-5634).

    A record that is deleted before it is committed is lost, whoever waits for it.

    Kafka: Log.deleteOldSegments.
    """
    if s.config.retention_limit is RetentionLimit.LOG_END:
        return me.leo
    return me.hw


def ends_batch(s: Kafka, me: Replica, offset: Offset) -> bool:
    """The record at the offset is the last of its batch."""
    for after in range(s.config.log_size):
        if after == offset + 1 and after < me.leo:
            return starts_batch(me, after)
    return True


def start_anew(s: Kafka, partition: Partition, follower: Broker, leader: Broker) -> bool:
    """A follower whose log ends before its leader's begins throws it away, and starts where the leader's log does.

    Its fetch was answered out-of-range, and it has asked for the leader's log start offset. It knows no epoch then: its cache is
    filled by what it fetches.

    Design: 279 compatibility (T8).   Kafka: ReplicaFetcherThread.handleOffsetOutOfRange, Log.truncateFullyAndStartAt.
    Modifies: replica[partition][follower].
    Reads: broker[leader].up, replica[partition][leader] (the leader's error, and its answer to ListOffsets: they are one step);
        metadata (under KRaft: the log, as far as the leader has applied it).
    """
    if s.config.retentions == 0:
        return False  # switched off
    if not is_fetching_from(s, partition, follower, leader):
        return False
    if not leads(s, partition, leader):
        return False  # NotLeader
    me = s.replica[partition][follower]
    their = s.replica[partition][leader]
    if me.leo >= their.log_start:
        return False  # in range
    if s.config.fenced and me.leader_epoch != their.leader_epoch:
        return False  # fenced (T7)
    if s.config.fetch_below_start is FetchBelowStart.DIVERGING and diverges(s, partition, follower, leader):
        return False  # the leader answers as it does in range. Without it, the follower may start anew as well.

    start_log_anew_at(s, me, their.log_start)
    return True
