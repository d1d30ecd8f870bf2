"""Tables of numbers in a module: Python, compiled code and formulas agree, and beyond their ends is an error of the model."""

import random

import highwater
import pytest
from highwater.explorer.library import of_a_user
from highwater.explorer.plain.graph import state_graph
from highwater.explorer.symbolic.relation import Relation
from highwater.model.language import Model, State, UsageError, cells, integer
from highwater.model.language.errors import ModelError
from highwater.properties.property import always
from support.agreement import SymbolicStep, as_model, plain_step, random_state
from support.exploring import reachable

WEIGHTS = (5, 2, -1, 3)
ODD = (1, 3)
STEPS = ((0, 1, 2), (2, -2, 0))
RAGGED = ((1,), 2)


class Scale(State):
    """Weights on a scale."""

    weight = integer(-20, 20, "what it shows")
    count = integer(0, 3, "weights")


def put(s, which):
    """A weight is put on, an odd one only if there is none."""
    if s.count == 3 or (which in ODD and s.count != 0):
        return False
    s.weight += WEIGHTS[which]
    s.count += 1
    return True


def take_all(s):
    """All are taken off at once."""
    if s.weight != sum(one for one in WEIGHTS) or s.count != len(ODD):
        return False
    for weight in WEIGHTS:
        s.weight -= weight
    s.count = 0
    return True


def shake(s, how):
    """The scale is shaken."""
    if abs(s.weight) > 2:
        return False
    s.weight += STEPS[how][s.count % 3]
    return True


def is_light(s):
    """It is never too heavy."""
    return s.weight <= 7 + 3 * WEIGHTS[0] and any(s.weight >= 9 * weight for weight in WEIGHTS)


MODEL = Model(state=Scale, domains={"which": 4, "how": 2}, actions=[put, take_all, shake], properties=[always(is_light)])
WHOLE = of_a_user(MODEL)


def test_python_and_compiled_code_find_the_same_states():
    states = {cells(state) for _, state in reachable(WHOLE, WHOLE.configure("only"))}
    found = highwater.check(MODEL, threads=1)
    assert found and found.states == len(states) > 10


def test_z3_reads_the_same():
    relation = Relation(WHOLE, WHOLE.configure("only"), list(WHOLE.properties))
    dice = random.Random(1)
    for instance in relation.instances(False):
        symbolic = SymbolicStep(relation, instance)
        for _ in range(20):
            state = random_state(WHOLE, relation.config, dice)
            wanted = plain_step(state, instance)
            enabled, inside, after = symbolic.at(cells(state), as_model(relation, cells(state)))
            assert inside and enabled == wanted[0] and (not enabled or after == wanted[1])


def beyond(s):
    """There are but four."""
    s.weight = WEIGHTS[s.count]
    s.count = 3 if s.count == 3 else s.count + 1
    return s.weight < 30


def far(s):
    """There are but two."""
    s.weight = ODD[s.count]
    s.count += 1
    return True


def ragged(s):
    """Not everywhere as deep."""
    s.weight = RAGGED[0][0]
    return True


def shallow(s):
    """There are numbers two levels down."""
    s.weight = STEPS[0]
    return True


def before_the_first(s):
    """Python counts from the end; arrays of a state have no such index either."""
    s.weight = WEIGHTS[-1]
    return True


def behind_the_last(s):
    """A row has but three."""
    s.weight = STEPS[1][3]
    return True


@pytest.mark.parametrize(("action", "what"), [(before_the_first, "WEIGHTS[-1]"), (behind_the_last, "STEPS[1][3]")])
def test_a_number_that_is_no_index_is_refused_before_anything_runs(action, what):
    last = 3 if action is before_the_first else 2
    with pytest.raises(UsageError) as found:
        highwater.check(Model(state=Scale, actions=[action]), threads=1)
    assert f"{what}, and the indices there go from 0 to {last}, in {action.__name__}" in str(found.value)


@pytest.mark.parametrize(("action", "why"), [(ragged, "is of something other than numbers"), (shallow, "has 2 indices")])
def test_a_table_has_as_many_indices_everywhere(action, why):
    with pytest.raises(UsageError, match=rf"test_tables.py:\d+: .*, and the table {why}, in {action.__name__}"):
        highwater.check(Model(state=Scale, actions=[action]), threads=1)


def test_beyond_the_end_is_an_error_of_the_model():
    assert highwater.check(Model(state=Scale, actions=[beyond]), threads=1).states == 5
    with pytest.raises(ModelError, match=r"^ODD\[s.count\] is outside the table: the index is 2 \(.*:\d+ in far\)$"):
        highwater.check(Model(state=Scale, actions=[far]), threads=1)


def below(s):
    """Python would count from the end."""
    s.weight = STEPS[1][s.count - 1]
    return True


def test_below_the_first_is_one_too():
    model = of_a_user(Model(state=Scale, actions=[below]))
    said = r"STEPS\[1\]\[s.count - 1\] is outside the table: the index is 1, -1 \(.*test_tables.py:\d+ in below\)$"
    with pytest.raises(ModelError, match=said):
        highwater.check(model, threads=1)
    with pytest.raises(ModelError, match=said):
        state_graph(model, model.configure("only"))
    (instance,) = (relation := Relation(model, model.configure("only"))).instances(False)
    assert "index of STEPS" in {one.what for one in relation.step(instance).obligations}
