"""Two ways to model one thing give the same verdicts, and what is switched off costs nothing."""

from functools import cache

import pytest
from highwater.explorer.plain.explore import explore_plain
from highwater.model.language import cells
from highwater.properties.property import ALWAYS
from support.exploring import reachable as plain_reachable
from support.kafka import KAFKA, PROPERTIES, explored, outcome, reachable, safety, states_of, tiny, violated, witnessed

BIGGER = {"session_expiries": 1, "preferred_elections": 1, "max_epoch": 2, "max_records": 2, "log_size": 2}

FAULTS = {
    "crashes": (
        "crash", "lose_power", "start_broker", "read_role", "take_role", "checkpoint_high_watermark", "lose_epoch_file",
        "flush_log",
    ),
    "session_expiries": ("expire_session", "notice_session_expiry"),
    "message_losses": ("fail_epoch_request",),
    "controller_changes": ("remove_controller",),
    "preferred_elections": (
        "request_preferred_election", "elect_preferred_replica", "elect_preferred_replica_on_schedule", "drop_preferred_election",
    ),
    "unclean_elections": ("elect_unclean_leader",),
    "topic_deletions": ("delete_topic", "delete_topic_path", "finish_topic_deletion", "stop_replica"),
    "partition_additions": ("request_addition", "init_added"),
    "partition_removals": ("request_removal", "stop_removed"),
    "topic_recreations": ("create_topic_again", "obey_earlier_command"),
    "lost_brokers": ("lose_broker",),
    "controlled_shutdowns": ("begin_shutdown", "move_leader_away", "stop_broker"),
    "compactions": ("compact_log",),
    "retentions": ("delete_old_records", "start_anew"),
    "ignored_commands": ("ignore_command",),
    "lost_answers": ("lose_isr_answer", "lose_decision_answer"),
    "reassignments": (
        "request_reassignment", "see_reassignment", "start_new_replicas", "find_caught_up", "switch_isr", "write_assignment",
        "finish_reassignment",
    ),
}  # fmt: skip


RELEASES = [r for r in KAFKA.revisions if r != "v3"]
"""The revisions whose steps are atomic where nothing else is said."""


ATOMIC = {"session": {}, "controllers": {"controller_changes": 1}, "crashes": {"crashes": 1, "preferred_elections": 0}}
SHORT = {("high-watermark", "session"), ("high-watermark", "crashes"), *(("kip-320", faults) for faults in ATOMIC)}
"""With two controllers the releases before KIP-101 take a quarter of a minute."""


@pytest.mark.parametrize(
    ("revision", "faults"),
    [
        pytest.param(revision, settings, id=f"{faults}-{revision}", marks=[pytest.mark.long] * ((revision, faults) not in SHORT))
        for faults, settings in ATOMIC.items() for revision in RELEASES
    ],
)  # fmt: skip
def test_atomic_steps_hide_no_violation(revision, faults):
    """With the lock, merging read, decide, write, answer and send (Z12) hides nothing: the same properties are violated."""
    size = {**BIGGER, "max_records": 1, "log_size": 1, **faults}
    atomic, answered = (outcome(tiny(revision, store=s, **size), revision) for s in ("atomic", "answered"))
    assert set(safety(violated(atomic))) == set(safety(violated(answered)))
    assert set(witnessed(atomic)) == set(witnessed(answered))
    assert answered.distinct_states > atomic.distinct_states


def test_a_refusal_in_one_step_hides_no_violation():
    """Of an ISR with a broker that is dead or leaving (KAFKA-14140): the same as where the controller answers later."""
    size = {"controlled_shutdowns": 1, "session_expiries": 1, "max_epoch": 2, "fetch": "in-flight", "eligible": "active"}
    both = [outcome(tiny("kip-320-2.8", store=store, **size), "kip-320-2.8") for store in ("atomic", "answered")]
    atomic, answered = ((set(safety(violated(found))), set(witnessed(found)), found.distinct_states) for found in both)
    assert atomic[:2] == answered[:2] and answered[2] > atomic[2]


