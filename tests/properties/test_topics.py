"""Topics that are deleted and created again under the same name (Q14, B2): what V3 discussion 5 rests on, and what it needs."""

from pathlib import Path

import pytest
from highwater.model.language.errors import UsageError
from highwater.traces.text import read_file
from support.kafka import KAFKA, PROPERTIES, explored, first, tiny
from support.mutants import without
from support.play import enabled, last_state, play, refused

GOLDEN = Path(__file__).parents[2] / "traces" / "golden"
AGAIN = {"topic_deletions": 1, "topic_recreations": 1, "max_epoch": 0}
BEGINS_EMPTY = "recreated_topics_begin_empty"

DELETED_WHILE_DOWN = """
    produce leader=0
    fetch follower=1 leader=0
    fetch follower=1 leader=0
    checkpoint_high_watermark broker=1
    crash broker=1
    expire_session broker=1
    see_broker_change
    delete_topic
    see_topic_change
    stop_replica broker=0
"""
LED_AGAIN = """
    init_leader broker=0
    become_leader broker=0
"""
DOWN = {**AGAIN, "crashes": 1, "store": "atomic"}
STARTED = """
    start_broker broker=1
    read_role broker=1
    take_role broker=1
    see_broker_change
"""
CREATED = "create_topic_again broker=0"
BEFORE = DELETED_WHILE_DOWN + CREATED + "\nsee_topic_change\n" + STARTED + LED_AGAIN
AFTER = DELETED_WHILE_DOWN + STARTED + CREATED + "\nsee_topic_change" + LED_AGAIN
OBEYED = "become_follower broker=1"


def keeps(state):
    return PROPERTIES[BEGINS_EMPTY].holds(state)


def test_q14_while_a_broker_is_down_nothing_comes_back():
    """The document's case: the topic is created again before the broker is back, or after; either way it begins empty."""
    before, after = play("v3", BEFORE, **DOWN), play("v3", AFTER + OBEYED, **DOWN)
    assert (before.zookeeper.assigned[0], before.replica[0][1].exists) == (0b01, 0)
    assert (after.zookeeper.assigned[0], after.replica[0][1].exists, after.replica[0][1].leo) == (0b11, 1, 0)
    assert keeps(before) and keeps(after)


@pytest.mark.parametrize(
    ("rule", "script"),
    [
        ("placement.placement: without: contains(s.zookeeper.broker_ids, broker)", BEFORE),
        ("start.take_up: delete_replica(s, partition, broker)", AFTER),
    ],
    ids=["new replicas go only to live brokers", "startup deletes the unassigned"],
)
def test_q14_both_of_its_reasons_are_needed(rule, script):
    """Without either, old records come back while a broker is down."""
    with without(KAFKA, rule):
        state = play("v3", script + OBEYED, **DOWN)
    assert not keeps(state)


def test_q14_is_false_for_brokers_that_never_went_down():
    """A StopReplica that comes late, or is not sent to a broker without a session, leaves the old records to the new topic."""
    assert explored(names=[BEGINS_EMPTY], deletion="at-once", **AGAIN) == {BEGINS_EMPTY: 10}
    assert explored("v3", [BEGINS_EMPTY], store="atomic", **AGAIN) == {BEGINS_EMPTY: 9}


@pytest.mark.parametrize("faults", [{}, {"session_expiries": 1}], ids=["no fault", "a session"])
def test_q14_holds_when_every_replica_confirms_before_the_name_is_free(faults):
    """KAFKA-330: also in the strict reading, zombies included; it rests on the order of one controller's requests (C6)."""
    names = [BEGINS_EMPTY, "deleted_records_are_gone"]
    assert explored(names=names, deletion="confirmed", **AGAIN, **faults) == {}


def test_q14_a_confirmation_must_be_awaited():
    config = tiny(deletion="confirmed", **AGAIN)
    confirmed = "not subset(s.zookeeper.assigned[partition], me.stopped[partition])"
    with without(KAFKA, f"topic_deletion.finish_topic_deletion: {confirmed}"):
        assert first(config, BEGINS_EMPTY) == {BEGINS_EMPTY: 11}


def test_b2_a_new_controller_finds_half_a_deleted_topic():
    """leaderAndISR is gone and the topic's path is not: V3 D.6 gives the partition a leader again, which the tool deletes too."""
    script = """
        delete_topic
        remove_controller
        see_controller_change broker=0
        recover_controller controller=1
        init_leader controller=1 broker=0
    """
    sizes = {"topic_deletions": 1, "deletion": "node-by-node", "controller_changes": 1, "max_epoch": 0}
    state = play("kip-320", script, **sizes)
    assert (state.zookeeper.leader_and_isr[0].leader, state.zookeeper.deleting[0]) == (0, 1)
    for left in (1, 0):
        assert KAFKA.action("delete_topic_path").function(state, 0)
        assert (state.zookeeper.leader_and_isr[0].version, state.zookeeper.deleting[0]) == (0, left)
    assert state.zookeeper.assigned[0] == 0


@pytest.mark.parametrize(
    "settings",
    [
        {"topic_recreations": 1},
        {"topic_recreations": 1, "topic_deletions": 1, "start": "empty"},
        {"deletion": "node-by-node", "topic_deletions": 1, "reassignments": 1, "replicas": 1},
    ],
)
def test_settings_that_do_not_fit(settings):
    with pytest.raises(UsageError):
        tiny(**settings)


@pytest.mark.parametrize("revision", ["high-watermark", "kip-320-2.2", "kip-320-2.5.0"])
def test_q14_a_dead_broker_from_which_the_partition_moved_away_brings_records_back(revision):
    """F2, B2: it has left the assignment, and nobody tells it to delete its replica. V3 E.4 has it deleted at the start."""
    trace = read_file(str(GOLDEN / "q14_moved_away.kip-320-2.5.0.trace")).under(revision, start_up="told", deletion="confirmed")
    assert not keeps(last_state(trace))


@pytest.mark.parametrize(("ids", "obeys"), [(0, True), (1, False)])
def test_n7_with_topic_ids_a_broker_that_has_the_log_of_the_earlier_topic_refuses_commands(ids, obeys):
    """KIP-516: since 2.8 the old records do not return; the broker's replica of the new topic does not begin either."""
    trace = read_file(str(GOLDEN / "q14_moved_away.kip-320-2.5.0.trace")).under("kip-320-2.8", topic_ids=ids)
    assert ("become_leader" in enabled(last_state(trace, -1))) == obeys


def test_q14_a_topic_is_not_deleted_while_it_moves_nor_moved_while_it_is_deleted():
    sizes = {"replicas": 1, "reassignments": 1, "topic_deletions": 1}
    assert refused("kip-320", "request_reassignment broker=1\n delete_topic", **sizes)
    assert refused("kip-320", "delete_topic\n request_reassignment broker=1", **sizes)
