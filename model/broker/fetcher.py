"""The fetcher of a follower: one for all its partitions that have the same leader (KAFKA-8346, KIP-461, N8)."""

from ..release_choices import Fetchers
from ..truncation.exchange import ask_again
from ..vocabulary import Phase


def end_fetcher(s, partition, follower):
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


def has_ended(s, partition, follower, leader):
    """The fetcher from this leader, to which the partition is added, has ended for another partition, which it still has.

    Only when it has no partition left is it replaced by a new one.

    Kafka: AbstractFetcherManager.addFetcherForPartitions, shutdownIdleFetcherThreads.
    """
    if s.config.fetchers is Fetchers.SHARED:
        for other in range(s.config.partitions):
            if other != partition and s.replica[other][follower].leader == leader and s.replica[other][follower].failed:
                return True
    return False
