"""The values that functions have which go to LLVM directly: what kinds there are, and how they are handed on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple, Protocol

from .lowered_failures import Failure

NUMBER, TRUTH, WORD, NOTHING = "number", "truth", "word", "nothing"
"""What a value is, if it is no record or array: a signed number, a truth, an unsigned number, or none."""

NUMBERS, WORDS = "numbers", "words"
"""An array of two dimensions, which is a parameter; its value is its address, beside which stands the length of a row."""

Kind = Any
"""One of these, or the numpy type of a record or an array, whose value is its address; None for what is not used."""

LLVM = {NUMBER: "i64", TRUTH: "i1", WORD: "i64", NOTHING: "void"}


class LoweringError(Exception):
    """A function does not fit the values that it is called with."""


class Value(NamedTuple):
    """What an expression is worth: a register or a constant, and its kind; `picks` are explained in `lane_values`."""

    text: str
    kind: Kind
    picks: tuple[str, ...] = ()


class Called(Protocol):
    """A function that is called: its symbol, what it returns, and how it can fail; for lanes, how large parameters and answers
    can be."""

    symbol: str
    returns: Kind
    failures: Collection[Failure]
    takes: int
    size: int


def llvm_type(kind: Kind) -> str:
    """The type of a value in LLVM's words."""
    return LLVM.get(kind, "ptr") if isinstance(kind, str) else "ptr"


def passing(kind: Kind, text: str) -> str:
    """A value among the parameters of a call, or of a function."""
    return f"{llvm_type(kind)} {text}" + (f", i64 {text}.length" if isinstance(kind, str) and kind in (NUMBERS, WORDS) else "")


def is_same(one: Kind, other: Kind) -> bool:
    """Whether two kinds are the same."""
    return one is other or (not isinstance(one, str) and not isinstance(other, str) and bool(one == other))


def is_one_slot(one: Kind, other: Kind) -> bool:
    """Whether values of both kinds can be kept in one slot: both are numbers, or records of the same type."""
    return one is other or (isinstance(one, str) and isinstance(other, str)) or is_same(one, other)


def passed(kinds: Sequence[Kind]) -> list[Kind]:
    """How values are handed to functions: truths as numbers, so that a function is not made twice."""
    return [NUMBER if kind is TRUTH else kind for kind in kinds]
