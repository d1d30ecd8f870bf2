"""Brokers can be renamed: what the model does depends on who they are, never on their numbers."""

from itertools import islice

import pytest
from highwater.model.language import cells
from highwater.model.language.kinds import fill
from support.exploring import reachable as plain_reachable
from support.kafka import KAFKA, orders, outcome, reachable, renamed, renamed_cells, safety, settle, successors, tiny, violated

CASES = {
    "three brokers": tiny("kip-101", brokers=3, session_expiries=1, log_size=1),
    "preferred": tiny("kip-279", brokers=3, preferred_elections=1),
    "two replicas": tiny("kip-279", brokers=3, replicas=2, session_expiries=1),
    "new topic": tiny(start="empty", topic_deletions=1, max_epoch=0),
    "created again": tiny(topic_deletions=1, topic_recreations=1, deletion="confirmed", max_epoch=0),
    "new controller": tiny(controller_changes=1, session_expiries=1),
    "in-flight": tiny("kip-320-first-try", fetch="in-flight", session_expiries=1),
    "answered": tiny(store="answered", session_expiries=1, preferred_elections=1),
    "crashes": tiny("high-watermark", crashes=1, unclean_elections=1, power_losses=1, lost_epoch_files=1),
    "two partitions": tiny(partitions=2, replicas=1, session_expiries=1),
    "reassignment": tiny(brokers=3, replicas=1, reassignments=1),
}


def equivariant(config, states):
    """The first state and renaming for which renaming and stepping do not commute, or None."""
    for state in states:
        here = {key for _, key in successors(state)}
        for order in orders(config)[1:]:
            twin = renamed(state, order)
            if {key for _, key in successors(twin)} != {image(state, key, order, config) for key in here}:
                return cells(state), order
    return None


def image(state, key, order, config):
    """The cells of the renamed state, from cells."""
    twin = fill(state.copy(), renamed_cells(state, key, order))
    settle(twin)
    return cells(twin)


@pytest.mark.parametrize("name", CASES)
def test_renaming_and_stepping_commute(name):
    """The steps of a renamed state are the renamed steps."""
    config = CASES[name]
    assert KAFKA.asymmetry(config) == ""
    states = [state for _, state in islice(plain_reachable(KAFKA, config, True, 8), 160)]
    assert equivariant(config, states) is None


def test_the_ring_of_placement_prefers_numbers():
    """With fewer replicas than brokers a new topic goes to neighbours on the ring: the model says so, rightly."""
    config = tiny(start="empty", brokers=3, replicas=2, max_epoch=0, preferred_elections=1)
    assert "J1" in KAFKA.asymmetry(config)
    assert equivariant(config, [state for state, _ in reachable(config, True, 2).values()]) is not None


SLOW = ("three brokers", "answered")


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.long) if name in SLOW else name for name in CASES])
def test_orbits_and_verdicts(name):
    """Exploring one state of each orbit counts the orbits of the whole, and finds the same verdicts at the same depths."""
    config = CASES[name]
    whole, folded = outcome(config), outcome(config, symmetry=True)
    assert whole.distinct_states == len(reachable(config))
    orbits = {min(renamed_cells(state, key, order) for order in orders(config)) for key, (state, _) in reachable(config).items()}
    assert folded.distinct_states == len(orbits)
    if name == "three brokers":
        assert whole.distinct_states > 1.9 * folded.distinct_states
    assert safety(violated(folded)) == safety(violated(whole))
