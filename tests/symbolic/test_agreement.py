"""The symbolic step and the model's own step agree: the same successor, or both refuse, or both go out of bounds."""

import random

import pytest
from highwater.explorer.compiling.compiled import Compiled
from highwater.explorer.compiling.walker import Walker
from highwater.explorer.plain.explore import explore_plain
from highwater.explorer.symbolic.relation import Relation
from highwater.explorer.symbolic.terms import as_term
from highwater.model.language.kinds import cells
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import KAFKA, PUBLISHED
from support.agreement import SymbolicStep, as_model, compare_on, disturbed, fill, random_state

SMALL = {"brokers": 2, "log_size": 2, "max_records": 1, "max_epoch": 1}

EVERY_FAULT = {
    "crashes": 1, "power_losses": 1, "controller_changes": 1, "fetch": "in-flight", "start": "empty",
    "store": "answered", "consumers": 1, "message_losses": 1, "topic_deletions": 1, "lost_epoch_files": 1,
    "unclean_elections": 1, "max_batch": 2, "max_records": 2,
}  # fmt: skip


@pytest.mark.parametrize("revision", PUBLISHED.revisions)
def test_agrees_on_every_reachable_state_of_the_published_model(revision):
    config = PUBLISHED.configure(revision, **SMALL)
    reachable = explore_plain(PUBLISHED, config).depth_of
    states = [fill(PUBLISHED.state(config), numbers) for numbers in reachable]
    pairs, enabled, outside = compare_on(Relation(PUBLISHED, config), states)
    assert pairs > 20 * len(states) and enabled > len(states) and outside == 0


@pytest.mark.parametrize("revision", ["kip-101", "kip-320"])
def test_agrees_on_every_reachable_state_of_the_kafka_model(revision):
    config = KAFKA.configure(revision, **SMALL | {"log_size": 1, "preferred_elections": 0})
    explored = explore_plain(KAFKA, config)
    assert explored.complete
    states = [fill(KAFKA.state(config), numbers) for numbers in explored.depth_of]
    pairs, enabled, outside = compare_on(Relation(KAFKA, config), states)
    assert pairs > 30 * len(states) and enabled > len(states) and outside == 0


TWO_PARTITIONS = {"brokers": 2, "partitions": 2, "log_size": 1, "max_records": 1, "max_epoch": 1, "crashes": 1}


@pytest.mark.parametrize(("model", "settings"), [(PUBLISHED, SMALL), (KAFKA, TWO_PARTITIONS)], ids=["published", "kafka"])
def test_a_property_of_what_a_step_leaves_is_as_if_it_were_read_anew(model, settings):
    """What it looks up is as before, or it is read again; after some of the steps."""
    config = model.configure("kip-320", **settings)
    claims = [one for one in properties_of(model) if one.applies(config)]
    relation = Relation(model, config, claims)
    for instance in list(relation.instances())[::4]:
        after = relation.step(instance).after
        for claim in claims:
            states = (relation.before, after) if claim.over_steps else (after,)
            anew = as_term(relation.read(claim, *states)[0])
            assert as_term(relation.says(claim, *states)).eq(anew), (instance.label, claim.name)


@pytest.mark.parametrize("revision", PUBLISHED.revisions)
def test_agrees_on_unreachable_states_of_the_published_model(revision):
    config = PUBLISHED.configure(revision, brokers=3, log_size=3, max_records=3, max_epoch=2)
    dice = random.Random(revision)
    states = [random_state(PUBLISHED, config, dice) for _ in range(60)]
    assert compare_on(Relation(PUBLISHED, config), states)[1] > 50


SOME = ("v3", "kip-279-2.0.1", "kip-320-first-try", "kip-320-2.8", "kip-500")
"""Revisions that differ most in what they read and write; of the others two are tried in every reachable state."""


OTHERS = [pytest.param(name, marks=pytest.mark.long) for name in KAFKA.revisions if name not in SOME]


@pytest.mark.parametrize("revision", [*SOME, *OTHERS])
def test_agrees_on_unreachable_states_of_the_kafka_model(revision):
    config = KAFKA.configure(revision, **SMALL | EVERY_FAULT)
    dice = random.Random(revision)
    known = explore_plain(KAFKA, config, most_states=300).depth_of
    reached = [fill(KAFKA.state(config), numbers) for numbers in random.Random(7).sample(sorted(known), 10)]
    states = [random_state(KAFKA, config, dice) for _ in range(8)] + [disturbed(state, dice) for state in reached]
    _, enabled, _ = compare_on(Relation(KAFKA, config), states)
    assert enabled > 50


def compiled_steps(walker, state):
    """Every step that compiled code takes out of a plain state: (action, arguments) to the successor's cells."""
    compiled, found = walker.compiled, {}
    for code in range(compiled.codes):
        walker.begin(0)
        compiled.layout.write(state, walker.scratch.rows[0])
        if walker.follow([code]):
            action, arguments = compiled.decode(code)
            found[action.name, arguments] = cells(compiled.layout.read(walker.scratch.rows[0], state.config))
    return found


@pytest.mark.parametrize("revision", ["kip-101", "kip-320"])
def test_agrees_with_compiled_code_on_every_reachable_state(revision):
    config = PUBLISHED.configure(revision, **SMALL)
    walker = Walker(Compiled(PUBLISHED, config, properties_of(PUBLISHED), generic="small"), (), 1)
    relation = Relation(PUBLISHED, config)
    steps = [SymbolicStep(relation, instance) for instance in relation.instances(up_to_renaming=False)]
    taken = 0
    for numbers in explore_plain(PUBLISHED, config).depth_of:
        known, state = as_model(relation, numbers), fill(PUBLISHED.state(config), numbers)
        mine = {}
        for step in steps:
            enabled, _, after = step.at(numbers, known)
            if enabled:
                mine[step.instance.action.name, step.instance.arguments] = after
        assert mine == compiled_steps(walker, state)
        taken += len(mine)
    assert taken > 300
