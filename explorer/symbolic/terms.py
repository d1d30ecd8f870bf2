"""Values of the model while it is read symbolically: truths, and whole numbers with their bounds.

A truth is a Python bool or a Z3 Boolean. A number is a Python int, or a bit-vector that is just wide enough
for the bounds that are known of it: no operation can overflow, for each result gets the width that its
bounds need, and a comparison that the bounds decide never reaches Z3. Bit-vectors were chosen over
Z3's integers because every variable of a model is finite: the queries become propositional.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import z3

Truth = Any
"""bool | z3.BoolRef"""

Value = Any
"""bool | int | z3.BoolRef | Number"""


@dataclass(frozen=True, eq=False)
class Number:
    """A bit-vector, two's complement if `low` is negative, and the bounds of its value, both included."""

    term: Any
    low: int
    high: int


class Unreadable(Exception):
    """An operation that a value does not have; the reader adds file and line."""


class Opaque:
    """A value that is no bit-vector, and brings its own operations (`orders`): an element of an order, a member, a set."""

    @property
    def words(self) -> str:
        """What it is, in words."""
        raise NotImplementedError

    def compare(self, operator: str, left: Any, right: Any) -> Truth:
        """`left operator right`, for the operators ==, < and <=; one of both is this value."""
        raise Unreadable(f"a comparison with {self.words}")

    def choose(self, condition: Truth, yes: Any, no: Any) -> Any:
        """`yes if condition else no`; one of both is this value."""
        raise Unreadable(f"a choice of {self.words}")


# Truths.


def both(parts: Iterable[Truth]) -> Truth:
    """The conjunction, without what is constant."""
    return _joined(parts, True, z3.And)


def either(parts: Iterable[Truth]) -> Truth:
    """The disjunction, without what is constant."""
    return _joined(parts, False, z3.Or)


def _joined(parts: Iterable[Truth], neutral: bool, join: Callable[[list[Any]], Any]) -> Truth:
    kept = []
    for part in parts:
        if part is (not neutral):
            return part
        if part is not neutral:
            kept.append(part)
    if not kept:
        return neutral
    return kept[0] if len(kept) == 1 else join(kept)


def negation(truth: Truth) -> Truth:
    """Not `truth`."""
    if isinstance(truth, bool):
        return not truth
    if z3.is_not(truth):
        return truth.arg(0)
    return z3.Not(truth)


def truth_of(value: Value) -> Truth:
    """What Python's `if` makes of a value."""
    if isinstance(value, (bool, z3.BoolRef)):
        return value
    if value is None:
        return False
    return compare("!=", value, 0)


def as_term(truth: Truth) -> Any:
    """The truth as a Z3 Boolean."""
    return z3.BoolVal(truth) if isinstance(truth, bool) else truth


def is_named(term: Any) -> bool:
    """Whether a term is a constant of ours, or a function of ours of others."""
    return bool(z3.is_app(term) and term.decl().kind() == z3.Z3_OP_UNINTERPRETED)


def subterms(formulas: Iterable[Any], bodies: bool = True) -> Iterator[Any]:
    """Each term of some formulas, once; those within quantifiers only with their `bodies`."""
    seen, todo = set[int](), list(formulas)
    while todo:
        term = todo.pop()
        if term.get_id() not in seen:
            seen.add(term.get_id())
            yield term
            if not z3.is_quantifier(term):
                todo += term.children()
            elif bodies:
                todo.append(term.body())


# Numbers.


def bounds(value: Value) -> tuple[int, int]:
    """The lowest and the highest value that this can be."""
    if isinstance(value, Number):
        return value.low, value.high
    if isinstance(value, z3.BoolRef):
        return 0, 1
    if isinstance(value, Opaque):
        raise Unreadable(f"arithmetic on {value.words}")
    return int(value), int(value)


def width_for(low: int, high: int) -> int:
    """Bits that hold every number from `low` to `high`."""
    if low >= 0:
        return max(1, high.bit_length())
    return max(high.bit_length() if high > 0 else 0, (~low).bit_length()) + 1


