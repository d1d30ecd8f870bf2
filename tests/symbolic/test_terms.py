"""Symbolic numbers compute what Python computes, for every value within their bounds."""

import itertools
import operator

import pytest
import z3
from highwater.explorer.symbolic import terms

RANGES = [(0, 3), (-2, 1), (0, 0), (2, 5), (-3, -1), (0, 15)]

NUMBERS = {
    "add": (terms.add, operator.add),
    "subtract": (terms.subtract, operator.sub),
    "multiply": (terms.multiply, operator.mul),
    "and": (lambda a, b: terms.bitwise("&", a, b), operator.and_),
    "or": (lambda a, b: terms.bitwise("|", a, b), operator.or_),
    "xor": (lambda a, b: terms.bitwise("^", a, b), operator.xor),
    "right": (terms.shift_right, operator.rshift),
    "left": (terms.shift_left, operator.lshift),
    "divide": (lambda a, b: terms.divide("//", a, b), operator.floordiv),
    "remainder": (lambda a, b: terms.divide("%", a, b), operator.mod),
    "min": (lambda a, b: terms.extreme("min", a, b), min),
    "max": (lambda a, b: terms.extreme("max", a, b), max),
    "choose": (lambda a, b: terms.choose(terms.compare("<", a, b), a, b), lambda a, b: a if a < b else b),
    "invert": (lambda a, b: terms.invert(a), lambda a, b: ~a),
}

TRUTHS = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def pairs():
    """Two numbers with their bounds, and every pair of values."""
    for (a, b), (c, d) in itertools.product(RANGES, repeat=2):
        left, right = terms.variable("left", a, b), terms.variable("right", c, d)
        yield left, right, list(itertools.product(range(a, b + 1), range(c, d + 1)))


def model_of(left, x, right, y):
    """The constants with these values."""
    model = z3.Model()
    model.update_value(left.term, z3.BitVecVal(x, left.term.size()))
    model.update_value(right.term, z3.BitVecVal(y, right.term.size()))
    return model


def value_in(model, value):
    """The number that the model gives to a value."""
    if isinstance(value, terms.Number):
        found = model.eval(value.term)
        return found.as_signed_long() if value.low < 0 else found.as_long()
    return int(value) if isinstance(value, int) else int(z3.is_true(model.eval(value)))


@pytest.mark.parametrize("name", NUMBERS)
def test_arithmetic_is_pythons(name):
    symbolic, concrete = NUMBERS[name]
    compared = 0
    for left, right, values in pairs():
        if name in ("right", "left") and right.low < 0:
            continue
        if name in ("divide", "remainder") and right.low <= 0 <= right.high:
            continue
        result = symbolic(left, right)
        low, high = terms.bounds(result)
        for x, y in values:
            expected = concrete(x, y)
            assert low <= expected <= high, f"{name} of {x} and {y} is outside its bounds"
            assert value_in(model_of(left, x, right, y), result) == expected, f"{name} of {x} and {y}"
            compared += 1
    assert compared > 20


@pytest.mark.parametrize("sign", TRUTHS)
def test_comparison_is_pythons(sign):
    for left, right, values in pairs():
        result = terms.compare(sign, left, right)
        for x, y in values:
            assert bool(value_in(model_of(left, x, right, y), result)) == TRUTHS[sign](x, y), f"{x} {sign} {y}"


def test_a_number_has_no_more_bits_than_its_bounds_need():
    number = terms.add(terms.variable("x", 0, 2), 1)
    assert terms.bounds(number) == (1, 3)
    assert number.term.size() == 2


def test_a_limit_is_a_bound():
    assert terms.bounds(terms.extreme("max", 0, terms.variable("x", -3, 2))) == (0, 2)
    assert terms.bounds(terms.extreme("min", terms.variable("x", -3, 2), 1)) == (-3, 1)


def test_constants_vanish():
    x = terms.variable("x", 0, 2)
    assert terms.compare("<", x, 3) is True
    assert terms.compare("==", x, 7) is False
    assert terms.both([True, terms.compare("<=", 0, x)]) is True
    assert terms.add(2, 3) == 5
