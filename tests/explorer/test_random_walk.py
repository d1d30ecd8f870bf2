"""Random walks: a seed is a walk, and what a walk breaks is shrunk to a locally shortest trace."""

from itertools import pairwise

import highwater
import pytest
from highwater.explorer.compiling.walker import Walker, spread
from highwater.explorer.local.random_walk import ROUND, walk_from, walk_randomly
from highwater.model.language import Model, State, integer
from highwater.properties.catalogue import properties_of
from highwater.properties.property import sometimes
from highwater.properties.registry import PUBLISHED
from highwater.traces.replay import replay
from support import toys
from support.exploring import compile_generic, is_locally_shortest

CONFIG = PUBLISHED.configure("high-watermark", brokers=3, log_size=3, max_records=3, max_epoch=3)
ISR = [p for p in properties_of(PUBLISHED) if p.name in ("weak_isr", "strong_isr")]


def walks(properties=ISR, model=PUBLISHED, config=CONFIG, revision="high-watermark", **options):
    """What random walks saw."""
    return walk_randomly(compile_generic(model, config), properties, revision, **{"length": 60, "seed": 1, **options})


def walked(walker, seed):
    """The initial state's number and the codes of a seed's walk."""
    assert walk_from(walker, seed) == walker.length
    return walker.start, tuple(walker.codes[: walker.length].tolist())


def test_the_same_seed_is_the_same_walk():
    compiled = compile_generic(PUBLISHED, CONFIG)
    one, other = Walker(compiled, [], 50), Walker(compiled, [], 50)
    first = [walked(one, seed) for seed in range(20)]
    assert first == [walked(other, seed) for seed in range(20)]
    assert walked(one, 7) == first[7]  # whatever was walked before
    assert len({codes for _, codes in first}) == 20


@pytest.mark.parametrize("seed", range(10))
def test_every_step_of_a_walk_is_one_of_the_plain_model(seed):
    compiled = compile_generic(PUBLISHED, CONFIG)
    first, codes = walked(Walker(compiled, [], 50), seed)
    state = PUBLISHED.initial_states(CONFIG)[first]
    for code in codes:
        action, arguments = compiled.decode(code)
        assert action.version(CONFIG)(state, *arguments), action.label(arguments)
    assert len(codes) == 50 or list(PUBLISHED.enabled(state)) == []


def test_a_walk_can_be_followed_step_by_step_and_left_out_actions_are_not_taken():
    compiled = compile_generic(PUBLISHED, CONFIG)
    walker, other = Walker(compiled, [], 50), Walker(compiled, [], 50)
    _, codes = walked(walker, 3)
    here = other.mark()
    assert other.follow(codes) == len(codes)
    assert (other.scratch.rows[0] == walker.scratch.rows[0]).all()
    other.back(here)
    assert other.length == 0 and other.follow(codes[:5]) == 5
    assert other.follow([codes[0], 10**6]) < 2 and other.length < 7
    writes = [a.name for a in PUBLISHED.actions].index("leader_write")
    base = compiled.base.copy()
    base[writes] = -1
    walker.begin(0)
    assert walker.walk(50, spread(3), base) > 0
    assert all(compiled.decode(int(code))[0].name != "leader_write" for code in walker.codes[: walker.length])


def test_what_a_walk_breaks_is_shrunk_to_a_locally_shortest_trace():
    seen = walks(walks=5000, keep_going=True)
    assert set(seen.broken) == {"weak_isr", "strong_isr"}
    for row in ISR:
        trace = seen.broken[row.name]
        replayed = replay(trace, PUBLISHED, [row])
        assert replayed.mismatch == "" and replayed.broken == {row.name: len(trace.steps)}
        assert is_locally_shortest(trace, PUBLISHED, row)


def test_a_run_of_walks_is_repeatable_on_any_number_of_threads():
    one, two = walks(walks=2000, keep_going=True), walks(walks=2000, keep_going=True, threads=2)
    again = walks(walks=2000, keep_going=True)
    for other in (again, two):
        assert (one.walks, one.steps, one.broken, one.seeds) == (other.walks, other.steps, other.broken, other.seeds)


