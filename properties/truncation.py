"""How long truncation takes."""

from typing import Any


def truncation_rounds(s: Any) -> bool:
    """One round of OffsetsForLeaderEpoch is enough for a follower to find where its log leaves the leader's.

    KIP-279 claims it for clean elections (Q7). Each round costs a request before the follower can fetch.

    Expected since: high-watermark. Golden trace: s2_unclean_failovers.kip-279, whose elections are unclean.
    """
    for partition in range(s.config.partitions):
        for broker in range(s.config.members):
            if s.replica[partition][broker].rounds > 0:
                return False
    return True
