"""M5: a broker that disappears costs every leader on it, and each is computed anew (V3 A.2-3, comment A.3, discussion 4)."""

import itertools

import pytest
from highwater.model.controller import decide
from highwater.properties.registry import KAFKA
from support.kafka import explored, first, tiny, unkept
from support.mutants import in_place_of, without
from support.play import play, refused

TWO = {"partitions": 2, "session_expiries": 1}
RETURNS = "returning_broker_leads_nothing"

# Of three partitions on two brokers, broker 0 leads the first and the third.
GONE = """
    expire_session broker=0
    see_broker_change
    elect_leader partition={} broker=1
"""
BACK = """
    notice_session_expiry broker=0
    see_broker_change
"""


def leaders(state):
    return [node.leader for node in state.zookeeper.leader_and_isr]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_m5_one_broker_that_disappears_costs_two_leaders_and_both_are_computed_anew(order):
    """In any order; of the third partition, whose leader lives, the ISR shrinks."""
    script = GONE.format(order[0]) + "".join(f"elect_leader partition={p} broker=1\n" for p in order[1:])
    state = play("kip-320", script, partitions=3, session_expiries=1)
    assert leaders(state) == [1, 1, 1]
    assert [node.isr for node in state.zookeeper.leader_and_isr] == [0b10, 0b10, 0b10]


def test_m5_a_broker_that_is_back_early_keeps_what_is_not_decided_yet():
    """Where another event may come in between: one of two leaders is computed anew, the other stays as it was."""
    assert leaders(play("kip-320", GONE.format(0) + BACK, partitions=3, session_expiries=1, whole_changes=0)) == [1, 1, 0]
    assert refused("kip-320", GONE.format(0) + BACK, partitions=3, session_expiries=1)


COMES_BACK = "expire_session broker=1; see_broker_change; notice_session_expiry broker=1; {}see_broker_change".replace("; ", "\n")


def test_m5_a_follower_that_has_failed_leaves_the_isr_before_the_next_look():
    """Kafka's controller removes it in the event in which it has seen the failure, and tells who returns after it."""
    with pytest.raises(AssertionError, match=r"see_broker_change is not enabled; enabled are .'elect_leader"):
        play("kip-320", COMES_BACK.format(""), session_expiries=1)
    state = play("kip-320", COMES_BACK.format("elect_leader partition=0 broker=0\n"), session_expiries=1)
    assert [node.isr for node in state.zookeeper.leader_and_isr] == [0b01]


def test_m5_a_follower_that_leaves_by_the_leader_is_not_waited_for():
    """The leader has removed it already: nothing is left to decide."""
    state = play("kip-320", COMES_BACK.format("produce leader=0 batch=0\nshrink_isr leader=0 follower=1\n"), session_expiries=1)
    assert [node.isr for node in state.zookeeper.leader_and_isr] == [0b01]


def test_m5_a_new_controller_waits_for_no_follower():
    """Which followers had failed before it was elected it has not seen (KAFKA-3143, up to 2.2)."""
    script = "expire_session broker=1; see_broker_change; remove_controller; see_controller_change broker=0; recover_controller"
    more = "controller=1; notice_session_expiry broker=1; see_broker_change controller=1"
    state = play("kip-320", f"{script} {more}".replace("; ", "\n"), session_expiries=1, controller_changes=1)
    assert [node.isr for node in state.zookeeper.leader_and_isr] == [0b11]


@pytest.mark.parametrize("faults", [{}, {"controller_changes": 1, "partitions": 1}, {"crashes": 1, "session_expiries": 0}])
def test_m5_one_event_at_a_time_leaves_nothing_undecided(faults):
    assert explored(names=[RETURNS], **{**TWO, **faults}) == {}


def test_m5_the_next_event_must_wait():
    with without(KAFKA, "broker_change.see_broker_change: s.config.whole_changes and has_undecided(s, controller)"):
        assert first(tiny(**TWO), RETURNS) == {RETURNS: 5}


def first_alone(s, controller, partition, is_affected=decide.is_affected):
    """Only the first partition is looked at."""
    return partition == 0 and is_affected(s, controller, partition)


def test_m5_each_partition_is_looked_at():
    """A controller that looks after the first partition alone leaves the leader of the second dead."""
    config = tiny(partitions=2, crashes=1)
    assert not unkept(config, "lost_broker_leads_nothing")
    with in_place_of(KAFKA, {decide.is_affected: first_alone}):
        assert unkept(config, "lost_broker_leads_nothing", plain=True)
