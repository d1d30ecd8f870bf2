"""The OffsetsForLeaderEpoch exchange: request and answer are separate steps.

A follower that asks waits: its log does not change, so the request need not be stored; it is what the
follower would ask now. The leader answers from its log at that time. Until the follower acts on the answer,
anything may happen at either side; a new command makes the follower forget the exchange, but for an answer of the
same leader, where it is taken for one to the new epoch's question (`earlier_answer`).
"""

from ..choices import FailedEpochRequest, UndefinedAnswer
from ..epoch_cache import latest_epoch
from ..log import truncate
from ..state import Kafka, Replica
from ..vocabulary import NO_EPOCH, NO_OFFSET, Broker, Epoch, Offset, Partition, Phase
from .versions import is_fenced


def ask_or_fetch(s: Kafka, partition: Partition, follower: Broker) -> None:
    """Ask for the latest epoch in the cache; with no epoch to ask for, cut to the high watermark (T8).

    From 0.11 to 2.0 Kafka asks all the same, where no epoch ends. It matters only where a leader without epochs answers with the
    end of its log (KAFKA-6857).
    """
    me = s.replica[partition][follower]
    if latest_epoch(s, me) == NO_EPOCH and s.config.late_cuts:
        ask(s, me)
        me.phase = Phase.TO_CUT
    elif latest_epoch(s, me) == NO_EPOCH and not s.config.unnamed_questions:
        cut_to_high_watermark(s, me)
        fetch_from_end(me)
    else:
        ask(s, me)


def cut_to_high_watermark(s: Kafka, me: Replica) -> None:
    """Cut the log to the high watermark. To one of -1 none can be cut: the fetcher ends, or never begins (KAFKA-3978).

    Kafka: Log.truncateTo ("Cannot truncate to a negative offset").
    """
    if me.no_hw:
        me.failed = 1
    else:
        truncate(s, me, me.hw)


def ask_for(s: Kafka, me: Replica, epoch: Epoch) -> None:
    """Ask for this epoch, or for all from it on, by name (T3, T4); with none left, cut to the high watermark."""
    if epoch == NO_EPOCH:
        cut_to_high_watermark(s, me)
        fetch_from_end(me)
    else:
        ask(s, me)
        me.asked_epoch = epoch


def fall_back(s: Kafka, me: Replica) -> None:
    """The answer is undefined: cut to the high watermark, and fetch (T8).

    Kafka cuts to the offset from which it would fetch (`undefined_answer`). That is the high watermark only in the first round;
    after an earlier one it is where that has cut, so nothing more is cut.
    """
    if me.rounds <= 1 or s.config.undefined_answer is not UndefinedAnswer.LAST_CUT:
        cut_to_high_watermark(s, me)
    fetch_from_end(me)


def ask(s: Kafka, me: Replica) -> None:
    """Send the request.

    Kafka: ReplicaFetcherThread.fetchEpochEndOffsets.
    """
    me.phase = Phase.ASKING
    me.rounds = min(me.rounds + 1, s.config.most_rounds)
    me.answer_epoch = NO_EPOCH
    me.answer_end = NO_OFFSET


def fetch_from_end(me: Replica) -> None:
    """Truncation is done."""
    me.phase = Phase.FETCHING
    me.rounds = 0
    me.asked_epoch = NO_EPOCH
    me.answer_epoch = NO_EPOCH
    me.answer_end = NO_OFFSET


def can_answer(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """The follower asks this broker, which believes that it leads.

    It need not know the epoch in which the follower believes that it leads, unless requests are fenced
    (T7): a stale leader answers from a log that the true leader may not have (S6).
    """
    me = s.replica[partition][follower]
    their = s.replica[partition][leader]
    if not s.broker[follower].up:
        return False
    if me.phase is not Phase.ASKING or me.failed:
        return False
    if me.leader != leader:
        return False
    if not s.broker[leader].up:
        return False
    if their.leader != leader:
        return False  # NotLeader; a stale leader, which believes that it leads, answers before KIP-320 (S6)
    return not is_fenced(s, follower, leader) or me.leader_epoch == their.leader_epoch  # S6


def ask_again(me: Replica) -> None:
    """The answer reaches nobody."""
    me.phase = Phase.ASKING
    me.answer_epoch = NO_EPOCH
    me.answer_end = NO_OFFSET


def send_answer(s: Kafka, partition: Partition, follower: Broker, epoch: Epoch, end: Offset) -> None:
    """Send the answer."""
    me = s.replica[partition][follower]
    me.phase = Phase.ANSWERED
    me.answer_epoch = epoch
    me.answer_end = end


def fail_epoch_request(s: Kafka, partition: Partition, follower: Broker) -> bool:
    """An exchange is lost or fails with an error (R13).

    The documents fall back to the high watermark on any error, a timeout too; later versions ask again,
    and then nothing happens here.

    Design: 279 proposed changes, last sentence (T8).   Kafka: AbstractFetcherThread.maybeTruncate.
    Modifies: replica[partition][follower], spent.
    """
    me = s.replica[partition][follower]
    if not s.broker[follower].up:
        return False
    if me.phase is Phase.IDLE:
        return False
    if me.phase is Phase.FETCHING or me.phase is Phase.OUT_OF_RANGE or me.phase is Phase.TO_CUT:
        return False  # Without it, a follower that fetches is also cut to its high watermark.
    if s.config.failed_epoch_request is FailedEpochRequest.RETRY:
        return False
    if s.spent.message_losses >= s.config.message_losses:
        return False

    s.spent.message_losses += 1  # Without it, the number of faults is not bounded.
    cut_to_high_watermark(s, me)
    fetch_from_end(me)  # Without it, the follower asks once more, and truncates by the answer too.
    return True
