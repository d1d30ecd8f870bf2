"""What a crash takes, and what it leaves on disk."""

from ..controller.memory import resign
from ..log import truncate
from ..vocabulary import NO_OFFSET
from .roles import forget_role


def crash(s, broker):
    """A broker stops. What was in memory is lost; the log is not.

    The high watermark falls to the last checkpoint. The session is still alive to the store, until it
    expires. Requests that the broker has sent are still on their way.

    Design: ZH follower failure, V3 discussion 3 (C7, L1).   Kafka: none.
    Modifies: broker[broker], replica, controller, command, fetch_response, spent.
    """
    if not s.broker[broker].up or s.spent.crashes >= s.config.crashes:
        return False

    s.spent.crashes += 1
    lose_memory(s, broker)
    return True


def lose_power(s, broker, kept):
    """A broker stops, and the disk loses what was not flushed: of each log at least `kept` records stay.

    Design: KIP-101 scenario 2 (S4).   Kafka: none.
    Modifies: broker[broker], replica, controller, command, fetch_response, spent.
    """
    if not s.broker[broker].up or s.spent.crashes >= s.config.crashes:
        return False
    if s.spent.power_losses >= s.config.power_losses:
        return False
    if not loses_something(s, broker, kept):
        return False  # that would be a crash

    s.spent.crashes += 1
    s.spent.power_losses += 1
    lose_memory(s, broker)
    for partition in range(s.config.partitions):
        me = s.replica[partition][broker]
        truncate(s, me, max(kept, me.flushed))
        me.checkpoint = min(me.checkpoint, me.leo)
    return True


def loses_something(s, broker, kept):
    """Some log of the broker is longer than `kept` and than what is flushed."""
    for partition in range(s.config.partitions):
        if s.replica[partition][broker].leo > max(kept, s.replica[partition][broker].flushed):
            return True
    return False


def lose_memory(s, broker):
    """The process is gone, and with it the controller if it was one."""
    me = s.broker[broker]
    resign(s, broker)
    me.up = 0
    me.controller_epoch = 0
    me.controller_watch = 0
    for partition in range(s.config.partitions):
        replica = s.replica[partition][broker]
        forget_role(s, partition, broker)
        replica.hw = min(replica.checkpoint, replica.leo)


def lose_epoch_file(s, broker):
    """While a broker is down, its leader-epoch cache is lost: as leader it will answer undefined.

    Design: 279 compatibility, compaction (T8).   Kafka: LeaderEpochCheckpointFile.
    Modifies: replica, spent.
    """
    if s.broker[broker].up or s.spent.lost_epoch_files >= s.config.lost_epoch_files:
        return False
    if not has_epochs(s, broker):
        return False

    s.spent.lost_epoch_files += 1
    for partition in range(s.config.partitions):
        for epoch in range(s.config.epochs):
            s.replica[partition][broker].epoch_start[epoch] = NO_OFFSET
    return True


def has_epochs(s, broker):
    """Some cache of the broker has an entry."""
    for partition in range(s.config.partitions):
        for epoch in range(s.config.epochs):
            if s.replica[partition][broker].epoch_start[epoch] >= 0:
                return True
    return False
