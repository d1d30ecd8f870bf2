"""The fetcher of a follower: one for all its partitions that have the same leader (KAFKA-8346, KIP-461, N8)."""

from ..release_choices import Fetchers
from ..state import Kafka
from ..truncation.exchange import ask_again, cut_to_high_watermark, fetch_from_end
from ..vocabulary import Broker, Partition, Phase


def end_fetcher(s: Kafka, partition: Partition, follower: Broker) -> None:
    """An error has ended the fetcher for a partition: since 2.3 for that one, before for all that it fetched from this leader.

    What it asked for them is asked in vain.

    Kafka: AbstractFetcherThread.doWork; since 2.3 markPartitionFailed.
    """
    if s.config.fetchers is Fetchers.SHARED:
        for other in range(s.config.partitions):
            me = s.replica[other][follower]
            if other != partition and me.leader == s.replica[partition][follower].leader:
                me.failed = 1
                if me.phase is Phase.ANSWERED:
                    ask_again(me)


def cut_late(s: Kafka, partition: Partition, follower: Broker) -> bool:
    """A fetcher cuts the log of a partition without epochs to its high watermark, some time after it was given the partition.

    If the partition is taken from it in between, it ends, and with it what it does for the others (`end_before_cut`).

    Design: none; Kafka (N8).   Kafka: AbstractFetcherThread.truncateToHighWatermark (2.1.1; KAFKA-8012).
    Modifies: replica[partition][follower].
    """
    me = s.replica[partition][follower]
    if not s.config.late_cuts:
        return False
    if not s.broker[follower].up:
        return False
    if me.phase is not Phase.TO_CUT or me.failed:
        return False

    cut_to_high_watermark(s, me)
    fetch_from_end(me)  # Without it, the follower has cut its log, and does not fetch.
    return True


def end_before_cut(s: Kafka, partition: Partition, follower: Broker) -> None:
    """The partition is taken from a fetcher that was about to cut its log: the fetcher ends for the others.

    Kafka's may also look before it begins to cut: then nothing comes of it, as if the partition had been taken first.
    """
    if s.config.late_cuts and s.replica[partition][follower].phase is Phase.TO_CUT:
        end_fetcher(s, partition, follower)


def has_ended(s: Kafka, partition: Partition, follower: Broker, leader: Broker) -> bool:
    """The fetcher from this leader, to which the partition is added, has ended for another partition, which it still has.

    Only when it has no partition left is it replaced by a new one.

    Kafka: AbstractFetcherManager.addFetcherForPartitions, shutdownIdleFetcherThreads.
    """
    if s.config.fetchers is Fetchers.SHARED:
        for other in range(s.config.partitions):
            if other != partition and s.replica[other][follower].leader == leader and s.replica[other][follower].failed:
                return True
    return False
