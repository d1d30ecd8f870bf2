"""The family `kraft` (KR1, KR2, KR3, KR4, KR5, KR6): what its rules do, and the engines that judge each other on it."""

from collections import Counter
from itertools import permutations

import pytest
from highwater.model.kraft.next import KRAFT
from highwater.model.language import UsageError, cells
from support.exploring import depth_of_states, reachable, search_through
from support.kafka import renamed_cells

TINY = {"brokers": 2, "log_size": 1, "max_records": 1, "max_epoch": 1}


def play(script, revision="4.4", **settings):
    """The state after these steps, from a partition whose leader is broker 1; what a line leaves out is 0."""
    state = KRAFT.initial_states(KRAFT.configure(revision, **settings))[-1]
    for line in filter(None, map(str.strip, script.splitlines())):
        name, *given = line.split()
        named = {key: int(value) for key, value in (word.split("=") for word in given)}
        action = KRAFT.action(name)
        assert set(named) <= set(action.parameters), line
        assert action.version(state.config)(state, *(named.get(p, 0) for p in action.parameters)), f"{line} is not enabled"
        KRAFT.normal_form(state)
    return state


CASES = [TINY, {**TINY, "crashes": 1, "preferred_elections": 0}]


@pytest.mark.parametrize("settings", CASES, ids=str)
def test_the_plain_model_and_the_compiled_one_reach_the_same_states(settings):
    config = KRAFT.configure("4.4", **settings)
    plain = {cells(state): depth for depth, state in reachable(KRAFT, config)}
    search = search_through(KRAFT, config, exact=True, keep_going=True)
    assert depth_of_states(search) == plain


def test_one_state_of_those_that_differ_in_names_is_explored():
    config = KRAFT.configure("4.4", **TINY)
    sizes, orbits, like = Counter(), set(), KRAFT.state(config)
    for depth, state in reachable(KRAFT, config):
        one = min(renamed_cells(like, cells(state), new) for new in permutations(range(config.members)))
        sizes[depth] += one not in orbits
        orbits.add(one)
    search = search_through(KRAFT, config, symmetry=True, exact=True, keep_going=True)
    assert search.levels == [size for _, size in sorted(sizes.items()) if size]


ELECTED_TWICE = """
    produce leader=1
    fetch follower=2 leader=1
    fetch follower=2 leader=1
    elect_preferred
    apply_metadata broker=2
    apply_metadata broker=0
    truncate_on_divergence follower=2 leader=0
    fence broker=0 other=1
"""


@pytest.mark.parametrize(("lead_again", "known", "hw"), [("keeps-ends", 1, 1), ("new-replicas", 0, 0)])
def test_two_changes_at_once_are_one_delta(lead_again, known, hw):
    me = play(f"{ELECTED_TWICE} apply_metadata broker=1 change=1", lead_again=lead_again).replica[0][1]
    assert (me.leader, me.leader_epoch, me.fetched_to[2], me.hw) == (1, 2, known, hw)


def test_of_two_changes_one_by_one_each_is_seen():
    me = play(f"{ELECTED_TWICE} apply_metadata broker=1\napply_metadata broker=1").replica[0][1]
    assert (me.leader, me.leader_epoch, me.fetched_to[2], me.hw) == (1, 2, 0, 0)


def test_what_only_zookeeper_has_is_no_setting():
    with pytest.raises(UsageError, match="there is no setting 'session_expiries'"):
        KRAFT.configure("4.4", session_expiries=1)
