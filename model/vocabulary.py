"""The words in which the state is declared: Kafka's, each with its range."""

from .language import MEMBERS, integer

BROKERS = MEMBERS

NO_EPOCH = -1
NO_OFFSET = -1
NO_RECORD = 0

# What a follower does (Replica.phase).
IDLE = 0
"""Nothing: it leads, its broker is down, or the partition has no leader."""
ASKING = 1
"""It waits for an answer to OffsetsForLeaderEpoch, whose epoch is its cache's latest."""
ANSWERED = 2
"""The answer is on its way."""
FETCHING = 3
"""It fetches from the end of its log."""

# Where the controller is with the reassignment of a partition (Controller.moving).
NOT_MOVING = 0
"""None is known to it."""
TO_BEGIN = 1
"""INIT: the brokers in RAR have yet to be told (F1)."""
MOVING = 2
"""IN_PROGRESS: it waits until they have caught up."""
CAUGHT_UP = 3
"""The older text: it has read once that they have, and reads no more (F4)."""
SWITCHED = 4
"""The ISR is switched; the assignment is not yet (F2)."""
WRITTEN_BACK = 5
"""RAR is the assignment; the request is still in the store (F2)."""

# Where the controller is with the addition or removal of a partition (Controller.changing). The last two change places with
# `path_change` = topic-first: each names what V3 does then.
NOT_CHANGING = 0
"""None is known to it."""
TO_ADD = 1
"""It has yet to choose a leader (H1)."""
TO_REMOVE = 2
"""It has yet to send StopReplica (H2)."""
TO_DELETE_REQUEST = 3
"""The first of the last two writes is due."""
TO_UPDATE_TOPIC = 4
"""The second of them is due."""

# What a controller's decision is about (Decision.purpose).
ELECTION = 0
"""A leader for a partition that needs one, or a smaller ISR; nothing else follows."""
UNCLEAN = 1
"""A leader from outside the ISR."""
PREFERRED = 2
"""The preferred replica, as requested; the request is deleted with it."""
SWITCH = 3
"""The new replicas of a reassignment."""
TOGETHER = 4
"""A leader for one of several partitions that are written in one multi."""

# What a broker that starts has yet to do for a partition (Start.phase).
STARTED = 0
"""Nothing."""
TO_READ = 1
"""It has yet to read assignment and leaderAndISR (E.1-2)."""
TO_ACT = 2
"""It has read both, and has yet to act on them (E.3-4)."""

# How far a leader's write of the ISR is (IsrWrite.phase).
QUIET = 0
"""None is on its way."""
REQUESTED = 1
"""It has yet to reach the store."""
WRITTEN = 2
"""It has succeeded; the leader does not know it yet."""
REFUSED = 3
"""The store has refused it; the leader does not know it yet."""


def epoch(doc):
    """A leader epoch, `NO_EPOCH` at first."""
    return integer(NO_EPOCH, "max_epoch", doc, NO_EPOCH)


def offset(doc):
    """An offset, or the length of a log, 0 at first."""
    return integer(0, "log_size", doc)


def version(doc):
    """The version of a znode, or someone's memory of one; 0 before the node exists.

    Versions grow without end. In the normal form only two are left: the node's own, 1, and stale, 0. Where a topic may be
    created again all are kept, for its node's versions begin anew.
    """
    return integer(0, 30000, doc, normal_high="kept_versions")
