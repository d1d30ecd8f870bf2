"""What the settings switch off is never enabled, and at small sizes nothing else is: the report has no action to wonder about."""

import pytest
from highwater.explorer.compiling.generate import switched_on
from highwater.explorer.plain.breadth_first import breadth_first
from support.kafka import KAFKA, tiny

SIZES = {
    "no fault": {},
    "a session": {"session_expiries": 1},
    "an election": {"preferred_elections": 1},
    "a crash": {"crashes": 1, "max_epoch": 0},
    "another controller": {"controller_changes": 1, "max_epoch": 0, "session_expiries": 1},
    "created": {"start": "empty", "max_epoch": 0, "topic_deletions": 1},
}
IDLE = {
    "no fault": {"expand_isr"},
    "a session": {"take_offline_but_one", "cut_to_leader_end"},
    "an election": {"expand_isr", "cut_to_leader_end"},
    "a crash": {"notice_session_expiry", "expand_isr", "cut_to_leader_end"},
    "another controller": {"become_follower", "become_leader", "truncate_to_answer", "answer_epoch_request", "cut_to_leader_end"},
    "created": {"see_broker_change", "truncate_to_answer", "answer_epoch_request", "expand_isr"},
}
"""What these sizes are too small for: with one leader epoch nobody is elected twice; a lost answer needs who lags;
a fetch from beyond the leader's end, who leads with less."""


def taken(config):
    return {action.name for _, _, action, _, _ in breadth_first(KAFKA, config) if action is not None}


def existing(config):
    """The actions that are not ruled out by their own guards."""
    return {a.name for a, on in zip(KAFKA.actions, switched_on(KAFKA, config), strict=True) if on}


@pytest.mark.parametrize("size", SIZES)
def test_the_table_and_the_guards_leave_out_exactly_what_is_never_enabled(size):
    config = tiny(**SIZES[size])
    off, seen = KAFKA.unreachable(config), taken(config)
    assert off & seen == set()
    assert existing(config) - off - seen == IDLE.get(size, set())


def test_every_name_is_an_action():
    assert set(KAFKA.possible) <= {action.name for action in KAFKA.actions}
