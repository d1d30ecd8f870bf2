"""Sorts of expressions in a model: numbers, members, sets of members, and what is made from them (`preferences`)."""

import ast
from dataclasses import dataclass
from typing import Any

from .kinds import MEMBERS, NO_MEMBER, Integer, Kind, Many, Member, MemberSet, One, declared
from .settings import Settings
from .typed_tree import BINARY, SIGNS

NUMBER, MEMBER, SET, SHIFTED, RECORD = "a number", "a member", "a set of members", "a shifted set of members", "a record"
MADE = "a number made from a member"
MIXED = "a member on one way and a number on another"
CONFIG = "the configuration"
SORTS: dict[type[Kind], str] = {Integer: NUMBER, Member: MEMBER, MemberSet: SET}


@dataclass(frozen=True)
class Value:
    """What an expression is: its sort, its number if that is known, and the kind of a record or an array.

    `ranges`: it takes the value of every member in turn, as a parameter or the variable of a loop does. `table`: of a number that
    is made from a member, the one that each member gives.
    """

    sort: str
    number: int | None = None
    kind: Any = None
    ranges: bool = False
    table: tuple[int, ...] = ()


ANY_NUMBER = Value(NUMBER)


def is_member(value: Value) -> bool:
    """Whether it can stand for a member, or for none."""
    return value.sort == MEMBER or (value.sort == NUMBER and value.number == NO_MEMBER)


def computed(operator: ast.AST, left: int | None, right: int | None) -> int | None:
    """The result of an operation on numbers, where both are known and it has one."""
    if left is None or right is None:
        return None
    try:
        sign = SIGNS[type(operator)]
        return int(BINARY[sign](left, right)) if abs(right) < 64 or sign != "<<" else None
    except (ArithmeticError, ValueError):
        return None


def described(value: Value) -> str:
    """A value in words."""
    return f"the number {value.number}" if value.sort == NUMBER and value.number is not None else value.sort


def sorts_of(dimension: str, config: Settings) -> list[Value]:
    """What a parameter over this dimension may be: a member, a number, or either where there are as many as members."""
    member = Value(MEMBER, ranges=True)
    if dimension == MEMBERS:
        return [member]
    return [ANY_NUMBER, member] if getattr(config, dimension) == getattr(config, MEMBERS) else [ANY_NUMBER]


def names_members(kind: Any) -> bool:
    """Whether a record or an array has variables for members, or elements by member: its order is that of the members."""
    kinds = [kind, *(one for _, one in declared(kind))]
    return any(isinstance(one, (Member, MemberSet)) or getattr(one, "dimension", None) == MEMBERS for one in kinds)


def value_of(kind: Any, config: Settings) -> Value:
    """What a variable, a record or an array is; a variable that always holds one number is that number."""
    for declaration, sort in SORTS.items():
        if isinstance(kind, declaration):
            low, high = kind.span(config)
            return Value(sort, int(low) if sort == NUMBER and low == high else None)
    return Value(RECORD, kind=kind.element if isinstance(kind, One) else kind)


def length_of(kind: Any, config: Settings) -> Value:
    """The length of an array, or of a container (`sequences`)."""
    return Value(NUMBER, int(getattr(config, kind.dimension)) if isinstance(kind, Many) else None)
