"""Clients route by what is published (G9, Q21, M7): the window after an election or a creation, and that retries close it."""

import pytest
from highwater.model.broker.route import refresh_leader
from highwater.model.controller import decide
from highwater.properties.registry import KAFKA
from support.exploring import reachable
from support.kafka import PROPERTIES, explored, first, outcome, safety, tiny, unkept, violated
from support.mutants import in_place_of, without
from support.play import play

SIZE = {"session_expiries": 1, "max_epoch": 2, "clients": 1}


def is_open(config):
    """In some step a client reads of a leader that does not lead yet."""
    window = PROPERTIES["client_is_sent_too_early"].function
    states = [state for _, state in reachable(KAFKA, config)]
    return any(window(state, after, 0) for state in states for _, _, after in KAFKA.enabled(state))


def closes(config, plain=False):
    """No fair behaviour leaves the client with a broker that does not answer, while a leader serves."""
    return not unkept(config, "client_finds_leader", plain=plain)


@pytest.mark.parametrize("revision", ["high-watermark", "kip-320"])
def test_q21_the_window_opens_and_closes(revision):
    """V3 discussion 6: clients read a leader that does not lead yet, look again on NotLeader, and come to it."""
    config = tiny(revision, **SIZE)
    assert is_open(config) and closes(config)


def test_a_view_that_follows_the_answer_has_no_such_window():
    """G9, the other design: clients are sent to the old leader until the new one has answered, never to one too early."""
    config = tiny("kip-320", routing="external-view", **SIZE)
    assert not is_open(config) and closes(config)


def stays(s, partition):
    """The client never reads again."""
    return False


def test_without_looking_again_the_window_stays_open():
    """G9: a client that never reads again stays with a broker that does not lead."""
    config = tiny("kip-320", **SIZE)
    with in_place_of(KAFKA, {refresh_leader: stays}):
        assert not closes(config, plain=True)


def test_a_view_before_the_answer_opens_the_window():
    """G9: were the view written when the decision is, it would be leaderAndISR under another name."""
    config = tiny("kip-320", routing="external-view", **SIZE)
    led = "not leads(s, partition, node.leader) or s.replica[partition][node.leader].leader_epoch < node.leader_epoch"
    with without(KAFKA, f"route.publish_view: {led}"):
        assert is_open(config)


@pytest.mark.parametrize("routing", ["leader-and-isr", "external-view"])
def test_nothing_is_lost_by_routing(routing):
    """Q21: whoever is asked, what is committed stays."""
    assert safety(explored(routing=routing, **SIZE)) == {}


NEW = {"start": "empty", "clients": 1, "max_epoch": 0}
CREATED = """
    see_controller_change broker=0
    recover_controller
    create_topic broker=0
    see_topic_change
    init_leader broker=0
"""


def test_m7_a_new_leader_is_published_before_it_has_a_replica():
    """Comment C.1 asks whether that makes sense: a client is sent to a broker that has nothing yet, and is refused there."""
    state = play("kip-320", CREATED + "refresh_leader", **NEW)
    assert (state.zookeeper.leader_and_isr[0].leader, state.client[0].leader, state.replica[0][0].exists) == (0, 0, 0)
    assert PROPERTIES["announces_before_start"].holds(state)
    assert not KAFKA.action("produce").function(state, 0, 0, 0)
    state = play("kip-320", CREATED + "refresh_leader\nbecome_leader broker=0\nproduce leader=0", **NEW)
    assert state.replica[0][0].leo == 1


@pytest.mark.parametrize("routing", ["leader-and-isr", "external-view"])
def test_m7_the_window_closes_without_waiting_for_the_answer(routing):
    """C.1's answer: the client has to retry in any case, so publishing first is simpler; only a view knows no window."""
    config = tiny("kip-320", routing=routing, **NEW)
    assert is_open(config) == (routing == "leader-and-isr")
    assert closes(config)
    assert safety(violated(outcome(config))) == {}


def publish_early(s, controller, partition, leader, isr, purpose, publish=decide.publish):
    """The command is sent when the write is asked for."""
    node = s.zookeeper.leader_and_isr[partition]
    command = s.command[partition][node.leader_epoch + 1]
    command.leader, command.isr, command.zk_version = leader, isr, node.version + 1
    decide.send(s, controller, partition, node.leader_epoch + 1, isr)
    publish(s, controller, partition, leader, isr, purpose)


def test_m7_the_other_way_round_a_broker_leads_of_whom_the_store_does_not_tell():
    """Were commands sent when the write is asked for, a leader would serve in an epoch that is not published yet."""
    name = "leaders_are_published_first"
    config = tiny("kip-320", store="answered", **NEW)
    assert violated(outcome(config, names=[name])) == {}
    with in_place_of(KAFKA, {decide.publish: publish_early}):
        assert first(config, name) == {name: 6}
