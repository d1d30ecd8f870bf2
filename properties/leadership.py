"""Who leads, and who can commit."""

from typing import Any

from ..model.broker.roles import leads
from ..model.log import same_record
from ..model.members import NO_BROKER, contains


def single_committable_leader(s: Any, t: Any) -> bool:
    """At most one broker can commit: an older leader commits nothing that the newest leader lacks.

    Once a broker serves as leader in epoch e, no broker that leads in an earlier epoch raises its high
    watermark over a record that the newest leader's log does not hold, and no two brokers ever commit
    different records at one offset. This is what V3 claims of a zombie (Q1): it may still hear of
    fetches that were made before its followers turned away, and so commit late what all of the ISR
    already has; it can commit nothing new. A producer that got an acknowledgement relies on it.

    Expected since: kip-320-first-try. Golden trace: new_leader_admits_follower.kip-279.
    """
    for partition in range(s.config.partitions):
        if t.history[partition].contradicted and not s.history[partition].contradicted:
            return False
        for broker in range(s.config.members):
            if commits_late(s, t, partition, broker) and not holds_late_commits(s, t, partition, broker):
                return False
    return True


def holds_late_commits(s: Any, t: Any, partition: Any, broker: Any) -> bool:
    """The newest leader has what the older one commits in this step; a replica that was told to go is asked nothing."""
    me = t.replica[partition][broker]
    newest = t.replica[partition][s.history[partition].server]
    for offset in range(s.config.log_size):
        if offset >= s.replica[partition][broker].hw and offset < me.hw:
            if newest.exists and not same_record(me, newest, offset):
                return False
    return True


def single_committable_leader_strict(s: Any, t: Any) -> bool:
    """Once a broker serves as leader, no broker that leads in an earlier epoch raises its high watermark.

    The strict reading of Q1. It is false in every revision, and harmless: a zombie hears of fetches that
    were made before its followers turned away. It stays as the reason why the claim needs its second half.

    Expected since: never. Golden trace: zombie_commits_what_all_have.kip-320.
    """
    for partition in range(s.config.partitions):
        for broker in range(s.config.members):
            if commits_late(s, t, partition, broker):
                return False
    return True


def commits_late(s: Any, t: Any, partition: Any, broker: Any) -> bool:
    """In this step the broker raises its high watermark as leader of an epoch older than the newest served."""
    me = t.replica[partition][broker]
    if not leads(t, partition, broker) or me.leader_epoch >= s.history[partition].served:
        return False
    return me.hw > s.replica[partition][broker].hw


def one_leader_per_epoch(s: Any) -> bool:
    """No two brokers lead in the same epoch.

    An epoch names a leader's term: records of one epoch come from one broker. Everything that compares
    epochs, KIP-101 and later, rests on it.

    Expected since: high-watermark.
    """
    for partition in range(s.config.partitions):
        for one in range(s.config.members):
            for other in range(s.config.members):
                if one != other and leads(s, partition, one) and leads(s, partition, other):
                    if s.replica[partition][one].leader_epoch == s.replica[partition][other].leader_epoch:
                        return False
    return True


def leader_none_or_in_isr(s: Any) -> bool:
    """The published leader is a member of the published ISR, or there is no leader.

    A leader outside the ISR could commit without having what was committed before.

    Expected since: high-watermark.
    """
    for partition in range(s.config.partitions):
        node = s.zookeeper.leader_and_isr[partition]
        if node.leader != NO_BROKER and not contains(node.isr, node.leader):
            return False
    return True


def epochs_increase(s: Any, t: Any) -> bool:
    """Epochs never fall: the published one while the partition exists, a replica's while its broker runs.

    Brokers tell late commands from new ones by it (C5).

    Expected since: high-watermark.
    """
    for partition in range(s.config.partitions):
        before = s.zookeeper.leader_and_isr[partition]
        after = t.zookeeper.leader_and_isr[partition]
        if after.version > 0 and after.leader_epoch < before.leader_epoch:
            return False
        for broker in range(s.config.members):
            me = t.replica[partition][broker]
            if t.broker[broker].up and s.broker[broker].up and me.exists:
                if me.leader_epoch < s.replica[partition][broker].leader_epoch:
                    return False
    return True
