"""Functions that go to LLVM directly do what Python does; what the language of models does not have stays Numba's."""

import re

import numpy as np
import pytest
from highwater.model.language.machine_code.lane_values import Spread
from highwater.model.language.machine_code.loader import load
from highwater.model.language.machine_code.lowered_body import Body
from highwater.model.language.machine_code.lowered_expressions import ORDER, SIMPLE
from highwater.model.language.machine_code.lowered_kinds import LoweringError
from highwater.model.language.machine_code.lowering import Lowering
from highwater.model.language.reading import typed_tree
from highwater.model.language.reading.arithmetic import HELPER_NAMES, HELPERS
from highwater.model.language.reading.typed_reading import SIGNS
from hypothesis import given, settings
from hypothesis import strategies as st

TEXT = '''
SEVEN = 7

def shares(a, b):
    return a // SEVEN, b

def arithmetic(a, b):
    return (a + b * 3 - (a & b)) ^ (a | ~b) + (a >> 2) - (b << 1) + -a

def far(a, b):
    return a >> 61 + (b & 7)

def divided(a, b):
    return a // SEVEN * 1000 + b % 5

def chained(a, b):
    return a < b <= 5 != a

def either(a, b):
    return a and b > 0 or b

def chosen(a, b):
    found = a == b
    if found:
        return found
    found += min(a, b, 3) * 10 + max(a, 0)
    return found if a > b else -found

def counted(a, b):
    total = 0
    for i in range(5, -2, -2):
        if i == a:
            continue
        for j in range(i, 6):
            if j == b:
                total += i
            elif j > 4:
                total -= 1
    return total

def is_large(part, limit):
    return part.x >= limit

def of_records(s, a, b):
    me = s.inner[a]
    found = is_large(me, b) + 2 * me.list[1][b]
    for one in range(2):
        me = s.inner[one]
        me.x += a
        me.list[one][0] = me.x != b
        me = s.other
        found += me.y
    s.small = (a + 200) & 255
    s.flag = a > b
    return found + s.small + 7 * s.flag

def of_words(s, a, b):
    return trailing_zeros(np.uint64(16) << np.uint64(a)) + (np.uint64(5) != np.uint64(b))

def answers(recs, out, a, b):
    out[0] = arithmetic(a, b) + far(a, b) * 1000
    out[1] = divided(a, b)
    out[2] = chained(a, b)
    out[3] = either(a, b)
    out[4] = chosen(a, b)
    out[5] = counted(a, b)
    out[6] = of_records(recs[1], a & 1, b & 3)
    out[7] = of_words(recs[0], a & 7, b & 7)
    left = np.uint64(a & 7)
    while left != np.uint64(0):
        left &= left - np.uint64(1)
        out[8] += 1
'''  # fmt: skip
HEADER = "from highwater.explorer.compiling.machine_instructions import trailing_zeros"
INNER = np.dtype([("x", "i1"), ("list", "i1", (3, 4))])
OTHER = np.dtype([("y", "i2")])
STATE = np.dtype((np.record, [("pad", "i1"), ("inner", INNER, (2,)), ("other", OTHER), ("small", "u1"), ("flag", "?")]))
SMALL = st.integers(-100, 100)


def run(module, a, b):
    """The answers, and the states as they are afterwards."""
    recs, out = np.zeros(2, STATE), np.zeros(9, np.int64)
    recs["inner"]["x"], recs["other"]["y"] = [[3, -2], [20, 9]], 300
    recs["inner"]["list"] = np.arange(12).reshape(3, 4)
    module.answers(recs.view(np.recarray) if module is PLAIN else recs, out, a, b)
    return out.tolist(), recs.tobytes()


def plain():
    """The same text, run by Python."""
    from types import SimpleNamespace

    names = {"np": np, "trailing_zeros": lambda word: (int(word) & -int(word)).bit_length() - 1}
    exec(TEXT, names)
    return SimpleNamespace(answers=names["answers"])


PLAIN = plain()


@settings(max_examples=200, deadline=None)
@given(SMALL, SMALL)
def test_they_do_what_python_does(a, b):
    module = load("test-lowering", TEXT, ["answers"], (), HEADER)
    assert run(module, a, b) == run(PLAIN, a, b)


def test_every_construct_and_operator_has_its_code():
    kinds = {*typed_tree.Expression.__subclasses__(), *typed_tree.Statement.__subclasses__()} - {typed_tree.Unknown}
    assert {f"visit_{kind.__name__}" for kind in {*kinds, *typed_tree.Unknown.__subclasses__()}} <= {*dir(Body)}
    assert {*SIMPLE, *ORDER, "//", "%", ">>", "~"} == {*SIGNS.values()}


