"""A write of the ISR is conditional on the version (V3 G, A.3.3) or on the leader epoch (ZH), and what differs (M8, A5)."""

import pytest
from highwater.model.controller.decide import write_decision
from support.kafka import KAFKA, explored, first, outcome, safety, tiny, unkept, violated
from support.mutants import without

EPOCH = {"isr_condition": "epoch"}


@pytest.mark.parametrize(
    ("revision", "settings"),
    [
        ("kip-320", {"session_expiries": 1, "preferred_elections": 1, "max_epoch": 2}),
        ("kip-320", {"session_expiries": 1, "replicas": 1, "reassignments": 1, "max_epoch": 2}),
        ("v3", {"session_expiries": 1}),
    ],
    ids=["a session", "a reassignment", "V3"],
)
def test_m8_where_each_decision_has_its_epoch_both_are_the_same(revision, settings):
    """The epoch changes with every write of a controller, and the leader's own writes go one after the other."""
    both = [outcome(tiny(revision, **settings, isr_condition=name), revision) for name in ("version", "epoch")]
    assert safety(violated(both[0])) == safety(violated(both[1]))
    assert both[0].distinct_states == both[1].distinct_states


NO_EPOCH = {"replicas": 1, "reassignments": 1, "max_epoch": 2, "reassignment": "v3", "switch_epoch": 0}
NEW = {"isr_within_assignment", "zk_version_guards_isr", "committed_records_stay_readable"}


def test_m8_a_switch_without_an_epoch_is_overwritten():
    """V3 F writes the ISR of a reassignment alone: a leader that has not heard of it writes its own over it (F2)."""
    by_version, by_epoch = (safety(explored(**NO_EPOCH, isr_condition=c)) for c in ("version", "epoch"))
    assert set(by_epoch) - set(by_version) == NEW
    assert by_epoch["isr_within_assignment"] == 9


def test_m8_epochs_that_begin_anew_let_an_old_leader_write():
    """A topic that is created again has small epochs: the old topic's leader writes into the new one's ISR (Q14)."""
    again = {"topic_deletions": 1, "topic_recreations": 1, "max_epoch": 0, "deletion": "at-once"}
    by_version, by_epoch = (safety(explored(**again, isr_condition=c)) for c in ("version", "epoch"))
    assert set(by_epoch) - set(by_version) == {"zk_version_guards_isr"}


def stalls(**settings):
    """What need not happen any more when the answer of one write is lost."""
    return unkept(tiny(store="answered", lost_answers=1, **settings))


def test_m8_with_the_epoch_a_lost_answer_does_no_harm():
    """By version a leader whose answer was lost can never write again, before KAFKA-1382; by epoch it writes the same again."""
    assert "write_can_be_acknowledged" in stalls(recognised_writes=0)
    assert stalls(recognised_writes=0, **EPOCH) == set()


def test_q1_a_leader_that_is_refused_may_still_lead():
    """V3 discussion 3 has it know that it no longer leads: after a lost answer nobody serves (KAFKA-1382)."""
    assert "leader_can_serve" in stalls(recognised_writes=0, refused_write="steps-down")
    assert "leader_can_serve" not in stalls(recognised_writes=0, refused_write="stays")
    assert stalls(recognised_writes=1, refused_write="steps-down") == set()


def test_a5_a_decision_by_epoch_overwrites_the_isr_that_committed():
    """ZH's condition for all writes: a leader's change of the ISR has no epoch of its own, and a late decision undoes it."""
    sizes = {"brokers": 3, "session_expiries": 1, "store": "answered", "max_epoch": 1}
    by_version, by_epoch = (safety(explored(**sizes, decision_condition=c)) for c in ("version", "epoch"))
    assert set(by_version) == {"single_committable_leader_strict"} and by_epoch["no_committed_data_loss"] == 14


@pytest.mark.parametrize(("published", "written"), [(0, True), (1, True), (2, False)])
def test_a5_no_smaller_epoch_is_written(published, written):
    """A replaced controller's decision for epoch 1 reaches the store after others; an equal epoch is not refused."""
    s, _ = KAFKA.initial_states(tiny(store="answered", decision_condition="epoch", controller_changes=1, max_epoch=2))
    request, node = s.decision[0][0], s.zookeeper.leader_and_isr[0]
    request.asked, request.leader, request.leader_epoch, request.isr = 1, 1, 1, 0b11
    node.leader_epoch = published
    assert write_decision(s, 0, 0) and (node.leader == 1) == written


def test_m8_the_epoch_must_be_compared():
    """Q1: without it a zombie pushes the new leader out of the ISR."""
    config = tiny(preferred_elections=1, **EPOCH)
    with without(KAFKA, "isr.is_current_writer: not (s.replica[partition][leader].leader_epoch >= node.leader_epoch)"):
        assert first(config, "zk_version_guards_isr") == {"zk_version_guards_isr": 5}