def test_what_is_violated_early_does_not_hide_what_is_violated_later():
    """Every walk to a sum of seven takes a counter from one to two before."""
    config = toys.COUNTERS.configure("only", counters=2, top=4)
    for rounds, found in ((1, {"no_step_to_two": 2}), (2, {"no_step_to_two": 2, "sum_below_seven": 7})):
        seen = walks(toys.COUNTER_PROPERTIES, toys.COUNTERS, config, "only", walks=rounds * ROUND, keep_going=True, threads=2)
        assert {name: len(trace.steps) for name, trace in seen.broken.items()} == found


def test_what_every_walk_violates_does_not_hide_what_can_happen_beyond():
    """All is violated after one round: what is hoped for is looked for until the bound."""
    config = toys.COUNTERS.configure("only", counters=2, top=4)
    some = [one for one in toys.COUNTER_PROPERTIES if one.name in ("no_step_to_two", "all_at_top")]
    seen = walks(some, toys.COUNTERS, config, "only", walks=20 * ROUND, keep_going=True)
    assert set(seen.broken) == {"no_step_to_two"} and seen.witnessed == {"all_at_top"} and seen.walks < 20 * ROUND


def test_another_seed_is_another_run():
    assert walks(walks=100, properties=[]).steps != walks(walks=100, properties=[], seed=1000).steps


def test_the_first_violation_ends_the_walks_and_its_seed_repeats_it():
    seen = walks(walks=5000)
    ((name, seed), *_) = seen.seeds.items()
    compiled = compile_generic(PUBLISHED, CONFIG)
    walker = Walker(compiled, ISR, 60)
    walk_from(walker, seed)
    assert name in [one.name for one in walker.violated]
    assert seen.walks < 5000


def test_walks_break_nothing_where_nothing_falls():
    config = PUBLISHED.configure("kip-320", brokers=3, log_size=3, max_records=3, max_epoch=3)
    seen = walks(config=config, revision="kip-320", walks=1000)
    assert (seen.broken, seen.walks) == ({}, 1000)


def test_walks_witness_and_count():
    config = PUBLISHED.configure("kip-320", brokers=2, max_epoch=3)
    seen = walks(list(properties_of(PUBLISHED)), config=config, revision="kip-320", walks=500, keep_going=True)
    assert {"commits_record", "truncates_log"} <= seen.witnessed
    counts = {a.name: a for a in seen.actions}
    assert all(a.enabled <= a.taken for a in counts.values())
    assert counts["leader_write"].taken > 0 and "follower_truncate" not in counts


def test_walks_end_where_no_step_is_possible():
    config = toys.COUNTERS.configure("only", counters=2, top=3)
    seen = walks([], toys.COUNTERS, config, "only", walks=10, seed=3)
    assert (seen.walks, seen.steps) == (10, 60)


class Line(State):
    """A line."""

    at = integer(0, 9, "how far")


def go_on(s):
    """A step along it."""
    if s.at == 9:
        return False
    s.at += 1
    return True


def is_near(s):
    """Near."""
    return s.at < 2


def test_walks_end_outside_the_constraint():
    """What counts the states outside is no step."""
    model = Model(state=Line, actions=[go_on], constraint=is_near, properties=[sometimes(is_near)])
    seen = highwater.walk(model, walks=3, length=50, threads=1).outcome
    assert seen.steps == 3 * 2 and [(one.name, one.taken) for one in seen.actions] == [("go_on", 6)]


def test_a_bound_on_seconds_ends_the_walks():
    seen = walks([], seconds=0.05)
    assert seen.walks > 0 and seen.seconds < 5


def test_seeds_that_are_neighbours_begin_far_apart():
    starts = [int(spread(seed)) for seed in range(1000)]
    assert len(set(starts)) == 1000 and 0 not in starts
    assert all(12 < (a ^ b).bit_count() < 52 for a, b in pairwise(starts))
