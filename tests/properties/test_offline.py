"""What a partition that goes offline keeps of its ISR (A4, N10, KAFKA-5083)."""

import pytest
from highwater.properties.registry import KAFKA
from support.kafka import explored
from support.play import play

UNCLEAN = [{"session_expiries": 2, "unclean_elections": 1, "max_epoch": 2}, {"crashes": 2, "unclean_elections": 1}]


@pytest.mark.parametrize("sizes", UNCLEAN, ids=["sessions", "crashes"])
def test_n10_up_to_1_0_the_isr_may_be_empty(sizes):
    for revision in ("high-watermark", "kip-101"):
        assert "isr_never_empty" in explored(revision, ["isr_never_empty"], **sizes)
        assert not explored(revision, ["isr_never_empty"], **{**sizes, "unclean_elections": 0})
        assert not explored(revision, ["isr_never_empty"], **sizes, offline_isr="last")


@pytest.mark.parametrize("revision", ["kip-279", "kip-320", "kip-320-2.8"])
def test_n10_since_1_1_the_last_member_stays(revision):
    for sizes in UNCLEAN:
        assert not explored(revision, ["isr_never_empty"], **sizes)


BOTH_DIE = """
    crash broker=0
    crash broker=1
    expire_session broker=0
    expire_session broker=1
    see_broker_change
"""
SIZES = {"crashes": 2, "max_epoch": 2}


@pytest.mark.parametrize("last", [0, 1])
def test_n10_of_several_members_that_have_failed_any_may_be_the_last(last):
    state = play("kip-320", f"{BOTH_DIE} take_offline_but_one broker={last}", **SIZES)
    assert state.zookeeper.leader_and_isr[0].isr == 1 << last
    assert not KAFKA.action("take_offline").function(play("kip-320", BOTH_DIE, **SIZES), 0, 0)


def test_a4_in_v3_all_members_stay():
    state = play("kip-320", f"{BOTH_DIE} take_offline", offline_isr="whole", **SIZES)
    assert state.zookeeper.leader_and_isr[0].isr == 0b11
    assert not KAFKA.action("take_offline_but_one").function(play("kip-320", BOTH_DIE, offline_isr="whole", **SIZES), 0, 0, 0)


def test_n10_the_bound_on_unclean_elections_empties_no_isr():
    """A replica lives that Kafka would elect. Only the model's budget does not allow it: the last member stays."""
    alone = "shrink_isr leader=0 follower=1\n crash broker=0\n expire_session broker=0\n see_broker_change"
    state = play("kip-101", f"produce\n {alone}", crashes=1, unclean_elections=1, max_epoch=2)
    assert not KAFKA.action("take_offline").function(state, 0, 0)
    state.spent.unclean_elections = 1
    assert KAFKA.action("take_offline").function(state, 0, 0) and state.zookeeper.leader_and_isr[0].isr == 0b01
