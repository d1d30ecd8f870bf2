"""The high watermark itself."""

from typing import Any

from ..model.broker.roles import leads


def hw_within_log(s: Any) -> bool:
    """No high watermark lies beyond the end of its log.

    Expected since: high-watermark.
    """
    for partition in range(s.config.partitions):
        for broker in range(s.config.members):
            if s.replica[partition][broker].hw > s.replica[partition][broker].leo:
                return False
    return True


def leader_hw_never_falls(s: Any, t: Any) -> bool:
    """A leader's high watermark does not fall while it leads in one epoch.

    Consumers would see records and then see them gone. A follower's may fall.

    Expected since: high-watermark.
    """
    for partition in range(s.config.partitions):
        for broker in range(s.config.members):
            before = s.replica[partition][broker]
            after = t.replica[partition][broker]
            if leads(s, partition, broker) and leads(t, partition, broker) and after.hw < before.hw:
                return False
    return True
