"""V3 F decided: what moves a partition safely (F1, F2, F3, Z5), what does not (F4), and what late commands can still do."""

import pytest
from highwater.model.members import NO_BROKER
from support.kafka import KAFKA, PROPERTIES, first, outcome, reachable, safety, tiny, unkept
from support.kafka import violated as all_violated
from support.mutants import without
from support.play import enabled, play, refused

MOVE = {"replicas": 1, "reassignments": 1, "max_epoch": 2, "move_decisions": "one"}
LOSS = ("no_committed_data_loss", "single_committable_leader", "log_prefix_convergence")


def violated(names=None, **settings):
    """The safety properties that are violated when a partition with one replica may move to the other of two brokers."""
    config = tiny(**{**MOVE, **settings})
    chosen = names or [n for n, p in PROPERTIES.items() if p.applies(config) and p.by_default]
    return safety(all_violated(outcome(config, names=chosen)))


@pytest.mark.parametrize(
    "faults",
    [
        {},
        {"session_expiries": 1},
        {"crashes": 1, "broker_epochs": 1},
        {"controller_changes": 1, "fenced_controllers": 1},
        {"controller_changes": 1, "fenced_controllers": 1, "store": "answered"},
        {"store": "answered", "session_expiries": 1},
        {"store": "answered", "crashes": 1, "broker_epochs": 1},
    ],
    ids=lambda faults: " ".join(faults) or "none",
)
def test_f2_a_move_as_it_was_built_keeps_everything(faults):
    """RAR alone is waited for, a leader is elected from it, and the write is conditional."""
    assert violated(**faults) == {}


@pytest.mark.parametrize(
    "faults", [{"crashes": 2}, {"crashes": 1, "controller_changes": 1, "fenced_controllers": 1}], ids=["crashes", "controllers"]
)
def test_f2_between_the_switch_and_its_end_a_replica_may_begin_anew(faults):
    """A broker that was told to stop restarts before AR is written, and begins an empty replica.

    A leader that has yet to learn of the switch counts on it still: it is wrong about its own ISR, and commits nothing.
    """
    assert list(violated(store="answered", broker_epochs=1, **faults)) == ["weak_isr"]


def test_f2_a_leader_that_sleeps_through_two_moves_is_wrong_about_its_own_isr():
    """There and back: a zombie counts on a replica that was deleted and began anew. The published ISR is right."""
    assert list(violated(reassignments=2, session_expiries=1)) == ["weak_isr"]


@pytest.mark.parametrize("store", ["atomic", "answered"])
def test_f2_a_leader_outside_rar_is_left_without_a_replica(store):
    """V3 writes the ISR alone. The published leader is then not in it, and its replica is deleted.

    V3 tells this leader of the new ISR (3.2.3), and not RAR. Until it receives StopReplica it may remove the last member; not
    if it is told after its decision was written and StopReplica overtakes what was not sent.
    """
    empty = ["isr_never_empty"] if store == "atomic" else []
    assert list(violated(reassignment="v3", store=store)) == [*empty, "leader_none_or_in_isr"]


def test_f2_the_command_to_a_leader_outside_rar_loses_data_when_it_is_late():
    """V3 sends LeaderAndISR to this leader and StopReplica too (3.2.3, 3.2.4): late, the first starts the deleted replica again.

    When the model told RAR instead, as Kafka does, nothing was lost here. Broker epochs recognise the late command.
    """
    sizes = {"brokers": 3, "replicas": 2, "crashes": 1, "reassignment": "v3"}
    assert violated(["no_committed_data_loss"], **sizes) == {"no_committed_data_loss": 15}


ENDS = {"reassignment_ends", "reassignment_can_end"}
V3_MOVE = {**MOVE, "reassignment": "v3", "store": "atomic", "unclean_elections": 0}


@pytest.mark.parametrize(
    ("revision", "faults", "stuck"),
    [
        ("v3", {}, set()),
        ("v3", {"controller_changes": 1}, {"reassignment_ends"}),
        ("v3", {"session_expiries": 1}, ENDS),
        ("kip-320", {"controller_changes": 1, "store": "answered"}, ENDS),
    ],
    ids=["no fault", "a new controller", "an expired session", "a new controller of a release"],
)
def test_q20_a_reassignment_of_v3_need_not_end(revision, faults, stuck):
    """Q20, F1: V3 waits for ISR == AR + RAR, also where a leader outside RAR, or a broker that was not told, never joins."""
    assert unkept(tiny(revision, **{**V3_MOVE, **faults}), *ENDS) == stuck
    if revision == "kip-320":
        assert unkept(tiny(revision, **{**V3_MOVE, **faults, "reassignment": "kafka"}), *ENDS) == set()


