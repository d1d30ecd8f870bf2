"""Values in lanes: numbers and truths with a lane for each of many states, masks of lanes, and how large numbers can be.

In this form each cell of a state is a row of bytes, one for each of `LANES` states, and an instruction works on the whole row.
Numbers have 16 bits there, where Python has any. So a bound is computed for each number, from the bytes of the state and
from constants, and a function in which 16 bits may not hold a number is refused.
"""

from __future__ import annotations

from collections import Counter
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..reading import typed_tree as tree
from ..reading.arithmetic import CHECKS
from .lowered_expressions import Expressions
from .lowered_kinds import IN_LANES, MANY, MASK_TYPE, NUMBER, NUMBERS_TYPE, SOME, TRUTH, TRUTHS_TYPE, Value, ValueKind, llvm_type
from .processor import LANES

CELL, GIVEN, LARGEST = (1 << 7) - 1, (1 << 10) - 1, (1 << 15) - 1
"""How large a cell of the state or a parameter of an action, a parameter of another function, and a number in lanes can be.

n stands for all numbers from -n - 1 to n.
"""

MOST = 1 << 62
"""How large a single number can be."""

OF_SETS, FAR = "OF_SETS", 6
"""The name by which a text lists the functions that may shift to the left by what is no constant, and how far at most: to the
last bit of a cell before its sign. They shift by a member of a set, or `NO_MEMBER`, whose bit is in no set, and in 16 bits too:
the model says so of them (`of_sets`).
"""


OPERATORS = {helper: sign for sign, helper in CHECKS.items()}
"""What checks of arithmetic compute (`arithmetic`)."""


class Spread(NamedTuple):
    """The kind of a record or array whose cells have a lane for each state.

    `picks`: for each index on the way that depends on the state, how many elements there are and how many bytes apart. The value
    has these indices beside its address.
    """

    type: np.dtype[Any]
    picks: tuple[tuple[int, int], ...] = ()

    @property
    def is_cell(self) -> bool:
        """Whether it is one number of the state."""
        return self.type.subdtype is not None and self.type.subdtype[1] == (LANES,)


def is_configuration(kind: np.dtype[Any]) -> bool:
    """Whether it is a record of numbers that have no lanes: the settings, behind the cells."""
    return kind.names is not None and all(kind[name].kind == "i" for name in kind.names)


def parts(kind: ValueKind) -> list[tuple[str, str]]:
    """What a value of the kind is handed over as: the ends of the names, and types."""
    picks = kind.picks if isinstance(kind, Spread) else ()
    return [("", llvm_type(kind)), *((f".{number}", NUMBERS_TYPE) for number in range(len(picks)))]


def type_returned(kind: ValueKind) -> str:
    """The type of an answer: a record is its address and indices."""
    return f"{{{', '.join(text for _, text in parts(kind))}}}" if isinstance(kind, Spread) else llvm_type(kind)


def is_truth(*values: Value) -> bool:
    """Whether all these values are truths."""
    return all(value.kind in (SOME, TRUTH) for value in values)


def operands(node: tree.Expression) -> tuple[Any, str, Any]:
    """The operands of an operation, with or without a check, and the sign between them; without one for others."""
    match node:
        case tree.Operation(left=left, sign=sign, right=right):
            return left, sign, right
        case tree.Call(function=helper, arguments=(left, right)) if helper in OPERATORS:
            return left, OPERATORS[helper], right
    return None, "", None


def largest(sign: str, left: int, right: int, by: int) -> int:
    """How large the outcome can be for operands as large as these, where a shift goes at most so far."""
    if sign in ("+", "-"):
        return left + right + 1
    if sign == "*":
        return (left + 1) * (right + 1)
    if sign == "<<":
        return ((left + 1) << by) - 1
    if sign in ("&", "|", "^"):
        return (1 << max(left, right).bit_length()) - 1
    return right if sign == "%" else left


