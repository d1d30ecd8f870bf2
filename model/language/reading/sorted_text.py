"""The text of one function, read for what prefers a member by its number (`preferences`): what each expression is (`sorts`)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from ..kinds import Integer, Many, Member, MemberSet, Sort
from ..loops import sorts_in
from . import typed_tree as tree
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
from .trees import Visitor

NAMED = (MEMBER, MADE, MIXED, PLACE)
"""What is neither true nor false: it has a number, but that means nothing."""

KEPT = "a bag, a set or a map that is kept in the order of members' numbers (a queue is not)"

ORDER = ("<", "<=", ">", ">=")
OF_SETS = ("&", "|", "^")


class Preference(Exception):
    """A place in the text that prefers a member by its number."""


class Body(Visitor):
    """One function, with what its names are; statements in their order, both ways of an `if` that settings do not decide."""

    def __init__(self, texts: Any, name: str, names: dict[str, Value]) -> None:
        self.texts, self.name, self.names = texts, name, names
        self.returned: list[Value] = []
        self.line = 0

    def refuse(self, what: str) -> NoReturn:
        """Preference at the present line."""
        raise Preference(f"{self.texts.place(self.name, self.line)}: {what} in {self.name}")

    # Statements.

    def run(self, statements: Iterable[tree.Statement]) -> bool:
        """Read statements; whether what follows them is reached."""
        return all(self.statement(statement) for statement in statements)

    def statement(self, node: tree.Statement) -> bool:
        """Read one statement; whether what follows it is reached."""
        self.line = node.line
        match node:
            case tree.Return(value=value):
                self.returned.append(self.value(value) if value is not None else ANY_NUMBER)
                return False
            case tree.If():
                return self.branch(node)
            case tree.Loop():
                self.loop(node)
            case tree.Assign(target=target, value=value):
                self.assign(target, self.value(value))
            case tree.Update(target=target, sign=sign, value=value):
                before = self.value(target)
                self.assign(target, self.operated(node, before, sign, self.value(value)))
            case tree.Do(value=value):
                self.value(value)
        return True

    def branch(self, node: tree.If) -> bool:
        """Read an `if`: the way that is decided, or both."""
        test = self.truth(node.test)
        if test is not None:
            return self.run(node.body if test else node.otherwise)
        before = dict(self.names)
        then = self.run(node.body)
        after, self.names = self.names, before
        otherwise = self.run(node.otherwise)
        if then:
            self.names = self.texts.joined(after, self.names) if otherwise else after
        return then or otherwise

    def loop(self, node: tree.Loop) -> None:
        """Read a loop until nothing changes. Its variable may be a member if there are as many; else it is a number."""
        ends = [self.value(end) for end in node.ends]
        whole = len(ends) == 1 or (len(ends) == 2 and ends[0].number == 0)
        readings = [*sorts_of(ends[-1].number if whole else None, self.texts.state, self.texts.config), ANY_NUMBER]
        start, returned = dict(self.names), len(self.returned)
        found: Preference | None = None
        for reading in readings:
            try:
                while True:
                    before = dict(self.names)
                    self.names[node.name] = reading
                    self.run(node.body)
                    self.names = self.texts.joined(before, self.names)
                    if self.names == before:
                        self.names[node.name] = ANY_NUMBER  # behind the loop it is the last one by number
                        return
            except Preference as error:
                self.names, found = dict(start), found or error
                del self.returned[returned:]
        assert found is not None
        raise found

    def assign(self, target: tree.Expression, value: Value) -> None:
        """A name gets a value, or a variable of the state is written."""
        if isinstance(target, tree.Name):
            self.names[target.name] = replace(value, ranges=False)
            return
        self.fits(self.declaration(target), value, target.text)

    def fits(self, place: Any, value: Value, shown: str) -> None:
        """A value is written to a variable of this kind."""
        if isinstance(place, Integer) and value.sort != NUMBER:
            self.refuse(f"{described(value)} is kept in {shown}, which is declared for numbers,")
        if isinstance(place, Member) and not is_member(value, place.of):
            self.refuse(f"{described(value)} is written to {shown}, which is declared for a member,")
        if isinstance(place, MemberSet) and not is_set(value, place.of, self.texts.config):
            self.refuse(f"{described(value)} is written to {shown}, which is declared for a set of members,")

    # Expressions.

    def truth(self, node: tree.Expression) -> bool | None:
        """Whether a test is true, as far as settings decide it."""
        value = self.value(node)
        if value.sort in NAMED:
            self.refuse(f"{described(value)}, {node.text}, is used as true or false")
        return None if value.number is None else bool(value.number)

    def value(self, node: tree.Expression) -> Value:
        """What an expression is."""
        self.line = node.line
        match node:
            case tree.Number(value=number):
                return Value(NUMBER, int(number))
            case tree.Name(name=name):
                return self.names.get(name, ANY_NUMBER)
            case tree.Operation(left=left, sign=sign, right=right):
                return self.operated(node, self.value(left), sign, self.value(right))
            case tree.Choice():
                test = self.truth(node.test)
                ways = [node.yes, node.no] if test is None else [node.yes if test else node.no]
                return self.texts.joined_all([self.value(way) for way in ways])
            case tree.Not(operand=operand):
                test = self.truth(operand)
                return Value(NUMBER, None if test is None else int(not test))
        found: Value = self.visit(node)
        return found

    def visit_Field(self, node: tree.Field | tree.Element) -> Value:
        """What is read of the state, or of the configuration."""
        if isinstance(node, tree.Field):
            owner = self.value(node.owner)
            if owner.sort == CONFIG:
                return Value(NUMBER, int(getattr(self.texts.config, node.name)))
            if tree.is_configuration(node):
                return Value(CONFIG)
            if node.name == "length" and has_order_of_members(owner.kind):
                return length_of(owner.kind, self.texts.config)
        return value_of(self.declaration(node), self.texts.config)

    visit_Element = visit_Field  # noqa: N815  # the name of the kind of nodes

    def declaration(self, node: tree.Expression) -> Any:
        """The declaration of the part of the state that an expression names."""
        if isinstance(node, tree.Field):
            return self.value(node.owner).kind.fields[node.name]
        assert isinstance(node, tree.Element)
        array, index = self.value(node.owner).kind, self.value(node.index)
        assert isinstance(array, Many)
        shown = f"the index {node.index.text} of {node.owner.text}"
        by_member, by_place = array.dimension in sorts_in(self.texts.state), array in in_order_of_members(self.texts.state)
        if by_member and (index.sort != MEMBER or index.of != array.dimension):
            self.refuse(f"{shown}, an array over {array.dimension}, is {described(index)}")
        if by_place and (index.sort != PLACE or index.of is not array):
            self.refuse(f"{shown}, {KEPT}, is {described(index)}")
        if not by_member and not by_place and index.sort != NUMBER:
            self.refuse(f"{shown}, an array over {array.dimension} and not over members, is {described(index)}")
        return array.element

    def operated(self, node: tree.Node, left: Value, sign: str, right: Value) -> Value:
        """What an operation gives."""
        if left.sort == right.sort == NUMBER:
            return Value(NUMBER, computed(sign, left.number, right.number))
        config, by = self.texts.config, left.of if left.sort != NUMBER else right.of
        if sign == "<<" and right.sort == MEMBER and left.number == 1:
            return Value(SET, of=right.of)
        if sign == ">>" and right.sort == MEMBER and is_set(left, right.of, config):
            return Value(SHIFTED, of=right.of)
        if sign == "&" and {left.sort, right.sort} == {SHIFTED, NUMBER} and 1 in (left.number, right.number):
            return ANY_NUMBER
        if sign in OF_SETS and isinstance(by, Sort) and is_set(left, by, config) and is_set(right, by, config):
            return Value(SET, of=by)
        if {left.sort, right.sort} in ({MEMBER, NUMBER}, {MADE, NUMBER}) and (made := self.made(left, sign, right)):
            return made
        of = left if left.sort != NUMBER else right
        shown = f", {node.text}," if isinstance(node, tree.Expression) else ""
        allowed = "1 << member" if of.sort in NAMED else "&, |, ^, ~ and (set >> member) & 1"
        return self.refuse(f"arithmetic on {described(of)}{shown} other than {allowed}")

    def made(self, left: Value, sign: str, right: Value) -> Value | None:
        """What arithmetic with a known number makes of a member: the same for all, a member again, or neither."""
        sort = left.of if left.sort != NUMBER else right.of
        of = tuple(range(getattr(self.texts.config, sort)))
        item, other = (side.table or of if side.sort != NUMBER else (side.number,) * len(of) for side in (left, right))
        results = (computed(sign, *pair) for pair in zip(item, other, strict=True))
        table = tuple(number for number in results if number is not None)
        if len(table) < len(of):
            return None
        if len(set(table)) == 1:
            return Value(NUMBER, table[0])
        return Value(MEMBER, of=sort) if table == of or (len(of) == 2 and table == (1, 0)) else Value(MADE, table=table, of=sort)

    def visit_Unary(self, node: tree.Unary) -> Value:
        """What `-` or `~` gives."""
        value = self.value(node.operand)
        if value.sort == NUMBER:
            return Value(NUMBER, None if value.number is None else -value.number if node.sign == "-" else ~value.number)
        if value.sort == SET and node.sign == "~":
            return value
        return self.refuse(f"arithmetic on {described(value)}, {node.text},")

    def visit_Joined(self, node: tree.Joined) -> Value:
        """What `and` or `or` gives; what does not count any more is not read."""
        tests = list[bool | None]()
        for part in node.parts:
            tests.append(self.truth(part))
            if tests[-1] is (not node.is_and):
                break
        return ANY_NUMBER if None in tests else Value(NUMBER, int(tests[-1] is True))

    def visit_Compared(self, node: tree.Compared) -> Value:
        """What a comparison gives."""
        values = list(map(self.value, node.sides))
        numbers = [value.number for value in values]
        for left, sign, right in zip(values, node.signs, values[1:], strict=False):
            self.line = node.line
            if not left.sort == right.sort == NUMBER and not self.is_invariant(left, sign, right):
                sides = f"{described(left)} and {described(right)}"
                how = "by order" if sign in ORDER else "with each other"
                self.refuse(f"{sides} are compared {how}, {node.text},")
        if len(values) == 2 and values[0].sort == values[1].sort == NUMBER:
            return Value(NUMBER, computed(node.signs[0], *numbers))
        return ANY_NUMBER

    def is_invariant(self, left: Value, sign: str, right: Value) -> bool:
        """Whether a comparison comes out the same when members are renamed, for all that its sides may be."""
        if left.sort == right.sort == RECORD:
            return sign not in ORDER or not names_members(left.kind)
        if left.sort == right.sort and left.sort in (MEMBER, SET, PLACE):
            return left.of == right.of and (sign not in ORDER or (left.ranges and right.ranges))
        if {left.sort, right.sort} == {PLACE, NUMBER}:
            return left.of is right.of  # with the length of the same container: all that are there are before it
        (of, number), turned = ((left, right.number), False) if right.number is not None else ((right, left.number), True)
        if number is None or of.sort not in (MEMBER, SET):
            return False
        said: dict[int, set[Any]] = {}
        members = int(getattr(self.texts.config, of.of))
        for value in range(members if of.sort == MEMBER else 1 << members):
            size = value.bit_count() if of.sort == SET else 0
            said.setdefault(size, set()).add(computed(sign, *((number, value) if turned else (value, number))))
        return all(len(answers) == 1 for answers in said.values())

    def visit_Call(self, node: tree.Call) -> Value:
        """What a call gives."""
        arguments = list(map(self.value, node.arguments))
        self.line = node.line
        if node.function == "len" and len(arguments) == 1 and arguments[0].sort == RECORD:
            return length_of(arguments[0].kind, self.texts.config)
        if arguments and arguments[0].sort == RECORD and has_order_of_members(arguments[0].kind):
            return self.asked_of_container(node.function, arguments)
        if node.function not in self.texts.program.functions:
            for value in arguments:
                if value.sort != NUMBER:
                    self.refuse(f"{node.function} of {described(value)}, {node.text},")
            return ANY_NUMBER
        return self.texts.call(node.function, tuple(arguments))

    def asked_of_container(self, name: str, arguments: Sequence[Value]) -> Value:
        """What a method gives of a bag, a set or a map that is in the order of members' numbers; its text looks at that order."""
        method: str = self.texts.program.originals[name].__name__
        array, parameters = arguments[0].kind.fields["item"], self.texts.program.functions[name].parameters[1:]
        named = [parameter.removeprefix("its_").replace("default", "value") for parameter in parameters]
        fields = getattr(array.element, "fields", {})
        if method in ("head", "tail") or (method == "discard_by_fields" and set(named) != set(fields)):
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
