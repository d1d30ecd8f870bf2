"""`repeated_commands`: whether a request that was obeyed may arrive again (D4, decision 2)."""

import pytest
from highwater.properties.registry import KAFKA
from support.play import play

ELECTED = "request_preferred_election\nelect_preferred_replica"
SIZES = {"brokers": 2, "store": "atomic", "preferred": 1, "preferred_elections": 1, "max_epoch": 2}


@pytest.mark.parametrize("repeated", [0, 1])
@pytest.mark.parametrize(("action", "broker"), [("become_leader", 1), ("become_follower", 0)])
def test_a_leader_and_isr_request(action, broker, repeated):
    state = play("v3", f"{ELECTED}\n{action} broker={broker} epoch=1", **SIZES, repeated_commands=repeated)
    assert state.command[0][1].sent[0] >> broker & 1 == repeated


@pytest.mark.parametrize("repeated", [0, 1])
def test_stop_replica(repeated):
    state = play("v3", "", **SIZES, repeated_commands=repeated)
    state.controller[0].stopping[0] = 0b10
    assert KAFKA.action("stop_replica").function(state, 0, 1, 0)
    assert state.controller[0].stopping[0] == (0b10 if repeated else 0)


@pytest.mark.parametrize("repeated", [0, 1])
def test_init(repeated):
    state = play("v3", "", **SIZES, repeated_commands=repeated)
    state.controller[0].init_sent = 0b11
    assert KAFKA.action("delete_unnamed").function(state, 1, 0)
    assert state.controller[0].init_sent == (0b11 if repeated else 0b01)


@pytest.mark.parametrize("repeated", [0, 1])
def test_a_request_about_an_earlier_topic_of_the_name(repeated):
    sizes = {**SIZES, "topic_deletions": 1, "topic_recreations": 1, "start": "serving"}
    state = play("v3", "", **sizes, repeated_commands=repeated)
    earlier = state.earlier_command[0][1]
    earlier.leader, earlier.isr, earlier.zk_version, earlier.sent[0] = 0, 0b11, 1, 0b10
    assert KAFKA.action("obey_earlier_command").function(state, 0, 1, 1, 0)
    assert earlier.sent[0] == (0b10 if repeated else 0)
