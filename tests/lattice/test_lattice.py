"""The smallest sets of repairs: the pruned search against the whole lattice, on a toy with known sets and on the Kafka model."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from highwater.explorer.lattice.points import Points
from highwater.explorer.lattice.relevance import relevant
from highwater.explorer.lattice.search import LatticeSearch, PointVerdict
from highwater.explorer.lattice.transferred import violated_at
from highwater.explorer.local.check import check
from highwater.explorer.plain.explore import explore_plain
from highwater.explorer.request import Request
from highwater.explorer.verdict import NOT_APPLICABLE
from highwater.model.language import UsageError
from highwater.model.language.repairs import base_of, chains
from highwater.properties.catalogue import properties_of
from highwater.properties.property import quantified
from highwater.properties.registry import KAFKA, MODELS
from highwater.traces.replay import replay
from support.room import MINIMAL, ROOM, ROOM_PROPERTIES

CLAIMS = quantified(ROOM_PROPERTIES, {"place": "members"})
TINY = {"brokers": 2, "log_size": 1, "max_records": 1, "preferred_elections": 0}


def config_at(points, point):
    """The configuration at a point."""
    return points.model.configure(points.revision, **points.settings_of(point))


def point_of(points, names):
    """The point at which of each chain the highest of these repairs is on."""
    return next(p for p in range(points.count) if set(points.names(p)) == set(names))


def explore(points, properties, wishes):
    """Explore with code that all configurations share: the same properties at each point, so that it is compiled once."""
    for point, names in wishes:
        outcome = check(
            Request(points.model, points.revision, config_at(points, point), list(properties), keep_going=True, generic=True)
        )
        findings = [f for f in outcome.findings if f.property.name in names]
        yield point, {f.property.name: PointVerdict(f.verdict, f.depth, f.trace) for f in findings}


def room():
    """All sets of the toy's repairs."""
    return Points(ROOM, "all", {}, chains(ROOM.repairs, ROOM.configure("all")))


def test_what_is_not_read_is_lowered_where_the_model_refuses_it():
    """Else a set would seem impossible that is only impossible beside it."""
    first, second, *_ = chains(ROOM.repairs, ROOM.configure("all"))

    class Fussy(ROOM.config):
        """The second repair needs the first."""

        def check(self):
            if getattr(self, second.setting) and not getattr(self, first.setting):
                raise UsageError("they do not fit")

    points = Points(replace(ROOM, config=Fussy), "all", {}, [first], [second])
    assert points.possible_settings(0)[second.setting] == second.value(0)
    assert config_of_fussy(points, 0) and config_of_fussy(points, 1) and second.setting not in points.possible_settings(1)


def config_of_fussy(points, point):
    """The configuration with which a point is explored."""
    return points.model.configure(points.revision, **points.possible_settings(point))


def brute(points, claim):
    """The smallest sets under which a property holds, from an exploration of every point by the plain engine."""
    configs = [config_at(points, p) for p in range(points.count)]
    holds = [claim.applies(config) and claim.name not in explore_plain(points.model, config, [claim]).found for config in configs]
    return [p for p in range(points.count) if holds[p] and not any(holds[q] and points.above(q)[p] for q in range(p))]


def names(points, minimal):
    return sorted(sorted(points.names(point)) for point in minimal)


def test_chains_are_in_the_order_of_the_catalogue_and_end_where_the_revision_is():
    found = {chain.setting: chain for chain in chains(ROOM.repairs, ROOM.configure("all", door="good"))}
    assert [repair.name for repair in found["door"].repairs] == ["good-door"]
    assert [found["door"].value(level) for level in (0, 1)] == ["none", "good"]
    wanted = chains(ROOM.repairs, ROOM.configure("open"), ["best-door"])
    assert [(c.setting, c.top) for c in wanted] == [("door", 2)]
    assert base_of(ROOM.config.settings["alarm"], [ROOM.repairs[1]]) == 0


def test_points_are_ordered_from_the_smallest_sets():
    points = room()
    assert points.count == 3 * 2**4 and points.names(0) == []
    assert (np.diff(points.rank) >= 0).all()
    best = point_of(points, ["best-door"])
    assert points.names(best) == ["best-door"] and points.without(best) == [("best-door", point_of(points, ["good-door"]))]
    assert points.has(best, "good-door") and points.has(best, "best-door") and not points.has(best, "alarm")
    assert points.above(point_of(points, ["good-door"]))[best] and not points.above(best)[point_of(points, ["good-door"])]


