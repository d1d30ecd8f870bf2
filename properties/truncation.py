"""How long truncation takes."""



def truncation_rounds(s, partition, broker):
    """One round of OffsetsForLeaderEpoch is enough for a follower to find where its log leaves the leader's.

    KIP-279 claims it for clean elections (Q7): more rounds take three fast leader changes, and two preferred
    elections never follow each other. It does not hold: a preferred election and an expired session are two
    leader changes with clean elections. A follower that has fetched from the second new leader before it was told
    of either obeys the late command of the first, asks a leader of the term before, and hears of an epoch that
    it never had. Each round costs a request before the follower can fetch. KIP-101 has one round by
    construction; fencing (KIP-320) lets no follower fetch from a leader of another epoch.
    """
    return s.replica[partition][broker].rounds <= 1
