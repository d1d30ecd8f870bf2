"""The words in which the state is declared: Kafka's, each with its range."""

from .language import MEMBERS, Choice, integer

BROKERS = MEMBERS

# What a number is: the types of parameters.
Broker = int
Brokers = int  # a set of them, as a bit mask
Partition = int
Epoch = int  # of a leader
ControllerEpoch = int  # a controller's number
Version = int
Offset = int
Batch = int

NO_EPOCH = -1
NO_OFFSET = -1
NO_RECORD = 0


class Phase(Choice):
    """What a follower does (Replica.phase)."""

    IDLE = "nothing: it leads, its broker is down, or the partition has no leader"
    ASKING = "it waits for an answer to OffsetsForLeaderEpoch, whose epoch is its cache's latest"
    ANSWERED = "the answer is on its way"
    FETCHING = "it fetches from the end of its log"
    OUT_OF_RANGE = "its fetch was answered out-of-range; it has yet to ask for its leader's end (up to 0.9.0.0)"
    TO_CUT = "it has no epoch to ask for, and has yet to cut its log to its high watermark (2.1.1)"


class Moving(Choice):
    """Where the controller is with the reassignment of a partition (Controller.moving)."""

    NOT_MOVING = "none is known to it"
    TO_BEGIN = "INIT: the brokers in RAR have yet to be told (F1)"
    MOVING = "IN_PROGRESS: it waits until they have caught up"
    CAUGHT_UP = "the older text: it has read once that they have, and reads no more (F4)"
    SWITCHED = "the ISR is switched, or is being so; the assignment is not yet (F2)"
    STOPPED = "the old replicas are out of the ISR, and are to stop; the assignment is not written yet (N6)"
    WRITTEN_BACK = "RAR is the assignment; the request is still in the store (F2)"


class Changing(Choice):
    """Where the controller is with the addition or removal of a partition (Controller.changing).

    The last two change places with `path_change` = topic-first: each names what V3 does then.
    """

    NOT_CHANGING = "none is known to it"
    TO_ADD = "it has yet to choose a leader (H1)"
    TO_REMOVE = "it has yet to send StopReplica (H2)"
    TO_DELETE_REQUEST = "the first of the last two writes is due"
    TO_UPDATE_TOPIC = "the second of them is due"


class Purpose(Choice):
    """What a controller's decision is about (Decision.purpose)."""

    ELECTION = "a leader for a partition that needs one, or a smaller ISR; nothing else follows"
    UNCLEAN = "a leader from outside the ISR"
    PREFERRED = "the preferred replica, as requested; the request is deleted with it"
    SWITCH = "the new replicas of a reassignment"
    TOGETHER = "a leader for one of several partitions that are written in one multi"
    BEGIN = "an epoch in which the new replicas of a reassignment are told (N6)"


class Starting(Choice):
    """What a broker that starts has yet to do for a partition (Start.phase)."""

    STARTED = "nothing"
    TO_READ = "it has yet to read assignment and leaderAndISR (E.1-2)"
    TO_ACT = "it has read both, and has yet to act on them (E.3-4)"


class Writing(Choice):
    """How far a leader's write of the ISR is (IsrWrite.phase)."""

    QUIET = "none is on its way"
    REQUESTED = "it has yet to reach the store"
    WRITTEN = "it has succeeded; the leader does not know it yet"
    REFUSED = "the store has refused it; the leader does not know it yet"


class Producing(Choice):
    """How far a produce request with acks=all is, whose broker knows it by an offset (ProduceRequest.phase)."""

    QUIET = "there is none"
    APPENDED = "its records are appended; its thread has yet to look whether they are committed"
    WAITING = "it waits for the high watermark"
    LAPSED = "its records are appended; its broker has followed another leader since"


def epoch(doc: str) -> int:
    """A leader epoch, `NO_EPOCH` at first."""
    return integer(NO_EPOCH, "max_epoch", doc, NO_EPOCH)


def offset(doc: str) -> int:
    """An offset, or the length of a log, 0 at first."""
    return integer(0, "log_size", doc)


def version(doc: str) -> int:
    """The version of a znode, or someone's memory of one; 0 before the node exists.

    Versions grow without end. In the normal form only two are left: the node's own, 1, and stale, 0. Where a topic may be
    created again all are kept, for its node's versions begin anew.
    """
    return integer(0, 30000, doc, normal_high="kept_versions")
