"""Guards earn their place: each rule of the protocol, taken out, breaks a property in a known number of steps.

Rules in RULES are broken by their names, as `explorer/mutation` breaks them, those in SWITCHES by a setting. The unbroken model
keeps the same property at the same size, to the end. Levels begin at 1: a property that is violated at level 6 takes five steps.
"""

from dataclasses import dataclass, field

import pytest
from highwater.model.log import append, append_batch
from support.exploring import broken_in_a_step
from support.kafka import KAFKA, first, level_of, outcome, tiny, violated
from support.mutants import in_place_of, without


@dataclass(frozen=True)
class Broken:
    """A rule by its name, what it is for, and what is violated without it where."""

    purpose: str
    rule: str
    violated: str
    level: int
    settings: dict = field(default_factory=dict)
    revision: str = "kip-320"


S1 = {"session_expiries": 1, "preferred_elections": 1, "max_epoch": 2, "max_records": 2}
MOVE_OF_TWO = {"brokers": 3, "replicas": 2, "reassignments": 1}
RULES = [
    Broken("the ISR is written on the version that the leader knows (Z4)",
           "isr.is_current_writer: not (version == node.version)", "no_committed_data_loss", 6, {"preferred_elections": 1}),
    Broken("each decision has an epoch of its own (A5)",
           "decide.publish: node.leader_epoch + 1", "one_leader_per_epoch", 7, {"session_expiries": 1, "crashes": 1}),
    Broken("the high watermark waits for every member of the ISR (G1)",
           "high_watermark.smallest_end: min(smallest, me.fetched_to[follower])", "weak_isr", 2),
    Broken("a leader stops fetching first (C3)",
           "become_leader.serve: stop_fetching(s, partition, broker)",
           "leader_hw_never_falls", 9, {"preferred_elections": 1, "fetch": "in-flight"}),
    Broken("a follower truncates before it fetches (C4)",
           "by_common_epoch.truncate_to_common_epoch: truncate(s, me, min(end_of_epochs_up_to(s, me, epoch), end))",
           "log_prefix_convergence", 8, {"preferred_elections": 1}),
    Broken("only a member of the ISR is elected (A2)",
           "broker_change.elect_leader: not contains(may_lead(s, controller, partition), broker)",
           "no_committed_data_loss", 7, {"session_expiries": 1}),
    Broken("acks=all needs min.isr members (G6)",
           "produce.produce: s.config.acks is Acks.ALL and how_many(s, me.isr) < known_min_isr(s, leader)",
           "writes_need_min_isr", 4, {"min_isr": 2, "max_records": 2, "log_size": 2}),
    Broken("a follower's high watermark ends with its log (G2)",
           "fetch.fetch: min(their.hw, me.leo)", "hw_within_log", 5, {"max_records": 2, "log_size": 2}),
    Broken("a starting broker deletes what is not assigned to it (E2)",
           "start.take_up: delete_replica(s, partition, broker)",
           "restart_keeps_only_assigned", 5, {"crashes": 1, "topic_deletions": 1, "deletion": "at-once", "max_epoch": 0}),
    Broken("a client without a session writes nothing (Z11)",
           "isr.is_current_writer: not (has_writer(s, leader)) (2)", "zk_version_guards_isr", 4, {"session_expiries": 1}),
    Broken("one creation of /controller wins (D1)",
           "sessions.may_create_controller_path: not (s.zookeeper.controller == NO_BROKER)",
           "one_creation_wins", 4, {"controller_changes": 2, "session_expiries": 1, "max_epoch": 0}),
    Broken("a controller does not change what a later one decided (D4)",
           "decide.may_decide: s.config.controller_epoch and s.zookeeper.leader_and_isr[partition].controller_epoch > controller",
           "deciding_controllers_increase", 11, {"controller_changes": 1, "preferred_elections": 1, "crashes": 1,
            "max_epoch": 2, "fenced_controllers": 0}),
    Broken("an INIT is its controller's first command (C2)",
           "stop_replica.delete_unnamed: s.config.controller_epoch and controller <= s.broker[broker].controller_epoch",
           "strong_isr", 12, {"start": "empty", "max_epoch": 0, "init": "all-partitions"}),
    Broken("new replicas are waited for (F2)",
           "decide.new_replicas_in_isr: not (subset(s.zookeeper.reassigned[partition], isr))",
           "no_committed_data_loss", 8, {"replicas": 1, "reassignments": 1}),
    Broken("who stays is not told to stop (F2, C6)",
           "decide.go_on: s.zookeeper.assigned[partition] & ~s.zookeeper.reassigned[partition]",
           "strong_isr", 12, {**MOVE_OF_TWO, "move_decisions": "one"}),
    Broken("who stays is not told to stop when a move ends (N6, C6)",
           "old_replicas.stop_old_replicas: s.zookeeper.assigned[partition] & ~s.zookeeper.reassigned[partition]",
           "strong_isr", 15, {**MOVE_OF_TWO, "max_epoch": 3, "departed_end": "awaited"}),
    Broken("a leader does not answer for an epoch that it does not know (T3)",
           "by_known_epoch.answer_with_known_epoch: always: knows_epoch(their, requested)",
           "log_prefix_convergence", 15, {**S1, "truncation": "by-known-epoch"}, "kip-279"),
    Broken("of the follower's epochs the leader takes one that it knows (T4)",
           "by_epoch_sequence.answer_with_matching_end: without: knows_epoch(their, epoch)",
           "log_prefix_convergence", 15, {**S1, "truncation": "by-epoch-sequence"}, "kip-279"),
    Broken("a high watermark that enters an epoch is written to disk (T5)",
           "high_watermark.checkpoint_at_epoch_boundary: write_checkpoint(me)",
           "no_committed_data_loss", 11, {"session_expiries": 1, "crashes": 1, "max_epoch": 2, "checkpoint": "epoch-boundary",
            "truncation": "by-high-watermark-epoch"}),
    Broken("a leader that knows the new request answers it (T9)",
           "in_mixed_cluster.answer_in_mixed_cluster: always: is_refused(s, follower, leader) or not tracks_epochs(s, leader)",
           "no_committed_data_loss", 14, {"crashes": 2, "truncation": "mixed", "upgraded_from": "by-leader-epoch",
            "upgraded_to": "by-common-epoch", "versions": "asking-side"}, "kip-279"),
    Broken("a preferred election takes the old leader out of the ISR (T6)",
           "preferred_election.isr_after: never: s.config.leader_leaves_isr and node.leader != NO_BROKER",
           "log_prefix_convergence", 16, {**S1, "truncation": "by-leader-epoch", "newer_epoch": "log-end",
            "leader_leaves_isr": 1}),
]  # fmt: skip


