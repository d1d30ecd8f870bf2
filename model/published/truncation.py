"""Becoming a follower in the first three revisions: they differ only in where the log is cut.

The leader's own state is consulted for that offset alone; it need not know yet that it leads.
"""

from ..members import NO_BROKER
from ..vocabulary import Broker, Epoch, Offset
from .replication import same_record, truncate
from .state import Published


def offset_by_leader_epoch(s: Published, follower: Broker, leader: Broker) -> int:
    """KIP-101: where the leader's log goes beyond the epoch of the follower's last record.

    The answer may lie beyond the follower's end, and then the step is not possible.
    """
    me = s.replica[follower]
    their = s.replica[leader]
    if me.leo == 0:
        return 0
    if their.leo == 0:
        return me.hw
    last_epoch = me.log[me.leo - 1].epoch
    if their.log[their.leo - 1].epoch == last_epoch:
        return their.leo
    for offset in range(s.config.log_size):
        if offset < their.leo and their.log[offset].epoch > last_epoch:
            return offset
    return me.hw


def offset_of_last_match(s: Published, follower: Broker, leader: Broker) -> int:
    """KIP-279: the end of the last record, by id and epoch, that both logs hold at one offset."""
    match = 0
    for offset in range(s.config.log_size):
        if offset < min(s.replica[follower].leo, s.replica[leader].leo) and same_record(s, follower, leader, offset):
            match = offset + 1
    return match


def become_follower_truncating_to_high_watermark(s: Published, follower: Broker, epoch: Epoch) -> bool:
    """A replica obeys the request of `epoch` and cuts its log to its own high watermark.

    Design: published specification, BecomeFollowerTruncateToHighWatermark.   Kafka: Partition.makeFollower.
    Modifies: replica[follower].
    """
    if not may_follow(s, follower, epoch):
        return False

    follow_and_truncate(s, follower, epoch, s.replica[follower].hw)
    return True


def become_follower_kip_101(s: Published, follower: Broker, epoch: Epoch) -> bool:
    """A replica obeys the request of `epoch` and cuts its log by the leader's epochs (KIP-101).

    Design: published specification, BecomeFollowerTruncateKip101.   Kafka: Partition.makeFollower.
    Modifies: replica[follower].
    """
    if not may_follow(s, follower, epoch):
        return False
    end = offset_by_leader_epoch(s, follower, s.request[epoch].leader)
    if end > s.replica[follower].leo:
        return False  # the specification's guard: nothing is there to cut

    follow_and_truncate(s, follower, epoch, end)
    return True


def become_follower_kip_279(s: Published, follower: Broker, epoch: Epoch) -> bool:
    """A replica obeys the request of `epoch` and cuts its log to the last matching record (KIP-279).

    Design: published specification, BecomeFollowerTruncateKip279.   Kafka: Partition.makeFollower.
    Modifies: replica[follower].
    """
    if not may_follow(s, follower, epoch):
        return False

    follow_and_truncate(s, follower, epoch, offset_of_last_match(s, follower, s.request[epoch].leader))
    return True


def may_follow(s: Published, follower: Broker, epoch: Epoch) -> bool:
    """The request of `epoch` exists, is new to the follower, and names another leader."""
    if epoch >= s.next_leader_epoch:
        return False
    if epoch <= s.replica[follower].leader_epoch:
        return False
    leader = s.request[epoch].leader
    return leader != NO_BROKER and leader != follower


def follow_and_truncate(s: Published, follower: Broker, epoch: Epoch, end: Offset) -> None:
    """Take the request's epoch, leader and ISR, and cut the log to `end`."""
    me = s.replica[follower]
    me.leader_epoch = epoch
    me.leader = s.request[epoch].leader
    me.isr = s.request[epoch].isr
    truncate(s, follower, end)
