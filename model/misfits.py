"""Settings of the Kafka model that do not fit each other."""

from collections.abc import Mapping
from typing import Any

from .language import UsageError


def validate_settings(c: Any, named: Mapping[str, Any]) -> None:
    """UsageError, with what to do, where settings do not fit; `named`: the values of `c` as people write them."""
    if c.replicas > c.brokers:
        raise UsageError(f"replicas = {c.replicas} is more than brokers = {c.brokers}: one broker holds one replica")
    if c.lost_answers and named["store"] != "answered":
        raise UsageError(f"lost_answers = {c.lost_answers} needs store = answered: atomic writes have none")
    if named["fetch_count"] == "later" and named["fetch"] != "in-flight":
        raise UsageError("fetch_count = later needs fetch = in-flight: else a fetch and its answer are one step")
    if named["produce_wait"] != "record" and named["acks"] != "all":
        raise UsageError("produce_wait = offset and offset-later need acks = all: with acks = leader no request waits")
    if c.alerts and not (c.reassignments or c.changing_partitions or c.awaiting_partitions):
        raise UsageError("alerts needs elections = answered, reassignments, or requests to add or remove partitions")
    if c.compactions and (named["fetch"] != "rendezvous" or c.consumers):
        raise UsageError("compactions needs fetch = rendezvous and consumers = 0: messages and consumers have no holes")
    if named["older_epoch"] == "start-anew" and named["truncation"] != "by-common-epoch":
        raise UsageError("older_epoch = start-anew needs truncation = by-common-epoch: no other follower obeys that answer")
    refusals = c.diverging_fetch or c.fetch_below_start or c.late_truncation or c.earlier_refusal or c.earlier_records
    if refusals and named["truncation"] != "on-divergence":
        raise UsageError(
            "diverging_fetch, fetch_below_start, late_truncation, earlier_refusal and earlier_records need truncation = "
            "on-divergence: they are about that rule"
        )
    if named["waiting_produce"] == "kept" and named["truncation"] != "to-high-watermark":
        raise UsageError("waiting_produce = kept needs truncation = to-high-watermark: no later release has it (KAFKA-2960)")
    if c.keys > 1 and not c.compactions:
        raise UsageError(f"keys = {c.keys} needs compactions above 0: nothing else uses the keys of records")
    if c.retentions and c.consumers:
        raise UsageError("retentions needs consumers = 0: consumers do not support deleted records")
    if c.retentions and named["truncation"] == "to-high-watermark":
        raise UsageError(
            "retentions needs another truncation than to-high-watermark: Kafka 0.9 and 0.10 deleted also what was not "
            "committed, and each broker for itself; the model has what they delete since 0.11.0.1 (KIP-107, KAFKA-5634)"
        )
    if c.lost_answers and named["decisions"] == "multi":
        raise UsageError("lost_answers needs decisions = one-by-one: a multi whose answer is lost is not modelled")
    if named["earlier_request"] == "removes" and (named["isr_writer"] != "controller" or named["isr_write"] != "pending"):
        raise UsageError("earlier_request = removes needs isr_writer = controller and isr_write = pending: it is about KIP-497")
    if named["replaced_controller"] == "refuses" and (named["store"] != "answered" or named["isr_write"] != "pending"):
        raise UsageError("replaced_controller = refuses needs store = answered and isr_write = pending: else it answers nobody")
    if not c.quorums and named["eligible"] != "any" and named["isr_writer"] != "controller":
        raise UsageError("eligible above any needs isr_writer = controller: a leader that writes its ISR itself asks nobody")
    if not c.quorums and named["eligible"] == "same-registration":
        raise UsageError("eligible = same-registration needs KRaft: under ZooKeeper no request for an ISR names registrations")
    if named["message_format"] == "older" and named["truncation"] == "mixed":
        raise UsageError("message_format = older needs another truncation than mixed: a mixed cluster writes one format")
    if named["truncation"] == "mixed" and named["fetch"] != "rendezvous":
        raise UsageError("truncation = mixed needs fetch = rendezvous: a fetch in flight does not carry its sender's release")
    validate_changes(c, named)


def validate_changes(c: Any, named: Mapping[str, Any]) -> None:
    """The same of settings by which partitions come, go and move."""
    if c.topic_recreations and (named["start"] != "serving" or not c.topic_deletions):
        raise UsageError("topic_recreations needs start = serving, where all topics exist, and topic_deletions above 0")
    if c.partition_removals and named["path_change"] == "topic-alone":
        raise UsageError("partition_removals needs path_change = request-first or topic-first: Kafka removes no partitions")
    changes = c.partition_additions or c.partition_removals
    if changes and (named["start"] != "serving" or c.topic_deletions or c.reassignments):
        raise UsageError(
            "partition_additions and partition_removals need start = serving, and neither topic_deletions nor reassignments"
        )
    if c.reassignments and c.topic_deletions and named["deletion"] == "node-by-node":
        raise UsageError("reassignments with topic_deletions and deletion = node-by-node are not modelled: set another deletion")
    steps = named["reassignment"] != "kafka" or (named["store"] != "atomic" and not c.quorums)
    if c.cancelled_moves and (not c.reassignments or steps):
        raise UsageError("cancelled_moves needs reassignments above 0, reassignment = kafka and store = atomic: V3 cancels none")
    if c.reassignments and c.replicas in (0, c.brokers):
        raise UsageError(
            f"reassignments = {c.reassignments} moves partitions to other brokers, but every broker has a replica: "
            "set replicas below brokers"
        )
