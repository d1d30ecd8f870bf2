"""Every property and every action of every model treats members alike: shown in reachable states, renamed."""

import random
from collections import Counter
from itertools import permutations

import pytest
from highwater.model.kraft_choices import Recovery
from highwater.model.language import cells
from highwater.model.language.kinds import fill
from highwater.properties.catalogue import claims_of
from highwater.properties.registry import KAFKA, KRAFT, MODELS
from highwater.traces.families.scenarios import FOLDER
from highwater.traces.shrink import plain_states
from highwater.traces.text import read_file
from support.configurations import some_configuration
from support.kafka import renamed_cells, tiny

WALKS, LENGTH = 6, 40
MOVED = {"brokers": 3, "replicas": 1, "reassignments": 1}
SETTINGS = [
    {"consumers": 1, "session_expiries": 1}, {**MOVED, "reassignment": "v3-older"}, {**MOVED, "isr_watch": 1},
    {"brokers": 3, "store": "answered", "decisions": "multi", "session_expiries": 1}, {**MOVED, "alerts": 1},
    {"brokers": 3, "scheduled_elections": 1, "preferred_elections": 1, "session_expiries": 1},
    {"elections": "answered", "session_expiries": 1, "max_epoch": 2, "ignored_commands": 1, "preferred_elections": 1},
    {"topic_deletions": 1, "deletion": "node-by-node", "session_expiries": 1},
    {"init": "per-broker", "controller_changes": 1, "topic_deletions": 1, "deletion": "at-once"},
    {**MOVED, "store": "answered", "lost_answers": 1, "session_expiries": 1, "max_epoch": 2, "move_decisions": "one"},
    {"store": "answered", "decisions": "multi", "session_expiries": 1, "max_epoch": 2},
    {"clients": 1, "routing": "external-view", "session_expiries": 1},
    {"broker_epochs": 1, "unknown_registration": "refused", "session_expiries": 1, "topic_deletions": 1},
    {"brokers": 3, "replicas": 1, "reassignments": 1, "cancelled_moves": 1}, {"lost_brokers": 1, "session_expiries": 1},
    {"partitions": 2, "unepoched_cut": "later", "message_format": "older", "preferred_elections": 1, "max_epoch": 2},
    {"message_losses": 1, "failed_epoch_request": "high-watermark", "truncation": "by-common-epoch", "session_expiries": 1},
]  # fmt: skip
MOVES = {"reassignments": 1, "cancelled_moves": 1}
MORE = {
    "kraft": [
        {"fetch": "in-flight", "fetch_count": "later", "earlier_records": "taken"},
        {"compactions": 1, "log_size": 2, "max_records": 2},
        {"retentions": 1, "crashes": 1, "fetch": "in-flight"},
        {"lost_answers": 1, "lost_epoch_files": 1, "crashes": 1, "preferred_elections": 1},
        {"produce_wait": "offset-later", "preferred_elections": 1},
        {**MOVES, "replicas": 1, "min_isr": 1, "crashes": 1},
        {"consumers": 1, "preferred_elections": 0, "fences": 0},
        {"fetch": "in-flight", "unclean_elections": 1, "power_losses": 1, "crashes": 1, "log_size": 2, "max_records": 2},
    ]
}
"""Settings beside the defaults and all faults at once but moves, which need a broker without a replica, for the first and the
last revision of a model that has many."""
SEEDS = (3006, 3010, 3040, 3162, 3242, 3330, 3832, 4263, 4476, 4762, 5268, 5428, 5500, 7413, 17257)
"""Of settings at random under which some action is taken that no other of these takes."""

RARELY = 0.1
"""The part of a model's actions, and of its properties, that these states may leave out: those that need settings under which the
model prefers brokers, or a rare path. The text of all of them is read (explorer/test_promises.py)."""


def configurations(model):
    """Configurations of a model, as far as it says that members can be renamed."""
    if model is KAFKA:
        some = [tiny(**settings) for settings in SETTINGS]
        some += [some_configuration(random.Random(seed))[1] for seed in SEEDS]
    else:
        some = [
            model.configure(name, brokers=brokers, **settings)
            for name in ([*model.revisions] if model.name not in MORE else [*model.revisions][::9])
            for settings in ({}, faults_of(model, name), *MORE.get(model.name, [])) for brokers in (2, 3)
        ]  # fmt: skip
    return [config for config in some if not model.asymmetry(config)]


