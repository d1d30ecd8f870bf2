"""Bounds end a search: the verdict is incomplete, says which bound, and half a level does not count."""

import gc
import itertools
import threading
from dataclasses import replace

import pytest
from highwater.explorer import budget
from highwater.explorer.budget import Bounds, resident_memory
from highwater.explorer.compiling.visited import Shard
from highwater.explorer.local.breadth_first import BreadthFirst
from highwater.explorer.local.check import check
from highwater.explorer.output.report import explanation
from highwater.explorer.request import Request
from highwater.explorer.verdict import EXIT_HOLDS, EXIT_INCOMPLETE, INCOMPLETE, VIOLATED, collision_probability
from highwater.model.language import UsageError
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import PUBLISHED
from support import toys
from support.elsewhere import python
from support.exploring import request, search_through, told

LARGE = PUBLISHED.configure("kip-320", brokers=3, log_size=2, max_records=2, max_epoch=2)


def run(bounds, config=LARGE, revision="kip-320", report=None, **options):
    """The outcome within bounds."""
    first = list(properties_of(PUBLISHED))[:3]
    return check(Request(PUBLISHED, revision, config, first, generic=True, bounds=bounds, **options), report)


INTERRUPTED = """
import numpy._core._internal as records
from highwater.explorer.compiling.compiled_for import compile_for
from highwater.explorer.request import Request
from highwater.properties.registry import PUBLISHED

def interrupted(*_):
    raise KeyboardInterrupt

records._promote_fields = interrupted
config = PUBLISHED.configure("kip-101", brokers=2, max_epoch=1)
print(len(compile_for(Request(PUBLISHED, "kip-101", config, [], generic=True), []).initial_keys()))
"""


def test_initial_states_are_told_apart_without_what_takes_an_interrupt_for_an_error(tmp_path):
    """numpy compares records in Python, and makes "cannot compare" of whatever is raised there, an interrupt too."""
    assert python(tmp_path, "-c", INTERRUPTED)[:2] == (0, "1\n")


@pytest.fixture(scope="module")
def whole():
    """The outcome without bounds."""
    return run(Bounds(), threads=2)


@pytest.mark.parametrize("depth", [1, 2, 7, 25])
def test_depth(depth, whole):
    outcome = run(Bounds(depth=depth))
    assert outcome.levels == whole.levels[:depth]
    assert (outcome.complete, outcome.stopped) == (False, f"the bound of depth {depth}")
    assert outcome.whole_levels == depth  # the last one is checked too
    assert (outcome.verdict, outcome.exit_code(), outcome.exit_code(allow_incomplete=True)) == (
        INCOMPLETE,
        EXIT_INCOMPLETE,
        EXIT_HOLDS,
    )


def test_a_depth_bound_beyond_the_end_changes_nothing(whole):
    assert told(run(Bounds(depth=27))) == told(whole)


def test_the_deepest_level_is_checked():
    """A property that is violated at depth 9 is found with a bound of 9 and not with one of 8."""
    config = PUBLISHED.configure("high-watermark", brokers=3, log_size=2, max_records=2, max_epoch=1)
    assert run(Bounds(depth=8), config, "high-watermark").verdict == INCOMPLETE
    outcome = run(Bounds(depth=9), config, "high-watermark")
    assert (outcome.verdict, min(f.depth for f in outcome.violated)) == (VIOLATED, 9)


@pytest.mark.parametrize("states", [1, 100, 50_000])
def test_states(states, whole):
    outcome = run(Bounds(states=states))
    assert outcome.levels == whole.levels[: outcome.depth]  # whole levels only
    assert (outcome.complete, outcome.stopped) == (False, f"the bound of {states:,} states")
    assert sum(whole.levels[: outcome.depth + 1]) >= states
    assert outcome.whole_levels in (outcome.depth - 1, outcome.depth)  # the newest one, where the bound was reached at its end
    assert outcome.exit_code() == EXIT_INCOMPLETE


def test_seconds(whole):
    outcome = run(Bounds(seconds=0.02))
    assert outcome.levels == whole.levels[: outcome.depth] != whole.levels
    assert outcome.stopped == "the bound of 0.02 seconds"


