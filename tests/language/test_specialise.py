"""Specialising a program keeps its meaning: on reachable states it gives the same successors and answers."""

import random
import re
from dataclasses import replace
from functools import cache

import pytest
from highwater.model.language import MEMBERS, Record, Settings, State, derived, integer, many, one, size
from highwater.model.language.reading.plugin_checks import with_plugin_checks
from highwater.model.language.reading.program import Program, program
from highwater.model.language.reading.specialise import differing, fixed_variables, specialise, specialise_shared
from highwater.model.language.reading.typed_reading import function_in
from highwater.model.language.reading.typed_reading import functions_of as read_functions
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import KAFKA, PUBLISHED
from support import toys

KAFKA_SETTINGS = [
    {"brokers": 2, "log_size": 2, "max_records": 2, "max_epoch": 1},
    {"brokers": 3, "log_size": 2, "max_records": 2, "max_epoch": 2, "crashes": 1, "power_losses": 1, "max_batch": 2},
    {"brokers": 2, "fetch": "in-flight", "store": "answered", "controller_changes": 1, "consumers": 1},
    {"brokers": 2, "partitions": 2, "start": "empty", "unclean_elections": 1, "topic_deletions": 1, "acks": "leader"},
]
PUBLISHED_SETTINGS = [
    {"brokers": 2, "log_size": 2, "max_epoch": 1},
    {"brokers": 3, "log_size": 3, "max_records": 3, "max_epoch": 2},
]
CASES = [
    *((KAFKA, revision, settings) for revision in KAFKA.revisions for settings in KAFKA_SETTINGS),
    *((PUBLISHED, revision, settings) for revision in PUBLISHED.revisions for settings in PUBLISHED_SETTINGS),
]
WALKS, LENGTH = 2, 30


def walked_states(model, config, seed):
    """States on a few random walks."""
    chance = random.Random(seed)
    for _ in range(WALKS):
        state = chance.choice(model.initial_states(config))
        for _ in range(LENGTH):
            yield state
            steps = list(model.enabled(state))
            if not steps:
                break
            state = chance.choice(steps)[2]
            if model.normal_form is not None:
                model.normal_form(state)


def claims_of(model):
    """Its properties of one state."""
    return [p for p in properties_of(model) if not p.over_steps]


@cache
def as_written(model):
    """The program of all its actions and of these properties, and the functions that its text defines, by the originals."""
    wanted = [*(a.function for a in model.actions), *(p.function for p in claims_of(model))]
    whole = program(wanted)
    return whole, dict(zip(wanted, functions_of(whole, wanted), strict=True))


def functions_of(whole, wanted):
    """The wanted functions of a program, as its text defines them."""
    namespace = {}
    exec(whole.text(), namespace)
    return [namespace[whole.name_of(function)] for function in wanted]


@pytest.mark.parametrize(("model", "revision", "settings"), CASES, ids=lambda x: getattr(x, "name", None))
def test_same_successors_and_answers(model, revision, settings):
    config = model.configure(revision, **settings)
    whole, written = as_written(model)
    special = dict(zip(written, functions_of(specialise(whole, config, model.state), written), strict=True))
    taken = 0
    for state in walked_states(model, config, repr((revision, settings))):
        expected, mine, theirs = state.copy(), state.copy(), state.copy()
        for action in model.actions:
            one, other = written[action.function], special[action.function]
            for arguments in action.instances(config):
                enabled = bool(action.version(config)(expected, *arguments))
                assert bool(one(mine, *arguments)) == bool(other(theirs, *arguments)) == enabled, action.label(arguments)
                if enabled:
                    assert mine == theirs == expected, action.label(arguments)
                    taken += 1
                    expected, mine, theirs = state.copy(), state.copy(), state.copy()
            assert mine == theirs == expected, action.name  # who refuses leaves the state alone
        for claim in (one for one in claims_of(model) if one.applies(config)):
            one, other = written[claim.function], special[claim.function]
            for binding in claim.bindings(config):
                answer = bool(claim.function(state, *binding))
                assert bool(one(state, *binding)) == bool(other(state, *binding)) == answer, claim.name
    assert taken > 10  # the walks went somewhere


def test_settings_disappear():
    config = KAFKA.configure("kip-320", brokers=2)
    special = specialise(program(a.function for a in KAFKA.actions), config, KAFKA.state)
    assert "config" not in special.text()


def test_a_switched_off_action_answers_false():
    config = KAFKA.configure("kip-320", crashes=0)
    special = specialise(program([KAFKA.action("crash").function]), config, KAFKA.state)
    (run,) = functions_of(special, [KAFKA.action("crash").function])
    (state, *_) = KAFKA.initial_states(config)
    assert not any(run(state, broker) for broker in range(config.brokers))


