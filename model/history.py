"""What properties must remember. Not present in an implementation: no guard reads it."""

from .members import NO_BROKER, excluding, how_many, including
from .min_isr import known_min_isr
from .state import Kafka
from .vocabulary import NO_EPOCH, NO_RECORD, Batch, Broker, Brokers, Epoch, Offset, Partition


def remember_commit(s: Kafka, partition: Partition, leader: Broker, old_hw: Offset) -> None:
    """The leader's high watermark rose from `old_hw`: what it passed is committed from now on.

    What a leader commits after an unclean election in a later epoch is lost already (A3).
    """
    me = s.replica[partition][leader]
    past = s.history[partition]
    for offset in range(s.config.log_size):
        if old_hw <= offset and offset < me.hw:
            if past.record[offset] == NO_RECORD and me.leader_epoch >= past.unclean_epoch:
                past.record[offset] = me.log[offset].record
                past.commit_epoch[offset] = me.leader_epoch
            elif past.record[offset] != me.log[offset].record and me.leader_epoch >= past.unclean_epoch:
                past.contradicted = 1
            elif past.record[offset] != me.log[offset].record:
                past.lost = 1


def remember_assured(s: Kafka, partition: Partition, leader: Broker, isr: Brokers, old_hw: Offset) -> None:
    """acks=all: what the high watermark passes while `isr` has min.isr members is acknowledged to its producer."""
    me = s.replica[partition][leader]
    if how_many(s, isr) >= known_min_isr(s, leader):
        for offset in range(s.config.assured_offsets):
            if old_hw <= offset and offset < me.hw:
                s.history[partition].assured[offset] = me.log[offset].record


def remember_acknowledged(s: Kafka, partition: Partition, leader: Broker, old_leo: Offset) -> None:
    """acks=leader: what was appended from `old_leo` on is acknowledged at once."""
    me = s.replica[partition][leader]
    past = s.history[partition]
    for offset in range(s.config.log_size):
        if old_leo <= offset and offset < me.leo:
            past.acknowledged[offset] = me.log[offset].record


def remember_answered(s: Kafka, partition: Partition, end: Offset, record: Batch) -> None:
    """acks=all: the producer of `record`, which was appended below `end`, is told that it is committed there."""
    for offset in range(s.config.answered_offsets):
        if offset + 1 == end:
            s.history[partition].answered[offset] = record


def remember_unclean_election(s: Kafka, partition: Partition) -> None:
    """The controller has just elected a leader from outside the ISR."""
    s.history[partition].unclean_epoch = s.zookeeper.leader_and_isr[partition].leader_epoch


def remember_leader(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch) -> None:
    """`broker` begins to serve in `epoch`.

    From the first leader after an unclean election on, its log counts: committed records that it lacks are
    lost, those that it has are promised again.
    """
    me = s.replica[partition][broker]
    past = s.history[partition]
    if epoch > past.served:
        past.served = epoch
        past.server = broker
    for offset in range(s.config.log_size):
        if past.record[offset] != NO_RECORD and past.commit_epoch[offset] < past.unclean_epoch and epoch >= past.unclean_epoch:
            if offset < me.leo and (offset < me.log_start or me.log[offset].record == past.record[offset]):
                past.commit_epoch[offset] = epoch
            else:
                past.record[offset] = NO_RECORD
                past.commit_epoch[offset] = NO_EPOCH
                past.lost = 1


def forget_history(s: Kafka, partition: Partition) -> None:
    """Forget everything that the deleted partition promised."""
    past = s.history[partition]
    for offset in range(s.config.log_size):
        past.record[offset] = NO_RECORD
        past.commit_epoch[offset] = NO_EPOCH
        past.acknowledged[offset] = NO_RECORD
    for offset in range(s.config.assured_offsets):
        past.assured[offset] = NO_RECORD
    for offset in range(s.config.answered_offsets):
        past.answered[offset] = NO_RECORD


def remember_creation(s: Kafka, partition: Partition) -> None:
    """The topic is created again: all records that were written so far are an earlier generation's (Q14)."""
    past = s.history[partition]
    past.served = NO_EPOCH
    past.server = NO_BROKER
    past.unclean_epoch = NO_EPOCH
    s.generation[partition].again = 1
    s.generation[partition].born = s.spent.records
    s.generation[partition].obeyed = 0


def remember_generation(s: Kafka, partition: Partition, broker: Broker, present: int) -> None:
    """The broker's replica obeys a command of the topic's present generation, or one of an earlier generation."""
    if s.config.topic_recreations > 0:
        if present:
            s.generation[partition].obeyed = including(s.generation[partition].obeyed, broker)
        else:
            s.generation[partition].obeyed = excluding(s.generation[partition].obeyed, broker)
