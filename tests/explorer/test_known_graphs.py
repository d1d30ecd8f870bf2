"""Models whose graphs are known by arithmetic or from the literature, and deadlocks."""

from math import comb

import pytest
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from highwater.explorer.verdict import EXIT_DEADLOCK, EXIT_HOLDS, EXIT_NEVER, EXIT_VIOLATED, HOLDS, NEVER, VIOLATED, WITNESSED
from highwater.traces.replay import replay
from support import toys
from support.exploring import search_through, told


def run(model, revision, properties, settings=None, **options):
    """The outcome of a check with shared code."""
    return check(Request(model, revision, model.configure(revision, **(settings or {})), properties, generic=True, **options))


def polynomial_power(width, power):
    """Coefficients of (1 + x + ... + x^width)^power: how many states of the grid have each sum."""
    out = [1]
    for _ in range(power):
        out = [sum(out[n - k] for k in range(width + 1) if 0 <= n - k < len(out)) for n in range(len(out) + width)]
    return out


@pytest.mark.parametrize(("counters", "top"), [(1, 5), (2, 7), (3, 4), (5, 3), (4, 0)])
def test_a_grid(counters, top):
    search = search_through(
        toys.COUNTERS, toys.COUNTERS.configure("only", counters=counters, top=top), toys.COUNTER_PROPERTIES, keep_going=True
    )
    assert search.levels == polynomial_power(top, counters)
    assert search.transitions == 1 + counters * top * (top + 1) ** (counters - 1)


@pytest.mark.parametrize(("counters", "top"), [(2, 7), (3, 4), (5, 3)])
def test_a_grid_under_symmetry(counters, top):
    """Counters have no names then: multisets, of which the level n holds the partitions of n."""
    config = toys.COUNTERS.configure("only", counters=counters, top=top)
    search = search_through(toys.COUNTERS, config, toys.COUNTER_PROPERTIES[:1], symmetry=True, keep_going=True)
    assert search.states == comb(top + counters, counters)
    assert len(search.levels) == counters * top + 1


def test_die_hard():
    """The riddle as TLC solves it: 97 states generated, 16 distinct, six steps to four gallons."""
    outcome = run(toys.JUGS, "only", toys.JUG_PROPERTIES, keep_going=True)
    assert (outcome.transitions, outcome.distinct_states) == (97, 16)
    (finding,) = outcome.findings
    assert (finding.verdict, finding.depth, len(finding.trace.steps)) == (VIOLATED, 7, 6)
    replayed = replay(finding.trace, toys.JUGS, toys.JUG_PROPERTIES)
    assert replayed.mismatch == "" and replayed.broken == {"not_four_gallons": 6}
    assert replayed.states[-1].in_big == 4
    assert outcome.exit_code() == EXIT_VIOLATED


def test_new_states_are_those_that_are_counted_where_a_violation_ends_the_run():
    """The states of a level that is not finished are dropped, and were counted all the same."""
    outcome = run(toys.LOCK, "rude", toys.LOCK_PROPERTIES)
    assert outcome.verdict == VIOLATED and not outcome.complete
    assert outcome.levels[0] + sum(action.new_states for action in outcome.actions) == outcome.distinct_states == 30


def test_peterson_excludes():
    outcome = run(toys.LOCK, "peterson", toys.LOCK_PROPERTIES, deadlock=True)
    assert [f.verdict for f in outcome.findings] == [HOLDS, WITNESSED]
    assert (outcome.verdict, outcome.complete, outcome.deadlock, outcome.exit_code()) == (HOLDS, True, None, EXIT_HOLDS)


def test_without_the_turn_both_get_in():
    """The shortest way: each raises its flag, gives way and enters."""
    outcome = run(toys.LOCK, "rude", toys.LOCK_PROPERTIES)
    (broken,) = outcome.violated
    assert broken.depth == 7
    assert sorted(step.action for step in broken.trace.steps) == sorted(["raise_flag", "give_way", "enter"] * 2)


def test_deadlock_is_found_where_it_is():
    outcome = run(toys.COUNTERS, "only", [], {"counters": 3, "top": 3}, deadlock=True)
    assert outcome.deadlock.depth == 10
    assert outcome.exit_code() == EXIT_DEADLOCK
    replayed = replay(outcome.deadlock.trace, toys.COUNTERS)
    assert replayed.mismatch == "" and len(replayed.states) == 10
    assert list(toys.COUNTERS.enabled(replayed.states[-1])) == []


def test_deadlock_is_no_matter_unless_asked_for():
    outcome = run(toys.COUNTERS, "only", [], {"counters": 3, "top": 3})
    assert outcome.complete and outcome.deadlock is None
    outcome = run(toys.COUNTERS, "only", toys.COUNTER_PROPERTIES[2:3], {"counters": 3, "top": 3})
    assert (outcome.deadlock, outcome.verdict, outcome.exit_code()) == (None, HOLDS, EXIT_HOLDS)


def test_what_is_never_witnessed_is_said():
    outcome = run(toys.COUNTERS, "only", toys.COUNTER_PROPERTIES[2:], {"counters": 2, "top": 2})
    assert [f.verdict for f in outcome.findings] == [WITNESSED, NEVER]
    assert outcome.exit_code() == EXIT_NEVER


def test_the_first_violation_ends_the_search_unless_told_otherwise():
    first = run(toys.COUNTERS, "only", toys.COUNTER_PROPERTIES)
    assert [f.property.name for f in first.violated] == ["no_step_to_two"]
    assert (first.complete, first.stopped, first.depth) == (False, "", 2)
    both = run(toys.COUNTERS, "only", toys.COUNTER_PROPERTIES, keep_going=True)
    assert {f.property.name: f.depth for f in both.violated} == {"sum_below_seven": 8, "no_step_to_two": 3}
    assert both.complete


def test_runs_are_repeatable():
    assert told(run(toys.LOCK, "rude", toys.LOCK_PROPERTIES)) == told(run(toys.LOCK, "rude", toys.LOCK_PROPERTIES))
