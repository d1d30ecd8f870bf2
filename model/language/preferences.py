"""What prefers a member by its number, found in the text of a model: a promise of symmetry is refused with file and line.

Members can be renamed where no function asks for their numbers. So each expression is a number, which renaming leaves as it
is, a member, or a set of members, and only these steps are taken with the last two:

    member   compared for equality with a member; an index of an array over members; kept in a variable for members; `1 << m`
    set      compared with a set, with none or all; `&`, `|`, `^`, `~`; `(some >> m) & 1`; kept in a variable for sets

Everything else is refused: a member compared with a number, or by order, or used as truth; other arithmetic on it, unless it
gives the other one of two; a member in a variable for numbers; a number as an index over members, or where a member is written.
The text is read as it is under a configuration: of the branches that settings decide the one that is taken, in every function
that is called, with what its arguments are there.

What cannot be seen in the kinds of expressions is left to `compiling/symmetry_samples.py`, which renames states that a run has
seen: two members that both range over all (parameters, loops) and are compared by order, as in a guard that names each pair once,
and a loop that keeps the first member that it finds.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import product
from typing import Any, NoReturn

from .actions import Model
from .errors import short
from .kinds import MEMBERS, Integer, Many, Member, MemberSet
from .program import Program, program
from .settings import Settings
from .sorts import (
    ANY_NUMBER,
    CONFIG,
    MADE,
    MEMBER,
    MIXED,
    NUMBER,
    RECORD,
    SET,
    SHIFTED,
    Value,
    computed,
    described,
    is_member,
    length_of,
    names_members,
    sorts_of,
    value_of,
)  # fmt: skip

ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
OF_SETS = (ast.BitAnd, ast.BitOr, ast.BitXor)


class Preference(Exception):
    """A place in the text that prefers a member by its number."""


def preference(model: Model, config: Settings, properties: Iterable[Any]) -> str:
    """`file.py:12: ... in function` for the first place that prefers a member by its number; empty where none does.

    Only what a foreign function takes part in is read: tests read Highwater's own models.
    """
    return next(preferences(model, config, properties), "")


def preferences(model: Model, config: Settings, properties: Iterable[Any], own: bool = False) -> Iterator[str]:
    """As `preference`, the first place of each action, each function of a property, and the normal form; `own`: of all."""
    entries: list[tuple[Callable[..., Any], list[Value], tuple[str, ...]]] = []
    root = Value(RECORD, kind=model.state)
    entries += [(one.version(config), [root], one.dimensions) for one in model.actions if one.exists(config)]
    for one in properties:
        entries += [(function, [root] * (2 if one.over_steps else 1), one.dimensions) for function in one.functions]
    if model.normal_form is not None:
        entries.append((model.normal_form, [root], ()))
    whole = program([function for function, _, _ in entries], settings=model.config)
    reader, foreign = _Texts(whole, config), whole.callers_of(whole.foreign)
    for function, states, dimensions in entries:
        name = whole.name_of(function)
        try:
            if own or name in foreign:
                reader.entry(name, states, [sorts_of(dimension, config) for dimension in dimensions])
        except Preference as found:
            yield str(found)


@dataclass
class _Texts:
    """The functions of a program, each read once for what its arguments are."""

    program: Program
    config: Settings
    results: dict[tuple[str, tuple[Value, ...]], Value | Preference] = field(default_factory=dict)

    def entry(self, name: str, states: list[Value], parameters: Sequence[list[Value]]) -> None:
        """Read a function as an engine calls it; Preference where every reading of its parameters has one."""
        found: Preference | None = None
        for chosen in product(*parameters):
            try:
                result = self.call(name, (*states, *chosen))
            except Preference as error:
                found = found or error
                continue
            if result.sort in (MEMBER, MADE, MIXED):
                line = self.program.functions[name].lineno
                raise Preference(f"{self.place(name, line)}: {described(result)} is used as true or false in {name}")
            return
        assert found is not None
        raise found

    def call(self, name: str, arguments: tuple[Value, ...]) -> Value:
        """What a call returns."""
        key = (name, arguments)
        if key not in self.results:
            tree = self.program.functions[name]
            body = _Body(self, name, dict(zip((a.arg for a in tree.args.args), arguments, strict=False)))
            try:
                body.run(tree.body)
                self.results[key] = self.joined_all(body.returned)
            except Preference as found:
                self.results[key] = found
        result = self.results[key]
        if isinstance(result, Preference):
            raise result
        return result

    def is_set(self, value: Value) -> bool:
        """Whether it can stand for a set: the empty one and that of all members are numbers too."""
        everyone = (1 << int(getattr(self.config, MEMBERS))) - 1
        return value.sort == SET or (value.number is not None and value.number & everyone in (0, everyone))

    def join(self, one: Value, other: Value) -> Value:
        """What is one or the other."""
        if one == other:
            return one
        if one.sort == other.sort:
            return replace(one, number=None, ranges=one.ranges and other.ranges)
        if SET in (one.sort, other.sort) and self.is_set(one) and self.is_set(other):
            return Value(SET)
        return Value(MEMBER if is_member(one) and is_member(other) else MIXED)

    def joined(self, one: dict[str, Value], other: dict[str, Value]) -> dict[str, Value]:
        """What names are on one way or the other, those that both have and those that one has."""
        return {**one, **other, **{name: self.join(one[name], other[name]) for name in one.keys() & other.keys()}}

    def joined_all(self, values: Sequence[Value]) -> Value:
        """What is one of these; a number where there is none."""
        return reduce(self.join, values) if values else ANY_NUMBER

    def place(self, name: str, line: int) -> str:
        """`folder/file.py:12`."""
        return f"{short(self.program.files[name])}:{line}"


class _Body:
    """One function, with what its names are; statements in their order, both ways of an `if` that settings do not decide."""

    def __init__(self, texts: _Texts, name: str, names: dict[str, Value]) -> None:
        self.texts, self.name, self.names = texts, name, names
        self.members = int(getattr(texts.config, MEMBERS))
        self.returned: list[Value] = []
        self.line = 0

    def refuse(self, what: str) -> NoReturn:
        """Preference at the present line."""
        raise self.preference(what)

    def preference(self, what: str) -> Preference:
        """The error at the present line."""
        return Preference(f"{self.texts.place(self.name, self.line)}: {what} in {self.name}")

    # Statements.

    def run(self, statements: Iterable[ast.stmt]) -> bool:
        """Read statements; whether what follows them is reached."""
        return all(self.statement(one) for one in statements)

    def statement(self, node: ast.stmt) -> bool:
        """Read one statement; whether what follows it is reached."""
        self.line = node.lineno
        if isinstance(node, ast.Return):
            self.returned.append(self.value(node.value) if node.value is not None else ANY_NUMBER)
            return False
        if isinstance(node, ast.If):
            return self.branch(node)
        if isinstance(node, ast.For):
            self.loop(node)
        elif isinstance(node, ast.Assign):
            self.assign(node.targets[0], self.value(node.value))
        elif isinstance(node, ast.AugAssign):
            before = self.value(node.target)
            self.assign(node.target, self.operated(node, before, node.op, self.value(node.value)))
        elif isinstance(node, ast.Expr):
            self.value(node.value)
        return True

    def branch(self, node: ast.If) -> bool:
        """Read an `if`: the way that is decided, or both."""
        test = self.truth(node.test)
        if test is not None:
            return self.run(node.body if test else node.orelse)
        before = dict(self.names)
        then = self.run(node.body)
        after, self.names = self.names, before
        otherwise = self.run(node.orelse)
        if then:
            self.names = self.texts.joined(after, self.names) if otherwise else after
        return then or otherwise

    def loop(self, node: ast.For) -> None:
        """Read a loop until nothing changes. Its variable may be a member if there are as many; else it is a number."""
        assert isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call)
        ends = [self.value(end) for end in node.iter.args]
        over_members = [end.number for end in ends] in ([self.members], [0, self.members])
        readings = [Value(MEMBER, ranges=True), ANY_NUMBER] if over_members else [ANY_NUMBER]
        start, returned = dict(self.names), len(self.returned)
        found: Preference | None = None
        for reading in readings:
            try:
                while True:
                    before = dict(self.names)
                    self.names[node.target.id] = reading
                    self.run(node.body)
                    self.names = self.texts.joined(before, self.names)
                    if self.names == before:
                        self.names[node.target.id] = ANY_NUMBER  # behind the loop it is the last one by number
                        return
            except Preference as error:
                self.names, found = dict(start), found or error
                del self.returned[returned:]
        assert found is not None
        raise found

    def assign(self, target: ast.expr, value: Value) -> None:
        """A name gets a value, or a variable of the state is written."""
        if isinstance(target, ast.Name):
            self.names[target.id] = replace(value, ranges=False)
            return
        place = self.declaration(target)
        shown = ast.unparse(target)
        if isinstance(place, Integer) and value.sort != NUMBER:
            self.refuse(f"{described(value)} is kept in {shown}, which is declared for numbers,")
        if isinstance(place, Member) and not is_member(value):
            self.refuse(f"{described(value)} is written to {shown}, which is declared for a member,")
        if isinstance(place, MemberSet) and not self.texts.is_set(value):
            self.refuse(f"{described(value)} is written to {shown}, which is declared for a set of members,")

    # Expressions.

    def truth(self, node: ast.expr) -> bool | None:
        """Whether a test is true, as far as settings decide it."""
        value = self.value(node)
        if value.sort in (MEMBER, MADE, MIXED):
            self.refuse(f"{described(value)}, {ast.unparse(node)}, is used as true or false")
        return None if value.number is None else bool(value.number)

    def value(self, node: ast.expr) -> Value:
        """What an expression is."""
        self.line = node.lineno
        if isinstance(node, ast.Constant):
            return Value(NUMBER, int(node.value)) if isinstance(node.value, int) else ANY_NUMBER
        if isinstance(node, ast.Name):
            known = self.texts.program.constants.get(node.id)
            return self.names.get(node.id, Value(NUMBER, known))
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            return self.part(node)
        if isinstance(node, ast.BinOp):
            return self.operated(node, self.value(node.left), node.op, self.value(node.right))
        if isinstance(node, ast.IfExp):
            test = self.truth(node.test)
            ways = [node.body, node.orelse] if test is None else [node.body if test else node.orelse]
            return self.texts.joined_all([self.value(way) for way in ways])
        readers: dict[type, Callable[[Any], Value]] = {
            ast.UnaryOp: self.unary, ast.BoolOp: self.either, ast.Compare: self.compared, ast.Call: self.called,
        }  # fmt: skip
        return readers[type(node)](node)

    def part(self, node: ast.Attribute | ast.Subscript) -> Value:
        """What is read of the state, or of the configuration."""
        if isinstance(node, ast.Attribute):
            owner = self.value(node.value)
            if owner.sort == CONFIG:
                return Value(NUMBER, int(getattr(self.texts.config, node.attr)))
            if node.attr == "config":
                return Value(CONFIG)
        kind = self.declaration(node)
        return value_of(kind, self.texts.config)

    def declaration(self, node: ast.expr) -> Any:
        """The declaration of the part of the state that an expression names."""
        if isinstance(node, ast.Attribute):
            return self.value(node.value).kind.fields[node.attr]
        assert isinstance(node, ast.Subscript)
        array, index = self.value(node.value).kind, self.value(node.slice)
        assert isinstance(array, Many)
        shown = f"the index {ast.unparse(node.slice)} of {ast.unparse(node.value)}"
        if array.dimension == MEMBERS and index.sort != MEMBER:
            self.refuse(f"{shown}, an array over members, is {described(index)}")
        if array.dimension != MEMBERS and index.sort != NUMBER:
            self.refuse(f"{shown}, an array over {array.dimension} and not over members, is {described(index)}")
        return array.element

    def operated(self, node: ast.AST, left: Value, operator: ast.operator, right: Value) -> Value:
        """What an operation gives."""
        if left.sort == right.sort == NUMBER:
            return Value(NUMBER, computed(operator, left.number, right.number))
        if isinstance(operator, ast.LShift) and right.sort == MEMBER and left.number == 1:
            return Value(SET)
        if isinstance(operator, ast.RShift) and right.sort == MEMBER and self.texts.is_set(left):
            return Value(SHIFTED)
        if isinstance(operator, ast.BitAnd) and {left.sort, right.sort} == {SHIFTED, NUMBER} and 1 in (left.number, right.number):
            return ANY_NUMBER
        if isinstance(operator, OF_SETS) and self.texts.is_set(left) and self.texts.is_set(right):
            return Value(SET)
        if {left.sort, right.sort} in ({MEMBER, NUMBER}, {MADE, NUMBER}) and (made := self.made(left, operator, right)):
            return made
        of = left if left.sort != NUMBER else right
        shown = f", {ast.unparse(node)}," if isinstance(node, ast.expr) else ""
        allowed = "1 << member" if of.sort in (MEMBER, MADE, MIXED) else "&, |, ^, ~ and (set >> member) & 1"
        raise self.preference(f"arithmetic on {described(of)}{shown} other than {allowed}")

    def made(self, left: Value, operator: ast.operator, right: Value) -> Value | None:
        """What arithmetic with a known number makes of a member: the same for all, a member again, or neither."""
        of = tuple(range(self.members))
        one, other = (side.table or of if side.sort != NUMBER else (side.number,) * len(of) for side in (left, right))
        results = (computed(operator, *pair) for pair in zip(one, other, strict=True))
        table = tuple(number for number in results if number is not None)
        if len(table) < len(of):
            return None
        if len(set(table)) == 1:
            return Value(NUMBER, table[0])
        return Value(MEMBER) if table == of or (len(of) == 2 and table == (1, 0)) else Value(MADE, table=table)

    def unary(self, node: ast.UnaryOp) -> Value:
        """What `not`, `-` or `~` gives."""
        if isinstance(node.op, ast.Not):
            test = self.truth(node.operand)
            return Value(NUMBER, None if test is None else int(not test))
        value = self.value(node.operand)
        if value.sort == NUMBER:
            number = value.number
            return Value(NUMBER, None if number is None else -number if isinstance(node.op, ast.USub) else ~number)
        if value.sort == SET and isinstance(node.op, ast.Invert):
            return value
        raise self.preference(f"arithmetic on {described(value)}, {ast.unparse(node)},")

    def either(self, node: ast.BoolOp) -> Value:
        """What `and` or `or` gives; what does not count any more is not read."""
        ends, tests = isinstance(node.op, ast.Or), list[bool | None]()
        for part in node.values:
            tests.append(self.truth(part))
            if tests[-1] is ends:
                break
        return ANY_NUMBER if None in tests else Value(NUMBER, int(tests[-1] is True))

    def compared(self, node: ast.Compare) -> Value:
        """What a comparison gives."""
        values = [self.value(one) for one in (node.left, *node.comparators)]
        numbers = [value.number for value in values]
        for left, operator, right in zip(values, node.ops, values[1:], strict=False):
            self.line = node.lineno
            if not left.sort == right.sort == NUMBER and not self.is_invariant(left, operator, right):
                sides = f"{described(left)} and {described(right)}"
                how = "by order" if isinstance(operator, ORDER) else "with each other"
                self.refuse(f"{sides} are compared {how}, {ast.unparse(node)},")
        if len(values) == 2 and values[0].sort == values[1].sort == NUMBER:
            return Value(NUMBER, computed(node.ops[0], *numbers))
        return ANY_NUMBER

    def is_invariant(self, left: Value, operator: ast.cmpop, right: Value) -> bool:
        """Whether a comparison comes out the same when members are renamed, for all that its sides may be."""
        if left.sort == right.sort == RECORD:
            return not isinstance(operator, ORDER) or not names_members(left.kind)
        if left.sort == right.sort and left.sort in (MEMBER, SET):
            return not isinstance(operator, ORDER) or (left.ranges and right.ranges)
        (of, number), turned = ((left, right.number), False) if right.number is not None else ((right, left.number), True)
        if number is None or of.sort not in (MEMBER, SET):
            return False
        said: dict[int, set[Any]] = {}
        for value in range(self.members if of.sort == MEMBER else 1 << self.members):
            size = value.bit_count() if of.sort == SET else 0
            said.setdefault(size, set()).add(computed(operator, *((number, value) if turned else (value, number))))
        return all(len(answers) == 1 for answers in said.values())

    def called(self, node: ast.Call) -> Value:
        """What a call gives."""
        assert isinstance(node.func, ast.Name)
        arguments = [self.value(argument) for argument in node.args]
        self.line = node.lineno
        if node.func.id == "len" and len(arguments) == 1 and arguments[0].sort == RECORD:
            return length_of(arguments[0].kind, self.texts.config)
        if node.func.id not in self.texts.program.functions:
            for value in arguments:
                if value.sort != NUMBER:
                    self.refuse(f"{node.func.id} of {described(value)}, {ast.unparse(node)},")
            return ANY_NUMBER
        return self.texts.call(node.func.id, tuple(arguments))
