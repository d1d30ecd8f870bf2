"""N5: a fetch from beyond the end of the leader's log, which Kafka's leader answers out-of-range."""

from contextlib import nullcontext

import pytest
from highwater.model.vocabulary import Phase
from support.kafka import KAFKA, explored, tiny
from support.mutants import without
from support.play import enabled, play

AHEAD = """
    produce leader=0
    shrink_isr leader=0 follower=1
    expire_session broker=0
    see_broker_change
    elect_unclean_leader broker=1
    become_leader broker=1 epoch=1
    notice_session_expiry broker=0
    see_broker_change
    become_follower broker=0 epoch=1
"""
"""Broker 0 has a committed record that its leader does not have."""

SIZES = {"session_expiries": 1, "unclean_elections": 1, "max_records": 3, "log_size": 2}
THROWN, EXIT, CUT = ({"fetch_beyond_end": value} for value in ("cut-or-thrown-away", "cut-or-exit", "cut"))
CAUGHT_UP = f"{AHEAD} learn_out_of_range follower=0 leader=1\n produce leader=1"


def after(script, revision="high-watermark", **settings):
    return play(revision, script, **{**SIZES, **settings})


def test_a_follower_ahead_of_its_leader_cuts_its_log_to_the_leaders_end():
    """Up to 2.3 its high watermark stays where it is, beyond its log."""
    for settings in (EXIT, CUT):
        for how, mark in (("cut", 0), ("stays", 1)):
            script = f"{AHEAD} cut_to_leader_end follower=0 leader=1"
            me = after(script, **settings, cut_high_watermark=how).replica[0][0]
            assert (me.leo, me.hw) == (0, mark)
    asked = f"{AHEAD} learn_out_of_range follower=0 leader=1\n cut_to_leader_end follower=0 leader=1"
    assert after(asked, **THROWN).replica[0][0].leo == 0


def test_in_v3_it_is_answered_with_nothing_and_waits():
    state = after(AHEAD, fetch_beyond_end="nothing")
    assert not enabled(state) & {"learn_out_of_range", "cut_to_leader_end", "exit_out_of_range"}
    assert "fetch" in enabled(state)
    assert "fetch" not in enabled(after(AHEAD))


def test_up_to_0_9_0_0_it_throws_its_log_away_if_the_leader_has_caught_up():
    """Since then it takes its log for a prefix of the leader's, which it is not."""
    thrown = after(f"{CAUGHT_UP}\n cut_to_leader_end follower=0 leader=1", **THROWN).replica[0][0]
    kept = after(f"{AHEAD} produce leader=1\n produce leader=1\n fetch follower=0 leader=1", **EXIT).replica[0][0]
    assert [me.leo for me in (thrown, kept)] == [0, 2]


def test_the_question_needs_a_leader_and_is_forgotten_with_it():
    state = after(CAUGHT_UP, **THROWN)
    state.replica[0][1].leader = -1
    assert "cut_to_leader_end" not in enabled(state)


@pytest.mark.parametrize("release", ["thrown", "kept"])
def test_kafka_2143_is_found_in_0_9_0_0_and_not_since_0_9_0_1(release):
    sizes = {**SIZES, "session_expiries": 2, "max_epoch": 1}
    found = explored("high-watermark", ["shared_records_stay"], **sizes, **(THROWN if release == "thrown" else EXIT))
    assert found == ({"shared_records_stay": 15} if release == "thrown" else {})


CLEAN = {"brokers": 3, "session_expiries": 1, "preferred_elections": 1, "max_epoch": 2}


@pytest.mark.parametrize(("revision", "steps"), [("high-watermark", 10), ("kip-279", 13), ("kip-279-2.0.1", None)])
def test_kafka_7414_ends_a_broker_up_to_2_0_0_though_all_elections_are_clean(revision, steps):
    found = explored(revision, ["no_broker_exits"], **CLEAN)
    assert found == ({"no_broker_exits": steps + 1} if steps else {})


def test_where_unclean_elections_are_allowed_no_broker_exits():
    assert "exit_out_of_range" not in enabled(after(AHEAD))
    assert tiny("kip-279").exits == 1 and tiny("kip-279", unclean_elections=1).exits == 0


@pytest.mark.parametrize("exited", [0, 1])
def test_a_broker_that_has_exited_is_not_started_again(exited):
    state = play("kip-279", "expire_session broker=1", session_expiries=1)
    state.broker[1].up = 0
    state.broker[1].exited = exited
    assert ("start_broker" in enabled(state)) == (not exited)


@pytest.mark.parametrize("mutant", [False, True])
def test_a_fetch_of_another_epoch_is_fenced_first(mutant):
    guard = "out_of_range.is_ahead: s.config.fenced and me.leader_epoch != their.leader_epoch"
    with without(KAFKA, guard) if mutant else nullcontext():
        state = after(AHEAD, "kip-320")
        state.replica[0][0].phase = Phase.FETCHING
        assert "cut_to_leader_end" in enabled(state)
        state.replica[0][0].leader_epoch = 0
        assert ("cut_to_leader_end" in enabled(state)) == mutant


def test_since_2_8_epochs_are_compared_first():
    assert "truncate_on_divergence" in enabled(after(AHEAD, "kip-320-2.8"))
    state = after(AHEAD, "kip-320-2.8")
    for epoch in range(2):
        state.replica[0][0].epoch_start[epoch] = -1
    assert "cut_to_leader_end" in enabled(state) and "truncate_on_divergence" not in enabled(state)
