"""A plugin may give its parameters, actions, variables and constants any name: none means something else in generated code."""

import json
from pathlib import Path

import pytest

TEXT = """
from highwater.model.language import (
    MEMBERS, Model, Record, Revision, Settings, State, actions, budget, derived, integer, many, no_asymmetry, size,
)
from highwater.properties.extended import extended
from highwater.properties.property import always, eventually, recoverable, sometimes

{constant} = 2
{bottom} = 0


class Config(Settings):
    nodes = size(2, 1, 4, "nodes")
    falls = budget("nodes that fall", 1)
    members = derived(lambda c: c.nodes)


class Node(Record):
    count = integer(0, 2, "how far it has come")


class S(State):
    node = many(Node, MEMBERS, "by node")
    falls = integer(0, "falls", "nodes that have fallen")


def {up}(s, {one}):
    '''Counts up.'''
    if s.node[{one}].count == {constant}:
        return False
    s.node[{one}].count += 1
    return True


def {down}(s, {other}):
    '''Falls.'''
    if s.falls == s.config.falls or s.node[{other}].count == {bottom}:
        return False
    s.falls += 1
    s.node[{other}].count = {bottom}
    return True


def comes_far(s, {one}):
    '''It comes to the top, in every behaviour.'''
    {local} = s.node[{one}].count
    return {local} == {constant}


def falls_back(s, {other}):
    '''It comes to the bottom again, which needs a fault.'''
    return s.node[{other}].count == {bottom}


def is_high(s, {one}):
    '''It is at the top.'''
    {second} = s.node[{one}].count
    return {second} == {constant}


def was_high(s, {one}):
    '''It can come to the top.'''
    return is_high(s, {one})


def stays_low(s, {one}):
    '''It never comes to the top.'''
    return not is_high(s, {one})


DOMAINS = {{"{one}": MEMBERS, "{other}": MEMBERS}}
MODEL = Model(
    name="falling", title="nodes that count", state=S, config=Config, actions=actions(DOMAINS, [{up}, {down}], weak=[{up}]),
    initial_states=lambda config: [S(config)], revisions={{"only": Revision("only", "one", {{}})}}, domains=DOMAINS,
    capacities={{"small": {{MEMBERS: 4}}}}, asymmetry=no_asymmetry,
)


def register(models):
    return [extended(MODEL, properties=[
        eventually(comes_far, since="only"), recoverable(is_high, since="only"), recoverable(falls_back, since="only"),
        always(stays_low, since="only"), sometimes(was_high, since="only"),
    ])]
"""
USUAL = {
    "one": "node", "other": "member", "up": "up", "down": "fall", "local": "count", "second": "height", "constant": "TOP",
    "bottom": "BOTTOM",
}  # fmt: skip
VERDICTS = {"comes_far": "holds", "is_high": "holds", "falls_back": "violated", "stays_low": "violated", "was_high": "witnessed"}

SLOTS = ("one", "other", "up", "down", "local", "second", "constant", "bottom")
NAMES = [
    (),
    ("which", "bit", "before", "n", "n", "before", "bounds", "found"),
    ("i", "goals", "codes", "recs", "stays_low", "bounds", "which", "active"),
    ("recs", "comes_far", "bounds", "able", "n", "premises", "i", "s_"),
]


@pytest.mark.parametrize("names", NAMES, ids=lambda names: " ".join(names) or "usual")
def test_every_name_means_what_it_means_in_python(names, here, elsewhere):
    command = ("check", "--model", "falling", "--revision", "only", "--progress", "--keep-going", "--quiet", "--json", "o.json")
    plugin = TEXT.format(**{**USUAL, **dict(zip(SLOTS, names, strict=False))})
    code, _, err = here(*command, *(f"--property={name}" for name in VERDICTS), plugin=plugin)
    assert code == 12, err
    assert {claim["name"]: claim["verdict"] for claim in json.loads(Path("o.json").read_text())["properties"]} == VERDICTS


def test_a_step_that_gives_back_what_was_paid_is_no_fault(here, elsewhere):
    """After a fall the node counts up again, and what it paid is given back."""
    text = TEXT.format(**USUAL).replace("count += 1\n", "count += 1\n    s.falls = 0\n")
    code, _, err = here("check", "--model", "falling", "--revision", "only", "--property", "comes_far", "--quiet", plugin=text)
    assert code == 0, err


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("DOMAINS = {", 'DOMAINS = {"s": MEMBERS, ', "have a parameter 's', the name of a state"),
        ("weak=[up]", "weak=[up, stays_low]", "which is not among the actions that are added"),
        ('nodes = size(2, 1, 4, "nodes")', 'numbers = size(2, 1, 4, "nodes")', "a setting cannot be called 'numbers'"),
        ('    falls = integer(0, "falls",', '    fallen = integer(0, "falls",', "has the name of the budget falls"),
    ],
    ids=["a parameter called s", "fairness of no action", "a setting that hides a method", "a budget that nothing counts"],
)
def test_what_would_be_dropped_silently_is_refused(old, new, sentence, here, elsewhere):
    text = TEXT.format(**USUAL).replace(old, new).replace("c.nodes", "c.numbers" if "numbers" in new else "c.nodes")
    text = text.replace("s.falls ", "s.fallen ") if "fallen" in new else text
    code, _, err = here("check", "--model", "falling", "--revision", "only", "--progress", plugin=text)
    assert (code, err.count("\n")) == (2, 1) and sentence in err, err
