"""A broker gives a request of the controller up half-way (N8, KAFKA-9769)."""

import pytest
from highwater.properties.registry import KAFKA
from support.kafka import explored, of_release, safety, unkept
from support.mutants import without
from support.play import play, refused

FAILS = {"session_expiries": 1, "max_epoch": 2, "failed_commands": 1}
JOINS = {"follower_joins", "follower_can_join"}


@pytest.mark.parametrize(
    ("release", "had_it"), [("0.9.0.0", 1), ("1.1.1", 1), ("2.1.1", 1), ("2.6.3", 1), ("2.7.0", 0), ("2.8.1", 0)]
)
def test_n8_up_to_2_6_a_broker_remembers_an_epoch_in_which_it_does_nothing(release, had_it):
    assert unkept(of_release(release, **FAILS), *JOINS) == (JOINS if had_it else set())


@pytest.mark.parametrize("revision", ["high-watermark", "kip-279-2.0.1", "kip-320"])
def test_n8_no_other_property_falls(revision):
    assert safety(explored(revision, **FAILS)) == safety(explored(revision, **{**FAILS, "failed_commands": 0}))


TOLD = """
    expire_session broker=0
    see_broker_change
    elect_leader broker=1
    become_leader broker=1 epoch=1
    notice_session_expiry broker=0
    see_broker_change
    remember_command broker=0 epoch=1
"""


def test_n8_the_command_is_not_obeyed_again_and_the_next_one_is():
    state = play("high-watermark", TOLD, **FAILS)
    me = state.replica[0][0]
    assert (me.leader, me.leader_epoch, me.phase) == (1, 1, 0)
    assert not [a.label(x) for a, x, _ in KAFKA.enabled(state) if a.name in ("become_follower", "remember_command")]


@pytest.mark.parametrize("settings", [{"failed_commands": 0}, {"failed_command": "skipped"}])
def test_n8_only_within_the_budget_and_only_where_all_are_given_up(settings):
    assert refused("high-watermark", TOLD, **{**FAILS, **settings})


def test_n8_a_fetcher_that_stays_goes_on():
    """A follower that is told of the next epoch of its leader keeps its fetcher, up to 2.0."""
    same = TOLD.translate(str.maketrans("01", "10")).replace("epoch=0", "epoch=1")
    assert refused("high-watermark", same, **FAILS)
    with without(
        KAFKA, "failed_command.remember_command: keeps_fetching(s, s.replica[partition][broker], command.leader, epoch)"
    ):
        play("high-watermark", same, **FAILS)
