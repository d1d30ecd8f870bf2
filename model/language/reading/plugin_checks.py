"""Code that is not Highwater's own, such as a plugin's: what it may touch is checked, before it runs and while it runs.

Highwater's own functions run without checks of their indices, for a proof covers each of them: `highwater prove` demands
that every index of every action and property lies inside its array. No one has proved a plugin's. So a function from a
plugin, and all that it calls, is compiled from a copy in which each index is compared with the size that the configuration
gives the array (not with the size of the layout), each shift and product with what 64 bits hold, and each number that is
written with what a cell of the state holds, which would cut it to one that may be in range. The copy gets the configuration as
another parameter, `bounds`, since a record of a state does not know it. (`arithmetic`)

To say which array an index belongs to, expressions are followed from the declaration of the state. On the way fields that a
record does not have are refused, with the nearest one; so are records and arrays where a number is expected, and variables and
functions that have a value on some paths only (`values`).
"""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ..errors import LanguageError, hint
from ..kinds import Integer, Many, MemberSet, Record, State
from ..sequences import is_ordered, remove
from ..settings import Settings
from .arithmetic import HELPERS, NARROW, WIDE, bits_of, bits_of_bound, bits_of_kind, bucket, operated, with_bits
from .parsed import is_fixed
from .program import BOUNDS, Program, calls_any
from .shapes import (
    CONFIG,
    NUMBER,
    Either,
    Shape,
    alike,
    bound,
    compared,
    described,
    function_on_wholes,
    is_container,
    is_whole,
    joined,
    shape_of,
)
from .trees import called, copied, free_of, function_in, has_read_index, names_in, read, stored_in
from .values import ends, returns_value, unassigned

SUFFIX = "__checked"

ARGUMENTS = {"range": range(1, 4), "min": range(2, 100), "max": range(2, 100)}
"""How many numbers Python's own functions take here."""


def with_plugin_checks(program: Program, given: Iterable[str], state: type[State], settings: type[Settings]) -> Program:
    """The program in which each function from a plugin that is `given`, or a version of a rule, runs with checks.

    LanguageError when one uses a field or an array that the state does not have.
    """
    rules = [tree for name, tree in program.functions.items() if program.files[name].startswith("rule ")]
    versions = {name for tree in rules for name in names_in(tree)}
    measuring = {name for name, tree in program.functions.items() if "len" in names_in(tree)}
    roots = (program.plugin_code | program.callers_of(measuring)) & {*given, *versions}
    if not roots:
        return program
    functions = {tree.name: tree for tree in ast.parse(HELPERS).body if isinstance(tree, ast.FunctionDef)}
    files = {**program.files, **dict.fromkeys(functions, "generated")}
    copies = _Copies(program, state, settings, functions, files)
    for name, tree in program.functions.items():
        functions[name] = copies.entry(name) if name in roots else tree
    return Program(functions, program.constants, files, program.names, program.plugin_code)


