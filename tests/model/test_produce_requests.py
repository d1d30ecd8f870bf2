"""A broker knows a produce request by an offset: what its producer is told when another leader came in between (G6, N8)."""

import pytest
from highwater.model.language.errors import UsageError
from highwater.model.vocabulary import Producing
from highwater.properties.registry import KAFKA, KRAFT
from highwater.traces.shrink import plain_states
from highwater.traces.text import read_file
from support.play import play, refused

SIZES = {"brokers": 2, "log_size": 1, "session_expiries": 1, "max_records": 2, "preferred_elections": 1, "max_epoch": 2}
LEADS_AGAIN = """
    produce leader=1
    request_preferred_election
    elect_preferred_replica
    become_leader broker=0 epoch=1
    become_follower broker=1 epoch=1
    expire_session broker=0
    see_broker_change
    elect_leader broker=1
    become_leader broker=1 epoch=2
"""


def told(script, revision="high-watermark", **settings):
    """The record whose producer was told of offset 0, and how far the request of broker 1 is."""
    state = play(revision, script, initial=1, **{**SIZES, "produce_wait": "offset", **settings})
    request = state.produce_request[0][1]
    return state.history[0].answered[0], request.phase, request.record


def test_g6_up_to_0_9_a_request_waits_while_its_broker_follows_and_is_answered_for_another_record():
    assert told(LEADS_AGAIN) == (0, Producing.WAITING, 1)
    assert told(f"{LEADS_AGAIN} produce leader=1") == (1, Producing.QUIET, 0)
    assert told(f"{LEADS_AGAIN} produce leader=1", waiting_produce="answered") == (2, Producing.QUIET, 0)


@pytest.mark.parametrize(("waiting", "answered"), [("answered", 1), ("lapses", 0)])
def test_n8_a_thread_that_is_late_waits_for_an_offset_of_an_earlier_epoch(waiting, answered):
    script, how = f"{LEADS_AGAIN} produce leader=1", {"produce_wait": "offset-later", "waiting_produce": waiting}
    assert told(f"{script}\n await_commit leader=1", **how) == (answered, Producing.QUIET, 0)


def test_a_thread_that_looks_while_its_broker_follows_answers_with_an_error():
    follows = LEADS_AGAIN.partition("expire")[0]
    how = {"produce_wait": "offset-later", "waiting_produce": "answered"}
    assert told(f"{follows} await_commit leader=1", "kip-101", **how) == (0, Producing.QUIET, 0)
    assert refused("kip-101", f"{follows} await_commit leader=1\n await_commit leader=1", initial=1, **SIZES, **how)


def test_a_request_that_waits_is_answered_when_its_records_are_committed():
    script = "produce leader=1\n await_commit leader=1\n"
    how = {"produce_wait": "offset-later", "waiting_produce": "answered"}
    assert told(script, "kip-101", **how) == (0, Producing.WAITING, 1)
    assert told(f"{script} fetch follower=0 leader=1\n fetch follower=0 leader=1", "kip-101", **how) == (1, Producing.QUIET, 0)


def test_a_process_that_ends_answers_nobody():
    assert told("produce leader=1\n crash broker=1", crashes=1) == (0, Producing.QUIET, 0)


def test_below_min_isr_the_answer_is_an_error():
    script = "produce leader=1\n shrink_isr leader=1 follower=0"
    assert told(script, min_isr=2) == (0, Producing.QUIET, 0)
    assert told(script, min_isr=1) == (1, Producing.QUIET, 0)


@pytest.mark.parametrize("settings", [{"produce_wait": "offset", "acks": "leader"}, {"waiting_produce": "kept"}], ids=str)
def test_settings_that_do_not_fit_are_refused(settings):
    with pytest.raises(UsageError):
        KAFKA.configure("kip-101", **settings)


def test_a_request_that_lapses_answers_no_one_under_kraft():
    trace = read_file("traces/golden/late_produce_repaired.4.4.trace")
    *_, before, last = plain_states(trace, KRAFT)
    assert before.produce_request[0][1].phase is Producing.LAPSED
    assert last.history[0].answered[0] == 0
