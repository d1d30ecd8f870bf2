"""Fetches that are counted late, and refusals that arrive in a later epoch (G1, T7)."""

import pytest
from support.kafka import KAFKA
from support.mutants import without
from support.play import play, refused

SIZES = {"brokers": 3, "fetch": "in-flight", "session_expiries": 1, "preferred_elections": 1, "max_epoch": 3}
HAS_A = """
    produce leader=0
    send_fetch follower=2
    {}
    receive_fetch follower=2
    send_fetch follower=2
"""
ONE_LEADS = """
    request_preferred_election
    elect_preferred_replica
    become_leader broker=1 epoch=1
    become_follower broker=2 epoch=1
"""
REFUSED = HAS_A.format("answer_fetch follower=2") + ONE_LEADS + "send_fetch follower=2\n refuse_fetch leader=1 follower=2\n"
ZERO_LEADS = """
    expire_session broker=1
    see_broker_change
    elect_leader broker=0
    become_follower broker=0 epoch=1
    become_leader broker=0 epoch=2
    become_follower broker=2 epoch=2
"""
LEADS_AGAIN = """
    become_follower broker=0 epoch=1
    expire_session broker=1
    see_broker_change
    elect_leader broker=0
    become_leader broker=0 epoch=2
"""
CHECKED = HAS_A.format("check_fetch follower=2\n count_fetch follower=2") + "check_fetch follower=2\n"


def test_a_fetch_is_counted_in_an_epoch_in_which_it_would_be_refused():
    """The leader has forgotten its followers' ends since, and the fetch brings one back; it is not answered any more."""
    script = CHECKED + ONE_LEADS + LEADS_AGAIN + "count_fetch follower=2"
    state = play("kip-320", script, preferred=1, fetch_count="later", **SIZES)
    leader = state.replica[0][0]
    assert (leader.leader_epoch, leader.fetched_to[2]) == (2, 1)
    assert not state.fetch_response[0][2].sent and not state.fetch_request[0][0][2].sent


def test_a_fetch_that_was_not_compared_in_time_is_refused():
    script = HAS_A.format("answer_fetch follower=2") + ONE_LEADS + LEADS_AGAIN
    assert refused("kip-320", f"{script} answer_fetch follower=2", preferred=1, **SIZES)


def test_a_broker_that_does_not_lead_counts_nothing():
    script = f"{CHECKED} {ONE_LEADS} become_follower broker=0 epoch=1\n count_fetch follower=2"
    how = {"preferred": 1, "fetch_count": "later", **SIZES}
    assert refused("kip-320", script, **how)
    with without(KAFKA, "fetch_in_flight.count_fetch: not leads(s, partition, leader)"):
        assert play("kip-320", script, **how).replica[0][0].fetched_to[2] == 1


def test_a_process_that_ends_counts_nothing():
    """What it has compared ends with it. What has not arrived yet is still in flight."""
    how = {"fetch_count": "later", **SIZES, "crashes": 1}
    script = f"{CHECKED} send_fetch follower=1\n crash broker=0"
    state = play("kip-320", script, **how)
    assert [request.sent for request in state.fetch_request[0][0]] == [0, 1, 0]
    with without(KAFKA, "crash.stop_process: drop_checked(s, partition, broker)"):
        assert play("kip-320", script, **how).fetch_request[0][0][2].checked


def test_a_refusal_is_obeyed_within_its_epoch():
    """As in one step: the follower cuts what its leader does not have."""
    how = {**SIZES, "preferred": 1}
    assert play("kip-320-2.8", f"{REFUSED} receive_refusal follower=2", **how).replica[0][2].leo == 0
    one_step = HAS_A.format("answer_fetch follower=2") + ONE_LEADS + "truncate_on_divergence follower=2 leader=1"
    assert play("kip-320-2.8", one_step, earlier_refusal="dropped", **how).replica[0][2].leo == 0


def test_a_refusal_by_another_leader_is_dropped():
    state = play("kip-320-2.8", f"{REFUSED} {ZERO_LEADS} receive_refusal follower=2", preferred=1, **SIZES)
    assert state.replica[0][2].leo == 1 and not state.fetch_refusal[0][2].sent


FETCHES = "send_fetch follower={0}\n answer_fetch follower={0}\n receive_fetch follower={0}\n"
ONE_LEADS_AGAIN = """
    request_preferred_election
    elect_preferred_replica
    become_leader broker=1 epoch=3
    become_follower broker=2 epoch=3
"""
RETURNS = """
    notice_session_expiry broker=1
    see_broker_change
    become_follower broker=1 epoch=2
    send_fetch follower=1
    refuse_fetch follower=1
    receive_refusal follower=1
"""


