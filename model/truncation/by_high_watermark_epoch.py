"""T5, KIP-279's first alternative for clean elections: a follower asks for the epoch of its high watermark.

That is the epoch of the last record below it, which was committed, so every leader of a clean election knows it. Everything
newer is cut. If the high watermark lags, the follower asks for an epoch that is too old. The document therefore persists the
high watermark at each leader change, or never lets it return to an earlier epoch (`checkpoint`, Q10).
"""

from ..epoch_cache import end_of_epochs_up_to
from ..log import epoch_below, truncate
from ..state import Kafka
from ..vocabulary import NO_EPOCH, NO_OFFSET, Broker, Partition, Phase
from .by_leader_epoch import end_of_requested
from .exchange import ask, can_answer, cut_to_high_watermark, fetch_from_end, send_answer


def begin(s: Kafka, partition: Partition, follower: Broker) -> None:
    """Ask for the epoch of the high watermark; without a committed record there is none."""
    me = s.replica[partition][follower]
    if epoch_below(me, me.hw) == NO_EPOCH:
        cut_to_high_watermark(s, me)
        fetch_from_end(me)
    else:
        ask(s, me)


def answer_with_end_of_hw_epoch(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """The leader answers where the epoch of the follower's high watermark ends.

    Design: 279 alternatives for clean elections, 1 (T5).   Kafka: none.
    Modifies: replica[partition][follower].
    Reads: broker[follower].up, broker[follower].upgraded, replica[partition][follower] (the request on its way: a follower that
        asks waits, so what it asks stays what it would ask now).
    """
    if not can_answer(s, partition, leader, follower):
        return False

    me = s.replica[partition][follower]
    requested = epoch_below(me, me.hw)
    send_answer(s, partition, follower, requested, end_of_requested(s, s.replica[partition][leader], requested))
    return True


def truncate_to_end_of_hw_epoch(s: Kafka, partition: Partition, follower: Broker) -> bool:
    """The follower cuts what is newer than that epoch, then to the end that the leader named.

    Design: 279 alternatives for clean elections, 1 (T5).   Kafka: none.
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
        truncate(s, me, min(end_of_epochs_up_to(s, me, me.answer_epoch), me.answer_end))
    fetch_from_end(me)
    return True
