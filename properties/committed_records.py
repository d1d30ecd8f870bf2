"""Promises to producers and consumers are kept."""

from ..model.controller.topic_deletion import is_deleting
from ..model.fetching import leads
from ..model.members import contains, how_many
from ..model.state import Kafka, Replica
from ..model.vocabulary import NO_RECORD, Batch, Broker, Brokers, Offset, Partition


def no_committed_data_loss(s: Kafka, partition: Partition, leader: Broker, offset: Offset) -> bool:
    """Every committed record is in the log of every later leader.

    A record is committed once it was below the high watermark of a serving leader; with acks=all these are the
    acknowledged records. A later leader serves in the epoch that committed the record, or in a later epoch. After
    an unclean election the new leader's log counts; records that it lacks are reported as lost, not as a violation.

    Golden traces: s3_truncation_loses_data.high-watermark, s6_stale_leader_answers.kip-279.
    """
    if not exists(s, partition) or not leads(s, partition, leader):
        return True
    me = s.replica[partition][leader]
    past = s.history[partition]
    if past.record[offset] == NO_RECORD or past.commit_epoch[offset] > me.leader_epoch:
        return True
    return holds(me, offset, past.record[offset])


def exists(s: Kafka, partition: Partition) -> bool:
    """The partition promises something: it has assigned brokers, or it is new and has a leader, and it is not being deleted."""
    if s.config.changing_partitions > 0:
        return s.zookeeper.leader_and_isr[partition].version > 0 and not s.zookeeper.removing[partition]
    return s.zookeeper.assigned[partition] != 0 and not is_deleting(s, partition)


def holds(me: Replica, offset: Offset, record: Batch) -> bool:
    """The replica's log has this record at the offset, or retention has deleted it there, as it may."""
    return offset < me.leo and (offset < me.log_start or me.log[offset].record == record)


def acknowledged_records_survive(s: Kafka, partition: Partition, leader: Broker, offset: Offset) -> bool:
    """What was acknowledged with acks=leader is in the log of the newest leader.

    This is violated. It is the price of acks=1, and the reason why Kafka guarantees only acks=all (G6).

    Golden trace: acks_leader_loses_data.kip-320.
    """
    past = s.history[partition]
    me = s.replica[partition][leader]
    if not leads(s, partition, leader) or me.leader_epoch != past.served:
        return True
    return past.acknowledged[offset] == NO_RECORD or holds(me, offset, past.acknowledged[offset])


def producers_are_told_of_their_records(s: Kafka, partition: Partition, offset: Offset) -> bool:
    """What a producer with acks=all is told of is committed where it was told: no other record is there.

    Else its record is lost, although it was acknowledged, and the log of no broker shows that anything is amiss (G6, N8).
    A broker that knows a request only by its offset answers it for whatever record is there by then (KAFKA-2960).

    Golden traces: answered_for_another.high-watermark, late_produce.4.4.
    """
    past = s.history[partition]
    if past.answered[offset] == NO_RECORD or past.record[offset] == NO_RECORD:
        return True
    return past.answered[offset] == past.record[offset]


def acknowledged_records_survive_losses(s: Kafka, partition: Partition, offset: Offset) -> bool:
    """A record acknowledged with acks=all and min.isr = k is still on some broker after k - 1 brokers are lost.

    This is the promise of acks=all with min.isr (G6): the record was on k brokers when the producer was acknowledged.
    """
    record = s.history[partition].assured[offset]
    if record == NO_RECORD or how_many(s, s.spent.lost_brokers) >= s.config.min_isr or not exists(s, partition):
        return True
    if s.history[partition].unclean_epoch >= 0:
        return True
    return some_broker_holds(s, partition, offset, record)


def some_broker_holds(s: Kafka, partition: Partition, offset: Offset, record: Batch) -> bool:
    """Some broker has the record at the offset, running or not."""
    for broker in range(s.config.members):
        if holds(s.replica[partition][broker], offset, record):
            return True
    return False


def committed_records_stay_readable(s: Kafka, partition: Partition, broker: Broker, offset: Offset) -> bool:
    """While a member of the published ISR runs, some running member has each committed record.

    A clean election can then make the record readable again, whatever the other brokers do.
    """
    past = s.history[partition]
    node = s.zookeeper.leader_and_isr[partition]
    if past.record[offset] == NO_RECORD or past.commit_epoch[offset] < past.unclean_epoch or node.version <= 0:
        return True
    if not exists(s, partition) or not contains(node.isr, broker) or not s.broker[broker].up:
        return True
    return some_member_holds(s, partition, node.isr, offset, past.record[offset])


def some_member_holds(s: Kafka, partition: Partition, isr: Brokers, offset: Offset, record: Batch) -> bool:
    """A member of this ISR runs and has the record at the offset."""
    for broker in range(s.config.members):
        if contains(isr, broker) and s.broker[broker].up and holds(s.replica[partition][broker], offset, record):
            return True
    return False


def consumer_sees_only_committed(s: Kafka, t: Kafka, partition: Partition, offset: Offset) -> bool:
    """A consumer never reads a record other than the one committed at its offset.

    A new leader's high watermark may lag behind the old one's. The consumer then gets an empty set,
    never a wrong record (Q15).
    """
    if s.consumer[partition].position != offset or t.consumer[partition].position == offset:
        return True
    return t.consumer[partition].record == s.history[partition].record[offset]


def consumer_stays_in_range(s: Kafka, t: Kafka, partition: Partition) -> bool:
    """A consumer that reads in order never gets an out-of-range error from the newest leader.

    That error makes a client start again; this is the second half of Q15. In every revision a zombie may answer so,
    because it lacks what was committed since. Only consumers that send a leader epoch can notice.
    """
    refused = t.consumer[partition].refused_in
    return refused == s.consumer[partition].refused_in or refused < s.history[partition].served
