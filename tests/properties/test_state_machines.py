"""M2: the controller's machines of partitions and replicas: which transitions happen, and which designs leave them."""

import pytest
from highwater.properties import state_machines
from highwater.properties.registry import KAFKA
from support.kafka import first, states_of, tiny
from support.mutants import without
from support.play import play

PARTITIONS, REPLICAS = "partition_transitions", "replica_transitions"
BOTH = [PARTITIONS, REPLICAS]
EMPTY = {"start": "empty", "max_epoch": 0, "session_expiries": 1}
DELETED = {"topic_deletions": 1, "max_epoch": 0, "deletion": "at-once"}
CONFIRMED = {**DELETED, "deletion": "confirmed"}
AGAIN = {**CONFIRMED, "topic_recreations": 1}


def violated(names, **settings):
    return first(tiny(**settings), *names)


@pytest.mark.parametrize("settings", [EMPTY, AGAIN, {**CONFIRMED, "start": "empty"}], ids=["creation", "deletion", "both"])
def test_m2_topics_come_and_go_by_the_machines(settings):
    assert violated(BOTH, **settings) == {}


def test_m2_every_state_of_both_machines_is_reached():
    config = tiny(**CONFIRMED, session_expiries=1, start="empty")
    states = [state for state in states_of(config) if state_machines.observes(state, 0)]
    assert {state_machines.partition_state(s, 0, 0) for s in states} == set(range(4))
    assert {state_machines.replica_state(s, 0, 0, b) for s in states for b in (0, 1)} == set(range(7))


@pytest.mark.parametrize(
    ("settings", "level"),
    [
        (DELETED, 2),
        ({**DELETED, "deletion": "node-by-node"}, 2),
        ({"partition_additions": 1, "max_epoch": 0, "path_change": "request-first"}, 4),
        ({"partition_additions": 1, "max_epoch": 0, "path_change": "topic-first"}, 4),
        ({"partition_removals": 1, "max_epoch": 0, "path_change": "request-first"}, 6),
    ],
    ids=["at once", "node by node", "H1", "H1, topic first", "H2"],
)
def test_m2_v3_leaves_the_machine_of_partitions(settings, level):
    """A leader goes with its topic (B.2), and an added partition has one before the topic knows of it (H.2 before H.4)."""
    assert violated([PARTITIONS], **settings) == {PARTITIONS: level}


def test_m2_a_confirmation_is_taken_back_when_its_broker_leaves():
    """ReplicaDeletionSuccessful leads to NonExistent alone; a broker that went may start with an old assignment."""
    assert violated([REPLICAS], **CONFIRMED, session_expiries=1) == {REPLICAS: 6}


ZOMBIE = """
    delete_topic
    see_topic_change
    expire_session broker=1
    see_broker_change
    stop_replica broker=1
"""


def test_b2_a_broker_that_counts_as_failed_confirms_nothing():
    """The connection for the answer is closed. It confirms when it has registered anew and is asked again."""
    state = play("kip-320", ZOMBIE, **CONFIRMED, session_expiries=1)
    assert not state.replica[0][1].exists and state.controller[0].stopped[0] == 0
    again = f"{ZOMBIE} notice_session_expiry broker=1\n see_broker_change\n stop_replica broker=1"
    assert play("kip-320", again, **CONFIRMED, session_expiries=1).controller[0].stopped[0] == 0b10


RETURNS = """
    delete_topic
    see_topic_change
    expire_session broker=0
    see_broker_change
    notice_session_expiry broker=0
    see_broker_change
"""


def test_m5_nobody_elects_for_a_topic_that_is_to_be_deleted():
    """A broker may return and still be its published leader: nothing is required of the topic."""
    sizes = {**CONFIRMED, "session_expiries": 1, "max_epoch": 1}
    state = play("kip-320", RETURNS, **sizes)
    assert state.zookeeper.leader_and_isr[0].leader == 0 and state.controller[0].live == 0b11
    assert violated(["returning_broker_leads_nothing"], **sizes) == {}


@pytest.mark.parametrize(
    ("rule", "name", "level", "settings"),
    [
        (
            "topic_deletion.finish_topic_deletion: not subset(s.zookeeper.assigned[partition], me.stopped[partition])",
            REPLICAS, 4, CONFIRMED,
        ),
        (
            "topic_change.init_leader: not contains(s.zookeeper.assigned[partition] & live, broker)",
            PARTITIONS, 5, {**EMPTY, "session_expiries": 0, "topic_deletions": 1, "deletion": "at-once"},
        ),
    ],
    ids=["replicas must confirm", "only what is assigned gets a leader"],
)  # fmt: skip
def test_m2_a_rule_less_and_a_machine_is_left(rule, name, level, settings):
    with without(KAFKA, rule):
        assert violated([name], **settings) == {name: level}
