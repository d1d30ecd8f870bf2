"""A replica moves to another log directory of its broker while the broker runs (KIP-113, N2).

The broker copies the log, and exchanges the directories. The cache of leader epochs is not copied: it is filled by the records
that are copied. An epoch without a record is then not known, and where retention has deleted all records none is (KAFKA-15608).
"""

from ..epoch_cache import forget_epochs_from, note_epoch
from ..state import Kafka, Replica
from ..vocabulary import Broker, Offset, Partition


def exchange_directory(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """A broker exchanges the log directory of a replica for a copy, whose cache has only the epochs of its records.

    A leader that knows no epoch then answers a fetch that names one with out-of-range, until it appends a record, or leads in
    another epoch.

    Design: none; KIP-113 (N2).   Kafka: LogManager.replaceCurrentWithFutureLog (1.1; KAFKA-15608).
    Modifies: replica[partition][broker], spent.
    """
    if s.spent.exchanged_directories >= s.config.exchanged_directories:
        return False  # switched off, or budget
    if not s.broker[broker].up:
        return False
    if not loses_epoch(s, partition, broker):
        return False  # Without it, the budget is spent on a copy that is like the original.

    s.spent.exchanged_directories += 1  # Without it, directories are exchanged any number of times.
    keep_epochs_of_records(s, s.replica[partition][broker])  # Without it, the copy is like the original.
    return True


def keep_epochs_of_records(s: Kafka, me: Replica) -> None:
    """A copy's cache has the epochs of its records, and no others."""
    forget_epochs_from(s, me, 0)  # Without it, the copy keeps the epochs that it lacks.
    for offset in range(s.config.log_size):
        if is_record(me, offset):
            note_epoch(s, me, me.log[offset].epoch, offset)


def is_record(me: Replica, offset: Offset) -> bool:
    """The log has a record at the offset."""
    return me.log_start <= offset and offset < me.leo and not me.log[offset].hole


def loses_epoch(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """The cache has an epoch of which the log has no record."""
    me = s.replica[partition][broker]
    for epoch in range(s.config.epochs):
        if me.epoch_start[epoch] >= 0:
            held = 0
            for offset in range(s.config.log_size):
                if is_record(me, offset) and me.log[offset].epoch == epoch:
                    held = 1
            if held == 0:
                return True
    return False
