"""Conditions read from guards hold wherever an action is enabled, can be evaluated in any state, and rule out most instances."""

import ast
import random

import pytest
from highwater.explorer.compiling.candidates import conditions, negated
from highwater.explorer.compiling.checks import Checked, early_guards
from highwater.explorer.compiling.generate import functions_of, specialised, switched_on
from highwater.explorer.compiling.steps import arguments_at, inner_from
from highwater.explorer.plain.explore import explore_plain
from highwater.model.language.program import program
from highwater.model.language.typed_tree import as_python, function_of
from highwater.properties.registry import KAFKA, PUBLISHED
from support.agreement import fill, random_state
from support.cases import CASES, name_of
from support.toys import COUNTERS

EVERYTHING = {
    "brokers": 3, "log_size": 2, "max_records": 2, "max_epoch": 2, "crashes": 1, "power_losses": 1, "controller_changes": 1,
    "fetch": "in-flight", "start": "empty", "store": "answered", "consumers": 1, "unclean_elections": 1, "reassignments": 1,
    "replicas": 2,
}  # fmt: skip
ALL = [
    CASES[0], CASES[2], CASES[-1], (KAFKA, "kip-320", EVERYTHING),
    (PUBLISHED, "kip-279", {"brokers": 3, "log_size": 3}),
]  # fmt: skip


@pytest.mark.parametrize(("model", "revision", "settings"), ALL, ids=name_of)
def test_they_hold_where_an_action_is_enabled(model, revision, settings):
    config = model.configure(revision, **settings)
    whole = specialised(model, config, functions_of(model, Checked.of(())))
    reachable = explore_plain(model, config, most_states=60).depth_of
    states = [fill(model.state(config), numbers) for numbers in reachable]
    states += [random_state(model, config, random.Random(number)) for number in range(15)]
    tried = left = enabled = 0
    for action, on in zip(model.actions, switched_on(model, config), strict=True):
        parameters = [f"p{place}" for place in range(len(action.dimensions))]
        code = [compile(c, "condition", "eval") for c in conditions(whole, whole.name_of(action.function), parameters)]
        for arguments in action.instances(config) if on else ():
            for state in states:
                names = {**whole.constants, "s": state, **dict(zip(parameters, arguments, strict=True))}
                possible = sum(not eval(one, names) for one in code) == 0  # each is evaluated, whatever the others are
                done = is_enabled(action.version(config), state.copy(), arguments)
                assert possible or not done, (action.name, arguments)
                tried, left, enabled = tried + 1, left + possible, enabled + done
    assert 0 < enabled <= left < tried
    assert left - enabled < (tried - enabled) / 4


def is_enabled(step, state, arguments):
    """Whether a step can be taken; a state that is not reachable may lead out of an array."""
    try:
        return bool(step(state, *arguments))
    except IndexError:
        return False


@pytest.mark.parametrize("test", ["a == b", "(a < b) & (b != c)", "(a <= b) | (b > c) & (a == c)"])
def test_the_opposite_of_a_test(test):
    (read,) = function_of(ast.parse(f"def f(): return {test}").body[0], {}).body
    opposite = as_python(negated(read.value))
    for number in range(27):
        names = {"a": number % 3, "b": number // 3 % 3, "c": number // 9}
        assert eval(opposite, names) == (not eval(test, names)), opposite


def test_a_place_among_all_values_names_each_of_them():
    sizes = [3, 1, 4, 5]
    found = [tuple(eval(one, {"at": at}) for one in arguments_at(sizes)) for at in range(60)]
    assert found == [(a, 0, b, c) for a in range(3) for b in range(4) for c in range(5)]


def test_a_word_has_a_bit_for_each_value_of_the_last_parameters():
    assert [inner_from(["9", "4", "16"]), inner_from(["9", "9"]), inner_from(["100"]), inner_from([])] == [1, 1, 1, 0]


def set_to_one(s):
    s.count[0] = 1
    return True


def that_writes_first(s):
    set_to_one(s)
    return s.count[0] == 1


def that_assigns_first(s):
    done = set_to_one(s)
    return s.count[0] == done


def that_writes_on_the_way(s):
    return s.count[1] == 0 and set_to_one(s) and s.count[0] == 1


def that_writes_in_a_guard(s):
    if s.count[1] > 0 or not set_to_one(s) or s.count[0] != 1:
        return False
    if s.count[0] != 1:
        return False
    return True


@pytest.mark.parametrize(
    ("action", "found"),
    [
        (that_writes_first, []), (that_assigns_first, []), (that_writes_on_the_way, ["s.count[1] == 0"]),
        (that_writes_in_a_guard, ["s.count[1] <= 0"]),
    ],
)  # fmt: skip
def test_what_is_read_after_a_write_is_no_condition(action, found):
    whole = program([action])
    assert conditions(whole, whole.name_of(action), []) == found


def that_shifts_far(s):
    return not s.count[0] >> s.count[1] & 1


@pytest.mark.parametrize("distance", [0, 1, 63, 64, 200])
def test_a_shift_by_more_than_a_word_rules_nothing_out(distance):
    whole, state = program([that_shifts_far]), COUNTERS.state(COUNTERS.configure("only"))
    state.count[0], state.count[1] = 1, distance
    (condition,) = conditions(whole, whole.name_of(that_shifts_far), [])
    assert bool(eval(condition, {"s": state})) == that_shifts_far(state) == (distance > 0)


GUARDED = """def claim(s, broker, offset):
    {first}
        return True
    if s.log[broker][s.place] == 0:
        return True
    return s.log[broker][offset] == 1
"""


def test_no_guard_is_evaluated_before_one_that_protects_its_index():
    names = ["s", "broker", "offset"]
    lines = [
        early_guards(function_of(ast.parse(GUARDED.format(first=first)).body[0], {}), names, 1, True)
        for first in ("if s.alive[broker] == 0:", "if s.place > 3:")
    ]
    assert lines[0] == {1: ["if s.alive[broker] == 0:", "    continue", "if s.log[broker][s.place] == 0:", "    continue"]}
    assert lines[1] == {}, "the first guard needs no parameter, so it stays where it is"
