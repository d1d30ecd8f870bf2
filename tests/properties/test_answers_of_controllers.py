"""What a leader makes of the controller's answers to its requests (N12, KIP-497)."""

import pytest
from highwater.model.broker import fetch
from highwater.model.language.releases import row_of, settings_of_release
from highwater.model.next import KAFKA
from support.kafka import explored, safety, tiny, unkept
from support.mutants import without
from support.play import play

COMMITS = "replicated_records_commit"
A_CRASH = {"crashes": 1, "session_expiries": 1}


def of_release(text, **settings):
    """The small configuration of a release, with its own repairs."""
    release, revision, _ = row_of(KAFKA, text)
    return tiny(revision, **{**settings_of_release(KAFKA, release, revision), **settings})


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
