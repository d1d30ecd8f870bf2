"""Names of the truncation rules, in the order of the table in `rules`."""

from ..language import Choice


class Truncation(Choice):
    """The rule by which a follower cuts its log."""

    TO_HIGH_WATERMARK = "to its own high watermark"
    BY_LEADER_EPOCH = "by the end of its last epoch, as the leader knows it (KIP-101)"
    BY_COMMON_EPOCH = "by the largest epoch that both know (KIP-279)"
    ON_DIVERGENCE = "when a fetch shows another history (KIP-595)"
    BY_KNOWN_EPOCH = "an unknown epoch is an error, and it asks for the one before (279, rejected 1)"
    BY_EPOCH_SEQUENCE = "by the sequence of its epochs above the high watermark (279, rejected 2)"
    BY_HIGH_WATERMARK_EPOCH = "by the epoch of its high watermark (279, clean-only 1)"
    MIXED = "while a cluster is upgraded, by the rule of each side's release"


RELEASED_RULES = tuple(Truncation)[:3]
"""The rules of Kafka's releases up to 2.7, in order: rolling upgrades go between them (T9)."""
