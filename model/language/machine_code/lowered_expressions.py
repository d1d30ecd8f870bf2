"""Expressions of a model's function as LLVM's intermediate code.

All numbers have 64 bits; a variable of the state has fewer, and is widened when it is read. Names live in slots of the stack,
which LLVM turns into registers. A slot begins as the kind of the first value that it gets; when a later one is of another kind
(a number after a truth), it is widened, and the text is made once more.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import NoReturn

import numpy as np

from .lowered_failures import Failure
from .lowered_kinds import (
    NOTHING,
    NUMBER,
    NUMBERS,
    TRUTH,
    WORD,
    WORDS,
    Called,
    Kind,
    LoweringError,
    Value,
    is_one_slot,
    is_same,
    llvm_type,
    passed,
    passing,
)

UNCLEAR = ""
"""The slot of a name that stands for different records on different ways."""

SIMPLE = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "shl",
}  # fmt: skip

INSTRUCTIONS = {
    "trailing_zeros": ("llvm.cttz.i64", "i64, i1", "i64 {0}, i1 true", NUMBER),
    "popcount": ("llvm.ctpop.i64", "i64", "i64 {0}", NUMBER),
    "extract_bits": ("llvm.x86.bmi.pext.64", "i64, i64", "i64 {0}, i64 {1}", WORD),
    "deposit_bits": ("llvm.x86.bmi.pdep.64", "i64, i64", "i64 {0}, i64 {1}", WORD),
}
"""What kernels call that Python lacks (`machine_instructions`): LLVM's name, the types it takes, what it is given, the kind."""

ORDER = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "slt", ast.LtE: "sle", ast.Gt: "sgt", ast.GtE: "sge"}