class LaneValues(Expressions):
    """Writes instructions for the lanes of a mask, which is kept in the slot `live`."""

    of_sets: bool
    """Whether the function may shift to the left by what is no constant."""
    puts: Counter[str]
    """How large the values of names can be, without what is added to them."""
    added: Counter[str]
    """How much is added to names, as far as it is known from the texts before."""

    def begin_anew(self) -> None:
        """As for single states."""
        super().begin_anew()
        self.split = 0  # in how many tests that depend on the state the present place is: elsewhere it is reached in all lanes
        self.rounds: list[range] = []  # of each loop around the present place
        self.sizes = {"zeroinitializer": 0}  # how large the values of registers can be
        self.seen = set[str]()  # the names that were read
        self.adding = Counter[str]()  # how much is added to names on the way
        self.returned = 0  # how large the answer can be
        self.writes = 0  # how many cells the function may change, at most
        self.fails = False  # whether a check can fail in it
        self.assigned: dict[str, int] = {}  # names of records, and how deep in such tests they were assigned
        self.records = set[str]()  # those that were assigned on the present way since the last such test

    # Sizes.

    def size(self, value: Value) -> int:
        """How large the value can be."""
        if value.kind in (SOME, TRUTH):
            return 1
        known = abs(int(value.text)) if value.text.lstrip("-").isdigit() else self.sizes.get(value.text)
        return self.refuse("a number of unknown size") if known is None else known

    def sized(self, value: Value, size: int) -> Value:
        """The value, which is a number and can be so large."""
        if size > LARGEST and value.kind is MANY:
            self.refuse(f"a number as large as {size:,}")
        self.sizes[value.text] = size
        return value

    def grow(self, slot: str, size: int) -> None:
        """A name gets a value that can be so large. If it was read before, the text is made again."""
        if size > self.puts[slot]:
            self.puts[slot] = max(size, 2 * self.puts[slot]) if slot in self.seen else size
            self.again = self.again or slot in self.seen
        if self.puts[slot] > MOST:
            self.refuse(f"{slot}, which grows from round to round,")

    @property
    def times(self) -> int:
        """How often the present place is reached, at most."""
        return prod(map(len, self.rounds))

    def visit_Update(self, node: tree.Update) -> None:
        if isinstance(node.target, tree.Name) and node.sign in ("+", "-"):
            self.add(node.target.name, node.sign, node.value)
        else:
            super().visit_Update(node)  # type: ignore[misc]

    def visit_Assign(self, node: tree.Assign) -> None:
        """To a name or to a variable of the state. A sum that code with checks gives to its first part is added to that."""
        target, (first, sign, other) = node.target, operands(node.value)
        names = isinstance(target, tree.Name) and isinstance(first, tree.Name) and first.name == target.name
        if names and sign in ("+", "-"):
            self.add(first.name, sign, other)
        else:
            super().visit_Assign(node)  # type: ignore[misc]

    def add(self, name: str, sign: str, value: tree.Expression) -> None:
        """What is added to a name is counted as often as the loops around it are repeated."""
        before, change = self.got(name), self.visit(value)
        after = self.operation(sign, before, change)
        self.adding[self.present.get(name, name)] += self.times * (self.size(change) + 1)
        self.put(name, self.sized(after, 0))

    # Conversions.

    def in_lanes(self, value: Value) -> bool:
        """Whether the value has a lane for each state."""
        return isinstance(value.kind, str) and value.kind in IN_LANES

    def everywhere(self, text: str, element: str) -> str:
        """A single value in all lanes."""
        kind = f"<{LANES} x {element}>"
        first = self.value(f"insertelement {kind} poison, {element} {text}, i64 0", MANY).text
        return self.value(f"shufflevector {kind} {first}, {kind} poison, <{LANES} x i32> zeroinitializer", MANY).text

    def many(self, value: Value) -> str:
        """The value as a number in each lane."""
        if value.kind is MANY:
            return value.text
        if value.kind is SOME:
            return self.sized(self.value(f"zext {TRUTHS_TYPE} {value.text} to {NUMBERS_TYPE}", MANY), 1).text
        cut = self.value(f"trunc i64 {self.number(value)} to i16", NUMBER).text
        return self.sized(Value(self.everywhere(cut, "i16"), MANY), self.size(value)).text

    def some(self, value: Value) -> str:
        """The truth of the value in each lane."""
        if value.kind is SOME:
            return value.text
        if value.kind is MANY:
            return self.value(f"icmp ne {NUMBERS_TYPE} {value.text}, zeroinitializer", SOME).text
        return self.everywhere(self.truth(value), "i1")

    def converted(self, value: Value, kind: ValueKind) -> str:
        """The value as one of another kind."""
        if kind is MANY or kind is SOME:
            return self.many(value) if kind is MANY else self.some(value)
        return super().converted(value, kind)

    def wide(self, first: ValueKind, other: ValueKind) -> ValueKind:
        """The kind that has room for both; if the first one has not, the text is made again."""
        if first == other:
            return first
        if not all(isinstance(kind, str) and kind in (NUMBER, TRUTH, *IN_LANES) for kind in (first, other)):
            self.refuse(f"{other} where there is {first}")
        truths, lanes = {first, other} <= {SOME, TRUTH}, bool({first, other} & {MANY, SOME})
        kind = (SOME if truths else MANY) if lanes else NUMBER
        self.again = self.again or kind is not first
        return kind

    # Masks.

    @property
    def live(self) -> str:
        """The lanes in which the present place is reached."""
        return self.value(f'load {TRUTHS_TYPE}, ptr %"live"', SOME).text

    def go_on(self, lanes: str) -> None:
        """Go on in these lanes."""
        self.emit(f'store {TRUTHS_TYPE} {lanes}, ptr %"live"')

    def joined(self, first: str, other: str, how: str = "and") -> str:
        """The lanes in both masks, or in one of them."""
        return self.value(f"{how} {TRUTHS_TYPE} {first}, {other}", SOME).text

    def opposite(self, lanes: str) -> str:
        """The other lanes."""
        return self.value(f"icmp eq {TRUTHS_TYPE} {lanes}, zeroinitializer", SOME).text

    def any_of(self, lanes: str) -> str:
        """Whether there is a lane in the mask."""
        word = self.value(f"bitcast {TRUTHS_TYPE} {lanes} to {MASK_TYPE}", NUMBER).text
        return self.value(f"icmp ne {MASK_TYPE} {word}, 0", TRUTH).text

    def choice(self, lanes: str, kind: str, first: str, other: str) -> str:
        """One row in these lanes, and the other elsewhere."""
        chosen = self.value(f"select {TRUTHS_TYPE} {lanes}, {kind} {first}, {kind} {other}", MANY)
        if kind is NUMBERS_TYPE:
            self.sized(chosen, max(self.size(Value(first, MANY)), self.size(Value(other, MANY))))
        return chosen.text

    def within(self, lanes: str, node: tree.Expression) -> Value:
        """The value of an expression that is evaluated in these lanes alone."""
        before = self.live
        self.go_on(self.joined(before, lanes))
        self.split += 1
        value = self.visit(node)
        self.split -= 1
        self.go_on(before)
        return value
