"""Decisions are one log (`command_order = log`, KR1): none is lost, a broker obeys the newest that it has received."""

from contextlib import nullcontext

import pytest
from highwater.model.members import NO_BROKER
from highwater.model.vocabulary import Phase
from support.kafka import KAFKA, outcome, tiny, violated
from support.mutants import without
from support.play import play, refused

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


FOLLOWS = "become_follower broker=1 epoch=2"
BACK = f"notice_session_expiry broker=1\n{FOLLOWS}"


@pytest.mark.parametrize("then", [FOLLOWS, BACK], ids=["a fenced broker that lives reads on", "a new session forgets nothing"])
def test_a_broker_reads_the_log(then):
    me = play("kip-500", f"{ELECTED_TWICE} {then}", preferred=1, **THREE).replica[0][1]
    assert (me.leader, me.leader_epoch) == (0, 2)
    assert refused("kip-500", f"{ELECTED_TWICE} {then}", command_order="any", preferred=1, **THREE)


@pytest.mark.parametrize(
    ("then", "rule"),
    [
        (BACK, "new_session.notice_session_expiry: without: s.config.command_order is not CommandOrder.LOG"),
        (FOLLOWS, "decide.dispatch: never: s.config.command_order is CommandOrder.LOG"),
    ],
    ids=["what waits is not dropped with a session", "a decision reaches those whom the controller believes dead"],
)
def test_without_the_rule_the_decision_does_not_arrive(then, rule):
    with without(KAFKA, rule):
        assert refused("kip-500", f"{ELECTED_TWICE} {then}", preferred=1, **THREE)


def test_a_decision_reaches_a_registration_that_the_controller_does_not_know():
    """It knows the earlier one; a record of the log names none. A request would be refused (KIP-380)."""
    unseen = """
        expire_session broker=2
        notice_session_expiry broker=2
        request_preferred_election
        elect_preferred_replica
        become_follower broker=2 epoch=1
    """
    assert play("kip-500", unseen, preferred=1, **THREE).replica[0][2].leader == 1
    for how, rule in (
        ({"command_order": "any"}, None),
        ({}, "decide.send: never: s.config.command_order is CommandOrder.LOG"),
        ({}, "decide.send: command.sent[controller] = command.sent[controller] | brokers"),
    ):
        broken = without(KAFKA, rule) if rule else nullcontext()
        with broken, pytest.raises(AssertionError, match="become_follower broker=2 epoch=1 is not enabled"):
            play("kip-500", unseen, preferred=1, **THREE, **how)


@pytest.mark.parametrize(("lead_again", "known", "hw"), [("keeps-ends", 1, 1), ("forgets-ends", 0, 0), ("new-replicas", 0, 0)])
def test_a_leader_may_skip_the_decision_between_its_two_terms(lead_again, known, hw):
    skipped = f"{ELECTED_TWICE} become_leader broker=0 epoch=2"
    me = play("kip-500", skipped, lead_again=lead_again, preferred=1, **THREE).replica[0][0]
    assert (me.leader_epoch, me.fetched_to[2], me.hw) == (2, known, hw)


OFFLINE = """
    expire_session broker=0
    expire_session broker=1
    see_broker_change
    take_offline_but_one broker=1
"""


def offline(broker, **settings):
    """The replica of a broker that has heard that the partition has no leader."""
    script = f"{OFFLINE} become_follower broker={broker} epoch=1"
    return play("kip-500", script, brokers=2, session_expiries=2, **settings).replica[0][broker]


def test_a_broker_obeys_also_the_decision_that_names_no_leader():
    leader, follower = offline(0), offline(1)
    assert (leader.leader_epoch, leader.leader, leader.isr) == (1, NO_BROKER, 0)
    assert (follower.leader_epoch, follower.leader, follower.phase) == (1, NO_BROKER, Phase.IDLE)
    with pytest.raises(AssertionError, match="is not enabled"):
        offline(0, command_order="any")


def test_what_a_broker_does_that_has_no_leader_is_needed():
    with without(KAFKA, "become_follower.become_follower: stand_by(s, partition, broker, epoch)"):
        assert offline(0).leader == 0
    with without(KAFKA, "become_follower.stand_by: stop_serving(s, partition, broker)"):
        assert offline(0).isr
    with without(KAFKA, "become_follower.stand_by: stop_fetching(s, partition, broker)"):
        assert offline(1).phase is Phase.FETCHING


VIOLATED = {"strong_isr": 13, "weak_isr": 13}


@pytest.mark.parametrize(("lead_again", "found"), [("keeps-ends", VIOLATED), ("forgets-ends", {}), ("new-replicas", {})])
def test_what_is_violated_is_repaired_by_a_forgetful_leader(lead_again, found):
    config = tiny("kip-500", lead_again=lead_again, **THREE)
    assert violated(outcome(config, "kip-500", ("strong_isr", "weak_isr"))) == found


def test_new_replicas_are_a_forgetful_leader_where_no_fetch_is_counted_late():
    one, other = (outcome(tiny("kip-500", lead_again=again, **THREE), "kip-500") for again in ("forgets-ends", "new-replicas"))
    assert (one.levels, one.transitions) == (other.levels, other.transitions)
    assert violated(one) == violated(other)


LATE = {**THREE, "fetch": "in-flight", "fetch_count": "later"}


@pytest.mark.parametrize(
    ("lead_again", "found"), [("forgets-ends", {"strong_isr": 18}), pytest.param("new-replicas", {}, marks=pytest.mark.long)]
)
def test_a_fetch_that_is_counted_late_needs_new_replicas(lead_again, found):
    config = tiny("kip-500", lead_again=lead_again, **LATE)
    depth = None if lead_again == "new-replicas" else 18
    assert violated(outcome(config, "kip-500", ("strong_isr",), depth)) == found
