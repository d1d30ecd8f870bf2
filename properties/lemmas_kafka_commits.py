"""Lemmas of the Kafka model about commits: who can still commit what, and where the records are that were committed.

A leader commits what the ends say that it remembers of its ISR (`fetched_to`), also as a zombie. So a record is blocked for a
leader when a member of its ISR has left its epoch before it fetched so far. What is not blocked may be committed at any
time, and every broker that can lead later must have it.
"""

from ..model.broker.high_watermark import isr_that_commits
from ..model.kraft_choices import UnderMinIsr
from ..model.log import same_record
from ..model.members import NO_BROKER, contains, how_many, only
from ..model.min_isr import known_min_isr
from ..model.state import Kafka
from ..model.vocabulary import NO_RECORD, Batch, Broker, Brokers, Epoch, Offset, Partition, Phase
from .commands import (
    has_begun,
    has_left,
    has_reached,
    is_awaited,
    is_in_or_restarts_in,
    is_sent,
    sent_epoch,
    sent_isr,
    sent_leader,
)
from .committed_records import holds
from .lemmas_kafka_logs import WHERE, end_after_answer
from .property import Property, always

# Words.


def is_blocked(s: Kafka, partition: Partition, leader: Broker, offset: Offset) -> bool:
    """The leader will not commit the record at the offset by the ISR that it knows and asks for."""
    if is_under_min_isr(s, leader, s.replica[partition][leader].isr):
        return True
    return is_blocked_by(s, partition, leader, isr_that_commits(s, partition, leader), offset)


def is_under_min_isr(s: Kafka, leader: Broker, isr: Brokers) -> bool:
    """With this ISR nothing is committed (KAFKA-15583)."""
    return s.config.under_min_isr is UnderMinIsr.WAITS and how_many(s, isr) < known_min_isr(s, leader)


def is_blocked_by(s: Kafka, partition: Partition, leader: Broker, isr: Brokers, offset: Offset) -> bool:
    """A member of this ISR has left the leader's epoch, and had not fetched the record at the offset."""
    me = s.replica[partition][leader]
    for member in range(s.config.members):
        if member != leader and contains(isr, member) and has_left(s, partition, member, me.leader_epoch):
            if me.fetched_to[member] <= offset:
                return True
    return False


def is_blocked_from_the_start(s: Kafka, partition: Partition, command: int) -> bool:
    """A member of the ISR with which the awaited leader begins has left that epoch, or it cannot commit by that ISR."""
    leader, isr, epoch = sent_leader(s, partition, command), sent_isr(s, partition, command), sent_epoch(s, partition, command)
    if is_under_min_isr(s, leader, isr):
        return True
    for member in range(s.config.members):
        if member != leader and contains(isr, member) and has_left(s, partition, member, epoch):
            return True
    return False


def electable(s: Kafka, partition: Partition) -> int:
    """Who may be elected: the published ISR, and with KIP-966 the eligible replicas, and once it is empty the last leader."""
    isr = s.zookeeper.leader_and_isr[partition].isr
    if s.config.eligible_partitions == 0:
        return isr
    log = s.metadata[0]
    if isr == 0 and log.last_leader[partition] != NO_BROKER:
        return log.elr[partition] | only(log.last_leader[partition])
    return isr | log.elr[partition]


def may_lead_after(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch) -> bool:
    """The broker is in an ISR of an epoch after `epoch`: the published one, a leader's or an awaited one's; or has led since."""
    node = s.zookeeper.leader_and_isr[partition]
    if node.leader_epoch > epoch and contains(electable(s, partition), broker):
        return True
    if s.history[partition].served > epoch and s.history[partition].server == broker:
        return True
    for leader in range(s.config.members):
        their = s.replica[partition][leader]
        if their.leader == leader and their.leader_epoch > epoch:
            if contains(isr_that_commits(s, partition, leader), broker):
                return True
    for command in range(s.config.commands):
        if sent_epoch(s, partition, command) > epoch and is_awaited(s, partition, command):
            if contains(sent_isr(s, partition, command), broker):
                return True
    return False


