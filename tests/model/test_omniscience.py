"""No omniscience: what an action reads of another actor has reached it, or a comparison shows that reading it hides nothing.

`omniscience.toml` lists each variable of another actor that an action reads, by the reason in its docstring; `test_footprints.py`
compares the docstrings with the source.
"""

import importlib
import tomllib
from pathlib import Path

import pytest
from highwater.model.broker.isr import fetches_from
from highwater.model.fetching import learns_nothing
from highwater.properties.registry import KAFKA
from support.kafka import PROPERTIES, reachable, tiny
from support.mutants import in_place_of

from .test_footprints import listed

REASONS = tomllib.loads((Path(__file__).parent / "omniscience.toml").read_text())["reason"]
KNOWN = ("message", "connection", "memory", "setting", "encoding")
COMPARED = ("one step", "reduction")


def test_what_is_read_of_others_is_what_the_table_lists():
    """A new one needs a row: a message, a memory of one, or a switch with a comparison."""
    rows = {(r["why"], path, who) for r in REASONS for paths, actions in r["reads"] for path in paths for who in actions}
    read = {
        (reason, path, version.__name__)
        for action in KAFKA.actions
        for version in action.versions
        for path, reason in listed(version)
        if not path.startswith("zookeeper")
    }
    assert read - rows == set(), "read, and not in omniscience.toml"
    assert rows - read == set(), "in omniscience.toml, and not read"


@pytest.mark.parametrize("reason", REASONS, ids=lambda r: r["why"][:40])
def test_each_reason_says_how_it_is_known_or_who_compares(reason):
    assert reason["how"] in KNOWN + COMPARED
    if reason["how"] in COMPARED:
        file, _, test = reason["compared"].partition(".")
        assert callable(getattr(importlib.import_module(f".{file}", __package__), test))
    elif reason["how"] != "memory" and "sent to" not in reason["why"]:
        assert len(reason["what"]) > 4


def seen(config):
    """What is reached, but for fetches on their way: the store, who runs, and the replicas."""
    out = set()
    for state, _ in reachable.__wrapped__(config).values():
        nodes = tuple((n.leader, n.leader_epoch, n.isr) for n in state.zookeeper.leader_and_isr)
        replicas = [
            (me.leader, me.leader_epoch, me.isr, me.hw, me.leo, me.phase, tuple(me.fetched_to))
            for row in state.replica
            for me in row
        ]
        out.add((nodes, tuple(replicas)))
    return out


def violated_in(config):
    """The properties of states that some reachable state violates."""
    claims = [p for p in PROPERTIES.values() if p.kind == "always" and not p.over_steps and p.applies(config)]
    states = [state for state, _ in reachable.__wrapped__(config).values()]
    return {p.name for p in claims if any(not p.holds(state) for state in states)}


def test_an_answer_from_which_nobody_learns_changes_nothing():
    config = tiny("kip-320", fetch="in-flight", preferred_elections=1)
    with in_place_of(KAFKA, {learns_nothing: lambda me, their, follower: False}):
        answered = seen(config)
    assert answered == seen(config)


@pytest.mark.parametrize("revision", ["high-watermark", "kip-101", "kip-279-2.0.1"])
def test_a_silent_follower_that_still_fetches_may_be_dropped_without_harm(revision):
    """Up to 2.0 a leader drops who has not fetched for long, although it has everything; its fetches may only be late."""
    config = tiny(revision, session_expiries=1)
    known = violated_in(config)
    with in_place_of(KAFKA, {fetches_from: lambda s, partition, follower, leader: False}):
        assert violated_in(config) == known
