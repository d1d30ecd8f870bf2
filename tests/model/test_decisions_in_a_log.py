"""Decisions are one log (`command_order = log`, KR1): none is lost, a broker obeys the newest that it has received."""

import pytest
from highwater.model.members import NO_BROKER
from support.kafka import outcome, tiny, violated
from support.play import play

ELECTED_TWICE = """
    produce leader=0
    fetch follower=2 leader=0
    fetch follower=2 leader=0
    request_preferred_election
    elect_preferred_replica
    become_leader broker=1 epoch=1
    become_follower broker=2 epoch=1
    truncate_on_divergence follower=2 leader=1
    expire_session broker=1
    see_broker_change
    elect_leader broker=0
"""
THREE = {"brokers": 3, "session_expiries": 1, "preferred_elections": 1, "max_epoch": 2}


def test_a_fenced_broker_that_lives_reads_on():
    heard = f"{ELECTED_TWICE} become_follower broker=1 epoch=2"
    me = play("kip-500", heard, preferred=1, **THREE).replica[0][1]
    assert (me.leader, me.leader_epoch) == (0, 2)
    with pytest.raises(AssertionError, match="become_follower broker=1 epoch=2 is not enabled"):
        play("kip-500", heard, command_order="any", preferred=1, **THREE)


def test_a_new_session_forgets_nothing_of_the_log():
    again = f"{ELECTED_TWICE} notice_session_expiry broker=1\nbecome_follower broker=1 epoch=2"
    assert play("kip-500", again, preferred=1, **THREE).replica[0][1].leader == 0
    with pytest.raises(AssertionError, match="is not enabled"):
        play("kip-500", again, command_order="any", preferred=1, **THREE)


@pytest.mark.parametrize(("lead_again", "known", "hw"), [("keeps-ends", 1, 1), ("forgets-ends", 0, 0)])
def test_a_leader_may_skip_the_decision_between_its_two_terms(lead_again, known, hw):
    skipped = f"{ELECTED_TWICE} become_leader broker=0 epoch=2"
    me = play("kip-500", skipped, lead_again=lead_again, preferred=1, **THREE).replica[0][0]
    assert (me.leader_epoch, me.fetched_to[2], me.hw) == (2, known, hw)


def test_a_broker_obeys_also_the_decision_that_names_no_leader():
    offline = """
        expire_session broker=0
        expire_session broker=1
        see_broker_change
        take_offline_but_one broker=1
        become_follower broker=0 epoch=1
    """
    me = play("kip-500", offline, brokers=2, session_expiries=2).replica[0][0]
    assert (me.leader_epoch, me.leader) == (1, NO_BROKER)
    with pytest.raises(AssertionError, match="is not enabled"):
        play("kip-500", offline, brokers=2, session_expiries=2, command_order="any")


@pytest.mark.parametrize(("lead_again", "found"), [("keeps-ends", {"strong_isr": 13, "weak_isr": 13}), ("forgets-ends", {})])
def test_what_is_violated_is_repaired_by_a_forgetful_leader(lead_again, found):
    config = tiny("kip-500", lead_again=lead_again, **THREE)
    assert violated(outcome(config, "kip-500", ("strong_isr", "weak_isr"))) == found
