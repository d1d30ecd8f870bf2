"""One fetcher serves all partitions of a follower that have the same leader (N8, KAFKA-8346, KIP-461)."""

import pytest
from highwater.model.broker import fetcher
from highwater.model.vocabulary import Phase
from highwater.properties.registry import KAFKA
from support.kafka import explored, of_release
from support.mutants import without
from support.play import enabled, play

SIZES = {
    "partitions": 2, "log_size": 2, "max_batch": 2, "max_records": 2, "max_epoch": 2, "session_expiries": 1, "retentions": 1,
}  # fmt: skip
FOLLOWS_BOTH = """
    expire_session broker=1
    see_broker_change
    elect_leader partition=0 broker=0
    elect_leader partition=1 broker=0
    become_leader partition=0 broker=0 epoch=1
    become_leader partition=1 broker=0 epoch=1
    notice_session_expiry broker=1
    see_broker_change
    become_follower partition=0 broker=1 epoch=1
"""
SECOND = "become_follower partition=1 broker=1 epoch=1"
FAILS = """
    produce partition=0 leader=0 batch=1
    delete_old_records partition=0 broker=0 offset=0
    start_anew partition=0 follower=1 leader=0
    fetch partition=0 follower=1 leader=0
"""


def failed(script, **settings):
    """For which partitions the fetcher of broker 1 has failed."""
    state = play("kip-101", script, **SIZES, **settings)
    return [state.replica[partition][1].failed for partition in (0, 1)]


@pytest.mark.parametrize(("fetchers", "other"), [("shared", 1), ("own", 0)])
def test_n8_a_partition_that_fails_ends_the_fetcher_of_all(fetchers, other):
    assert failed(f"{FOLLOWS_BOTH} {SECOND} {FAILS}", fetchers=fetchers) == [1, other]
    assert failed(f"{FOLLOWS_BOTH} {FAILS} {SECOND}", fetchers=fetchers) == [1, other]


def test_n8_what_has_another_leader_goes_on():
    """At first each broker leads a partition."""
    assert failed(OTHER) == [1, 0]


def test_n8_a_fetcher_that_has_not_failed_takes_more():
    assert failed(f"{FOLLOWS_BOTH} {SECOND}") == [0, 0]


@pytest.mark.parametrize(("release", "value"), [("0.9.0.0", "shared"), ("2.2.2", "shared"), ("2.3.0", "own"), ("2.5.0", "own")])
def test_n8_up_to_2_2(release, value):
    assert of_release(release).shown()["fetchers"] == value


def test_n8_an_answer_on_its_way_reaches_nobody():
    state = play("kip-101", f"{FOLLOWS_BOTH} {SECOND}", **SIZES)
    me = state.replica[1][1]
    me.phase, me.answer_epoch, me.answer_end = Phase.ANSWERED, 0, 0
    for line in ("produce", "delete_old_records", "start_anew", "fetch"):
        given = {"produce": (0, 0, 1), "delete_old_records": (0, 0, 0)}.get(line, (0, 1, 0))
        assert KAFKA.action(line).version(state.config)(state, *given), line
    assert (me.phase, me.answer_end, me.failed) == (Phase.ASKING, -1, 1)
    assert "answer_epoch_request" not in enabled(state)


OTHER = "produce partition=0 leader=0 batch=1\n shrink_isr leader=0 follower=1\n" + FAILS.partition("batch=1")[2]
RULES = {
    "end_fetcher: without: me.leader == s.replica[partition][follower].leader": (OTHER, [1, 1]),
    "end_fetcher: me.failed = 1": (f"{FOLLOWS_BOTH} {SECOND} {FAILS}", [1, 0]),
    "has_ended: return True": (f"{FOLLOWS_BOTH} {FAILS} {SECOND}", [1, 0]),
    "has_ended: without: s.replica[other][follower].failed": (f"{FOLLOWS_BOTH} {SECOND}", [0, 1]),
}


@pytest.mark.parametrize("rule", RULES)
def test_n8_without_the_rule(rule):
    """For which partitions the fetcher fails then."""
    script, there = RULES[rule]
    assert failed(script) != there
    with without(KAFKA, f"fetcher.{rule}"):
        assert failed(script) == there


def test_n8_what_is_fetched_from_another_leader_begins():
    """Three brokers: the fetcher from broker 0 has ended, and the partition is added to that from broker 2."""
    state = play("kip-101", "", **SIZES, brokers=3)
    state.replica[0][1].leader, state.replica[0][1].failed = 0, 1
    assert fetcher.has_ended(state, 1, 1, 0) and not fetcher.has_ended(state, 1, 1, 2)
    with without(KAFKA, "fetcher.has_ended: without: s.replica[other][follower].leader == leader"):
        assert fetcher.has_ended(state, 1, 1, 2)


def test_n8_with_one_partition_nothing_differs():
    sizes = {"session_expiries": 1, "retentions": 1}
    assert explored("kip-101", **sizes) == explored("kip-101", fetchers="own", **sizes)
