"""High watermarks that are not in their logs: of -1 (N14, KAFKA-3978), and below a log's start (KAFKA-9491)."""

import pytest
from support.kafka import KAFKA, of_release, outcome, violated
from support.mutants import without
from support.play import enabled, play

SIZES = {"retentions": 1, "max_epoch": 2, "session_expiries": 1, "preferred_elections": 1, "initial": 1}
ANEW = """
    produce leader=1
    shrink_isr leader=1 follower=0
    delete_old_records broker=1
    start_anew follower=0 leader=1
    expand_isr leader=1 follower=0
    request_preferred_election
    elect_preferred_replica
    become_leader broker=0 epoch=1
"""
AGAIN = """
    become_follower broker=1 epoch=1
    expire_session broker=0
    see_broker_change
    elect_leader broker=1
    become_leader broker=1 epoch=2
    notice_session_expiry broker=0
    see_broker_change
"""
RESTARTS = """
    checkpoint_high_watermark broker=0
    crash broker=0
    expire_session broker=0
    see_broker_change
    elect_leader broker=1
    start_broker broker=0
"""


HAD_IT = {"0.11.0.3": 1, "1.0.1": 1, "1.0.2": 0, "1.1.0": 0, "2.0.0": 0, "2.3.1": 0, "2.4.0": 1, "2.4.1": 0, "2.5.0": 0}


@pytest.mark.parametrize(("release", "had_it"), HAD_IT.items())
def test_a_leader_whose_high_watermark_is_not_in_its_log(release, had_it):
    """Up to 1.0.1 it begins with -1 (KAFKA-3978), in 2.4.0 with what lies below its start (KAFKA-9491)."""
    found = violated(outcome(of_release(release, retentions=1, preferred_elections=1), names=["leader_hw_in_log"]))
    assert found == ({"leader_hw_in_log": 9} if had_it else {})


@pytest.mark.parametrize(("revision", "hw", "lost"), [("kip-101", 1, 1), ("kip-279", 1, 0), ("kip-320-2.2", 1, 0)])
def test_up_to_2_3_a_new_leader_looks(revision, hw, lost):
    me = play(revision, ANEW, **SIZES).replica[0][0]
    assert (me.hw, me.no_hw) == (hw, lost)


def test_in_2_4_0_it_does_not_and_in_2_4_1_the_high_watermark_moves_with_the_start():
    for anew, hw in (("stays", 0), ("moves", 1)):
        sizes = {**SIZES, "cut_high_watermark": "cut", "anew_high_watermark": anew}
        script = ANEW if anew == "stays" else ANEW.replace("expand_isr leader=1 follower=0", "fetch follower=0 leader=1")
        assert play("kip-320-2.2", script, **sizes).replica[0][0].hw == hw


def test_n14_no_log_can_be_cut_to_it_with_no_leader_and_in_no_process():
    failed = play("kip-101", f"{ANEW} {AGAIN} become_follower broker=0 epoch=2", **SIZES)
    assert failed.replica[0][0].failed == 1
    assert not {"fetch", "expand_isr"} & enabled(failed)
    restarted = play("kip-101", f"{ANEW} {RESTARTS}", **SIZES, crashes=1).replica[0][0]
    assert restarted.no_hw == restarted.failed == 1, "it follows again as it starts"
    with without(KAFKA, "exchange.cut_to_high_watermark: me.failed = 1"):
        assert not play("kip-101", f"{ANEW} {AGAIN} become_follower broker=0 epoch=2", **SIZES).replica[0][0].failed


def test_n14_it_rises_when_all_of_the_isr_has_fetched():
    state = play("kip-101", f"{ANEW} become_follower broker=1 epoch=1\n answer_epoch_request leader=0 follower=1", **SIZES)
    assert state.replica[0][0].no_hw == 1
    state = play("kip-101", f"{ANEW} shrink_isr leader=0 follower=1", **SIZES)
    assert (state.replica[0][0].no_hw, state.replica[0][0].hw) == (0, 1)


def test_n14_followers_take_it_over():
    """A follower whose answer comes before the others of the ISR have fetched."""
    script = ANEW.replace("shrink_isr leader=1 follower=0", "shrink_isr leader=1 follower=0\n shrink_isr leader=1 follower=2")
    joined = script.replace("request_pref", "start_anew follower=2 leader=1\n fetch follower=2 leader=1\n request_pref")
    state = play("kip-101", f"{joined} become_follower broker=2 epoch=1\n fetch follower=2 leader=0", **SIZES, brokers=3)
    assert state.replica[0][2].no_hw == 1
