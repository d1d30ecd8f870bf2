"""Compaction: a broker deletes records of which a later one has the key (279, impact of topic compaction; M9).

All records have one key here, so that every record but the log's last may go. Its offset stays: a log has holes. What a
hole takes away is its epoch, where the cache is rebuilt from the log, and where a follower fetches.
"""

from ..config import BELOW_CHECKPOINT, TOMBSTONE


def compact_log(s, partition, broker, offset):
    """A broker deletes the record at an offset, for the log has a later one with its key.

    KIP-279 changes nothing here, and names two repairs: leave a tombstone where all records of an epoch would go, or
    compact no further than the high watermark on disk.

    Design: 279, impact of topic compaction (M9, T8).   Kafka: LogCleaner.cleanInto.
    Modifies: replica[partition][broker], spent.
    """
    me = s.replica[partition][broker]
    if s.spent.compactions >= s.config.compactions:
        return False  # budget
    if not s.broker[broker].up:
        return False
    if offset + 1 >= end_of_compaction(s, me):
        return False  # the last record with the key stays
    if me.log[offset].hole or offset < me.log_start:
        return False
    if s.config.compaction == TOMBSTONE and is_last_of_epoch(s, me, offset):
        return False

    s.spent.compactions += 1  # Without it, only the records of the log bound compaction.
    me.log[offset].hole = 1
    return True


def end_of_compaction(s, me):
    """How far the log is compacted, and what counts as a later record with the key."""
    if s.config.compaction == BELOW_CHECKPOINT:
        return min(me.leo, me.checkpoint)
    return me.leo


def is_last_of_epoch(s, me, offset):
    """The log has no other record of this record's epoch: it stays as a tombstone."""
    for other in range(s.config.log_size):
        held = me.log_start <= other and other < me.leo and not me.log[other].hole
        if other != offset and held and me.log[other].epoch == me.log[offset].epoch:
            return False
    return True
