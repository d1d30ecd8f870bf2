"""Names of the truncation rules, in the order of the table in `rules`."""

RULE_NAMES = (
    "to-high-watermark", "by-leader-epoch", "by-common-epoch", "on-divergence",
    "by-known-epoch", "by-epoch-sequence", "by-high-watermark-epoch", "mixed",
)  # fmt: skip

RELEASED_RULES = RULE_NAMES[:3]
"""The rules of Kafka's releases up to 2.7, in order: rolling upgrades go between them (T9)."""
