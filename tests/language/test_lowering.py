"""Functions that go to LLVM directly do what Python does; what the language of models does not have stays Numba's."""

import ast

import numpy as np
import pytest
from highwater.model.language.loader import load
from highwater.model.language.lowered_expressions import LoweringError
from highwater.model.language.lowering import Lowering
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


def test_what_the_language_does_not_have_stays_with_numba():
    lowering = Lowering(ast.parse(TEXT), (), ())
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
    assert not Lowering(ast.parse(text), (), ()).functions


def test_a_variable_that_is_named_like_a_constant_is_no_constant():
    """A division by it can raise."""
    text = "SEVEN = 7\ndef f(a, b):\n    SEVEN = a\n    return b // SEVEN\ndef g(a):\n    return a // SEVEN\n"
    assert set(Lowering(ast.parse(text), (), ()).functions) == {"g"}


def test_a_name_that_stands_for_different_records_is_refused():
    text = "def f(s, a):\n    if a:\n        me = s.inner[0]\n    else:\n        me = s.other\n    return me.x\n"
    with pytest.raises(LoweringError, match="me, which may be one of several records, in f"):
        Lowering(ast.parse(text), (), ()).make("f", [STATE, "number"])
