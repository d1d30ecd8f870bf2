"""What brokers and controllers rely on: the last fetch, a registration, the question that was asked (G3, R6, T2, T7, M3, H1)."""

from pathlib import Path

import pytest
from highwater.model.language.errors import ModelError
from highwater.traces.text import read_file
from support.kafka import KAFKA, PROPERTIES, tiny, unkept
from support.mutants import without
from support.play import last_state, play, refused

GOLDEN = Path(__file__).parents[2] / "traces" / "golden"
JOINS = """
    produce leader=0
    fetch follower=1 leader=0
    fetch follower=1 leader=0
    crash broker=1
    expire_session broker=1
    see_broker_change
    elect_leader broker=0
    become_leader broker=0 epoch=1
    start_broker broker=1
"""
SIZES = {"brokers": 2, "crashes": 1, "session_expiries": 1, "max_epoch": 2}


def test_g3_who_has_lost_its_log_joins_only_by_a_fetch():
    """The leader remembers an end that the follower had before its crash; Kafka admits it by the end that its fetch names."""
    assert refused("high-watermark", f"{JOINS} expand_isr leader=0 follower=1", **SIZES)
    state = play("high-watermark", f"{JOINS} expand_isr leader=0 follower=1", expand="any-replica", **SIZES)
    assert not PROPERTIES["strong_isr"].holds(state)


NEW_SESSION = """
    request_preferred_election
    elect_preferred_replica
    expire_session broker=1
    notice_session_expiry broker=1
"""
ONE_EXPIRY = {"preferred": 1, "session_expiries": 1, "preferred_elections": 1, "max_epoch": 3}


def test_r6_a_new_session_drops_what_was_sent_to_the_last():
    late = f"{NEW_SESSION} become_leader broker=1 epoch=1"
    assert refused("kip-320-2.8", late, **ONE_EXPIRY)
    assert play("kip-320-2.8", late, broker_epochs=0, **ONE_EXPIRY).replica[0][1].leader == 1


UNNOTICED = """
    request_preferred_election
    expire_session broker=1
    notice_session_expiry broker=1
    elect_preferred_replica
"""


def test_r6_a_new_session_drops_what_names_the_last_one():
    """A controller that has not looked names the registration that it knows; KafkaApis.isBrokerEpochStale."""
    late = f"{UNNOTICED} become_leader broker=1 epoch=1"
    assert refused("kip-320-2.8", late, **ONE_EXPIRY)
    assert play("kip-320-2.8", late, broker_epochs=0, **ONE_EXPIRY).replica[0][1].leader == 1
    looked = f"{UNNOTICED} see_broker_change\n elect_leader broker=0\n see_broker_change\n become_follower broker=1 epoch=2"
    assert play("kip-320-2.8", looked, **ONE_EXPIRY).replica[0][1].leader == 0


def test_r6_a_stop_replica_that_names_the_last_registration_is_refused():
    script = "delete_topic\n expire_session broker=1\n notice_session_expiry broker=1\n see_topic_change\n stop_replica broker=1"
    sizes = {"session_expiries": 1, "topic_deletions": 1}
    assert refused("kip-320-2.8", script, **sizes)
    assert not play("kip-320-2.8", script, broker_epochs=0, **sizes).replica[0][1].exists


def test_r6_a_controller_notices_another_registration():
    """It treats the broker as failed and elects another, and at its next look as new: then the broker receives who leads."""
    state = play("kip-320-2.8", f"{NEW_SESSION} see_broker_change", **ONE_EXPIRY)
    assert state.controller[0].live == 0b01 and state.controller[0].brokers_watch == 1
    twice = f"{NEW_SESSION} see_broker_change\n elect_leader broker=0\n see_broker_change\n become_follower broker=1 epoch=2"
    state = play("kip-320-2.8", twice, **ONE_EXPIRY)
    assert state.controller[0].live == 0b11 and state.replica[0][1].leader == 0
    blind = play("kip-320-2.8", f"{NEW_SESSION} see_broker_change", broker_epochs=0, **ONE_EXPIRY)
    assert blind.controller[0].live == 0b11


NOTICED = "znodes.register_broker: me.bounced[place] = me.bounced[place] | me.live & only(broker)"
LOOKS_AGAIN = "broker_change.see_broker_change: me.brokers_watch = unseen_events(s, me.host) + 1"


@pytest.mark.parametrize("rule", [None, NOTICED, LOOKS_AGAIN])
def test_r6_without_that_nobody_leads(rule):
    """A broker that drops its command, and a controller that does not know; or one that believes the broker dead for ever."""
    config = tiny("kip-320-2.8", session_expiries=1, preferred_elections=1, max_epoch=2)
    if rule is None:
        assert unkept(config, "leader_can_serve", plain=True) == set()
        return
    with without(KAFKA, rule):
        assert unkept(config, "leader_can_serve", plain=True) == {"leader_can_serve"}


LEAVES = """
    begin_shutdown broker=1
    expire_session broker=0
    see_broker_change
"""


