"""A move as Kafka makes it: each step a decision, and the old replicas leave the ISR one by one (N6, KAFKA-9672)."""

import pytest
from support.kafka import PROPERTIES, of_release, outcome, safety, tiny, unkept
from support.kafka import violated as all_violated
from support.play import enabled, play

MOVE = {"replicas": 1, "reassignments": 1, "max_epoch": 3}
SUCCESSOR = {"controller_changes": 1, "fenced_controllers": 1}
SEVERAL = {"weak_isr", "strong_isr", "isr_reaches_high_watermark"}

SWITCHED = """
    request_reassignment broker=1
    see_reassignment
    start_new_replicas
    become_leader broker=0 epoch=1
    become_follower broker=1 epoch=1
    expand_isr leader=0 follower=1
    switch_isr broker=1
    become_leader broker=1 epoch=2
    produce leader=1
"""


def violated(revision="kip-320", names=None, **settings):
    """What is violated when a partition with one replica may move to the other of two brokers."""
    config = tiny(revision, **{**MOVE, **settings})
    chosen = names or [n for n, p in PROPERTIES.items() if p.applies(config) and p.by_default]
    return safety(all_violated(outcome(config, revision, names=chosen)))


@pytest.mark.parametrize(
    "faults",
    [{}, {"session_expiries": 1}, {"crashes": 1, "broker_epochs": 1}, SUCCESSOR, {"store": "answered"}, {"cancelled_moves": 1}],
    ids=lambda faults: " ".join(faults) or "none",
)
def test_n6_with_a_decision_for_each_step_a_move_keeps_everything(faults):
    """Where a leader waits for all of its ISR, as up to 0.10.1."""
    assert violated(departed_end="awaited", **faults) == {}


def test_n6_since_0_10_2_a_leader_commits_what_a_departed_member_lacks():
    """It counts replicas alone, and who has departed is in the ISR still: what its successors may be elected from lacks it."""
    assert set(violated()) == SEVERAL
    assert violated(names=["no_committed_data_loss"], session_expiries=1) == {}


@pytest.mark.parametrize("revision", ["kip-320-2.2", "kip-320-2.5.0", "kip-320-2.8"])
def test_n6_with_a_controller_that_fails_half_way_that_is_lost(revision):
    """Its successor elects from the ISR, and from the assignment as it was. With as many faults, waiting is enough."""
    faults = {"controller_changes": 1, "session_expiries": 1}
    assert violated(revision, ["no_committed_data_loss"], **faults) == {"no_committed_data_loss": 16}
    assert violated(revision, ["no_committed_data_loss"], departed_end="awaited", **faults) == {}


def test_n6_each_step_is_a_decision():
    seen = []
    for more in ("", "remove_old_replica broker=0", "remove_old_replica broker=0\n stop_old_replicas"):
        state = play("kip-320", f"{SWITCHED} {more}", **MOVE)
        node = state.zookeeper.leader_and_isr[0]
        seen.append((node.leader, node.leader_epoch, node.isr, state.zookeeper.assigned[0], state.controller[0].stopping[0]))
    assert seen == [(1, 2, 0b11, 0b01, 0), (1, 3, 0b10, 0b01, 0), (1, 3, 0b10, 0b10, 0b01)]


@pytest.mark.parametrize(("ends", "hw"), [("awaited", 0), ("ignored", 1)])
def test_n6_what_is_committed_between_two_decisions(ends, hw):
    assert play("kip-320", SWITCHED, departed_end=ends, **MOVE).replica[0][1].hw == hw


@pytest.mark.parametrize(("departed", "shrinks"), [("shrinks", True), ("stuck", False)])
def test_kafka_9672_a_leader_removes_nobody_while_a_member_has_departed(departed, shrinks):
    state = play("kip-320", SWITCHED, departed_member=departed, **MOVE)
    assert ("shrink_isr" in enabled(state)) == shrinks


def test_n6_which_releases():
    asked = ("2.3.1", "2.4.0", "2.5.1", "2.8.2", "3.0.0", "3.9.1")
    assert [one for one in asked if of_release(one).shown()["departed_member"] == "stuck"] == ["2.4.0", "2.5.1", "2.8.2"]
    ends = [of_release(one).shown()["departed_end"] for one in ("0.9.0.0", "0.10.1.1", "0.10.2.0", "3.9.1")]
    assert ends == ["awaited", "awaited", "ignored", "ignored"]


@pytest.mark.parametrize("faults", [{}, {**SUCCESSOR, "store": "answered"}], ids=lambda faults: " ".join(faults) or "none")
def test_n6_a_move_ends(faults):
    config = tiny("kip-320", **{**MOVE, **faults, "departed_member": "stuck"})
    assert unkept(config, "reassignment_ends", "reassignment_can_end") == set()


def test_n6_until_it_ends_the_controller_does_nothing_else():
    state = play("kip-320", SWITCHED, **{**MOVE, "partitions": 2, "preferred_elections": 1})
    mine = {"see_broker_change", "elect_preferred_replica_on_schedule", "switch_isr", "cancel_reassignment", "start_new_replicas"}
    assert "remove_old_replica" in enabled(state) and not mine & enabled(state)