def test_fixed_variables_can_hold_one_value_only():
    config = KAFKA.configure("kip-320", crashes=0, session_expiries=2)
    fixed = fixed_variables(KAFKA.state(config))
    assert fixed["crashes"] == 0
    assert "session_expiries" not in fixed
    assert "version" not in fixed  # its normal form has few values, the variable has many


LIMIT = 3


def reads_limit(s):
    """The module's constant."""
    return s.count[0] < LIMIT


def has_its_own(s):
    """A variable of the constant's name."""
    LIMIT = s.count[0]  # noqa: N806
    return reads_limit(s) and LIMIT == 1


def folds(s):
    """Branches, operators and answers that the configuration decides, in every combination."""
    number = -1 + 7 // 2 - 7 % 4 * 2 + (1 << 3 >> 1) + (6 & 3 | 8 ^ 1)
    if s.config.top > 2 and not (s.config.counters == 2):  # noqa: SIM201  operators are what is tested
        number += 100 if s.config.top >= 4 else 200
    if s.config.top == 3 or s.count[0] > 0:
        number += 1000
    if s.count[0] > 0 or s.config.top == 3:
        number += 2000
    if s.count[0] > 0 and s.config.top != 3:
        number += 4000
    for n in range(s.config.top - 3):
        number += n
    for n in range(min(s.config.top, 2)):
        number += max(n, s.count[0], 1)
    if s.config.top < 0:
        return 0
    else:
        number += ~s.count[0]
    return number


def chooses(s):
    """A version for each value of a setting, the last of which is never given."""
    if s.config.top == 0:
        return 10
    if s.config.top == 1:
        return 11
    if s.config.top >= 2:
        return s.count[0]
    return 13


def test_a_setting_that_is_left_open_has_the_given_values_and_no_other():
    config = toys.COUNTERS.configure("only", top=1)
    whole = program([chooses])
    texts = {values: specialise(whole, config, toys.Counters, {"top": values}).text() for values in ((0, 1), (1, 2), (3, 4), ())}
    assert "10" in texts[0, 1] and "11" in texts[0, 1] and "count" not in texts[0, 1]
    assert "10" not in texts[1, 2] and "config.top" in texts[1, 2] and "count" in texts[1, 2]
    assert "config.top" not in texts[3, 4] and "1" not in texts[3, 4]
    assert all(one in texts[()] for one in ("10", "11", "count", "13"))  # no values: nothing is known of it


def test_a_program_for_all_releases_does_what_each_of_them_does():
    releases = [revision for revision in KAFKA.revisions if revision != "v3"]
    configs = [KAFKA.configure(revision, brokers=2, crashes=1, session_expiries=1) for revision in releases]
    whole = program(a.function for a in KAFKA.actions)
    special = specialise_shared(whole, configs, KAFKA.state)
    functions = functions_of(special, [a.function for a in KAFKA.actions])
    left = set(re.findall(r"config\.(\w+)", special.text()))
    assert left <= set(differing(configs)) and "truncation" in left
    for config in configs:
        for state in walked_states(KAFKA, config, repr(config)):
            expected, mine = state.copy(), state.copy()
            for action, run in zip(KAFKA.actions, functions, strict=True):
                for arguments in action.instances(config):
                    enabled = bool(action.version(config)(expected, *arguments))
                    assert bool(run(mine, *arguments)) == enabled and mine == expected, action.label(arguments)
                    if enabled:
                        expected, mine = state.copy(), state.copy()


@pytest.mark.parametrize("top", range(6))
@pytest.mark.parametrize("count", range(3))
@pytest.mark.parametrize("function", [folds, has_its_own, reads_limit], ids=lambda f: f.__name__)
def test_folding(function, top, count):
    config = toys.COUNTERS.configure("only", top=max(top, count), counters=2 + top % 2)
    state = toys.Counters(config)
    state.count[0] = count
    (run,) = functions_of(specialise(program([function]), config, toys.Counters), [function])
    assert run(state) == function(state)


def raised(s, by):
    s.count[0] += by
    return s.count[0] < 3


def seven(_):
    return 7


def whose_test_writes(s):
    if raised(s, 1):
        if s.config.top > 50:
            s.count[1] = 1
    return True


def whose_first_part_writes(s):
    if raised(s, 1) and s.config.top > 50:
        s.count[1] = 1
    if raised(s, 1) or s.config.top < 50:
        s.count[1] += 1
    return True


def whose_argument_writes(s):
    s.count[1] = seven(raised(s, 1))
    return True


def of_numbers(s):
    large = s.config.top > 50
    s.count[1] = (s.count[0] or 2) + 10 * (s.count[0] and 3) + 100 * ((s.count[0] and large) or s.count[0])
    s.count[0] = (s.count[0] or s.config.top) + (s.config.top and s.count[0]) + (s.count[0] == 1 or 1) + (large or 5)
    return s.count[0] and 4


