"""Epochs of which a log has no record: when they enter the cache, and whether a restart keeps them."""

import pytest
from support.play import play

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


@pytest.mark.parametrize(("empty", "after"), [("kept", [0, -1]), ("dropped", [-1, -1])])
def test_a_start_keeps_an_epoch_without_records_or_drops_it(empty, after):
    """Kafka loads the log and drops what the cache says of offsets beyond its end. A log with records keeps its epochs."""
    size = {**SIZE, "max_records": 2, "log_size": 2, "epoch_entry": "when-leading", "empty_epochs": empty}
    assert starts(play("kip-279", ELECTED, **size), 0) == [0, -1]
    assert starts(play("kip-279", ELECTED + RESTARTED, **size), 0) == after
    assert starts(play("kip-279", WRITTEN + ELECTED + RESTARTED, **size), 0) == [0, -1]
