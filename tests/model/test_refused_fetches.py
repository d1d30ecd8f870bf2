"""What a leader keeps of a follower's end when it answers a fetch with an error (G1, KAFKA-8400)."""

import pytest
from support.kafka import KAFKA, explored
from support.mutants import without
from support.play import enabled, play

NEXT_TERM = """
    produce leader=0
    fetch follower=1 leader=0
    fetch follower=1 leader=0
    expire_session broker=1
    see_broker_change
    elect_leader broker=0
    become_leader broker=0 epoch=1
"""
"""Broker 1 has what its leader has, and does not know of the epoch in which that leads now."""

SIZES = {"session_expiries": 1, "brokers": 2}


def in_the_isr(revision, **settings):
    state = play(revision, NEXT_TERM, **SIZES, **settings)
    state.replica[0][0].isr = 0b11
    return state


def test_it_is_forgotten_up_to_2_3():
    state = in_the_isr("kip-320-2.2")
    assert state.replica[0][0].fetched_to[1] == 1
    assert KAFKA.action("forget_end").function(state, 0, 0, 1)
    assert state.replica[0][0].fetched_to[1] == 0
    assert "forget_end" not in enabled(state)
    assert "forget_end" not in enabled(in_the_isr("kip-320-2.2", refused_fetch="keeps-end"))


def test_it_matters_for_members_of_the_isr():
    assert "forget_end" not in enabled(play("kip-320-2.2", NEXT_TERM, **SIZES))
    with without(KAFKA, "fetch.forget_end: not contains(their.isr, follower)"):
        assert "forget_end" in enabled(play("kip-320-2.2", NEXT_TERM, **SIZES))


def test_a_fetch_of_the_leaders_epoch_is_no_error():
    state = in_the_isr("kip-320-2.2")
    state.replica[0][1].leader_epoch = 1
    assert "forget_end" not in enabled(state)
    with without(KAFKA, "fetch.forget_end: not is_refused(s, partition, leader, follower)"):
        assert "forget_end" in enabled(state)


def test_before_2_1_no_epoch_is_compared():
    assert "forget_end" not in enabled(in_the_isr("kip-279-2.0.1"))


FOUND = {"brokers": 3, "session_expiries": 1, "max_epoch": 1}


@pytest.mark.parametrize(("settings", "found"), [({}, {"known_ends_stay": 9}), ({"refused_fetch": "keeps-end"}, {})])
def test_kafka_8400_is_found_in_2_3_and_not_in_2_4(settings, found):
    assert explored("kip-320-2.2", ["known_ends_stay"], **FOUND, **settings) == found
