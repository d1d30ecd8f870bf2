"""Up to 2.2 a new controller does not look at the brokers that died before it was elected (KAFKA-3143, N9)."""

import pytest
from support.kafka import KAFKA, explored, safety, tiny, unkept
from support.mutants import without
from support.play import enabled, play

FAULTS = {"crashes": 1, "controller_changes": 1, "max_epoch": 2}
ALONE = {**FAULTS, "replicas": 1}

DIES = """
    crash broker=0
    expire_session broker=0
    see_controller_change broker=1
    recover_controller controller=1
"""
RETURNS = """
    start_broker broker=0
    see_broker_change controller=1
"""


@pytest.mark.parametrize("revision", ["kip-279", "kip-320-2.2"])
def test_n9_a_leader_that_died_before_stays_published(revision):
    """No record is lost by it: what is safe is so with both."""
    told = {"start_up": "told", "broker_epochs": 1}
    left, decided = ({**ALONE, **told, "earlier_failures": how} for how in ("left", "decided"))
    assert unkept(tiny(revision, **left)) == {"lost_broker_leads_nothing"}
    assert unkept(tiny(revision, **decided)) == set()
    assert safety(explored(revision, **left)) == safety(explored(revision, **decided))


@pytest.mark.parametrize(("revision", "decides"), [("kip-320-2.2", False), ("kip-320-2.5.0", True)])
def test_n9_nothing_is_written_of_a_partition_that_nobody_can_lead(revision, decides):
    assert ("take_offline" in enabled(play(revision, DIES, **ALONE))) == decides


def test_n9_who_returns_leads_again_in_the_next_epoch():
    state = play("kip-320-2.2", f"{DIES} {RETURNS} elect_leader controller=1 broker=0", **ALONE)
    node = state.zookeeper.leader_and_isr[0]
    assert (node.leader, node.leader_epoch) == (0, 1)
    with without(KAFKA, "decide.is_affected: never: has_lapsed(s, controller, partition)"):
        assert "elect_leader" not in enabled(play("kip-320-2.2", f"{DIES} {RETURNS}", **ALONE))


def test_n9_a_follower_that_died_before_is_left_to_the_leader():
    """The leader removes it from the ISR as one that is late."""
    follows = DIES.replace("broker=0", "broker=2").replace("broker=1", "broker=0")
    for revision, decides in (("kip-320-2.2", False), ("kip-320-2.5.0", True)):
        state = play(revision, f"{follows} produce leader=0", brokers=3, initial=2, **FAULTS)
        assert {"elect_leader", "shrink_isr"} & enabled(state) == ({"elect_leader", "shrink_isr"} if decides else {"shrink_isr"})


def test_n9_who_has_returned_is_looked_at_when_it_dies_again():
    again = "elect_leader controller=1 broker=0\n crash broker=0\n expire_session broker=0\n see_broker_change controller=1"
    script = f"{DIES} {RETURNS} {again}"
    assert "take_offline" in enabled(play("kip-320-2.2", script, **{**ALONE, "crashes": 2}))


def test_n9_without_the_memory_of_it_a_dead_leader_is_replaced_by_none():
    with without(KAFKA, "broker_change.loses_leader: has_lapsed(s, controller, partition)"):
        assert "take_offline" in enabled(play("kip-320-2.2", DIES, **ALONE))