@pytest.mark.parametrize("repeated", [0, 1])
def test_a_request_that_arrives_again_starts_the_deleted_leader_again(repeated):
    """F2, D4: where requests arrive once, V3's switch may leave the partition without a leader for good (`repeated_commands`)."""
    stuck = unkept(tiny("v3", **V3_MOVE, controller_changes=1, repeated_commands=repeated), "leader_can_serve")
    assert stuck == (set() if repeated else {"leader_can_serve"})


AWAY_FROM_THE_DEAD = """
    crash broker=1
    expire_session broker=1
    see_broker_change
    elect_leader broker=0
    become_leader broker=0 epoch=1
    request_reassignment broker=2
    see_reassignment
    start_new_replicas
    become_follower broker=2 epoch=1
    expand_isr leader=0 follower=2
"""


@pytest.mark.parametrize(("reassignment", "ends"), [("kafka", True), ("v3", False), ("v3-older", False)])
def test_f2_a_move_away_from_a_dead_broker(reassignment, ends):
    """V3 waits for ISR == AR + RAR, so that a dead replica of AR keeps it waiting; Kafka waits for RAR alone."""
    sizes = {**MOVE, "brokers": 3, "replicas": 2, "crashes": 1, "reassignment": reassignment}
    state = play("kip-320", AWAY_FROM_THE_DEAD, **sizes)
    ready = [a.name for a, _, _ in KAFKA.enabled(state) if a.name in ("switch_isr", "find_caught_up")]
    assert (state.zookeeper.leader_and_isr[0].isr, bool(ready)) == (0b101, ends)


def test_f3_a_leader_elected_meanwhile_is_told_to_the_new_replicas_too():
    """A decision during a move reaches AR and RAR, and the move goes on from there."""
    script = """
        request_reassignment broker=2
        see_reassignment
        start_new_replicas
        become_follower broker=2
        expand_isr leader=0 follower=2
        expire_session broker=0
        see_broker_change
        elect_leader broker=1
        become_leader broker=1 epoch=1
        become_follower broker=2 epoch=1
    """
    state = play("kip-320", script, **{**MOVE, "brokers": 3, "replicas": 2, "session_expiries": 1})
    node = state.zookeeper.leader_and_isr[0]
    assert (node.leader, node.isr, state.zookeeper.reassigned[0], state.zookeeper.assigned[0]) == (1, 0b110, 0b101, 0b011)


def test_f1_a_new_controller_begins_again_from_the_store():
    """The memory of a move is the controller's own: its successor reads the path, and ends what the first began."""
    config = tiny(**{**MOVE, "controller_changes": 1, "max_epoch": 1})
    moved = set()
    for state, _ in reachable(config, deepest=11).values():
        for action, arguments, after in KAFKA.enabled(state):
            if action.name == "switch_isr" and after.zookeeper.assigned[0] != state.zookeeper.assigned[0]:
                moved.add(arguments[0])
    assert moved == {0, 1}


def test_f4_the_older_text_loses_data():
    """It writes RAR as the ISR on what it read before. The revised text, on the version that it read, does not."""
    sizes = {"brokers": 3, "replicas": 2, "crashes": 1, "broker_epochs": 1}
    assert violated(["no_committed_data_loss"], reassignment="v3-older", **sizes) == {"no_committed_data_loss": 16}
    assert violated(["no_committed_data_loss"], reassignment="v3", **sizes) == {}


@pytest.mark.parametrize("faults", [{}, {"session_expiries": 1}], ids=["none", "session"])
def test_f_the_controller_lock_orders_what_conditional_writes_keep_safe(faults):
    """M11, V3 F 3.2.1: without the lock a session that ends meanwhile is decided between two writes of the reassignment, so
    there are more states; but a decision on an older version is refused, and nothing more is violated."""
    size = {"store": "answered", "replicas": 1, "reassignments": 1, "move_decisions": "one", **faults}
    locked, unlocked = (outcome(tiny(controller_lock=lock, **size)) for lock in (1, 0))
    assert safety(all_violated(locked)) == safety(all_violated(unlocked)) == {}
    assert (unlocked.distinct_states > locked.distinct_states) == bool(faults)


