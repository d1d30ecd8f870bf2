"""Values in lanes: expressions of a model's function as LLVM's intermediate code for many states at once, a lane for each.

In this form each cell of a state is a row of bytes, one for each of `LANES` states, and an instruction works on the whole row.
What depends on the state is a row of numbers (`MANY`) or of truths (`SOME`). Parameters of actions and properties, and what loops
count, are the same in all lanes and stay single numbers. An index that depends on the state becomes a choice among all elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..reading import typed_tree as tree
from ..reading.arithmetic import HELPER_NAMES
from .lane_values import (
    CELL,
    FAR,
    GIVEN,
    OPERATORS,
    LaneValues,
    Spread,
    is_configuration,
    is_truth,
    largest,
    parts,
    type_returned,
)
from .lowered_expressions import ORDER, SIMPLE
from .lowered_kinds import CELLS_TYPE, IN_LANES, MANY, NOTHING, NUMBER, NUMBERS_TYPE, SOME, TRUTH, TRUTHS_TYPE, Value, llvm_type
from .processor import LANES

ZERO = Value("0", NUMBER)

JOURNAL = ["ptr noalias %journal", "ptr noalias %entries"]
"""Where the addresses of changed cells go; how many there are, and whether a check has failed."""


class LaneExpressions(LaneValues):
    """Writes instructions for the lanes of a mask, which is kept in the slot `live`."""

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
        self.emit(f'store {llvm_type(kind)} {text}, ptr %"v.{slot}"')
        self.grow(slot, self.size(value))

    def got(self, name: str) -> Value:
        """What is kept under a name."""
        slot = self.present.get(name, name)
        if slot not in self.slots:
            self.refuse(f"{name}, which may be one of several records,")
        kind = self.slots[slot]
        texts = [self.value(f'load {form}, ptr %"v.{slot}{end}"', kind).text for end, form in parts(kind)]
        value = Value(texts[0], kind, tuple(texts[1:]))
        if isinstance(kind, Spread):
            return value
        self.seen.add(slot)
        return self.sized(value, self.puts[slot] + self.added[slot])

    # Places.

    def type_of(self, owner: Value) -> Any:
        """The type of a record or an array."""
        if isinstance(owner.kind, str):
            self.refuse("a part of what is not a record")
        return owner.kind.type if isinstance(owner.kind, Spread) else owner.kind

    def element(self, owner: Value, kind: Any, count: int, index: Value) -> Value:
        """The address of an element of an array of so many; which one, may depend on the state."""
        if not self.in_lanes(index):
            return super().element(owner, kind, count, index)
        picks = (*owner.kind.picks, (count, kind.itemsize))
        return Value(owner.text, Spread(kind, picks), (*owner.picks, self.many(index)))

    def part(self, owner: Value, kind: Any, offset: object) -> Value:
        """What lies so many bytes behind the beginning of a record or array. The configuration is the same in all lanes."""
        found = super().part(owner, kind, offset)
        if not isinstance(owner.kind, Spread) or is_configuration(kind):
            return found
        return Value(found.text, Spread(kind, owner.kind.picks), owner.picks)

    def cells(self, place: Value) -> list[tuple[str, str]]:
        """The cells that a place may be: the address of each, and the lanes in which it is that one; "" for all."""
        found = [(place.text, "")]
        for (count, apart), index in zip(place.kind.picks, place.picks, strict=True):
            more = []
            for number in range(count):
                same = self.compared("==", Value(index, MANY), Value(str(number), NUMBER)).text
                for address, lanes in found:
                    at = self.value(f"getelementptr inbounds i8, ptr {address}, i64 {number * apart}", MANY).text
                    more.append((at, self.joined(lanes, same) if lanes else same))
            found = more
        return found

    def read(self, place: Value) -> Value:
        """A variable of the state; a record or an array is its place."""
        if not isinstance(place.kind, Spread):
            return self.sized(super().read(place), CELL) if place.kind.kind == "i" else place
        if not place.kind.is_cell:
            return place
        whole = ""
        for address, lanes in self.cells(place):
            cell = self.value(f"load {CELLS_TYPE}, ptr {address}, align {LANES}", MANY).text
            whole = self.choice(lanes, CELLS_TYPE, cell, whole) if whole else cell
        return self.sized(self.value(f"sext {CELLS_TYPE} {whole} to {NUMBERS_TYPE}", MANY), CELL)

    def write(self, place: Value, value: Value) -> None:
        """Change a variable of the state in the lanes that are here; if that changes it, its address goes to the journal."""
        if not isinstance(place.kind, Spread) or not place.kind.is_cell:
            self.refuse("an assignment of a whole record or array")
        cut = self.value(f"trunc {NUMBERS_TYPE} {self.many(value)} to {CELLS_TYPE}", MANY).text
        live = self.live
        for address, lanes in self.cells(place):
            old = self.value(f"load {CELLS_TYPE}, ptr {address}, align {LANES}", MANY).text
            new = self.choice(self.joined(live, lanes) if lanes else live, CELLS_TYPE, cut, old)
            self.emit(f"store volatile {CELLS_TYPE} {new}, ptr {address}, align {LANES}")
            count = self.value("load i64, ptr %entries", NUMBER).text
            entry = self.value(f"getelementptr inbounds i64, ptr %journal, i64 {count}", NUMBER).text
            self.emit(f"store ptr {address}, ptr {entry}")
            changed = self.any_of(self.value(f"icmp ne {CELLS_TYPE} {new}, {old}", SOME).text)
            added = self.value(f"zext i1 {changed} to i64", NUMBER).text
            self.emit(f"store i64 {self.value(f'add i64 {count}, {added}', NUMBER).text}, ptr %entries")
            self.writes += self.times

    # Expressions.

    def negated(self, value: Value) -> Value:
        """Whether the value is not true."""
        return Value(self.opposite(self.some(value)), SOME) if self.in_lanes(value) else super().negated(value)

    def operation(self, sign: str, left: Value, right: Value) -> Value:
        """Arithmetic as Python has it, of numbers of which it is known how large they can be; divisors are positive constants."""
        far = int(right.text) if right.text.isdigit() else FAR
        if sign == "<<" and not right.text.isdigit() and not self.of_sets:
            self.refuse("a shift to the left by what is not a constant")
        size = largest(sign, self.size(left), self.size(right), far)
        if sign == "&":  # with a constant there are no more bits than it has
            size = min([size, *(int(side.text) for side in (left, right) if side.text.isdigit())])
        return self.sized(self.unsized(sign, left, right), size)

    def unsized(self, sign: str, left: Value, right: Value) -> Value:
        """As `operation`, of any numbers. How far a shift by a wrong number goes, in a lane that is not here, is not defined."""
        if not self.in_lanes(left) and not self.in_lanes(right):
            return super().operation(sign, left, right)
        if is_truth(left, right) and sign in ("&", "|", "^"):
            return Value(self.joined(self.some(left), self.some(right), SIMPLE[sign]), SOME)
        first, other, kind = self.many(left), self.many(right), NUMBERS_TYPE
        if sign not in ("<<", ">>"):
            return self.computed(sign, first, other, MANY, SOME)
        if sign == ">>":  # farther than the last bit nothing changes
            last = self.many(Value("15", NUMBER))
            other = self.choice(self.value(f"icmp ult {kind} {other}, {last}", SOME).text, kind, other, last)
        whole = self.value(f"{'ashr' if sign == '>>' else 'shl'} {kind} {first}, {other}", MANY)
        return self.value(f"freeze {kind} {whole.text}", MANY)

    def compared(self, sign: str, left: Value, right: Value) -> Value:
        """Whether two numbers compare so."""
        if not self.in_lanes(left) and not self.in_lanes(right):
            return super().compared(sign, left, right)
        order = ORDER[sign]
        if is_truth(left, right) and order in ("eq", "ne"):
            return self.value(f"icmp {order} {TRUTHS_TYPE} {self.some(left)}, {self.some(right)}", SOME)
        return self.value(f"icmp {order} {NUMBERS_TYPE} {self.many(left)}, {self.many(right)}", SOME)

    def visit_Compared(self, node: tree.Compared) -> Value:
        """One comparison, or a chain of them."""
        left, right = map(self.visit, node.sides[:2])
        whole = self.compared(node.signs[0], left, right)
        for sign, side in zip(node.signs[1:], node.sides[2:], strict=True):
            if tree.having(tree.Call, side):
                self.refuse("a call behind a comparison that may fail")
            left, right = right, self.visit(side)
            whole = self.operation("&", whole, self.compared(sign, left, right))
        return whole

    def visit_Joined(self, node: tree.Joined) -> Value:
        """The first part that decides, or the last one."""
        return self.decided(node.is_and, self.visit(node.parts[0]), node.parts[1:])

    def decided(self, conjunction: bool, value: Value, others: Sequence[tree.Expression]) -> Value:
        """The value of a part and of those behind it."""
        if not others:
            return value
        if not self.in_lanes(value):
            ways = (lambda: self.decided(conjunction, self.visit(others[0]), others[1:])), (lambda: value)
            return self.on_one_way(value, *(ways if conjunction else reversed(ways)))
        truths = self.some(value)
        undecided = truths if conjunction else self.opposite(truths)
        other = self.within(undecided, others[0])
        both = self.either(undecided, other, value)
        if is_truth(value, other):
            both = Value(self.joined(truths, self.some(other), "and" if conjunction else "or"), SOME)
        return self.decided(conjunction, both, others[1:])

    def either(self, lanes: str, first: Value, other: Value) -> Value:
        """One value in these lanes, and the other elsewhere."""
        kind = SOME if is_truth(first, other) else MANY
        return Value(self.choice(lanes, IN_LANES[kind], self.converted(first, kind), self.converted(other, kind)), kind)

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

    def visit_Choice(self, node: tree.Choice) -> Value:
        test = self.visit(node.test)
        if not self.in_lanes(test):
            return self.on_one_way(test, lambda: self.visit(node.yes), lambda: self.visit(node.no))
        lanes = self.some(test)
        yes = self.within(lanes, node.yes)
        return self.either(lanes, yes, self.within(self.opposite(lanes), node.no))

    def built_in(self, function: str, values: Sequence[Value]) -> Value | None:
        """A check of arithmetic, the least or largest number, or what an instruction makes."""
        return self.checked(function, *values[:2]) if function in HELPER_NAMES else super().built_in(function, values)

    def selected(self, test: Value, yes: Value, no: Value) -> Value:
        """The one number where the test holds, and else the other."""
        if self.in_lanes(test):
            return self.either(test.text, yes, no)
        return self.sized(super().selected(test, yes, no), max(self.size(yes), self.size(no)))

    def called(self, function: str, values: Sequence[Value]) -> Value:
        """A function of the model."""
        kinds = [{TRUTH: NUMBER, SOME: MANY}.get(value.kind, value.kind) for value in values]
        most = max((self.size(value) for kind, value in zip(kinds, values, strict=True) if isinstance(kind, str)), default=0)
        call: Any = self.call
        made = call(function, kinds, max(GIVEN, (1 << most.bit_length()) - 1))
        given = []
        for kind, value in zip(kinds, values, strict=True):
            texts = (self.converted(value, kind), *value.picks)
            given += [f"{name} {text}" for (_, name), text in zip(parts(kind), texts, strict=True)]
        if any(isinstance(kind, Spread) or kind in IN_LANES for kind in kinds):
            given += [f"{TRUTHS_TYPE} {self.live}", "ptr %journal", "ptr %entries"]
            self.writes += made.writes * self.times
            self.fails = self.fails or made.fails
        elif made.failures:
            return self.tried(made, given)
        if not isinstance(made.returns, Spread):
            value = self.called_with(made, given)
            return value if made.returns is NOTHING else self.sized(value, made.size)
        whole = type_returned(made.returns)
        value = self.value(f'call {whole} @"{made.symbol}"({", ".join(given)})', made.returns)
        places = range(len(parts(made.returns)))
        address, *picks = [self.value(f"extractvalue {whole} {value.text}, {place}", MANY).text for place in places]
        return Value(address, made.returns, tuple(picks))

    def tried(self, made: Any, given: Sequence[str]) -> Value:
        """A call without lanes, which may fail: then it has the value 0."""
        word = 'ptr %"v.failed."'
        self.slots["failed."] = NUMBER
        self.emit(f"store i64 0, {word}")
        value = self.called_with(made, [*given, word])
        failed = self.value(f"load i64, {word}", NUMBER).text
        bad = self.value(f"icmp ne i64 {failed}, 0", TRUTH)
        self.fail(bad)
        return value if made.returns is NOTHING else self.unless(bad, value, made.size)

    def unless(self, bad: Value, value: Value, size: int) -> Value:
        """The value, which is the same in all lanes, or 0: an index that is none is not used."""
        kind = llvm_type(value.kind)
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
        if OPERATORS.get(helper, "<<") != "<<":
            return self.operation(OPERATORS[helper], value, other)
        if helper == "fitting" and self.size(value) <= CELL:
            return value
        if helper == "shifted":
            places = self.between(other, 0, Value(str(FAR + 1), NUMBER))
            return self.sized(self.unsized("<<", value, places), largest("<<", self.size(value), 0, FAR))
        if helper == "fitting":
            return self.between(value, -CELL - 1, Value(str(CELL + 1), NUMBER))
        return self.between(value, 0, other if helper == "within" else Value("63", NUMBER))

    def between(self, value: Value, least: int, beyond: Value) -> Value:
        """The value, with a check that it is not below the one number, and below the other."""
        low, high = self.compared("<", value, Value(str(least), NUMBER)), self.compared(">=", value, beyond)
        bad, size = self.operation("|", low, high), min(self.size(value), max(-least, self.size(beyond)) - 1)
        self.fail(bad)
        if self.in_lanes(value):
            return self.sized(self.value(f"add {NUMBERS_TYPE} {self.many(value)}, zeroinitializer", MANY), size)
        return self.unless(bad, Value(self.number(value), NUMBER), size)
