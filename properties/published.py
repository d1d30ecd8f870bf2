"""The published specification's invariants."""

from typing import Any

from ..model.members import NO_BROKER, contains, everyone, subset
from ..model.published.replication import presumes, same_record
from .property import always, sometimes, step


def weak_isr(s: Any) -> bool:
    """Every member of a presumed leader's local ISR has all that is below its high watermark.

    Expected since: kip-320.
    """
    for leader in range(s.config.members):
        if presumes(s, leader) and not all_hold_committed_of(s, leader, s.replica[leader].isr):
            return False
    return True


def strong_isr(s: Any) -> bool:
    """Every member of the quorum's ISR has all that is below any presumed leader's high watermark.

    Expected since: kip-320.
    """
    for leader in range(s.config.members):
        if presumes(s, leader) and not all_hold_committed_of(s, leader, s.quorum.isr):
            return False
    return True


def all_hold_committed_of(s: Any, leader: Any, members: Any) -> bool:
    """Every one of `members` has what is below the leader's high watermark."""
    me = s.replica[leader]
    for other in range(s.config.members):
        if contains(members, other):
            for offset in range(s.config.log_size):
                if offset < me.hw:
                    if offset >= s.replica[other].leo or not same_record(s, leader, other, offset):
                        return False
    return True


def leader_none_or_in_isr(s: Any) -> bool:
    """The quorum's leader is in the quorum's ISR, or there is none (the original says "in" and is false).

    Expected since: high-watermark.
    """
    return s.quorum.leader == NO_BROKER or contains(s.quorum.isr, s.quorum.leader)


def isr_never_empty(s: Any) -> bool:
    """The quorum's ISR has a member: it does not hold, the controller can take out the last follower.

    Expected since: never.
    """
    return s.quorum.isr != 0


def isr_within_assignment(s: Any) -> bool:
    """Only replicas are in an ISR: the quorum's, a request's or one that a replica knows.

    Expected since: high-watermark.
    """
    assigned = everyone(s.config.members)
    for broker in range(s.config.members):
        if not subset(s.replica[broker].isr, assigned):
            return False
    for epoch in range(s.config.epochs):
        if not subset(s.request[epoch].isr, assigned):
            return False
    return subset(s.quorum.isr, assigned)


def log_prefix_convergence(s: Any) -> bool:
    """Below both high watermarks any two replicas hold the same records: consumers of either read the same.

    Expected since: kip-320-first-try.
    """
    for one in range(s.config.members):
        for other in range(s.config.members):
            for offset in range(s.config.log_size):
                if one < other and offset < min(s.replica[one].hw, s.replica[other].hw):
                    if not same_record(s, one, other, offset):
                        return False
    return True


def hw_within_log(s: Any) -> bool:
    """No high watermark lies beyond the end of its log.

    Expected since: high-watermark.
    """
    for broker in range(s.config.members):
        if s.replica[broker].hw > s.replica[broker].leo:
            return False
    return True


def one_leader_per_epoch(s: Any) -> bool:
    """No two replicas presume to lead in the same epoch.

    Expected since: high-watermark.
    """
    for one in range(s.config.members):
        for other in range(s.config.members):
            if one != other and presumes(s, one) and presumes(s, other):
                if s.replica[one].leader_epoch == s.replica[other].leader_epoch:
                    return False
    return True


def epochs_increase(s: Any, t: Any) -> bool:
    """No replica's leader epoch falls, nor the quorum's.

    Expected since: high-watermark.
    """
    for broker in range(s.config.members):
        if t.replica[broker].leader_epoch < s.replica[broker].leader_epoch:
            return False
    return t.quorum.leader_epoch >= s.quorum.leader_epoch


def commits_record(s: Any) -> bool:
    """A presumed leader has committed a record."""
    for broker in range(s.config.members):
        if presumes(s, broker) and s.replica[broker].hw > 0:
            return True
    return False


def truncates_log(s: Any, t: Any) -> bool:
    """A replica cuts records off its log."""
    for broker in range(s.config.members):
        if t.replica[broker].leo < s.replica[broker].leo:
            return True
    return False


PUBLISHED_PROPERTIES = (
    always(weak_isr, since="kip-320", falls_in=("kip-320-unfenced",)),
    always(strong_isr, since="kip-320", falls_in=("kip-320-unfenced",)),
    always(log_prefix_convergence, since="kip-320-first-try"),
    always(isr_within_assignment, since="high-watermark"),
    always(hw_within_log, since="high-watermark"),
    always(leader_none_or_in_isr, since="high-watermark"),
    always(one_leader_per_epoch, since="high-watermark"),
    always(isr_never_empty, since=None),
    step(epochs_increase, since="high-watermark"),
    sometimes(commits_record, since="high-watermark"),
    sometimes(truncates_log, since="high-watermark", needs=lambda c: c.max_epoch > 0, where="max_epoch > 0"),
)
