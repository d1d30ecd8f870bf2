"""Expressions of a model's function as LLVM's intermediate code: a visitor of the typed tree.

All numbers have 64 bits; a variable of the state has fewer, and is widened when it is read. Names live in slots of the stack,
which LLVM turns into registers. A slot begins as the kind of the first value that it gets; when a later one is of another kind
(a number after a truth), it is widened, and the text is made once more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from ..reading import typed_tree as tree
from ..reading.trees import Visitor
from .lowered_kinds import (
    NOTHING,
    NUMBER,
    ROWS,
    TRUTH,
    WORD,
    Call,
    Called,
    Failure,
    LoweringError,
    Value,
    ValueKind,
    is_one_slot,
    is_same,
    llvm_type,
    passing,
)

UNCLEAR = ""
"""The slot of a name that stands for different records on different ways."""

SIMPLE = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor", "<<": "shl"}
"""The instruction for each operator that has one of its own."""

ORDER = {"==": "eq", "!=": "ne", "<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"}
"""What each comparison is for LLVM."""

INSTRUCTIONS = {
    "trailing_zeros": ("llvm.cttz.i64", "i64 {0}, i1 true", NUMBER),
    "popcount": ("llvm.ctpop.i64", "i64 {0}", NUMBER),
    "extract_bits": ("llvm.x86.bmi.pext.64", "i64 {0}, i64 {1}", WORD),
    "deposit_bits": ("llvm.x86.bmi.pdep.64", "i64 {0}, i64 {1}", WORD),
}
"""What kernels call that Python lacks (`machine_instructions`): LLVM's name, what it is given, and the kind."""