def variable(name: str, low: int, high: int) -> Number:
    """A fresh number between two bounds; the caller asserts them where the width allows more."""
    return Number(z3.BitVec(name, width_for(low, high)), low, high)


def whole(term: Any, is_signed: bool) -> Number:
    """The number of a bit-vector of whose bits nothing is known."""
    half = 1 << (term.size() - 1)
    return Number(term, -half, half - 1) if is_signed else Number(term, 0, 2 * half - 1)


def extended(value: Value, width: int) -> Any:
    """The value as a bit-vector of `width` bits, which hold it."""
    if isinstance(value, z3.BoolRef):
        return z3.If(value, z3.BitVecVal(1, width), z3.BitVecVal(0, width))
    if not isinstance(value, Number):
        return z3.BitVecVal(int(value), width)
    more = width - value.term.size()
    if more <= 0:
        return value.term
    return z3.SignExt(more, value.term) if value.low < 0 else z3.ZeroExt(more, value.term)


def _fitted(term: Any, low: int, high: int) -> Value:
    """The number of this term, cut to the width that its bounds need."""
    if low == high:
        return low
    width = width_for(low, high)
    return Number(z3.Extract(width - 1, 0, term) if width < term.size() else term, low, high)


def _common(*values: Value, low: int = 0, high: int = 0) -> tuple[int, list[Any]]:
    """A width that holds all values and a result between `low` and `high`, and the values at that width."""
    spans = [bounds(v) for v in values]
    width = width_for(min(low, *(s[0] for s in spans)), max(high, *(s[1] for s in spans)))
    return width, [extended(v, width) for v in values]


def compare(operator: str, left: Value, right: Value) -> Truth:
    """`left operator right`."""
    if operator in (">", ">="):
        return compare("<" if operator == ">" else "<=", right, left)
    if operator == "!=":
        return negation(compare("==", left, right))
    for value in (left, right):
        if isinstance(value, Opaque):
            return value.compare(operator, left, right)
    (a, b), (c, d) = bounds(left), bounds(right)
    if operator == "<":
        return negation(compare("<=", right, left))
    if operator == "<=":
        if b <= c or a > d:
            return b <= c
        _, (number, other) = _common(left, right)
        return number <= other if min(a, c) < 0 else z3.ULE(number, other)
    if b < c or d < a:
        return False
    if a == b == c == d:
        return True
    if isinstance(left, z3.BoolRef) and isinstance(right, int):
        return left if right == 1 else negation(left)
    _, (number, other) = _common(left, right)
    return True if number.eq(other) else number == other


def choose(condition: Truth, yes: Value, no: Value) -> Value:
    """`yes if condition else no`; None yields to any value."""
    if isinstance(condition, bool):
        return yes if condition else no
    if yes is None or no is None:
        return yes if no is None else no
    if is_truth(yes) and is_truth(no):
        return _choose_truth(condition, yes, no)
    for value in (yes, no):
        if isinstance(value, Opaque):
            return value.choose(condition, yes, no)
    if _same(yes, no):
        return yes
    (a, b), (c, d) = bounds(yes), bounds(no)
    _, (number, other) = _common(yes, no)
    return _fitted(z3.If(condition, number, other), min(a, c), max(b, d))


def extreme(name: str, left: Value, right: Value) -> Value:
    """The `min` or the `max` of both."""
    chosen = choose(compare("<=", left, right), *((left, right) if name == "min" else (right, left)))
    if not isinstance(chosen, Number):
        return chosen
    pick, (a, b), (c, d) = {"min": min, "max": max}[name], bounds(left), bounds(right)
    return _fitted(chosen.term, pick(a, c), pick(b, d))


def is_truth(value: Value) -> bool:
    """It is a truth, not a number."""
    return isinstance(value, (bool, z3.BoolRef))


def _same(left: Value, right: Value) -> bool:
    if isinstance(left, Number) and isinstance(right, Number):
        return left is right or (left.low == right.low and left.high == right.high and left.term.eq(right.term))
    return type(left) is type(right) and isinstance(left, int) and left == right


