"""Compaction: a broker deletes a record if a later one has its key (279, impact of topic compaction; M9).

The offset stays: a log has holes. The epoch of a hole is lost when the cache is rebuilt from the log, and when a follower
fetches.

Batches have `keys` keys, in turn; the records of one batch share a key. For replication one key is enough: replication reads
epochs and offsets, not keys, and with one key all records but the last may be deleted, so one key allows every deletion that
several keys allow. Several keys are needed for what compaction promises to a reader, the last value of each key: only they
show that a record is deleted for a later one with *its* key (`last_values_are_kept`).
"""

from ..choices import Compaction
from ..state import Kafka, Replica
from ..vocabulary import Batch, Broker, Offset, Partition


def compact_log(s: Kafka, partition: Partition, broker: Broker, offset: Offset) -> bool:
    """A broker deletes the record at an offset, because the log has a later one with its key.

    KIP-279 changes nothing here, and names two repairs: leave a tombstone where all records of an epoch would go, or
    compact no further than the high watermark on disk. Kafka stops at the high watermark in memory since 3.1 (KAFKA-13194).

    Design: 279, impact of topic compaction (M9, T8).   Kafka: LogCleaner.cleanInto, LogCleanerManager.cleanableOffsets.
    Modifies: replica[partition][broker], spent.
    """
    me = s.replica[partition][broker]
    if s.spent.compactions >= s.config.compactions:
        return False  # budget
    if not s.broker[broker].up:
        return False
    if not is_held(me, offset):
        return False
    if not has_later_value(s, me, offset):
        return False  # the last record with the key stays
    if s.config.compaction is Compaction.TOMBSTONE and is_last_of_epoch(s, me, offset):
        return False

    s.spent.compactions += 1  # Without it, only the records of the log bound compaction.
    me.log[offset].hole = 1
    return True


def is_held(me: Replica, offset: Offset) -> bool:
    """The log has a record at the offset."""
    return me.log_start <= offset and offset < me.leo and not me.log[offset].hole


def has_later_value(s: Kafka, me: Replica, offset: Offset) -> bool:
    """Before the end of compaction there is a later record with the same key."""
    end = end_of_compaction(s, me)
    for later in range(s.config.log_size):
        if offset < later and later < end and is_held(me, later) and same_key(s, me.log[later].record, me.log[offset].record):
            return True
    return False


def same_key(s: Kafka, first: Batch, second: Batch) -> bool:
    """The two batches have the same key."""
    return first % s.config.keys == second % s.config.keys


def end_of_compaction(s: Kafka, me: Replica) -> int:
    """How far the log is compacted, and what counts as a later record with the key."""
    if s.config.compaction is Compaction.BELOW_CHECKPOINT:
        return min(me.leo, me.checkpoint)
    if s.config.compaction is Compaction.BELOW_HIGH_WATERMARK:
        return me.hw
    return me.leo


def is_last_of_epoch(s: Kafka, me: Replica, offset: Offset) -> bool:
    """The log has no other record of this record's epoch: it stays as a tombstone."""
    for other in range(s.config.log_size):
        if other != offset and is_held(me, other) and me.log[other].epoch == me.log[offset].epoch:
            return False  # Without it, every record is the last of its epoch, and none is compacted.
    return True
