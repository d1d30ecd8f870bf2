"""A model's state with terms in the place of numbers: the same records and arrays, which hold terms."""

from typing import Any

import z3

from ...model.language.kinds import NO_MEMBER, Kind, Member, fill, leaves, walk
from ...model.language.reading.program import OWN
from .frames import holders
from .terms import Number, Truth, Value, both, compare, either, variable


def fresh(empty: Any, prefix: str) -> Any:
    """A state about which nothing is known but the ranges: one Z3 constant per variable, `prefix` before its path."""
    values: list[Value] = []
    for path, kind, _ in walk(type(empty), empty):
        low, high = kind.span(empty.config)
        if low == high:
            values.append(kind.initial if isinstance(kind, Member) else low)
        else:
            values.append(variable(prefix + path, *((0, NO_MEMBER) if isinstance(kind, Member) else (low, high))))
    return fill(empty.copy(), values)


def numbered(state: Any) -> dict[tuple[int, Any], int]:
    """The number of each variable, in the order of `leaves`, by where it stands: the id of a dict or array, and the key."""
    return {(id(holder), key): number for number, (holder, key) in enumerate(holders(state))}


def in_range(kind: Kind, value: Value, config: Any) -> Truth:
    """The value may stand in a variable of this kind."""
    low, high = kind.span(config)
    if isinstance(kind, Member):
        return either([compare("==", value, NO_MEMBER), both([compare("<=", 0, value), compare("<=", value, high)])])
    return both([compare("<=", low, value), compare("<=", value, high)])


def within_ranges(state: Any, unless: Any) -> Truth:
    """Every variable is within its declared range; those that are as in `unless` are left out.

    A number that one of Highwater's models bounds only in the normal form (a version, which grows without end) is
    not asked for: proofs assume that it does not reach the end of its range.
    """
    parts, is_own = [], type(state).__module__.partition(".")[0] == OWN
    for (_, kind, value), old in zip(walk(type(state), state), leaves(unless), strict=True):
        grows = kind.span(state.config) != kind.normal_span(state.config)
        if value is not old and not (grows and is_own):
            parts.append(in_range(kind, value, state.config))
    return both(parts)


def domain(state: Any) -> Truth:
    """What the widths of a fresh state's bit-vectors do not say of its ranges."""
    parts = []
    for _, kind, value in walk(type(state), state):
        if isinstance(value, Number):
            low, high = kind.span(state.config)
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


def plain(state: Any, model: Any) -> Any:
    """The plain state that a Z3 model makes of a symbolic one."""
    return fill(state.copy(), [number_in(model, value) for value in leaves(state)])


def number_in(model: Any, value: Value) -> int:
    """The number that a Z3 model gives to a value."""
    if isinstance(value, Number):
        found = model.eval(value.term, model_completion=True)
        return int(found.as_signed_long() if value.low < 0 else found.as_long())
    if isinstance(value, z3.BoolRef):
        return int(z3.is_true(model.eval(value, model_completion=True)))
    return int(value)