LED_FIRST = """
    see_controller_change broker=0
    create_topic
    recover_controller
    begin_shutdown broker=1
"""
ADDED = "request_addition\n see_topic_change\n begin_shutdown broker=1"
WHO_SHUTS_DOWN = {
    "is not elected": (
        LEAVES, "elect_leader broker=1", "take_offline_but_one broker=1", 0b10, 0b10, {"session_expiries": 1, "max_epoch": 2},
    ),
    "does not lead first": (LED_FIRST, "init_leader broker=1", "init_leader", 0b01, 0b11, {"start": "empty"}),
    "does not lead an added partition": (
        ADDED, "init_added broker=1", "init_added", 0b01, 0b11, {"partition_additions": 1, "path_change": "request-first"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", WHO_SHUTS_DOWN)
def test_m3_who_shuts_down(how):
    """KafkaController.liveBrokerIds leaves out who shuts down, for a new partition too."""
    script, leads, instead, isr, with_it, sizes = WHO_SHUTS_DOWN[how]
    sizes = {"brokers": 2, "controlled_shutdowns": 1, **sizes}
    assert refused("kip-320", f"{script}\n {leads}", **sizes)
    assert play("kip-320", f"{script}\n {instead}", **sizes).zookeeper.leader_and_isr[0].isr == isr
    with without(KAFKA, "decide.leaving_brokers: never: s.broker[broker].leaving"):
        node = play("kip-320", f"{script}\n {leads}", **sizes).zookeeper.leader_and_isr[0]
    assert (node.leader, node.isr) == (1, with_it)


AWAY = """
    expire_session broker=1
    see_broker_change
    elect_leader broker=0
    notice_session_expiry broker=1
    see_broker_change
"""
RESTARTS = """
    crash broker=1
    expire_session broker=1
    {}
    start_broker broker=1
    become_follower broker=1 epoch=1
"""
LATE = "become_follower broker=1 epoch=1 is not enabled"
WAITS = {"start_up": "told", "crashes": 1, "session_expiries": 2}


def test_r6_a_command_is_sent_once_more_to_the_process_that_comes_next():
    """Until the controller sees that the broker has failed: then it closes the connection, and nothing of it arrives any more."""
    assert play("kip-320", AWAY + RESTARTS.format(""), **WAITS).replica[0][1].leader == 0
    noticed = AWAY + RESTARTS.format("see_broker_change")
    with pytest.raises(AssertionError, match=LATE):
        play("kip-320", noticed, **WAITS)
    with without(KAFKA, "connections.close_connection: forget_all_sent(s, broker, controller)"):
        assert play("kip-320", noticed, **WAITS).replica[0][1].leader == 0


def test_r6_what_came_over_a_closed_connection_is_lost_with_the_process():
    closed = AWAY + "expire_session broker=1\n see_broker_change" + RESTARTS.format("").replace("expire_session broker=1", "")
    with pytest.raises(AssertionError, match=LATE):
        play("kip-320", closed, **WAITS)
    with without(KAFKA, "connections.send_once_more: forget_sent(s, command, broker, controller)"):
        assert play("kip-320", closed, **WAITS).replica[0][1].leader == 0


@pytest.mark.parametrize(("new_isr", "isr"), [("live-replicas", 0b01), ("all-replicas", 0b11)])
def test_h1_the_isr_of_an_added_partition(new_isr, isr):
    """It is that of a new one: V3 H calls the same init_leaders."""
    script = "request_addition broker=0\n expire_session broker=1\n see_topic_change\n see_broker_change\n init_added broker=0"
    sizes = {"partition_additions": 1, "session_expiries": 1, "store": "atomic", "max_epoch": 1}
    assert play("v3", script, new_isr=new_isr, **sizes).zookeeper.leader_and_isr[0].isr == isr


LED_WITHOUT_A_RECORD = """
    produce leader=0
    fetch follower=1 leader=0
    request_preferred_election
    elect_preferred_replica
    become_leader broker=1 epoch=1
    expire_session broker=1
    see_broker_change
    elect_leader broker=0
    become_follower broker=0 epoch=1
    become_leader broker=0 epoch=2
    notice_session_expiry broker=1
    see_broker_change
    become_follower broker=1 epoch=2
    produce leader=0
"""


def test_t7_a_fetch_of_28_names_the_latest_epoch_in_the_cache():
    """It has no record, and the leader does not know it: nothing is cut, but the epoch is forgotten, and the next fetch fits."""
    sizes = {**ONE_EXPIRY, "log_size": 2, "max_records": 2}
    assert refused("kip-320-2.8", f"{LED_WITHOUT_A_RECORD} fetch follower=1 leader=0", **sizes)
    cut = "truncate_on_divergence follower=1 leader=0"
    state = play("kip-320-2.8", f"{LED_WITHOUT_A_RECORD} {cut}\n fetch follower=1 leader=0", **sizes)
    assert state.replica[0][1].leo == 2
    state = play("kip-320-2.8", f"{LED_WITHOUT_A_RECORD} fetch follower=1 leader=0", fetch_epoch="record", **sizes)
    assert state.replica[0][1].leo == 2


def test_t2_an_answer_counts_in_the_epoch_in_which_it_was_asked_for():
    """The steps of the golden trace, where it is dropped: no answer is there to act on (KAFKA-7786)."""
    trace = read_file(str(GOLDEN / "t2_earlier_answer.kip-320.trace"))
    trace = trace.under(trace.revision)
    trace.settings.pop("earlier_answer")
    last_state(trace, 29)
    with pytest.raises((AssertionError, ModelError), match="truncate_to_answer"):
        last_state(trace, 30)
