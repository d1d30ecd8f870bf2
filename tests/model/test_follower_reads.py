"""Consumers read from followers, which may raise their high watermark before they cut their log (N11, KAFKA-14704)."""

import pytest
from highwater.properties.high_watermark import followers_show_committed
from support.kafka import KAFKA, tiny
from support.play import play

DIVERGES = """
    request_preferred_election
    elect_preferred_replica
    become_leader broker=1 epoch=1
    produce leader=1
    produce leader=0
    become_follower broker=0 epoch=1
    shrink_isr leader=1 follower=0
    truncate_on_divergence follower=0 leader=1
"""
SIZES = {"preferred_elections": 1, "max_records": 2}


def answered(revision, **settings):
    return play(revision, DIVERGES, preferred=1, **{**SIZES, "follower_reads": 1, **settings})


def test_up_to_3_4_0_it_shows_what_it_is_about_to_cut():
    state = answered("kip-320-2.8")
    assert (state.replica[0][0].hw, state.replica[0][0].leo) == (1, 1)
    assert not followers_show_committed(state, 0, 0, 0)
    assert KAFKA.action("truncate_to_answer").version(state.config)(state, 0, 0)
    assert (state.replica[0][0].hw, state.replica[0][0].leo) == (0, 0)
    assert followers_show_committed(state, 0, 0, 0)


@pytest.mark.parametrize(("revision", "settings"), [("kip-500", {}), ("kip-320-2.8", {"refusal_high_watermark": "left"})])
def test_since_3_4_1_it_cuts_first(revision, settings):
    state = answered(revision, **settings)
    assert (state.replica[0][0].hw, state.replica[0][0].leo) == (0, 0)


def test_where_consumers_read_from_leaders_alone_it_is_one_step():
    state = answered("kip-320-2.8", follower_reads=0)
    assert (state.replica[0][0].hw, state.replica[0][0].leo) == (0, 0)
    assert tiny("kip-320-2.8").raises == 0 and tiny("kip-320-2.8", follower_reads=1).raises == 1


def test_a_refusal_in_flight_names_the_high_watermark():
    assert tiny("kip-320-2.8", fetch="in-flight").raised_refusals == 0
    assert tiny("kip-320-2.8", fetch="in-flight", follower_reads=1).raised_refusals == 1