@dataclass
class _Copies:
    """Copies of functions with checks: one for each function and for the shapes that its parameters have."""

    program: Program
    state: type[State]
    settings: type[Settings]
    functions: dict[str, ast.FunctionDef]
    files: dict[str, str]
    made: dict[tuple[Any, ...], tuple[str, Shape, int]] = field(default_factory=dict)

    def entry(self, name: str) -> ast.FunctionDef:
        """The function under its own name: it calls its copy. Its first parameter is a state, and so is a second `t`."""
        tree, parameters = self.program.functions[name], [a.arg for a in self.program.functions[name].args.args]
        plain = tuple(self.state if place == 0 or (place, p) == (1, "t") else NUMBER for place, p in enumerate(parameters))
        known = self.program.known_shapes.get(name, ())
        copy, returned, _ = self.copy(name, known or plain, (NARROW,) * len(plain))
        if returned is not NUMBER and not known:
            raise LanguageError(f"{self.program.files[name]}:{tree.lineno}: {name} returns {described(returned)}")
        call = f"{copy}({', '.join([*parameters, f'{parameters[0]}.config'])})"
        return function_in(f"def {name}({', '.join(parameters)}):\n    return {call}")

    def copy(self, name: str, shapes: tuple[Shape, ...], bits: tuple[int, ...]) -> tuple[str, Shape, int]:
        """The copy of a function for parameters of these shapes and bits: its name, shape and bits of what it returns."""
        return self.copy_of(self.program.functions[name], self.program.files[name], shapes, bits)

    def copy_of(
        self, tree: ast.FunctionDef, file: str, shapes: tuple[Shape, ...], bits: tuple[int, ...]
    ) -> tuple[str, Shape, int]:
        """As `copy`, of a tree in a file."""
        key = (file, tree.name, shapes, bits)
        if key not in self.made:
            validate_every_path_returns(file, tree)
            reader = _Reader(self, tree.name, file, dict(zip((a.arg for a in tree.args.args), shapes, strict=False)))
            reader.bits.update(zip(reader.names, bits, strict=False))
            twin = reader.visit(copied(tree))
            twin.name = free_of(self.functions, f"{tree.name}{SUFFIX}")
            twin.args.args.append(ast.arg(BOUNDS))
            self.functions[twin.name] = ast.fix_missing_locations(twin)
            self.files[twin.name] = file
            self.made[key] = twin.name, reader.returned or NUMBER, reader.most
        return self.made[key]

    def on_wholes(self, what: str, shape: Shape, values: list[ast.expr]) -> ast.Call:
        """A call of the copy of the function that does this with two records or arrays (`shapes`)."""
        copy, _, _ = self.copy_of(function_on_wholes(what, shape), "generated", (shape, shape), (WIDE, WIDE))
        return ast.Call(ast.Name(copy, ast.Load()), [*values, ast.Name(BOUNDS, ast.Load())], [])


def called_with(program: Program, given: Iterable[str], name: str, state: type[State], settings: type[Settings]) -> set[Any]:
    """What the arguments of a function are, the state among them, wherever a `given` function leads to a call of it."""
    copies = _Copies(program, state, settings, {}, {})
    for argument in given:
        copies.entry(argument)
    return {shapes for _, called, shapes, _ in copies.made if called == name}


def validate_returns(program: Program, names: Iterable[str]) -> None:
    """LanguageError when one of these functions returns nothing."""
    for name in names:
        if returns_value(program.functions[name]) is False:
            raise LanguageError(f"{program.files[name]}:{program.functions[name].lineno}: {name} returns no value")


def validate_every_path_returns(file: str, tree: ast.FunctionDef) -> None:
    """LanguageError for a function that returns a value on some paths only, or reads a variable that may have none."""
    if returns_value(tree) is None:
        raise LanguageError(f"{file}:{tree.lineno}: {tree.name} returns a value on some paths only")
    for node in unassigned(tree):
        raise LanguageError(f"{file}:{node.lineno}: {node.id} may have no value yet in {tree.name}")


