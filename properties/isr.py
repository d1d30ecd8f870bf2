"""The in-sync replicas: who may be elected has what was committed."""

from typing import Any

from ..model.broker.roles import leads
from ..model.log import same_record
from ..model.members import contains, subset


def weak_isr(s: Any) -> bool:
    """Every member of a leader's own ISR has all that is below that leader's high watermark.

    The leader, a zombie too, is right about whom it counts on.

    Expected since: kip-320. Golden trace: first_try_stale_leader.kip-320-first-try.
    """
    for partition in range(s.config.partitions):
        for leader in range(s.config.members):
            if leads(s, partition, leader):
                if not all_hold_committed_of(s, partition, leader, s.replica[partition][leader].isr):
                    return False
    return True


def strong_isr(s: Any) -> bool:
    """Every member of the published ISR has all that is below any leader's high watermark.

    The controller may elect any of them next, so this is what clean elections rest on.

    Expected since: kip-320. Golden trace: first_try_stale_leader.kip-320-first-try.
    """
    for partition in range(s.config.partitions):
        for leader in range(s.config.members):
            if leads(s, partition, leader):
                if not all_hold_committed_of(s, partition, leader, s.zookeeper.leader_and_isr[partition].isr):
                    return False
    return True


def all_hold_committed_of(s: Any, partition: Any, leader: Any, members: Any) -> bool:
    """Every one of `members` has what is below the leader's high watermark."""
    me = s.replica[partition][leader]
    for other in range(s.config.members):
        if contains(members, other):
            for offset in range(s.config.log_size):
                if offset < me.hw and not same_record(me, s.replica[partition][other], offset):
                    return False
    return True


def isr_reaches_high_watermark(s: Any) -> bool:
    """Every member of the published ISR has a log that reaches the newest leader's high watermark (G10).

    Expected since: kip-320. Golden trace: first_try_stale_leader.kip-320-first-try.
    """
    for partition in range(s.config.partitions):
        past = s.history[partition]
        for broker in range(s.config.members):
            if past.server == broker and leads(s, partition, broker):
                me = s.replica[partition][broker]
                for other in range(s.config.members):
                    if contains(s.zookeeper.leader_and_isr[partition].isr, other):
                        if me.leader_epoch == past.served and s.replica[partition][other].leo < me.hw:
                            return False
    return True


def isr_within_assignment(s: Any) -> bool:
    """Every member of the published ISR is assigned to the partition.

    Expected since: high-watermark.
    """
    for partition in range(s.config.partitions):
        if not subset(s.zookeeper.leader_and_isr[partition].isr, s.zookeeper.assigned[partition]):
            return False
    return True


def isr_never_empty(s: Any) -> bool:
    """The published ISR has a member as long as the partition exists.

    From an empty ISR only an unclean election leads out.

    Expected since: high-watermark.
    """
    for partition in range(s.config.partitions):
        node = s.zookeeper.leader_and_isr[partition]
        if node.version > 0 and node.isr == 0:
            return False
    return True


def zk_version_guards_isr(s: Any, t: Any) -> bool:
    """leaderAndISR changes only by a conditional write, and each write gives it a new version.

    The writer was a leader that knew the present version, or a controller. Without it a zombie could
    push the new leader out of the ISR (Q1, Q2).

    Expected since: high-watermark.
    """
    for partition in range(s.config.partitions):
        before = s.zookeeper.leader_and_isr[partition]
        after = t.zookeeper.leader_and_isr[partition]
        changed = after.isr != before.isr or after.leader != before.leader or after.leader_epoch != before.leader_epoch
        if changed and after.version > 0:
            if after.version != before.version + 1:
                return False
            if after.leader_epoch == before.leader_epoch and not written_by_present_leader(s, t, partition):
                return False
    return True


def written_by_present_leader(s: Any, t: Any, partition: Any) -> bool:
    """Some leader knew the version before the write and knows the one after it."""
    for broker in range(s.config.members):
        if leads(s, partition, broker) and s.replica[partition][broker].leader_epoch == s.zookeeper.leader_and_isr[partition].leader_epoch:
            if s.replica[partition][broker].zk_version == s.zookeeper.leader_and_isr[partition].version:
                if t.replica[partition][broker].zk_version == t.zookeeper.leader_and_isr[partition].version:
                    return True
    return False
