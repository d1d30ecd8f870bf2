"""Arithmetic in checked code (`plugin_checks`): what 64 bits do not hold is an error, and what is known to fit is not looked at.

Of each expression a number of bits is known that its value has at most, beside its sign. Variables have those of their ranges,
which a derived number does not make wider than 32 (`sizes`); of what no range is known, such as a sum in a loop, it is `WIDE`.
"""

import ast
from typing import Any

from ..kinds import Integer, MemberSet, OneOf
from ..settings import Settings
from ..sizes import MAX_NUMBER

WIDE, NARROW = 63, 32
"""Bits of a number of which nothing is known; of the parameters of actions and properties, and of ranges that are derived."""

HELPERS = f"""
def within(index, size):
    if index < 0 or index >= size:
        raise IndexError("an index lies outside its array")
    return index


def shiftable(places):
    if places < 0 or places > 62:
        raise ValueError("a shift by a negative number, or by more than 62")
    return places


def shifted(value, places):
    most = {MAX_NUMBER} >> shiftable(places)
    if value > most or value < 0 - most:
        raise ValueError("a shift beyond 64 bits")
    return value << places


def product(one, other):
    large = max(one, 0 - one, other, 0 - other)
    least = min(max(one, 0 - one), max(other, 0 - other))
    if (
        min(one, other) < 0 - {MAX_NUMBER}
        or (least >= 2147483648 and large >= 4294967296)
        or (large >> 31) * least > 4294967295
        or (large >> 31) * least + ((large & 2147483647) * least >> 31) > 4294967295
    ):
        raise ValueError("a product beyond 64 bits")
    return one * other


def added(one, other):
    if one > {MAX_NUMBER} - max(0, other) or one < 0 - {MAX_NUMBER} - min(0, other):
        raise ValueError("a sum beyond 64 bits")
    return one + other


def subtracted(one, other):
    if one > {MAX_NUMBER} + min(0, other) or one < max(0, other) - {MAX_NUMBER}:
        raise ValueError("a difference beyond 64 bits")
    return one - other


def masked(value):
    if value < 0 - {MAX_NUMBER}:
        raise ValueError("a mask beyond 64 bits")
    return value


def fitting(value, low, high):
    if value < min(-128, low) or value > max(127, high):
        raise ValueError("a value that its variable cannot hold")
    return value
"""
"""What the copies call."""

HELPER_NAMES = ("within", "shiftable", "shifted", "product", "added", "subtracted", "masked", "fitting")
"""Their names, which no function of a program gets."""

CHECKS: dict[type[ast.operator], str] = {ast.LShift: "shifted", ast.Mult: "product", ast.Add: "added", ast.Sub: "subtracted"}


def bits_of(node: ast.expr) -> int:
    """How many bits the value of a copied expression has at most."""
    if isinstance(node, ast.Constant):
        return abs(int(node.value)).bit_length() if isinstance(node.value, int) else WIDE
    if isinstance(node, ast.IfExp):
        return max(bits_of(node.body), bits_of(node.orelse))
    if isinstance(node, ast.BoolOp):
        return max(map(bits_of, node.values))
    if isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
        return 1
    if isinstance(node, ast.UnaryOp):
        return bits_of(node.operand)
    return int(getattr(node, "bits", WIDE))


def with_bits(node: Any, bits: int) -> Any:
    """The expression, of which so much is known."""
    node.bits = min(bits, WIDE)
    return node


def bits_of_kind(kind: Any, settings: type[Settings]) -> int:
    """How many bits a variable of a kind has."""
    if isinstance(kind, Integer) and not isinstance(kind, OneOf):
        return max(8, *(bits_of_bound(end, settings) for end in (kind.low, kind.high)))  # a cell has a byte at least
    return NARROW if isinstance(kind, MemberSet) else 16


def bits_of_bound(end: int | str, settings: type[Settings], derived: int = NARROW) -> int:
    """How many bits a number has, or a setting, or what is derived from settings."""
    known = settings.settings.get(end) if isinstance(end, str) else None
    if known is not None:
        return max(abs(known.low).bit_length(), abs(known.high).bit_length())
    return derived if isinstance(end, str) else abs(end).bit_length()


def operated(left: ast.expr, operator: ast.operator, right: ast.expr, is_fixed: bool) -> ast.expr:
    """The operation, which fails where 64 bits do not hold what Python computes; on settings alone it is done beforehand."""
    a, b = bits_of(left), bits_of(right)
    bits = {ast.Mult: a + b, ast.Mod: b, ast.RShift: a, ast.LShift: WIDE + 1}.get(type(operator), max(a, b) + 1)
    if type(operator) in CHECKS and bits > WIDE and not is_fixed:
        return with_bits(ast.Call(ast.Name(CHECKS[type(operator)], ast.Load()), [left, right], []), WIDE)
    if isinstance(operator, (ast.BitAnd, ast.BitOr, ast.BitXor)) and bits > WIDE and not is_fixed:  # of two, the lowest of all
        return with_bits(ast.Call(ast.Name("masked", ast.Load()), [ast.BinOp(left, operator, right)], []), WIDE)
    if isinstance(operator, ast.RShift):
        right = ast.Call(ast.Name("shiftable", ast.Load()), [right], [])
    return with_bits(ast.BinOp(left, operator, right), bits)


def bucket(bits: int) -> int:
    """Bits of an argument, in few classes: a function has a copy for each."""
    return next(item for item in (NARROW, 48, WIDE) if bits <= item)
