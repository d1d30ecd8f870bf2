"""KIP-595, and KIP-320 as first tried: a new follower cuts nothing; each fetch names the last record's epoch.

The leader refuses a fetch whose last record is not its own, and the follower then cuts its log back to
where both agree. In KIP-320's first try leader epochs are not compared: a stale leader may be the one that answers.

Kafka 2.8.0 differs in three points, each a setting: the leader counts a fetch that it refuses (`diverging_fetch`), refuses one
from below the start of its log (`fetch_below_start`), and the fetcher of a broker that leads by now cuts its log
(`late_truncation`).
"""

from ..choices import FetchBelowStart, FetchEpoch, LateTruncation
from ..epoch_cache import end_of_epochs_up_to, largest_epoch_up_to, latest_epoch
from ..fetching import diverges
from ..log import epoch_named, truncate
from ..state import Kafka, Replica
from ..vocabulary import NO_EPOCH, NO_OFFSET, Broker, Epoch, Offset, Partition, Phase
from .exchange import cut_to_high_watermark, fetch_from_end


def begin(s: Kafka, partition: Partition, follower: Broker) -> None:
    """Fetch at once; in Kafka a follower that knows no epoch for its fetch to name cuts to its high watermark first (T8)."""
    me = s.replica[partition][follower]
    if s.config.fetch_epoch is FetchEpoch.CACHE and latest_epoch(s, me) == NO_EPOCH:
        cut_to_high_watermark(s, me)
    fetch_from_end(me)


def truncate_on_divergence(s: Kafka, partition: Partition, follower: Broker, leader: Broker) -> bool:
    """A fetch shows that the logs differ: the follower cuts back by one epoch, towards the common log.

    The leader's refusal names its largest epoch up to the follower's last, and where that ends. A fetch from below the start of
    the leader's log is out of range. In 2.8.0 it is refused like any other, and the follower's fetcher fails at the log start
    offset in the response.

    Design: published specification, FollowerTruncate; KIP-595 (T7).   Kafka: AbstractFetcherThread.truncateOnFetchResponse.
    Modifies: replica[partition][follower].
    Reads: broker[leader].up, replica[partition][leader] (the leader's refusal, which names its last common epoch: request
        and answer are one step); metadata (under KRaft: the log, as far as the leader has applied it).
    """
    if s.config.refusals:
        return False  # Without it, a refusal is also one step, beside `refuse_fetch` and `receive_refusal`.
    if not diverges(s, partition, follower, leader):
        return False
    me = s.replica[partition][follower]
    their = s.replica[partition][leader]
    if me.leo < their.log_start and s.config.fetch_below_start is not FetchBelowStart.DIVERGING:
        return False  # out of range: it starts anew

    epoch = largest_epoch_up_to(s, their, epoch_named(s, me))
    end = end_in_refusal(s, their, epoch_named(s, me))
    obey_refusal(s, me, epoch, end, their.hw, their.log_start)
    return True


def end_in_refusal(s: Kafka, leader: Replica, epoch: Epoch) -> int:
    """Where the leader's records of epochs up to this one end; if it knows none of them, where its log starts.

    Kafka: LeaderEpochFileCache.endOffsetFor.
    """
    if largest_epoch_up_to(s, leader, epoch) == NO_EPOCH:
        return leader.log_start
    return end_of_epochs_up_to(s, leader, epoch)


def obey_refusal(s: Kafka, me: Replica, epoch: Epoch, end: Offset, hw: Offset, log_start: Offset) -> None:
    """The fetcher cuts the log by a refusal, at once or later (2.8.0); it fails at a log start beyond its end.

    Up to 3.4.0 it first takes over the leader's high watermark, as from any other answer, and shows what it is about to cut to
    those who read from it (KAFKA-14704). That is a step by itself where consumers do (`follower_reads`).

    Kafka: AbstractFetcherThread.truncateOnFetchResponse.
    """
    if s.config.raises:
        me.hw = min(hw, me.leo)  # Without it, nothing is shown that is not committed, as since 3.4.1.
    if me.leo < log_start:
        me.failed = 1
    elif s.config.late_truncation is LateTruncation.CARRIED_OUT or s.config.raises:
        me.phase = Phase.ANSWERED
        me.answer_epoch = epoch
        me.answer_end = end
    else:
        cut_back(s, me, epoch, end)


def cut_back(s: Kafka, me: Replica, epoch: Epoch, end: Offset) -> None:
    """Cut to the end of the epochs up to the one that the refusal named, or to the end that it named."""
    if epoch == NO_EPOCH:
        truncate(s, me, end)
    else:
        truncate(s, me, min(end_of_epochs_up_to(s, me, epoch), end))


def truncate_late(s: Kafka, partition: Partition, follower: Broker) -> bool:
    """A fetcher cuts the log some time after the response; that of 2.8.0 does not check that it still has the partition.

    If its broker leads by now, it cuts what that has committed. That the broker follows another leader by now is not modelled:
    the response is forgotten.

    Design: KIP-595 (T7).   Kafka: AbstractFetcherThread.processFetchRequest, truncateOnFetchResponse (2.8.0).
    Modifies: replica[partition][follower].
    """
    if s.config.late_truncation is not LateTruncation.CARRIED_OUT and not s.config.raises:
        return False  # one step with the response
    me = s.replica[partition][follower]
    if me.answer_end == NO_OFFSET:
        return False  # nothing is due

    cut_back(s, me, me.answer_epoch, me.answer_end)
    me.answer_epoch = NO_EPOCH
    me.answer_end = NO_OFFSET
    if me.phase is Phase.ANSWERED:
        me.phase = Phase.FETCHING
    return True