@pytest.mark.parametrize("width", [1, 3])
def test_the_pruned_search_finds_what_the_whole_lattice_says(width):
    points = room()
    search = LatticeSearch(points, CLAIMS, partial(explore, points, CLAIMS), width)
    for name, answer in search.run().items():
        assert sorted(answer.minimal) == sorted(brute(points, answer.claim)), name
        assert names(points, answer.minimal) == sorted(map(sorted, MINIMAL[name])), name
        assert search.is_complete(answer)
        if not answer.minimal:
            told = search.with_all(answer)
            assert told.depth == explore_plain(ROOM, config_at(points, points.count - 1), [answer.claim]).found[name]
        for point in answer.minimal:
            for _, lower, told in search.without(answer, point):
                if not answer.claim.applies(config_at(points, lower)):
                    assert told.verdict == NOT_APPLICABLE
                    continue
                assert told.depth == explore_plain(ROOM, config_at(points, lower), [answer.claim]).found[name]
                assert replay(told.trace, ROOM, [answer.claim]).broken == {name: told.depth - 1}
        counts = search.counts(answer)
        assert sum(counts.values()) == points.count
    heard = search.counts(search.answers["alarm_is_heard"])
    assert heard["inapplicable"] == points.count / 2 - 1, "all without an alarm but the one that the minimal set is compared with"
    assert search.explorations == 8, "whatever the width: what another point of a wave shows is not counted"
    stolen = search.counts(search.answers["nothing_is_stolen"])
    assert stolen["explored"] < points.count / 4 and stolen["shown"] > 0


def test_a_property_that_applies_nowhere_is_not_asked():
    points = room()
    nowhere = replace(CLAIMS[0], name="nowhere", needs=lambda config: False)
    search = LatticeSearch(points, [nowhere], partial(explore, points, [nowhere]))
    assert search.run() == {} and search.inapplicable == ["nowhere"]


def test_what_is_shown_to_fall_falls_and_the_windows_part_the_states():
    points = room()
    claim = CLAIMS[0]
    (_, told), *_ = explore(points, CLAIMS, [(0, (claim.name,))])
    shown = violated_at(points, np.ones(points.count, np.bool_), told[claim.name].trace, claim)
    wanted = [claim.name in explore_plain(ROOM, config_at(points, p), [claim]).found for p in range(points.count)]
    assert shown.tolist() == wanted


def test_a_repair_that_no_program_reads_is_left_out():
    config = ROOM.configure("all")
    asked = chains(ROOM.repairs, config)
    assert {c.setting for c in relevant(ROOM, config, CLAIMS, asked)} == {"door", "alarm", "dog", "windows"}


def test_what_only_other_versions_of_a_rule_read_makes_no_difference():
    """The rule of truncation is varied, but never to that of a mixed cluster, where alone a request fails without a fault."""
    model = MODELS["kafka"]
    claims = properties_of(KAFKA)
    config = model.configure("kip-320", brokers=2)
    asked = {c.setting for c in relevant(model, config, claims, chains(model.repairs, config))}
    assert "truncation" in asked and "failed_epoch_request" not in asked
    mixed = model.configure("kip-320", brokers=2, message_losses=1)
    assert "failed_epoch_request" in {c.setting for c in relevant(model, mixed, claims, chains(model.repairs, mixed))}


def test_a_bound_makes_the_answer_incomplete():
    points = room()

    def bounded(wishes):
        for point, told in explore(points, CLAIMS[:1], wishes):
            yield point, {n: PointVerdict("incomplete") if t.verdict == "holds" else t for n, t in told.items()}

    search = LatticeSearch(points, CLAIMS[:1], bounded)
    (answer,) = search.run().values()
    assert not answer.minimal and answer.open and not search.is_complete(answer)


def test_too_many_sets_are_refused(monkeypatch):
    monkeypatch.setattr("highwater.explorer.lattice.points.MAX_POINTS", 40)
    with pytest.raises(UsageError, match="name fewer with --repair"):
        room()


def test_the_kafka_model_at_tiny_sizes_against_its_whole_lattice():
    """Every set of repairs is explored, with compiled code; the pruned search must say the same of each property."""
    model = MODELS["kafka"]
    config = model.configure("kip-320", **TINY)
    claims = [p for p in properties_of(KAFKA) if p.name in ("strong_isr", "weak_isr", "log_prefix_convergence")]
    asked = relevant(model, config, claims, chains(model.repairs, config))[:6]
    points = Points(model, "kip-320", TINY, asked)
    everywhere = tuple(p.name for p in claims)
    whole = dict(explore(points, claims, [(p, everywhere) for p in range(points.count)]))
    search = LatticeSearch(points, claims, lambda wishes: ((p, {name: whole[p][name] for name in some}) for p, some in wishes))
    for name, answer in search.run().items():
        holds = [whole[p][name].verdict == "holds" for p in range(points.count)]
        wanted = [p for p in range(points.count) if holds[p] and not any(holds[q] and points.above(q)[p] for q in range(p))]
        assert sorted(answer.minimal) == wanted
        assert not any(holds[p] for p in np.flatnonzero(answer.shown))
