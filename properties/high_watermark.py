"""The high watermark."""

from ..model.fetching import leads


def hw_within_log(s, partition, broker):
    """No high watermark lies beyond the end of its log.

    From 0.11 to 2.3 Kafka's follower cuts its log and leaves the high watermark (`cut_high_watermark`).
    """
    return s.replica[partition][broker].hw <= s.replica[partition][broker].leo


def leader_hw_never_falls(s, t, partition, broker):
    """A leader's high watermark does not decrease while it leads, also from one epoch to the next.

    Otherwise consumers see records and then see them disappear. A follower's high watermark may decrease.
    """
    before = s.replica[partition][broker]
    after = t.replica[partition][broker]
    if not leads(s, partition, broker) or not leads(t, partition, broker):
        return True
    return after.hw >= before.hw
