"""Kafka's releases under KRaft, as rows of switches: each with what was in that release and nothing that was not.

`repairs` says where each repair stands. Brokers share with those under ZooKeeper what `model.revisions` says of 2.8.1.
"""

from collections.abc import Mapping
from typing import Any

from ..language import Revision, Span

KAFKA_3_2 = {
    "led_before": "forgets-ends", "lead_again": "keeps-ends", "follow_again": "again", "shrink": "behind", "expand": "fetching",
    "leader_hw": "rises", "admission": "term-start", "newer_epoch": "undefined", "older_epoch": "first-start",
    "older_answer": "own-start", "undefined_answer": "last-cut", "failed_epoch_request": "retry", "epoch_entry": "when-leading",
    "empty_epochs": "dropped", "cut_of_nothing": "dropped", "late_epoch": "replaces", "lost_epoch_file": "rebuilt",
    "start_within_batch": "whole", "checked_fetch": 1, "fetch_epoch": "cache", "fenced": 1, "fenced_fetches": 1,
    "fetch_beyond_end": "cut", "retention_limit": "high-watermark", "earlier_refusal": "taken", "earlier_records": "taken",
    "refusal_high_watermark": "taken", "known_news": "keeps",
}  # fmt: skip
KAFKA_3_3 = {
    **KAFKA_3_2, "eligible": "active", "late_count": "dropped", "unfencing": "own-registration", "older_news": "skipped",
    "leaving_leader": "passed-over",
}  # fmt: skip
KAFKA_3_5 = {**KAFKA_3_3, "eligible": "same-registration", "refusal_high_watermark": "left"}
KAFKA_3_6 = {**KAFKA_3_5, "shrink_epoch": "kept"}
KAFKA_3_7 = {**KAFKA_3_6, "under_min_isr": "waits", "earlier_fetch": "refused", "abandoned_copy": "taken",
    "stray_replica": "deleted-first",
}  # fmt: skip
KAFKA_3_9 = {**KAFKA_3_7, "earlier_refusal": "dropped", "earlier_records": "dropped", "move_end": "target"}
KAFKA_4_0 = {**KAFKA_3_9, "unclean_registration": "removed", "early_registration": "leaves", "changed_min_isr": "cleared"}
KAFKA_4_1 = {**KAFKA_4_0, "recovery": "eligible-replicas", "last_leader": "active", "named_last": "first"}
KAFKA_4_4 = {**KAFKA_4_1, "move_end": "added-unless-smaller", "reported_directory": "leaves"}

FIRST_FINDING = ("weak_isr", "strong_isr", "isr_reaches_high_watermark")
"""What a leader violates that leads again after another one and does not know it; no release has a repair."""
FENCED = ("inactive_brokers_are_in_no_isr",)
RAISED = ("epochs_begin_with_leaders",)


def row(name: str, sentence: str, settings: Mapping[str, Any], first: str, last: str, violates: tuple[str, ...] = ()) -> Revision:
    """A revision for some releases."""
    return Revision(name, sentence, settings, violates=(*FIRST_FINDING, *violates), releases=(Span(first, last, "KRaft"),))


REVISIONS = (
    row("3.2", "Kafka 3.2, before KRaft was for production: whoever has caught up joins the ISR, also while it is fenced",
        KAFKA_3_2, "3.2.0", "3.2.3", (*FENCED, *RAISED)),
    row("3.3", "Kafka 3.3: who is fenced or shuts down is in no ISR (KIP-841); a broker is unfenced once it has applied its own "
        "registration (KAFKA-13959); an older ISR than the leader knows is skipped (KAFKA-13790)",
        KAFKA_3_3, "3.3.0", "3.3.2", RAISED),
    row("3.4", "Kafka 3.4: as 3.3; 3.4.1 takes no high watermark from a refusal (KAFKA-14704)",
        KAFKA_3_3, "3.4.0", "3.4.1", RAISED),
    row("3.5", "Kafka 3.5: AlterPartition names the registration of each member, and an earlier one is refused (KIP-903)",
        KAFKA_3_5, "3.5.0", "3.5.2", RAISED),
    row("3.6", "Kafka 3.6: the leader epoch stays when the ISR shrinks (KAFKA-15021)", KAFKA_3_6, "3.6.0", "3.6.2"),
    row("3.7", "Kafka 3.7 and 3.8: nothing is committed below min ISR (KAFKA-15583); fetches of earlier processes are refused; "
        "3.7.1 starts with a copy that was reported (KAFKA-16082)",
        KAFKA_3_7, "3.7.0", "3.8.1"),
    row("3.9", "Kafka 3.9: answers of an earlier epoch are dropped (KAFKA-18991, since 3.9.1)", KAFKA_3_9, "3.9.0", "3.9.2"),
    row("4.0", "Kafka 4.0: unclean shutdowns are detected (KAFKA-18635); eligible leader replicas are off by default",
        KAFKA_4_0, "4.0.0", "4.0.2"),
    row("4.1", "Kafka 4.1 and 4.2: eligible leader replicas are on for new clusters (KIP-966); the ISR may be empty",
        KAFKA_4_1, "4.1.0", "4.2.2"),
    row("4.4", "Kafka 4.3 and 4.4: a reassignment ends without a target member that left the ISR (KAFKA-19975); reported "
        "directories clear no eligible replicas",
        KAFKA_4_4, "4.3.0", "4.4.0"),
)  # fmt: skip