@pytest.mark.parametrize("revision", [r if r == "kip-320" else pytest.param(r, marks=pytest.mark.long) for r in RELEASES])
@pytest.mark.parametrize(
    "size",
    [
        {"session_expiries": 1, "preferred_elections": 1, "max_epoch": 2},
        {"session_expiries": 1, "controller_changes": 1},
        pytest.param({"crashes": 1, "session_expiries": 1, "max_epoch": 2}, marks=pytest.mark.long),
    ],
    ids=["sessions", "controllers", "crashes"],
)
def test_events_that_come_between_two_decisions_violate_nothing_more(revision, size):
    """V3 A.2-3, M5: where the controller looks at the live brokers before all is decided, the same is violated, as soon."""
    between, whole = (outcome(tiny(revision, whole_changes=w, **size), revision) for w in (0, 1))
    assert safety(violated(between)) == safety(violated(whole))
    assert witnessed(between) == witnessed(whole)
    assert between.transitions != whole.transitions  # nor fewer: a controller that waits remembers who had failed


@pytest.mark.parametrize("revision", [pytest.param("high-watermark", marks=pytest.mark.long), "kip-320"])
def test_atomic_steps_reach_what_answered_ones_reach(revision):
    """Where nothing is on its way to or from the store, both reach the same logs, roles and published states."""
    size = {"session_expiries": 1, "preferred_elections": 1, "max_epoch": 2}
    atomic, answered = (
        {seen(state) for state in states_of(tiny(revision, store=s, **size)) if at_rest(state)} for s in ("atomic", "answered")
    )
    assert atomic == answered


def at_rest(state):
    """No write is on its way, and no command is yet to be sent."""
    if any(d.asked for row in state.decision for d in row) or any(w.phase for row in state.isr_write for w in row):
        return False
    return not any(any(command.unsent) for row in state.command for command in row)


def seen(state):
    """What is published, and what each replica is and holds."""
    nodes = tuple((n.leader, n.leader_epoch, n.isr) for n in state.zookeeper.leader_and_isr)
    replicas = tuple(
        (me.leader, me.leader_epoch, me.isr, me.hw, me.leo, me.phase, tuple((x.record, x.epoch) for x in me.log))
        for row in state.replica
        for me in row
    )
    return nodes, replicas


@pytest.mark.parametrize(("revision", "start_up"), [("high-watermark", "stepwise"), ("kip-320", "stepwise"), ("kip-320", "told")])
def test_a_start_in_one_step_hides_no_violation(revision, start_up):
    """A broker that reads and acts by steps, or waits to be told, breaks what one that starts at once breaks (E1).

    Only as long as no session expires beside the crash: see `test_who_waits_to_be_told_needs_broker_epochs`.
    """
    size = {"crashes": 1, "max_epoch": 2}
    at_once, other = (outcome(tiny(revision, start_up=way, **size), revision) for way in ("at-once", start_up))
    assert set(safety(violated(at_once))) == set(safety(violated(other)))
    assert set(witnessed(at_once)) == set(witnessed(other))
    assert other.distinct_states != at_once.distinct_states


def test_who_restarts_unnoticed_cuts_nothing_until_it_is_told():
    """S3: a broker that starts at once cuts its log, and no controller has seen that it was away. One that waits is told nothing.

    It is told, and cuts, by a controller that was elected while it was away.
    """
    size = {"crashes": 1, "max_epoch": 2}
    members = {"strong_isr", "isr_reaches_high_watermark"}
    assert members < set(explored("high-watermark", **size))
    assert not members & set(explored("high-watermark", start_up="told", **size))
    assert members < set(explored("high-watermark", start_up="told", controller_changes=1, **size))


TOLD = {"start_up": "told", "crashes": 1, "session_expiries": 1, "preferred_elections": 1, "max_epoch": 2}


def test_who_waits_to_be_told_needs_broker_epochs():
    """KIP-380 (R6): an old command, sent once more, makes a restarted broker lead, unless it names a registration."""
    assert explored(**TOLD)["no_committed_data_loss"] == 17
    assert safety(explored(**TOLD, broker_epochs=1)) == safety(explored("kip-320-2.8", **TOLD)) == {}


def test_a_role_that_was_read_before_a_command_came_does_not_undo_it():
    """V3 E between E.2 and E.3: where epochs are not compared (C5), a broker goes back to the leader that it read before."""
    size = {"crashes": 1, "max_epoch": 2, "stale_commands": 1}
    at_once, stepwise = (explored("high-watermark", start_up=s, **size) for s in ("at-once", "stepwise"))
    assert set(safety(stepwise)) - set(safety(at_once)) == {
        "no_committed_data_loss", "log_prefix_convergence", "no_broker_exits",
    }  # fmt: skip
    assert stepwise["no_committed_data_loss"] == 13


