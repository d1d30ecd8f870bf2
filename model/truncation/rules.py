"""The table of truncation rules. A rule is one file and one row here."""

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

RULES = {
    #                    on becoming follower      the leader's answer to OffsetsForLeaderEpoch
    #                    the follower's reaction   what it does when a fetch is refused
    "to-high-watermark": (to_high_watermark.begin, None, None, None),
    "by-leader-epoch": (
        by_leader_epoch.begin,
        by_leader_epoch.answer_with_end_of_epoch,
        by_leader_epoch.truncate_to_end_of_epoch,
        None,
    ),
    "by-common-epoch": (
        by_common_epoch.begin,
        by_common_epoch.answer_with_common_epoch,
        by_common_epoch.truncate_to_common_epoch,
        None,
    ),
    "on-divergence": (on_divergence.begin, None, None, on_divergence.truncate_on_divergence),
    # What KIP-279 rejects.
    "by-known-epoch": (
        by_known_epoch.begin,
        by_known_epoch.answer_with_known_epoch,
        by_known_epoch.truncate_to_known_epoch,
        None,
    ),
    "by-epoch-sequence": (
        by_epoch_sequence.begin,
        by_epoch_sequence.answer_with_matching_end,
        by_epoch_sequence.truncate_to_matching_end,
        None,
    ),
    "by-high-watermark-epoch": (
        by_high_watermark_epoch.begin,
        by_high_watermark_epoch.answer_with_end_of_hw_epoch,
        by_high_watermark_epoch.truncate_to_end_of_hw_epoch,
        None,
    ),
    # While a cluster is upgraded: two of the first three.
    "mixed": (
        in_mixed_cluster.begin,
        in_mixed_cluster.answer_in_mixed_cluster,
        in_mixed_cluster.truncate_in_mixed_cluster,
        None,
    ),
}

begin_truncation, answer_epoch_request, truncate_to_answer, truncate_on_divergence = (
    Rule(name, "truncation", versions)
    for name, versions in zip(
        ("begin_truncation", "answer_epoch_request", "truncate_to_answer", "truncate_on_divergence"),
        zip(*RULES.values(), strict=True),
        strict=True,
    )
)
