"""T3, KIP-279's rejected alternative 1: a leader that does not know the requested epoch answers with an error.

The follower then asks for its next lower epoch, until the leader knows one. Nothing is cut between the rounds, so the
request has to name its epoch. Each epoch that only the follower knows costs a request (Q8). If no
epoch is left, the document does not say what to do; here the follower falls back to its high watermark, as in alternative 2.
"""

from ..epoch_cache import end_of_epochs_up_to, knows_epoch, largest_epoch_up_to, latest_epoch
from ..log import truncate
from ..state import Kafka
from ..vocabulary import NO_EPOCH, NO_OFFSET, Broker, Partition, Phase
from .exchange import ask_for, can_answer, fetch_from_end, send_answer


def begin(s: Kafka, partition: Partition, follower: Broker) -> None:
    """Ask the leader for the latest epoch."""
    me = s.replica[partition][follower]
    ask_for(s, me, latest_epoch(s, me))


def answer_with_known_epoch(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """The leader answers where the requested epoch ends, or that it does not know it.

    A leader knows at least its own epoch, so it never has to answer that it keeps no epochs.

    Design: 279 rejected alternative 1 (T3).   Kafka: none.
    Modifies: replica[partition][follower].
    Reads: broker[follower].up, broker[follower].upgraded, replica[partition][follower] (the request on its way, which names the
        epoch).
    """
    if not can_answer(s, partition, leader, follower):
        return False

    their = s.replica[partition][leader]
    requested = s.replica[partition][follower].asked_epoch
    if knows_epoch(their, requested):
        send_answer(s, partition, follower, requested, end_of_epochs_up_to(s, their, requested))
    else:
        send_answer(s, partition, follower, NO_EPOCH, NO_OFFSET)
    return True


def truncate_to_known_epoch(s: Kafka, partition: Partition, follower: Broker) -> bool:
    """The follower cuts to the end of the epoch that both know; if it is unknown, it asks for its next lower one.

    Design: 279 rejected alternative 1 (T3).   Kafka: none.
    Modifies: replica[partition][follower].
    """
    me = s.replica[partition][follower]
    if not s.broker[follower].up:
        return False
    if me.phase is not Phase.ANSWERED:
        return False

    if me.answer_end == NO_OFFSET:
        ask_for(s, me, largest_epoch_up_to(s, me, me.asked_epoch - 1))
    else:
        truncate(s, me, min(end_of_epochs_up_to(s, me, me.asked_epoch), me.answer_end))
        fetch_from_end(me)
    return True
