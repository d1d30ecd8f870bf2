"""One turn of a loop over all indices: what it assigns, reads and writes, and values in which its index is replaced."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import z3

from ...model.language.reading import typed_tree as tree
from . import terms
from .frames import Frame
from .orders import FRESH, Count, Element, Group, Someone, mentions
from .terms import Truth, as_term, both, either, negation

Written = tuple[str, tuple[Any, ...]]
"""A variable's path, and the indices at which it was read or written."""


@dataclass(frozen=True)
class Further:
    """The number so many after the index of a loop: which that is, only a loop that is over can say."""

    by: int


@dataclass
class Turn:
    """One turn of a loop, for any index: what it assigns, reads and writes."""

    index: Any
    frame: Frame
    carried: set[str]
    assigned: dict[str, list[tuple[str, Truth, Any]]] = field(default_factory=dict)
    reads: list[Written] = field(default_factory=list)
    writes: list[Written] = field(default_factory=list)


def further_than(value: tree.Expression, names: Mapping[str, Any], index: Any) -> Further | None:
    """`index + 1`, where that is what a loop assigns."""
    match value:
        case tree.Operation(left=tree.Name(name=name), sign="+" | "-" as sign, right=tree.Number(value=by)):
            if names.get(name) is index and type(by) is int:
                return Further(by if sign == "+" else -by)
    return None


def reads_elsewhere(node: tree.Loop, name: str) -> bool:
    """Whether a loop reads a name other than in `name = min(name, ...)`."""
    inside = tree.nodes_in(*node.body)
    assigned = [node for node in inside if isinstance(node, tree.Assign)]
    reads = sum(is_named(node, name) for node in inside) - sum(is_named(node.target, name) for node in assigned)
    folds = sum(is_extreme_of(node.value, name) or is_of_set(node, name) for node in assigned)
    grows = any(isinstance(node, tree.Update) and is_named(node.target, name) for node in inside)
    return reads > folds or grows


def is_named(node: tree.Node, name: str) -> bool:
    """Whether this is the variable of that name."""
    return isinstance(node, tree.Name) and node.name == name


def is_extreme_of(value: tree.Expression, name: str) -> bool:
    """`min(name, ...)` or `max(name, ...)` of two."""
    if not isinstance(value, tree.Call) or value.function not in ("min", "max") or len(value.arguments) != 2:
        return False
    return sum(is_named(argument, name) for argument in value.arguments) == 1


def is_of_set(node: tree.Assign, name: str) -> bool:
    """`name = f(name, ...)`, such as `brokers = including(brokers, broker)`; that it is of that kind is seen in its formula."""
    if not is_named(node.target, name) or not isinstance(node.value, tree.Call) or not node.value.arguments:
        return False
    return is_named(node.value.arguments[0], name) and sum(is_named(one, name) for one in tree.nodes_in(node.value)) == 1


def with_or_without(value: Any, old: Any, term: Any) -> bool | None:
    """Whether a set is another one with this member (True), or without it (False); None where it is neither."""
    if not isinstance(value, Group) or not isinstance(old, Group) or term.sort() != old.members.sort:
        return None
    if value.beyond is not old.beyond:
        return None
    who = z3.Const(f"who#{next(FRESH)}", old.members.sort)
    found, before = as_term(value.has(who)), old.has(who)
    if found.eq(as_term(either([before, who == term]))):
        return True
    return False if found.eq(as_term(both([before, negation(who == term)]))) else None


def replaced(value: Any, swaps: Sequence[tuple[Any, Any]]) -> Any:
    """A value in which terms are replaced by others."""
    if not swaps or value is None or isinstance(value, (bool, int, Count)):
        return value
    if isinstance(value, (Element, Someone, terms.Number)):
        return replace(value, term=z3.substitute(value.term, *swaps))
    if isinstance(value, Group):
        return replace(value, has=lambda who: replaced(value.has(who), swaps))
    return z3.substitute(value, *swaps)


def depends(value: Any, term: Any) -> bool:
    """Whether a value mentions a term."""
    if isinstance(value, (Element, Someone, terms.Number)):
        return mentions(value.term, term)
    if isinstance(value, Group):
        return mentions(as_term(value.has(z3.Const("who", value.members.sort))), term)
    return isinstance(value, z3.BoolRef) and mentions(value, term)
