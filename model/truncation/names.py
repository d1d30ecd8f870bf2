"""Names of the truncation rules, in the order of the table in `rules`; a plugin's rules come after."""

RULE_NAMES = [
    "to-high-watermark", "by-leader-epoch", "by-common-epoch", "on-divergence",
    "by-known-epoch", "by-epoch-sequence", "by-high-watermark-epoch",
]  # fmt: skip
