"""Small sizes at which every part of a model has something to do: where mutants are explored.

The first ones are the quickest. Each is a revision with the settings that differ from its defaults.
"""

from collections.abc import Mapping
from typing import Any

TWO = {"brokers": 2, "preferred_elections": 0}
ONE = {**TWO, "max_records": 1, "log_size": 1}
EMPTY = {**ONE, "start": "empty"}
DELETED = {"topic_deletions": 1, "deletion": "at-once"}
MIXED = {**TWO, "log_size": 1, "truncation": "mixed", "upgraded_to": "by-common-epoch"}
AGAIN = {**ONE, "topic_deletions": 1, "topic_recreations": 1, "max_epoch": 0}
MOVE = {**ONE, "replicas": 1, "reassignments": 1, "session_expiries": 0, "max_epoch": 1, "move_decisions": "one"}
MOVE_IN_STEPS = {**MOVE, "move_decisions": "each", "max_epoch": 3}
UNLED = {**ONE, "unclean_elections": 1, "retried_offline": 0, "init_offline": 1}
BY_EPOCH = {**ONE, "store": "answered", "decision_condition": "epoch", "isr_condition": "epoch"}
LOST_FILE = {"crashes": 1, "lost_epoch_files": 1}
LOST_ANSWER = {"store": "answered", "lost_answers": 1}
IN_FLIGHT = {"fetch": "in-flight", "fetch_count": "later", "max_records": 1}
SUCCESSION = {"crashes": 1, "controller_changes": 1, "session_expiries": 0}
LATE_CUT = {**ONE, "partitions": 2, "max_epoch": 1, "message_format": "older", "unepoched_cut": "later"}
REPAIRED_MOVES = {"lead_again": "new-replicas", "removed_eligible": "leaves"}
MOVED = {**TWO, "replicas": 1, "min_isr": 1, "reassignments": 1}
LATE_PRODUCE = {"brokers": 2, "log_size": 1, "produce_wait": "offset-later"}
UNREGISTERED = {
    **TWO, "min_isr": 1, "fences": 0, "max_epoch": 1, "fetch": "in-flight", "crashes": 1, "unregistered_starts": 1,
}  # fmt: skip
MOVED_OF_THREE = {"replicas": 2, "reassignments": 1, "preferred_elections": 0}
INACTIVE = {**ONE, "eligible": "active", "controlled_shutdowns": 1, "session_expiries": 0, "max_epoch": 1}
INIT_ALL = {"init": "all-partitions", "controller_changes": 1}

Sizes = tuple[tuple[str, Mapping[str, Any]], ...]

