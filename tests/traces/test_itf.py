"""The Informal Trace Format holds every variable of every state."""

import json

import pytest
from highwater.model.language.kinds import NO_MEMBER, Member, MemberSet, OneOf, cells, walk
from highwater.properties.explained_document import document_of
from highwater.properties.registry import MODELS, PUBLISHED
from highwater.traces.itf import to_itf
from highwater.traces.replay import replay
from highwater.traces.text import read

from .golden_table import golden

NAMES = ("s6_stale_leader_answers.kip-279", "a3_unclean_election.high-watermark", "s4_lost_suffix.kip-101")


def exported(name):
    trace = golden(name)
    result = replay(trace, MODELS[trace.model])
    return trace, result.states, json.loads(json.dumps(to_itf(trace, result.states)))


def numbers_of(kind, expression, state):
    """The values of a state, in the order of declaration, from what was exported of it."""
    for path, variable, _ in walk(kind, state):
        value = expression
        for name in path.replace("]", "").replace("[", ".").split("."):
            value = value[int(name)] if isinstance(value, list) else value[name]
        if isinstance(variable, MemberSet):
            yield sum(1 << int(place["#bigint"]) for place in value["#set"])
        elif isinstance(variable, OneOf):
            yield {member.text: int(member) for member in variable.members}[value]
        elif isinstance(variable, Member) and value["#bigint"] == "-1":
            yield NO_MEMBER
        else:
            yield int(value["#bigint"])


@pytest.mark.parametrize("name", NAMES)
def test_every_state_can_be_read_back(name):
    _, states, document = exported(name)
    assert len(document["states"]) == len(states)
    for state, expression in zip(states, document["states"], strict=True):
        assert tuple(numbers_of(type(state), expression, state)) == cells(state)


@pytest.mark.parametrize("name", NAMES)
def test_states_say_which_step_led_to_them(name):
    trace, _, document = exported(name)
    assert [state["action_taken"] for state in document["states"]] == ["init", *(step.action for step in trace.steps)]
    for step, state in zip(trace.steps, document["states"][1:], strict=True):
        assert {key: int(value["#bigint"]) for key, value in state["arguments"]["#map"]} == dict(step.arguments)


def test_the_document_is_what_the_format_asks_for():
    _, states, document = exported("s6_stale_leader_answers.kip-279")
    assert document["#meta"]["format"] == "ITF"
    assert document["#meta"]["description"] == "revision kip-279, about no_committed_data_loss"
    assert [state["#meta"]["index"] for state in document["states"]] == list(range(len(states)))
    for state in document["states"]:
        assert set(state) == {"#meta", *document["vars"]}
    assert not set(type(states[0]).fields) & {"action_taken", "arguments"}


def test_another_model_is_exported_in_the_same_way():
    trace = read("highwater trace 1\nmodel: published 0\nrevision: kip-320\ninitial: 0\n")
    states = replay(trace, PUBLISHED).states
    document = to_itf(trace, states)
    assert tuple(numbers_of(type(states[0]), document["states"][0], states[0])) == cells(states[0])


def well_formed(value):
    """An expression of ADR-015: what the format allows, and nothing else."""
    if isinstance(value, (bool, str)):
        return True
    if isinstance(value, list):
        return all(map(well_formed, value))
    if not isinstance(value, dict):
        return False
    if "#bigint" in value:
        return set(value) == {"#bigint"} and str(int(value["#bigint"])) == value["#bigint"]
    if "#set" in value or "#tup" in value:
        return len(value) == 1 and all(map(well_formed, *value.values()))
    if "#map" in value:
        return set(value) == {"#map"} and all(len(pair) == 2 and all(map(well_formed, pair)) for pair in value["#map"])
    return all(not name.startswith("#") and well_formed(part) for name, part in value.items())


@pytest.mark.parametrize("name", NAMES)
def test_what_people_are_told_stands_in_meta_and_the_rest_is_itf(name):
    trace = golden(name)
    document = json.loads(json.dumps(document_of(trace, MODELS[trace.model])))
    assert set(document) == {"#meta", "params", "vars", "states"} and document["#meta"]["format"] == "ITF"
    for number, state in enumerate(document["states"]):
        assert set(state) == {"#meta", *document["vars"]}
        assert all(well_formed(value) for variable, value in state.items() if variable != "#meta")
        meta = state["#meta"]
        assert meta["index"] == number and meta["label"] == (trace.steps[number - 1].label if number else "init")
        assert {"facts", "changed", "messages", "scene", "enabled", "refused", "comment"} < set(meta)
        if number:
            assert meta["source"].startswith("model/") and meta["design"]
    for state, step in zip(document["states"], trace.steps, strict=False):
        assert step.label in state["#meta"]["enabled"]
        for one in state["#meta"]["refused"]:
            assert one["guard"] and one["source"].startswith("model/")
            assert one["action"].split()[0] not in {label.split()[0] for label in state["#meta"]["enabled"]}
