"""The revisions of the replication protocol: rows of switches over one model."""

from .language import Revision

REVISIONS = (
    Revision(
        "high-watermark",
        "V3 as it was written: a new follower cuts its log to its own high watermark",
        {"truncation": "to-high-watermark"},
    ),
    Revision(
        "kip-101",
        "it asks the leader where the epoch of its last record ends",
        {"truncation": "by-leader-epoch"},
    ),
    Revision(
        "kip-279",
        "leader and follower look for the largest epoch that both know",
        {"truncation": "by-common-epoch"},
    ),
    Revision(
        "kip-320-first-try",
        "each fetch names the epoch of the last record; nothing is cut before; nothing is fenced",
        {"truncation": "on-divergence", "checked_fetch": 1, "admission": "term-start", "failed_epoch_request": "retry"},
    ),
    Revision(
        "kip-320",
        "requests carry the leader epoch and are refused in any other",
        {"truncation": "by-common-epoch", "fenced": 1, "admission": "term-start", "failed_epoch_request": "retry"},
    ),
)
