"""Clients that route by what is published (G9, Q21): the window after an election, and that retries close it."""

import pytest
from highwater.explorer.plain.breadth_first import reachable
from highwater.model.broker.route import publish_view, refresh_leader
from highwater.model.next import KAFKA
from highwater.properties.catalogue import progress_of
from support import judge
from support.kafka import PROPERTIES, falls, outcome, safety, tiny
from support.mutants import edited, in_place_of

SIZE = {"session_expiries": 1, "max_epoch": 2, "clients": 1}
CLOSES = next(p for p in progress_of("kafka") if p.name == "client_finds_leader")


def is_open(config):
    """In some step a client reads of a leader that does not lead yet."""
    window = PROPERTIES["client_is_sent_too_early"].function
    states = [state for _, state in reachable(KAFKA, config)]
    return any(window(state, after, 0) for state in states for _, _, after in KAFKA.enabled(state))


def closes(config):
    """No fair behaviour leaves the client with a broker that does not answer, while a leader serves."""
    graph = judge.graph_of(KAFKA, config)
    return not any(judge.stuck_states(graph, judge.demands_of(KAFKA), CLOSES, config).values())


@pytest.mark.parametrize("revision", ["high-watermark", "kip-320"])
def test_q21_the_window_opens_and_closes(revision):
    """V3 discussion 6: clients read a leader that does not lead yet, look again on NotLeader, and come to it."""
    config = tiny(revision, **SIZE)
    assert is_open(config) and closes(config)


def test_a_view_that_follows_the_answer_has_no_such_window():
    """G9, the other design: clients are sent to the old leader until the new one has answered, never to one too early."""
    config = tiny("kip-320", routing="external-view", **SIZE)
    assert not is_open(config) and closes(config)


def test_without_looking_again_the_window_stays_open():
    """G9: a client that never reads again stays with a broker that does not lead."""
    config = tiny("kip-320", **SIZE)
    never = edited(refresh_leader, "if s.config.clients == 0:", "if s.config.clients >= 0:")
    with in_place_of(KAFKA, {refresh_leader: never}):
        assert not closes(config)


def test_a_view_before_the_answer_opens_the_window():
    """G9: were the view written when the decision is, it would be leaderAndISR under another name."""
    config = tiny("kip-320", routing="external-view", **SIZE)
    asks = "not leads(s, partition, node.leader) or s.replica[partition][node.leader].leader_epoch < node.leader_epoch"
    early = edited(publish_view, asks, "s.config.clients == 0")
    with in_place_of(KAFKA, {publish_view: early}):
        assert is_open(config)


@pytest.mark.parametrize("routing", ["leader-and-isr", "external-view"])
def test_nothing_is_lost_by_routing(routing):
    """Q21: whoever is asked, what is committed stays."""
    assert safety(falls(outcome(tiny("kip-320", routing=routing, **SIZE)))) == {}
