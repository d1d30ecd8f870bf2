"""How long truncation takes."""

from typing import Any


def truncation_rounds(s: Any) -> bool:
    """One round of OffsetsForLeaderEpoch is enough for a follower to find where its log leaves the leader's.

    KIP-279 claims it for clean elections (Q7): more rounds take three fast leader changes, and two preferred
    elections never follow each other. It does not hold: one preferred election and one session expiry are
    two leader changes with clean elections, and a follower that asks a leader of the term before is told of
    an epoch that it never knew. Each round costs a request before the follower can fetch. KIP-101 has one
    round by construction; fencing (KIP-320) keeps followers from asking such a leader.

    Expected in: every revision but kip-279.
    """
    for partition in range(s.config.partitions):
        for broker in range(s.config.members):
            if s.replica[partition][broker].rounds > 0:
                return False
    return True
