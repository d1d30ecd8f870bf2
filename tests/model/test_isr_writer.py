"""Who writes a leader's ISR: the leader, within its session; or, since KIP-497, the controller, for whom it knows as live."""

import pytest
from highwater.model.language import cells
from highwater.model.vocabulary import Writing
from support.kafka import KAFKA, outcome, safety, states_of, tiny, violated, witnessed


def behind(writer, **settings):
    """Broker 0 leads, and follower 1 lags behind it: it may leave the ISR."""
    state = KAFKA.initial_states(tiny("kip-320-2.8", isr_writer=writer, session_expiries=1, **settings))[0]
    assert take(state, "produce", 0, 0, 0)
    return state


def take(state, name, *arguments):
    """Whether the action takes the step."""
    return KAFKA.action(name).version(state.config)(state, *arguments)


def can_shrink(state):
    """Whether leader 0 can remove follower 1."""
    return take(state.copy(), "shrink_isr", 0, 0, 1)


def test_a_leader_whose_session_ended_changes_the_isr_until_a_controller_sees_it():
    for writer, can in (("leader", False), ("controller", True)):
        state = behind(writer)
        assert take(state, "expire_session", 0) and can_shrink(state) == can
        assert take(state, "see_broker_change", 0) and not can_shrink(state)


def test_a_broker_that_registered_anew_is_heard_when_a_controller_has_seen_it():
    """AlterIsr names the broker epoch: an unknown one is stale, an old one too. Without broker epochs none is named."""
    for writer, can in (("leader", True), ("controller", False)):
        state = behind(writer)
        assert take(state, "expire_session", 0) and take(state, "notice_session_expiry", 0) and can_shrink(state) == can
    state = behind("controller", broker_epochs=0)
    assert take(state, "expire_session", 0) and take(state, "notice_session_expiry", 0) and can_shrink(state)


def test_without_a_controller_in_office_nobody_writes():
    for writer, can in (("leader", True), ("controller", False)):
        state = behind(writer, controller_changes=1)
        host = state.controller[0].host
        assert can_shrink(state)
        assert take(state, "expire_session", host)
        assert can_shrink(state) == (can and host != 0)


def test_who_is_not_heard_asks_again():
    """STALE_BROKER_EPOCH is about the whole request, and the leader repeats that; a stale version is about the partition."""
    for writer, phase in (("leader", Writing.REFUSED), ("controller", Writing.REQUESTED)):
        state = behind(writer, store="answered")
        write = state.isr_write[0][0]
        assert take(state, "shrink_isr", 0, 0, 1) and take(state, "expire_session", 0) and take(state, "see_broker_change", 0)
        assert take(state, "write_isr", 0, 0) == (phase is Writing.REFUSED) and write.phase == phase
    state = behind("controller", store="answered")
    write = state.isr_write[0][0]
    assert take(state, "shrink_isr", 0, 0, 1)
    state.zookeeper.leader_and_isr[0].version += 1
    assert take(state, "write_isr", 0, 0) and write.phase is Writing.REFUSED


def without_earlier_requests(state):
    """A leader that writes by itself has none."""
    for writes in state.isr_write:
        for write in writes:
            write.earlier = 0
    return state


NOTHING_NEW = {
    "a session": {"session_expiries": 1, "max_records": 2, "log_size": 2},
    "two sessions and a preferred leader": {"session_expiries": 2, "preferred_elections": 1},
    "a crash": {"session_expiries": 1, "crashes": 1},
    "answered": {"store": "answered", "session_expiries": 1, "preferred_elections": 1},
    "a new controller": {"session_expiries": 1, "controller_changes": 1},
}
NEWS = ("answered", "a new controller")


@pytest.mark.parametrize("name", NOTHING_NEW)
def test_nothing_is_reached_that_a_leader_does_not_reach_by_itself(name):
    """A session whose end no controller has seen might as well end later; so where a leader cannot write, the controller can.

    A fetch that is counted while a request of an earlier epoch is on its way, or no controller is in office, admits nobody, where
    a leader that writes would: states are new, but no property is violated for it.
    """
    leader, controller = (tiny("kip-320-2.8", **NOTHING_NEW[name], isr_writer=writer) for writer in ("leader", "controller"))
    known = set(map(cells, states_of(leader)))
    new = [state for state in map(without_earlier_requests, states_of(controller)) if cells(state) not in known]
    assert all(state.replica[0][b].isr != 0b11 for state in new for b in (0, 1)) and bool(new) == (name in NEWS)
    first, second = outcome(leader, "kip-320-2.8"), outcome(controller, "kip-320-2.8")
    assert second.transitions < first.transitions or name == "a new controller"
    assert safety(violated(first)) == safety(violated(second)) and witnessed(first) == witnessed(second)
