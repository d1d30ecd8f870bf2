"""Sorts of expressions in a model: numbers, members, sets of members, and what is made from them (`preferences`)."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from ..kinds import MEMBERS, NO_MEMBER, Integer, Kind, Many, Member, MemberSet, One, Sort, declared
from ..loops import sorts_in
from ..sequences import is_ordered
from ..settings import Settings
from .typed_tree import BINARY

NUMBER, MEMBER, SET, SHIFTED, RECORD = "a number", "a member", "a set of members", "a shifted set of members", "a record"
PLACE = "a place in a bag, a set or a map of members"
MADE = "a number made from a member"
MIXED = "a member on one way and a number on another"
CONFIG = "the configuration"
SORTS: dict[type[Kind], str] = {Integer: NUMBER, Member: MEMBER, MemberSet: SET}


@dataclass(frozen=True)
class Value:
    """What an expression is: its sort, its number if that is known, and the kind of a record or an array.

    `ranges`: it takes the value of every member in turn, as a parameter or the variable of a loop does. `table`: of a number that
    is made from a member, the one that each member gives. `of`: the symmetric sort of a member, of a set, or of what is made from
    them; the array of a container in which it is a place, or whose length it is.
    """

    sort: str
    number: int | None = None
    kind: Any = None
    ranges: bool = False
    table: tuple[int, ...] = ()
    of: Any = ""


ANY_NUMBER = Value(NUMBER)


def is_member(value: Value, of: str) -> bool:
    """Whether it can stand for a member of a sort, or for none."""
    return (value.sort == MEMBER and value.of == of) or (value.sort == NUMBER and value.number == NO_MEMBER)


def is_set(value: Value, of: str, config: Settings) -> bool:
    """Whether it can stand for a set of members of a sort: the empty one and that of all are numbers too."""
    everyone = (1 << int(getattr(config, of))) - 1
    return (value.sort == SET and value.of == of) or (value.number is not None and value.number & everyone in (0, everyone))


def computed(sign: str, left: int | None, right: int | None) -> int | None:
    """The result of an operation on numbers, where both are known and it has one."""
    if left is None or right is None:
        return None
    try:
        return int(BINARY[sign](left, right)) if abs(right) < 64 or sign != "<<" else None
    except (ArithmeticError, ValueError):
        return None


def described(value: Value) -> str:
    """A value in words."""
    of = f" of the sort {value.of}" if isinstance(value.of, Sort) and value.of != MEMBERS else ""
    return f"the number {value.number}" if value.sort == NUMBER and value.number is not None else f"{value.sort}{of}"


def readings_of(dimension: str, state: Any, config: Settings) -> list[Value]:
    """What a parameter over this dimension may be."""
    found = sorts_of(getattr(config, dimension), state, config)
    if dimension in sorts_in(state):
        return [sort for sort in found if sort.of == dimension]
    return sorted([ANY_NUMBER, *found], key=lambda sort: sort.sort != PLACE)


def sorts_of(size: int | None, state: Any, config: Settings) -> list[Value]:
    """What ranges over so many may be, beside a number: a member of a sort that has as many, a place in a bag of members."""
    members = [Value(MEMBER, ranges=True, of=sort) for sort in sorts_in(state) if getattr(config, sort) == size]
    arrays = (array for array in in_order_of_members(state) if getattr(config, array.dimension) == size)
    return [*members, *(Value(PLACE, ranges=True, of=array) for array in arrays)]


@cache
def in_order_of_members(state: Any) -> tuple[Many, ...]:
    """The arrays of bags, sets and maps whose order is that of members' numbers."""
    return tuple(kind.element.fields["item"] for _, kind in declared(state) if has_order_of_members(kind))


def has_order_of_members(kind: Any) -> bool:
    """Whether it is a bag, a set or a map whose order is that of members' numbers, or the field that holds one."""
    return is_ordered(kind) and names_members(getattr(kind, "element", kind).fields["item"].element)


def names_members(kind: Any) -> bool:
    """Whether a record or an array has variables for members, or elements by member: its order is that of the members."""
    kinds = [kind, *(sort for _, sort in declared(kind))]
    return any(isinstance(getattr(sort, "of", getattr(sort, "dimension", None)), Sort) for sort in kinds)


def value_of(kind: Any, config: Settings) -> Value:
    """What a variable, a record or an array is; a variable that always holds one number is that number."""
    for declaration, sort in SORTS.items():
        if isinstance(kind, declaration):
            low, high = kind.span(config)
            return Value(sort, int(low) if sort == NUMBER and low == high else None, of=getattr(kind, "of", ""))
    return Value(RECORD, kind=kind.element if isinstance(kind, One) else kind)


def length_of(kind: Any, config: Settings) -> Value:
    """The length of an array, or of a container (`sequences`)."""
    known = int(getattr(config, kind.dimension)) if isinstance(kind, Many) else None
    return Value(NUMBER, known, of="" if isinstance(kind, Many) else kind.fields["item"])
