"""The table of truncation rules. A rule is one file and one row here."""

from collections.abc import Callable
from typing import Any

from ..language import Rule
from . import (
    by_common_epoch,
    by_epoch_sequence,
    by_high_watermark_epoch,
    by_known_epoch,
    by_leader_epoch,
    in_mixed_cluster,
    on_divergence,
    to_high_watermark,
)

Action = Callable[..., bool]


def asking(rule: Any, answer: Action, truncate: Action) -> tuple[Action, Action, Action, None]:
    """A rule by which a follower asks its leader."""
    return rule.begin, answer, truncate, None


RULES = {
    # On becoming a follower, the leader's answer to OffsetsForLeaderEpoch, the follower's reaction to it, and what the follower
    # does when a fetch is refused.
    "to-high-watermark": (to_high_watermark.begin, None, None, None),
    "by-leader-epoch": asking(
        by_leader_epoch, by_leader_epoch.answer_with_end_of_epoch, by_leader_epoch.truncate_to_end_of_epoch
    ),
    "by-common-epoch": asking(
        by_common_epoch, by_common_epoch.answer_with_common_epoch, by_common_epoch.truncate_to_common_epoch
    ),
    "on-divergence": (on_divergence.begin, None, on_divergence.truncate_late, on_divergence.truncate_on_divergence),
    # What KIP-279 rejects.
    "by-known-epoch": asking(by_known_epoch, by_known_epoch.answer_with_known_epoch, by_known_epoch.truncate_to_known_epoch),
    "by-epoch-sequence": asking(
        by_epoch_sequence, by_epoch_sequence.answer_with_matching_end, by_epoch_sequence.truncate_to_matching_end
    ),
    "by-high-watermark-epoch": asking(
        by_high_watermark_epoch, by_high_watermark_epoch.answer_with_end_of_hw_epoch,
        by_high_watermark_epoch.truncate_to_end_of_hw_epoch,
    ),
    # While a cluster is upgraded: two of the first three.
    "mixed": asking(in_mixed_cluster, in_mixed_cluster.answer_in_mixed_cluster, in_mixed_cluster.truncate_in_mixed_cluster),
}  # fmt: skip

begin_truncation, answer_epoch_request, truncate_to_answer, truncate_on_divergence = (
    Rule(name, "truncation", versions)
    for name, versions in zip(
        ("begin_truncation", "answer_epoch_request", "truncate_to_answer", "truncate_on_divergence"),
        zip(*RULES.values(), strict=True),
        strict=True,
    )
)
