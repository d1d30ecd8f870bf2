"""The in-sync replicas: who may be elected has what was committed."""

from typing import Any

from ..model.broker.roles import leads
from ..model.log import same_record
from ..model.members import contains, how_many, subset
from ..model.vocabulary import SWITCHED
from ..model.zookeeper.znodes import assignment, holders
from .committed_records import exists


def weak_isr(s: Any) -> bool:
    """Every member of a leader's own ISR has all that is below that leader's high watermark.

    The leader, a zombie too, is right about whom it counts on, but for those that a reassignment took away.

    Expected since: kip-320. Golden trace: first_try_stale_leader.kip-320-first-try.
    """
    for partition in range(s.config.partitions):
        for leader in range(s.config.members):
            if exists(s, partition) and leads(s, partition, leader):
                counted = s.replica[partition][leader].isr & holders(s, partition) & ~told_to_stop(s, partition)
                if not all_hold_committed_of(s, partition, leader, counted):
                    return False
    return True


def told_to_stop(s: Any, partition: Any) -> Any:
    """Brokers that a controller has told to delete their replica, or has moved the partition away from: nobody elects them."""
    brokers = 0
    for controller in range(s.config.controllers):
        brokers = brokers | s.controller[controller].stopping[partition]
        if s.config.reassignments > 0:
            if s.controller[controller].moving[partition] == SWITCHED:
                brokers = brokers | (s.zookeeper.assigned[partition] & ~s.zookeeper.reassigned[partition])
    return brokers


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
    """Every member of the published ISR is assigned to the partition, or shall be by a reassignment under way.

    Expected since: high-watermark.
    """
    for partition in range(s.config.partitions):
        if not subset(s.zookeeper.leader_and_isr[partition].isr, holders(s, partition)):
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

    The writer was a leader in session that knew the present version (Z4, Z11), or a controller. Without it
    a zombie could push the new leader out of the ISR (Q1, Q2).

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
    """Some leader in session knew the version before the write and knows the one after it."""
    before = s.zookeeper.leader_and_isr[partition]
    after = t.zookeeper.leader_and_isr[partition]
    for broker in range(s.config.members):
        me = s.replica[partition][broker]
        if leads(s, partition, broker) and me.leader_epoch == before.leader_epoch and me.zk_version == before.version:
            if t.replica[partition][broker].zk_version == after.version and contains(s.zookeeper.sessions, broker):
                return True
    return False


def writes_need_min_isr(s: Any, t: Any) -> bool:
    """With acks=all no batch is accepted by a leader whose ISR has fewer members than min.isr.

    It is what a producer may count on: so many brokers had everything when the leader took the batch (G6).

    Expected since: high-watermark.
    """
    for partition in range(s.config.partitions):
        for broker in range(s.config.members):
            if t.spent.records > s.spent.records and t.replica[partition][broker].leo > s.replica[partition][broker].leo:
                if how_many(s, s.replica[partition][broker].isr) < s.config.min_isr:
                    return False
    return True


def restart_keeps_only_assigned(s: Any, t: Any) -> bool:
    """A broker that has just started holds no replica that is not assigned to it (E2).

    Old records would come back to life if the partition were assigned to it once more (Q14).

    Expected since: high-watermark.
    """
    for partition in range(s.config.partitions):
        for broker in range(s.config.members):
            if t.broker[broker].up and not s.broker[broker].up and t.replica[partition][broker].exists:
                if not contains(assignment(t, partition), broker):
                    return False
    return True
