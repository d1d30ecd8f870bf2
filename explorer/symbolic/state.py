"""A model's state with terms in the place of numbers: the same records and arrays, mutable in place.

It is built from the declaration of the state (`model.language.kinds`), one variable per variable, so the
symbolic state knows nothing that the plain state does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from ...model.language.kinds import NO_MEMBER, Kind, Many, Member, One, walk
from .terms import Number, Truth, Value, both, compare, either, variable


class SymbolicRecord:
    """The fields of a record, by name: a value, a record or an array (a list)."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields

    def copy(self) -> SymbolicRecord:
        """Independent records that share the terms."""
        return SymbolicRecord({name: _copy(field) for name, field in self.fields.items()})


def _copy(part: Any) -> Any:
    if isinstance(part, SymbolicRecord):
        return part.copy()
    return [_copy(element) for element in part] if isinstance(part, list) else part


def build(state: Any, leaf: Callable[[str, Kind, int], Value]) -> SymbolicRecord:
    """The symbolic twin of a plain state; `leaf` gives the value of each variable: (path, kind, number)."""
    values = iter([leaf(path, kind, number) for path, kind, number in walk(type(state), state)])

    def part(kind: Any, value: Any) -> Any:
        if isinstance(kind, Kind):
            return next(values)
        if isinstance(kind, Many):
            return [part(kind.element, element) for element in value]
        record = kind.element if isinstance(kind, One) else kind
        return SymbolicRecord({name: part(field, getattr(value, name)) for name, field in record.fields.items()})

    built = part(type(state), state)
    assert isinstance(built, SymbolicRecord)
    return built


def lift(state: Any) -> SymbolicRecord:
    """A plain state as it is: every variable is a number."""
    return build(state, lambda path, kind, number: number)


def reach(kind: Kind, config: Any) -> tuple[int, int]:
    """The lowest and the highest number that may stand in a variable, `NO_MEMBER` as the number it is."""
    low, high = kind.span(config)
    return (0, NO_MEMBER) if isinstance(kind, Member) else (low, high)


def fresh(empty: Any, prefix: str) -> SymbolicRecord:
    """A state of which nothing is known but the ranges: one Z3 constant per variable, `prefix` before its path."""

    def leaf(path: str, kind: Kind, number: int) -> Value:
        low, high = reach(kind, empty.config)
        return low if low == high else variable(prefix + path, low, high)

    return build(empty, leaf)


def leaves(part: Any) -> Iterator[Value]:
    """The values of all variables, in the order of declaration."""
    if isinstance(part, SymbolicRecord):
        for field in part.fields.values():
            yield from leaves(field)
    elif isinstance(part, list):
        for element in part:
            yield from leaves(element)
    else:
        yield part


def in_range(kind: Kind, value: Value, config: Any) -> Truth:
    """The value may stand in a variable of this kind."""
    low, high = kind.span(config)
    if isinstance(kind, Member):
        return either([compare("==", value, NO_MEMBER), both([compare("<=", 0, value), compare("<=", value, high)])])
    return both([compare("<=", low, value), compare("<=", value, high)])


def within_ranges(state: SymbolicRecord, empty: Any, unless: SymbolicRecord | None = None) -> Truth:
    """Every variable is within its declared range; those that are as in `unless` are left out.

    A number that the model itself bounds only in the normal form (a version, which grows without end) is
    not asked for: proofs assume that it does not reach the end of its range.
    """
    known = list(leaves(unless)) if unless is not None else [None] * 10**6
    parts = []
    for (_, kind, _), value, old in zip(walk(type(empty), empty), leaves(state), known, strict=False):
        grows = kind.span(empty.config) != kind.normal_span(empty.config)
        if value is not old and not grows:
            parts.append(in_range(kind, value, empty.config))
    return both(parts)


def domain(state: SymbolicRecord, empty: Any) -> Truth:
    """What the widths of a fresh state's bit-vectors do not say of its ranges."""
    parts = []
    for (_, kind, _), value in zip(walk(type(empty), empty), leaves(state), strict=True):
        if isinstance(value, Number):
            low, high = kind.span(empty.config)
            size = value.term.size()
            tight = not isinstance(kind, Member) and high - low + 1 == 1 << size
            if not tight:
                parts.append(_declared(kind, value, low, high))
    return both(parts)


def _declared(kind: Kind, value: Number, low: int, high: int) -> Truth:
    """The range as a term: the bounds that the number carries must not decide it."""
    width = value.term.size()
    if isinstance(kind, Member):
        return z3.Or(value.term == NO_MEMBER, z3.ULE(value.term, z3.BitVecVal(high, width)))
    if low < 0:
        return z3.And(value.term >= low, value.term <= high)
    return z3.And(z3.UGE(value.term, low), z3.ULE(value.term, high)) if low > 0 else z3.ULE(value.term, high)


def plain(empty: Any, state: SymbolicRecord, model: Any) -> Any:
    """The plain state that a Z3 model makes of a symbolic one."""
    return filled(empty, iter([number_in(model, value) for value in leaves(state)]))


def filled(empty: Any, numbers: Iterator[int]) -> Any:
    """A plain state with these numbers, in the order of declaration."""
    result = empty.copy()
    _fill(result, numbers)
    return result


def number_in(model: Any, value: Value) -> int:
    """The number that a Z3 model gives to a value."""
    if isinstance(value, Number):
        found = model.eval(value.term, model_completion=True)
        return int(found.as_signed_long() if value.low < 0 else found.as_long())
    if isinstance(value, z3.BoolRef):
        return int(z3.is_true(model.eval(value, model_completion=True)))
    return int(value)


def _fill(part: Any, numbers: Iterator[int]) -> None:
    """Assign the numbers to the variables of a plain record or array, in order."""
    if isinstance(part, list):
        for index, element in enumerate(part):
            if isinstance(element, int):
                part[index] = next(numbers)
            else:
                _fill(element, numbers)
        return
    for name in part.fields:
        element = getattr(part, name)
        if isinstance(element, int):
            setattr(part, name, next(numbers))
        else:
            _fill(element, numbers)
