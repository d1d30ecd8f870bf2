"""Every number that TLC gave for the published specification, against the explorer and the plain engine."""

import json
from pathlib import Path

import pytest
from highwater.explorer.local.check import check
from highwater.explorer.plain.explore import explore_plain
from highwater.explorer.request import Request
from highwater.model.language.kinds import fill
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import PUBLISHED
from support.as_tlc import AS_TLC, as_tlc_counts

RUNS = json.loads((Path(__file__).parent / "oracle.json").read_text())["runs"]
ISR = [p for p in properties_of(PUBLISHED) if p.name in ("weak_isr", "strong_isr")]
SMALL, MIDDLE, LARGE = 12_000, 63_000, 2_000_000


def runs(most, least=0):
    """The oracle's runs with `least` to `most` states, each with a name."""
    chosen = [run for run in RUNS if least < run["distinct"] <= most]
    return [pytest.param(run, id=f"{run['revision']}-{'.'.join(map(str, run['size']))}") for run in chosen]


def the_largest_are_long(some, most=SMALL):
    """The same runs; those of more than `most` states are left out unless they are asked for."""
    marks = [[pytest.mark.long] if run.values[0]["distinct"] > most else [] for run in some]
    return [pytest.param(*run.values, id=run.id, marks=mark) for run, mark in zip(some, marks, strict=True)]


def config_of(run, model=PUBLISHED):
    """The configuration of a run of the oracle."""
    return model.configure(
        run["revision"], **dict(zip(("brokers", "log_size", "max_records", "max_epoch"), run["size"], strict=True))
    )


def agrees(run, levels, violated):
    """Distinct states, depth, levels and first violations are the oracle's."""
    assert sum(levels) == run["distinct"]
    assert len(levels) == run.get("depth", len(levels))
    assert levels == run.get("levels", levels)
    assert violated == run.get("violated", violated)


@pytest.mark.parametrize("run", runs(LARGE))
def test_compiled_states_levels_and_first_violations(run):
    outcome = check(Request(PUBLISHED, run["revision"], config_of(run), ISR, generic=True, keep_going=True))
    assert outcome.complete
    agrees(run, outcome.levels, {f.property.name: f.depth for f in outcome.violated})


@pytest.mark.parametrize("run", the_largest_are_long(runs(LARGE)))
def test_compiled_transitions_as_tlc_counts_them(run):
    outcome = check(Request(AS_TLC, run["revision"], config_of(run), [], generic=True))
    assert outcome.distinct_states == run["distinct"]  # twins add no states
    assert outcome.transitions == run["generated"]
    counts = as_tlc_counts((a.name, a.taken) for a in outcome.actions)
    assert counts == run.get("transitions", counts)


@pytest.mark.parametrize("run", [r for r in runs(LARGE) if "orbits" in r.values[0]])
def test_orbits_under_symmetry(run):
    outcome = check(Request(PUBLISHED, run["revision"], config_of(run), ISR, generic=True, symmetry=True, keep_going=True))
    assert outcome.complete
    assert outcome.distinct_states == run["orbits"]
    assert outcome.depth == run["depth"]
    violated = {f.property.name: f.depth for f in outcome.violated}
    assert violated == run.get("violated", violated)


@pytest.mark.long
@pytest.mark.parametrize("run", runs(10_000_000, LARGE))
def test_nine_million_states(run):
    config = config_of(run)
    whole = check(Request(PUBLISHED, run["revision"], config, ISR, threads=2, keep_going=True))
    assert (whole.complete, whole.distinct_states) == (True, run["distinct"])
    folded = check(Request(PUBLISHED, run["revision"], config, ISR, threads=2, keep_going=True, symmetry=True))
    assert (folded.complete, folded.distinct_states) == (True, run["orbits"])
    assert {f.property.name: f.depth for f in folded.findings} == {f.property.name: f.depth for f in whole.findings}


EXPLORED = {}
"""By run, what the plain engine has found."""


def explored(run):
    """What the plain engine finds on the model with twins, once for each run."""
    key = (run["revision"], *run["size"])
    if key not in EXPLORED:
        EXPLORED[key] = explore_plain(AS_TLC, config_of(run, AS_TLC), ISR)
    return EXPLORED[key]


def plain_agrees(run):
    """The plain engine gives all of the oracle's numbers."""
    plain = explored(run)
    agrees(run, plain.levels, plain.found)
    assert plain.transitions == run["generated"]
    counts = as_tlc_counts(plain.taken.items())
    assert counts == run.get("transitions", counts)


@pytest.mark.parametrize("run", runs(SMALL))
def test_plain_engine(run):
    plain_agrees(run)


@pytest.mark.long
@pytest.mark.parametrize("run", runs(MIDDLE, SMALL))
def test_plain_engine_at_middle_sizes(run):
    plain_agrees(run)


@pytest.mark.parametrize("run", [r for r in runs(SMALL) if r.values[0].get("violating_states")])
def test_number_of_states_that_break_an_invariant(run):
    like = AS_TLC.state(config_of(run, AS_TLC))
    states = [fill(like.copy(), numbers) for numbers in explored(run).depth_of]
    broken = {row.name: sum(not row.holds(state) for state in states) for row in ISR if row.name in run["violating_states"]}
    assert broken == run["violating_states"]
