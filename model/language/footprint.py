"""What an action reads and writes, from its syntax tree: paths of variables, with the action's parameters as indices.

`replica[partition][leader].hw` is the variable of the broker that the parameter `leader` names; an index that is no
parameter (a loop's, a value's) is `*`. Every branch counts, also one that a configuration rules out, except those that
a constant argument rules out (`publish(..., ELECTION)`).
"""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .kinds import Kind, Many, declared
from .program import Program, program
from .shapes import shape_of

ANY = "*"


@dataclass(frozen=True)
class Ref:
    """A part of the state: its path as text and its kind."""

    path: str
    kind: Any


def below(part: Ref) -> list[str]:
    """The paths of the variables of a part of the state."""
    if isinstance(part.kind, Kind):
        return [part.path]
    return [path.replace("[]", f"[{ANY}]") for path, kind in declared(part.kind, part.path) if isinstance(kind, Kind)]


@dataclass(frozen=True)
class Footprint:
    """The variables that an action reads and that it writes."""

    reads: frozenset[str]
    writes: frozenset[str]


def footprint(function: Any, parameters: Iterable[str], state: Any, left: Iterable[Any] = ()) -> Footprint:
    """What `function(s, *parameters)` reads and writes of a `state` (a class): it and all that it calls, except `left`."""
    programmed = program([function, *left])
    reader = _Reader(programmed, frozenset(programmed.name_of(one) for one in left))
    reader.call(programmed.name_of(function), (frozenset([Ref("", state)]), *(frozenset([name]) for name in parameters)))
    return Footprint(frozenset(reader.reads), frozenset(reader.writes))


def footprint_in(
    whole: Program, name: str, states: int, state: Any, left: frozenset[str] = frozenset(), shapes: Sequence[Any] = ()
) -> Footprint:
    """What a function of a program reads and writes of its first `states` parameters, which are states; indices stay unknown.

    `left`: functions that are not followed. `shapes`: what the parameters are, where some are parts of the state; such a one may
    be any part of that shape.
    """
    reader = _Reader(whole, left)
    parameters = len(whole.functions[name].args.args)
    parts = [*declared(state)] if shapes else []
    later = [frozenset(Ref(path, kind) for path, kind in parts if shape_of(kind) is one) for one in shapes[states:]]
    later = later or [UNKNOWN] * (parameters - states)
    reader.call(name, (frozenset([Ref("", state)]),) * states + tuple(one or UNKNOWN for one in later))
    return Footprint(frozenset(reader.reads), frozenset(reader.writes))


def guard_reads(whole: Program, name: str, parameters: Iterable[str], state: Any) -> list[set[str]]:
    """What an action reads of a state before its first effect: for each guard, or name that it gives, what was not read before.

    A guard is an `if` that does nothing but refuse.
    """
    reader, tree = _Reader(whole, frozenset()), whole.functions[name]
    values = (frozenset([Ref("", state)]), *(frozenset([one]) for one in parameters))
    frame = _Frame(reader, dict(zip((a.arg for a in tree.args.args), values, strict=True)))
    found: list[set[str]] = []
    for statement in tree.body:
        refuses = isinstance(statement, ast.If) and not statement.orelse and ast.unparse(statement.body[0]) == "return False"
        names = isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
        if not refuses and not names:
            break
        known = set(reader.reads)
        frame.statement(statement)
        found.append(reader.reads - known)
    return found


Values = frozenset[Any]
"""What an expression may stand for: parts of the state (`Ref`), parameters of the action (their names), constants. None of them:
a number that is computed from the state."""

UNKNOWN: Values = frozenset([ANY])


@dataclass
class _Reader:
    """Follows references through the functions of a program."""

    program: Program
    left: frozenset[str]
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    answers: dict[tuple[str, tuple[Values, ...]], Values] = field(default_factory=dict)

    def call(self, name: str, arguments: tuple[Values, ...]) -> Values:
        """What a call may return; what it reads and writes is noted."""
        key = (name, arguments)
        if key not in self.answers:
            tree = self.program.functions[name]
            frame = _Frame(self, dict(zip((a.arg for a in tree.args.args), arguments, strict=True)))
            frame.run(tree.body)
            self.answers[key] = frozenset(frame.returned)
        return self.answers[key]


