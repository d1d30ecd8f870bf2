"""Epochs of which a log has no record: when they enter the cache, and whether a restart keeps them."""

from pathlib import Path

import pytest
from highwater.model.epoch_cache import note_epoch
from highwater.model.log import truncate
from highwater.properties.registry import KAFKA
from highwater.traces.text import read
from support.play import play

GOLDEN = Path(__file__).parents[2] / "traces" / "golden"

WRITTEN = """
    produce
    fetch follower=1
"""
ELECTED = """
    expire_session broker=0
    see_broker_change
    elect_leader broker=1
    become_leader broker=1 epoch=1
"""
RESTARTED = """
    crash broker=0
    start_broker broker=0
"""
SIZE = {"brokers": 2, "max_epoch": 1, "session_expiries": 1, "crashes": 1}


def starts(state, broker):
    return list(state.replica[0][broker].epoch_start)


@pytest.mark.parametrize(("entry", "before", "after"), [("when-leading", [0, 1], [0, 1]), ("first-record", [0, -1], [0, 1])])
def test_an_epoch_enters_when_its_leader_begins_or_with_its_first_record(entry, before, after):
    """KIP-101 says the one, Kafka did the other until KAFKA-7415."""
    size = {**SIZE, "max_records": 2, "log_size": 2, "epoch_entry": entry}
    assert starts(play("kip-279", WRITTEN + ELECTED, **size), 1) == before
    assert starts(play("kip-279", WRITTEN + ELECTED + "produce leader=1", **size), 1) == after
    assert starts(play("kip-279", "", **size), 0)[0] == (0 if entry == "when-leading" else -1)


@pytest.mark.parametrize(
    ("kept", "end", "after"),
    [("kept", 2, [0, 2]), ("kept", 3, [0, 2]), ("kept", 1, [0, -1]), ("dropped", 2, [0, -1]), ("dropped", 3, [0, -1])],
)
def test_a_cut_of_nothing_keeps_an_epoch_without_records_until_2_7(kept, end, after):
    """Log.truncateTo: at the log's end or beyond it cuts nothing, of the cache neither, until KAFKA-10706."""
    size = {"brokers": 1, "max_epoch": 1, "max_records": 2, "log_size": 3, "epoch_entry": "when-leading"}
    state = play("kip-320", "produce\nproduce batch=1", **size, cut_of_nothing=kept)
    me = state.replica[0][0]
    note_epoch(state, me, 1, 2)
    truncate(state, me, end)
    assert (starts(state, 0), me.leo) == (after, min(end, 2))


CASES = [
    # entered in this order: (epoch, offset); then where epochs 0 to 3 start if both stay, if it is ignored, if it replaces
    ([(0, 0), (2, 3)], [0, -1, 3, -1], [0, -1, 3, -1], [0, -1, 3, -1]),
    ([(1, 0), (0, 0)], [0, 0, -1, -1], [-1, 0, -1, -1], [0, -1, -1, -1]),
    ([(0, 0), (1, 2), (2, 2)], [0, 2, 2, -1], [0, 2, 2, -1], [0, -1, 2, -1]),
    ([(0, 0), (2, 1), (1, 2)], [0, 2, 1, -1], [0, -1, 1, -1], [0, 2, -1, -1]),
    ([(0, 0), (2, 1), (0, 2)], [0, -1, 1, -1], [0, -1, 1, -1], [2, -1, -1, -1]),
    ([(3, 1), (3, 2)], [-1, -1, -1, 1], [-1, -1, -1, 1], [-1, -1, -1, 1]),
]


@pytest.mark.parametrize(("entered", "kept", "ignored", "replaces"), CASES)
def test_what_becomes_of_entries_that_a_later_one_does_not_fit_to(entered, kept, ignored, replaces):
    """LeaderEpochFileCache.assign of 2.0.0 and of 2.0.1, beside a cache that takes everything."""
    for late, after in (("kept", kept), ("ignored", ignored), ("replaces", replaces)):
        state = play("kip-279", "", brokers=1, max_epoch=3, late_epoch=late, log_size=4, epoch_entry="first-record")
        for epoch, offset in entered:
            note_epoch(state, state.replica[0][0], epoch, offset)
        assert starts(state, 0) == after, late


def test_a_follower_that_led_an_empty_epoch_keeps_what_is_committed():
    """The steps of the golden trace late_epoch_is_kept, up to the last: as Kafka does since 2.0.1 there is nothing to cut."""
    trace = read((GOLDEN / "late_epoch_is_kept.kip-320-2.8.trace").read_text(), "late_epoch_is_kept")
    config = KAFKA.configure(trace.revision, **{**trace.settings, "late_epoch": "replaces"})
    state = KAFKA.initial_states(config)[trace.initial]
    for step in trace.steps[:-1]:
        assert KAFKA.action(step.action).version(config)(state, *(value for _, value in step.arguments)), step.label
    assert starts(state, 2)[:3] == [0, -1, 1] and state.replica[0][2].leo == 2
    assert KAFKA.action("truncate_on_divergence").function(state, 0, 2, 1)
    assert state.replica[0][2].leo == 1  # b goes, a stays


@pytest.mark.parametrize(("empty", "after"), [("kept", [0, -1]), ("dropped", [-1, -1])])
def test_a_start_keeps_an_epoch_without_records_or_drops_it(empty, after):
    """Kafka loads the log and drops what the cache says of offsets beyond its end. A log with records keeps its epochs."""
    size = {**SIZE, "max_records": 2, "log_size": 2, "epoch_entry": "when-leading", "empty_epochs": empty}
    assert starts(play("kip-279", ELECTED, **size), 0) == [0, -1]
    assert starts(play("kip-279", ELECTED + RESTARTED, **size), 0) == after
    assert starts(play("kip-279", WRITTEN + ELECTED + RESTARTED, **size), 0) == [0, -1]
