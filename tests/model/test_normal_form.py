"""The normal form forgets only what can never matter: a state and its normal form have the same future."""

from functools import cache

import pytest
from highwater.model.language import cells
from support.kafka import KAFKA, PROPERTIES, reachable, settle, successors, tiny

CASES = {
    "session": (tiny("kip-279", session_expiries=1), 99),
    "crash": (tiny("kip-101", crashes=1), 13),
    "power": (tiny("kip-101", crashes=1, power_losses=1), 10),
    "deletion": (tiny(topic_deletions=1, preferred_elections=1, store="answered"), 9),
    "new topic": (tiny(start="empty", topic_deletions=1, max_epoch=0), 99),
    "created again": (tiny(topic_deletions=1, topic_recreations=1, max_epoch=0), 9),
    "INIT": (tiny(init="all-partitions", start="empty", controller_changes=1, max_epoch=0), 10),
    "in-flight": (tiny("high-watermark", fetch="in-flight", session_expiries=1), 99),
    "answered": (tiny(store="answered", session_expiries=1), 99),
    "no guard": (tiny("kip-279", preferred_elections=1, stale_commands=1, session_expiries=1), 10),
    "reassignment": (tiny(replicas=1, reassignments=1, session_expiries=1), 99),
    "watched reassignment": (tiny(replicas=1, reassignments=1, isr_watch=1), 12),
    "addition": (tiny("kip-101", partition_additions=1, crashes=1), 9),
    "requested addition": (tiny("kip-101", partition_additions=1, path_change="request-first", crashes=1), 9),
    "removal and addition": (tiny("v3", partition_removals=1, partition_additions=1, session_expiries=1), 9),
    "node by node": (
        tiny("high-watermark", topic_deletions=1, deletion="node-by-node", controller_changes=1, preferred_elections=1),
        7,
    ),
    "waits to be told": (tiny("kip-320-2.8", start="empty", crashes=1, session_expiries=1, max_epoch=0), 9),
    "waits to be told, power": (tiny("kip-320-2.8", crashes=1, power_losses=1, preferred_elections=1), 9),
    "offline and a crash": (tiny(crashes=1, controlled_shutdowns=1), 9),
    "three brokers": (tiny("high-watermark", brokers=3, session_expiries=1, max_records=1), 7),
}


@cache
def raw(name):
    """The states of a case as they are, without the normal form, with their levels."""
    config, deepest = CASES[name]
    return reachable(config, False, deepest)


@pytest.mark.parametrize("name", CASES)
def test_the_normal_form_is_a_bisimulation(name):
    """The steps of each state lead to the same normal forms as the steps of its own normal form, and no property tells.

    A step that changes only what is forgotten, such as sending a command that nobody can obey, is no step.
    """
    told = [p for p in PROPERTIES.values() if p.applies(CASES[name][0]) and not p.over_steps]
    known = {}
    for state, _ in raw(name).values():
        normal = state.copy()
        settle(normal)
        if normal == state:
            continue
        key = cells(normal)
        if key not in known:
            known[key] = onward(normal, key), [p.holds(normal) for p in told]
        assert (onward(state, key), [p.holds(state) for p in told]) == known[key]


def onward(state, key):
    """The successors that are not `key`, the state's own normal form."""
    return {(label, after) for label, after in successors(state) if after != key}


@pytest.mark.parametrize("name", CASES)
def test_exploring_with_and_without_agrees(name):
    """The same normal forms are reached, at the same levels; so each property is violated at the same level, since none tells."""
    config, deepest = CASES[name]
    first = {}
    for state, depth in raw(name).values():
        normal = state.copy()
        settle(normal)
        first.setdefault(cells(normal), depth)
    folded = reachable(config, True, deepest)
    assert first == {key: depth for key, (_, depth) in folded.items()}


@pytest.mark.parametrize("name", CASES)
def test_a_normal_form_is_its_own(name):
    """Normalising twice changes nothing more."""
    for state, _ in list(reachable(*CASES[name][:1], True, CASES[name][1]).values())[:300]:
        again = state.copy()
        KAFKA.normal_form(again)
        assert again == state
