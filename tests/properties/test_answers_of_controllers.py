"""What a leader makes of the controller's answers to its requests (N12, KIP-497)."""

import pytest
from highwater.model.broker import fetch
from highwater.model.language.errors import UsageError
from highwater.model.vocabulary import Writing
from highwater.properties.registry import KAFKA
from support.kafka import explored, of_release, safety, tiny, unkept
from support.mutants import without
from support.play import play, refused

COMMITS = "replicated_records_commit"
A_CRASH = {"crashes": 1, "session_expiries": 1}


@pytest.mark.parametrize(("release", "had_it"), [("2.6.3", 0), ("2.7.0", 1), ("2.8.0", 1), ("3.0.2", 1), ("3.1.0", 0)])
def test_n12_from_2_7_to_3_0_what_a_smaller_isr_has_is_not_committed(release, had_it):
    """KAFKA-13091: the last follower leaves the ISR, and then fails. Nobody appends, and no end moves."""
    assert unkept(of_release(release, **A_CRASH), COMMITS) == ({COMMITS} if had_it else set())


def test_n12_who_commits_late_loses_nothing():
    assert safety(explored("kip-320-2.8", isr_answer="waits", **A_CRASH)) == safety(explored("kip-320-2.8", **A_CRASH)) == {}


LEFT = """
    produce
    fetch follower=1 leader=0
    fetch follower=1 leader=0
    shrink_isr leader=0 follower=2
"""


@pytest.mark.parametrize(("answer", "hw"), [("commits", 1), ("waits", 0)])
def test_n12_the_answer_changes_the_isr_alone(answer, hw):
    for store, rest in (("atomic", ""), ("answered", "write_isr leader=0\n learn_isr_write leader=0")):
        state = play("kip-320-2.8", f"{LEFT} {rest}", brokers=3, store=store, isr_answer=answer)
        leader = state.replica[0][0]
        assert (leader.isr, leader.hw) == (0b011, hw)


THREE = {"brokers": 3, "log_size": 2, "max_records": 2, "crashes": 1, "shrink": "late", "isr_answer": "waits"}
ADVANCE = "advance_high_watermark(s, partition, leader)"


@pytest.mark.parametrize(
    ("then", "rule"),
    [
        ("fetch follower=2 leader=0\n fetch follower=2 leader=0", f"fetch.note_fetch: {ADVANCE}"),
        ("produce", f"produce.produce: {ADVANCE}"),
        ("crash broker=1\n shrink_isr leader=0 follower=1", f"isr.shrink_isr: {ADVANCE}"),
    ],
)
def test_n12_until_an_end_moves_or_a_record_is_appended_or_another_member_leaves(then, rule):
    assert play("kip-320-2.8", f"{LEFT} {then}", **THREE).replica[0][0].hw == 1
    with without(KAFKA, rule):
        assert play("kip-320-2.8", f"{LEFT} {then}", **THREE).replica[0][0].hw == 0


def test_n12_a_fetch_whose_answer_is_lost_moves_the_end_too():
    script = f"produce\n fetch follower=2 leader=0\n {LEFT} expand_isr leader=0 follower=2"
    assert play("kip-320-2.8", script, **THREE).replica[0][0].hw == 1
    with without(KAFKA, f"isr.expand_isr: {ADVANCE}"):
        assert play("kip-320-2.8", script, **THREE).replica[0][0].hw == 0


def test_n12_a_fetch_that_brings_no_new_end_commits_nothing():
    state = play("kip-320-2.8", LEFT, **THREE)
    fetch.note_fetch(state, 0, 0, 1, 1)
    assert state.replica[0][0].hw == 0
    with without(KAFKA, "fetch.note_fetch: always: moved"):
        fetch.note_fetch(state, 0, 0, 1, 1)
    assert state.replica[0][0].hw == 1


ASKS = {"session_expiries": 1, "max_epoch": 3, "store": "answered"}
JOINS = {"follower_joins", "follower_can_join"}
OVERTAKEN = """
    expire_session broker=1
    see_broker_change
    elect_leader broker=0
    write_decision
    produce
    shrink_isr leader=0 follower=1
    send_command epoch=1 broker=0
    become_leader broker=0 epoch=1
"""
FOLLOWS = """
    notice_session_expiry broker=1
    see_broker_change
    send_command epoch=1 broker=1
    become_follower broker=1 epoch=1
    fetch follower=1 leader=0
    fetch follower=1 leader=0
"""


@pytest.mark.parametrize(("release", "had_it"), [("2.7.2", 1), ("2.8.0", 1), ("2.8.2", 1), ("3.0.0", 0), ("3.9.0", 0)])
def test_n12_up_to_2_8_the_answer_to_an_earlier_request_removes_the_next(release, had_it):
    """KAFKA-12686: the ISR stays pending, and nobody joins it before the next command."""
    assert unkept(of_release(release, **ASKS), *JOINS) == (JOINS if had_it else set())


def test_n12_what_is_removed_loses_nothing():
    assert safety(explored("kip-320-2.8", earlier_request="removes", **ASKS)) == safety(explored("kip-320-2.8", **ASKS)) == {}


