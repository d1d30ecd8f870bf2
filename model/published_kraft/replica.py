"""A broker's replica: its high watermark, acknowledgements, and what it does when the partition changes."""

from ..members import contains, how_many, including
from ..vocabulary import Broker, Brokers, Epoch, Offset
from .state import NOTHING, Fetcher, PublishedKraft, Recovery

# The high watermark.


def committed_by(s: PublishedKraft, broker: Broker, maximal_isr: Brokers, leo: Offset) -> int:
    """How many of the leader's `leo` records all of the maximal ISR have, as far as the leader knows (GetCommitOffset)."""
    end = leo
    for other in range(s.config.members):
        if contains(maximal_isr, other) and other != broker:
            end = min(end, max(s.broker[broker].peer[other].leo, 0))
    return end


def may_advance(s: PublishedKraft, isr: Brokers, old: int, new: int) -> bool:
    """Whether a leader raises its high watermark. KIP-966: only with min ISR, since else the ELR may lack the records."""
    return new > old and (s.config.recovery is not Recovery.ELIGIBLE_REPLICAS or how_many(s, isr) >= s.config.min_isr)


def is_pending(s: PublishedKraft, value: int) -> bool:
    """A producer awaits the answer to the write of this value. Values are kept in sets as brokers are."""
    return contains(s.sent & ~(s.acknowledged | s.refused), value)


def answer_writes(s: PublishedKraft, broker: Broker, low: Offset, high: Offset, acknowledge: int) -> None:
    """Whoever waits for a record that this broker wrote, at offsets `low` up to below `high`, gets an answer (SendAcksFor)."""
    me = s.broker[broker]
    for offset in range(s.config.values):
        record = me.log[offset].record
        if low <= offset and offset < high and me.floor != NOTHING and offset >= me.floor and record > 0:
            if is_pending(s, record - 1):
                if acknowledge:
                    s.acknowledged = including(s.acknowledged, record - 1)
                else:
                    s.refused = including(s.refused, record - 1)


def consume(s: PublishedKraft, broker: Broker, end: Offset) -> None:
    """Consumers read below the highest high watermark that there was."""
    for offset in range(s.config.values):
        if s.true_hw <= offset and offset < end:
            s.consumed[offset].record = s.broker[broker].log[offset].record
            s.consumed[offset].epoch = s.broker[broker].log[offset].epoch
    s.true_hw = max(s.true_hw, end)


def advance_high_watermark(s: PublishedKraft, broker: Broker, isr: Brokers, new: int, acknowledge: int) -> None:
    """The leader raises its high watermark if `new` is higher, and answers producers (MaybeAdvanceHighWatermark)."""
    me = s.broker[broker]
    if not may_advance(s, isr, me.hw, new):
        return
    answer_writes(s, broker, me.hw, new if acknowledge else me.leo, acknowledge)
    consume(s, broker, new)
    me.hw = new


def advance_after_change(s: PublishedKraft, broker: Broker, isr: Brokers, maximal_isr: Brokers) -> None:
    """The ISR has changed, and more may be committed; below min ISR producers get errors.

    MaybeUpdateHwmAndAckOnPartitionChange in the specifications.
    """
    enough = how_many(s, maximal_isr) >= s.config.min_isr
    advance_high_watermark(s, broker, isr, committed_by(s, broker, maximal_isr, s.broker[broker].leo), enough)


def refuse_writes(s: PublishedKraft, broker: Broker) -> None:
    """Whoever waits for what is not committed gets an error (FailPendingWrites)."""
    answer_writes(s, broker, s.broker[broker].hw, s.broker[broker].leo, False)


# The log.


def last_epoch(s: PublishedKraft, broker: Broker) -> int:
    """The epoch of the last record; 0 without any."""
    me = s.broker[broker]
    return 0 if me.leo == 0 else me.log[me.leo - 1].epoch


def end_of_epoch(s: PublishedKraft, broker: Broker, epoch: Epoch, leads: int) -> int:
    """Where this log goes beyond `epoch`: the offset that LastOffsetForEpoch gives."""
    me = s.broker[broker]
    if me.leo == 0 or last_epoch(s, broker) == epoch or (leads and me.known.leader_epoch == epoch):
        return me.leo
    for offset in range(s.config.values):
        if offset < me.leo and me.log[offset].epoch > epoch:
            return offset
    return me.leo


def last_epoch_up_to(s: PublishedKraft, broker: Broker, epoch: Epoch, leads: int) -> int:
    """The highest epoch in this log up to `epoch`, else `epoch` itself: the epoch that LastOffsetForEpoch gives."""
    me = s.broker[broker]
    if me.leo == 0 or last_epoch(s, broker) == epoch or (leads and me.known.leader_epoch == epoch):
        return epoch
    found = 0
    for offset in range(s.config.values):
        if offset < me.leo and me.log[offset].epoch <= epoch:
            found = max(found, me.log[offset].epoch)
    return epoch if found == 0 else found


def truncate(s: PublishedKraft, broker: Broker, end: Offset) -> None:
    """The log keeps its first `end` records. The high watermark stays, and may lie beyond."""
    me = s.broker[broker]
    for offset in range(s.config.values):
        if offset >= end:
            me.log[offset].record = 0
            me.log[offset].epoch = 0
    me.leo = end


# Followers, fetchers and pending requests.


def forget_followers(s: PublishedKraft, broker: Broker) -> None:
    """The leader knows nothing of any follower (ResetAllFollowerState)."""
    forget_followers_outside(s, broker, 0)


def forget_followers_outside(s: PublishedKraft, broker: Broker, isr: Brokers) -> None:
    """The leader knows nothing of those outside the ISR (ResetFollowerStateOfAllButISR)."""
    for other in range(s.config.members):
        if not contains(isr, other):
            s.broker[broker].peer[other].leo = NOTHING
            s.broker[broker].peer[other].broker_epoch = 0


def stop_fetching(it: Fetcher) -> None:
    """The partition is taken from a fetcher; a response that it awaits is still awaited."""
    it.added = 0
    it.offset = 0
    it.last_epoch = 0
    it.delayed = 0


def stop_all_fetching(s: PublishedKraft, broker: Broker) -> None:
    """The partition is taken from all fetchers of the broker (RemovePartitionFromFetchers)."""
    for other in range(s.config.members):
        stop_fetching(s.broker[broker].fetcher[other])


def fetch_from(s: PublishedKraft, broker: Broker, leader: Broker, leader_epoch: Epoch) -> None:
    """In a new leader epoch, or if it does not yet, the broker fetches from `leader` at its end (AddPartitionToFetcher)."""
    me = s.broker[broker]
    if leader_epoch <= me.known.leader_epoch and me.fetcher[leader].added:
        return
    stop_all_fetching(s, broker)
    me.fetcher[leader].added = 1
    me.fetcher[leader].offset = me.leo
    me.fetcher[leader].last_epoch = last_epoch(s, broker)


def awaits_answer(s: PublishedKraft, broker: Broker) -> bool:
    """The leader awaits the answer to an AlterPartition request that would raise its partition epoch."""
    for at in range(s.config.alterations):
        it = s.alteration[at]
        if it.pending and it.leader == broker:
            return it.partition_epoch >= s.broker[broker].known.partition_epoch
    return False


def forget_pending(s: PublishedKraft, broker: Broker) -> None:
    """`broker` awaits no AlterPartition response any more (ResetPendingAlterPartition)."""
    for at in range(s.config.alterations):
        if s.alteration[at].leader == broker:
            s.alteration[at].pending = 0
