"""Records are written by the leader and fetched by followers."""

from ..members import contains, how_many, including
from ..vocabulary import Broker, Epoch, Offset
from .messages import fetches_have_room, receive, send_fetch, waiting_fetch
from .replica import (
    advance_high_watermark,
    committed_by,
    end_of_epoch,
    is_pending,
    last_epoch,
    last_epoch_up_to,
    may_advance,
    truncate,
)
from .state import NOTHING, FetchError, PublishedKraft, Role, Status, Write

# Writing.


def may_write(s: PublishedKraft, broker: Broker) -> bool:
    """The broker leads, as it believes, and its maximal ISR is large enough."""
    me = s.broker[broker]
    return me.status is Status.RUNNING and me.role is Role.LEADER and how_many(s, me.known.maximal_isr) >= s.config.min_isr


def committed_with_record(s: PublishedKraft, broker: Broker) -> int:
    """What is committed as the next record is written. As written: nothing if the log was empty before."""
    me = s.broker[broker]
    if me.leo == 0 and s.config.write is not Write.WITH_THE_RECORD:
        return 0
    return committed_by(s, broker, me.known.maximal_isr, me.leo + 1)


def cannot_be_evaluated(s: PublishedKraft, broker: Broker) -> bool:
    """As written: a write commits its own record, and the specification reads it in the log before the write.

    That reading is an error if it happens: consumers read the record, or a producer is looked for that waits for it.
    """
    me = s.broker[broker]
    new = committed_with_record(s, broker)
    if s.config.write is Write.WITH_THE_RECORD or new <= me.leo or not may_advance(s, me.known.isr, me.hw, new):
        return False
    if new > s.true_hw:
        return True
    for value in range(s.config.values):
        if is_pending(s, value) and not is_found(s, broker, value + 1):
            return True
    return False


def is_found(s: PublishedKraft, broker: Broker, value: int) -> bool:
    """The value is among the records that the broker wrote, above its high watermark."""
    me = s.broker[broker]
    for offset in range(s.config.values):
        if me.hw <= offset and offset < me.leo and me.floor != NOTHING and me.floor <= offset and me.log[offset].record == value:
            return True
    return False


def write_record_to_leader(s: PublishedKraft, broker: Broker, value: int) -> bool:
    """A producer's record is appended by the leader, who commits it at once if it is alone in the ISR.

    Design: KR5; published KRaft specifications, WriteRecordToLeader.   Kafka: Partition.appendRecordsToLeader.
    Modifies: broker[broker], sent, acknowledged, refused, true_hw, consumed.
    """
    me = s.broker[broker]
    if contains(s.sent, value):
        return False
    if not may_write(s, broker):
        return False
    if cannot_be_evaluated(s, broker):
        return False  # the specification ends here, which the property `writes_can_be_evaluated` reports

    committed = committed_with_record(s, broker)
    if s.config.write is Write.WITH_THE_RECORD:
        append(s, broker, value)
        advance_high_watermark(s, broker, me.known.isr, committed, True)
    else:
        advance_high_watermark(s, broker, me.known.isr, committed, True)
        append(s, broker, value)
    return True


def append(s: PublishedKraft, broker: Broker, value: int) -> None:
    """The leader's log has one record more, for which a producer waits."""
    me = s.broker[broker]
    if me.floor == NOTHING:
        me.floor = me.leo
    me.log[me.leo].record = value + 1
    me.log[me.leo].epoch = me.known.leader_epoch
    me.leo += 1
    s.sent = including(s.sent, value)


# Fetching.


def has_converged(s: PublishedKraft, leader: Broker, follower: Broker) -> bool:
    """A fetch would bring nothing. The follower cannot know it; it keeps the original's behaviours finite."""
    me = s.broker[leader]
    them = s.broker[follower]
    if me.leo != them.leo or me.hw != them.hw:
        return False
    return me.peer[follower].leo == them.leo and me.peer[follower].broker_epoch == them.broker_epoch


def send_fetch_request(s: PublishedKraft, follower: Broker, leader: Broker) -> bool:
    """A follower fetches at its end, unless it awaits a response.

    Design: published KRaft specifications, SendFetchRequest.   Kafka: AbstractFetcherThread.doWork.
    Modifies: broker[follower].fetcher, fetch.
    """
    me = s.broker[follower]
    it = me.fetcher[leader]
    if follower == leader:
        return False
    if me.status is not Status.RUNNING:
        return False
    if not it.added or it.waits:
        return False
    if me.known.leader != leader:
        return False
    if has_converged(s, leader, follower):
        return False
    if not fetches_have_room(s):
        return False  # bound of the exploration

    new = s.fetch[s.config.fetches - 1]
    new.response = 0
    new.follower = follower
    new.leader = leader
    new.leader_epoch = me.known.leader_epoch
    new.offset = it.offset
    new.broker_epoch = me.broker_epoch
    new.last_epoch = it.last_epoch
    send_fetch(s)
    it.waits = 1
    it.delayed = 0
    return True


