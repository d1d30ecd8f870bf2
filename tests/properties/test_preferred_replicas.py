"""The first replica is the preferred one (V3 paths 3), also of an added partition, and only while the partition is there."""

from highwater.model.members import NO_BROKER
from highwater.properties.registry import KAFKA
from highwater.traces.notation import describe
from support.play import play

ADDED = """
    request_addition broker=1
    see_topic_change
    init_added broker=0
    delete_change_request
    update_topic_path
"""
AGAIN = """
    remove_controller
    see_controller_change broker=1
    recover_controller controller=1
    init_added controller=1 broker=0
    update_topic_path controller=1
"""
REMOVED = """
    request_preferred_election
    request_removal
    see_topic_change
    stop_removed
    delete_change_request
    update_topic_path
"""
ONE_ELECTION = {"preferred_elections": 1, "store": "atomic", "replicas": 0}


def test_h1_the_first_replica_of_an_added_partition_is_preferred():
    """Paths 3: "The first replica is the preferred replica". The controller writes it into the topic's path with the others."""
    topic_first = {"path_change": "topic-first", "controller_changes": 1}
    for script, order in ((ADDED, {}), (ADDED.replace("delete_change_request", "") + AGAIN, topic_first)):
        state = play("v3", script, partition_additions=1, max_epoch=1, **ONE_ELECTION, **order)
        assert (state.zookeeper.preferred[0], state.zookeeper.leader_and_isr[0].leader) == (1, 0)
        assert KAFKA.action("request_preferred_election").version(state.config)(state, 0)


def test_h2_a_removed_partition_leaves_no_preferred_replica_and_no_request_to_elect_it():
    state = play("v3", REMOVED, preferred=1, partition_removals=1, max_epoch=0, **ONE_ELECTION)
    assert (state.zookeeper.assigned[0], state.zookeeper.preferred[0], state.zookeeper.preferred_election[0]) == (0, NO_BROKER, 0)


def test_h1_a_request_says_which_replica_is_to_be_the_first():
    state = play("v3", "request_addition broker=1", partition_additions=1, max_epoch=1, **ONE_ELECTION)
    assert describe(KAFKA, state)["zookeeper"]["partition"] == "to be added, to {0 1}, broker 1 first"
