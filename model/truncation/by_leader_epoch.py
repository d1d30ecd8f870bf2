"""T1, KIP-101: a follower asks its leader where the epoch of its own last record ends.

The leader answers with the start of the first larger epoch that it knows, or the end of its log. If it
does not know the requested epoch, that offset belongs to another history, and the follower
still compares it with its own (Q4, Q5).
"""

from ..choices import NewerEpoch, OlderEpoch
from ..epoch_cache import end_of_epochs_up_to, largest_epoch_up_to, latest_epoch
from ..log import truncate
from ..state import Kafka, Replica
from ..vocabulary import NO_EPOCH, NO_OFFSET, Broker, Partition, Phase
from .exchange import ask_or_fetch, can_answer, cut_to_high_watermark, fetch_from_end, send_answer


def begin(s: Kafka, partition: Partition, follower: Broker) -> None:
    """Ask the leader."""
    ask_or_fetch(s, partition, follower)


def answer_with_end_of_epoch(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """The leader answers with the end of the requested epoch, whether it knows that epoch or not.

    If the epoch is newer than all it knows, the answer is the end of the log, or undefined; if it is older than all,
    undefined, or the start of the first epoch that it knows.

    Design: 279 motivation (T1, T8).   Kafka: LeaderEpochFileCache.endOffsetFor (0.11).
    Modifies: replica[partition][follower].
    Reads: broker[follower].up, broker[follower].upgraded, replica[partition][follower] (the request on its way: a follower that
        asks waits, so what it asks stays what it would ask now).
    """
    if not can_answer(s, partition, leader, follower):
        return False

    their = s.replica[partition][leader]
    requested = latest_epoch(s, s.replica[partition][follower])
    end = end_of_requested(s, their, requested)
    send_answer(s, partition, follower, requested, end)
    return True


def end_of_requested(s: Kafka, leader: Replica, requested: int) -> int:
    """The end of the requested epoch in the leader's log, as its cache has it; undefined for one older or newer than all.

    Up to 1.0.1, and in 1.1.0, a leader without epochs takes a question for none as one for its latest (KAFKA-6857).
    """
    if s.config.unnamed_questions and requested == NO_EPOCH and latest_epoch(s, leader) == NO_EPOCH:
        return leader.leo  # Without it, it is undefined, and the follower cuts to its high watermark.
    if largest_epoch_up_to(s, leader, requested) == NO_EPOCH and s.config.older_epoch is OlderEpoch.UNDEFINED:
        return NO_OFFSET
    if latest_epoch(s, leader) < requested and s.config.newer_epoch is NewerEpoch.UNDEFINED:
        return NO_OFFSET
    return end_of_epochs_up_to(s, leader, requested)


def truncate_to_end_of_epoch(s: Kafka, partition: Partition, follower: Broker) -> bool:
    """The follower cuts its log to the answered offset, or to its high watermark when it is undefined.

    Design: 279 motivation (T1, T8).   Kafka: ReplicaFetcherThread.maybeTruncate (0.11).
    Modifies: replica[partition][follower].
    """
    me = s.replica[partition][follower]
    if not s.broker[follower].up:
        return False
    if me.phase is not Phase.ANSWERED:
        return False

    if me.answer_end == NO_OFFSET:
        cut_to_high_watermark(s, me)
    else:
        truncate(s, me, me.answer_end)
    fetch_from_end(me)
    return True