def test_memory(whole, monkeypatch):
    with pytest.raises(UsageError, match="reached before the first state"):
        run(Bounds(memory=resident_memory() // 2))
    # What the process holds is told by a meter of ours: this one may have freed enough to explore everything in.
    readings = itertools.count(100 << 20, 1 << 20)
    monkeypatch.setattr(budget, "resident_memory", lambda: next(readings))
    outcome = run(Bounds(memory=104 << 20))
    assert outcome.levels == whole.levels[: outcome.depth] != whole.levels
    assert outcome.stopped.startswith("the bound of ") and outcome.stopped.endswith(" MB of memory")


@pytest.mark.parametrize("options", [{}, {"exact": True}, {"threads": 2}, {"run_directory": "run"}], ids=str)
def test_a_search_that_is_left_frees_its_memory(whole, tmp_path, options):
    """At once, and not when Python next searches for garbage: the next search of a process may need it, and has bounds."""
    if "run_directory" in options:
        options = {"run_directory": str(tmp_path / "run")}
    gc.collect()
    gc.disable()
    try:
        run(Bounds(depth=8), **options)
        left = [type(one).__name__ for one in gc.get_objects() if isinstance(one, BreadthFirst | Shard)]
    finally:
        gc.enable()
    assert left == []


def test_an_interruption_ends_the_search_and_is_reported(whole):
    search = None

    def interrupt(progress):
        if progress.depth == 12:
            search.interrupt()

    properties = list(properties_of(PUBLISHED))
    search = search_through(PUBLISHED, LARGE, bounds=Bounds(depth=1))
    search = BreadthFirst(search.compiled, properties, keep_going=True)
    search.seed()
    search.run(Bounds(), interrupt)
    assert search.levels == whole.levels[:12]
    assert (search.complete, search.stopped) == (False, "an interruption")
    assert search.whole_levels >= 11


def test_an_interruption_while_bounds_are_looked_at_is_kept():
    """A signal comes between any two lines."""
    bounds = Bounds()
    search = search_through(PUBLISHED, LARGE, bounds=Bounds(depth=1))
    search = BreadthFirst(search.compiled, search.properties, keep_going=True)
    search.seed()
    bounds.reached = lambda states: search.interrupt() or ""
    search.run(bounds)
    assert (search.complete, search.stopped) == (False, "an interruption")


def test_progress_is_reported_within_and_after_each_level(whole):
    seen = []
    run(Bounds(), report=seen.append)
    assert [p.depth for p in seen] == sorted(p.depth for p in seen)
    assert {p.depth for p in seen} == set(range(1, whole.depth + 1))
    for one in seen:
        assert one.frontier == whole.levels[one.depth - 1]
        assert one.expanded <= one.frontier
        assert sum(whole.levels[: one.depth]) <= one.states <= whole.distinct_states
        assert one.bytes > 0
    last = {p.depth: p for p in seen}
    assert all(p.expanded == p.frontier for p in last.values())
    assert last[whole.depth].transitions == whole.transitions


def test_a_check_runs_in_another_thread_too(whole):
    answers = []
    thread = threading.Thread(target=lambda: answers.append(run(Bounds(depth=5))))
    thread.start()
    thread.join()
    assert answers[0].levels == whole.levels[:5]


def test_a_violation_within_a_bounded_search_outranks_the_bound():
    outcome = counters(Bounds(depth=5))
    assert outcome.verdict == VIOLATED
    assert [f.verdict for f in outcome.findings] == [INCOMPLETE, VIOLATED, INCOMPLETE, INCOMPLETE]
    assert explanation(outcome).endswith("; the bound of depth 5 ended the exploration; every level to depth 5 is complete")


def test_a_violation_that_ends_the_search_says_so():
    outcome = counters(Bounds(), keep_going=False)
    assert (outcome.stopped, outcome.whole_levels) == ("", outcome.violated[0].depth - 1)  # a step, from the last whole level
    assert explanation(outcome).endswith("; the exploration ended there")


def counters(bounds, keep_going=True):
    """The outcome of the model of counters, of whose properties one is violated."""
    return check(request(toys.COUNTERS, "only", {}, toys.COUNTER_PROPERTIES, keep_going=keep_going, bounds=bounds))


def test_the_chance_of_a_missed_state():
    assert collision_probability(0) == collision_probability(1) == 0
    assert collision_probability(2) == 2.0**-64
    assert collision_probability(3, bits=2) == 0.75
    assert collision_probability(10**6) == pytest.approx(10**12 / 2**65, rel=1e-5)
    assert collision_probability(10**12) == 1.0
    # The bound is above the exact chance, 1 - (1 - 1/n)(1 - 2/n)..., and close to it while that is small.
    exact = 1.0
    for taken in range(100):
        exact *= 1 - taken / 2**20
    assert 1 - exact <= collision_probability(100, bits=20) <= 1.01 * (1 - exact)


def test_a_notable_chance_of_a_missed_state_is_in_the_verdict(whole):
    assert "everything reachable" in explanation(whole)
    outcome = replace(whole, collision_probability=0.036)
    said = "no violation seen in fingerprints, which miss a state with a chance of at most 3.6e-02"
    assert explanation(outcome).startswith(said)
