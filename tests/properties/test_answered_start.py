"""What an answer to a fetch says of the start of its leader's log (N11, KAFKA-7104)."""

import pytest
from support.kafka import KAFKA, explored, of_release, outcome, violated
from support.mutants import without
from support.play import enabled, play

SIZES = {"retentions": 1, "fetch": "in-flight", "log_size": 2, "max_records": 2, "max_epoch": 0}
LATE = """
    send_fetch follower=1
    produce
    shrink_isr leader=0 follower=1
    produce
    answer_fetch leader=0 follower=1
    delete_old_records broker=0 offset=1
"""


@pytest.mark.parametrize(("release", "had_it"), [("0.11.0.2", 0), ("1.0.0", 1), ("1.0.2", 0), ("1.1.0", 1), ("1.1.1", 0)])
def test_n11_from_1_0_0_to_1_1_0_a_log_start_beyond_the_records_ends_the_fetcher(release, had_it):
    config = of_release(release, **SIZES)
    names = ["append_in_order"] if config.renewals else ["hw_within_log", "no_committed_data_loss"]
    assert bool(config.renewals) == bool(had_it)
    assert violated(outcome(config, names=names)) == ({"append_in_order": 9} if had_it else {})


def test_n11_what_is_read_again_is_read_once_for_each_change():
    state = play("kip-101", f"{LATE} renew_answer leader=0 follower=1", **SIZES, answered_start="read-again")
    assert state.fetch_response[0][1].log_start == 2
    assert "renew_answer" not in enabled(state)
    with without(KAFKA, "fetch_in_flight.renew_answer: response.log_start == their.log_start"):
        assert "renew_answer" in enabled(state)


@pytest.mark.parametrize("answer", ["with-records", "read-again"])
def test_n11_the_records_are_appended_before(answer):
    renewed = "renew_answer leader=0 follower=1" if answer == "read-again" else ""
    me = play("kip-101", f"{LATE} {renewed}\n receive_fetch follower=1", **SIZES, answered_start=answer).replica[0][1]
    assert (me.leo, me.failed) == (1, answer == "read-again")


def test_n11_nothing_committed_is_lost_by_it():
    assert explored("kip-101", ["no_committed_data_loss"], **SIZES, answered_start="read-again", session_expiries=0) == {}
