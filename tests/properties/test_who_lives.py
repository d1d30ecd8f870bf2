"""A broker knows who lives from UpdateMetadata alone, and ignores a role whose leader it does not know as live (N9)."""

import pytest
from highwater.model.members import NO_BROKER
from support.kafka import KAFKA, explored, safety, tiny, unkept
from support.mutants import without
from support.play import enabled, play

FAULTS = {"crashes": 1, "controller_changes": 1, "start_up": "told"}
JOINS = {"follower_can_join", "follower_joins"}

RETURNS = """
    crash broker=1
    expire_session broker=1
    see_controller_change
    start_broker broker=1
    recover_controller controller=1
"""


def with_controller_on_1(script, **settings):
    """The state after the script, from where broker 1 is the controller."""
    return play("high-watermark", script, initial=1, **FAULTS, **settings)


def test_n9_a_broker_is_not_told_who_leads_up_to_0_10_1():
    """With broker epochs, so that a restart that nobody notices (R6) is no other reason. No record is lost by it."""
    faults = {**FAULTS, "broker_epochs": 1, "earlier_failures": "decided"}  # what KAFKA-3143 leaves is another reason
    assert unkept(tiny("high-watermark", **faults)) == JOINS
    assert unkept(tiny("high-watermark", who_lives="said-first", **faults)) == set()
    later, first = (safety(explored("high-watermark", who_lives=when, **FAULTS)) for when in ("said-later", "said-first"))
    assert set(later) == set(first)


def test_n9_it_ignores_the_role_until_it_has_heard_who_lives():
    state = with_controller_on_1(RETURNS)
    assert "ignore_unknown_leader" in enabled(state)
    with pytest.raises(AssertionError, match="become_follower broker=1 controller=1 is not enabled"):
        with_controller_on_1(f"{RETURNS} become_follower broker=1 controller=1")
    with pytest.raises(AssertionError, match="learn_who_lives broker=1 controller=1 is not enabled"):
        with_controller_on_1(f"{RETURNS} learn_who_lives broker=1 controller=1")  # what was sent first comes first
    after = with_controller_on_1(f"{RETURNS} ignore_unknown_leader broker=1 controller=1\n learn_who_lives broker=1 controller=1")
    assert (after.broker[1].knows_live[0], after.replica[0][1].leader) == (0b11, NO_BROKER)
    assert "become_follower" not in enabled(after)


def test_n9_who_has_run_all_the_time_knows_its_leader():
    """What an earlier controller has said is remembered."""
    replaced = "expire_session broker=1\n see_controller_change\n recover_controller controller=1"
    state = with_controller_on_1(replaced, session_expiries=1)
    assert state.command[0][0].early[1] == 0b01
    assert state.broker[0].knows_live[0] == 0b11
    assert "ignore_unknown_leader" not in enabled(state)


def test_n9_a_later_role_comes_after_the_news():
    """The new controller sees the broker start: it says who lives, and sends the role to it."""
    late = RETURNS.replace("start_broker broker=1\n", "") + "start_broker broker=1\n see_broker_change controller=1\n"
    state = with_controller_on_1(f"{late} become_follower broker=1 controller=1")
    assert (state.broker[1].knows_live[0], state.replica[0][1].leader) == (0b11, 0)


def test_n9_without_the_order_of_one_connection():
    """If UpdateMetadata may overtake the role, nothing is ignored here."""
    with without(KAFKA, "who_lives.learn_who_lives: waits_early(s, partition, broker, epoch, controller)"):
        script = f"{RETURNS} learn_who_lives broker=1 controller=1\n become_follower broker=1 controller=1"
        assert with_controller_on_1(script).replica[0][1].leader == 0


def test_n9_unless_roles_come_early_none_is_ignored():
    with without(KAFKA, "fail_over.recover_controller: send_early(s, controller, partition, live)"):
        state = with_controller_on_1(f"{RETURNS} become_follower broker=1 controller=1")
    assert (state.broker[1].knows_live[0], state.replica[0][1].leader) == (0b11, 0)
