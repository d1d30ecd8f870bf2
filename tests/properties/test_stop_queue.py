"""M6: StopReplica in the queue of a dead broker (V3 comment A.4): what it would do for deletion, and what it does too late."""

import pytest
from highwater.properties.registry import KAFKA
from support.mutants import without
from support.play import play

DELETED_WHILE_DOWN = """
    produce leader=0
    fetch follower=1 leader=0
    crash broker=1
    expire_session broker=1
    see_broker_change
    delete_topic
    see_topic_change
    start_broker broker=1
    read_role broker=1
    take_role broker=1
"""
CREATED_AGAIN = """
    stop_replica broker=0
    see_broker_change
    create_topic_again broker=0
    see_topic_change
    init_leader broker=0
    become_leader broker=0
    become_follower broker=1
    produce leader=0
    fetch follower=1 leader=0
    fetch follower=1 leader=0
"""
QUEUED = {"stops_to": "dead-too"}
DOWN = {"crashes": 1, "topic_deletions": 1, "max_epoch": 0, "store": "atomic"}
AGAIN = {**DOWN, "topic_recreations": 1, "max_records": 2}


@pytest.mark.parametrize("queue", ["live", "dead-too"])
def test_m6_with_the_queue_startup_need_not_delete(queue):
    """The comment and its answer: either the command waits, or the broker looks at the assignment when it starts (E2)."""
    with without(KAFKA, "start.take_up: delete_replica(s, partition, broker)"):
        state = play("v3", DELETED_WHILE_DOWN, stops_to=queue, **DOWN)
    assert state.replica[0][1].exists
    assert KAFKA.action("stop_replica").function(state, 0, 1, 0) == (queue == "dead-too")
    assert state.replica[0][1].exists == (queue == "live")


@pytest.mark.parametrize(("queue", "loses"), [("live", False), ("dead-too", True)])
def test_m6_what_waited_deletes_the_replica_of_a_new_topic(queue, loses):
    """Startup has deleted the old replica already: obeyed after the name is in use again, it deletes a committed record."""
    state = play("v3", DELETED_WHILE_DOWN + CREATED_AGAIN, stops_to=queue, **AGAIN)
    assert (state.history[0].record[0], state.replica[0][1].leo) == (2, 1)
    assert bool(KAFKA.action("stop_replica").function(state, 0, 1, 0)) == loses
    assert (state.replica[0][1].leo == 0) == loses


@pytest.mark.parametrize("repair", [{"ordered_stops": 1}, {"broker_epochs": 1}], ids=lambda r: next(iter(r)))
def test_m6_what_waited_is_harmless_where_it_keeps_its_place(repair):
    """Or where a broker refuses what was sent to it before it started (KIP-380, R8)."""
    state = play("v3", DELETED_WHILE_DOWN + CREATED_AGAIN, **QUEUED, **repair, **AGAIN)
    assert not KAFKA.action("stop_replica").function(state, 0, 1, 0)