KAFKA: Sizes = (
    ("kip-320", TWO),
    ("kip-320", {"brokers": 2, "session_expiries": 0, "max_epoch": 1, "scheduled_elections": 1}),
    ("v3", {**ONE, "store": "atomic", "unclean_elections": 0, "preferred_elections": 1, "expand": "fetching"}),
    ("high-watermark", TWO),
    ("kip-320", {**TWO, "crashes": 1, "power_losses": 1, "session_expiries": 0, "max_epoch": 1}),
    ("kip-279", {"brokers": 2, "epoch_entry": "when-leading", "older_answer": "asks-on"}),
    ("kip-320", {**MOVE, "session_expiries": 1, "max_epoch": 2}),
    ("kip-320", {**ONE, **LOST_ANSWER}),
    ("kip-320", {**ONE, "broker_epochs": 1, "controller_changes": 1}),
    ("kip-320-2.8", {"brokers": 2, "log_size": 1}),
    ("kip-320-2.8.0", {"brokers": 2, "log_size": 1}),
    ("kip-279", {**MIXED, "preferred_elections": 1, "crashes": 1, "session_expiries": 0}),
    ("kip-320", {**EMPTY, "session_expiries": 0, "max_epoch": 0, **DELETED}),
    ("kip-320", {**TWO, "fetch": "in-flight"}),
    ("kip-320", {**TWO, **IN_FLIGHT, "crashes": 1}),
    ("kip-320-2.8", {**TWO, **IN_FLIGHT, "preferred_elections": 1, "crashes": 1, "session_expiries": 0}),
    ("kip-320", {**TWO, "min_isr": 2, "max_epoch": 1}),
    ("kip-320", {**TWO, "acks": "leader", "max_epoch": 1}),
    ("kip-320", {**TWO, "consumers": 1, "max_batch": 2, "max_epoch": 1}),
    ("kip-320", {**ONE, "partitions": 2, "max_epoch": 1}),
    ("kip-320", {**ONE, "replicas": 2, "brokers": 3, "max_epoch": 1, "crashes": 1}),
    ("kip-101", {**TWO, "message_losses": 1, "failed_epoch_request": "high-watermark"}),
    ("kip-279", {**TWO, "message_losses": 1, "failed_epoch_request": "high-watermark"}),
    ("kip-320", {**ONE, "truncation": "by-high-watermark-epoch", "checkpoint": "epoch-boundary", "crashes": 1}),
    ("kip-320", {**TWO, **LOST_FILE, "lost_epoch_file": "rebuilt", "compactions": 1, "max_epoch": 1, "session_expiries": 0}),
    ("kip-320", {**AGAIN, "deletion": "confirmed"}),
    ("kip-320", {**ONE, "partition_removals": 1, "path_change": "request-first", "max_epoch": 0, "session_expiries": 0}),
    ("kip-320", {**ONE, "partition_additions": 1, "path_change": "request-first", "max_epoch": 0, "session_expiries": 0}),
    ("kip-320", {**ONE, "partition_additions": 1, "max_epoch": 0, "session_expiries": 0}),
    ("kip-320", {**AGAIN, "deletion": "node-by-node"}),
    ("kip-320-2.8", {**ONE, "store": "answered"}),
    ("kip-320", {**ONE, "elections": "answered", "ignored_commands": 1}),
    ("kip-320", {**ONE, "lost_brokers": 1, "min_isr": 2, "max_epoch": 1}),
    ("kip-320", {**MOVE, "crashes": 1, "broker_epochs": 1}),
    ("kip-320", {**MOVE, "reassignment": "v3-older"}),
    ("kip-320", {"brokers": 2, "truncation": "by-leader-epoch", "newer_epoch": "log-end", "leader_leaves_isr": 1}),
    ("kip-320", {**TWO, "unclean_elections": 1, "session_expiries": 2}),
    ("kip-279", {"brokers": 2, "truncation": "by-known-epoch"}),
    ("kip-279", {"brokers": 2, "truncation": "by-epoch-sequence"}),
    ("kip-279", {**MIXED, "crashes": 2, "session_expiries": 0}),
    ("kip-320", {**ONE, "store": "answered", "decisions": "multi", "partitions": 2, "max_epoch": 1}),
    ("kip-320", {**TWO, "controller_changes": 1, "store": "answered", "max_epoch": 1, "max_records": 1}),
    ("kip-320", {**EMPTY, "session_expiries": 0, "max_epoch": 1, "controller_changes": 1, **DELETED}),
    ("kip-320", {**TWO, **LOST_FILE, "lost_epoch_file": "rebuilt", "max_epoch": 1}),
    ("kip-320", {**EMPTY, "session_expiries": 0, "max_epoch": 1, "crashes": 1, **DELETED}),
    ("kip-320", {**TWO, "crashes": 1}),
    ("kip-320", {**MOVE, "controller_changes": 1, "store": "answered", "fenced_controllers": 1}),
    ("kip-320", {**MOVE, "session_expiries": 1, "controller_changes": 1, "fenced_controllers": 1}),
    ("kip-320", {**MOVE, "brokers": 3, "replicas": 2, "preferred_elections": 1, "max_epoch": 2}),
    ("kip-320", {"brokers": 2, "max_records": 1, "log_size": 1, "controller_changes": 1}),
    ("kip-320", {**TWO, **LOST_FILE, "lost_epoch_file": "rebuilt"}),
    ("kip-320", {**ONE, "crashes": 1, "start_up": "stepwise"}),
    ("kip-320", {**ONE, "crashes": 1, "start_up": "told"}),
    ("kip-320-first-try", {**TWO, "crashes": 1}),
    ("kip-320", {**MOVE, "isr_watch": 1}),
    ("kip-320", {**ONE, "fetch": "in-flight", "crashes": 1, "emptied_disks": 1, "session_expiries": 0, "max_epoch": 1}),
    ("kip-320", {**ONE, "controlled_shutdowns": 1, "session_expiries": 0, "max_epoch": 1}),
    ("kip-320", {**TWO, "compactions": 1, "keys": 2, "compaction": "below-high-watermark", "max_epoch": 0}),
    ("kip-320", {**TWO, "retentions": 1, "max_epoch": 1}),
    ("kip-320", {**TWO, "retentions": 1, "max_batch": 2, "max_epoch": 0, "fetch": "in-flight"}),
    ("kip-320", {**ONE, "alerts": 1, "elections": "answered", "max_epoch": 1}),
    ("kip-320", {**UNLED, "controller_changes": 1, "max_epoch": 1}),
    ("kip-320", {**BY_EPOCH, "refused_write": "steps-down"}),
    ("kip-320", {**MOVE, "store": "answered", "reassignment": "v3-older", "isr_watch": 1}),
    ("kip-320", {**MOVE, "alerts": 1, "elections": "answered", "session_expiries": 1}),
    ("kip-320", {**MIXED, "crashes": 1, "versions": "refused", "session_expiries": 0, "preferred_elections": 1}),
    ("kip-320", {**ONE, "clients": 1, "routing": "external-view", "max_epoch": 1}),
    ("kip-320", {**TWO, "admission": "epoch-start", "max_epoch": 1}),
    ("v3", {**TWO, "store": "atomic", "admission": "bytes-as-meant", "max_epoch": 1}),
    ("kip-320", {**TWO, "compactions": 1, "compaction": "tombstone", "max_epoch": 0}),
    ("kip-279", {**TWO, "retentions": 1, "max_epoch": 1, "older_epoch": "start-anew"}),
    ("kip-320", {**AGAIN, "elections": "answered", "lead_again": "ignored", "deletion": "node-by-node"}),
    ("kip-320", {**EMPTY, **INIT_ALL, **DELETED, "session_expiries": 0, "max_epoch": 0}),
    ("kip-320", {**ONE, **LOST_ANSWER, "preferred_elections": 1, "session_expiries": 0, "max_epoch": 3}),
    ("kip-320", {**ONE, **LOST_ANSWER, "controller_changes": 1, "session_expiries": 0, "preferred_elections": 1}),
    ("kip-320", {**MOVE, **LOST_ANSWER, "max_epoch": 2}),
    ("kip-320", {**MOVE, **LOST_ANSWER, "switch_epoch": 0}),
    ("kip-320", {**EMPTY, **LOST_ANSWER, "session_expiries": 0}),
    ("kip-320-2.8", {"brokers": 2, **LOST_ANSWER, "session_expiries": 0}),
    ("kip-320-2.8", {**AGAIN, "crashes": 1, "session_expiries": 0}),
    ("kip-320", {**ONE, **LOST_FILE}),
    ("kip-320-2.8", {"brokers": 2, "retentions": 1}),
    ("kip-320-2.8", {"brokers": 2, "retentions": 1, "diverging_fetch": "counted"}),
    ("kip-320-2.8.0", {"brokers": 2, "retentions": 1}),
    ("kip-320-2.8", {**ONE, "controller_changes": 1, "max_epoch": 1}),
    ("kip-500", {"brokers": 2, "log_size": 1, "session_expiries": 2}),
    ("kip-500", {"brokers": 2, **IN_FLIGHT, "log_size": 1, "lead_again": "new-replicas"}),
    ("kip-320-2.8", {**ONE, "exchanged_directories": 1, "session_expiries": 0, "preferred_elections": 1}),
    ("kip-320-2.5.0", {**ONE, "max_epoch": 1}),
    ("high-watermark", {**ONE, "unclean_elections": 1, "session_expiries": 2}),
    ("kip-320", {**MOVE, "topic_deletions": 1}),
    ("kip-320", {**MOVE, "cancelled_moves": 1}),
    ("kip-320-2.5.0", MOVE_IN_STEPS),
    ("kip-320", {**MOVE_IN_STEPS, "departed_end": "awaited", "store": "answered", "controller_changes": 1}),
    ("high-watermark", {**ONE, **SUCCESSION, "start_up": "told", "max_epoch": 1}),
    ("kip-279", {**ONE, **SUCCESSION, "replicas": 1}),
    ("high-watermark", {**TWO, "unclean_elections": 1, "max_epoch": 1, "fetch_beyond_end": "cut-or-thrown-away"}),
    ("kip-101", {"brokers": 2, "log_size": 1, "max_records": 1, "retentions": 1}),
    ("kip-101", {**TWO, "retentions": 1, "fetch": "in-flight", "answered_start": "read-again", "max_epoch": 0}),
    ("kip-101", {"brokers": 2, "log_size": 1, "message_format": "older"}),
    ("kip-279-2.0.1", {"brokers": 2, "log_size": 1, "message_format": "older"}),
    ("kip-320-2.1.1", {**LATE_CUT, "preferred_elections": 1}),
    ("kip-320", {**ONE, "failed_commands": 1}),
    ("kip-320-2.2", {**ONE, "retentions": 1, "preferred_elections": 1, "cut_high_watermark": "cut"}),
    ("kip-320", {**ONE, "truncation": "by-high-watermark-epoch", "checkpoint": "leader-change", "crashes": 1}),
    ("kip-320-2.8", {**ONE, "max_epoch": 3, "store": "answered", "controller_changes": 1, "replaced_controller": "refuses"}),
    ("kip-320-2.8", INACTIVE),
    ("kip-320-2.8", {**INACTIVE, "store": "answered"}),
    ("high-watermark", {**LATE_PRODUCE, "produce_wait": "offset"}),
    ("high-watermark", {**LATE_PRODUCE, "waiting_produce": "answered", "crashes": 1}),
    ("kip-500", {**LATE_PRODUCE, "waiting_produce": "lapses"}),
    ("kip-279", {**ONE, "fetch": "in-flight"}),
    ("kip-320", {**EMPTY, "store": "answered", "controller_changes": 1, "fenced_controllers": 0, "max_epoch": 1}),
)

