"""Code that several configurations share finds what the code of each alone finds."""

import pytest
from highwater.explorer.compiling.compiled_for import compile_for
from highwater.explorer.compiling.shared import Shared, laid_out_alike
from highwater.explorer.local.check import check
from highwater.explorer.plain.explore import explore_plain
from highwater.explorer.request import Request
from highwater.model.language import MEMBERS, Model, Settings, State, integer, many, member, no_asymmetry, size
from highwater.model.language.machine_code.processor import has_lanes, way
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import KAFKA, PUBLISHED
from support import toys
from support.exploring import told


def configs_of(model, **settings):
    """A configuration for each revision."""
    return {revision: model.configure(revision, **settings) for revision in model.revisions}


def test_configurations_share_code_whose_states_are_the_same_bytes():
    releases = configs_of(KAFKA)
    assert sorted(map(len, laid_out_alike(KAFKA, list(releases.values())))) == [1, len(releases) - 1]  # v3 has two brokers
    wide = [toys.COUNTERS.configure("only", top=top) for top in (1, 3)]
    assert [[c.top for c in group] for group in laid_out_alike(toys.COUNTERS, wide)] == [[1, 3]]


def test_what_is_known_is_what_is_the_same():
    known = Shared([toys.COUNTERS.configure("only", top=top, counters=2) for top in (1, 3)])
    assert known.counters == 2 and not hasattr(known, "top")


class Sizes(Settings):
    """Some of what is declared is not there, or is smaller, or is not done."""

    members = size(2, 1, 4, "counters")
    top = size(2, 0, 9, "where a counter stops")
    places = size(1, 0, 2, "where the last counter is noted")
    noting = size(0, 0, 1, "whether that is done")


class Counting(State):
    """Counters, and which was the last."""

    count = many(integer(0, "top", "how far it has come"), MEMBERS, "by counter")
    last = many(member("the last counter"), "places", "by place")


def count_on(s, counter):
    """A counter goes one further, which is noted."""
    if s.count[counter] >= s.config.top:
        return False
    s.count[counter] += 1
    for place in range(s.config.places):
        if s.config.noting:
            s.last[place] = counter
    return True


COUNTING = Model(
    state=Counting, config=Sizes, actions=[count_on], capacities={"small": {MEMBERS: 4, "places": 1}},
    domains={"counter": MEMBERS}, asymmetry=no_asymmetry,
)  # fmt: skip


def test_lanes_read_settings_and_keys_have_room_for_each_configuration():
    ways = [{"top": 1, "noting": 1}, {"top": 5}, {"top": 2, "places": 0}, {"top": 7, "noting": 1}]
    configs = [COUNTING.configure("only", **settings) for settings in ways]
    assert laid_out_alike(COUNTING, configs) == [tuple(configs)]
    for config in configs:
        request = Request(COUNTING, "only", config, [], keep_going=True, shared=tuple(configs))
        compiled = compile_for(request, [])
        assert compiled.lanes is (has_lanes() and way().lanes > 0) and compiled.state_bits == 3 + 3 + 2
        found, plain = check(request), explore_plain(COUNTING, config, [])
        assert (found.levels, found.transitions) == (plain.levels, plain.transitions)


@pytest.mark.parametrize(("model", "settings"), [(PUBLISHED, {"brokers": 2, "log_size": 2, "max_epoch": 2})])
def test_the_same_is_found_as_with_the_code_of_each(model, settings):
    configs = configs_of(model, **settings)
    shared = tuple(configs.values())
    for revision, config in configs.items():
        request = Request(model, revision, config, list(properties_of(model)), keep_going=True, shared=shared)
        alone = Request(model, revision, config, list(properties_of(model)), keep_going=True, generic=True)
        assert told(check(request)) == told(check(alone)), revision