@dataclass
class _Frame:
    """One call: what each local name may stand for."""

    reader: _Reader
    names: dict[str, Values]
    returned: set[Any] = field(default_factory=set)

    def run(self, statements: list[ast.stmt]) -> None:
        """Follow the statements in their order."""
        for statement in statements:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        """Follow one statement, with both branches of an `if`."""
        if isinstance(node, ast.If):
            self.value(node.test)
            taken = self.decided(node.test)
            if taken is not False:
                self.run(node.body)
            if taken is not True:
                self.run(node.orelse)
        elif isinstance(node, ast.For):
            assert isinstance(node.target, ast.Name)
            self.names[node.target.id] = UNKNOWN
            before = None
            while before != self.names:  # what a round assigns is there in the next one
                before = dict(self.names)
                self.run(node.body)
        elif isinstance(node, ast.Return):
            if node.value is not None:
                self.returned |= self.value(node.value) or UNKNOWN
        elif isinstance(node, ast.Assign):
            values = self.value(node.value)
            if not isinstance(node.targets[0], ast.Name):
                self.whole(values)
            self.assign(node.targets[0], values)
        elif isinstance(node, ast.AugAssign):
            self.value(node.value)
            if not isinstance(node.target, ast.Name):
                self.reader.reads |= self.places(node.target)
            self.assign(node.target, frozenset())
        elif isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
            self.value(node.value)

    def assign(self, target: ast.expr, values: Values) -> None:
        """A local name may stand for these values too, or a variable of the state is written."""
        if isinstance(target, ast.Name):
            self.names[target.id] = self.names.get(target.id, frozenset()) | (values or UNKNOWN)
        else:
            self.reader.writes |= self.places(target)

    def decided(self, test: ast.expr) -> bool | None:
        """What a comparison with a constant comes to, if both sides are known: `purpose == UNCLEAN`."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return False if any(self.decided(part) is False for part in test.values) else None
        if not isinstance(test, ast.Compare) or len(test.ops) > 1 or not isinstance(test.ops[0], ast.Eq):
            return None
        numbers = [self.value(side) for side in (test.left, test.comparators[0])]
        if all(len(one) == 1 and all(isinstance(number, int) for number in one) for one in numbers):
            return numbers[0] == numbers[1]
        return None

    def places(self, node: ast.expr) -> set[str]:
        """The paths of the variables that a target may be, or that are below it."""
        return {path for part in self.refer(node) for path in below(part)}

    def whole(self, values: Values) -> None:
        """Records and arrays are copied or compared: all that is below them is read."""
        self.reader.reads |= {path for part in values if isinstance(part, Ref) for path in below(part)}

    def value(self, node: ast.expr) -> Values:
        """What an expression may stand for; a variable that it takes the value of is noted as read."""
        if isinstance(node, ast.Constant):
            return frozenset([node.value])
        if isinstance(node, ast.Name):
            constant = self.reader.program.constants.get(node.id)
            return self.names.get(node.id, frozenset() if constant is None else frozenset([constant]))
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            parts = self.refer(node)
            self.reader.reads |= {part.path for part in parts if isinstance(part.kind, Kind)}
            return frozenset(part for part in parts if not isinstance(part.kind, Kind))
        if isinstance(node, ast.Call):
            arguments = tuple(self.value(argument) or UNKNOWN for argument in node.args)
            assert isinstance(node.func, ast.Name)
            if node.func.id == "len":  # of a set, which is a number of the state
                sets = [part for one in arguments for part in one if isinstance(part, Ref)]
                self.reader.reads |= {f"{part.path}.length" for part in sets if "length" in getattr(part.kind, "fields", {})}
            known = node.func.id in self.reader.program.functions and node.func.id not in self.reader.left
            return self.reader.call(node.func.id, arguments) if known else frozenset()
        if isinstance(node, ast.IfExp):
            self.value(node.test)
            return (self.value(node.body) or UNKNOWN) | (self.value(node.orelse) or UNKNOWN)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                values = self.value(child)
                if isinstance(node, ast.Compare):
                    self.whole(values)
        return frozenset()

    def refer(self, node: ast.expr) -> frozenset[Ref]:
        """The parts of the state that a path may mean; none for a setting."""
        if isinstance(node, ast.Attribute):
            return frozenset(
                Ref(f"{part.path}.{node.attr}".lstrip("."), part.kind.fields[node.attr])
                for part in self.value(node.value)
                if isinstance(part, Ref) and node.attr in part.kind.fields
            )
        assert isinstance(node, ast.Subscript)
        indices = {name if isinstance(name, str) else ANY for name in self.value(node.slice) or UNKNOWN}
        return frozenset(
            Ref(f"{part.path}[{index}]", part.kind.element)
            for part in self.value(node.value)
            if isinstance(part, Ref) and isinstance(part.kind, Many)
            for index in indices
        )