class Expressions:
    """Writes instructions; `tree` is the function, `call` makes another one for kinds of parameters."""

    def __init__(self, tree: ast.FunctionDef, constants: Mapping[str, int], call: Callable[[str, list[Kind]], Called]) -> None:
        self.tree, self.constants, self.call = tree, constants, call
        self.slots: dict[str, Kind] = {}
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
        raise LoweringError(f"{what} in {self.tree.name}")

    def emit(self, line: str) -> None:
        """One instruction."""
        self.lines.append("  " + line)

    def value(self, operation: str, kind: Kind) -> Value:
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

    def meet(self, one: Mapping[str, str], other: Mapping[str, str]) -> None:
        """Two ways meet: a name that stands for different records stands for none."""
        self.present = {name: slot if other.get(name, slot) == slot else UNCLEAR for name, slot in one.items()}
        self.present |= {name: slot for name, slot in other.items() if name not in one}

    def wide(self, one: Kind, other: Kind) -> Kind:
        """The kind that has room for both; if the first one has not, the text is made again."""
        if is_same(one, other):
            return one
        if not all(isinstance(kind, str) and kind in (NUMBER, TRUTH) for kind in (one, other)):
            self.refuse(f"{other} where there is {one}")
        self.again = self.again or one is TRUTH
        return NUMBER

    def converted(self, value: Value, kind: Kind) -> str:
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

    def expression(self, node: ast.expr) -> Value:
        """The value of an expression."""
        value: Value = getattr(self, f"of_{type(node).__name__}")(node)
        return value

    def of_Constant(self, node: ast.Constant) -> Value:
        """A number, True or False."""
        if isinstance(node.value, bool):
            return Value("true" if node.value else "false", TRUTH)
        return Value(str(node.value), NUMBER)

    def of_Name(self, node: ast.Name) -> Value:
        """A parameter, a variable or a constant."""
        if node.id in self.constants and node.id not in self.slots:
            return Value(str(self.constants[node.id]), NUMBER)
        if node.id in self.grids:
            return self.grids[node.id]
        if node.id not in self.slots:
            self.refuse(f"{node.id}, which has no value,")
        return self.got(node.id)

    def of_Attribute(self, node: ast.Attribute | ast.Subscript) -> Value:
        """A field of a record, or an element of an array."""
        return self.read(self.place(node))

    of_Subscript = of_Attribute  # noqa: N815  # ast prescribes it

    def place(self, node: ast.expr) -> Value:
        """The address of a field or of an element, and its type."""
        assert isinstance(node, (ast.Attribute, ast.Subscript))
        owner = self.expression(node.value)
        if isinstance(node, ast.Attribute):
            fields = getattr(owner.kind, "fields", None) or {}
            if node.attr not in fields:
                self.refuse(f"the field {node.attr}")
            kind, offset = fields[node.attr]
            return self.value(f"getelementptr inbounds i8, ptr {owner.text}, i64 {offset}", kind)
        if isinstance(node.slice, ast.Tuple):
            return self.place_in_grid(owner, *node.slice.elts)
        if getattr(owner.kind, "subdtype", None) is None:
            self.refuse("an index into what is not an array")
        base, shape = owner.kind.subdtype
        kind = np.dtype((base, shape[1:])) if len(shape) > 1 else base
        index = self.number(self.expression(node.slice))
        size = kind.itemsize
        at = index if size == 1 else self.value(f"mul nsw i64 {index}, {size}", NUMBER).text
        return self.value(f"getelementptr inbounds i8, ptr {owner.text}, i64 {at}", kind)

    def place_in_grid(self, owner: Value, row: ast.expr, column: ast.expr) -> Value:
        """The address of an element of an array of two dimensions."""
        if owner.kind not in (NUMBERS, WORDS):
            self.refuse("two indices")
        begin = self.value(f"mul nsw i64 {self.number(self.expression(row))}, {owner.text}.length", NUMBER)
        at = self.value(f"add nsw i64 {begin.text}, {self.number(self.expression(column))}", NUMBER)
        kind = np.dtype(np.int64 if owner.kind is NUMBERS else np.uint64)
        return self.value(f"getelementptr inbounds i64, ptr {owner.text}, i64 {at.text}", kind)

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

    def branch(self, test: ast.expr, yes: str, no: str) -> None:
        """Go on at one of two labels."""
        if isinstance(test, ast.BoolOp):
            for one in test.values[:-1]:
                other = self.fresh("and")
                self.branch(one, *((other, no) if isinstance(test.op, ast.And) else (yes, other)))
                self.begin(other)
            self.branch(test.values[-1], yes, no)
        elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self.branch(test.operand, no, yes)
        else:
            self.emit(f"br i1 {self.truth(self.expression(test))}, label %{yes}, label %{no}")
            self.open = False

    def of_BinOp(self, node: ast.BinOp) -> Value:
        """Arithmetic."""
        return self.operation(node.op, self.expression(node.left), self.expression(node.right))

    def operation(self, operator: ast.operator, left: Value, right: Value) -> Value:
        """Arithmetic as Python has it; divisors are positive constants."""
        if left.kind is right.kind is TRUTH and isinstance(operator, (ast.BitAnd, ast.BitOr, ast.BitXor)):
            return self.value(f"{SIMPLE[type(operator)]} i1 {left.text}, {right.text}", TRUTH)
        if (left.kind is WORD) is not (right.kind is WORD):
            self.refuse("a signed and an unsigned number together")
        kind, one, other = WORD if left.kind is WORD else NUMBER, self.number(left), self.number(right)
        if type(operator) in SIMPLE:
            return self.value(f"{SIMPLE[type(operator)]} i64 {one}, {other}", kind)
        if isinstance(operator, ast.RShift):
            if kind is NUMBER and not other.isdigit():  # farther than the last bit nothing changes
                far = self.value(f"icmp ult i64 {other}, 63", TRUTH).text
                other = self.value(f"select i1 {far}, i64 {other}, i64 63", NUMBER).text
            return self.value(f"{'lshr' if kind is WORD else 'ashr'} i64 {one}, {other}", kind)
        rest = self.value(f"srem i64 {one}, {other}", NUMBER).text
        below = self.value(f"icmp slt i64 {rest}, 0", TRUTH).text
        if isinstance(operator, ast.Mod):
            added = self.value(f"select i1 {below}, i64 {other}, i64 0", NUMBER).text
            return self.value(f"add i64 {rest}, {added}", NUMBER)
        whole, less = self.value(f"sdiv i64 {one}, {other}", NUMBER).text, self.value(f"sext i1 {below} to i64", NUMBER).text
        return self.value(f"add i64 {whole}, {less}", NUMBER)

    def of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        """`not`, `-` and `~`."""
        value = self.expression(node.operand)
        if isinstance(node.op, ast.Not):
            return self.value(f"xor i1 {self.truth(value)}, true", TRUTH)
        if isinstance(node.op, ast.USub):
            return self.value(f"sub i64 0, {self.number(value)}", NUMBER)
        return self.value(f"xor i64 {self.number(value)}, -1", WORD if value.kind is WORD else NUMBER)

    def of_BoolOp(self, node: ast.BoolOp) -> Value:
        """The first part that decides, or the last one."""
        kept, end = self.fresh("kept"), self.fresh("end")
        for one in node.values:
            value = self.expression(one)
            self.put(kept, value)
            if one is not node.values[-1]:
                other = self.fresh("and")
                ways = (other, end) if isinstance(node.op, ast.And) else (end, other)
                self.emit(f"br i1 {self.truth(value)}, label %{ways[0]}, label %{ways[1]}")
                self.begin(other)
        self.jump(end)
        self.begin(end)
        return self.got(kept)

    def of_IfExp(self, node: ast.IfExp) -> Value:
        """One of two values."""
        kept, yes, no, end = self.fresh("kept"), self.fresh("yes"), self.fresh("no"), self.fresh("end")
        self.branch(node.test, yes, no)
        for label, one in ((yes, node.body), (no, node.orelse)):
            self.begin(label)
            self.put(kept, self.expression(one))
            self.jump(end)
        self.begin(end)
        return self.got(kept)

    def of_Compare(self, node: ast.Compare) -> Value:
        """One comparison, or a chain of them that ends at the first that fails."""
        left, end, kept = self.expression(node.left), self.fresh("end"), self.fresh("kept")
        for operator, one in zip(node.ops, node.comparators, strict=True):
            right = self.expression(one)
            result = self.compared(operator, left, right)
            if len(node.ops) == 1:
                return result
            left, other = right, self.fresh("and")
            self.put(kept, result)
            self.emit(f"br i1 {result.text}, label %{other}, label %{end}")
            self.begin(other)
        self.jump(end)
        self.begin(end)
        return self.got(kept)

    def compared(self, operator: ast.cmpop, left: Value, right: Value) -> Value:
        """Whether two numbers compare so."""
        order = ORDER[type(operator)]
        unsigned = [left.kind is WORD, right.kind is WORD]
        if any(unsigned) and not (all(unsigned) and order in ("eq", "ne")):
            self.refuse("an unsigned number compared")
        if left.kind is right.kind is TRUTH and order in ("eq", "ne"):
            return self.value(f"icmp {order} i1 {left.text}, {right.text}", TRUTH)
        return self.value(f"icmp {order} i64 {self.number(left)}, {self.number(right)}", TRUTH)

    def of_Call(self, node: ast.Call) -> Value:
        """A function of the model, the least or largest number, or a number as a word."""
        values = [self.expression(one) for one in node.args]
        if isinstance(node.func, ast.Attribute):
            return Value(self.converted(values[0], WORD), WORD)
        assert isinstance(node.func, ast.Name)
        if node.func.id in INSTRUCTIONS:
            name, _, form, kind = INSTRUCTIONS[node.func.id]
            return self.value(f"call i64 @{name}({form.format(*map(self.number, values))})", kind)
        if node.func.id in ("min", "max"):
            chosen = self.number(values[0])
            for one in values[1:]:
                other, order = self.number(one), "slt" if node.func.id == "min" else "sgt"
                first = self.value(f"icmp {order} i64 {other}, {chosen}", TRUTH).text
                chosen = self.value(f"select i1 {first}, i64 {other}, i64 {chosen}", NUMBER).text
            return Value(chosen, NUMBER)
        kinds = passed([value.kind for value in values])
        called = self.call(node.func.id, kinds)
        given = ", ".join(passing(kind, self.converted(value, kind)) for kind, value in zip(kinds, values, strict=True))
        if called.failures:
            given = ", ".join([given, "ptr %failed"]) if given else "ptr %failed"
        whole = f'call {llvm_type(called.returns)} @"{called.symbol}"({given})'
        if called.returns is NOTHING:
            self.emit(whole)
            value = Value("", NOTHING)
        else:
            value = self.value(whole, called.returns)
        if called.failures:
            self.fail_as(called)
        return value

    def fail_as(self, called: Called) -> None:
        """Behind a call that can fail: return where it did."""
        self.failures |= dict.fromkeys(called.failures)
        found, further = self.value("load i64, ptr %failed", NUMBER).text, self.fresh("further")
        self.emit(f"br i1 {self.value(f'icmp eq i64 {found}, 0', TRUTH).text}, label %{further}, label %failing")
        self.begin(further)