KRAFT: Sizes = (
    ("4.4", {"brokers": 2}),
    ("4.4", {**MOVED, "preferred_elections": 1, "cancelled_moves": 1}),
    ("4.4", {**MOVED, "reassignments": 2}),
    ("4.4", {**MOVED, "crashes": 1, "fences": 0}),
    ("4.0", {"brokers": 1, "min_isr": 1, "crashes": 1, "fences": 0, "max_epoch": 1, "recovery": "eligible-replicas"}),
    ("3.2", {"brokers": 2}),
    ("3.2", {**TWO, "controlled_shutdowns": 1}),
    ("4.0", {**TWO, "fences": 0, "crashes": 1, "power_losses": 1, "early_registrations": 1}),
    ("3.9", {**TWO, "fences": 0, "crashes": 1, "power_losses": 1, "early_registrations": 1}),
    ("3.9", {**TWO, "fences": 0, "crashes": 1, "lost_brokers": 1, "early_registrations": 1}),
    ("3.6", {**TWO, "fences": 0, "crashes": 1, "fetch": "in-flight"}),
    ("3.7", {**TWO, "fences": 0, "crashes": 1, "fetch": "in-flight"}),
    ("4.4", {**TWO, "min_isr": 1, "unclean_elections": 1, "fences": 2, "max_epoch": 3}),
    ("4.4", {"brokers": 2, "controlled_shutdowns": 1, "fences": 0}),
    ("4.4", {**TWO, "controlled_shutdowns": 1, "min_isr": 1}),
    ("3.3", {"brokers": 2, "fetch": "in-flight"}),
    ("3.9", {**TWO, "crashes": 1, "power_losses": 1, "recovery": "eligible-replicas"}),
    ("4.4", {**TWO, "min_isr_changes": 1, "feature_changes": 1}),
    ("4.4", {**TWO, "min_isr_changes": 1, "changed_min_isr": "cleared-while-led", "fences": 2, "max_epoch": 3}),
    ("4.4", {"brokers": 2, "min_isr": 1, "fences": 2, "max_epoch": 4}),
    ("4.4", {"preferred_elections": 0, "min_isr": 1, "max_epoch": 1}),
    ("4.4", {"brokers": 2, "min_isr": 1, "log_size": 2, "max_records": 2, "fences": 2, "max_epoch": 1}),
    ("4.4", {**TWO, "crashes": 2, "max_epoch": 3}),
    ("3.6", {**MOVED_OF_THREE, "fences": 2, "max_epoch": 1, "window": 1}),
    ("4.4", {**MOVED_OF_THREE, "reassignments": 2, "cancelled_moves": 1, "fences": 0, "max_epoch": 1}),
    ("4.1", MOVED_OF_THREE),
    ("4.4", {**MOVED_OF_THREE, "cancelled_moves": 1, **REPAIRED_MOVES}),
    ("4.1", {**TWO, "fences": 0, "max_epoch": 1, "directory_reports": 1}),
    ("4.4", {**TWO, "min_isr": 1, "fences": 0, "crashes": 2, "power_losses": 1, "directory_reports": 1}),
    ("4.4", {**UNREGISTERED, "emptied_disks": 1}),
    ("4.4", {**UNREGISTERED, "unregistered_fetch": "not-sent"}),
    ("3.6", {**TWO, "min_isr": 1, "fences": 0, "crashes": 1, "directory_reports": 1}),
    ("3.6", {**TWO, "min_isr": 1, "fences": 0, "crashes": 1, "recreations": 1}),
    ("4.4", {**TWO, "fences": 0, "crashes": 1, "recreations": 1}),
    ("4.4", {**LATE_PRODUCE, "waiting_produce": "lapses", "max_records": 2, "min_isr": 1, "window": 1}),
    ("4.4", {**TWO, "produce_wait": "offset-later", "crashes": 1, "min_isr": 1, "fences": 0}),
)

DESIGNS: Sizes = (
    ("v3", {"crashes": 1}),
    ("v2", {"watch_again": "looks", "stale_requests": "dropped"}),
    ("v1", {"crashes": 1, "watch_again": "looks"}),
    ("v1-sequence", {"crashes": 1, "sequence_watch": "predecessor"}),
    ("v1-sequence", {"crashes": 1, "sequence_watch": "everybody"}),
)

STRATEGIES: Sizes = (
    ("isr", {"crashes": 2, "restarts": 1}),
    ("isr-slow-followers", {"crashes": 2, "restarts": 1}),
    ("majority", {"crashes": 2}),
    ("majority", {"crashes": 2, "restarts": 1, "election": "latest-epoch"}),
)

PUBLISHED: Sizes = (
    ("kip-320", {"brokers": 2}),
    ("kip-279", {"brokers": 2}),
    ("kip-101", {"brokers": 2}),
    ("high-watermark", {"brokers": 2}),
    ("kip-320-first-try", {"brokers": 2}),
    ("kip-320", {"brokers": 3, "max_epoch": 1}),
)
