"""KIP-320 as first proposed: the epoch of the last record is compared at each fetch; nothing is fenced.

Truncation moves from becoming a follower to the first fetch. A stale leader may still answer, which is
how this design is violated with three replicas.
"""

from ..members import contains, excluding, including
from ..vocabulary import Broker, Epoch, Offset
from .replication import append_from, is_true_leader, presumes, truncate, write_isr
from .state import Published
from .truncation import may_follow, offset_of_last_match


def is_caught_up_in_epochs(s: Published, leader: Broker, follower: Broker, end: Offset) -> bool:
    """As `is_caught_up`, and the leader presumes to lead, and both last records below `end` agree in epoch."""
    if not presumes(s, leader):
        return False
    if s.replica[follower].leader != leader:
        return False
    if end == 0:
        return True
    if end > s.replica[leader].leo:
        return False
    if end > s.replica[follower].leo:
        return False
    return s.replica[follower].log[end - 1].epoch == s.replica[leader].log[end - 1].epoch


def has_high_watermark_in_epoch(s: Published, leader: Broker) -> bool:
    """The high watermark reached the leader's own epoch: all it inherited is committed."""
    me = s.replica[leader]
    if me.hw == me.leo:
        return True
    return me.log[me.hw].epoch == me.leader_epoch


def leader_shrink_isr_by_epochs(s: Published, leader: Broker, follower: Broker) -> bool:
    """The true leader drops a follower whose log does not agree with all of its own.

    Design: published specification, LeaderShrinkIsrBetterFencing.   Kafka: Partition.maybeShrinkIsr.
    Modifies: quorum, replica[leader].
    """
    if leader == follower:
        return False
    if not contains(s.replica[leader].isr, follower):
        return False
    if is_caught_up_in_epochs(s, leader, follower, s.replica[leader].leo):
        return False
    if not is_true_leader(s, leader):
        return False

    write_isr(s, leader, excluding(s.replica[leader].isr, follower))
    return True


def leader_expand_isr_by_epochs(s: Published, leader: Broker, follower: Broker) -> bool:
    """The true leader takes a follower back that agrees up to a high watermark of the leader's epoch.

    Design: published specification, LeaderExpandIsrBetterFencing.   Kafka: Partition.maybeExpandIsr.
    Modifies: quorum, replica[leader].
    """
    if contains(s.replica[leader].isr, follower):
        return False
    if not is_caught_up_in_epochs(s, leader, follower, s.replica[leader].hw):
        return False
    if not has_high_watermark_in_epoch(s, leader):
        return False
    if not is_true_leader(s, leader):
        return False

    write_isr(s, leader, including(s.replica[leader].isr, follower))
    return True


def leader_advance_high_watermark_by_epochs(s: Published, leader: Broker) -> bool:
    """A presumed leader commits the next record when its local ISR agree on it in epoch.

    Design: published specification, ImprovedLeaderIncHighWatermark.   Kafka: Partition.maybeIncrementLeaderHW.
    Modifies: replica[leader].
    """
    me = s.replica[leader]
    if not presumes(s, leader):
        return False
    if me.hw >= me.leo:
        return False
    for follower in range(s.config.members):
        if contains(me.isr, follower) and not is_caught_up_in_epochs(s, leader, follower, me.hw + 1):
            return False

    me.hw += 1
    return True


def follower_fetch(s: Published, follower: Broker, leader: Broker) -> bool:
    """A follower whose last record agrees in epoch with the leader's there fetches the next one.

    Design: published specification, FollowerFetch.   Kafka: ReplicaFetcherThread.
    Modifies: replica[follower].
    """
    if not is_caught_up_in_epochs(s, leader, follower, s.replica[follower].leo):
        return False
    if s.replica[follower].leo >= s.replica[leader].leo:
        return False

    append_from(s, follower, leader)
    return True


def become_follower_without_truncation(s: Published, follower: Broker, epoch: Epoch) -> bool:
    """A replica obeys the request of `epoch` and keeps its log for now.

    Design: published specification, BecomeFollower.   Kafka: Partition.makeFollower.
    Modifies: replica[follower].
    """
    if not may_follow(s, follower, epoch):
        return False

    me = s.replica[follower]
    me.leader_epoch = epoch
    me.leader = s.request[epoch].leader
    me.isr = s.request[epoch].isr
    return True


def follower_truncate(s: Published, follower: Broker, leader: Broker) -> bool:
    """A follower that learns at the fetch that its log disagrees cuts it to the last matching record.

    Design: published specification, FollowerTruncate.   Kafka: ReplicaFetcherThread.truncate.
    Modifies: replica[follower].
    """
    if not presumes(s, leader):
        return False
    if s.replica[follower].leader != leader:
        return False
    me = s.replica[follower]
    if me.leo == 0:
        return False
    if me.leo <= s.replica[leader].leo and me.log[me.leo - 1].epoch == s.replica[leader].log[me.leo - 1].epoch:
        return False  # the logs agree as far as the follower's reaches

    truncate(s, follower, offset_of_last_match(s, follower, leader))
    return True