def test_what_the_language_does_not_have_stays_with_numba():
    lowering = Lowering(TEXT, (), ())
    assert {"answers", "counted", "of_records", "of_words"} <= set(lowering.functions)
    assert "shares" not in lowering.functions


@pytest.mark.parametrize(
    "body",
    [
        "return a // b", "a //= b\n    return a", "return a % SEVEN", "return (a, b)", "return a / 2", "return a[b:]",
        "return a ** b",
        "return a.shape", "return g(a)", "return later(a, b)", "raise ValueError(a)", "return f(a, key=b)", "return a is b",
        "if a:\n        return b", "if a:\n        c = b\n    return c", "return max(a, 1.5)", "for i in a:\n        pass",
        "for i in range(0, a, b):\n        pass", "for i in range(a):\n        pass\n    else:\n        a = b",
    ],
)  # fmt: skip
def test_what_can_raise_or_is_not_in_the_language(body):
    text = f"SEVEN = 0\ndef f(a, b):\n    {body}\ndef later(a, b):\n    return a // b\n"
    assert not Lowering(text, (), ()).functions


def test_a_variable_that_is_named_like_a_constant_is_no_constant():
    """A division by it can raise."""
    text = "SEVEN = 7\ndef f(a, b):\n    SEVEN = a\n    return b // SEVEN\ndef g(a):\n    return a // SEVEN\n"
    assert set(Lowering(text, (), ()).functions) == {"g"}


def test_a_name_that_stands_for_different_records_is_refused():
    text = "def f(s, a):\n    if a:\n        me = s.inner[0]\n    else:\n        me = s.other\n    return me.x\n"
    with pytest.raises(LoweringError, match="me, which may be one of several records, in f"):
        Lowering(text, (), ()).make("f", [STATE, "number"])


FAILING = HELPERS + '''
def even(number):
    if number & 1:
        raise ValueError("odd")
    return number

def refuse(number):
    if number > 20:
        raise ValueError("too large")

def part(s, index):
    s.flag = True
    return s.inner[within(index, 2)]

def sum_of(s, a, b):
    total = 0
    for i in range(b):
        if i == 1 and even(a) > 2 or within(i, 5) == 4:
            total += 1
        part(s, total).x += i
        refuse(a)
    return total if total else even(b)

def answers(recs, out, a, b):
    out[0] = 1
    out[1] = sum_of(recs[within(a & 3, 2)], a, b)
    refuse(a + b)
    out[3] = added(shifted(a, b), subtracted(product(a, b), b))
    out[4] = fitting(masked(a) * 7, 0, 150)
    s = 3
    s = recs[s - 3]
    out[2] = s.inner[1].x
'''  # fmt: skip


def outcome(answers, recs, records, a, b):
    """The answers, the states and the error, if there is one."""
    out, said = np.zeros(9, np.int64), ""
    try:
        answers(records, out, a, b)
    except (IndexError, ValueError) as error:
        said = repr(error)
    return said, out.tolist(), recs.tobytes()


@pytest.mark.parametrize("apart", [(), ("within", "sum_of", "refuse")])
@settings(max_examples=300, deadline=None)
@given(a=st.integers(-5, 25), b=st.integers(-2, 8))
def test_they_fail_as_python_does_and_change_nothing_afterwards(apart, a, b):
    module, names = load("test-failing", FAILING, ["answers"], apart), {}
    exec(FAILING, names)
    one, other = np.zeros(2, STATE), np.zeros(2, STATE)
    found = outcome(module.answers, one, one, a, b)
    assert found == outcome(names["answers"], other, other.view(np.recarray), a, b)


def test_all_of_them_go_to_llvm_directly_and_each_error_has_one_number():
    lowering = Lowering(FAILING, (), ())
    assert set(lowering.functions) == {*HELPER_NAMES, "even", "refuse", "part", "sum_of", "answers"}
    made = lowering.make("answers", [np.dtype((STATE, (1,))), np.dtype((np.int64, (1,))), "number", "number"])
    assert {failure.message for failure in made.failures} == {*re.findall(r'Error\("(.*)"\)', FAILING)}
    assert len({failure.number for failure in made.failures} - {0}) == len(made.failures) == 10
    text = FAILING.replace('"odd"', '"not even"')
    other = Lowering(text, (), ()).make("even", ["number"])
    assert other.text != lowering.make("even", ["number"]).text  # where both are linked, neither is taken for the other


@pytest.mark.parametrize("body", ["s.small = even(3)", "raise ValueError('odd')"])
def test_nothing_in_lanes_can_fail(body):
    """Nobody would look at the word for failures there."""
    text = f"{FAILING}\ndef f(s):\n    {body}\n"
    with pytest.raises(LoweringError, match=r"can fail|an error"):
        Lowering(text, (), ()).make("f", [Spread(STATE)])
