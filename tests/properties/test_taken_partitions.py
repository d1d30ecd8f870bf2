"""A partition without epochs is taken from its fetcher before that has cut the log (N8, KAFKA-8012)."""

import pytest
from highwater.model.broker.become_leader import serve
from support.kafka import KAFKA, explored, of_release
from support.mutants import without
from support.play import enabled, play

SIZES = {
    "partitions": 2, "max_epoch": 2, "session_expiries": 1, "preferred_elections": 1, "initial": 1,
    "message_format": "older", "unepoched_cut": "later",
}  # fmt: skip
TO_CUT = """
    expire_session broker=0
    request_preferred_election partition=1
    elect_preferred_replica partition=1
    see_broker_change
    notice_session_expiry broker=0
    elect_leader partition=0 broker=1
    elect_leader partition=1 broker=1
    see_broker_change
    become_follower partition=1 broker=0 epoch=1
"""
TAKEN = "become_follower partition=1 broker=0 epoch=2"


def failed(script, **settings):
    """For which partitions the fetcher of broker 0 has ended."""
    state = play("kip-320-2.1.1", script, **{**SIZES, **settings})
    return [state.replica[partition][0].failed for partition in (0, 1)]


def test_n8_the_fetcher_ends_for_all_that_have_the_same_leader():
    assert failed(f"{TO_CUT} {TAKEN}") == [1, 1]
    assert failed(f"{TO_CUT} {TAKEN}", unepoched_cut="at-once") == [0, 0]
    with without(KAFKA, "become_follower.follow: end_before_cut(s, partition, broker)"):
        assert failed(f"{TO_CUT} {TAKEN}") == [0, 0]


def test_n8_what_was_cut_before_may_be_taken():
    cut = f"{TO_CUT} cut_late partition=1 follower=0"
    assert failed(f"{cut}\n {TAKEN}") == [0, 0]
    assert "cut_late" not in enabled(play("kip-320-2.1.1", cut, **SIZES))


def test_n8_a_broker_that_is_to_lead_leaves_its_fetcher_too():
    state = play("kip-320-2.1.1", TO_CUT, **SIZES)
    serve(state, 1, 0, 2, 1, 1)
    assert [state.replica[partition][0].failed for partition in (0, 1)] == [1, 0]


@pytest.mark.parametrize(
    ("release", "value"), [("2.0.1", "at-once"), ("2.1.0", "at-once"), ("2.1.1", "later"), ("2.2.0", "at-once")]
)
def test_n8_in_2_1_1_alone(release, value):
    assert of_release(release).shown()["unepoched_cut"] == value


def test_n8_with_one_partition_there_is_no_step_more():
    sizes = {"session_expiries": 1, "message_format": "older"}
    assert explored("kip-320-2.1.1", unepoched_cut="later", **sizes) == explored("kip-320-2.1.1", **sizes)
