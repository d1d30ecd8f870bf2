"""M3: a broker stops in good order: its leaders are moved away first, nothing is lost, and no partition waits for a session."""

import pytest
from highwater.model.controller import move_leaders, preferred_election
from highwater.model.controller.decide import can_decide, has_epoch_left
from highwater.model.members import contains
from highwater.properties.registry import KAFKA
from support.kafka import PROPERTIES, first, tiny, unkept
from support.mutants import in_place_of, without
from support.play import play

STOP = {"controlled_shutdowns": 1}
KEEPS = "shutdown_keeps_leaders"
LOSES = ["no_committed_data_loss", "committed_records_stay_readable", "commits_agree"]


def violated(names, **settings):
    return first(tiny(**{**STOP, **settings}), *names)


@pytest.mark.parametrize(
    "settings",
    [{}, {"store": "answered"}, pytest.param({"max_epoch": 2, "preferred_elections": 1}, marks=pytest.mark.long)],
    ids=["atomic", "answered", "preferred elections"],
)
def test_m3_a_controlled_shutdown_costs_no_moment_without_a_leader_and_no_record(settings):
    """Unlike a crash, which is noticed when the session has expired."""
    assert violated([KEEPS, *LOSES], **settings) == {}


def test_m3_it_ends():
    assert not unkept(tiny(**STOP, max_epoch=2), "shutdown_ends")


NOTHING_STAYS = """
    produce leader=0
    shrink_isr leader=0 follower=1
    begin_shutdown broker=0
"""


def test_m3_the_only_member_of_the_isr_stops_without_a_successor():
    """Whoever has everything is alone: nothing is moved, and the partition waits for it."""
    state = play("kip-320", NOTHING_STAYS + "stop_broker broker=0", **STOP)
    assert (state.zookeeper.leader_and_isr[0].leader, state.broker[0].up, state.zookeeper.broker_ids) == (0, 0, 0b10)
    assert state.replica[0][0].hw == 1  # it was written to disk


IN_TURN = """
    begin_shutdown broker=1
    move_leader_away broker=0
    become_leader broker=0 epoch=1
    stop_broker broker=1
    see_broker_change
    start_broker broker=1
    expand_isr leader=0 follower=1
    begin_shutdown broker=0
    stop_broker broker=0
"""


def test_m3_a_rolling_restart_may_be_too_quick():
    """A broker that takes its role from the store is in the ISR before the controller knows that it lives: no successor."""
    settings = {"controlled_shutdowns": 2, "max_epoch": 2}
    state = play("kip-320", IN_TURN, **settings)
    assert (state.zookeeper.leader_and_isr[0].leader, state.zookeeper.leader_and_isr[0].isr) == (0, 0b11)
    assert not PROPERTIES[KEEPS].holds(state)
    with pytest.raises(AssertionError, match=r"expand_isr .* is not enabled"):
        play("kip-320", IN_TURN, start_up="told", **settings)


LEADS = "s.zookeeper.leader_and_isr[partition].leader == broker"


@pytest.mark.parametrize(
    ("rule", "name", "settings"),
    [
        (f"shut_down.stop_broker: {LEADS} and staying_members(s, controller, partition) != 0", KEEPS, {}),
        ("move_leaders.move_leader_away: not contains(staying, broker)", LOSES[0], {}),
    ],
    ids=["it waits", "a clean election"],
)  # fmt: skip
def test_m3_a_rule_less(rule, name, settings):
    with without(KAFKA, rule):
        found = violated([name], **settings)
    assert found, found


def elects_who_leaves(s, controller, partition):
    """The preferred replica is elected if it lives, although it shuts down."""
    node = s.zookeeper.leader_and_isr[partition]
    preferred = s.zookeeper.preferred[partition]
    if not can_decide(s, controller, partition) or not has_epoch_left(s, partition) or node.version == 0:
        return False
    return node.leader != preferred and contains(node.isr & s.controller[controller].live, preferred)


def test_m3_who_leaves_must_not_be_elected():
    with in_place_of(KAFKA, {preferred_election.can_elect_preferred: elects_who_leaves}):
        found = violated([KEEPS], preferred_elections=1, max_epoch=2)
    assert found, found


def moves_nothing(s, controller, partition, broker):
    """The controller leaves leaders where they are."""
    return False


def test_m3_the_leaders_must_be_moved():
    """A controller that does not move them lets no broker stop."""
    with in_place_of(KAFKA, {move_leaders.move_leader_away: moves_nothing}):
        assert unkept(tiny(**STOP), "shutdown_ends", plain=True)