def faults_of(model, name):
    """One of each fault that a revision can have, but for moves."""
    is_on = getattr(model.defaults(name), "recovery", None) is Recovery.ELIGIBLE_REPLICAS
    left_out = {*MOVES} if is_on else {*MOVES, "feature_changes"}
    return {fault: 1 for fault, setting in model.config.settings.items() if setting.group == "fault" and fault not in left_out}


def golden(model, chance, taken):
    """States of each golden trace: one by chance, and those before a step that no other state has."""
    for path in sorted(FOLDER.glob("*.trace")):
        trace = read_file(str(path))
        if trace.model == model.name:
            config = model.configure(trace.revision, **trace.settings)
            if not model.asymmetry(config) and config.members > 1:
                states = plain_states(trace, model)
                rare = [state for state, step in zip(states, trace.steps, strict=False) if not taken[step.action]]
                taken.update({step.action for step in trace.steps})
                yield from ((config, normal(model, one.copy())) for one in (chance.choice(states), *rare))


def normal(model, state):
    """The normal form of a state."""
    if model.normal_form is not None:
        model.normal_form(state)
    return state


def walked(model, config, chance, taken):
    """States on random walks; actions that were seldom taken are preferred."""
    steps = model.steps(config)
    for _ in range(2 if model in (KAFKA, KRAFT) else WALKS):
        state = normal(model, chance.choice(model.initial_states(config)).copy())
        for _ in range(LENGTH):
            yield config, state
            following = [(action.name, after) for action, _, after in model.enabled(state, steps)]
            if not following:
                break
            taken.update({name for name, _ in following})
            name = min((name for name, _ in following), key=lambda name: (taken[name], chance.random()))
            state = normal(model, chance.choice([after for one, after in following if one == name]).copy())


def truths(claim, *states):
    """Whether each function of a property is true for all values of its parameters, and for some.

    Not for how many: one that names each pair once may speak of the pair, and of one of the two.
    """
    bindings = list(claim.bindings(states[0].config))
    said = [[bool(function(*states, *binding)) for binding in bindings] for function in claim.functions]
    return [(all(some), any(some)) for some in said]


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if configurations(model)])
def test_actions_and_properties_say_the_same_of_renamed_states(name):
    model, chance, taken, applied = MODELS[name], random.Random(0), Counter(), set()
    walks = [state for config in configurations(model) for state in walked(model, config, chance, taken)]
    assert walks
    for config, state in (*walks, *golden(model, chance, taken)):
        claims, steps = [one for one in claims_of(model).values() if one.applies(config)], model.steps(config)
        applied.update(one.name for one in claims)
        order = chance.choice(list(permutations(range(config.members)))[1:])

        def image(some, order=order):
            return fill(some.copy(), renamed_cells(some, cells(some), order))

        twin = image(state)
        following = [(action.name, after, image(after)) for action, _, after in model.enabled(state, steps)]
        taken.update({name for name, _, _ in following})
        for claim in claims:
            steps_of_both = [((state, after), (twin, there)) for _, after, there in following]
            pairs = steps_of_both if claim.over_steps else [((state,), (twin,))]
            assert all(truths(claim, *here) == truths(claim, *there) for here, there in pairs), claim.name
        theirs = {(action.name, cells(normal(model, after))) for action, _, after in model.enabled(twin, steps)}
        assert {(action, cells(normal(model, there))) for action, _, there in following} == theirs
        normals = [(normal(model, after), there) for _, after, there in following]
        assert all(cells(image(after)) == cells(there) for after, there in normals)
    idle, unasked = {action.name for action in model.actions} - taken.keys(), claims_of(model).keys() - applied
    assert len(idle) <= RARELY * len(model.actions), f"add settings under which these are enabled: {sorted(idle)}"
    assert len(unasked) <= RARELY * len(claims_of(model)), f"add settings to which these apply: {sorted(unasked)}"
