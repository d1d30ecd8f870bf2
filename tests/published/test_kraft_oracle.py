"""Every number that TLC gave for the published KRaft specifications, against the explorer and the plain engine.

Spark is compared in tests/spark/test_equals_local.py."""

import json
from functools import cache
from pathlib import Path

import pytest
from highwater.explorer.local.check import check
from highwater.explorer.plain.explore import breadth_first, explore_plain
from highwater.explorer.request import Request
from highwater.properties.catalogue import default_properties, properties_of
from highwater.properties.registry import PUBLISHED_KRAFT
from support.as_tlc import as_tlc_counts
from support.as_tlc_kraft import AS_TLC_KRAFT

RUNS = json.loads((Path(__file__).parent / "kraft.json").read_text())["runs"]
TINY, SMALL = 400, 60_000
CLAIMS = {p.name: p for p in properties_of(PUBLISHED_KRAFT)}
WITNESSES = {name for name, claim in CLAIMS.items() if claim.kind == "sometimes"}


def runs(most):
    """The oracle's runs with up to so many states, each with a name; the larger ones are for the long tests."""
    out = []
    for run in RUNS:
        name = ".".join(f"{setting}={value}" for setting, value in run["settings"].items())
        marks = [pytest.mark.long] if run["distinct"] > most else []
        out.append(pytest.param(run, id=f"{run['revision']}-{name}", marks=marks))
    return out


def config_of(run, model=PUBLISHED_KRAFT):
    """The configuration of a run of the oracle."""
    return model.configure(run["revision"], **run["settings"])


@cache
def as_tlc(revision, **settings):
    """What the compiled explorer finds on the model with twins, where all properties are checked."""
    config = AS_TLC_KRAFT.configure(revision, **settings)
    return check(Request(AS_TLC_KRAFT, revision, config, list(CLAIMS.values()), generic=True, keep_going=True))


@pytest.mark.parametrize("run", runs(SMALL))
def test_compiled_states_depth_and_transitions_and_nothing_is_violated(run):
    """TLC finds no invariant violated either; and no message was left out for want of room."""
    outcome = as_tlc(run["revision"], **run["settings"])
    assert outcome.complete
    assert (outcome.distinct_states, outcome.transitions, outcome.depth) == (run["distinct"], run["generated"], run["depth"])
    counts = as_tlc_counts((a.name, a.taken) for a in outcome.actions)
    assert counts == run.get("transitions", counts)
    assert {f.property.name for f in outcome.violated} == set()
    assert CLAIMS["messages_have_room"] in {f.property for f in outcome.findings}


@pytest.mark.parametrize("run", [r for r in runs(TINY) if not r.marks])
def test_plain_engine(run):
    plain = explore_plain(AS_TLC_KRAFT, config_of(run, AS_TLC_KRAFT), list(CLAIMS.values()))
    assert (sum(plain.levels), plain.transitions, len(plain.levels)) == (run["distinct"], run["generated"], run["depth"])
    assert set(plain.found) <= WITNESSES


def test_symmetry_is_refused():
    """Broker 0 is the first leader, as in the originals."""
    assert "broker 0 leads at first" in PUBLISHED_KRAFT.asymmetry(PUBLISHED_KRAFT.configure("v3.5"))


def test_two_values_end_where_tlc_ends_with_an_error():
    """TLC 2026 ends after five states: "The second argument of SubSeq must be in the domain of its first argument"."""
    settings = {"brokers": 2, "min_isr": 1, "shrinks": 1, "values": 2}
    outcome = as_tlc("v3.5", **settings)
    assert {f.property.name: f.depth for f in outcome.violated} == {"writes_can_be_evaluated": 5}
    assert not as_tlc("v3.5", **settings, write="with-the-record").violated


def states_of(**settings):
    """All states under a small configuration of v3.5, run by Python."""
    config = PUBLISHED_KRAFT.configure("v3.5", brokers=2, min_isr=1, **settings)
    return [state for _, _, action, _, state in breadth_first(PUBLISHED_KRAFT, config) if action is None]


def test_what_the_specifications_leave_out_is_off():
    config = PUBLISHED_KRAFT.configure("v3.5")
    assert (config.preferred_elections, config.unclean_elections, config.records_per_fetch) == (0, 0, 1)


def test_a_response_may_have_several_records():
    two = [s for s in states_of(values=2, records_per_fetch=2) if any(fetch.records[1].record for fetch in s.fetch)]
    assert two and all(fetch.records[0].record for s in two for fetch in s.fetch if fetch.records[1].record)


def test_an_unclean_election_loses_what_was_committed():
    """Broker 0 commits alone, is fenced, and broker 1 leads without the record: LeaderCompleteness is violated."""
    settings = {"brokers": 2, "min_isr": 1, "in_sync": 1, "fencings": 1}
    assert not as_tlc("v3.5", **settings).violated
    broken = {f.property.name for f in as_tlc("v3.5", **settings, unclean_elections=1).violated}
    assert {"leader_completeness", "leader_candidate_completeness"} <= broken


def test_all_invariants_are_checked_unless_others_are_named():
    assert {p.name for p in default_properties(PUBLISHED_KRAFT)} == set(CLAIMS)
