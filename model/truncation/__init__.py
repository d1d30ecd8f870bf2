"""Truncation: how a follower makes its log a prefix of its leader's before it fetches (T0-T9).

One file per rule, each with what the rule does when a replica becomes a follower, how a leader answers
OffsetsForLeaderEpoch, what the follower does with the answer, and what it does when a fetch shows that
the logs differ. `rules` is the table; `exchange` holds what the rules share.
"""