@pytest.mark.parametrize("function", [whose_test_writes, whose_first_part_writes, whose_argument_writes, of_numbers])
def test_what_writes_stays_and_numbers_are_no_truths(function):
    config = toys.COUNTERS.configure("only", counters=2, top=9)
    whole = program([function])
    special = specialise(whole, config, toys.COUNTERS.state)
    for count in range(4):
        expected, found = toys.COUNTERS.state(config), toys.COUNTERS.state(config)
        expected.count[0] = found.count[0] = count
        assert functions_of(special, [function])[0](found) == function(expected)
        assert found == expected


def test_a_number_is_no_truth_where_a_test_was_forgotten():
    """Tests were known by the address of their node, which a number got when the test was gone."""
    tests = "\n".join(f"    if not s.config.top > {i}:\n        return 0" for i in range(40))
    numbers = "\n".join(f"    if (s.config.top and 2) != 2:\n        return {i}" for i in range(40))
    functions, _ = read_functions(f"def first(s):\n{tests}\n    return 0\n\ndef then(s):\n{numbers}\n    return 99\n")
    whole, config = Program(functions=functions), toys.COUNTERS.configure("only", top=50)
    for _ in range(100):
        assert specialise(whole, config, toys.Counters).functions["then"].body[0].python == "return 99"


class Named(Record):
    """A record in which names of the state stand for something else."""

    mark = many(integer(0, 9, "an array"), MEMBERS)


class Clashing(State):
    """Variables that are 0 without marks, and other things of their names."""

    mark = integer(0, "marks", "a number")
    count = many(integer(0, "marks", "a number"), MEMBERS)
    store = one(Named, "a record")
    other = integer(0, "marks", "no name of anything else")
    top = integer(0, "marks", "called like a setting")


class ClashingConfig(Settings):
    marks = size(0, 0, 3, "marks")
    top = size(2, 1, 5, "a setting called like a variable")
    members = derived(lambda c: c.top)


def through_a_name(s, member):
    c = s.config
    return s.store.mark[member] + c.top + s.other


def test_a_name_that_stands_for_an_array_or_a_record_too_is_read():
    assert fixed_variables(Clashing(ClashingConfig())) == {"other": 0, "top": 0}
    assert fixed_variables(Clashing(ClashingConfig(marks=1))) == {}


def test_a_setting_is_not_taken_for_a_variable_of_its_name():
    config = ClashingConfig()
    whole = with_plugin_checks(program([through_a_name]), ["through_a_name"], Clashing, ClashingConfig)
    names = {}
    exec(specialise(whole, config, Clashing).text(), names)  # our own text
    state = Clashing(config)
    state.store.mark[1] = 4
    assert names["through_a_name"](state, 1) == through_a_name(state, 1) == 6


@pytest.mark.parametrize(("model", "revision", "settings"), CASES[:: len(KAFKA_SETTINGS) + 1])
def test_what_was_folded_for_other_settings_is_shared_only_where_these_decide_the_same(model, revision, settings):
    """`as_written` has been folded for what the tests before asked for; here it is folded for all revisions, and then anew."""
    whole, config = as_written(model)[0], model.configure(revision, **settings)
    for other in model.revisions:
        specialise(whole, model.configure(other), model.state)
        specialise(whole, model.configure(other), model.state, {"brokers": [2, 3]})
    for left in ({}, {"brokers": [1, 2]}, {"brokers": [2]}):
        found = specialise(whole, config, model.state, left)
        assert found.text() == specialise(replace(whole, folded={}), config, model.state, left).text()
    assert specialise(whole, config, model.state).functions == specialise(whole, config, model.state).functions


def test_few_folded_functions_are_kept(monkeypatch):
    monkeypatch.setattr("highwater.model.language.reading.specialise.MAX_FOLDED", 100)
    whole, config = replace(as_written(KAFKA)[0], folded={}), KAFKA.configure("kip-320")
    assert specialise(whole, config, KAFKA.state).text() == specialise(as_written(KAFKA)[0], config, KAFKA.state).text()
    assert len(whole.functions) > 200 and len(whole.folded) <= 100


def yes(s):
    return s.config.top


def asks(s):
    return yes(s)


def test_an_answer_is_another_one_where_it_is_of_another_kind():
    """True and 1 are equal, but not the same text."""
    whole = program([asks])
    one = specialise(whole, toys.COUNTERS.configure("only", top=1), toys.Counters)
    whole.functions["yes"] = function_in("def yes(s):\n    return s.config.top == 1")
    other = specialise(whole, toys.COUNTERS.configure("only", top=1), toys.Counters)
    assert [p.functions["asks"].body[-1].python for p in (one, other)] == ["return 1", "return True"]
