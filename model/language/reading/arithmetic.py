"""Arithmetic in checked code (`plugin_checks`): what 64 bits do not hold is an error, and what is known to fit is not looked at.

Of each expression a number of bits is known that its value has at most, beside its sign. Variables have those of their ranges,
which a derived number does not make wider than 32 (`sizes`); of what no range is known, such as a sum in a loop, it is `WIDE`.
"""

from collections.abc import Container
from typing import Any, NamedTuple

from ..kinds import Integer, MemberSet, OneOf
from ..settings import Settings
from ..sizes import MAX_NUMBER
from .shapes import NUMBER, Shape
from .typed_tree import Call, Node, Operation, is_fixed

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

CHECKS = {"<<": "shifted", "*": "product", "+": "added", "-": "subtracted"}
"""The check that takes the place of an operation."""


class Known(NamedTuple):
    """A copied expression, what it is, and how many bits its value has at most; of a place its `kind`, too."""

    node: Any
    shape: Shape = NUMBER
    bits: int = WIDE
    kind: Any = None


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


def operated(left: Known, sign: str, right: Known, names: Container[str], node: Node) -> Known:
    """The operation, which fails where 64 bits do not hold what Python computes; on settings alone it is done beforehand."""
    whole = Operation(left.node, sign, right.node, source=node.source)
    a, b = left.bits, right.bits
    bits = {"*": a + b, "%": b, ">>": a, "<<": WIDE + 1}.get(sign, max(a, b) + 1)
    beyond = bits > WIDE and not (is_fixed(left.node, names) and is_fixed(right.node, names))
    if sign in CHECKS and beyond:
        return Known(Call(CHECKS[sign], (left.node, right.node), source=node.source))
    if sign in ("&", "|", "^") and beyond:  # of two, the lowest of all
        return Known(Call("masked", (whole,), source=node.source))
    if sign == ">>":
        whole = Operation(left.node, sign, Call("shiftable", (right.node,)), source=node.source)
    return Known(whole, bits=min(bits, WIDE))


def bucket(bits: int) -> int:
    """Bits of an argument, in few classes: a function has a copy for each."""
    return next(item for item in (NARROW, 48, WIDE) if bits <= item)
