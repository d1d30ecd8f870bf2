"""What a leader and a follower of 2.8 do with a fetch that shows another history, one rule at a time."""

import pytest
from highwater.model.choices import IsrWriting
from highwater.model.truncation.on_divergence import begin
from highwater.model.vocabulary import NO_EPOCH, Writing
from highwater.traces.text import read_file
from support.kafka import KAFKA

from ..traces.golden_table import FOLDER


def before_the_fetch(name, steps, **settings):
    """The state of a golden trace before its follower fetches, under other settings."""
    trace = read_file(str(FOLDER / f"{name}.trace"))
    state = KAFKA.initial_states(KAFKA.configure(trace.revision, **{**trace.settings, **settings}))[trace.initial]
    for step in trace.steps[:steps]:
        action = KAFKA.action(step.action).version(state.config)
        assert action(state, *(value for _, value in step.arguments)), step.label
    return state


def take(state, name, *arguments):
    """Whether the action takes the step."""
    return KAFKA.action(name).version(state.config)(state, *arguments)


BELOW = ("t8_fetch_below_start.kip-320-2.8", 14)
"""Broker 0 fetches from 0, where the log of leader 1 has been deleted."""


@pytest.mark.parametrize(("below", "counted"), [("out-of-range", False), ("diverging", True)])
def test_a_fetch_that_is_out_of_range_is_not_counted(below, counted):
    state = before_the_fetch(*BELOW, diverging_fetch="counted", fetch_below_start=below)
    state.replica[0][1].fetched_to[0] = 1  # from before it cut its log
    assert take(state, "count_diverging_fetch", 0, 1, 0) == counted
    assert state.replica[0][1].fetched_to[0] == (0 if counted else 1)


@pytest.mark.parametrize(("below", "fails"), [("out-of-range", False), ("diverging", True)])
def test_such_a_fetch_starts_the_follower_anew_or_ends_its_fetcher(below, fails):
    state = before_the_fetch(*BELOW, fetch_below_start=below)
    assert take(state.copy(), "start_anew", 0, 0, 1) == (not fails)
    assert take(state, "truncate_on_divergence", 0, 0, 1) == fails
    assert state.replica[0][0].failed == fails


COUNTED = ("t7_counted_fetch.kip-320-2.8", 8)
"""Broker 1 fetches from 2 with a record that leader 0 does not have."""


def test_a_fetch_is_counted_once_and_not_while_the_leader_waits_for_the_store():
    state = before_the_fetch(*COUNTED, diverging_fetch="counted")
    assert take(state, "count_diverging_fetch", 0, 0, 1) and state.replica[0][0].hw == 2
    assert not take(state, "count_diverging_fetch", 0, 0, 1)
    waiting = {"store": "answered", "isr_write": "locked", "diverging_fetch": "counted"}
    state = KAFKA.initial_states(KAFKA.configure("kip-320-2.8", brokers=2, max_records=3, **waiting))[0]
    other = before_the_fetch(*COUNTED, diverging_fetch="counted")
    for broker in range(2):
        for name in ("log", "epoch_start", "leo", "hw", "leader", "leader_epoch", "phase", "isr", "fetched_to"):
            setattr(state.replica[0][broker], name, getattr(other.replica[0][broker].copy(), name))
    assert state.config.isr_write is IsrWriting.LOCKED and take(state.copy(), "count_diverging_fetch", 0, 0, 1)
    state.isr_write[0][0].phase = Writing.REQUESTED
    assert not take(state, "count_diverging_fetch", 0, 0, 1)


@pytest.mark.parametrize(("named", "end"), [("cache", 1), ("record", 2)])
def test_a_follower_without_an_epoch_to_name_cuts_to_its_high_watermark(named, end):
    """ReplicaManager.initialFetchOffset: with the file lost, the fetch would name no epoch, and nothing would be compared."""
    state = before_the_fetch(*COUNTED, fetch_epoch=named)
    me = state.replica[0][1]
    for epoch in range(state.config.epochs):
        me.epoch_start[epoch] = NO_EPOCH
    me.hw = 1
    begin(state, 0, 1)
    assert (me.leo, me.hw) == (end, 1)
