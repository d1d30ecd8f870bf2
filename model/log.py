"""A replica's log: whole batches at consecutive offsets (G8).

`me` is a replica. A record is its batch's number and its leader epoch; two logs hold the same record at
an offset when both agree there.
"""

from .choices import CutHighWatermark, EmptyEpoch, FetchEpoch
from .epoch_cache import forget_epochs_before, forget_epochs_from, latest_epoch, note_epoch
from .release_choices import AnewHighWatermark, MessageFormat
from .state import Kafka, Replica
from .vocabulary import Batch, Epoch, Offset


def same_record(first: Replica, second: Replica, offset: Offset) -> bool:
    """Both replicas hold the same record at `offset`, or retention has deleted it; False when either log ends before it."""
    if offset >= min(first.leo, second.leo):
        return False
    if offset < max(first.log_start, second.log_start):
        return True
    return first.log[offset].record == second.log[offset].record and first.log[offset].epoch == second.log[offset].epoch


def last_epoch(s: Kafka, me: Replica) -> int:
    """The epoch of the last record; for an empty log `NO_EPOCH` (-1), or what its cache has kept of the records deleted last.

    Records without epochs (`message_format`) tell none: only the cache does.
    """
    if s.config.message_format is MessageFormat.OLDER:
        return latest_epoch(s, me)
    if me.log_start > 0 and me.leo == me.log_start:
        return latest_epoch(s, me)
    return epoch_below(me, me.leo)


def epoch_named(s: Kafka, me: Replica) -> int:
    """The epoch that a fetch names: that of the last record, or the latest in the cache (T7)."""
    if s.config.fetch_epoch is FetchEpoch.CACHE:
        return latest_epoch(s, me)
    return last_epoch(s, me)


def epoch_below(me: Replica, offset: Offset) -> int:
    """The epoch of the last record below the offset; `NO_EPOCH` (-1) when there is none."""
    if offset <= me.log_start:
        return -1
    return me.log[offset - 1].epoch


def starts_batch(me: Replica, offset: Offset) -> bool:
    """A batch starts at `offset`, which is in the log."""
    return offset == 0 or me.log[offset - 1].record != me.log[offset].record


def append(s: Kafka, me: Replica, record: Batch, epoch: Epoch) -> None:
    """Append one record of the batch `record`; its epoch enters the cache with its first record, if the record carries it.

    Kafka: Log.append (from the message format of 0.11 on).
    """
    if s.config.message_format is MessageFormat.WITH_EPOCHS:
        note_epoch(s, me, epoch, me.leo)
    me.log[me.leo].record = record
    me.log[me.leo].epoch = epoch
    me.leo += 1


def append_hole(me: Replica, record: Batch, epoch: Epoch) -> None:
    """Append an offset without a record, as compaction left it: its epoch is not known."""
    me.log[me.leo].hole = 1
    me.log[me.leo].record = record
    me.log[me.leo].epoch = epoch
    me.leo += 1


def append_batch(s: Kafka, me: Replica, source: Replica) -> None:
    """Append the batch that starts at the end of this log in the log of `source`."""
    record = source.log[me.leo].record
    for offset in range(s.config.log_size):
        if offset == me.leo and offset < source.leo and source.log[offset].record == record:
            if source.log[offset].hole:
                append_hole(me, record, source.log[offset].epoch)
            else:
                append(s, me, record, source.log[offset].epoch)


def truncate(s: Kafka, me: Replica, end: Offset) -> None:
    """Cut the log to its first `end` records, or to the start of the batch that `end` lies in.

    What is derived from the log is cut with it: the epoch cache, the high watermark and what is flushed. A log that is cut below
    its start is empty, and starts there. Where no record is cut, Kafka cut nothing of the cache until 2.6.1 (`cut_of_nothing`);
    up to 2.3 it left the high watermark alone (`cut_high_watermark`).

    Kafka: Log.truncateTo.
    """
    for back in range(s.config.log_size):
        offset = s.config.log_size - 1 - back
        if offset == end and offset < me.leo and not starts_batch(me, offset):
            end = offset - 1
    for offset in range(s.config.log_size):
        if offset >= end:
            me.log[offset].hole = 0
            me.log[offset].record = 0
            me.log[offset].epoch = 0
    if end < me.leo or s.config.cut_of_nothing is EmptyEpoch.DROPPED:
        forget_epochs_from(s, me, min(me.leo, end))
    me.leo = min(me.leo, end)
    me.log_start = min(me.log_start, me.leo)
    if s.config.cut_high_watermark is CutHighWatermark.CUT:
        me.hw = min(me.hw, me.leo)
    me.flushed = min(me.flushed, me.leo)


def start_log_at(s: Kafka, me: Replica, start: Offset) -> None:
    """Throw all records away: the log is empty, and starts at this offset."""
    truncate(s, me, 0)
    forget_epochs_from(s, me, 0)
    me.leo = start
    me.log_start = start
    me.hw = start


def start_log_anew_at(s: Kafka, me: Replica, start: Offset) -> None:
    """Start anew at this offset: the high watermark may stay where it was (KAFKA-9491).

    Kafka: Log.truncateFullyAndStartAt.
    """
    old_hw = me.hw
    start_log_at(s, me, start)
    if s.config.anew_high_watermark is AnewHighWatermark.STAYS:
        me.hw = old_hw  # Without it, it moves with the start, as since 2.4.1.
        if s.config.cut_high_watermark is CutHighWatermark.CUT:
            me.hw = min(old_hw, me.leo)  # Without it, it moves with the start of the log, as since 2.4.1.


def delete_before(s: Kafka, me: Replica, start: Offset) -> None:
    """Delete all records below `start`, which is in the log or its end. Of the batch that `start` lies in all stays on disk.

    Kafka: Log.maybeIncrementLogStartOffset.
    """
    for offset in range(s.config.log_size):
        if offset < start and not is_in_batch_at(s, me, start, offset):
            me.log[offset].hole = 0
            me.log[offset].record = 0
            me.log[offset].epoch = 0
    me.log_start = start
    forget_epochs_before(s, me, start)


def is_in_batch_at(s: Kafka, me: Replica, start: Offset, offset: Offset) -> bool:
    """The record at the offset is of the batch that `start` lies in; at the log's end there is none."""
    return start < me.leo and me.log[offset].record == me.log[start].record


def follow_log_start(s: Kafka, me: Replica, start: Offset) -> None:
    """Take over the leader's log start offset; the high watermark is not below it (Kafka: since 2.4 at once)."""
    if start > me.log_start:
        delete_before(s, me, start)
    me.hw = max(me.hw, me.log_start)
