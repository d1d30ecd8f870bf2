"""Primary and backups: a record is committed when all of the ISR have it, and a member of the ISR is elected (ZH, V3 G)."""

from ..members import contains, excluding, including
from ..vocabulary import Broker
from .replication import become_leader, commit_next, holds, leader_runs
from .state import Strategies


def commit_by_isr(s: Strategies) -> bool:
    """The leader commits the next record when every member of the ISR has it.

    Design: ZH, synchronisation strategies (K2, G1).   Kafka: Partition.maybeIncrementLeaderHW.
    Modifies: hw, committed, contradicted.
    """
    if not leader_runs(s):
        return False
    if s.hw >= s.replica[s.leader].leo:
        return False
    for broker in range(s.config.members):
        if contains(s.isr, broker) and not holds(s, broker, s.hw):
            return False

    commit_next(s)
    return True


def shrink_isr(s: Strategies, follower: Broker) -> bool:
    """The leader drops a follower that has stopped, and with slow followers one that lags.

    Design: ZH, synchronisation strategies; V3 G (K2, G3).   Kafka: Partition.maybeShrinkIsr.
    Modifies: isr.
    """
    if not leader_runs(s):
        return False
    if follower == s.leader:
        return False
    if not contains(s.isr, follower):
        return False
    if s.replica[follower].up and not (s.config.slow_followers and lags(s, follower)):
        return False

    s.isr = excluding(s.isr, follower)
    return True


def lags(s: Strategies, follower: Broker) -> bool:
    """The follower lacks something of the leader's log."""
    return not holds(s, follower, s.replica[s.leader].leo - 1)


def expand_isr(s: Strategies, follower: Broker) -> bool:
    """The leader takes a follower back that has caught up with all of its log.

    Design: ZH, synchronisation strategies; V3 G (K2, G3).   Kafka: Partition.maybeExpandIsr.
    Modifies: isr.
    """
    if not leader_runs(s):
        return False
    if contains(s.isr, follower):
        return False
    if not s.replica[follower].up:
        return False
    if s.replica[follower].epoch != s.epoch:
        return False
    if s.replica[follower].leo < s.replica[s.leader].leo:
        return False

    s.isr = including(s.isr, follower)
    return True


def elect_isr_member(s: Strategies, broker: Broker) -> bool:
    """The leader has stopped: a member of the ISR that runs is elected, and the ISR is what runs of it.

    Design: ZH, synchronisation strategies; V3 A.3.2 (K2, A2).   Kafka: OfflinePartitionLeaderSelector.
    Modifies: leader, epoch, hw, isr, replica[broker].
    """
    if leader_runs(s):
        return False
    if not s.replica[broker].up:
        return False
    if not contains(s.isr, broker):
        return False  # only these have all that is committed

    become_leader(s, broker)
    for other in range(s.config.members):
        if not s.replica[other].up:
            s.isr = excluding(s.isr, other)
    return True
