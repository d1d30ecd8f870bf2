"""Logs converge to one prefix."""

from ..model.fetching import is_accepted, is_beyond_end, leads
from ..model.log import last_epoch, same_record
from ..model.members import NO_BROKER
from ..model.state import Kafka
from ..model.vocabulary import NO_EPOCH, Broker, Offset, Partition, Phase
from .committed_records import exists


def log_prefix_convergence(s: Kafka, partition: Partition, broker: Broker, other: Broker, offset: Offset) -> bool:
    """Below the smaller of two high watermarks two logs are equal, and a follower's log is a prefix of its leader's.

    The second half is about a follower that has finished truncating and fetches in its leader's epoch.
    Divergence is silent: no one notices until the other broker leads, and then consumers read two histories.
    After an unclean election or a power loss, a broker that has yet to follow the new leader may hold the old
    history below its high watermark; the first half does not check such a broker.

    Golden traces: s1_silent_divergence.kip-101, s2_unclean_failovers.kip-101.
    """
    if broker < other and not agree_below_high_watermarks(s, partition, broker, other, offset):
        return False
    if s.replica[partition][broker].leader != other or not exists(s, partition):
        return True
    return agrees_with_leader(s, partition, broker, other, offset)


def agree_below_high_watermarks(s: Kafka, partition: Partition, broker: Broker, other: Broker, offset: Offset) -> bool:
    """The two logs hold the same record at the offset, if it is below both high watermarks.

    A high watermark beyond the end of its log (`hw_within_log`) says nothing of records that the log does not have.
    """
    if is_of_old_history(s, partition, broker) or is_of_old_history(s, partition, other):
        return True
    me = s.replica[partition][broker]
    their = s.replica[partition][other]
    return offset >= min(me.hw, me.leo, their.hw, their.leo) or same_record(me, their, offset)


def is_of_old_history(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """The broker has yet to follow a leader elected from outside the ISR, or after a power loss the newest leader."""
    me = s.replica[partition][broker]
    past = s.history[partition]
    began = past.unclean_epoch
    if s.spent.power_losses > 0:
        began = max(began, past.served)
    if began == NO_EPOCH:
        return False
    if me.leader_epoch < began or me.leader == NO_BROKER:
        return True
    return me.leader != broker and not has_truncated(s, partition, broker, me.leader)


def agrees_with_leader(s: Kafka, partition: Partition, follower: Broker, leader: Broker, offset: Offset) -> bool:
    """A follower that fetches in its leader's epoch has no record at the offset that the leader does not have there."""
    me = s.replica[partition][follower]
    their = s.replica[partition][leader]
    if offset >= me.leo or not leads(s, partition, leader) or their.leader_epoch != me.leader_epoch:
        return True
    return not has_truncated(s, partition, follower, leader) or same_record(me, their, offset)


def has_truncated(s: Kafka, partition: Partition, follower: Broker, leader: Broker) -> bool:
    """The follower fetches, and no epoch in its next fetch shows that the logs differ: truncation has finished."""
    me = s.replica[partition][follower]
    if not s.broker[follower].up or me.phase is not Phase.FETCHING:
        return False
    their = s.replica[partition][leader]
    named = last_epoch(s, me)
    return is_accepted(s, their, me.leo, me.leader_epoch, named) or is_beyond_end(s, their, me.leo, named)


def append_in_order(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """No follower receives a batch that does not continue its log, or a log start that it cannot take over.

    When it happens, the fetcher thread fails and the replica stays behind until an operator intervenes
    (KAFKA-6361, first case; KAFKA-7104; KAFKA-12996).

    Golden trace: s1_out_of_order_append.kip-101.
    """
    return not s.replica[partition][broker].failed
