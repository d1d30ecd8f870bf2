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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from ..errors import LanguageError, hint
from ..kinds import Integer, Many, MemberSet, Record, State
from ..sequences import is_ordered, remove
from ..settings import Settings
from . import typed_tree as tree
from .arithmetic import HELPERS, NARROW, WIDE, Known, bits_of_bound, bits_of_kind, bucket, operated
from .program import BOUNDS, Program
from .shapes import (
    COMPARED,
    CONFIG,
    NUMBER,
    Either,
    Shape,
    alike,
    bound,
    described,
    function_on_wholes,
    is_container,
    is_whole,
    joined,
    shape_of,
)
from .trees import Visitor, free_of
from .typed_reading import functions_of
from .typed_tree import Call, Element, Field, Function, Name, Number
from .values import ends, returns_value, unassigned

SUFFIX = "__checked"

GENERATED = "generated"
"""In place of a file: that of functions which are made here."""

ARGUMENTS = {"range": range(1, 4), "min": range(2, 100), "max": range(2, 100)}
"""How many numbers Python's own functions take here."""


def with_plugin_checks(program: Program, given: Iterable[str], state: type[State], settings: type[Settings]) -> Program:
    """The program in which each function from a plugin that is `given`, or a version of a rule, runs with checks.

    LanguageError when one uses a field or an array that the state does not have.
    """
    rules = [function for name, function in program.functions.items() if program.files[name].startswith("rule ")]
    measuring = {name for name, calls in program.calls.items() if "len" in calls}
    roots = (program.plugin_code | program.callers_of(measuring)) & {*given, *tree.called(*rules)}
    if not roots:
        return program
    functions = functions_of(HELPERS)[0]
    files = {**program.files, **dict.fromkeys(functions, GENERATED)}
    copies = _Copies(program, state, settings, functions, files)
    for name, function in program.functions.items():
        functions[name] = copies.entry(name) if name in roots else function
    return Program(functions, files, program.names, program.plugin_code)


@dataclass
class _Copies:
    """Copies of functions with checks: one for each function and for the shapes that its parameters have."""

    program: Program
    state: type[State]
    settings: type[Settings]
    functions: dict[str, Function]
    files: dict[str, str]
    made: dict[tuple[Any, ...], tuple[str, Shape, int]] = field(default_factory=dict)

    def entry(self, name: str) -> Function:
        """The function under its own name: it calls its copy. Its first parameter is a state, and so is a second `t`."""
        function, parameters = self.program.functions[name], self.program.functions[name].parameters
        plain = tuple(self.state if place == 0 or (place, p) == (1, "t") else NUMBER for place, p in enumerate(parameters))
        known = self.program.known_shapes.get(name, ())
        copy, returned, _ = self.copy(function, self.program.files[name], known or plain, (NARROW,) * len(plain))
        if returned is not NUMBER and not known:
            raise LanguageError(f"{self.program.files[name]}:{function.line}: {name} returns {described(returned)}")
        call = Call(copy, (*map(Name, parameters), Field(Name(parameters[0]), "config")))
        return Function(name, parameters, (tree.Return(call),))

    def copy(self, function: Function, file: str, shapes: tuple[Shape, ...], bits: tuple[int, ...]) -> tuple[str, Shape, int]:
        """The copy of a function for parameters of these shapes and bits: its name, shape and bits of what it returns."""
        key = (file, function.name, shapes, bits)
        if key not in self.made:
            validate_every_path_returns(file, function)
            reader = _Reader(self, function.name, file, dict(zip(function.parameters, shapes, strict=False)))
            reader.bits.update(zip(reader.names, bits, strict=False))
            body, name = reader.block(function.body), free_of(self.functions, f"{function.name}{SUFFIX}")
            self.functions[name] = replace(function, name=name, parameters=(*function.parameters, BOUNDS), body=body)
            self.files[name] = file
            self.made[key] = name, reader.returned or NUMBER, reader.most
        return self.made[key]

    def on_wholes(self, what: str, shape: Shape, values: list[Any], node: tree.Node) -> Call:
        """A call of the copy of the function that does this with two records or arrays (`shapes`)."""
        copy, _, _ = self.copy(function_on_wholes(what, shape), GENERATED, (shape, shape), (WIDE, WIDE))
        return Call(copy, (*values, Name(BOUNDS)), source=node.source)


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
            raise LanguageError(f"{program.files[name]}:{program.functions[name].line}: {name} returns no value")


