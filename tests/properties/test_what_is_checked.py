"""Properties and lemmas check what their words say, on states and sizes where a careless one would not."""

import pytest
from highwater.model.vocabulary import Phase
from highwater.properties.lemmas_kafka import events_wait_in_order
from support.kafka import PROPERTIES, tiny
from support.play import play

UP_TO_A_START = """
    crash broker=1
    expire_session broker=1
    delete_topic
"""


@pytest.mark.parametrize(("start_up", "kept"), [("stepwise", False), ("at-once", True)])
def test_a_broker_that_starts_in_steps_keeps_for_a_while_what_is_not_assigned_to_it(start_up, kept):
    """E2: V3 reads and deletes in later steps, so only a start in one step is held to it."""
    claim, how = PROPERTIES["restart_keeps_only_assigned"], {"crashes": 1, "topic_deletions": 1, "start_up": start_up}
    before, after = (play("v3", UP_TO_A_START + step, session_expiries=1, **how) for step in ("", "start_broker broker=1"))
    assert (claim.function(before, after, 0, 1), claim.applies(tiny("v3", **how))) == (kept, kept)


def test_a_consumer_beyond_the_end_of_the_log_does_not_get_an_empty_set():
    """G7: from the high watermark to the log's end the set is empty; beyond it the position is out of range."""
    state = play("kip-320", "", consumers=1)
    leader = state.replica[0][0]
    assert leader.leader == 0 and state.replica[0][1].phase is Phase.FETCHING
    for position, leo, empty in ((1, 1, True), (1, 0, False), (0, 1, False)):
        state.consumer[0].position, leader.leo = position, leo
        assert (PROPERTIES["consumer_gets_empty_set"].deciding(state) is not None) == empty


def test_the_watch_on_reassignments_waits_in_the_same_order_as_the_others():
    state = play("kip-320", "", replicas=1, reassignments=1)
    me = state.controller[0]
    me.topics_watch = me.moves_watch = 1
    assert not events_wait_in_order(state)
    me.moves_watch = 2
    assert events_wait_in_order(state)
    me.moves_watch = 3
    assert not events_wait_in_order(state)
