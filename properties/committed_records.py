"""What was promised to producers and consumers is kept."""

from typing import Any

from ..model.broker.roles import leads
from ..model.vocabulary import NO_RECORD


def no_committed_data_loss(s: Any) -> bool:
    """What was committed is in the log of every later leader.

    Committed: at some time below the high watermark of a serving leader; with acks=all that is what was
    acknowledged. Later: serving in the epoch that committed it, or in a later one. After an unclean
    election the new leader's log is the truth, and what it lacks is reported as lost, not as a violation.

    Expected since: kip-320-first-try. Golden traces: s3_truncation_loses_data.high-watermark,
    s6_stale_leader_answers.kip-279.
    """
    for partition in range(s.config.partitions):
        for broker in range(s.config.members):
            if exists(s, partition) and leads(s, partition, broker) and not holds_committed(s, partition, broker):
                return False
    return True


def exists(s: Any, partition: Any) -> bool:
    """The partition is assigned to brokers: it was created and not deleted. A deleted one promises nothing."""
    return s.zookeeper.assigned[partition] != 0


def holds_committed(s: Any, partition: Any, broker: Any) -> bool:
    """The leader's log holds all that was committed up to its own epoch."""
    me = s.replica[partition][broker]
    past = s.history[partition]
    for offset in range(s.config.log_size):
        if past.record[offset] != NO_RECORD and past.commit_epoch[offset] <= me.leader_epoch:
            if offset >= me.leo or me.log[offset].record != past.record[offset]:
                return False
    return True


def acknowledged_records_survive(s: Any) -> bool:
    """What was acknowledged with acks=leader is in the log of the newest leader.

    It is not: that is the price of acks=1, and why Kafka's guarantee speaks of acks=all (G6).

    Expected since: never. Golden trace: acks_leader_loses_data.kip-320.
    """
    for partition in range(s.config.partitions):
        past = s.history[partition]
        for broker in range(s.config.members):
            me = s.replica[partition][broker]
            if leads(s, partition, broker) and me.leader_epoch == past.served:
                for offset in range(s.config.log_size):
                    if past.acknowledged[offset] != NO_RECORD:
                        if offset >= me.leo or me.log[offset].record != past.acknowledged[offset]:
                            return False
    return True


def consumer_sees_only_committed(s: Any) -> bool:
    """A consumer never reads a record that is not the one committed at its offset.

    A new leader's high watermark may lie behind the old one's; the consumer then gets an empty set,
    never a wrong record (Q15).

    Expected since: kip-320-first-try.
    """
    for partition in range(s.config.partitions):
        if s.consumer[partition].wrong_record:
            return False
    return True


def consumer_stays_in_range(s: Any) -> bool:
    """A consumer that reads in order is never told by the newest leader that its offset is out of range.

    That error makes a client start over; the second half of Q15. A zombie does tell so, in every revision:
    it lacks what was committed since, and only consumers that send a leader epoch can tell.

    Expected since: kip-320-first-try.
    """
    for partition in range(s.config.partitions):
        if s.consumer[partition].out_of_range:
            return False
    return True
