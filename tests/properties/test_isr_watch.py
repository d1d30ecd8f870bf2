"""M4: during a reassignment the controller waits for a watch on leaderAndISR, it does not see all at once (ZH, listener 7)."""

import pytest
from highwater.model.controller import reassignment
from highwater.model.vocabulary import Moving
from highwater.properties.registry import KAFKA
from support.kafka import outcome, safety, tiny, unkept, violated, witnessed
from support.mutants import in_place_of

WATCH = {"replicas": 1, "reassignments": 1, "isr_watch": 1}


def stuck(plain=False, **settings):
    """Which promises about reassignments are not kept."""
    config = tiny(**{**WATCH, "max_epoch": 2, **settings})
    return unkept(config, "reassignment_ends", "reassignment_can_end", plain=plain)


@pytest.mark.parametrize(
    "settings",
    [{}, pytest.param({"controller_changes": 1, "max_epoch": 1}, marks=pytest.mark.long)],
    ids=["alone", "a new controller"],
)
def test_m4_no_change_is_missed(settings):
    """A watch is set by the look, so what comes after fires it; a new controller looks first (D.7)."""
    assert stuck(**settings) == set()


@pytest.mark.parametrize(
    ("revision", "more"),
    [
        ("kip-320", {"session_expiries": 1, "max_epoch": 2}),
        ("kip-320", {"controller_changes": 1}),
        ("high-watermark", {"session_expiries": 1}),
    ],
    ids=["an expired session", "a new controller", "high-watermark"],
)
def test_m4_looking_at_any_time_violates_nothing_more(revision, more):
    """Without the watch the controller may look whenever it likes: more states, the same verdicts, after as many steps."""
    watched, any_time = (outcome(tiny(revision, **{**WATCH, **more, "isr_watch": watch}), revision) for watch in (1, 0))
    assert safety(violated(watched)) == safety(violated(any_time))
    assert witnessed(watched) == witnessed(any_time)


def looks_no_more(s, controller, partition, start=reassignment.start_new_replicas):
    """The watch is set when the new replicas are told, without a look at what the ISR is then."""
    started = start(s, controller, partition)
    if started:
        s.controller[controller].isr_read[partition] = s.zookeeper.leader_and_isr[partition].version
    return started


@pytest.mark.long
def test_m4_a_watch_that_is_set_after_the_look_misses_what_came_between():
    """Were the watch set when the new replicas are told, without a first look, an ISR that has them already would not be seen."""
    with in_place_of(KAFKA, {reassignment.start_new_replicas: looks_no_more}):
        assert "reassignment_ends" in stuck(plain=True, controller_changes=1, max_epoch=1)


def looks_once(s, controller, partition, look=reassignment.look_at_isr):
    """A controller that has looked in vain forgets the reassignment."""
    looked = look(s, controller, partition)
    if looked:
        s.controller[controller].moving[partition] = Moving.NOT_MOVING
    return looked


def test_m4_it_must_look_again():
    """A controller that looks once and finds too few members does not hear when the last one has caught up."""
    with in_place_of(KAFKA, {reassignment.look_at_isr: looks_once}):
        assert stuck(plain=True) == {"reassignment_ends", "reassignment_can_end"}
