"""The revisions of the replication protocol: rows of switches over one model.

`v3` is the design as it is written: every switch at its first value. The rows after it are Kafka's releases under
ZooKeeper, each with what was in that release and nothing that was not; `repairs` says where each repair stands.
"""

from .language import Revision, Span

# Two brokers: with late commands and every step apart, three are more than one machine finishes.
V3 = {"brokers": 2, "store": "answered", "unclean_elections": 9, "init_offline": 1}

KAFKA_0_10 = {
    "truncation": "to-high-watermark", "controller_epoch": 1, "stale_commands": 0, "ordered_stops": 1,
    "command_order": "per-connection", "init": "none", "deletion": "confirmed", "start_up": "at-once", "told_newcomers": 1,
    "retried_offline": 1, "offline_isr": "empty", "live_leader": "stays", "led_before": "forgets-ends",
    "lead_again": "keeps-ends", "follow_again": "nothing", "isr_write": "locked", "recognised_writes": 1,
    "recognised_decisions": 1, "shrink": "late", "expand": "fetching", "leader_hw": "rises", "admission": "high-watermark",
    "reassignment": "kafka", "switch_epoch": 1, "move_decisions": "each", "departed_end": "ignored",
    "whole_changes": 1, "path_change": "topic-alone",
    "failed_command": "remembered", "fetchers": "shared",
    "who_lives": "said-later", "earlier_failures": "left", "fetch_beyond_end": "cut-or-exit",
    "refused_fetch": "forgets-end", "cut_high_watermark": "stays", "anew_high_watermark": "stays",
    "stray_high_watermark": "minus-one", "waiting_produce": "kept",
}  # fmt: skip
KAFKA_0_11 = {
    **KAFKA_0_10, "retention_limit": "high-watermark",
    "truncation": "by-leader-epoch", "newer_epoch": "undefined", "epoch_entry": "first-record",
    "empty_epochs": "dropped", "late_epoch": "ignored", "failed_epoch_request": "retry", "earlier_answer": "taken",
    "who_lives": "said-first", "unnamed_epoch": "log-end", "waiting_produce": "answered",
}  # fmt: skip
KAFKA_2_0 = {
    **KAFKA_0_11, "truncation": "by-common-epoch", "older_answer": "leader-end", "undefined_answer": "last-cut",
    "start_within_batch": "whole", "recognised_decisions": 0, "offline_isr": "last", "stray_high_watermark": "log-start",
    "unnamed_epoch": "undefined",
}  # fmt: skip
KAFKA_2_0_1 = {
    **KAFKA_2_0, "admission": "term-start", "epoch_entry": "when-leading", "late_epoch": "replaces", "older_epoch": "first-start",
    "older_answer": "own-start", "follow_again": "after-gap", "fetch_beyond_end": "cut",
    "led_epochs": "cached",
}  # fmt: skip
KAFKA_2_1 = {
    **KAFKA_2_0_1, "shrink": "behind", "fenced": 1, "follow_again": "again", "fenced_controllers": 1, "earlier_answer": "dropped",
    "lost_epoch_file": "without-first", "led_epochs": "not-cached",
}  # fmt: skip
KAFKA_2_2 = {**KAFKA_2_1, "broker_epochs": 1, "start_up": "told", "unknown_registration": "refused"}
KIP_320 = {
    **KAFKA_2_1, "fenced_fetches": 1, "cut_high_watermark": "cut", "earlier_failures": "decided", "refused_fetch": "keeps-end",
    "fetchers": "own", "anew_high_watermark": "moves",
}  # fmt: skip
KAFKA_2_8 = {
    **KIP_320, "truncation": "on-divergence", "checked_fetch": 1, "fetch_epoch": "cache", "broker_epochs": 1,
    "isr_write": "pending", "isr_writer": "controller", "cut_of_nothing": "dropped", "lost_epoch_file": "rebuilt",
    "start_up": "told", "earlier_refusal": "taken", "earlier_records": "taken", "failed_command": "skipped",
    "refusal_high_watermark": "taken", "topic_ids": 1,
}  # fmt: skip
# Brokers of 3.9.1 and later; what they do of 4.x beside the elections, `docs/findings.md` and `model/__init__.py` say.
KRAFT = {
    **KAFKA_2_8, "command_order": "log", "earlier_refusal": "dropped", "earlier_records": "dropped", "late_count": "dropped",
    "refusal_high_watermark": "left", "eligible": "active",
}  # fmt: skip
KAFKA_2_8_0 = {
    **KAFKA_2_8, "diverging_fetch": "counted", "fetch_below_start": "diverging", "late_truncation": "carried-out",
    "isr_answer": "waits", "earlier_request": "removes", "departed_member": "stuck",
}  # fmt: skip

