"""Reads the actions of a model of any size also where their text has no formula: what is not read may be anything.

An expression that `quantified` does not know is a value about which nothing is known; each use of it is another one. A loop that
it does not know may write anything into every variable that its text names, return where it likes, and leave any value in its
names. So the step that is read allows whatever the action does, and more: what it preserves, the action preserves. Claims are
never read so, for what follows from a part that is unknown need not follow from the part.

It is assumed that what is not read lies where it is used: an index in its array, a number in the range of its variable.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import z3

from ...model.language.errors import UsageError
from ...model.language.kinds import MEMBERS, Integer, Kind, Member, MemberSet
from ...model.language.reading import typed_tree as tree
from ...traces.action_notes import place_of
from . import terms
from .frames import Frame, SymbolicError
from .orders import FRESH, Count, Element, Group, Someone
from .quantified import QuantifiedReader
from .terms import Opaque, Truth, Unreadable, as_term, both, choose, compare, either, negation
from .unsized import Store, View

ANY_ELEMENT = "[]"
"""In the place of a variable's name: an element of an array that a name stands for."""


class Escape(Exception):
    """A loop of which a turn writes what cannot be read: no loop around it can be read either."""


class Unread(Opaque):
    """A value about which nothing is known."""

    words = "what is not read"


class LenientReader(QuantifiedReader):
    """Reads an action. `unread`: what was not known, by place."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.unread: dict[str, str] = {}
        self.store: Store | None = None

    def number(self, name: str, *arguments: Any) -> Any:
        """What an action answers, which is taken in the state that is its first argument."""
        self.store = arguments[0].store
        return super().number(name, *arguments)

    def read_statements(self, frame: Frame, statements: Iterable[tree.Statement], store: Store) -> None:
        """Read statements that write to a state, with the names of a frame."""
        self.store = store
        self.frames.append(frame)
        self._block(statements)
        self.frames.pop()

    # Anything.

    def _anything(self, sort: Any, *more: Any) -> Any:
        """A constant, of each turn of the loops around it, about which nothing is known; of further sorts a function."""
        here = [turn.index.term for turn in self.turns]
        name = f"unread#{next(FRESH)}"
        if not here and not more:
            return z3.Const(name, sort)
        found = z3.Function(name, *(node.sort() for node in here), *more, sort)
        return (lambda *at: found(*here, *at)) if more else found(*here)

    def _any_truth(self, node: tree.Node, error: Exception | str) -> Any:
        self._note_unread(node, error)
        return self._anything(z3.BoolSort())

    def _any_of(self, kind: Kind) -> Any:
        """Anything that a variable may hold."""
        members = self.shape.members
        if isinstance(kind, MemberSet):
            return Group(self._anything(z3.BoolSort(), members.sort), members)
        if isinstance(kind, Member):
            return Someone(self._anything(members.sort), members)
        assert isinstance(kind, Integer)
        if not self.shape.is_open(kind):
            return self._any_number(*kind.span(self.shape.config))
        order = self.shape.order_of(str(kind.high))
        found = Element(self._anything(order.sort), order)
        self._know(self.shape.in_range(kind, found))
        return found

    def _any_number(self, low: int, high: int) -> Any:
        found = terms.whole(self._anything(z3.BitVecSort(terms.width_for(low, high))), low < 0)
        return terms.narrowed(found, low, high)

    def _any_index(self, dimension: str) -> Any:
        """The term of any index of a dimension."""
        if (few := self.shape.few(dimension)) is not None:
            return self.shape.at(dimension, self._any_number(0, few - 1))
        term = self._anything(self.shape.sort(dimension))
        is_member = self.shape.is_of_members(dimension)
        found = Someone(term, self.shape.members) if is_member else Element(term, self.shape.order_of(dimension))
        self._know(self.shape.inside(dimension, found))
        return term

    def _know(self, truth: Truth) -> None:
        """A fact about what was made here, in every turn that comes here: an array may have no elements."""
        here, truth = [turn.index.term for turn in self.turns], either([negation(self.frame.writes()), truth])
        self.shape.facts.named.append(z3.ForAll(here, as_term(truth)) if here else as_term(truth))

    def _note_unread(self, node: tree.Node, error: Exception | str) -> None:
        self.unread.setdefault(place_of(self.frame.file, node.line or self.frame.line), str(error))

    # Expressions.

    def value(self, node: tree.Expression) -> Any:
        """The value of an expression, or what it refers to, or anything."""
        is_call = isinstance(node, tree.Call) and node.function not in {*self.program.functions, "min", "max", "len"}
        if is_call or isinstance(node, tree.Unknown):
            raise UsageError(str(self._unknown(node)))  # it may write
        return self._or_anything(node, lambda: super(LenientReader, self).value(node))

    def _or_anything(self, node: tree.Node, read: Callable[[], Any]) -> Any:
        frame, depth = self.frame, len(self.frame.conditions)
        try:
            return read()
        except (SymbolicError, Unreadable) as error:
            del frame.conditions[depth:]
            self._note_unread(node, error)
            self._write_anything(node)  # what a later part of it would have written
            return Unread()

    def truth_at(self, node: tree.Expression) -> Truth:
        """An expression as a test."""
        try:
            return super().truth_at(node)
        except Unreadable as error:
            return self._any_truth(node, error)

    def _call(self, name: str, arguments: Sequence[Any], entry: Truth) -> Any:
        """As in any reader; what cannot be merged of what it returns is anything."""
        depth = len(self.frames)
        try:
            return super()._call(name, arguments, entry)
        except (SymbolicError, Unreadable) as error:
            if len(self.frames) != depth:
                raise
            if self.frames:
                self._note_unread(self.program.functions[name], error)
            return Unread()

    def _element(self, node: tree.Element, view: View, index: Any, when: Truth) -> View:
        dimension = view.kind.dimension
        try:
            return super()._element(node, view, index, when)
        except Unreadable as error:
            self._note_unread(node, error)
        try:
            return view.element(self._any_index(dimension))
        except Unreadable:
            return view.element(None)  # nothing below it is a variable of the shape

    def _operate(self, node: tree.Node, sign: str, left: Any, right: Any) -> Any:
        """The remainder of a division by the number of members is the number of a member."""
        if sign == "%" and right == Count():
            return Someone(self._any_index(MEMBERS), self.shape.members)
        return super()._operate(node, sign, left, right)

    # Statements.

    def _block(self, statements: Iterable[tree.Statement]) -> bool:
        for statement in statements:
            try:
                if super()._block([statement]):
                    return True
            except SymbolicError as error:
                if not isinstance(statement, (tree.Assign, tree.Update)):
                    raise UsageError(str(error)) from None
                self._note_unread(statement, error)
                if isinstance(statement.target, tree.Name):
                    self._forget(statement.target.name)
                self._write_anything(statement)
        return False

    def _forget(self, name: str) -> None:
        """A name holds anything."""
        for turn in self.turns:
            if turn.frame is self.frame and name in turn.carried:
                raise Escape
        self.frame.names[name] = Unread()

    def visit_Update(self, node: tree.Update) -> bool:
        if isinstance(node.target, tree.Name):
            return super().visit_Update(node)
        places = self._places(node.target)
        old = self._or_anything(node.target, lambda: self._content(places))
        value = self.value(node.value)
        self._store(node.target, places, self._or_anything(node.target, lambda: self._operate(node, node.sign, old, value)))
        return False

    def _put(self, target: tree.Expression, view: View, condition: Truth, value: Any) -> None:
        """Of variables that have no place in the shape nothing is known anyway."""
        if view.path in self.shape.variables:
            super()._put(target, view, condition, value)

    def _as_kind(self, target: tree.Expression, kind: Kind, value: Any) -> Any:
        """A value as what the variable holds, or anything that it may hold."""
        try:
            found = super()._as_kind(target, kind, value)
            if isinstance(found, Opaque) and isinstance(kind, Integer) and not self.shape.is_open(kind):
                raise Unreadable(found.words)
        except Unreadable as error:
            self._note_unread(target, error)
            return self._any_of(kind)
        return found

    def _write_anything(self, node: tree.Node) -> None:
        """Every variable of the state that the text may write, itself or in what it calls, holds anything."""
        written = self._written_by(node)
        if written and self.turns:
            raise Escape
        assert self.store is not None
        condition, changed = self.frame.writes(), {name for name, only_grows in written if not only_grows}
        grown = {name for name, _ in written} - changed
        for path in self.shape.variables:
            names = set(path.replace("[]", "").split("."))
            if names & changed or (ANY_ELEMENT in changed and "[]" in path):
                self._put_anything(path, condition)
            elif names & grown:
                self._put_anything(path, condition, only_grows=True)

    def _put_anything(self, path: str, condition: Truth, only_grows: bool = False) -> None:
        assert self.store is not None
        name, old = f"unread#{next(FRESH)} {path}", self.store.cells[path]
        new = self.shape.function(name, *self.shape.variables[path])
        self.store.cells[path] = lambda *at: choose(condition, new(*at), old(*at))
        made = Store(self.shape, {path: new})
        self.shape.facts.named.append(as_term(made.within_ranges()))
        if only_grows and isinstance(self.shape.variables[path][0], Integer):
            known = made.everywhere([path], lambda _, at: compare("<=", old(*at), new(*at)))
            self.shape.facts.named.append(as_term(either([negation(condition), known])))

    def _written_by(self, node: tree.Node) -> set[tuple[str, bool]]:
        """The names of the variables, or of records around them, that a text may write; and whether a write only adds to it."""
        inside = tree.nodes_in(node)
        called = self.program.called_by({call.function for call in inside if isinstance(call, tree.Call)})
        inside += tree.nodes_in(*(self.program.functions[name] for name in called if name in self.program.functions))
        writes = [part for part in inside if isinstance(part, (tree.Assign, tree.Update))]
        return {(_name_of(part.target), _only_adds(part)) for part in writes if not isinstance(part.target, tree.Name)}

    # Loops.

    def visit_Loop(self, node: tree.Loop) -> bool:
        frame, turns = self.frame, len(self.turns)
        assert self.store is not None
        kept = (len(self.frames), len(frame.conditions), len(frame.returns), len(frame.left), len(self.refused))
        noted, names, cells = len(self.obligations), dict(frame.names), dict(self.store.cells)
        assigned = [{name: list(records) for name, records in turn.assigned.items()} for turn in self.turns]
        try:
            return super().visit_Loop(node)
        except (SymbolicError, Unreadable, Escape) as error:
            grown: list[list[Any]] = [
                self.frames, frame.conditions, frame.returns, frame.left, self.refused, self.turns, self.obligations,
            ]  # fmt: skip
            for some, length in zip(grown, (*kept, turns, noted), strict=True):
                del some[length:]
            frame.names, self.store.cells = names, cells
            for turn, records in zip(self.turns, assigned, strict=True):
                turn.assigned = records
            self._note_unread(node, error)
            self._skip(node)
            return False

    def _skip(self, node: tree.Loop) -> None:
        """The loop writes anything, returns or not, and leaves anything in its names."""
        frame = self.frame
        self._write_anything(node)
        for name in [name for name in tree.stored(node) if name in frame.names or name == node.name]:
            self._forget(name)
        for name in tree.stored(node):
            frame.names.setdefault(name, Unread())
        returned = [found.value for found in tree.having(tree.Return, *node.body)]
        if not returned:
            return
        when = both([frame.here(), self._any_truth(node, "whether the loop returns")])
        numbers = {(type(one.value), one.value) for one in returned if isinstance(one, tree.Number)}
        is_one = len(numbers) == 1 and all(isinstance(one, tree.Number) for one in returned)
        value = next(iter(numbers))[1] if is_one else Unread()
        frame.returns.append((when, value))
        if self.guards_first and len(self.frames) == 1 and value is False:
            self.refused.append(when)
        else:
            frame.left.append(when)


def _only_adds(node: tree.Assign | tree.Update) -> bool:
    """`target += 1`, of a field: a name that holds an element of an array may hold that of any."""
    if not isinstance(node, tree.Update) or node.sign != "+" or _name_of(node.target) == ANY_ELEMENT:
        return False
    return isinstance(node.value, tree.Number) and node.value.value >= 0


def _name_of(target: tree.Expression) -> str:
    """The name of the variable, or of the array, that is written."""
    while isinstance(target, tree.Element):
        target = target.owner
    return target.name if isinstance(target, tree.Field) else ANY_ELEMENT
