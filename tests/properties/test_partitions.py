"""Partitions are added to a topic and removed from it (Z6, H1, H2): what V3's order of writes leaves half done, and what ends."""

import pytest
from highwater.model.language.errors import UsageError
from highwater.properties.registry import KAFKA
from support.kafka import PROPERTIES, first, tiny, unkept
from support.mutants import without
from support.play import play

ADD = {"partition_additions": 1, "path_change": "request-first", "max_epoch": 0}
REMOVE = {"partition_removals": 1, "path_change": "request-first", "max_epoch": 0}
TOPIC_FIRST = {"path_change": "topic-first"}


@pytest.mark.parametrize(
    ("change", "name", "level"),
    [(ADD, "isr_within_assignment", 5), (REMOVE, "committed_records_stay_readable", 8)],
    ids=["H1 addition", "H2 removal"],
)
def test_between_its_last_two_writes_v3_leaves_a_change_of_which_nothing_tells(change, name, level):
    """The request is gone, and the topic's path is as before: an ISR without an assignment, an assignment without replicas."""
    assert first(tiny(**change), name) == {name: level}
    assert first(tiny(**{**change, **TOPIC_FIRST}), name) == {}


def unending(config, plain=False):
    """Which changes need not end."""
    return unkept(config, "addition_ends", "removal_ends", plain=plain)


SMALL = {"brokers": 1, "controller_changes": 1}


@pytest.mark.parametrize(("change", "name"), [(ADD, "addition_ends"), (REMOVE, "removal_ends")])
def test_d_8_9_a_change_that_a_controller_leaves_is_ended_by_the_next_one_if_its_request_is_deleted_last(change, name):
    """D.8-9 restart from the requests that are there: as printed, nothing is found between the last two writes (H1, H2)."""
    assert unending(tiny(**change, **SMALL)) == {name}
    assert unending(tiny(**{**change, **SMALL, **TOPIC_FIRST})) == set()


def test_a_new_controller_must_look_for_requests():
    """Without D.8-9 a change that was under way at a failover is forgotten, in either order."""
    with without(KAFKA, "fail_over.recover_controller: note_changes(s, controller)"):
        assert unending(tiny(**{**ADD, **SMALL, **TOPIC_FIRST}), plain=True) == {"addition_ends"}


def test_kafka_writes_the_topics_path_at_once():
    """The controller finds the partition there as it finds a new topic, and its successor does: nothing is half done."""
    sizes = {"partition_additions": 1, "session_expiries": 1, "controller_changes": 1, "max_epoch": 1}
    state = play("kip-320", "request_addition broker=1\n see_topic_change\n init_leader broker=1", preferred_elections=1, **sizes)
    assert (state.zookeeper.assigned[0], state.zookeeper.leader_and_isr[0].isr, state.zookeeper.preferred[0]) == (0b11, 0b11, 1)
    directly = {**ADD, "path_change": "topic-alone"}
    assert first(tiny(**directly, session_expiries=1), "isr_within_assignment") == {}
    assert unending(tiny(**directly, **SMALL)) == set()
    with without(KAFKA, "topic_change.see_topic_change: me.known[partition] = 1"):
        assert unending(tiny(**directly, **SMALL), plain=True) == {"addition_ends"}


def test_kafka_removes_no_partitions():
    with pytest.raises(UsageError, match="Kafka removes no partitions"):
        tiny(partition_removals=1)


HALF_ADDED = """
    request_addition broker=0
    see_topic_change
    init_added broker=0
    become_leader broker=0
    produce leader=0
    delete_change_request
    remove_controller
    see_controller_change broker=1
    recover_controller controller=1
"""


def test_h1_an_added_partition_is_deleted_with_its_records_after_a_failover():
    """INIT names what is in the topic's path (C2): the new partition is not, and its leader deletes what it has committed."""
    sizes = {**ADD, "controller_changes": 1, "store": "atomic", "replicas": 1}
    state = play("v3", HALF_ADDED, **sizes)
    assert (state.history[0].record[0], state.zookeeper.adding[0], state.zookeeper.assigned[0]) == (1, 0, 0)
    assert KAFKA.action("delete_unnamed").function(state, 0, 1)
    assert (state.replica[0][0].exists, PROPERTIES["committed_records_stay_readable"].holds(state)) == (0, False)
    again = HALF_ADDED.replace("delete_change_request", "update_topic_path")
    state = play("v3", again + "init_added controller=1 broker=0\nupdate_topic_path controller=1", **{**sizes, **TOPIC_FIRST})
    assert (state.zookeeper.assigned[0], state.replica[0][0].leo) == (0b01, 1)


@pytest.mark.parametrize("other", [{"start": "empty"}, {"topic_deletions": 1}, {"reassignments": 1, "replicas": 1}])
def test_settings_that_do_not_fit(other):
    with pytest.raises(UsageError):
        tiny(partition_additions=1, **other)
