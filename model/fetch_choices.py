"""More choices between designs: what comes of a fetch, and of its answer. The first value is what the oldest document says."""

from .language import Choice


class FetchBeyondEnd(Choice):
    """What comes of a fetch from beyond the end of the leader's log."""

    NOTHING = "it is answered with nothing"
    CUT_OR_THROWN_AWAY = "out-of-range: the log is cut to the leader's end, or thrown away if the leader has caught up"
    CUT_OR_EXIT = "out-of-range: the log is cut to the leader's end, or the broker exits where unclean elections are disabled"
    CUT = "out-of-range: the log is cut to the leader's end"


class RefusedFetch(Choice):
    """What a leader that answers a fetch with an error keeps of the follower's end."""

    KEEPS_END = "what it knew"
    FORGETS_END = "nothing, until the next fetch that it accepts"


class RefusalHighWatermark(Choice):
    """What a follower makes of the leader's high watermark in the answer to a fetch that shows another history."""

    LEFT = "nothing, until its log is cut"
    TAKEN = "its own, before its log is cut"


class AnsweredStart(Choice):
    """What an answer says of the start of the leader's log."""

    WITH_RECORDS = "what it was when the records were read"
    READ_AGAIN = "what it is when the answer is sent"


class RetentionLimit(Choice):
    """What retention by age or size leaves of a log."""

    HIGH_WATERMARK = "what is not committed, as its broker knows"
    LOG_END = "nothing"
