"""The published specification's invariants."""

from ..model.members import NO_BROKER, contains, everyone, subset
from ..model.published.replication import presumes, same_record
from ..model.published.state import Published
from ..model.vocabulary import Broker, Offset
from .property import always, sometimes, step


def weak_isr(s: Published, leader: Broker, broker: Broker, offset: Offset) -> bool:
    """Every member of a presumed leader's local ISR has every record below that leader's high watermark."""
    if not presumes(s, leader) or not contains(s.replica[leader].isr, broker):
        return True
    return holds_committed_of(s, leader, broker, offset)


def strong_isr(s: Published, leader: Broker, broker: Broker, offset: Offset) -> bool:
    """Every member of the quorum's ISR has every record below any presumed leader's high watermark."""
    if not presumes(s, leader) or not contains(s.quorum.isr, broker):
        return True
    return holds_committed_of(s, leader, broker, offset)


def holds_committed_of(s: Published, leader: Broker, broker: Broker, offset: Offset) -> bool:
    """If the offset is below the leader's high watermark, the broker has the leader's record there."""
    if offset >= s.replica[leader].hw:
        return True
    return offset < s.replica[broker].leo and same_record(s, leader, broker, offset)


def leader_none_or_in_isr(s: Published) -> bool:
    """The quorum's leader is in the quorum's ISR, or there is none (the original requires "in", and is violated)."""
    return s.quorum.leader == NO_BROKER or contains(s.quorum.isr, s.quorum.leader)


def isr_never_empty(s: Published) -> bool:
    """The quorum's ISR has a member. This is violated: the controller can remove the last follower."""
    return s.quorum.isr != 0


def isr_within_assignment(s: Published) -> bool:
    """Only replicas are in an ISR: the quorum's, a request's, or one that a replica knows.

    The original has it as a type. A set of brokers can hold no others here, so an engine that runs states cannot find it
    violated; only a proof can, which begins from any numbers.
    """
    assigned = everyone(s.config.members)
    for broker in range(s.config.members):
        if not subset(s.replica[broker].isr, assigned):
            return False
    for epoch in range(s.config.epochs):
        if not subset(s.request[epoch].isr, assigned):
            return False
    return subset(s.quorum.isr, assigned)


def log_prefix_convergence(s: Published, broker: Broker, other: Broker, offset: Offset) -> bool:
    """Below both high watermarks any two replicas hold the same records: consumers of either read the same."""
    if broker >= other or offset >= min(s.replica[broker].hw, s.replica[other].hw):
        return True
    return same_record(s, broker, other, offset)


def hw_within_log(s: Published, broker: Broker) -> bool:
    """No high watermark lies beyond the end of its log."""
    return s.replica[broker].hw <= s.replica[broker].leo


def one_leader_per_epoch(s: Published, broker: Broker, other: Broker) -> bool:
    """No two replicas presume to lead in the same epoch."""
    if broker == other or not presumes(s, broker) or not presumes(s, other):
        return True
    return s.replica[broker].leader_epoch != s.replica[other].leader_epoch


def epochs_increase(s: Published, t: Published, broker: Broker) -> bool:
    """No replica's leader epoch decreases, nor the quorum's."""
    if t.replica[broker].leader_epoch < s.replica[broker].leader_epoch:
        return False
    return t.quorum.leader_epoch >= s.quorum.leader_epoch


def commits_record(s: Published, broker: Broker) -> bool:
    """A presumed leader has committed a record."""
    return presumes(s, broker) and s.replica[broker].hw > 0


def truncates_log(s: Published, t: Published, broker: Broker) -> bool:
    """A replica cuts records off its log."""
    return t.replica[broker].leo < s.replica[broker].leo


PUBLISHED_PROPERTIES = (
    always(weak_isr, since="kip-320"),
    always(strong_isr, since="kip-320"),
    always(log_prefix_convergence, since="kip-320-first-try"),
    always(isr_within_assignment, since="high-watermark"),
    always(hw_within_log, since="high-watermark"),
    always(leader_none_or_in_isr, since="high-watermark"),
    always(one_leader_per_epoch, since="high-watermark"),
    always(isr_never_empty, since=None),
    step(epochs_increase, since="high-watermark"),
    sometimes(commits_record, since="high-watermark"),
    sometimes(truncates_log, since="high-watermark", needs="max_epoch > 0"),
)
