"""The text of one function, read for what prefers a member by its number (`preferences`): what each expression is (`sorts`)."""

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from .kinds import Integer, Many, Member, MemberSet, Sort
from .loops import sorts_in
from .sorts import (
    ANY_NUMBER,
    CONFIG,
    MADE,
    MEMBER,
    MIXED,
    NUMBER,
    PLACE,
    RECORD,
    SET,
    SHIFTED,
    Value,
    computed,
    described,
    has_order_of_members,
    in_order_of_members,
    is_member,
    is_set,
    length_of,
    names_members,
    sorts_of,
    value_of,
)  # fmt: skip

NAMED = (MEMBER, MADE, MIXED, PLACE)
"""What is neither true nor false: it has a number, but that means nothing."""

KEPT = "a bag, a set or a map that is kept in the order of members' numbers (a queue is not)"

ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
OF_SETS = (ast.BitAnd, ast.BitOr, ast.BitXor)


class Preference(Exception):
    """A place in the text that prefers a member by its number."""


class Body:
    """One function, with what its names are; statements in their order, both ways of an `if` that settings do not decide."""

    def __init__(self, texts: Any, name: str, names: dict[str, Value]) -> None:
        self.texts, self.name, self.names = texts, name, names
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
        whole = len(ends) == 1 or (len(ends) == 2 and ends[0].number == 0)
        readings = [*sorts_of(ends[-1].number if whole else None, self.texts.state, self.texts.config), ANY_NUMBER]
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
        self.fits(self.declaration(target), value, ast.unparse(target))

    def fits(self, place: Any, value: Value, shown: str) -> None:
        """A value is written to a variable of this kind."""
        if isinstance(place, Integer) and value.sort != NUMBER:
            self.refuse(f"{described(value)} is kept in {shown}, which is declared for numbers,")
        if isinstance(place, Member) and not is_member(value, place.of):
            self.refuse(f"{described(value)} is written to {shown}, which is declared for a member,")
        if isinstance(place, MemberSet) and not is_set(value, place.of, self.texts.config):
            self.refuse(f"{described(value)} is written to {shown}, which is declared for a set of members,")

    # Expressions.

    def truth(self, node: ast.expr) -> bool | None:
        """Whether a test is true, as far as settings decide it."""
        value = self.value(node)
        if value.sort in NAMED:
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
            if node.attr == "length" and has_order_of_members(owner.kind):
                return length_of(owner.kind, self.texts.config)
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
        by_member, by_place = array.dimension in sorts_in(self.texts.state), array in in_order_of_members(self.texts.state)
        if by_member and (index.sort != MEMBER or index.of != array.dimension):
            self.refuse(f"{shown}, an array over {array.dimension}, is {described(index)}")
        if by_place and (index.sort != PLACE or index.of is not array):
            self.refuse(f"{shown}, {KEPT}, is {described(index)}")
        if not by_member and not by_place and index.sort != NUMBER:
            self.refuse(f"{shown}, an array over {array.dimension} and not over members, is {described(index)}")
        return array.element

    def operated(self, node: ast.AST, left: Value, operator: ast.operator, right: Value) -> Value:
        """What an operation gives."""
        if left.sort == right.sort == NUMBER:
            return Value(NUMBER, computed(operator, left.number, right.number))
        config, by = self.texts.config, left.of if left.sort != NUMBER else right.of
        if isinstance(operator, ast.LShift) and right.sort == MEMBER and left.number == 1:
            return Value(SET, of=right.of)
        if isinstance(operator, ast.RShift) and right.sort == MEMBER and is_set(left, right.of, config):
            return Value(SHIFTED, of=right.of)
        if isinstance(operator, ast.BitAnd) and {left.sort, right.sort} == {SHIFTED, NUMBER} and 1 in (left.number, right.number):
            return ANY_NUMBER
        if isinstance(operator, OF_SETS) and isinstance(by, Sort) and is_set(left, by, config) and is_set(right, by, config):
            return Value(SET, of=by)
        if {left.sort, right.sort} in ({MEMBER, NUMBER}, {MADE, NUMBER}) and (made := self.made(left, operator, right)):
            return made
        of = left if left.sort != NUMBER else right
        shown = f", {ast.unparse(node)}," if isinstance(node, ast.expr) else ""
        allowed = "1 << member" if of.sort in NAMED else "&, |, ^, ~ and (set >> member) & 1"
        raise self.preference(f"arithmetic on {described(of)}{shown} other than {allowed}")

    def made(self, left: Value, operator: ast.operator, right: Value) -> Value | None:
        """What arithmetic with a known number makes of a member: the same for all, a member again, or neither."""
        sort = left.of if left.sort != NUMBER else right.of
        of = tuple(range(getattr(self.texts.config, sort)))
        one, other = (side.table or of if side.sort != NUMBER else (side.number,) * len(of) for side in (left, right))
        results = (computed(operator, *pair) for pair in zip(one, other, strict=True))
        table = tuple(number for number in results if number is not None)
        if len(table) < len(of):
            return None
        if len(set(table)) == 1:
            return Value(NUMBER, table[0])
        return Value(MEMBER, of=sort) if table == of or (len(of) == 2 and table == (1, 0)) else Value(MADE, table=table, of=sort)

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
        if left.sort == right.sort and left.sort in (MEMBER, SET, PLACE):
            return left.of == right.of and (not isinstance(operator, ORDER) or (left.ranges and right.ranges))
        if {left.sort, right.sort} == {PLACE, NUMBER}:
            return left.of is right.of  # with the length of the same container: all that are there are before it
        (of, number), turned = ((left, right.number), False) if right.number is not None else ((right, left.number), True)
        if number is None or of.sort not in (MEMBER, SET):
            return False
        said: dict[int, set[Any]] = {}
        members = int(getattr(self.texts.config, of.of))
        for value in range(members if of.sort == MEMBER else 1 << members):
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
        if arguments and arguments[0].sort == RECORD and has_order_of_members(arguments[0].kind):
            return self.asked_of_container(node.func.id, arguments)
        if node.func.id not in self.texts.program.functions:
            for value in arguments:
                if value.sort != NUMBER:
                    self.refuse(f"{node.func.id} of {described(value)}, {ast.unparse(node)},")
            return ANY_NUMBER
        return self.texts.call(node.func.id, tuple(arguments))

    def asked_of_container(self, name: str, arguments: Sequence[Value]) -> Value:
        """What a method gives of a bag, a set or a map that is in the order of members' numbers; its text looks at that order."""
        method: str = self.texts.program.originals[name].__name__
        array, parameters = arguments[0].kind.fields["item"], self.texts.program.functions[name].args.args[1:]
        named = [one.arg.removeprefix("its_").replace("default", "value") for one in parameters]
        fields = getattr(array.element, "fields", {})
        if method == "head" or (method == "discard_by_fields" and set(named) != set(fields)):
            self.refuse(f"{method.partition('_')[0]} takes the first of several in {KEPT},")
        by_field = method in ("put", "get", "drop") or method.endswith("_by_fields")
        for field, value in zip(named, arguments[1:], strict=True):
            if method == "remove" and not (value.sort == PLACE and value.of is array):
                self.refuse(f"the place to remove from {KEPT}, is {described(value)}")
            if method != "remove":
                self.fits(fields[field] if by_field else array.element, value, f"{field} of {KEPT},")
        if method == "get":
            joined: Value = self.texts.join(value_of(fields["value"], self.texts.config), arguments[2])
            return joined
        return value_of(array.element, self.texts.config) if method == "remove" and not fields else ANY_NUMBER
