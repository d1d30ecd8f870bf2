"""The values that functions have which go to LLVM directly: what kinds there are, how they are handed on, and how it fails.

A function fails by an error that its text raises, as a plugin's checks do (`plugin_checks`). Such a function has one more
parameter, the address of a word. To raise is to write the number of the error there and to return; whoever called looks at the
word, and returns as well, or, if it is Numba's, raises.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection
from typing import Any, NamedTuple, Protocol

import numpy as np

from .processor import LANES

NUMBER, TRUTH, WORD, NOTHING = "number", "truth", "word", "nothing"
"""What a value is, if it is no record or array: a signed number, a truth, an unsigned number, or none."""

MANY, SOME = "many", "some"
"""What a value with a lane for each state is: numbers, or truths."""

NUMBERS_TYPE, TRUTHS_TYPE, CELLS_TYPE, MASK_TYPE = (f"<{LANES} x i16>", f"<{LANES} x i1>", f"<{LANES} x i8>", f"i{LANES}")
IN_LANES = {MANY: NUMBERS_TYPE, SOME: TRUTHS_TYPE}

NUMBERS, WORDS = "numbers", "words"
"""An array of two dimensions, which is a parameter; its value is its address, beside which stands the length of a row."""

ROWS = {NUMBERS: np.dtype((np.int64, (1,))), WORDS: np.dtype((np.uint64, (1,)))}
"""What their rows are."""

ValueKind = Any
"""One of these, or the numpy type of a record or an array, whose value is its address; None for what is not used."""

LLVM = {NUMBER: "i64", TRUTH: "i1", WORD: "i64", NOTHING: "void", **IN_LANES}

ERRORS = ("IndexError", "ValueError")
"""The errors that texts raise."""


class Failure(NamedTuple):
    """An error by its name, and what it says."""

    error: str
    message: str

    @property
    def number(self) -> int:
        """What stands for it, never 0: it does not depend on the text, for code of several texts is kept and linked."""
        return 1 + int.from_bytes(hashlib.sha256(f"{self.error}: {self.message}".encode()).digest()[:7])


class LoweringError(Exception):
    """A function does not fit the values that it is called with."""


class Value(NamedTuple):
    """What an expression is worth: a register or a constant, and its kind; `picks` are explained in `lane_values`."""

    text: str
    kind: ValueKind
    picks: tuple[str, ...] = ()


class Called(Protocol):
    """A function that is called: its symbol, what it returns, and how it can fail; for lanes, how large parameters and answers
    can be."""

    symbol: str
    returns: ValueKind
    failures: Collection[Failure]
    takes: int
    size: int


Call = Callable[[str, list[ValueKind]], Called]
"""What makes the function that is called, for kinds of parameters."""


def llvm_type(kind: ValueKind) -> str:
    """The type of a value in LLVM's words."""
    return LLVM.get(kind, "ptr") if isinstance(kind, str) else "ptr"


def passing(kind: ValueKind, text: str) -> str:
    """A value among the parameters of a call, or of a function."""
    return f"{llvm_type(kind)} {text}" + (f", i64 {text}.length" if isinstance(kind, str) and kind in ROWS else "")


def is_same(left: ValueKind, right: ValueKind) -> bool:
    """Whether two kinds are the same."""
    return left is right or (not isinstance(left, str) and not isinstance(right, str) and bool(left == right))


def is_one_slot(left: ValueKind, right: ValueKind) -> bool:
    """Whether values of both kinds can be kept in one slot: both are numbers, or records of the same type."""
    return left is right or (isinstance(left, str) and isinstance(right, str)) or is_same(left, right)