@pytest.mark.parametrize(("written", "kept"), [(0, 0), (1, 2)])
def test_a_refusal_that_arrives_in_a_later_epoch_counts_if_the_log_ends_where_the_fetch_began(written, kept):
    """KAFKA-18991: the same leader, and the same offset. In between the leader has fetched what it lacked."""
    more = ("produce leader=0\n" + FETCHES.format(2)) * written
    caught_up = FETCHES.format(1) * (1 + written) + "send_fetch follower=1\n answer_fetch follower=1\n"
    script = f"{REFUSED} {ZERO_LEADS} {more} {RETURNS} {caught_up} {ONE_LEADS_AGAIN} receive_refusal follower=2"
    how = {**SIZES, "preferred": 1, "preferred_elections": 2, "log_size": 2, "max_records": 2}
    state = play("kip-320-2.8", script, **how)
    assert state.replica[0][1].leo == 1 + written
    assert state.replica[0][2].leo == kept and not state.fetch_refusal[0][2].sent


LATE = HAS_A.format("answer_fetch follower=2").replace("receive_fetch follower=2\n    send_fetch follower=2\n", "")


@pytest.mark.parametrize(("taken", "grows"), [("taken", 1), ("dropped", 0)])
def test_records_that_arrive_in_a_later_epoch_are_appended_since_2_8(taken, grows):
    """KAFKA-18991: the same leader, and the log ends where the fetch began; the response is of epoch 0."""
    script = f"{LATE} {ONE_LEADS} {LEADS_AGAIN} become_follower broker=2 epoch=2"
    state = play("kip-320-2.8", script, preferred=1, earlier_records=taken, **SIZES)
    assert not state.fetch_response[0][2].sent and state.replica[0][2].leo == 0
    late = [arguments for action, arguments, _ in KAFKA.enabled(state.copy()) if action.name == "receive_late_response"]
    assert len(late) == grows
    if late:
        assert KAFKA.action("receive_late_response").version(state.config)(state, *late[0])
        assert state.replica[0][2].leo == 1 and not state.late_response[0][2].sent


def test_records_that_another_leader_sent_are_dropped():
    state = play("kip-320-2.8", f"{LATE} {ONE_LEADS} receive_late_response follower=2", preferred=1, **SIZES)
    assert state.replica[0][2].leo == 0 and not state.late_response[0][2].sent


def test_nobody_waits_for_what_a_process_asked_that_has_ended():
    """Its fetch still arrives, and is counted; the answer finds nobody."""
    script = "produce leader=0\n send_fetch follower=2\n crash broker=2\n answer_fetch follower=2"
    sizes = {**SIZES, "crashes": 1}
    assert not play("kip-320-2.8", script, **sizes).late_response[0][2].sent
    with without(KAFKA, "crash.stop_process: orphan_requests(s, partition, broker)"):
        assert play("kip-320-2.8", script, **sizes).late_response[0][2].sent


def test_a_fetcher_waits_for_one_response_at_a_time():
    """While the refusal is on its way, it fetches from another leader, but not from that one."""
    assert refused("kip-320-2.8", f"{REFUSED} send_fetch follower=2", preferred=1, **SIZES)
    play("kip-320-2.8", f"{REFUSED} {ZERO_LEADS} send_fetch follower=2", preferred=1, **SIZES)
    with without(KAFKA, "fetch_in_flight.send_fetch: awaits_refusal(s, partition, follower, me.leader)"):
        play("kip-320-2.8", f"{REFUSED} send_fetch follower=2", preferred=1, **SIZES)


@pytest.mark.parametrize(("late_count", "waits"), [("taken", 1), ("dropped", 0)])
def test_who_follows_another_leader_forgets_what_it_has_yet_to_count_since_3_3(late_count, waits):
    script = f"{CHECKED} {ONE_LEADS} become_follower broker=0 epoch=1"
    how = {"preferred": 1, "fetch_count": "later", "late_count": late_count, **SIZES}
    assert play("kip-320-2.8", script, **how).fetch_request[0][0][2].sent == waits
    with without(KAFKA, "roles.stop_serving: drop_checked(s, partition, broker)"):
        assert play("kip-320-2.8", script, **how).fetch_request[0][0][2].sent


SKIPS = """
    expire_session broker=1
    see_broker_change
    elect_leader broker=0
    become_leader broker=0 epoch=2
"""


@pytest.mark.parametrize(("lead_again", "waits"), [("keeps-ends", 1), ("forgets-ends", 1), ("new-replicas", 0)])
def test_what_a_leader_has_yet_to_count_is_forgotten_in_its_next_term_only_with_new_replicas(lead_again, waits):
    """It skips the term between, so that it never follows; the offset that counts late is of the first term."""
    script = f"{CHECKED} {ONE_LEADS} truncate_on_divergence follower=2 leader=1\n {SKIPS}"
    how = {"preferred": 1, "fetch_count": "later", "lead_again": lead_again, **SIZES}
    state = play("kip-500", script, **how)
    assert (state.replica[0][0].leader_epoch, state.replica[0][0].fetched_to[2]) == (2, 0)
    assert state.fetch_request[0][0][2].sent == waits
    if waits:
        assert play("kip-500", f"{script} count_fetch follower=2", **how).replica[0][0].hw == 1
    with without(KAFKA, "become_leader.serve: drop_checked(s, partition, broker)"):
        assert play("kip-500", script, **how).fetch_request[0][0][2].sent
