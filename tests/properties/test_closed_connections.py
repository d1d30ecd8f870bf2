"""What a controller has sent, and its process or the receiver's ends: what still arrives at the next process (C6, L1, R6)."""

import pytest
from support.kafka import KAFKA
from support.mutants import without
from support.play import play, refused

TOLD = {"start_up": "told", "crashes": 1, "session_expiries": 2, "max_epoch": 3}
NEW_CONTROLLER = """
    remove_controller
    see_controller_change broker={}
    recover_controller controller=1
"""
RESTARTS = """
    crash broker=1
    expire_session broker=1
    {}
    start_broker broker=1
"""
DELETES = """
    delete_topic
    see_topic_change
"""
ANSWERED = """
    request_preferred_election
    elect_preferred_replica
    become_leader broker=1 epoch=1
    expire_session broker=0
    see_broker_change
    elect_leader broker=1
    become_leader broker=1 epoch=2
"""

CASES = {
    "its own controller has ended with the process": (
        NEW_CONTROLLER.format(1) + RESTARTS.format(""), "become_follower broker=1 epoch=0 controller=1",
        {**TOLD, "controller_changes": 1}, "connections.break_connection: forget_all_sent(s, broker, controller)",
    ),
    "the controller has ended since": (
        NEW_CONTROLLER.format(0) + RESTARTS.format("expire_session broker=0\n notice_session_expiry broker=0"),
        "become_follower broker=1 epoch=0 controller=1", {**TOLD, "controller_changes": 1},
        "memory.forget: end_connections(s, controller)",
    ),
    "the controller has closed the connection": (
        DELETES + RESTARTS.format("see_broker_change"), "stop_replica broker=1",
        {**TOLD, "topic_deletions": 1, "deletion": "at-once"},
        "connections.close_connection: forget_all_sent(s, broker, controller)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_a_process_was_sent_ends_with_the_connection(name):
    """Kafka's RequestSendThread ends with its controller, and with the connection: nobody sends once more."""
    script, late, settings, rule = CASES[name]
    assert refused("kip-320", script + late, **settings)
    with without(KAFKA, rule):
        play("kip-320", script + late, **settings)


def test_what_lives_on_both_sides_is_sent_once_more():
    """The controller has not seen that the process has ended: it has no answer, and sends StopReplica to the next one."""
    script = DELETES + RESTARTS.format("") + "stop_replica broker=1"
    state = play("kip-320", script, topic_deletions=1, deletion="at-once", **TOLD)
    assert not state.replica[0][1].exists


def test_what_was_answered_is_not_sent_once_more():
    """The next command is sent only after the answer to the one before: of two that were obeyed, the last may come again."""
    settings = {**TOLD, "preferred_elections": 1, "preferred": 1}
    restarted = ANSWERED + RESTARTS.format("")
    assert play("kip-320", f"{restarted} become_leader broker=1 epoch=2", **settings).replica[0][1].leader_epoch == 2
    assert refused("kip-320", f"{restarted} become_leader broker=1 epoch=1", **settings)
    with without(KAFKA, "connections.send_once_more: forget_sent(s, command, broker, controller)"):
        play("kip-320", f"{restarted} become_leader broker=1 epoch=1", **settings)