def test_an_answered_election_breaks_nothing():
    """V3's last comment: another member is elected while the first has not answered, though it may only be late."""
    size = {"elections": "answered", "ignored_commands": 1, "session_expiries": 1, "max_epoch": 2}
    assert safety(explored(**size)) == {}


def test_an_unlocked_write_of_the_isr_loses_data():
    """V3 G states no lock (R1): a leader that commits with the old ISR while the new one is published breaks strong_isr."""
    size = {"store": "answered", "session_expiries": 1}
    unlocked = explored(isr_write="unlocked", **size)
    assert unlocked["strong_isr"] == 14
    for repair in ("locked", "pending"):
        assert safety(explored(isr_write=repair, **size)) == {}


def test_a_lost_answer_needs_its_write_to_be_recognised():
    """KAFKA-1382 (R2): a leader that does not know its own write keeps the old ISR, and commits without the new member."""
    size = {"store": "answered", "lost_answers": 1, "session_expiries": 1}
    assert "strong_isr" in explored(recognised_writes=0, **size)


WEAKER = {"weak_isr", "strong_isr", "isr_reaches_high_watermark"}
LATE_FETCHES = {"high-watermark": {"isr_reaches_high_watermark"}, "kip-101": WEAKER, "kip-279": WEAKER}
SMALLER = {"v3": {"max_epoch": 1, "preferred_elections": 0}}
"""Steps of v3 are not atomic: at the size of the others it has more than 300,000 states each way."""


@pytest.mark.parametrize("revision", KAFKA.revisions)
def test_rendezvous_and_in_flight(revision):
    """What is violated with fetches as one step is violated with two messages too; more only where a late fetch does harm.

    A fetch that arrives late tells of records that the follower has cut since. In the revisions that are
    named two brokers are enough for that to break more; in the others it breaks none at this size.
    """
    size = {**BIGGER, **SMALLER.get(revision, {})}
    at_once, in_flight = (outcome(tiny(revision, fetch=f, **size), revision) for f in ("rendezvous", "in-flight"))
    assert in_flight.distinct_states > at_once.distinct_states
    assert always(violated(in_flight)) - always(violated(at_once)) == LATE_FETCHES.get(revision, set())
    assert always(violated(at_once)) <= always(violated(in_flight))


def always(names):
    """The properties of states among them."""
    return {n for n in names if PROPERTIES[n].kind == ALWAYS}


@cache
def taken(config):
    """How many steps each action takes."""
    return dict(explore_plain(KAFKA, config).taken)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_budget_of_zero_costs_no_state(fault):
    """Without the budget none of the fault's actions takes a step: the model without them has the same states."""
    others = {"session_expiries": 1, "store": "answered"} if fault == "lost_answers" else {"session_expiries": 1}
    config = tiny("kip-279", **{**others, fault: 0})
    assert set(FAULTS[fault]) <= {action.name for action in KAFKA.actions} and not set(FAULTS[fault]) & set(taken(config))


def test_a_fault_that_was_paid_for_is_seen():
    """And with the budget there are more states: the comparison above compares something."""
    for fault in FAULTS:
        needs = {"unclean_elections": {"crashes": 1}}
        needs["message_losses"] = {"session_expiries": 1, "preferred_elections": 1, "failed_epoch_request": "high-watermark"}
        needs["reassignments"] = {"replicas": 1}
        needs["lost_answers"] = {"store": "answered"}
        needs["compactions"] = {"log_size": 2, "max_records": 2, "max_epoch": 0}
        needs["topic_recreations"] = {"topic_deletions": 1, "max_epoch": 0}
        needs["partition_removals"] = {"path_change": "request-first"}
        needs["ignored_commands"] = {"preferred_elections": 1}
        base = {"max_epoch": 2, **needs.get(fault, {})}
        without = reachable(tiny("kip-279", **base))
        with_fault = plain_reachable(KAFKA, tiny("kip-279", **{**base, fault: 1}))
        assert any(cells(state) not in without for _, state in with_fault)


def test_symmetry_at_a_larger_size():
    """Three brokers, one of which leads at first: half the states, the same verdicts at the same depths."""
    config = tiny("high-watermark", brokers=3, session_expiries=1, max_epoch=2)
    whole, folded = outcome(config, "high-watermark"), outcome(config, "high-watermark", symmetry=True)
    assert safety(violated(whole)) == safety(violated(folded))
    assert "strong_isr" in violated(whole)
    assert whole.distinct_states > 1.9 * folded.distinct_states
