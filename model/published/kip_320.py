"""KIP-320: everything between leader and follower happens in one leader epoch, which both know."""

from ..members import contains, excluding, including
from ..vocabulary import Broker, Epoch
from .kip_320_first_try import has_high_watermark_in_epoch
from .replication import append_from, is_true_leader, presumes, write_isr
from .state import Published
from .truncation import follow_and_truncate, may_follow, offset_of_last_match


def are_in_one_epoch(s: Published, leader: Broker, follower: Broker) -> bool:
    """`leader` presumes to lead, and `follower` follows it in the same epoch."""
    if not presumes(s, leader):
        return False
    if s.replica[follower].leader != leader:
        return False
    return s.replica[follower].leader_epoch == s.replica[leader].leader_epoch


def fenced_leader_shrink_isr(s: Published, leader: Broker, follower: Broker) -> bool:
    """The true leader drops a follower that is in another epoch or behind.

    Design: published specification, FencedLeaderShrinkIsr.   Kafka: Partition.maybeShrinkIsr.
    Modifies: quorum, replica[leader].
    """
    if leader == follower:
        return False
    if not contains(s.replica[leader].isr, follower):
        return False
    if are_in_one_epoch(s, leader, follower) and s.replica[follower].leo >= s.replica[leader].leo:
        return False
    if not is_true_leader(s, leader):
        return False

    write_isr(s, leader, excluding(s.replica[leader].isr, follower))
    return True


def fenced_leader_expand_isr(s: Published, leader: Broker, follower: Broker) -> bool:
    """The true leader takes back a follower of its epoch that has reached a high watermark of its epoch.

    Design: published specification, FencedLeaderExpandIsr.   Kafka: Partition.maybeExpandIsr.
    Modifies: quorum, replica[leader].
    """
    if contains(s.replica[leader].isr, follower):
        return False
    if not are_in_one_epoch(s, leader, follower):
        return False
    if s.replica[follower].leo < s.replica[leader].hw:
        return False
    if not has_high_watermark_in_epoch(s, leader):
        return False
    if not is_true_leader(s, leader):
        return False

    write_isr(s, leader, including(s.replica[leader].isr, follower))
    return True


def fenced_leader_advance_high_watermark(s: Published, leader: Broker) -> bool:
    """A leader commits the next record when all of its local ISR have it and are in its epoch.

    Design: published specification, FencedLeaderIncHighWatermark.   Kafka: Partition.maybeIncrementLeaderHW.
    Modifies: replica[leader].
    """
    me = s.replica[leader]
    if not presumes(s, leader):
        return False
    if me.hw >= me.leo:
        return False
    for follower in range(s.config.members):
        if contains(me.isr, follower):
            if not are_in_one_epoch(s, leader, follower):
                return False
            if s.replica[follower].leo <= me.hw:
                return False

    me.hw += 1
    return True


def fenced_follower_fetch(s: Published, follower: Broker, leader: Broker) -> bool:
    """A follower in its leader's epoch fetches the next record.

    Design: published specification, FencedFollowerFetch.   Kafka: ReplicaFetcherThread.
    Modifies: replica[follower].
    """
    if not are_in_one_epoch(s, leader, follower):
        return False
    if s.replica[follower].leo >= s.replica[leader].leo:
        return False

    append_from(s, follower, leader)
    return True


def fenced_become_follower_and_truncate(s: Published, follower: Broker, epoch: Epoch) -> bool:
    """A replica obeys the request of `epoch` once its leader has, and cuts its log to the last match.

    Design: published specification, FencedBecomeFollowerAndTruncate.   Kafka: Partition.makeFollower.
    Modifies: replica[follower].
    """
    if not may_follow(s, follower, epoch):
        return False
    leader = s.request[epoch].leader
    if not presumes(s, leader):
        return False
    if s.replica[leader].leader_epoch != epoch:
        return False  # the answer of a leader in another epoch is refused

    follow_and_truncate(s, follower, epoch, offset_of_last_match(s, follower, leader))
    return True
