"""Quorum: a record is committed when a majority has it, and an election needs a majority and the longest log (ZH)."""

from ..vocabulary import Broker
from .replication import become_leader, commit_next, holds, leader_runs
from .state import Strategies


def commit_by_majority(s: Strategies) -> bool:
    """The leader commits the next record when a majority of all replicas has it: its high watermark is the majority-th end.

    Design: ZH, synchronisation strategies (K2).   Kafka: none; Raft's commitIndex.
    Modifies: hw, committed, contradicted.
    """
    if not leader_runs(s):
        return False
    if s.hw >= s.replica[s.leader].leo:
        return False
    having = 0
    for broker in range(s.config.members):
        if holds(s, broker, s.hw):
            having += 1
    if having < s.config.majority:
        return False

    commit_next(s)
    return True


def elect_longest_log(s: Strategies, broker: Broker) -> bool:
    """The leader has stopped: of a majority that runs, a replica with the longest log is elected.

    A majority is asked, since each majority has a member that has what was committed, and the longest log has it too.

    Design: ZH, synchronisation strategies (K2, Q12).   Kafka: none; ZooKeeper's and Raft's elections.
    Modifies: leader, epoch, hw, replica[broker].
    """
    if leader_runs(s):
        return False
    if not s.replica[broker].up:
        return False
    if how_many_run(s) < s.config.majority:
        return False
    for other in range(s.config.members):
        if s.replica[other].up and is_ahead(s, other, broker):
            return False

    become_leader(s, broker)
    return True


def how_many_run(s: Strategies) -> int:
    """The replicas that have not stopped."""
    count = 0
    for broker in range(s.config.members):
        count += s.replica[broker].up
    return count


def is_ahead(s: Strategies, first: Broker, second: Broker) -> bool:
    """The log of `first` is better than that of `second`: longer, or its last record is of a later epoch."""
    if s.config.election and last_epoch(s, first) != last_epoch(s, second):
        return last_epoch(s, first) > last_epoch(s, second)
    return s.replica[first].leo > s.replica[second].leo


def last_epoch(s: Strategies, broker: Broker) -> int:
    """The epoch of the last record; -1 without any."""
    me = s.replica[broker]
    if me.leo == 0:
        return -1
    return me.log[me.leo - 1].epoch
