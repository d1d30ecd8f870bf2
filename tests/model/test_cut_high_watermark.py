"""A high watermark beyond the end to which a log is cut: Kafka's stays up to 2.3 (`cut_high_watermark`)."""

import pytest
from highwater.model.broker.become_leader import serve
from highwater.model.log import truncate
from highwater.properties.registry import KAFKA
from support.kafka import tiny
from support.play import play

COMMITTED = "produce\nfetch follower=1\nfetch follower=1"


@pytest.mark.parametrize(("setting", "mark"), [("cut", 0), ("stays", 1)])
def test_a_cut_takes_the_high_watermark_along_or_leaves_it(setting, mark):
    state = play("kip-320", COMMITTED, brokers=2, cut_high_watermark=setting)
    follower = state.replica[0][1]
    assert (follower.leo, follower.hw) == (1, 1)
    truncate(state, follower, 0)
    assert (follower.leo, follower.hw) == (0, mark)


def test_the_revisions_that_leave_it():
    stays = [name for name in KAFKA.revisions if tiny(name).cut_high_watermark]
    assert stays == ["high-watermark", "kip-101", "kip-279", "kip-279-2.0.1", "kip-320-2.1.1", "kip-320-2.2"]


def beyond(**settings):
    """A follower whose high watermark lies beyond its log."""
    state = play("kip-320", COMMITTED, brokers=2, cut_high_watermark="stays", **settings)
    truncate(state, state.replica[0][1], 0)
    return state


def test_a_new_leader_begins_with_the_start_of_its_log():
    """Partition.makeLeader: the offset is not in its log. Otherwise it would serve what it does not have."""
    state = beyond()
    serve(state, 0, 1, 1, 0b10, 1)
    assert state.replica[0][1].hw == 0


def test_a_broker_that_stops_forgets_it():
    """A start takes the smaller of the checkpoint and the end of the log (ReplicaManager.getOrCreateReplica)."""
    state = beyond(controlled_shutdowns=1)
    state.broker[1].leaving = 1
    assert KAFKA.action("stop_broker").function(state, 1, 0)
    assert state.replica[0][1].hw == 0