def test_n12_the_next_request_waits_or_is_not_made():
    for earlier, pending in (("removes", Writing.REQUESTED), ("awaited", Writing.QUIET)):
        state = play("kip-320-2.8", OVERTAKEN + FOLLOWS, earlier_request=earlier, **ASKS)
        write = state.isr_write[0][0]
        assert (write.phase, write.earlier) == (pending, 1)
        assert not KAFKA.action("write_isr").version(state.config)(state.copy(), 0, 0)


def test_n12_after_the_answer_the_next_request_can_be_made():
    script = f"{OVERTAKEN} {FOLLOWS} learn_earlier_answer leader=0\n expand_isr leader=0 follower=1\n write_isr leader=0"
    assert play("kip-320-2.8", script, **ASKS).zookeeper.leader_and_isr[0].isr == 0b11
    removed = f"{OVERTAKEN} {FOLLOWS} learn_earlier_answer leader=0"
    write = play("kip-320-2.8", removed, earlier_request="removes", **ASKS).isr_write[0][0]
    assert (write.phase, write.isr, write.earlier) == (Writing.REFUSED, 0b11, 0)
    assert refused("kip-320-2.8", f"{removed}\n learn_earlier_answer leader=0", **ASKS)


def test_n12_a_request_ends_with_its_process():
    script = f"{OVERTAKEN} crash broker=0"
    assert not play("kip-320-2.8", script, crashes=1, **ASKS).isr_write[0][0].earlier
    with without(KAFKA, "roles.forget_role: s.isr_write[partition][broker].earlier = 0"):
        assert play("kip-320-2.8", script, crashes=1, **ASKS).isr_write[0][0].earlier


def test_n12_nobody_answers_while_no_controller_knows_the_leader():
    script = f"{OVERTAKEN} expire_session broker=0\n see_broker_change"
    sizes = {**ASKS, "session_expiries": 2}
    assert refused("kip-320-2.8", f"{script}\n learn_earlier_answer leader=0", **sizes)
    with without(KAFKA, "isr.learn_earlier_answer: not has_writer(s, leader)"):
        assert not play("kip-320-2.8", f"{script}\n learn_earlier_answer leader=0", **sizes).isr_write[0][0].earlier


def test_n12_without_the_rules_of_the_queue_two_requests_are_on_their_way():
    with without(KAFKA, "isr.can_write_isr: s.config.earlier_request is EarlierRequest.AWAITED and write.earlier"):
        assert play("kip-320-2.8", OVERTAKEN + FOLLOWS, **ASKS).isr_write[0][0].phase is Writing.REQUESTED
    with without(KAFKA, "isr.write_isr: s.config.earlier_requests and write.earlier"):
        play("kip-320-2.8", f"{OVERTAKEN} {FOLLOWS} write_isr leader=0", earlier_request="removes", **ASKS)


def test_n12_a_leader_that_writes_by_itself_has_no_such_request():
    with pytest.raises(UsageError, match="earlier_request = removes needs isr_writer = controller"):
        tiny("kip-320-2.5.0", earlier_request="removes")
    assert tiny("kip-320-2.5.0", **ASKS).earlier_requests == 0


REPLACED = {"controller_changes": 1, "session_expiries": 1, "max_epoch": 3, "store": "answered"}


@pytest.mark.parametrize(("answer", "kept"), [("refuses", 0), ("not-controller", 1)])
def test_n12_a_controller_that_was_replaced_refuses_what_its_successor_would_do(answer, kept):
    """KAFKA-14154, in no release."""
    config = tiny("kip-320-2.8", replaced_controller=answer, **REPLACED)
    assert unkept(config, *JOINS) == (set() if kept else JOINS)


def asking(node_epoch=1, epoch=1, by=1):
    """Leader 0 asks, in an epoch that controller `by` decided; controller 0 was replaced, and believes that it is in office."""
    state = play("kip-320-2.8", "produce\n shrink_isr leader=0 follower=1", replaced_controller="refuses", **REPLACED)
    node = state.zookeeper.leader_and_isr[0]
    state.zookeeper.controller_epoch = 1
    node.controller_epoch, node.leader_epoch, state.replica[0][0].leader_epoch = by, node_epoch, epoch
    return state


def is_refused(state):
    return KAFKA.action("refuse_from_behind").version(state.config)(state, 0, 0, 0)


def test_n12_it_refuses_only_who_is_ahead_and_whom_it_knows():
    assert is_refused(asking())
    assert not is_refused(asking(by=0)) and not is_refused(asking(node_epoch=1, epoch=0))
    for broken in ("live", "active"):
        state = asking()
        setattr(state.controller[0], broken, 0)
        assert not is_refused(state)
    state = asking()
    state.isr_write[0][0].earlier = 1
    assert not is_refused(state)


def test_n12_who_refuses_needs_requests():
    with pytest.raises(UsageError, match="replaced_controller = refuses needs store = answered"):
        tiny("kip-320-2.8", replaced_controller="refuses", store="atomic")
