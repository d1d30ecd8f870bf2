"""Choices between releases alone, of which the design says nothing: what a bug did, and what its repair does.

The first value of each is what releases without the bug do, before it and after it.
"""

from .language import Choice


class IsrAnswer(Choice):
    """What a leader does when its change of the ISR is answered (G4, N12)."""

    COMMITS = "it commits what all of the new ISR has"
    WAITS = "it commits that with the next append, or when the end of a follower moves"


class EarlierRequest(Choice):
    """A leader's request for another ISR that has yet to be answered when it obeys a command of the next epoch (N12)."""

    AWAITED = "until it is answered, nothing else is asked"
    REMOVES = "its answer removes the request of the present epoch, which stays pending"


class ReplacedController(Choice):
    """What a controller that was replaced, and does not know it, answers to the request of a leader that is ahead of it (N12)."""

    NOT_CONTROLLER = "nothing that the leader obeys: it asks again"
    REFUSES = "it refuses the request for good"


class MessageFormat(Choice):
    """Whether the records of a log carry the leader epoch in which they were appended (N4)."""

    WITH_EPOCHS = "they do, as since 0.11"
    OLDER = "they do not: an operator has kept an older message format"


class UnnamedEpoch(Choice):
    """A leader that knows no epoch is asked where none ends (N4)."""

    UNDEFINED = "it answers undefined: the follower cuts its log to its high watermark"
    LOG_END = "it answers with the end of its log"


class LedEpochs(Choice):
    """A broker leads, and its records carry no epochs (N4)."""

    NOT_CACHED = "the epoch does not enter its cache"
    CACHED = "the epoch enters its cache, without those that others led"


class UnepochedCut(Choice):
    """When a follower that has no epoch to ask for cuts its log to its high watermark (N8)."""

    AT_ONCE = "when it begins to follow"
    LATER = "later; its fetcher ends if the partition is taken from it before"


class AnewHighWatermark(Choice):
    """A follower throws its log away and starts anew where its leader's log begins (T8)."""

    MOVES = "its high watermark moves to the start of its log"
    STAYS = "its high watermark stays, below the start of its log"


class StrayHighWatermark(Choice):
    """A broker begins to lead, and its high watermark is not an offset of its log (N14)."""

    LOG_START = "it begins with the start of its log"
    MINUS_ONE = "it begins with -1, which followers take over, and to which no log can be cut"


class ProduceWait(Choice):
    """How a broker knows when a produce request with acks=all is to be answered (G6, N8)."""

    RECORD = "by its records: it is answered when they are committed"
    OFFSET = "by the offset at their end: when the high watermark reaches it"
    OFFSET_LATER = "by that offset; its thread looks, and lets it wait, some time after it has appended"


class WaitingProduce(Choice):
    """What becomes of produce requests that are known by an offset when their broker follows another leader (G6, N8)."""

    ANSWERED = "those that wait are answered with an error"
    KEPT = "they wait on, and are answered when the broker leads again"
    LAPSES = "all are answered with an error, also those that do not wait yet"


class FailedCommand(Choice):
    """A request names several partitions, and the store fails while a broker becomes a follower of one of them (N8)."""

    SKIPPED = "that one is skipped"
    REMEMBERED = "all are given up, with leader and epoch of some already remembered"


class Fetchers(Choice):
    """A follower's fetcher fails for one partition (N8)."""

    OWN = "it ends for that one"
    SHARED = "it ends for all that have the same leader"


class DepartedMember(Choice):
    """The ISR of a leader has a member that is no replica any more, as the leader was told (N6)."""

    SHRINKS = "the leader may remove it, and others"
    STUCK = "the leader's check for late followers fails: it removes nobody"


class DepartedEnd(Choice):
    """What a leader commits while its ISR has a member that is no replica any more, as the leader was told (N6)."""

    AWAITED = "only what that member has"
    IGNORED = "also what that member lacks"