class Expressions(Visitor):
    """Writes instructions for a `function`; `call` makes another one for kinds of parameters."""

    def __init__(self, function: tree.Function, call: Call) -> None:
        self.function, self.call = function, call
        self.slots: dict[str, ValueKind] = {}
        self.grids: dict[str, Value] = {}
        self.begin_anew()

    def begin_anew(self) -> None:
        """Nothing is written; the kinds of slots stay known."""
        self.lines: list[str] = []
        self.again, self.open, self.count, self.marks = False, True, 0, 0
        self.present: dict[str, str] = {}  # the slot of each name
        self.failures: dict[Failure, None] = {}

    def refuse(self, what: str) -> NoReturn:
        """LoweringError in this function."""
        raise LoweringError(f"{what} in {self.function.name}")

    def emit(self, line: str) -> None:
        """One instruction."""
        self.lines.append("  " + line)

    def value(self, operation: str, kind: ValueKind) -> Value:
        """An instruction that has a value."""
        self.count += 1
        self.lines.append(f"  %t{self.count} = {operation}")
        return Value(f"%t{self.count}", kind)

    def fresh(self, stem: str) -> str:
        """A name that nothing else has."""
        self.marks += 1
        return f"{stem}.{self.marks}"

    def begin(self, label: str) -> None:
        """What follows is reached by jumps to the label."""
        self.lines.append(f"{label}:")
        self.open = True

    def jump(self, label: str) -> None:
        """Go on at the label, if this place is reached."""
        if self.open:
            self.emit(f"br label %{label}")
        self.open = False

    def put(self, name: str, value: Value) -> None:
        """Keep a value under a name."""
        slot = name
        while not is_one_slot(self.slots.get(slot, value.kind), value.kind):
            slot += "'"  # another record under the same name
        self.present[name] = slot
        self.slots.setdefault(slot, value.kind)
        kind = self.slots[slot] = self.wide(self.slots[slot], value.kind)
        self.emit(f'store {llvm_type(kind)} {self.converted(value, kind)}, ptr %"v.{slot}"')

    def got(self, name: str) -> Value:
        """What is kept under a name."""
        slot = self.present.get(name, name)
        if slot not in self.slots:
            self.refuse(f"{name}, which may be one of several records,")
        kind = self.slots[slot]
        return self.value(f'load {llvm_type(kind)}, ptr %"v.{slot}"', kind)

    def meet(self, first: Mapping[str, str], other: Mapping[str, str]) -> None:
        """Two ways meet: a name that stands for different records stands for none."""
        self.present = {name: slot if other.get(name, slot) == slot else UNCLEAR for name, slot in first.items()}
        self.present |= {name: slot for name, slot in other.items() if name not in first}

    def wide(self, first: ValueKind, other: ValueKind) -> ValueKind:
        """The kind that has room for both; if the first one has not, the text is made again."""
        if is_same(first, other):
            return first
        if not all(isinstance(kind, str) and kind in (NUMBER, TRUTH) for kind in (first, other)):
            self.refuse(f"{other} where there is {first}")
        self.again = self.again or first is TRUTH
        return NUMBER

    def converted(self, value: Value, kind: ValueKind) -> str:
        """The value as one of another kind."""
        if is_same(value.kind, kind):
            return value.text
        if value.kind is TRUTH and (kind is NUMBER or kind is WORD):
            return {"true": "1", "false": "0"}.get(value.text) or self.value(f"zext i1 {value.text} to i64", kind).text
        if kind is WORD and value.kind is NUMBER:
            return value.text
        return self.refuse(f"{value.kind} where {kind} is needed")

    def truth(self, value: Value) -> str:
        """The truth of a value."""
        if value.kind is TRUTH:
            return value.text
        return self.value(f"icmp ne i64 {self.number(value)}, 0", TRUTH).text

    def number(self, value: Value) -> str:
        """The value as 64 bits."""
        return value.text if value.kind is WORD else self.converted(value, NUMBER)

    def visit_Number(self, node: tree.Number) -> Value:
        if isinstance(node.value, bool):
            return Value("true" if node.value else "false", TRUTH)
        return Value(str(node.value), NUMBER)

    def visit_Name(self, node: tree.Name) -> Value:
        if node.name in self.grids:
            return self.grids[node.name]
        if node.name not in self.slots:
            self.refuse(f"{node.name}, which has no value,")
        return self.got(node.name)

    def visit_Field(self, node: tree.Field | tree.Element) -> Value:
        return self.read(self.place(node))

    visit_Element = visit_Field  # noqa: N815  # the name of the kind of nodes

    def place(self, node: tree.Expression) -> Value:
        """The address of a field or of an element, and its type."""
        assert isinstance(node, (tree.Field, tree.Element))
        owner = self.visit(node.owner)
        kind = self.type_of(owner)
        if isinstance(node, tree.Field):
            fields: Mapping[str, Any] = getattr(kind, "fields", None) or {}
            if node.name not in fields:
                self.refuse(f"the field {node.name}")
            return self.part(owner, *fields[node.name][:2])
        if isinstance(kind, str) and kind in ROWS:
            begin = self.value(f"mul nsw i64 {self.number(self.visit(node.index))}, {owner.text}.length", NUMBER).text
            return self.value(f"getelementptr inbounds i64, ptr {owner.text}, i64 {begin}", ROWS[kind])
        if getattr(kind, "subdtype", None) is None:
            self.refuse("an index into what is not an array")
        base, shape = kind.subdtype
        inner = np.dtype((base, shape[1:])) if len(shape) > 1 else base
        return self.element(owner, inner, shape[0], self.visit(node.index))

    def type_of(self, owner: Value) -> Any:
        """The type of a record or an array."""
        return owner.kind

    def element(self, owner: Value, kind: Any, _count: int, index: Value) -> Value:
        """The address of an element of an array of so many."""
        number = self.number(index)
        at = number if kind.itemsize == 1 else self.value(f"mul nsw i64 {number}, {kind.itemsize}", NUMBER).text
        return self.part(owner, kind, at)

    def part(self, owner: Value, kind: Any, offset: object) -> Value:
        """What lies so many bytes behind the beginning of a record or array."""
        return self.value(f"getelementptr inbounds i8, ptr {owner.text}, i64 {offset}", kind)

    def read(self, place: Value) -> Value:
        """A variable of the state; a record or an array is its place."""
        if place.kind == np.uint64:
            return self.value(f"load i64, ptr {place.text}", WORD)
        if place.kind.kind not in "iub":
            return place
        bits = 8 * place.kind.itemsize
        loaded = self.value(f"load i{bits}, ptr {place.text}, align 1", NUMBER)
        if place.kind.kind == "b":
            return self.value(f"icmp ne i8 {loaded.text}, 0", TRUTH)
        wider = "sext" if place.kind.kind == "i" else "zext"
        return self.value(f"{wider} i{bits} {loaded.text} to i64", NUMBER) if bits < 64 else loaded

    def write(self, place: Value, value: Value) -> None:
        """Change a variable of the state."""
        if place.kind.kind not in "iub":
            self.refuse("an assignment of a whole record or array")
        if place.kind.kind == "b":
            value = Value(self.truth(value), TRUTH)
        bits, number = 8 * place.kind.itemsize, self.number(value)
        cut = self.value(f"trunc i64 {number} to i{bits}", NUMBER).text if bits < 64 else number
        self.emit(f"store i{bits} {cut}, ptr {place.text}, align 1")

    def branch(self, test: tree.Expression, yes: str, no: str) -> None:
        """Go on at one of two labels."""
        if isinstance(test, tree.Joined):
            for part in test.parts[:-1]:
                other = self.fresh("and")
                self.branch(part, *((other, no) if test.is_and else (yes, other)))
                self.begin(other)
            self.branch(test.parts[-1], yes, no)
        elif isinstance(test, tree.Not):
            self.branch(test.operand, no, yes)
        else:
            self.emit(f"br i1 {self.truth(self.visit(test))}, label %{yes}, label %{no}")
            self.open = False

    def visit_Operation(self, node: tree.Operation) -> Value:
        return self.operation(node.sign, self.visit(node.left), self.visit(node.right))

    def operation(self, sign: str, left: Value, right: Value) -> Value:
        """Arithmetic as Python has it; divisors are positive constants."""
        if left.kind is right.kind is TRUTH and sign in ("&", "|", "^"):
            return self.value(f"{SIMPLE[sign]} i1 {left.text}, {right.text}", TRUTH)
        if (left.kind is WORD) is not (right.kind is WORD):
            self.refuse("a signed and an unsigned number together")
        kind, first, other = WORD if left.kind is WORD else NUMBER, self.number(left), self.number(right)
        if sign == ">>":
            if kind is NUMBER and not other.isdigit():  # farther than the last bit nothing changes
                far = self.value(f"icmp ult i64 {other}, 63", TRUTH).text
                other = self.value(f"select i1 {far}, i64 {other}, i64 63", NUMBER).text
            return self.value(f"{'lshr' if kind is WORD else 'ashr'} i64 {first}, {other}", kind)
        return self.computed(sign, first, other, kind, TRUTH)

    def computed(self, sign: str, first: str, other: str, kind: ValueKind, truths: ValueKind) -> Value:
        """What an operator, other than a shift to the right, makes of two numbers, or in each lane of two rows of them."""
        numbers = llvm_type(kind)
        if sign in SIMPLE:
            return self.value(f"{SIMPLE[sign]} {numbers} {first}, {other}", kind)
        rest = self.value(f"srem {numbers} {first}, {other}", kind).text  # of truncated division, where Python rounds down
        below = self.value(f"icmp slt {numbers} {rest}, zeroinitializer", truths).text
        if sign == "%":
            added = f"select {llvm_type(truths)} {below}, {numbers} {other}, {numbers} zeroinitializer"
            return self.value(f"add {numbers} {rest}, {self.value(added, kind).text}", kind)
        less = self.value(f"sext {llvm_type(truths)} {below} to {numbers}", kind).text
        return self.value(f"add {numbers} {self.value(f'sdiv {numbers} {first}, {other}', kind).text}, {less}", kind)

    def visit_Not(self, node: tree.Not) -> Value:
        return self.negated(self.visit(node.operand))

    def negated(self, value: Value) -> Value:
        """Whether the value is not true."""
        return self.value(f"xor i1 {self.truth(value)}, true", TRUTH)

    def visit_Unary(self, node: tree.Unary) -> Value:
        value = self.visit(node.operand)
        sign, first = ("-", "0") if node.sign == "-" else ("^", "-1")
        return self.operation(sign, Value(first, WORD if value.kind is WORD else NUMBER), value)

    def visit_Joined(self, node: tree.Joined) -> Value:
        """The first part that decides, or the last one."""
        kept, end = self.fresh("kept"), self.fresh("end")
        for part in node.parts:
            value = self.visit(part)
            self.put(kept, value)
            if part is not node.parts[-1]:
                other = self.fresh("and")
                ways = (other, end) if node.is_and else (end, other)
                self.emit(f"br i1 {self.truth(value)}, label %{ways[0]}, label %{ways[1]}")
                self.begin(other)
        self.jump(end)
        self.begin(end)
        return self.got(kept)

    def visit_Choice(self, node: tree.Choice) -> Value:
        kept, yes, no, end = self.fresh("kept"), self.fresh("yes"), self.fresh("no"), self.fresh("end")
        self.branch(node.test, yes, no)
        for label, part in ((yes, node.yes), (no, node.no)):
            self.begin(label)
            self.put(kept, self.visit(part))
            self.jump(end)
        self.begin(end)
        return self.got(kept)

    def visit_Compared(self, node: tree.Compared) -> Value:
        """One comparison, or a chain of them that ends at the first that fails."""
        left, end, kept = self.visit(node.sides[0]), self.fresh("end"), self.fresh("kept")
        for sign, side in zip(node.signs, node.sides[1:], strict=True):
            right = self.visit(side)
            result = self.compared(sign, left, right)
            if len(node.signs) == 1:
                return result
            left, other = right, self.fresh("and")
            self.put(kept, result)
            self.emit(f"br i1 {result.text}, label %{other}, label %{end}")
            self.begin(other)
        self.jump(end)
        self.begin(end)
        return self.got(kept)

    def compared(self, sign: str, left: Value, right: Value) -> Value:
        """Whether two numbers compare so."""
        order = ORDER[sign]
        unsigned = [left.kind is WORD, right.kind is WORD]
        if any(unsigned) and not (all(unsigned) and order in ("eq", "ne")):
            self.refuse("an unsigned number compared")
        if left.kind is right.kind is TRUTH and order in ("eq", "ne"):
            return self.value(f"icmp {order} i1 {left.text}, {right.text}", TRUTH)
        return self.value(f"icmp {order} i64 {self.number(left)}, {self.number(right)}", TRUTH)

    def visit_Call(self, node: tree.Call) -> Value:
        values = list(map(self.visit, node.arguments))
        found = self.built_in(node.function, values)
        return self.called(node.function, values) if found is None else found

    def built_in(self, function: str, values: Sequence[Value]) -> Value | None:
        """The least or largest number, a number as a word, or what an instruction makes."""
        if function in ("min", "max"):
            chosen = values[0]
            for other in values[1:]:
                chosen = self.selected(self.compared("<" if function == "min" else ">", other, chosen), other, chosen)
            return chosen
        if function == "uint64":
            return Value(self.converted(values[0], WORD), WORD)
        if function not in INSTRUCTIONS:
            return None
        name, form, kind = INSTRUCTIONS[function]
        return self.value(f"call i64 @{name}({form.format(*map(self.number, values))})", kind)

    def selected(self, test: Value, yes: Value, no: Value) -> Value:
        """The one number where the test holds, and else the other."""
        return self.value(f"select i1 {test.text}, i64 {self.number(yes)}, i64 {self.number(no)}", NUMBER)

    def called(self, function: str, values: Sequence[Value]) -> Value:
        """A function of the model."""
        kinds = [NUMBER if value.kind is TRUTH else value.kind for value in values]  # so that a function is not made twice
        made = self.call(function, kinds)
        given = [passing(kind, self.converted(value, kind)) for kind, value in zip(kinds, values, strict=True)]
        value = self.called_with(made, [*given, *(["ptr %failed"] if made.failures else [])])
        if made.failures:  # return where it did
            self.failures |= dict.fromkeys(made.failures)
            found, further = self.value("load i64, ptr %failed", NUMBER).text, self.fresh("further")
            self.emit(f"br i1 {self.value(f'icmp eq i64 {found}, 0', TRUTH).text}, label %{further}, label %failing")
            self.begin(further)
        return value

    def called_with(self, made: Called, given: Sequence[str]) -> Value:
        """The answer to a call."""
        whole = f'call {llvm_type(made.returns)} @"{made.symbol}"({", ".join(given)})'
        if made.returns is not NOTHING:
            return self.value(whole, made.returns)
        self.emit(whole)
        return Value("", NOTHING)
