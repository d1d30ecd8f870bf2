"""Kafka's releases under KRaft, as rows of switches: each with what was in that release and nothing that was not."""

from ..language import Revision, Span

# What brokers of 3.0 to 4.4 have in common with those of 2.8.1 (`model.revisions`).
KRAFT = {
    "led_before": "forgets-ends", "lead_again": "keeps-ends", "follow_again": "again", "shrink": "behind", "expand": "fetching",
    "leader_hw": "rises", "admission": "term-start", "newer_epoch": "undefined", "older_epoch": "first-start",
    "older_answer": "own-start", "undefined_answer": "last-cut", "failed_epoch_request": "retry", "epoch_entry": "when-leading",
    "empty_epochs": "dropped", "cut_of_nothing": "dropped", "late_epoch": "replaces", "lost_epoch_file": "rebuilt",
    "start_within_batch": "whole", "checked_fetch": 1, "fetch_epoch": "cache", "fenced": 1, "fenced_fetches": 1,
    "fetch_beyond_end": "cut", "retention_limit": "high-watermark", "late_count": "dropped",
    "recovery": "eligible-replicas", "eligible": "same-registration", "shrink_epoch": "kept", "under_min_isr": "waits",
    "unclean_registration": "removed", "last_leader": "active", "earlier_fetch": "refused", "known_news": "keeps",
}  # fmt: skip

REVISIONS = (
    Revision("4.4", "Kafka 4.4 under KRaft", KRAFT, violates=("weak_isr", "strong_isr", "isr_reaches_high_watermark"),
             releases=(Span("4.4.0", "4.4.0"),)),
)  # fmt: skip
