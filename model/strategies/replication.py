"""What both strategies share: writing, following, fetching, and replicas that stop and come back."""

from ..members import NO_BROKER
from ..vocabulary import Broker, Offset
from .state import Strategies


def leader_runs(s: Strategies) -> bool:
    """There is a leader, and it has not stopped."""
    return s.leader != NO_BROKER and s.replica[s.leader].up == 1


def holds(s: Strategies, broker: Broker, offset: Offset) -> bool:
    """The replica has the leader's record at an offset, as far as the leader knows: it fetched it in this epoch."""
    return s.replica[broker].epoch == s.epoch and s.replica[broker].leo > offset


def same_record(s: Strategies, first: Broker, second: Broker, offset: Offset) -> bool:
    """Two logs that reach an offset have the same record there."""
    mine = s.replica[first].log[offset]
    theirs = s.replica[second].log[offset]
    return mine.record == theirs.record and mine.epoch == theirs.epoch


def become_leader(s: Strategies, broker: Broker) -> None:
    """The next epoch begins under `broker`; it knows of no follower yet."""
    s.leader = broker
    s.epoch += 1
    s.hw = 0
    s.replica[broker].epoch = s.epoch


def commit_next(s: Strategies) -> None:
    """The record at the leader's high watermark is committed; which one is remembered."""
    record = s.replica[s.leader].log[s.hw].record
    if s.committed[s.hw] == 0:
        s.committed[s.hw] = record
    elif s.committed[s.hw] != record:
        s.contradicted = 1
    s.hw += 1


def produce(s: Strategies) -> bool:
    """A producer's record is appended by the leader.

    Design: ZH, synchronisation strategies (K2).   Kafka: Partition.appendRecordsToLeader.
    Modifies: replica, records.
    """
    if not leader_runs(s):
        return False
    if s.records >= s.config.max_records:
        return False  # bound of the exploration
    if s.replica[s.leader].leo >= s.config.log_size:
        return False  # bound of the exploration

    me = s.replica[s.leader]
    s.records += 1
    me.log[me.leo].record = s.records
    me.log[me.leo].epoch = s.epoch
    me.leo += 1
    return True


def follow(s: Strategies, follower: Broker) -> bool:
    """A replica follows the new leader, and cuts its log where it leaves the leader's.

    Design: ZH, synchronisation strategies (K2).   Kafka: Partition.makeFollower.
    Modifies: replica[follower].
    """
    me = s.replica[follower]
    if not me.up:
        return False
    if not leader_runs(s):
        return False
    if me.epoch == s.epoch:
        return False  # it does already

    end = 0
    for offset in range(s.config.log_size):
        if end == offset and offset < min(me.leo, s.replica[s.leader].leo) and same_record(s, follower, s.leader, offset):
            end = offset + 1
    for offset in range(s.config.log_size):
        if offset >= end:
            me.log[offset].record = 0
            me.log[offset].epoch = 0
    me.leo = end
    me.epoch = s.epoch
    return True


def fetch(s: Strategies, follower: Broker) -> bool:
    """A follower appends the leader's next record.

    Design: ZH, synchronisation strategies; V3 G (K2, G1).   Kafka: ReplicaFetcherThread.
    Modifies: replica[follower].
    """
    me = s.replica[follower]
    if not me.up:
        return False
    if not leader_runs(s):
        return False
    if me.epoch != s.epoch:
        return False  # it does not follow this leader yet
    if me.leo >= s.replica[s.leader].leo:
        return False

    me.log[me.leo].record = s.replica[s.leader].log[me.leo].record
    me.log[me.leo].epoch = s.replica[s.leader].log[me.leo].epoch
    me.leo += 1
    return True


def crash(s: Strategies, broker: Broker) -> bool:
    """A replica stops. Its disk stays, and is of no use while it is down.

    Design: ZH, synchronisation strategies (Q12).   Kafka: a broker that fails.
    Modifies: replica[broker], crashes.
    """
    if s.crashes >= s.config.crashes:
        return False  # budget
    if not s.replica[broker].up:
        return False

    s.crashes += 1
    s.replica[broker].up = 0
    return True


def restart(s: Strategies, broker: Broker) -> bool:
    """A replica comes back with what is on its disk, and follows; if no one was elected meanwhile, it leads again.

    Design: ZH, follower failure (K2).   Kafka: a broker that starts.
    Modifies: replica[broker], restarts.
    """
    if s.restarts >= s.config.restarts:
        return False  # budget
    if s.replica[broker].up:
        return False

    s.restarts += 1
    s.replica[broker].up = 1
    return True
