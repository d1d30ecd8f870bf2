"""The compiled search sees what the plain one sees: states by level, transitions by action, first depths."""

from collections import Counter

import networkx
import pytest
from highwater.explorer.compiling.compiled import Compiled
from highwater.explorer.local.check import check
from highwater.explorer.plain.breadth_first import breadth_first
from highwater.explorer.plain.explore import explore_plain
from highwater.explorer.search import action_counts
from highwater.model.language import cells
from highwater.properties.catalogue import properties_of
from highwater.properties.property import sometimes
from highwater.properties.registry import KAFKA, PUBLISHED
from support import toys
from support.cases import CASES, TINY, name_of
from support.exploring import depth_of_states, finished, request, search_through, told
from support.toys import no_step_to_two

TOYS = [
    (toys.COUNTERS, "only", {"counters": 3, "top": 4}, toys.COUNTER_PROPERTIES),
    (toys.COUNTERS, "only", {"counters": 1, "top": 100}, toys.COUNTER_PROPERTIES),
    (toys.JUGS, "only", {}, toys.JUG_PROPERTIES),
    (toys.JUGS, "only", {"small": 7, "big": 9}, toys.JUG_PROPERTIES),
    (toys.LOCK, "peterson", {}, toys.LOCK_PROPERTIES),
    (toys.LOCK, "rude", {}, toys.LOCK_PROPERTIES),
]
LARGEST = pytest.param(*CASES[0], (), marks=pytest.mark.long)  # plain Python takes half a minute
ALL = [LARGEST, (KAFKA, "high-watermark", TINY, ()), *((*case, ()) for case in CASES[1:]), *TOYS]


@pytest.mark.parametrize(("model", "revision", "settings", "properties"), ALL, ids=name_of)
def test_same_states_steps_and_depths(model, revision, settings, properties):
    config = model.configure(revision, **settings)
    claims = [p for p in properties_of(model) or properties if p.applies(config)]
    plain = explore_plain(model, config, claims)
    search = search_through(model, config, properties, exact=True, keep_going=True)
    assert search.complete
    assert search.levels == plain.levels
    assert depth_of_states(search) == plain.depth_of
    assert search.transitions == plain.transitions
    assert {a.name: a.taken for a in action_counts(search.compiled, search.counts()) if a.taken} == dict(plain.taken)
    assert {name: found.depth for name, found in search.found.items()} == plain.found
    assert search.counts().new.sum() == plain.states - plain.levels[0]


def takes_one_to_two(s, t):
    """A step takes a counter from one to two."""
    return not no_step_to_two(s, t)


@pytest.mark.parametrize("one", [*toys.COUNTER_PROPERTIES[:3], sometimes(takes_one_to_two, "only")], ids=lambda one: one.name)
def test_a_property_that_is_alone_in_its_code(one):
    """What code for one configuration does not need is left out, such as checks of steps: never what this property needs."""
    config = toys.COUNTERS.configure("only", counters=3, top=4)
    plain = explore_plain(toys.COUNTERS, config, [one])
    search = finished(Compiled(toys.COUNTERS, config, [one]), [one], keep_going=True)
    assert {name: found.depth for name, found in search.found.items()} == plain.found and one.name in plain.found
    assert (search.levels, search.transitions) == (plain.levels, plain.transitions)


@pytest.mark.parametrize(("model", "revision", "settings"), [CASES[4], CASES[-5], (toys.LOCK, "rude", {})], ids=name_of)
def test_networkx_agrees_on_reachability_and_shortest_paths(model, revision, settings):
    """A graph of all steps, built from the plain model, and walked by networkx instead of by us."""
    config = model.configure(revision, **settings)
    normalise = model.normal_form or (lambda state: None)
    graph, todo = networkx.DiGraph(), []
    for state in model.initial_states(config):
        normalise(state)
        graph.add_edge("start", cells(state))
        todo.append(state)
    steps, tried = 0, model.steps(config)
    while todo:
        state = todo.pop()  # depth first, so that our breadth-first order plays no part
        for _, _, after in model.enabled(state, tried):
            steps += 1
            normalise(after)
            if cells(after) not in graph:
                todo.append(after)
            graph.add_edge(cells(state), cells(after))
    search = search_through(model, config, toys.LOCK_PROPERTIES, exact=True, keep_going=True)
    assert set(depth_of_states(search)) == networkx.descendants(graph, "start")
    lengths = networkx.single_source_shortest_path_length(graph, "start")
    assert depth_of_states(search) == {key: length for key, length in lengths.items() if key != "start"}
    assert search.transitions == steps + search.levels[0]


def test_how_often_an_action_is_enabled():
    config = PUBLISHED.configure("kip-101", brokers=2, max_epoch=1)
    enabled, once = Counter(), set()
    for _, before, action, _, _ in breadth_first(PUBLISHED, config):
        if action is not None and (cells(before), action.name) not in once:
            once.add((cells(before), action.name))
            enabled[action.name] += 1
    outcome = check(request(PUBLISHED, "kip-101", {"brokers": 2, "max_epoch": 1}, []))
    assert {a.name: a.enabled for a in outcome.actions} == dict(enabled)
    assert all(a.enabled <= a.taken for a in outcome.actions)


def test_an_action_that_never_fires_is_seen():
    outcome = check(request(PUBLISHED, "kip-320", {"brokers": 1, "max_epoch": 0}, []))
    counts = {a.name: (a.enabled, a.taken, a.new_states) for a in outcome.actions}
    assert counts["follower_fetch"] == (0, 0, 0)
    assert counts["leader_write"][1] > 0
    assert "follower_truncate" not in counts  # the revision has none


@pytest.mark.parametrize(("model", "revision", "settings"), [CASES[0], CASES[-6], CASES[-2]], ids=name_of)
def test_exact_and_fingerprint_mode(model, revision, settings):
    by_key, by_fingerprint = (check(request(model, revision, settings, exact=exact)) for exact in (True, False))
    assert told(by_key) == told(by_fingerprint)
    assert by_key.collision_probability == 0.0 < by_fingerprint.collision_probability


THREADED = [
    (PUBLISHED, "kip-101", {"brokers": 3, "log_size": 2, "max_records": 2, "max_epoch": 2}, False),
    (PUBLISHED, "kip-101", {"brokers": 3, "log_size": 2, "max_records": 2, "max_epoch": 2}, True),
    (KAFKA, "kip-101", {**TINY, "log_size": 2, "max_records": 2, "crashes": 1}, False),
]


@pytest.mark.parametrize(("model", "revision", "settings", "symmetry"), THREADED, ids=name_of)
def test_nothing_depends_on_the_number_of_threads(model, revision, settings, symmetry):
    one, two, five = (told(check(request(model, revision, settings, symmetry=symmetry, threads=n))) for n in (1, 2, 5))
    assert one == two == five
