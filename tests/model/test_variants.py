"""Two ways to model one thing give the same verdicts, and what is switched off costs nothing."""

import dataclasses

import pytest
from highwater.explorer.plain.explore import explore_plain
from highwater.properties.property import ALWAYS
from support.kafka import KAFKA, PROPERTIES, falls, outcome, reachable, safety, tiny, witnessed

BIGGER = {"session_expiries": 1, "preferred_elections": 1, "max_epoch": 2, "max_records": 2, "log_size": 2}

FAULTS = {
    "crashes": ("crash", "lose_power", "start_broker", "checkpoint_high_watermark", "lose_epoch_file", "flush_log"),
    "session_expiries": ("expire_session", "notice_session_expiry"),
    "message_losses": ("fail_epoch_request",),
    "controller_changes": ("remove_controller",),
    "preferred_elections": (
        "request_preferred_election", "elect_preferred_replica", "elect_preferred_replica_on_schedule", "drop_preferred_election",
    ),
    "unclean_elections": ("elect_unclean_leader",),
    "topic_deletions": ("delete_topic", "stop_replica"),
    "reassignments": (
        "request_reassignment", "see_reassignment", "start_new_replicas", "find_caught_up", "switch_isr", "finish_reassignment",
    ),
}  # fmt: skip


@pytest.mark.parametrize("revision", KAFKA.revisions)
@pytest.mark.parametrize(
    "faults",
    [{}, {"controller_changes": 1}, {"crashes": 1, "preferred_elections": 0}],
    ids=["session", "controllers", "crashes"],
)
def test_coarse_equals_fine(revision, faults):
    """Merging read, decide, write and send hides no violation: the same properties fall."""
    size = {**BIGGER, "max_records": 1, "log_size": 1, **faults}
    coarse, fine = (outcome(tiny(revision, controller_steps=s, **size), revision) for s in ("coarse", "fine"))
    assert set(safety(falls(coarse))) == set(safety(falls(fine)))
    assert set(witnessed(coarse)) == set(witnessed(fine))
    assert fine.distinct_states > coarse.distinct_states


LATE_FETCHES = {"high-watermark": {"no_committed_data_loss"}, "kip-101": {"isr_reaches_high_watermark"}}


@pytest.mark.parametrize("revision", KAFKA.revisions)
def test_rendezvous_and_in_flight(revision):
    """What falls with fetches as one step falls with two messages too; more falls only where a late fetch does harm.

    A fetch that arrives late tells of records that the follower has cut since. In the two oldest revisions two
    brokers are enough for that to break one property more; in the others it breaks none at this size.
    """
    at_once, in_flight = (outcome(tiny(revision, fetch=f, **BIGGER), revision) for f in ("rendezvous", "in-flight"))
    assert in_flight.distinct_states > at_once.distinct_states
    assert always(falls(in_flight)) - always(falls(at_once)) == LATE_FETCHES.get(revision, set())
    assert always(falls(at_once)) <= always(falls(in_flight))


def always(names):
    """The properties of states among them."""
    return {n for n in names if PROPERTIES[n].kind == ALWAYS}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_budget_of_zero_costs_no_state(fault):
    """Without the budget, the model without the fault's actions has the same states and steps."""
    others = {"session_expiries": 1, "preferred_elections": 1, "controller_steps": "fine"}
    config = tiny("kip-279", **{**others, fault: 0})
    without = dataclasses.replace(KAFKA, actions=tuple(a for a in KAFKA.actions if a.name not in FAULTS[fault]))
    whole, bare = explore_plain(KAFKA, config), explore_plain(without, config)
    assert (whole.depth_of, whole.transitions) == (bare.depth_of, bare.transitions)


def test_a_fault_that_was_paid_for_is_seen():
    """And with the budget there are more states: the comparison above compares something."""
    for fault in FAULTS:
        needs = {"unclean_elections": {"crashes": 1}, "message_losses": {"session_expiries": 1, "preferred_elections": 1}}
        needs["reassignments"] = {"replicas": 1}
        base = {"max_epoch": 2, **needs.get(fault, {})}
        assert len(reachable(tiny("kip-279", **{**base, fault: 1}))) > len(reachable(tiny("kip-279", **base)))


def test_symmetry_at_a_larger_size():
    """Three brokers, one of which leads at first: half the states, the same verdicts at the same depths."""
    config = tiny("high-watermark", brokers=3, session_expiries=1, max_epoch=2)
    whole, folded = outcome(config, "high-watermark"), outcome(config, "high-watermark", symmetry=True)
    assert safety(falls(whole)) == safety(falls(folded))
    assert "strong_isr" in falls(whole)
    assert whole.distinct_states > 1.9 * folded.distinct_states