@pytest.mark.parametrize(
    ("repair", "faults"),
    [
        ("ordered_stops", {"crashes": 1, "broker_epochs": 1}),
        pytest.param(
            "broker_epochs",
            {"brokers": 3, "replicas": 2, "crashes": 1, "session_expiries": 1, "max_epoch": 2},
            marks=pytest.mark.long,
        ),
        ("fenced_controllers", {"controller_changes": 1}),
    ],
)
def test_d4_a_late_command_starts_a_deleted_replica_again(repair, faults):
    """StopReplica and a restart delete the leader epoch by which a replica tells an old command (C5, C6, E2, R5, R6, R8)."""
    assert set(LOSS) & set(violated(**{**faults, repair: 0}))
    assert not violated(**{**faults, repair: 1})


@pytest.mark.parametrize("faults", [{}, {"controller_changes": 1, "fenced_controllers": 1}], ids=["none", "controller"])
def test_n6_a_cancelled_move_loses_nothing_while_an_old_replica_leads(faults):
    """KAFKA-13972: it leaves a stray replica, whatever becomes of StopReplica. With two brokers, one record, epochs to 2."""
    assert violated(cancelled_moves=1, **faults) == {}


@pytest.mark.parametrize("faults", [{"session_expiries": 1}, {"crashes": 1, "broker_epochs": 1}], ids=["expiry", "crash"])
def test_n6_a_cancelled_move_deletes_the_only_log_where_a_new_replica_leads(faults):
    """KAFKA-14424: the ISR is left with who is no replica, and what was committed is on no disk."""
    without_log = {"isr_within_assignment", "committed_records_stay_readable", "strong_isr", "isr_reaches_high_watermark"}
    assert set(violated(cancelled_moves=1, **faults)) == without_log


BEGUN = "request_reassignment broker=1\n see_reassignment\n start_new_replicas\n become_follower broker=1\n"
CANCELS = {**MOVE, "cancelled_moves": 1}


def test_n6_a_stray_replica_follows_on_and_joins_nothing():
    """The new replica was not in the ISR: nothing is decided, and it stays in its epoch."""
    state = play("kip-320", f"{BEGUN} cancel_reassignment\n produce leader=0\n fetch follower=1 leader=0", **CANCELS)
    assert (state.zookeeper.assigned[0], state.zookeeper.reassigned[0], state.zookeeper.leader_and_isr[0].isr) == (0b01, 0, 0b01)
    assert (state.replica[0][1].leo, state.controller[0].stopping[0]) == (1, 0b10)
    assert "expand_isr" not in enabled(state)


def test_n6_a_new_replica_leaves_the_isr_when_the_move_is_cancelled():
    state = play("kip-320", f"{BEGUN} expand_isr leader=0 follower=1\n cancel_reassignment", **CANCELS)
    node = state.zookeeper.leader_and_isr[0]
    assert (node.isr, node.leader_epoch, state.command[0][1].sent[0]) == (0b01, 1, 0b01)
    rule = "reassignment.cancel_reassignment: publish(s, controller, partition, leader, isr, Purpose.ELECTION)"
    with without(KAFKA, rule):
        assert list(first(tiny("kip-320", **CANCELS), "isr_within_assignment")) == ["isr_within_assignment"]


DIES = "crash broker=0\n expire_session broker=0\n see_broker_change\n elect_leader broker=1"
NEW_LEADS = f"{BEGUN} expand_isr leader=0 follower=1\n {DIES}"


def test_n6_nobody_leads_when_the_move_to_the_leader_is_cancelled():
    """KAFKA-14424: the last member stays in the ISR, and deletes its log."""
    settings = {**CANCELS, "crashes": 1, "max_epoch": 3}
    state = play("kip-320", f"{NEW_LEADS}\n cancel_reassignment", **settings)
    node = state.zookeeper.leader_and_isr[0]
    assert (node.leader, node.isr, state.zookeeper.assigned[0]) == (NO_BROKER, 0b10, 0b01)
    assert state.controller[0].stopping[0] == 0b10
    with without(KAFKA, "reassignment.cancel_reassignment: never: isr == 0"):
        emptied = play("kip-320", f"{NEW_LEADS}\n cancel_reassignment", **settings)
    assert not PROPERTIES["isr_never_empty"].holds(emptied)


def test_n6_what_is_cancelled_has_not_ended():
    assert refused("kip-320", f"{BEGUN} expand_isr leader=0 follower=1\n switch_isr broker=1\n cancel_reassignment", **CANCELS)