def _choose_truth(condition: Any, yes: Truth, no: Truth) -> Truth:
    if isinstance(yes, bool):
        return either([condition, no]) if yes else both([negation(condition), no])
    if isinstance(no, bool):
        return either([negation(condition), yes]) if no else both([condition, yes])
    return yes if yes.eq(no) else z3.If(condition, yes, no)


def add(left: Value, right: Value) -> Value:
    """The sum."""
    (a, b), (c, d) = bounds(left), bounds(right)
    _, (number, other) = _common(left, right, low=a + c, high=b + d)
    return _fitted(number + other, a + c, b + d)


def subtract(left: Value, right: Value) -> Value:
    """The difference."""
    (a, b), (c, d) = bounds(left), bounds(right)
    _, (number, other) = _common(left, right, low=a - d, high=b - c)
    return _fitted(number - other, a - d, b - c)


def multiply(left: Value, right: Value) -> Value:
    """The product."""
    corners = [x * y for x in bounds(left) for y in bounds(right)]
    _, (number, other) = _common(left, right, low=min(corners), high=max(corners))
    return _fitted(number * other, min(corners), max(corners))


def invert(value: Value) -> Value:
    """`~value`."""
    low, high = bounds(value)
    _, (term,) = _common(value, low=~high, high=~low)
    return _fitted(~term, ~high, ~low)


def bitwise(operator: str, left: Value, right: Value) -> Value:
    """`left & right`, `left | right` or `left ^ right`."""
    if isinstance(left, int) and isinstance(right, int):
        return {"&": int(left) & int(right), "|": int(left) | int(right), "^": int(left) ^ int(right)}[operator]
    (a, b), (c, d) = bounds(left), bounds(right)
    width, (number, other) = _common(left, right)
    term = {"&": lambda: number & other, "|": lambda: number | other, "^": lambda: number ^ other}[operator]()
    if operator == "&" and (a >= 0 or c >= 0):
        return _fitted(term, 0, min(x for low, x in ((a, b), (c, d)) if low >= 0))
    if a >= 0 and c >= 0:
        return _fitted(term, max(a, c) if operator == "|" else 0, (1 << width) - 1)
    return _fitted(term, -(1 << (width - 1)), (1 << (width - 1)) - 1)


def shift_right(value: Value, by: Value) -> Value:
    """`value >> by`, for `by` that is not negative."""
    (a, b), (c, d) = bounds(value), bounds(by)
    _, (term, count) = _common(value, by)
    if a < 0:
        return _fitted(term >> count, a >> c, b >> (c if b >= 0 else d))
    return _fitted(z3.LShR(term, count), a >> d, b >> c)


def shift_left(value: Value, by: Value) -> Value:
    """`value << by`, for `by` that is not negative."""
    (a, b), (c, d) = bounds(value), bounds(by)
    low, high = min(a << c, a << d), max(b << c, b << d)
    _, (term, count) = _common(value, by, low=low, high=high)
    return _fitted(term << count, low, high)


def divide(operator: str, left: Value, right: Value) -> Value:
    """`left // right` or `left % right`, rounded down as in Python, for a divisor that is known to be positive, or negative."""
    if isinstance(left, int) and isinstance(right, int):
        return left // right if operator == "//" else left % right
    (a, b), (c, d) = bounds(left), bounds(right)
    if d < 0:
        result = divide(operator, subtract(0, left), subtract(0, right))
        return result if operator == "//" else subtract(0, result)
    if a < 0:  # more by so many times the divisor that it is not negative
        result = divide(operator, add(left, multiply(right, -a)), right)
        return subtract(result, -a) if operator == "//" else result
    _, (number, other) = _common(left, right)
    if operator == "//":
        return _fitted(z3.UDiv(number, other), a // d, b // c)
    return _fitted(z3.URem(number, other), 0, min(b, d - 1))


def narrowed(value: Number, low: int, high: int) -> Value:
    """The number where it lies between two bounds that are closer than its own; elsewhere any number between them."""
    width, (term,) = _common(value, low=low, high=high)
    inside = [compare("<=", low, value), compare("<=", value, high)]
    return _fitted(z3.If(as_term(both(inside)), term, z3.BitVecVal(low, width)), low, high)
