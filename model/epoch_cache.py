"""The leader-epoch cache: where each epoch starts in a replica's log (KIP-101).

A leader enters its epoch when it begins to lead, before any record has it (`epoch_entry`); a follower when it
appends the first record. -1 stands for an epoch that is not in the cache and for an undefined answer.
"""

from .choices import EpochEntry, LateEpoch, LostEpochFile
from .release_choices import LedEpochs, MessageFormat
from .state import Kafka, Replica
from .vocabulary import Epoch, Offset


def note_epoch(s: Kafka, me: Replica, epoch: Epoch, offset: Offset) -> None:
    """Enter `epoch` with its start, once. What becomes of entries that it does not fit to is a setting (`late_epoch`).

    Kafka: LeaderEpochFileCache.assign. To 2.0.0 it takes larger epochs only, and warns of others; since 2.0.1
    (KAFKA-7415) an entry drops those of its epoch and later, and those that begin at its start or beyond.
    """
    latest = latest_epoch(s, me)
    if s.config.late_epoch is LateEpoch.REPLACES and epoch != latest:
        for other in range(s.config.epochs):
            if other >= epoch or me.epoch_start[other] >= offset:
                me.epoch_start[other] = -1
    if me.epoch_start[epoch] < 0 and (epoch > latest or s.config.late_epoch is not LateEpoch.IGNORED):
        me.epoch_start[epoch] = offset


def enters_when_leading(s: Kafka) -> bool:
    """A leader's epoch enters its cache when it begins to lead: of records without epochs only in 2.0.1 and 2.1.0 (KAFKA-7897).

    Kafka: Partition.makeLeader; since 2.1.1 Log.maybeAssignEpochStartOffset.
    """
    if s.config.message_format is MessageFormat.OLDER and s.config.led_epochs is LedEpochs.NOT_CACHED:
        return False
    return s.config.epoch_entry is EpochEntry.WHEN_LEADING


def forget_epochs_from(s: Kafka, me: Replica, end: Offset) -> None:
    """Drop the entries that start at `end` or beyond: no record is left of them.

    Kafka: LeaderEpochFileCache.truncateFromEnd.
    """
    for epoch in range(s.config.epochs):
        if me.epoch_start[epoch] >= end:
            me.epoch_start[epoch] = -1


def forget_epochs_before(s: Kafka, me: Replica, start: Offset) -> None:
    """The log begins at `start`: of the entries up to there the last stays, and starts there (KIP-101, clearAndFlushEarliest).

    Kafka: LeaderEpochFileCache.truncateFromStart.
    """
    first = first_epoch_at(s, me, start)
    for epoch in range(s.config.epochs):
        if epoch < first:
            me.epoch_start[epoch] = -1
        elif epoch == first:
            me.epoch_start[epoch] = start


def first_epoch_at(s: Kafka, me: Replica, start: Offset) -> int:
    """The largest epoch in the cache that starts at the offset or before it, or -1."""
    found = -1
    for epoch in range(s.config.epochs):
        if me.epoch_start[epoch] >= 0 and me.epoch_start[epoch] <= start:
            found = epoch
    return found


def latest_epoch(s: Kafka, me: Replica) -> int:
    """The largest epoch in the cache, or -1.

    Kafka: LeaderEpochFileCache.latestEpoch.
    """
    return largest_epoch_up_to(s, me, s.config.max_epoch)


def largest_epoch_up_to(s: Kafka, me: Replica, requested: int) -> int:
    """The largest epoch in the cache that is not larger than `requested`, or -1."""
    found = -1
    for epoch in range(s.config.epochs):
        if epoch <= requested and me.epoch_start[epoch] >= 0:
            found = epoch
    return found


def end_of_epochs_up_to(s: Kafka, me: Replica, requested: int) -> int:
    """Where the first epoch larger than `requested` starts; the log end offset when there is none."""
    for epoch in range(s.config.epochs):
        if epoch > requested and me.epoch_start[epoch] >= 0:
            return me.epoch_start[epoch]
    return me.leo


def knows_epoch(me: Replica, epoch: Epoch) -> bool:
    """The cache has an entry for `epoch`."""
    return epoch >= 0 and me.epoch_start[epoch] >= 0


def rebuild_epochs(s: Kafka, me: Replica) -> None:
    """Fill an empty cache from the records of the log: an epoch without a record has no entry (279, T8)."""
    for offset in range(s.config.log_size):
        if me.log_start <= offset and offset < me.leo and not me.log[offset].hole:
            if is_found_again(s, me.log[offset].epoch):
                note_epoch(s, me, me.log[offset].epoch, offset)


def is_found_again(s: Kafka, epoch: Epoch) -> bool:
    """A cache that is filled from the log gets this epoch, if records carry it: from 2.1.1 to 2.6.0 not epoch 0 (KAFKA-10432)."""
    if s.config.message_format is MessageFormat.OLDER:
        return False
    every = s.config.lost_epoch_file is not LostEpochFile.WITHOUT_FIRST
    return every or epoch > 0  # Without it, epoch 0 is found again, as since 2.6.1.