def is_secure(s: Kafka, partition: Partition, isr: Brokers, offset: Offset, record: Batch, epoch: Epoch) -> bool:
    """Every member of `isr` has the record that was committed in `epoch`, and has been in that epoch."""
    for member in range(s.config.members):
        if contains(isr, member):
            if not holds(s.replica[partition][member], offset, record) or not has_reached(s, partition, member, epoch):
                return False
    return True


def is_committed(s: Kafka, partition: Partition, offset: Offset, record: Batch, epoch: Epoch) -> bool:
    """The record can have been committed in `epoch`: it is wherever it has to be, and no earlier leader can commit another."""
    if not has_begun(s, partition, epoch):
        return False
    if not is_secure(s, partition, electable(s, partition), offset, record, epoch):
        return False
    for leader in range(s.config.members):
        if s.replica[partition][leader].leader == leader and not leader_respects(s, partition, leader, offset, record, epoch):
            return False
    for command in range(s.config.commands):
        if is_awaited(s, partition, command):
            other = sent_epoch(s, partition, command)
            if other < epoch and not is_blocked_from_the_start(s, partition, command):
                return False
            if other > epoch and not is_secure(s, partition, sent_isr(s, partition, command), offset, record, epoch):
                return False
    return not is_to_be_cut(s, partition, offset, record, epoch)


def is_to_be_cut(s: Kafka, partition: Partition, offset: Offset, record: Batch, epoch: Epoch) -> bool:
    """An answer on its way to a follower in this epoch, or a later one, cuts the record."""
    for follower in range(s.config.members):
        me = s.replica[partition][follower]
        if me.phase is Phase.ANSWERED and me.leader_epoch >= epoch and holds(me, offset, record):
            if offset >= end_after_answer(s, me):
                return True
    return False


def leader_respects(s: Kafka, partition: Partition, leader: Broker, offset: Offset, record: Batch, epoch: Epoch) -> bool:
    """An earlier leader has the record or is blocked; any other has it, with its ISR, and admits nobody without it."""
    me = s.replica[partition][leader]
    if me.leader_epoch < epoch:
        return holds(me, offset, record) or is_blocked(s, partition, leader, offset)
    if not holds(me, offset, record) or offset >= max(me.hw, me.term_start):
        return False
    return is_secure(s, partition, isr_that_commits(s, partition, leader), offset, record, epoch)


# What a leader remembers of fetches.


def leader_remembers_its_own_term(s: Kafka, partition: Partition, leader: Broker, follower: Broker, offset: Offset) -> bool:
    """The end that a leader remembers of a follower was told in the leader's own epoch, and names what both have.

    This needs a leader that forgets the ends of its earlier term when it is elected again (`lead_again` = forgets-ends).
    """
    me = s.replica[partition][leader]
    if leader == follower or offset >= me.fetched_to[follower]:
        return True
    if me.leader != leader or offset >= me.leo or not has_reached(s, partition, follower, me.leader_epoch):
        return False
    if not is_in_or_restarts_in(s, partition, follower, me.leader_epoch):
        return True
    return same_record(me, s.replica[partition][follower], offset)


# Who can still commit.


def later_leaders_have_what_may_be_committed(
    s: Kafka, partition: Partition, leader: Broker, broker: Broker, offset: Offset
) -> bool:
    """Who may lead later, or is in the leader's ISR, has what is not blocked for the leader, or is in no later epoch than it."""
    if s.replica[partition][leader].leader != leader or is_blocked(s, partition, leader, offset):
        return True
    return has_what_is_not_blocked(s, partition, leader, isr_that_commits(s, partition, leader), broker, offset)


def has_what_is_not_blocked(s: Kafka, partition: Partition, leader: Broker, isr: Brokers, broker: Broker, offset: Offset) -> bool:
    """The same of a record that is not blocked for the leader by this ISR."""
    me = s.replica[partition][leader]
    is_member = contains(isr, broker)
    if not is_member and not may_lead_after(s, partition, broker, me.leader_epoch):
        return True
    if not has_left(s, partition, broker, me.leader_epoch):
        return is_member
    return offset < me.leo and holds(s.replica[partition][broker], offset, me.log[offset].record)


