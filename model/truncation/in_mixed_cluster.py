"""T9: a cluster in which some brokers run the old release and some the new: each pair truncates by a rule that both speak.

The inter-broker version of KIP-279's migration plan is `versions = asking-side`: every broker has the new program, which answers
both questions, before the first broker asks the new one.
"""

from ..choices import FailedEpochRequest
from ..state import Kafka
from ..vocabulary import NO_EPOCH, NO_OFFSET, Broker, Partition, Phase
from .by_common_epoch import answer_with_common_epoch, truncate_to_common_epoch
from .by_leader_epoch import answer_with_end_of_epoch, truncate_to_end_of_epoch
from .exchange import ask_or_fetch, can_answer, cut_to_high_watermark, fall_back, fetch_from_end, send_answer
from .names import Truncation
from .versions import is_refused, rule_between, tracks_epochs


def begin(s: Kafka, partition: Partition, follower: Broker) -> None:
    """Ask the leader, or cut to the high watermark without asking."""
    me = s.replica[partition][follower]
    if rule_between(s, follower, me.leader) is Truncation.TO_HIGH_WATERMARK:
        cut_to_high_watermark(s, me)
        fetch_from_end(me)
    else:
        ask_or_fetch(s, partition, follower)


def answer_in_mixed_cluster(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """The leader answers as the older of the two would, or fails; if it has kept no epochs it answers undefined (R13).

    Design: 279 compatibility, migration plan (T9, T8).   Kafka: KafkaApis.handleOffsetForLeaderEpochRequest.
    Modifies: replica[partition][follower].
    Reads: broker[follower].up, broker[follower].upgraded, replica[partition][follower] (the request and its version).
    """
    if not can_answer(s, partition, leader, follower):
        return False
    if is_refused(s, follower, leader) and s.config.failed_epoch_request is FailedEpochRequest.RETRY:
        return False  # it asks until the leader is upgraded. Without it, it cuts to its high watermark: failed_epoch_request.

    if is_refused(s, follower, leader) or not tracks_epochs(s, leader):
        send_answer(s, partition, follower, NO_EPOCH, NO_OFFSET)
        return True
    if rule_between(s, follower, leader) is Truncation.BY_COMMON_EPOCH:
        return answer_with_common_epoch(s, partition, leader, follower)
    return answer_with_end_of_epoch(s, partition, leader, follower)


def truncate_in_mixed_cluster(s: Kafka, partition: Partition, follower: Broker) -> bool:
    """The follower handles the answer as the older of the two would.

    Design: 279 compatibility, migration plan (T9, T8).   Kafka: ReplicaFetcherThread.maybeTruncate.
    Modifies: replica[partition][follower].
    Reads: broker (which release the answer is of).
    """
    me = s.replica[partition][follower]
    if not s.broker[follower].up:
        return False
    if me.phase is not Phase.ANSWERED:
        return False

    if me.answer_end == NO_OFFSET:
        fall_back(s, me)
        return True
    if rule_between(s, follower, me.leader) is Truncation.BY_COMMON_EPOCH:
        return truncate_to_common_epoch(s, partition, follower)
    return truncate_to_end_of_epoch(s, partition, follower)