def receive_fetch_request(s: PublishedKraft, leader: Broker, follower: Broker) -> bool:
    """A broker answers a fetch: with an error, with the place where the logs differ, or with records.

    It is an error if the broker does not lead in the leader epoch of the fetch. Only a fetch that is answered with records tells
    what the follower has, so that more may be committed.

    Design: KR5; published KRaft specifications, ReceiveFetchRequest.   Kafka: Partition.fetchRecords, updateFollowerFetchState.
    Modifies: broker[leader], fetch, acknowledged, refused, true_hw, consumed.
    """
    at = waiting_fetch(s, 0, follower, leader)
    if at < 0:
        return False
    me = s.broker[leader]
    if me.status is not Status.RUNNING:
        return False
    if not fetches_have_room(s):
        return False  # bound of the exploration

    it = s.fetch[at]
    new = s.fetch[s.config.fetches - 1]
    receive(it)
    new.response = 1
    new.follower = follower
    new.leader = leader
    new.leader_epoch = me.known.leader_epoch
    new.offset = it.offset
    if me.role is not Role.LEADER or me.known.leader_epoch != it.leader_epoch:
        new.error = error_for(me.known.leader_epoch, it.leader_epoch)
    else:
        new.end_epoch = last_epoch_up_to(s, leader, it.last_epoch, True)
        new.end = end_of_epoch(s, leader, it.last_epoch, True)
        if new.end_epoch < it.last_epoch or new.end < it.offset:
            new.diverging = 1
        else:
            new.end_epoch = 0
            new.end = 0
            me.peer[follower].leo = it.offset
            me.peer[follower].broker_epoch = it.broker_epoch
            committed = committed_by(s, leader, me.known.maximal_isr, me.leo)
            advance_high_watermark(s, leader, me.known.isr, committed, True)
            for number in range(s.config.records_per_fetch):
                if it.offset + number < me.leo:
                    new.records[number].record = me.log[it.offset + number].record
                    new.records[number].epoch = me.log[it.offset + number].epoch
    new.hw = me.hw
    send_fetch(s)
    return True


def error_for(own: Epoch, asked: Epoch) -> FetchError:
    """The error of a broker in the leader epoch `own` for a fetch in the leader epoch `asked`."""
    if own < asked:
        return FetchError.UNKNOWN_LEADER_EPOCH
    if own > asked:
        return FetchError.FENCED_LEADER_EPOCH
    return FetchError.NOT_LEADER_OR_FOLLOWER


def receive_fetch_response(s: PublishedKraft, follower: Broker, leader: Broker) -> bool:
    """A follower appends the records, cuts its log where it differs, or tries again.

    A response to something other than what it fetches now is ignored.

    Design: published KRaft specifications, ReceiveFetchResponse.   Kafka: AbstractFetcherThread.processFetchRequest.
    Modifies: broker[follower], fetch.
    """
    at = waiting_fetch(s, 1, follower, leader)
    if at < 0:
        return False
    me = s.broker[follower]
    it = me.fetcher[leader]
    if me.status is not Status.RUNNING:
        return False
    if not it.waits:
        return False

    new = s.fetch[at]
    it.waits = 0
    receive(new)
    if not it.added or it.offset != new.offset or me.known.leader_epoch != new.leader_epoch:
        return True
    if new.error is not FetchError.NONE:
        it.delayed = 1
    elif new.diverging:
        truncate(s, follower, truncation_point(s, follower, new.end_epoch, new.end))
        it.offset = me.leo
        it.last_epoch = last_epoch(s, follower)
        it.delayed = 0
    else:
        for number in range(s.config.records_per_fetch):
            if new.records[number].record > 0:
                me.log[me.leo].record = new.records[number].record
                me.log[me.leo].epoch = new.records[number].epoch
                it.last_epoch = new.records[number].epoch
                me.leo += 1
        if new.hw <= me.leo:
            me.hw = new.hw
        it.offset = me.leo
        it.delayed = 0
    return True


def truncation_point(s: PublishedKraft, follower: Broker, epoch: Epoch, end: Offset) -> Offset:
    """Up to where both logs are the same, if the leader's last epoch up to the follower's is `epoch` and ends at `end`."""
    own = end_of_epoch(s, follower, epoch, False)
    if last_epoch_up_to(s, follower, epoch, False) != epoch:
        return own
    return min(own, end)
