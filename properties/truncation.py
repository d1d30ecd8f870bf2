"""How long truncation takes."""


def truncation_rounds(s, partition, broker):
    """One round of OffsetsForLeaderEpoch is enough for a follower to find where its log diverges from its leader's.

    KIP-279 claims this for clean elections (Q7): more rounds need three fast leader changes, and two preferred
    elections never follow each other. The claim is false, because a preferred election and an expired session are two
    leader changes with clean elections. A follower that has fetched from the second new leader, before it received a
    command from either, obeys the late command of the first. It then asks a leader of the previous term, and gets an
    epoch that it never had. Each round costs a request before the follower can fetch. KIP-101 has one round by
    construction; with fencing (KIP-320) no follower can fetch from a leader of another epoch.
    """
    return s.replica[partition][broker].rounds <= 1
