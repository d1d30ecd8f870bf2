"""What an action reads and writes, from its typed tree: paths of variables, with the action's parameters as indices.

`replica[partition][leader].hw` is the variable of the broker that the parameter `leader` names; an index that is no
parameter (a loop's, a value's) is `*`. Every branch counts, also one that a configuration rules out, except those that
a constant argument rules out (`publish(..., ELECTION)`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..kinds import Kind, Many, declared
from . import typed_tree as tree
from .program import Program, program
from .shapes import shape_of

ANY = "*"
EARLIER = "<earlier>"
"""Before the paths of what is read of an earlier state."""


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
    whole = program([function, *left])
    return footprint_in(whole, whole.name_of(function), 1, state, frozenset(map(whole.name_of, left)), indices=tuple(parameters))


def footprint_in(
    whole: Program, name: str, states: int, state: Any, left: frozenset[str] = frozenset(), shapes: Sequence[Any] = (),
    indices: Sequence[str] = (), of_last: bool = False,
) -> Footprint:  # fmt: skip
    """What a function of a program reads and writes of its first `states` parameters, which are states; indices stay unknown.

    `left`: functions that are not followed. `shapes`: what the parameters are, where some are parts of the state; such a one may
    be any part of that shape. `indices`: numbers that the parameters behind the states are, or `ANY`. `of_last`: only what it
    reads and writes of the last of the states.
    """
    reader = _Reader(whole, left)
    parameters = len(whole.functions[name].parameters)
    known = [*declared(state)] if shapes else []
    parts = [frozenset(Ref(path, kind) for path, kind in known if shape_of(kind) is shape) for shape in shapes[states:]]
    given: list[Values] = [frozenset([index]) for index in indices]
    later: list[Values] = parts or given or [UNKNOWN] * (parameters - states)
    roots = [frozenset([Ref("" if place == states or not of_last else EARLIER, state)]) for place in range(1, states + 1)]
    reader.call(name, (*roots, *(place or UNKNOWN for place in later)))
    found = (frozenset(path for path in paths if not path.startswith(EARLIER)) for paths in (reader.reads, reader.writes))
    return Footprint(*found)


def settings_in(*nodes: tree.Node) -> list[str]:
    """The settings that are read there."""
    return [node.name for node in tree.having(tree.Field, *nodes) if tree.is_configuration(node.owner)]


def guard_reads(whole: Program, name: str, parameters: Iterable[str], state: Any) -> list[set[str]]:
    """What an action reads of a state before its first effect: for each guard, or name that it gives, what was not read before.

    A guard is an `if` that does nothing but refuse. Of code with checks, they are in the copy that is called.
    """
    reader, function = _Reader(whole, frozenset()), whole.functions[name]
    values = [frozenset([Ref("", state)]), *(frozenset([parameter]) for parameter in parameters)]
    frame = _Frame(reader, dict(zip(function.parameters, values, strict=True)))
    match function.body:
        case [tree.Return(value=tree.Call(function=called))] if called in whole.functions:
            function = whole.functions[called]
            frame = _Frame(reader, dict(zip(function.parameters, [*values, UNKNOWN], strict=False)))
    found: list[set[str]] = []
    for statement in function.body:
        gives = isinstance(statement, tree.Assign) and isinstance(statement.target, tree.Name)
        if not gives and not tree.is_guard(statement, False):
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
            function = self.program.functions[name]
            frame = _Frame(self, dict(zip(function.parameters, arguments, strict=True)))
            frame.run(function.body)
            self.answers[key] = frozenset(frame.returned)
        return self.answers[key]


@dataclass
class _Frame:
    """One call: what each local name may stand for."""

    reader: _Reader
    names: dict[str, Values]
    returned: set[Any] = field(default_factory=set)

    def run(self, statements: Iterable[tree.Statement]) -> None:
        """Follow the statements in their order."""
        for statement in statements:
            self.statement(statement)

    def statement(self, node: tree.Statement) -> None:
        """Follow one statement, with both branches of an `if`."""
        match node:
            case tree.If(test=test, body=body, otherwise=otherwise):
                self.value(test)
                taken = self.decided(test)
                if taken is not False:
                    self.run(body)
                if taken is not True:
                    self.run(otherwise)
            case tree.Loop(name=name, body=body):
                self.names[name] = UNKNOWN
                before = None
                while before != self.names:  # what a round assigns is there in the next one
                    before = dict(self.names)
                    self.run(body)
            case tree.Return(value=tree.Expression() as value):
                self.returned |= self.value(value) or UNKNOWN
            case tree.Assign(target=target, value=value):
                values = self.value(value)
                if not isinstance(target, tree.Name):
                    self.whole(values)
                self.assign(target, values)
            case tree.Update(target=target, value=value):
                self.value(value)
                if not isinstance(target, tree.Name):
                    self.reader.reads |= self.places(target)
                self.assign(target, frozenset())
            case tree.Do(value=value):
                self.value(value)

    def assign(self, target: tree.Expression, values: Values) -> None:
        """A local name may stand for these values too, or a variable of the state is written."""
        if isinstance(target, tree.Name):
            self.names[target.name] = self.names.get(target.name, frozenset()) | (values or UNKNOWN)
        else:
            self.reader.writes |= self.places(target)

    def decided(self, test: tree.Expression) -> bool | None:
        """What a comparison with a constant comes to, if both sides are known: `purpose == UNCLEAN`."""
        if isinstance(test, tree.Joined) and test.is_and:
            return False if any(self.decided(part) is False for part in test.parts) else None
        if not isinstance(test, tree.Compared) or test.signs != ("==",):
            return None
        numbers = list(map(self.value, test.sides))
        if all(len(place) == 1 and all(isinstance(number, int) for number in place) for place in numbers):
            return numbers[0] == numbers[1]
        return None

    def places(self, node: tree.Expression) -> set[str]:
        """The paths of the variables that a target may be, or that are below it."""
        return {path for part in self.refer(node) for path in below(part)}

    def whole(self, values: Values) -> None:
        """Records and arrays are copied or compared: all that is below them is read."""
        self.reader.reads |= {path for part in values if isinstance(part, Ref) for path in below(part)}

    def value(self, node: tree.Expression) -> Values:
        """What an expression may stand for; a variable that it takes the value of is noted as read."""
        match node:
            case tree.Number(value=number):
                return frozenset([number])
            case tree.Name(name=name):
                return self.names.get(name, frozenset())
            case tree.Field() | tree.Element():
                parts = self.refer(node)
                self.reader.reads |= {part.path for part in parts if isinstance(part.kind, Kind)}
                return frozenset(part for part in parts if not isinstance(part.kind, Kind))
            case tree.Call(function=name, arguments=given):
                arguments = tuple(self.value(argument) or UNKNOWN for argument in given)
                if name == "len":  # of a set, which is a number of the state
                    sets = [part for argument in arguments for part in argument if isinstance(part, Ref)]
                    self.reader.reads |= {f"{part.path}.length" for part in sets if "length" in getattr(part.kind, "fields", {})}
                known = name in self.reader.program.functions and name not in self.reader.left
                return self.reader.call(name, arguments) if known else frozenset()
            case tree.Choice(test=test, yes=yes, no=no):
                self.value(test)
                return (self.value(yes) or UNKNOWN) | (self.value(no) or UNKNOWN)
        for values in map(self.value, tree.parts_of(node)):
            if isinstance(node, tree.Compared):
                self.whole(values)
        return frozenset()

    def refer(self, node: tree.Expression) -> frozenset[Ref]:
        """The parts of the state that a path may mean; none for a setting."""
        if isinstance(node, tree.Field):
            return frozenset(
                Ref(f"{part.path}.{node.name}".lstrip("."), part.kind.fields[node.name])
                for part in self.value(node.owner)
                if isinstance(part, Ref) and node.name in part.kind.fields
            )
        assert isinstance(node, tree.Element)
        indices = {name if isinstance(name, str) else ANY for name in self.value(node.index) or UNKNOWN}
        return frozenset(
            Ref(f"{part.path}[{index}]", part.kind.element)
            for part in self.value(node.owner)
            if isinstance(part, Ref) and isinstance(part.kind, Many)
            for index in indices
        )