class _Reader(ast.NodeTransformer):
    """Copies one function, and follows what its names stand for. `visit` of an expression leaves its shape in `shape`."""

    def __init__(self, copies: _Copies, name: str, file: str, names: dict[str, Shape]) -> None:
        self.copies, self.name, self.file, self.names = copies, name, file, names
        self.returned: Shape = None
        self.bits: dict[str, int] = {}  # of what names stand for
        self.most = 0  # bits of what is returned
        self.shape: Shape = NUMBER
        self.kind: Any = None  # the declaration of the field or element that was visited last
        self.line = 0
        self.alone = False  # the call that comes next is a statement, whose value nobody wants

    def refuse(self, what: str) -> NoReturn:
        """LanguageError at the present line."""
        raise LanguageError(f"{self.file}:{self.line}: {what} in {self.name}")

    def visit(self, node: ast.AST) -> Any:
        """The node with checks."""
        self.line = getattr(node, "lineno", self.line)
        if isinstance(node, (ast.Expr, ast.Call)):
            self.alone = isinstance(node, ast.Expr) or self.alone
        else:
            self.alone = False
        is_part = isinstance(node, (ast.Attribute, ast.Subscript, ast.Name, ast.Call, ast.IfExp))
        twin = super().visit(node)
        if not is_part:
            self.shape = NUMBER
        return twin

    def number(self, node: ast.expr) -> Any:
        """An expression that must be a number."""
        twin = self.visit(node)
        if self.shape is not NUMBER:
            self.refuse(f"{described(self.shape)} where a number is expected")
        return twin

    def visit_Return(self, node: ast.Return) -> Any:
        if node.value is not None:
            node.value = self.visit(node.value)
            if self.returned not in (None, self.shape):
                self.refuse(f"two kinds of result, {described(self.returned)} and {described(self.shape)},")
            self.returned = self.shape
            self.most = max(self.most, bits_of(node.value))
        return node

    def validate_target(self, target: ast.expr) -> None:
        """LanguageError for a value that is written to a place of a bag, a set or a map: these are kept in order."""
        is_place = isinstance(target, ast.Subscript) and isinstance(target.value, ast.Attribute) and target.value.attr == "item"
        if is_place and not hasattr(self.copies.program.originals.get(self.name), "of_container"):
            self.visit(copied(target.value.value))  # type: ignore[attr-defined]
            if is_ordered(self.shape):
                self.refuse("a write to a place of a bag, a set or a map (take the value away, and put another there)")

    def visit_Assign(self, node: ast.Assign) -> Any:
        self.validate_target(node.targets[0])
        node.value = self.visit(node.value)
        shape, target = self.shape, node.targets[0]
        if isinstance(target, ast.Name):
            self.names.setdefault(target.id, shape)
        node.targets = [self.visit(target)]
        if isinstance(target, ast.Name):
            self.names[target.id], self.bits[target.id] = shape, bits_of(node.value)
        elif is_whole(shape) and alike(self.shape, shape):
            call = self.copies.on_wholes("copied", self.shape, [read(node.targets[0]), node.value])
            return ast.copy_location(ast.Expr(call), node)
        elif shape is not NUMBER or self.shape is not NUMBER:
            self.refuse(f"an assignment of {described(shape)} to {described(self.shape)}")
        else:
            node.value = self.fitting(node.value)
        return node

    def fitting(self, value: ast.expr) -> ast.expr:
        """A number that is written to the variable that was visited last: a cell holds what is declared, or a byte."""
        low, high = (self.kind.low, self.kind.high) if isinstance(self.kind, Integer) else (0, 0)
        ends = [ast.Constant(end) if isinstance(end, int) else bound(end) for end in (low, high)]
        if isinstance(self.kind, MemberSet):
            ends[1] = ast.BinOp(ast.BinOp(ast.Constant(1), ast.LShift(), bound(self.kind.of)), ast.Sub(), ast.Constant(1))
        return ast.Call(ast.Name("fitting", ast.Load()), [value, *ends], [])

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id not in self.names and node.id in {*self.copies.program.functions, *ARGUMENTS}:
            self.refuse(f"the function {node.id}, which is not called,")
        self.shape = self.names.get(node.id, NUMBER)
        if isinstance(self.shape, Either) and isinstance(node.ctx, ast.Load):
            self.refuse(f"{node.id}, which is {described(self.shape)},")
        known = self.copies.program.constants.get(node.id)
        return with_bits(node, abs(known).bit_length() if isinstance(known, int) else self.bits.get(node.id, WIDE))

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        node.value = self.visit(node.value)
        owner = self.shape
        if owner is CONFIG:
            known: Iterable[str] = (*self.copies.settings.settings, *self.copies.settings.computed)
            self.shape = NUMBER
            node.value = ast.Name(BOUNDS, ast.Load()) if isinstance(node.value, ast.Name) else node.value  # to show what it is
            node = with_bits(node, bits_of_bound(node.attr, self.copies.settings, WIDE))
        elif isinstance(owner, type) and issubclass(owner, Record):
            known = (*owner.fields, *(["config"] if issubclass(owner, State) else []))
            self.kind = owner.fields.get(node.attr)
            self.shape = CONFIG if node.attr == "config" else shape_of(self.kind)
            node = with_bits(node, bits_of_kind(self.kind, self.copies.settings))
        else:
            self.refuse(f"the field {node.attr} of {described(owner)}")
        if node.attr not in known:
            self.refuse(f"{described(owner)} has no field {node.attr!r:.60} ({hint(node.attr, known)})")
        return node

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        node.value = self.visit(node.value)
        array = self.shape
        if not isinstance(array, Many):
            self.refuse(f"an index into {described(array)}, which is not an array,")
        checked = ast.Call(ast.Name("within", ast.Load()), [self.number(node.slice), bound(array.dimension)], [])
        node.slice = ast.copy_location(checked, node)
        self.kind = array.element
        self.shape = shape_of(array.element)
        return with_bits(node, bits_of_kind(self.kind, self.copies.settings))

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        return ast.copy_location(self.operated(self.number(node.left), node.op, self.number(node.right)), node)

    def operated(self, left: ast.expr, operator: ast.operator, right: ast.expr) -> ast.expr:
        """The operation, with a check where it may go beyond 64 bits."""
        return operated(left, operator, right, is_fixed(left, self.names) and is_fixed(right, self.names))

    @staticmethod
    def bits_of_arguments(given: Iterable[ast.expr], shapes: Iterable[Shape]) -> tuple[int, ...]:
        """What is known of arguments, in few classes: a function has a copy for each."""
        return tuple(bucket(bits_of(a)) if shape is NUMBER else NARROW for a, shape in zip(given, shapes, strict=True))

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        writers = self.copies.program.writers
        if calls_any(node.target, writers) or (calls_any(node.value, writers) and has_read_index(node.target)):
            self.refuse("an index that writes to the state, or that a call may change: give it a name first,")
        self.validate_target(node.target)
        value, target = self.number(node.value), self.number(node.target)
        result = self.operated(with_bits(read(copied(target)), bits_of(target)), node.op, value)
        if isinstance(target, ast.Name):
            self.bits[target.id] = bits_of(result)
        return ast.copy_location(ast.Assign([target], result if isinstance(target, ast.Name) else self.fitting(result)), node)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        node.test, node.orelse = self.number(node.test), self.visit(node.orelse)
        other = self.shape
        node.body = self.visit(node.body)
        if other is not self.shape:
            self.refuse(f"{described(self.shape)} or {described(other)}")
        return node

    def visit_For(self, node: ast.For) -> Any:
        if isinstance(node.target, ast.Name):
            self.names[node.target.id] = NUMBER
        node.iter = self.visit(node.iter)
        self.bits.update(dict.fromkeys((name for argument in node.body for name in stored_in(argument)), WIDE))
        if isinstance(node.target, ast.Name):
            self.bits[node.target.id] = max(map(bits_of, node.iter.args), default=WIDE)  # type: ignore[attr-defined]
        before, bits = dict(self.names), dict(self.bits)
        for statement in node.body:  # what a round leaves behind is read by the next one, and after the last
            self.visit(copied(statement))
        self.names, self.bits = joined(before, self.names), dict(bits)
        node.body = [self.visit(argument) for argument in node.body]
        self.names, self.bits = joined(before, self.names), bits
        return node

    def visit_If(self, node: ast.If) -> Any:
        node.test = self.number(node.test)
        before, bits = dict(self.names), dict(self.bits)
        body, then, bits_then = [self.visit(statement) for statement in node.body], self.names, self.bits
        self.names, self.bits = before, bits
        orelse, otherwise = [self.visit(argument) for argument in node.orelse], self.names
        self.names = otherwise if ends(node.body) else then if ends(node.orelse) else joined(then, otherwise)
        self.bits = {name: max(some.get(name, 0) for some in (bits_then, self.bits)) for name in {**bits_then, **self.bits}}
        node.body, node.orelse = body, orelse
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        node.operand = self.number(node.operand)
        if isinstance(node.op, ast.Invert):  # which Numba takes for `not` if it is of a truth
            return ast.copy_location(self.operated(ast.Constant(-1), ast.Sub(), node.operand), node)
        if isinstance(node.op, ast.USub) and bits_of(node.operand) == WIDE:
            return ast.copy_location(self.operated(ast.Constant(0), ast.Sub(), node.operand), node)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        node.values = [self.number(value) for value in node.values]
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        both = [(self.visit(argument), self.shape) for argument in (node.left, *node.comparators)]
        (node.left, shape), (right, other) = both[:2]
        if len(both) == 2 and is_whole(shape) and alike(shape, other):
            what, turned, negated = compared(node.ops[0])
            call = self.copies.on_wholes(what, shape, [right, node.left] if turned else [node.left, right])
            self.shape = NUMBER
            return ast.copy_location(ast.UnaryOp(ast.Not(), call) if negated else call, node)
        for _, shape in both:
            if shape is not NUMBER:
                self.refuse(f"{described(shape)} where a number is expected")
        self.shape, node.comparators = NUMBER, [argument for argument, _ in both[1:]]
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        alone, self.alone = self.alone, False
        both = [(self.visit(argument), self.shape) for argument in node.args]
        node.args, shapes = [argument for argument, _ in both], [shape for _, shape in both]
        self.shape = NUMBER
        name = called(node)
        if name == "len" and name not in self.names and len(shapes) == 1:
            if isinstance(shapes[0], Many):
                return with_bits(ast.copy_location(bound(shapes[0].dimension), node), NARROW)
            if is_container(shapes[0]):
                if hasattr(node, "before"):
                    self.refuse("a loop to a length that was asked before, and may be another now; write range(len(...)) there,")
                return with_bits(ast.copy_location(ast.Attribute(node.args[0], "length", ast.Load()), node), NARROW)
        if name in self.names or name not in {*self.copies.program.functions, *ARGUMENTS}:
            self.refuse(f"a call of {name}, which is not a function,")
        if name in ARGUMENTS:
            if len(shapes) not in ARGUMENTS[name] or shapes != [NUMBER] * len(shapes):
                self.refuse(f"a call of {name} with arguments that it does not take")
            return with_bits(node, max(map(bits_of, node.args)))
        function = self.copies.program.functions[name]
        if len(function.args.args) != len(shapes):
            self.refuse(f"a call of {name} with {len(shapes)} arguments, and it takes {len(function.args.args)},")
        of_rule = self.file.startswith("rule ")  # whose value is wanted where it is called, if at all
        if not alone and not of_rule and returns_value(function) is False:
            self.refuse(f"the value of {name}, which returns none,")
        original: Any = self.copies.program.originals.get(name)
        if hasattr(original, "of_container") and not is_container(shapes[0]):
            self.refuse(f"{original.__name__} of {described(shapes[0])}, which is not a sequence, bag, set or map,")
        copy, self.shape, bits = self.copies.copy(name, tuple(shapes), self.bits_of_arguments(node.args, shapes))
        if not alone and is_whole(self.shape) and original is remove:
            self.refuse("a record that is removed, whose place is another's already: copy it first, with head() or item[0],")
        node.func = ast.Name(copy, ast.Load())
        node.args.append(ast.Name(BOUNDS, ast.Load()))
        return with_bits(node, bits)
