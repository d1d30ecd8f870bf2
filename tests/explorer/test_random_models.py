"""Models at random: every engine says what the plain search says."""

import random

import pytest
import z3
from highwater.explorer.budget import Bounds
from highwater.explorer.local.check import check
from highwater.explorer.plain.explore import explore_plain
from highwater.explorer.request import Request
from highwater.explorer.symbolic.relation import Relation
from highwater.explorer.symbolic.terms import as_term
from highwater.explorer.verdict import VIOLATED
from highwater.model.language.kinds import cells, fill
from highwater.properties.property import SOMETIMES
from highwater.traces.replay import replay
from support.agreement import SymbolicStep, as_model, plain_step
from support.random_models import random_model

STATES = 1_500
"""States that the plain search explores."""

WAYS = [{"generic": True}, {"threads": 2}, {"exact": True}, {"generic": True, "symmetry": True}]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where the models are written, and found."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def compare(seed, folder):
    """What engines say of one model; how many states the plain search found."""
    model, is_symmetric = random_model(seed, folder)
    config = model.configure("only")
    plain = explore_plain(model, config, model.properties, most_states=STATES)
    whole = len(plain.levels) if plain.complete else len(plain.levels) - 1
    for how in WAYS if is_symmetric else WAYS[:-1]:
        bounds = Bounds() if plain.complete else Bounds(depth=whole)
        found = check(Request(model, "only", config, list(model.properties), keep_going=True, bounds=bounds, **how))
        assert how.get("symmetry") or found.levels == plain.levels[:whole], (seed, how)
        if plain.complete and not how.get("symmetry"):
            assert {action.name: action.taken for action in found.actions if action.taken} == plain.taken, (seed, how)
        depths = {one.property.name: one.depth for one in found.findings if one.depth is not None}
        assert depths == {name: depth for name, depth in plain.found.items() if depth <= whole}, (seed, how)
        for finding in found.findings:
            if finding.verdict == VIOLATED:
                broken = replay(finding.trace, model, [finding.property]).broken
                assert broken == {finding.property.name: finding.steps}, (seed, how)
    symbolic_agrees(model, config, [fill(model.state(config), one) for one in plain.depth_of], random.Random(seed))
    return plain.states


def symbolic_agrees(model, config, states, dice):
    """Z3 takes the same steps from some states, and says the same of them."""
    claims = [one for one in model.properties if not one.over_steps and one.kind != SOMETIMES]
    relation = Relation(model, config, claims)
    instances = list(relation.instances(up_to_renaming=False))
    for instance in dice.sample(instances, min(4, len(instances))):
        step = SymbolicStep(relation, instance)
        for state in dice.sample(states, min(4, len(states))):
            numbers = cells(state)
            enabled, in_bounds, after = step.at(numbers, as_model(relation, numbers))
            able, left = plain_step(state, instance)
            assert in_bounds and enabled == able and (after == left or not able), (instance.label, numbers)
    for claim in claims:
        said = as_term(relation.says(claim, relation.before))
        for state in dice.sample(states, min(4, len(states))):
            assert z3.is_true(as_model(relation, cells(state)).eval(said)) == claim.holds(state), (claim.name, cells(state))


@pytest.mark.parametrize("seed", [16, pytest.param(34, marks=pytest.mark.long)], ids=["symmetric", "not symmetric"])
def test_some(seed, folder):
    assert compare(seed, folder) > 300


@pytest.mark.long
def test_many(folder):
    """Half an hour."""
    for seed in range(100, 250):
        compare(seed, folder)
