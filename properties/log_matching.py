"""Logs converge to one prefix."""

from typing import Any

from ..model.broker.fetch import is_accepted
from ..model.broker.roles import leads
from ..model.log import last_epoch, same_record
from ..model.members import NO_BROKER
from ..model.vocabulary import FETCHING
from .committed_records import exists


def log_prefix_convergence(s: Any) -> bool:
    """Below the smaller of two high watermarks two logs are equal, and a follower's log is its leader's.

    The second half holds of a follower that has finished truncating and fetches in its leader's epoch:
    its log is a prefix of the leader's. Divergence is silent: nobody notices until the other leads, and
    then consumers read two histories. After an unclean election or a power loss a broker that has yet to
    truncate may hold another history below its high watermark; the first half is not asked then. The second
    is, and falls even in kip-320 after an unclean election: where the leader knows no epoch that old, the
    follower keeps what is below its high watermark (T8), which is another history.

    Expected since: kip-320-first-try. Golden traces: s1_silent_divergence.kip-101,
    s2_unclean_failovers.kip-101.
    """
    for partition in range(s.config.partitions):
        for one in range(s.config.members):
            for other in range(s.config.members):
                if one < other and not agree_below_high_watermarks(s, partition, one, other):
                    return False
            if exists(s, partition) and not is_prefix_of_leader(s, partition, one):
                return False
    return True


def agree_below_high_watermarks(s: Any, partition: Any, one: Any, other: Any) -> bool:
    """The two logs hold the same records below both high watermarks."""
    if s.spent.unclean_elections > 0 or s.spent.power_losses > 0:
        return True
    mine = s.replica[partition][one]
    theirs = s.replica[partition][other]
    for offset in range(s.config.log_size):
        if offset < min(mine.hw, theirs.hw) and not same_record(mine, theirs, offset):
            return False
    return True


def is_prefix_of_leader(s: Any, partition: Any, follower: Any) -> bool:
    """A follower that fetches in its leader's epoch holds nothing that the leader does not."""
    me = s.replica[partition][follower]
    if not s.broker[follower].up or me.phase != FETCHING or me.leader == NO_BROKER:
        return True
    their = s.replica[partition][me.leader]
    if not leads(s, partition, me.leader) or their.leader_epoch != me.leader_epoch:
        return True
    if not is_accepted(s, their, me.leo, me.leader_epoch, last_epoch(me)):
        return True  # its next fetch shows the difference: truncation has not finished
    for offset in range(s.config.log_size):
        if offset < me.leo and not same_record(me, their, offset):
            return False
    return True


def append_in_order(s: Any) -> bool:
    """No follower is sent a batch that does not continue its log.

    When it happens the fetcher thread fails, and the replica stays behind until somebody intervenes
    (KAFKA-6361, first case).

    Expected since: kip-320-first-try. Golden trace: s1_out_of_order_append.kip-101.
    """
    for partition in range(s.config.partitions):
        for broker in range(s.config.members):
            if s.replica[partition][broker].failed:
                return False
    return True