def later_isr_blocks_awaited_leader(s: Kafka, partition: Partition, command: int, broker: Broker) -> bool:
    """Who may lead later is in the ISR of a leader that has yet to obey, and no later than it; else that leader is blocked."""
    if not is_awaited(s, partition, command) or is_blocked_from_the_start(s, partition, command):
        return True
    epoch = sent_epoch(s, partition, command)
    if not may_lead_after(s, partition, broker, epoch):
        return True
    return contains(sent_isr(s, partition, command), broker) and not has_left(s, partition, broker, epoch)


# What was committed.


def newest_leader_is_remembered(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """The history knows the latest epoch that has begun, and who led in it."""
    past = s.history[partition]
    node = s.zookeeper.leader_and_isr[partition]
    me = s.replica[partition][broker]
    if past.served < 0 or past.server == NO_BROKER or past.served > node.leader_epoch or not has_begun(s, partition, past.served):
        return False
    if past.served == node.leader_epoch and past.server != node.leader:
        return False
    for command in range(s.config.commands):
        if is_sent(s, partition, command) and sent_epoch(s, partition, command) == past.served:
            if past.server != sent_leader(s, partition, command):
                return False
    if past.server == broker and not has_reached(s, partition, broker, past.served):
        return False
    if me.leader_epoch == past.served:
        return me.leader == past.server
    return me.leader != broker or me.leader_epoch < past.served


def committed_records_are_secure(s: Kafka, partition: Partition, offset: Offset) -> bool:
    """A committed record is with every leader since, with its ISR, and with the published ISR."""
    past = s.history[partition]
    if past.record[offset] == NO_RECORD:
        return True
    if past.commit_epoch[offset] < 0 or past.commit_epoch[offset] > past.served:
        return False
    return is_committed(s, partition, offset, past.record[offset], past.commit_epoch[offset])


def high_watermark_tells_of_commits(s: Kafka, partition: Partition, broker: Broker, offset: Offset) -> bool:
    """What lies below a high watermark, in memory or on disk, was committed, in no later epoch than its broker's."""
    me = s.replica[partition][broker]
    return offset >= max(me.hw, me.checkpoint) or is_known_as_committed(s, partition, broker, offset)


def is_known_as_committed(s: Kafka, partition: Partition, broker: Broker, offset: Offset) -> bool:
    """The broker's record was committed, and can have been in an epoch that the broker has reached.

    Which one the history does not say: a zombie may commit again, in an earlier epoch, what is committed already.
    """
    me = s.replica[partition][broker]
    record = s.history[partition].record[offset]
    if record == NO_RECORD or not holds(me, offset, record):
        return False
    for epoch in range(s.config.epochs):
        if has_reached(s, partition, broker, epoch) and is_committed(s, partition, offset, record, epoch):
            return True
    return False


def answer_leaves_what_may_be_committed(s: Kafka, partition: Partition, follower: Broker, leader: Broker, offset: Offset) -> bool:
    """An answer cuts nothing that a leader of an earlier epoch than the follower's may still commit."""
    me = s.replica[partition][follower]
    their = s.replica[partition][leader]
    if their.leader != leader or their.leader_epoch >= me.leader_epoch or is_blocked(s, partition, leader, offset):
        return True
    if me.phase is not Phase.ANSWERED or offset >= min(me.leo, their.leo) or offset < end_after_answer(s, me):
        return True
    return their.log[offset].record != me.log[offset].record


COMMIT_LEMMAS: tuple[Property, ...] = (
    always(leader_remembers_its_own_term, **WHERE),
    always(later_leaders_have_what_may_be_committed, **WHERE),
    always(later_isr_blocks_awaited_leader, **WHERE),
    always(newest_leader_is_remembered, **WHERE),
    always(committed_records_are_secure, **WHERE),
    always(high_watermark_tells_of_commits, **WHERE),
    always(answer_leaves_what_may_be_committed, **WHERE),
)
