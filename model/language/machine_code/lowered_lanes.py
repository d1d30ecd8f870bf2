"""Values in lanes: expressions of a model's function as LLVM's intermediate code for many states at once, a lane for each.

In this form each cell of a state is a row of bytes, one for each of `LANES` states, and an instruction works on the whole row.
What depends on the state is a row of numbers (`MANY`) or of truths (`SOME`). Parameters of actions and properties, and what loops
count, are the same in all lanes and stay single numbers. An index that depends on the state becomes a choice among all elements.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from ..reading.arithmetic import HELPER_NAMES
from ..reading.trees import nodes_of
from .lane_values import (
    CELL,
    CELLS_TYPE,
    FAR,
    GIVEN,
    IN_LANES,
    MANY,
    NUMBERS_TYPE,
    OPERATORS,
    SOME,
    TRUTHS_TYPE,
    LaneValues,
    Spread,
    is_truth,
    largest,
    parts,
    type_of,
    type_returned,
)
from .lowered_expressions import ORDER, SIMPLE
from .lowered_kinds import NOTHING, NUMBER, TRUTH, Value
from .processor import LANES

ZERO = Value("0", NUMBER)

JOURNAL = ["ptr noalias %journal", "ptr noalias %entries"]
"""Where the addresses of changed cells go; how many there are, and whether a check has failed."""


class LaneExpressions(LaneValues):
    """Writes instructions for the lanes of a mask, which is kept in the slot `live`."""

    writes: int
    """How many cells the function may change, at most."""
    fails: bool
    """Whether a check can fail in it."""
    assigned: dict[str, int]
    """Names of records, and how deep in such tests they were assigned."""
    records: set[str]
    """Names of records that were assigned on the present way since the last such test."""

    # Names.

    def put(self, name: str, value: Value) -> None:
        """Keep a value under a name, in the lanes that are here."""
        slot = name
        while slot in self.slots and self.slots[slot] != value.kind and Spread in map(type, (self.slots[slot], value.kind)):
            slot += "'"  # another record under the same name
        self.present[name] = slot
        if isinstance(value.kind, Spread):
            if self.assigned.get(name, self.split) < self.split:
                self.refuse(f"{name}, which is another record in some states,")
            self.assigned[name] = self.split
            self.records.add(name)
            self.slots[slot] = value.kind
            for (end, kind), text in zip(parts(value.kind), (value.text, *value.picks), strict=True):
                self.emit(f'store {kind} {text}, ptr %"v.{slot}{end}"')
            return
        given = {NUMBER: MANY, TRUTH: SOME}.get(value.kind, value.kind) if self.split else value.kind
        kind = self.slots[slot] = self.wide(self.slots.setdefault(slot, given), given)
        text = self.converted(value, kind)
        if self.split and kind in IN_LANES:
            old = self.value(f'load {IN_LANES[kind]}, ptr %"v.{slot}"', kind)
            text = self.choice(self.live, IN_LANES[kind], text, self.sized(old, 0).text)
        self.emit(f'store {type_of(kind)} {text}, ptr %"v.{slot}"')
        self.grow(slot, self.size(value))

    def got(self, name: str) -> Value:
        """What is kept under a name."""
        slot = self.present.get(name, name)
        if slot not in self.slots:
            self.refuse(f"{name}, which may be one of several records,")
        kind = self.slots[slot]
        texts = [self.value(f'load {one}, ptr %"v.{slot}{end}"', kind).text for end, one in parts(kind)]
        value = Value(texts[0], kind, tuple(texts[1:]))
        return value if isinstance(kind, Spread) else self.sized(value, self.size_of_name(slot))

    # Places.

    def place(self, node: ast.expr) -> Value:
        """The address of a field or of an element, and its type."""
        assert isinstance(node, (ast.Attribute, ast.Subscript))
        owner = self.expression(node.value)
        if not isinstance(owner.kind, Spread):
            self.refuse("a part of what is not a record")
        if isinstance(node, ast.Attribute):
            fields: Mapping[str, Any] = owner.kind.type.fields or {}
            if node.attr not in fields:
                self.refuse(f"the field {node.attr}")
            return self.part(owner, *fields[node.attr][:2])
        assert owner.kind.type.subdtype is not None
        base, shape = owner.kind.type.subdtype
        kind = np.dtype((base, shape[1:])) if len(shape) > 1 else base
        index = self.expression(node.slice)
        if self.in_lanes(index):
            picks = (*owner.kind.picks, (shape[0], kind.itemsize))
            return Value(owner.text, Spread(kind, picks), (*owner.picks, self.many(index)))
        return self.part(owner, kind, self.value(f"mul nsw i64 {self.number(index)}, {kind.itemsize}", NUMBER).text)

    def part(self, owner: Value, kind: Any, offset: object) -> Value:
        """What lies so many bytes behind the beginning of a record or array."""
        at = self.value(f"getelementptr inbounds i8, ptr {owner.text}, i64 {offset}", kind).text
        return Value(at, Spread(kind, owner.kind.picks), owner.picks)

    def cells(self, place: Value) -> list[tuple[str, str]]:
        """The cells that a place may be: the address of each, and the lanes in which it is that one; "" for all."""
        found = [(place.text, "")]
        for (count, apart), index in zip(place.kind.picks, place.picks, strict=True):
            more = []
            for number in range(count):
                same = self.compared(ast.Eq(), Value(index, MANY), Value(str(number), NUMBER)).text
                for address, lanes in found:
                    at = self.value(f"getelementptr inbounds i8, ptr {address}, i64 {number * apart}", MANY).text
                    more.append((at, self.joined(lanes, same) if lanes else same))
            found = more
        return found

    def read(self, place: Value) -> Value:
        """A variable of the state; a record or an array is its place."""
        if not place.kind.is_cell:
            return place
        whole = ""
        for address, lanes in self.cells(place):
            one = self.value(f"load {CELLS_TYPE}, ptr {address}, align {LANES}", MANY).text
            whole = self.choice(lanes, CELLS_TYPE, one, whole) if whole else one
        return self.sized(self.value(f"sext {CELLS_TYPE} {whole} to {NUMBERS_TYPE}", MANY), CELL)

    def write(self, place: Value, value: Value) -> None:
        """Change a variable of the state in the lanes that are here; if that changes it, its address goes to the journal."""
        if not place.kind.is_cell:
            self.refuse("an assignment of a whole record or array")
        cut = self.value(f"trunc {NUMBERS_TYPE} {self.many(value)} to {CELLS_TYPE}", MANY).text
        live = self.live
        for address, lanes in self.cells(place):
            old = self.value(f"load {CELLS_TYPE}, ptr {address}, align {LANES}", MANY).text
            new = self.choice(self.joined(live, lanes) if lanes else live, CELLS_TYPE, cut, old)
            self.emit(f"store {CELLS_TYPE} {new}, ptr {address}, align {LANES}")
            count = self.value("load i64, ptr %entries", NUMBER).text
            entry = self.value(f"getelementptr inbounds i64, ptr %journal, i64 {count}", NUMBER).text
            self.emit(f"store ptr {address}, ptr {entry}")
            changed = self.any_of(self.value(f"icmp ne {CELLS_TYPE} {new}, {old}", SOME).text)
            one = self.value(f"zext i1 {changed} to i64", NUMBER).text
            self.emit(f"store i64 {self.value(f'add i64 {count}, {one}', NUMBER).text}, ptr %entries")
            self.writes += prod(self.trips)

    # Expressions.

    def of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        """`not`, `-` and `~`."""
        value = self.expression(node.operand)
        if isinstance(node.op, ast.Not):
            if self.in_lanes(value):
                return Value(self.opposite(self.some(value)), SOME)
            return self.value(f"xor i1 {self.truth(value)}, true", TRUTH)
        nothing = Value("0" if isinstance(node.op, ast.USub) else "-1", NUMBER)
        return self.operation(ast.Sub() if isinstance(node.op, ast.USub) else ast.BitXor(), nothing, value)

    def operation(self, operator: ast.operator, left: Value, right: Value) -> Value:
        """Arithmetic as Python has it, of numbers of which it is known how large they can be; divisors are positive constants."""
        far = int(right.text) if right.text.isdigit() else FAR
        if isinstance(operator, ast.LShift) and not right.text.isdigit() and not hasattr(self.tree, "of_sets"):
            self.refuse("a shift to the left by what is not a constant")
        size = largest(operator, self.size(left), self.size(right), far)
        if isinstance(operator, ast.BitAnd):  # with a constant there are no more bits than it has
            size = min([size, *(int(one.text) for one in (left, right) if one.text.isdigit())])
        return self.sized(self.computed(operator, left, right), size)

    def computed(self, operator: ast.operator, left: Value, right: Value) -> Value:
        """As `operation`, of any numbers. How far a shift by a wrong number goes, in a lane that is not here, is not defined."""
        if not self.in_lanes(left) and not self.in_lanes(right):
            return super().operation(operator, left, right)
        if is_truth(left, right) and isinstance(operator, (ast.BitAnd, ast.BitOr, ast.BitXor)):
            return Value(self.joined(self.some(left), self.some(right), SIMPLE[type(operator)]), SOME)
        one, other, kind = self.many(left), self.many(right), NUMBERS_TYPE
        if isinstance(operator, ast.RShift):  # farther than the last bit nothing changes
            last = self.many(Value("15", NUMBER))
            other = self.choice(self.value(f"icmp ult {kind} {other}, {last}", SOME).text, kind, other, last)
        simple = "ashr" if isinstance(operator, ast.RShift) else SIMPLE.get(type(operator))
        if simple:
            whole = self.value(f"{simple} {kind} {one}, {other}", MANY)
            return self.value(f"freeze {kind} {whole.text}", MANY) if isinstance(operator, (ast.LShift, ast.RShift)) else whole
        rest = self.value(f"srem {kind} {one}, {other}", MANY).text
        below = self.value(f"icmp slt {kind} {rest}, zeroinitializer", SOME).text
        if isinstance(operator, ast.Mod):
            return self.value(f"add {kind} {rest}, {self.choice(below, kind, other, 'zeroinitializer')}", MANY)
        less = self.value(f"sext {TRUTHS_TYPE} {below} to {kind}", MANY).text
        return self.value(f"add {kind} {self.value(f'sdiv {kind} {one}, {other}', MANY).text}, {less}", MANY)

    def compared(self, operator: ast.cmpop, left: Value, right: Value) -> Value:
        """Whether two numbers compare so."""
        if not self.in_lanes(left) and not self.in_lanes(right):
            return super().compared(operator, left, right)
        order = ORDER[type(operator)]
        if is_truth(left, right) and order in ("eq", "ne"):
            return self.value(f"icmp {order} {TRUTHS_TYPE} {self.some(left)}, {self.some(right)}", SOME)
        return self.value(f"icmp {order} {NUMBERS_TYPE} {self.many(left)}, {self.many(right)}", SOME)

    def of_Compare(self, node: ast.Compare) -> Value:
        """One comparison, or a chain of them."""
        left, right = self.expression(node.left), self.expression(node.comparators[0])
        whole = self.compared(node.ops[0], left, right)
        for operator, part in zip(node.ops[1:], node.comparators[1:], strict=True):
            if any(isinstance(one, ast.Call) for one in nodes_of(part)):
                self.refuse("a call behind a comparison that may fail")
            left, right = right, self.expression(part)
            whole = self.operation(ast.BitAnd(), whole, self.compared(operator, left, right))
        return whole

    def of_BoolOp(self, node: ast.BoolOp) -> Value:
        """The first part that decides, or the last one."""
        return self.decided(isinstance(node.op, ast.And), self.expression(node.values[0]), node.values[1:])

    def decided(self, conjunction: bool, value: Value, others: Sequence[ast.expr]) -> Value:
        """The value of a part and of those behind it."""
        if not others:
            return value
        if not self.in_lanes(value):
            ways = (lambda: self.decided(conjunction, self.expression(others[0]), others[1:])), (lambda: value)
            return self.on_one_way(value, *(ways if conjunction else reversed(ways)))
        truths = self.some(value)
        undecided = truths if conjunction else self.opposite(truths)
        other = self.within(undecided, others[0])
        both = self.either(undecided, other, value)
        if is_truth(value, other):
            both = Value(self.joined(truths, self.some(other), "and" if conjunction else "or"), SOME)
        return self.decided(conjunction, both, others[1:])

    def either(self, lanes: str, one: Value, other: Value) -> Value:
        """One value in these lanes, and the other elsewhere."""
        kind = SOME if is_truth(one, other) else MANY
        return Value(self.choice(lanes, IN_LANES[kind], self.converted(one, kind), self.converted(other, kind)), kind)

    def on_one_way(self, test: Value, first: Callable[[], Value], second: Callable[[], Value]) -> Value:
        """What `first` makes where the test holds, and else what `second` makes; the test is the same in all lanes."""
        kept, yes, no, end = self.fresh("kept"), self.fresh("yes"), self.fresh("no"), self.fresh("end")
        self.emit(f"br i1 {self.truth(test)}, label %{yes}, label %{no}")
        slots = set()
        for label, make in ((yes, first), (no, second)):
            self.begin(label)
            self.put(kept, make())
            slots.add(self.present[kept])
            self.jump(end)
        self.begin(end)
        return self.got(kept) if len(slots) == 1 else self.refuse("one of several records")

    def of_IfExp(self, node: ast.IfExp) -> Value:
        """One of two values."""
        test = self.expression(node.test)
        if not self.in_lanes(test):
            return self.on_one_way(test, lambda: self.expression(node.body), lambda: self.expression(node.orelse))
        lanes = self.some(test)
        one = self.within(lanes, node.body)
        return self.either(lanes, one, self.within(self.opposite(lanes), node.orelse))

    def of_Call(self, node: ast.Call) -> Value:
        """A function of the model, or the least or largest number."""
        assert isinstance(node.func, ast.Name)
        values = [self.expression(one) for one in node.args]
        if node.func.id in HELPER_NAMES:
            return self.checked(node.func.id, *values[:2])
        if node.func.id in ("min", "max"):
            chosen = values[0]
            for one in values[1:]:
                chosen = self.least_or_largest(ast.Lt() if node.func.id == "min" else ast.Gt(), chosen, one)
            return chosen
        kinds = [{TRUTH: NUMBER, SOME: MANY}.get(one.kind, one.kind) for one in values]
        most = max((self.size(value) for kind, value in zip(kinds, values, strict=True) if isinstance(kind, str)), default=0)
        call: Any = self.call
        called = call(node.func.id, kinds, max(GIVEN, (1 << most.bit_length()) - 1))
        given = []
        for kind, one in zip(kinds, values, strict=True):
            texts = (self.converted(one, kind), *one.picks)
            given += [f"{name} {text}" for (_, name), text in zip(parts(kind), texts, strict=True)]
        if any(isinstance(kind, Spread) or kind in IN_LANES for kind in kinds):
            given += [f"{TRUTHS_TYPE} {self.live}", "ptr %journal", "ptr %entries"]
            self.writes += called.writes * prod(self.trips)
            self.fails = self.fails or called.fails
        elif called.failures:
            return self.tried(called, given)
        whole = f'call {type_returned(called.returns)} @"{called.symbol}"({", ".join(given)})'
        if called.returns is NOTHING:
            self.emit(whole)
            return Value("", NOTHING)
        value = self.value(whole, called.returns)
        if isinstance(called.returns, Spread):
            places, kind = range(len(parts(called.returns))), type_returned(called.returns)
            address, *picks = [self.value(f"extractvalue {kind} {value.text}, {place}", MANY).text for place in places]
            return Value(address, called.returns, tuple(picks))
        return self.sized(value, called.size)

    def tried(self, called: Any, given: Sequence[str]) -> Value:
        """A call without lanes, which may fail: then it has the value 0."""
        word = 'ptr %"v.failed."'
        self.slots["failed."] = NUMBER
        self.emit(f"store i64 0, {word}")
        whole = f'call {type_of(called.returns)} @"{called.symbol}"({", ".join([*given, word])})'
        value = Value("", NOTHING)
        if called.returns is NOTHING:
            self.emit(whole)
        else:
            value = self.value(whole, called.returns)
        failed = self.value(f"load i64, {word}", NUMBER).text
        bad = self.value(f"icmp ne i64 {failed}, 0", TRUTH)
        self.fail(bad)
        return value if called.returns is NOTHING else self.unless(bad, value, called.size)

    def unless(self, bad: Value, value: Value, size: int) -> Value:
        """The value, which is the same in all lanes, or 0: an index that is none is not used."""
        kind = type_of(value.kind)
        return self.sized(self.value(f"select i1 {bad.text}, {kind} 0, {kind} {value.text}", value.kind), size)

    def fail(self, bad: Value) -> None:
        """Note it if a check fails in a lane that is here."""
        self.fails = True
        flag = self.value("getelementptr inbounds i64, ptr %entries, i64 1", NUMBER).text
        found = self.any_of(self.joined(self.live, self.some(bad)))
        word = self.value(f"zext i1 {found} to i64", NUMBER).text
        both = self.value(f"or i64 {self.value(f'load i64, ptr {flag}', NUMBER).text}, {word}", NUMBER).text
        self.emit(f"store i64 {both}, ptr {flag}")

    def checked(self, helper: str, value: Value, other: Value = ZERO) -> Value:
        """What a check of `arithmetic` is in lanes, where how large numbers are is known, and a cell is a byte."""
        if OPERATORS.get(helper) not in (None, ast.LShift):
            return self.operation(OPERATORS[helper](), value, other)
        if helper == "fitting" and self.size(value) <= CELL:
            return value
        if helper == "shifted":
            places = self.between(other, 0, Value(str(FAR + 1), NUMBER))
            return self.sized(self.computed(ast.LShift(), value, places), largest(ast.LShift(), self.size(value), 0, FAR))
        if helper == "fitting":
            return self.between(value, -CELL - 1, Value(str(CELL + 1), NUMBER))
        return self.between(value, 0, other if helper == "within" else Value("63", NUMBER))

    def between(self, value: Value, least: int, beyond: Value) -> Value:
        """The value, with a check that it is not below the one number, and below the other."""
        low, high = self.compared(ast.Lt(), value, Value(str(least), NUMBER)), self.compared(ast.GtE(), value, beyond)
        bad, size = self.operation(ast.BitOr(), low, high), min(self.size(value), max(-least, self.size(beyond)) - 1)
        self.fail(bad)
        if self.in_lanes(value):
            return self.sized(self.value(f"add {NUMBERS_TYPE} {self.many(value)}, zeroinitializer", MANY), size)
        return self.unless(bad, Value(self.number(value), NUMBER), size)

    def least_or_largest(self, operator: ast.cmpop, one: Value, other: Value) -> Value:
        """The other value where it compares so with the one."""
        test = self.compared(operator, other, one)
        if self.in_lanes(test):
            return self.either(test.text, other, one)
        chosen = self.value(f"select i1 {test.text}, i64 {self.number(other)}, i64 {self.number(one)}", NUMBER)
        return self.sized(chosen, max(self.size(one), self.size(other)))