UNFENCED_FETCHES = ("log_prefix_convergence", "hw_within_log", "known_ends_stay")

REVISIONS = (
    Revision("v3", "V3 as written: a new follower cuts its log to its own high watermark; no repairs", V3),
    Revision("high-watermark",
             "Kafka 0.9 to 0.10: the same truncation, with controller epochs, a lock, and high watermarks that only rise",
             KAFKA_0_10,
             releases=(Span("0.9.0.0", "0.10.2.2"),)),
    Revision("kip-101", "Kafka 0.11 to 1.1: a new follower asks the leader where the epoch of its last record ends", KAFKA_0_11,
             violates=("hw_within_log",), releases=(Span("0.11.0.0", "1.1.1"),)),
    Revision("kip-279", "Kafka 2.0.0: leader and follower look for the largest epoch that both know", KAFKA_2_0,
             violates=("hw_within_log",), releases=(Span("2.0.0", "2.0.0"),)),
    Revision("kip-279-2.0.1",
             "Kafka 2.0.1: a follower joins the ISR only with all that the leader began with (KAFKA-7128); KAFKA-7164, 7415",
             KAFKA_2_0_1, violates=("hw_within_log", "older_records_stay"), releases=(Span("2.0.1", "2.0.1"),)),
    Revision("kip-320-first-try",
             "no release: each fetch names the epoch of the last record; nothing is cut before; nothing is fenced",
             {**KAFKA_2_0_1, "truncation": "on-divergence", "checked_fetch": 1, "command_order": "any", "follow_again": "again",
              "cut_high_watermark": "cut", "refused_fetch": "keeps-end", "anew_high_watermark": "moves",
              "led_epochs": "not-cached"}),
    Revision("kip-320-2.1.1",
             "Kafka 2.1.1: requests for an epoch's end carry the leader epoch, and are refused in any other; fetches are not",
             KAFKA_2_1, violates=UNFENCED_FETCHES, releases=(Span("2.1.0", "2.1.1"),)),
    Revision("kip-320-2.2",
             "Kafka 2.2 and 2.3: broker epochs (KIP-380); one that a broker does not know yet is an error (KAFKA-9839)",
             KAFKA_2_2, violates=UNFENCED_FETCHES, releases=(Span("2.2.0", "2.4.1"),)),
    Revision("kip-320",
             "KIP-320 as meant: every fetch is fenced (2.5, KAFKA-9338), high watermarks are cut (2.4)",
             KIP_320),
    Revision("kip-320-2.5.0",
             "Kafka 2.5.0: every fetch is fenced, as kip-320, with broker epochs, and errors as in 2.2 (KAFKA-9839)",
             {**KAFKA_2_2, "fenced_fetches": 1, "cut_high_watermark": "cut", "earlier_failures": "decided",
              "refused_fetch": "keeps-end", "fetchers": "own", "anew_high_watermark": "moves", "departed_member": "stuck"},
             releases=(Span("2.5.0", "2.7.2"),)),
    Revision("kip-320-2.8.0",
             "Kafka 2.8.0: truncation on fetch, as kip-320-2.8, with what 2.8.1 repaired (KAFKA-12996, 13141, 13207)",
             KAFKA_2_8_0,
             violates=(
                 "single_committable_leader", "commits_agree", "no_committed_data_loss", "log_prefix_convergence", "weak_isr",
                 "strong_isr", "isr_reaches_high_watermark", "leader_hw_never_falls", "committed_records_stay_readable",
                 "acknowledged_records_survive_losses", "consumer_sees_only_committed", "consumer_stays_in_range",
                 "followers_show_committed",
             ),
             releases=(Span("2.8.0", "2.8.0"),)),
    Revision("kip-320-2.8",
             "Kafka 2.8.1: broker epochs (2.2), a change of the ISR awaits its answer (2.7), truncation on fetch (2.8)",
             KAFKA_2_8, violates=("followers_show_committed",), releases=(Span("2.8.1", "3.9.2"),)),
    Revision("kip-500",
             "Kafka 3.9 to 4.4 under KRaft, as far as elections: as kip-320-2.8, but decisions are one log (KIP-500)",
             KRAFT, violates=("weak_isr", "strong_isr", "isr_reaches_high_watermark")),
)  # fmt: skip
