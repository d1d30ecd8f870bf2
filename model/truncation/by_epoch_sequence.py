"""T4, KIP-279's rejected alternative 2: the follower sends its epochs with their ends; the leader finds where the logs diverge.

First the epochs that end between high watermark and log end; if the leader knows none of them, all. The document leaves
open how far back the second request goes ("we would need to tune this"); sending all is the limit of any tuning, with at most
two requests.
"""

from ..epoch_cache import end_of_epochs_up_to, knows_epoch
from ..log import truncate
from ..state import Kafka, Replica
from ..vocabulary import NO_EPOCH, NO_OFFSET, Broker, Offset, Partition, Phase
from .exchange import ask_for, can_answer, cut_to_high_watermark, fetch_from_end, send_answer


def begin(s: Kafka, partition: Partition, follower: Broker) -> None:
    """Send the epochs that end at the high watermark or beyond it."""
    me = s.replica[partition][follower]
    ask_for(s, me, first_epoch_that_ends_at(s, me, me.hw))


def first_epoch_that_ends_at(s: Kafka, me: Replica, offset: Offset) -> int:
    """The lowest epoch in the cache that ends at the offset or beyond it, or -1."""
    found = NO_EPOCH
    for back in range(s.config.epochs):
        epoch = s.config.max_epoch - back
        if knows_epoch(me, epoch) and end_of_epochs_up_to(s, me, epoch) >= offset:
            found = epoch
    return found


def answer_with_matching_end(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """The leader takes the latest epoch that both know, and answers the smaller of its two ends.

    Design: 279 rejected alternative 2 (T4).   Kafka: none.
    Modifies: replica[partition][follower].
    Reads: broker[follower].up, broker[follower].upgraded, replica[partition][follower] (the request on its way, with the epochs
        and their ends: a follower that asks waits, so its log stays as it was).
    """
    if not can_answer(s, partition, leader, follower):
        return False

    me = s.replica[partition][follower]
    their = s.replica[partition][leader]
    end = NO_OFFSET
    for epoch in range(s.config.epochs):
        if epoch >= me.asked_epoch and knows_epoch(me, epoch) and knows_epoch(their, epoch):
            end = min(end_of_epochs_up_to(s, me, epoch), end_of_epochs_up_to(s, their, epoch))
    send_answer(s, partition, follower, NO_EPOCH, end)
    return True


def truncate_to_matching_end(s: Kafka, partition: Partition, follower: Broker) -> bool:
    """The follower cuts to the answered offset; if none of its epochs is known it sends all, or falls back to its high watermark.

    Design: 279 rejected alternative 2 (T4).   Kafka: none.
    Modifies: replica[partition][follower].
    """
    me = s.replica[partition][follower]
    if not s.broker[follower].up:
        return False
    if me.phase is not Phase.ANSWERED:
        return False

    everything = first_epoch_that_ends_at(s, me, 0)
    if me.answer_end != NO_OFFSET:
        truncate(s, me, me.answer_end)
        fetch_from_end(me)
    elif me.asked_epoch == everything:
        cut_to_high_watermark(s, me)
        fetch_from_end(me)  # Without it, the follower takes the same answer again, and cuts to the same end.
    else:
        ask_for(s, me, everything)
    return True