@pytest.mark.parametrize("broken", RULES, ids=lambda b: b.purpose)
def test_without_the_rule(broken):
    """The property is violated at the level that is written above, and holds with the rule."""
    config = tiny(broken.revision, **broken.settings)
    assert level_of(broken.violated, config, broken.revision) is None
    with without(KAFKA, broken.rule):
        assert first(config, broken.violated) == {broken.violated: broken.level}


def append_record(s, me, source):
    """Append the record at the end of this log in the log of `source`, and not the rest of its batch."""
    append(s, me, source.log[me.leo].record, source.log[me.leo].epoch)


def test_a_fetch_returns_whole_batches():
    """G8: a follower that takes a part of a batch cannot append the rest."""
    config, name = tiny(max_batch=2, log_size=2), "append_in_order"
    assert name not in violated(outcome(config))
    with in_place_of(KAFKA, {append_batch: append_record}):
        assert first(config, name) == {name: 4}


QUIET = {"session_expiries": 0, "max_epoch": 1}
STEPS = [
    ("kip-320-2.8", {"store": "answered", "session_expiries": 1, "max_epoch": 1}),
    ("kip-320-2.8", {**QUIET, "fetch": "in-flight", "crashes": 1}),
    ("kip-320", {**QUIET, "replicas": 1, "reassignments": 1, "cancelled_moves": 1}),
    ("kip-320", {**QUIET, "controlled_shutdowns": 1}),
    ("kip-279", {**QUIET, "preferred_elections": 1}),
]


@pytest.mark.parametrize(("revision", "settings"), STEPS, ids=str)
def test_the_invariants_of_steps_hold(revision, settings):
    """Those that kill mutants: `guards` does not ask one that the unbroken model does not keep at a size."""
    broken, steps = broken_in_a_step(KAFKA, tiny(revision, **settings))
    assert steps > 50 and not broken


THREE = {"brokers": 3, "log_size": 2}
EMPTY = {"start": "empty", "max_epoch": 0, "init": "all-partitions"}
SWITCHES = [
    (
        "a follower without an older epoch cuts to its own first start (T2)",
        {"older_answer": "leader-end"},
        "log_prefix_convergence",
        16,
        {"max_records": 2},
    ),
    ("requests for an epoch's end are fenced (T7)", {"fenced": 0}, "weak_isr", 16, {**THREE, "max_records": 2}),
    ("fetches are fenced (T7)", {"fenced_fetches": 0}, "weak_isr", 12, {**THREE, "max_records": 2}),
    ("the ISR admits who reached the term's start (G3)", {"admission": "high-watermark"}, "weak_isr", 15, THREE),
    ("stale commands are dropped (C5)", {"stale_commands": 1}, "strong_isr", 11, {}),
    ("late commands of earlier controllers are dropped (D4)", {"controller_epoch": 0}, "strong_isr", 12, EMPTY),
]


@pytest.mark.parametrize(("rule", "setting", "name", "level", "size"), SWITCHES, ids=[s[0] for s in SWITCHES])
def test_switched_off(rule, setting, name, level, size):
    """The same for rules that a setting takes out."""
    faults = {} if "start" in size else {"session_expiries": 1, "preferred_elections": 1, "max_epoch": 2}
    base = {**faults, **size}
    assert level_of(name, tiny(**{**base, **setting})) == level
    assert level_of(name, tiny(**base)) is None