def validate_every_path_returns(file: str, function: Function) -> None:
    """LanguageError for a function that returns a value on some paths only, or reads a variable that may have none."""
    if returns_value(function) is None:
        raise LanguageError(f"{file}:{function.line}: {function.name} returns a value on some paths only")
    for node in unassigned(function):
        raise LanguageError(f"{file}:{node.line}: {node.name} may have no value yet in {function.name}")


class _Reader(Visitor):
    """Copies one function, and follows what its names stand for."""

    def __init__(self, copies: _Copies, name: str, file: str, names: dict[str, Shape]) -> None:
        self.copies, self.name, self.file, self.names = copies, name, file, names
        self.returned: Shape = None
        self.bits: dict[str, int] = {}  # of what names stand for
        self.most = 0  # bits of what is returned
        self.line = 0

    def refuse(self, what: str) -> NoReturn:
        """LanguageError at the present line."""
        raise LanguageError(f"{self.file}:{self.line}: {what} in {self.name}")

    # Statements.

    def block(self, statements: Iterable[tree.Statement]) -> tuple[tree.Statement, ...]:
        """Statements with checks."""
        return tuple(map(self.visit, statements))

    def visit(self, node: Any) -> Any:
        """A statement with checks; of an expression, what is known of it, too."""
        self.line = node.line or self.line
        return super().visit(node)

    def number(self, node: tree.Expression) -> Known:
        """An expression that must be a number."""
        return self.as_number(self.visit(node))

    def as_number(self, known: Known) -> Known:
        """An expression, which must be a number."""
        if known.shape is not NUMBER:
            self.refuse(f"{described(known.shape)} where a number is expected")
        return known

    def visit_Do(self, node: tree.Do) -> tree.Do:
        value = node.value
        return replace(node, value=(self.called(value, True) if isinstance(value, Call) else self.visit(value)).node)

    def visit_Return(self, node: tree.Return) -> tree.Return:
        if node.value is None:
            return node
        value = self.visit(node.value)
        if self.returned not in (None, value.shape):
            self.refuse(f"two kinds of result, {described(self.returned)} and {described(value.shape)},")
        self.returned, self.most = value.shape, max(self.most, value.bits)
        return replace(node, value=value.node)

    def validate_target(self, target: tree.Expression) -> None:
        """LanguageError for a value that is written to a place of a bag, a set or a map: these are kept in order."""
        keeps_order = self.file == GENERATED or hasattr(self.copies.program.originals.get(self.name), "of_container")
        match target:
            case Element(owner=Field(owner=container, name="item")):
                if not keeps_order and is_ordered(self.visit(container).shape):
                    self.refuse("a write to a place of a bag, a set or a map (take the value away, and put another there)")

    def visit_Assign(self, node: tree.Assign) -> tree.Statement:
        self.validate_target(node.target)
        value = self.visit(node.value)
        if isinstance(node.target, Name):
            self.names[node.target.name], self.bits[node.target.name] = value.shape, value.bits
            return replace(node, value=value.node)
        place = self.visit(node.target)
        if is_whole(value.shape) and alike(place.shape, value.shape):
            call = self.copies.on_wholes("copied", place.shape, [place.node, value.node], node)
            return tree.Do(call, source=node.source)
        if value.shape is not NUMBER or place.shape is not NUMBER:
            self.refuse(f"an assignment of {described(value.shape)} to {described(place.shape)}")
        return replace(node, target=place.node, value=self.fitting(value, place))

    def fitting(self, value: Known, place: Known) -> Call:
        """A number that is written to a variable: a cell holds what is declared, or a byte."""
        low, high = (place.kind.low, place.kind.high) if isinstance(place.kind, Integer) else (0, 0)
        least, most = (Number(end) if isinstance(end, int) else bound(end) for end in (low, high))
        if isinstance(place.kind, MemberSet):
            most = tree.Operation(tree.Operation(Number(1), "<<", bound(place.kind.of)), "-", Number(1))
        return Call("fitting", (value.node, least, most))

    def visit_Update(self, node: tree.Update) -> tree.Assign:
        writes, target = self.copies.program.writers.intersection, node.target
        indices = [element.index for element in tree.having(Element, target)]
        is_read = any(isinstance(part, (Field, Call)) for part in tree.nodes_in(*indices))
        if writes(tree.called(target)) or (is_read and writes(tree.called(node.value))):
            self.refuse("an index that writes to the state, or that a call may change: give it a name first,")
        self.validate_target(target)
        value = self.number(node.value)
        if isinstance(target, Name):
            place = self.as_number(Known(target, self.names.get(target.name, NUMBER), self.bits.get(target.name, WIDE)))
        else:
            place = self.number(target)
        result = operated(place, node.sign, value, self.names, node)
        if isinstance(target, Name):
            self.bits[target.name] = result.bits
        new = result.node if isinstance(target, Name) else self.fitting(result, place)
        return tree.Assign(place.node, new, source=node.source)

    def visit_Loop(self, node: tree.Loop) -> tree.Loop:
        self.names[node.name] = NUMBER
        between = list(map(self.visit, node.ends))
        self.validate_arguments("range", between)
        self.bits.update(dict.fromkeys(tree.stored(*node.body), WIDE))
        self.bits[node.name] = max(end.bits for end in between)
        before, bits = dict(self.names), dict(self.bits)
        self.block(node.body)  # what a round leaves behind is read by the next one, and after the last
        self.names, self.bits = joined(before, self.names), dict(bits)
        body = self.block(node.body)
        self.names, self.bits = joined(before, self.names), bits
        return replace(node, ends=tuple(end.node for end in between), body=body)

    def visit_If(self, node: tree.If) -> tree.If:
        test = self.number(node.test).node
        before, bits = dict(self.names), dict(self.bits)
        body, then, bits_then = self.block(node.body), self.names, self.bits
        self.names, self.bits = before, bits
        other, otherwise = self.block(node.otherwise), self.names
        self.names = otherwise if ends(node.body) else then if ends(node.otherwise) else joined(then, otherwise)
        self.bits = {name: max(some.get(name, 0) for some in (bits_then, self.bits)) for name in {**bits_then, **self.bits}}
        return replace(node, test=test, body=body, otherwise=other)

    # Expressions.

    def visit_Number(self, node: Number) -> Known:
        return Known(node, bits=abs(int(node.value)).bit_length())

    def visit_Name(self, node: Name) -> Known:
        if node.name not in self.names and node.name in {*self.copies.program.functions, *ARGUMENTS}:
            self.refuse(f"the function {node.name}, which is not called,")
        shape = self.names.get(node.name, NUMBER)
        if isinstance(shape, Either):
            self.refuse(f"{node.name}, which is {described(shape)},")
        return Known(node, shape, self.bits.get(node.name, WIDE))

    def visit_Field(self, node: Field) -> Known:
        owner, kind, settings = self.visit(node.owner), None, self.copies.settings
        known: Iterable[str]
        if owner.shape is CONFIG:
            known, shape, bits = (*settings.settings, *settings.computed), NUMBER, bits_of_bound(node.name, settings, WIDE)
            node = replace(node, owner=Name(BOUNDS) if isinstance(owner.node, Name) else owner.node)  # to show what it is
        elif isinstance(owner.shape, type) and issubclass(owner.shape, Record):
            known = (*owner.shape.fields, *(["config"] if issubclass(owner.shape, State) else []))
            kind = owner.shape.fields.get(node.name)
            shape, bits = CONFIG if node.name == "config" else shape_of(kind), bits_of_kind(kind, settings)
            node = replace(node, owner=owner.node)
        else:
            self.refuse(f"the field {node.name} of {described(owner.shape)}")
        if node.name not in known:
            self.refuse(f"{described(owner.shape)} has no field {node.name!r:.60} ({hint(node.name, known)})")
        return Known(node, shape, min(bits, WIDE), kind)

    def visit_Element(self, node: Element) -> Known:
        owner = self.visit(node.owner)
        array = owner.shape
        if not isinstance(array, Many):
            self.refuse(f"an index into {described(array)}, which is not an array,")
        within = Call("within", (self.number(node.index).node, bound(array.dimension)), source=node.source)
        bits = min(bits_of_kind(array.element, self.copies.settings), WIDE)
        return Known(replace(node, owner=owner.node, index=within), shape_of(array.element), bits, array.element)

    def visit_Operation(self, node: tree.Operation) -> Known:
        return operated(self.number(node.left), node.sign, self.number(node.right), self.names, node)

    def visit_Choice(self, node: tree.Choice) -> Known:
        test, no, yes = self.number(node.test), self.visit(node.no), self.visit(node.yes)
        if no.shape is not yes.shape:
            self.refuse(f"{described(yes.shape)} or {described(no.shape)}")
        return Known(replace(node, test=test.node, yes=yes.node, no=no.node), yes.shape, max(yes.bits, no.bits))

    def visit_Not(self, node: tree.Not) -> Known:
        return Known(replace(node, operand=self.number(node.operand).node), bits=1)

    def visit_Unary(self, node: tree.Unary) -> Known:
        operand = self.number(node.operand)
        if node.sign == "~":  # which Numba takes for `not` if it is of a truth
            return operated(Known(Number(-1), bits=1), "-", operand, self.names, node)
        if operand.bits == WIDE:
            return operated(Known(Number(0), bits=0), "-", operand, self.names, node)
        return Known(replace(node, operand=operand.node), bits=operand.bits)

    def visit_Joined(self, node: tree.Joined) -> Known:
        parts = list(map(self.number, node.parts))
        return Known(replace(node, parts=tuple(part.node for part in parts)), bits=max(part.bits for part in parts))

    def visit_Compared(self, node: tree.Compared) -> Known:
        sides = list(map(self.visit, node.sides))
        if len(sides) == 2 and is_whole(sides[0].shape) and alike(sides[0].shape, sides[1].shape):
            what, turned, negated = COMPARED[node.signs[0]]
            given = [side.node for side in (reversed(sides) if turned else sides)]
            call = self.copies.on_wholes(what, sides[0].shape, given, node)
            return Known(tree.Not(call, source=node.source), bits=1) if negated else Known(call)
        return Known(replace(node, sides=tuple(self.as_number(side).node for side in sides)), bits=1)

    def visit_Call(self, node: Call) -> Known:
        return self.called(node, False)

    def called(self, node: Call, alone: bool) -> Known:
        """What a call gives, unless it is `alone`, a statement whose value nobody wants."""
        self.line = node.line or self.line
        given, name = list(map(self.visit, node.arguments)), node.function
        shapes = tuple(argument.shape for argument in given)
        functions, arguments = self.copies.program.functions, tuple(argument.node for argument in given)
        if name == "len" and name not in self.names and len(shapes) == 1:
            if isinstance(shapes[0], Many):
                return Known(bound(shapes[0].dimension), bits=NARROW)
            if is_container(shapes[0]):
                if hasattr(node.source, "before"):
                    self.refuse("a loop to a length that was asked before, and may be another now; write range(len(...)) there,")
                return Known(Field(arguments[0], "length", source=node.source), bits=NARROW)
        if name in self.names or name not in {*functions, *ARGUMENTS}:
            self.refuse(f"a call of {name}, which is not a function,")
        if name in ARGUMENTS:
            self.validate_arguments(name, given)
            return Known(replace(node, arguments=arguments), bits=max(argument.bits for argument in given))
        function = functions[name]
        if len(function.parameters) != len(shapes):
            self.refuse(f"a call of {name} with {len(shapes)} arguments, and it takes {len(function.parameters)},")
        of_rule = self.file.startswith("rule ")  # whose value is wanted where it is called, if at all
        if not alone and not of_rule and returns_value(function) is False:
            self.refuse(f"the value of {name}, which returns none,")
        original: Any = self.copies.program.originals.get(name)
        if hasattr(original, "of_container") and not is_container(shapes[0]):
            self.refuse(f"{original.__name__} of {described(shapes[0])}, which is not a sequence, bag, set or map,")
        classes = tuple(bucket(argument.bits) if argument.shape is NUMBER else NARROW for argument in given)  # a copy for each
        copy, shape, bits = self.copies.copy(function, self.copies.program.files[name], shapes, classes)
        if not alone and is_whole(shape) and original is remove:
            self.refuse("a record that is removed, whose place is another's already: copy it first, with head() or item[0],")
        return Known(replace(node, function=copy, arguments=(*arguments, Name(BOUNDS))), shape, bits)

    def validate_arguments(self, name: str, given: Sequence[Known]) -> None:
        """LanguageError where Python's own function does not take these."""
        if len(given) not in ARGUMENTS[name] or any(argument.shape is not NUMBER for argument in given):
            self.refuse(f"a call of {name} with arguments that it does not take")
