"""N1: Kafka's leader admits a follower in the step that counts its fetch, by what the fetch says alone."""

import pytest
from highwater.model.language import UsageError
from highwater.model.vocabulary import Writing
from support.kafka import KAFKA, first, level_of, tiny
from support.mutants import without
from support.play import enabled, play, refused

LAGS = """
    produce leader=0
    shrink_isr leader=0 follower=1
"""
CATCHES_UP = """
    send_fetch follower=1
    answer_fetch leader=0 follower=1
    receive_fetch follower=1
    send_fetch follower=1
"""
IN_FLIGHT = {"fetch": "in-flight", "crashes": 1, "session_expiries": 1, "emptied_disks": 1}
JOINS = "isr.may_admit: not has_caught_up(s, partition, leader, end)"


@pytest.mark.parametrize(("revision", "steps"), [("kip-279-2.0.1", 13), ("kip-320", 13), ("kip-320-2.8", 16)])
def test_a_fetch_that_outlives_its_sender_loses_committed_data(revision, steps):
    """KAFKA-14617, 15221: no release under ZooKeeper has a repair. Without an empty disk nothing is lost at these sizes."""
    assert level_of("no_committed_data_loss", tiny(revision, **IN_FLIGHT), revision) == steps + 1
    assert level_of("no_committed_data_loss", tiny(revision, **{**IN_FLIGHT, "emptied_disks": 0}), revision) is None


def test_the_fetch_speaks_for_its_sender():
    """Whatever has become of it: it is down, and has nothing."""
    state = play("kip-320", f"{LAGS} {CATCHES_UP} empty_disk broker=1\n answer_fetch leader=0 follower=1", **IN_FLIGHT)
    assert (state.zookeeper.leader_and_isr[0].isr, state.replica[0][1].leo, state.broker[1].up) == (0b11, 0, 0)


def test_a_fetch_from_below_the_high_watermark_admits_nobody():
    script = f"{LAGS} send_fetch follower=1\n answer_fetch leader=0 follower=1"
    assert play("kip-320", script, **IN_FLIGHT).zookeeper.leader_and_isr[0].isr == 0b01
    with without(KAFKA, JOINS):
        assert play("kip-320", script, **IN_FLIGHT).zookeeper.leader_and_isr[0].isr == 0b11


def test_no_leader_looks_at_a_follower_between_its_fetches():
    """In V3 it does, by what it remembers."""
    forgotten = f"{LAGS} {CATCHES_UP} empty_disk broker=1"
    for expand, joins in (("fetching", False), ("any-replica", True)):
        state = play("kip-320", forgotten, expand=expand, **IN_FLIGHT)
        state.replica[0][0].fetched_to[1] = 1
        assert ("expand_isr" in enabled(state)) == joins


def test_a_fetch_whose_answer_is_lost_admits_its_sender_too():
    """As one step of two brokers: with the records that the answer brings, and without them (KAFKA-7128 needs that)."""
    brought, lost = (play("kip-320", f"{LAGS} {last} follower=1 leader=0", brokers=3) for last in ("fetch", "expand_isr"))
    assert [s.zookeeper.leader_and_isr[0].isr for s in (brought, lost)] == [0b111, 0b111]
    assert [s.replica[0][1].leo for s in (brought, lost)] == [1, 0]


@pytest.mark.parametrize("budget", ["emptied_disks", "crashes"])
def test_a_disk_is_emptied_within_the_budgets(budget):
    assert refused("kip-320", f"{LAGS} empty_disk broker=1", **{**IN_FLIGHT, budget: 0})


def test_a_member_of_the_isr_keeps_its_disk():
    assert refused("kip-320", "empty_disk broker=1", **IN_FLIGHT)
    with without(KAFKA, "crash.empty_disk: is_in_some_isr(s, broker)"):
        assert not play("kip-320", "empty_disk broker=1", **IN_FLIGHT).replica[0][1].exists


WRITES = "write_isr leader=0\n learn_isr_write leader=0"
STOPS = {**IN_FLIGHT, "controlled_shutdowns": 1}
INACTIVE = {"dead": "crash broker=1\n expire_session broker=1\n see_broker_change", "shutting down": "begin_shutdown broker=1"}
REFUSES = "isr_writer.has_inactive_member: without: subset(isr, s.controller[controller].live & ~leaving_brokers(s))"


def joined(becomes, store="atomic", eligible="active"):
    """The state when a fetch arrives that a broker had sent before this became of it."""
    writes, arrives = (WRITES, "write_isr leader=0") if store == "answered" else ("", "")
    script = f"{LAGS} {writes} {CATCHES_UP} {becomes}\n answer_fetch leader=0 follower=1\n {arrives}"
    return play("kip-320-2.8", script, store=store, eligible=eligible, **STOPS)


@pytest.mark.parametrize("store", ["atomic", "answered"])
@pytest.mark.parametrize("becomes", INACTIVE)
def test_since_3_3_the_controller_refuses_who_is_dead_or_shuts_down(becomes, store):
    """KAFKA-14140, KIP-841: the leader counts the fetch, and has its ISR again."""
    state = joined(INACTIVE[becomes], store)
    assert (state.zookeeper.leader_and_isr[0].isr, state.replica[0][0].isr, state.replica[0][0].fetched_to[1]) == (0b01, 0b01, 1)
    assert store == "atomic" or state.isr_write[0][0].phase is Writing.QUIET
    assert joined(INACTIVE[becomes], store, "any").zookeeper.leader_and_isr[0].isr == 0b11
    assert joined("", store).zookeeper.leader_and_isr[0].isr == 0b11


def test_who_is_dead_or_shuts_down_joins_up_to_3_2_or_where_the_rule_is_broken():
    size = {"controlled_shutdowns": 1, "max_epoch": 0}
    name = "inactive_brokers_join_no_isr"
    found = [first(tiny("kip-320-2.8", eligible=who, **size), name) for who in ("any", "active")]
    assert found == [{name: 6}, {}]
    with without(KAFKA, REFUSES):
        assert first(tiny("kip-320-2.8", eligible="active", **size), name)


def test_a_leader_that_shuts_down_changes_its_isr_no_more():
    """The controller looks at all members: alone in its ISR, it stops without a successor, though another has caught up."""
    for eligible, isr in (("any", 0b11), ("active", 0b01)):
        script = f"{LAGS} {CATCHES_UP} begin_shutdown broker=0\n answer_fetch leader=0 follower=1"
        assert play("kip-320-2.8", script, eligible=eligible, **STOPS).zookeeper.leader_and_isr[0].isr == isr


def test_a_leader_that_shuts_down_drops_nobody_either():
    def drops(eligible):
        state = play("kip-320-2.8", "produce leader=0\n begin_shutdown broker=0", eligible=eligible, **STOPS)
        return "shrink_isr" in enabled(state)

    assert [drops(eligible) for eligible in ("any", "active")] == [True, False]
    with without(KAFKA, "isr.shrink_isr: without: is_refused_at_once(s, leader, excluding(me.isr, follower))"):
        assert drops("active")


def test_only_a_controller_refuses_members():
    with pytest.raises(UsageError, match="eligible above any needs isr_writer = controller"):
        tiny("kip-320", eligible="active")
    with pytest.raises(UsageError, match="eligible = same-registration needs KRaft"):
        tiny("kip-320-2.8", eligible="same-registration")
