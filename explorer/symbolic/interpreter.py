"""Reads the typed trees of a model's functions and says what they compute, for all states at once.

There is one path. If the test of a branch is not constant, both sides are read, and each write becomes an if-then-else
term for its field. Loops have constant ranges and are unrolled; calls are inlined; after an early return the rest
applies only where the return was not taken.

Where compiled code would go wrong silently, an obligation is noted: each index lies inside its array and
each shift is by a number that is not negative, on the path on which it is computed. A construct that this
file does not know is an error that names file, line and construct.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, reduce
from typing import Any, NoReturn

from ...model.language.kinds import Record
from ...model.language.reading import typed_tree as tree
from ...model.language.reading.program import Program
from ...model.language.reading.trees import Visitor
from ...model.language.sequences import Container
from ...model.language.sizes import MAX_NUMBER, MIN_NUMBER
from . import terms
from .frames import Frame, Obligation, Reference, SymbolicError, compare_wholes, copy_whole, holders
from .terms import Truth, Value, both, choose, compare, either, negation, truth_of

OPERATIONS: dict[str, Callable[[Value, Value], Value]] = {
    "+": terms.add, "-": terms.subtract, "*": terms.multiply, "<<": terms.shift_left, ">>": terms.shift_right,
    **{sign: partial(terms.bitwise, sign) for sign in "&|^"}, **{sign: partial(terms.divide, sign) for sign in ("//", "%")},
}  # fmt: skip

WIDEST_SHIFT = 64

Place = tuple[Truth, Any, Any]
"""When it is the one, a dict or list, and its key there."""


class Interpreter(Visitor):
    """Reads functions of one program; `obligations` are the bounds that their indices must keep, `looked` what they look up."""

    wholes: type = Record
    """What states, and the records in them, are."""

    def __init__(self, program: Program, guards_first: bool = True) -> None:
        self.program, self.guards_first = program, guards_first
        self.obligations: list[Obligation] = []
        self.looked: list[Place] = []
        self.frames: list[Frame] = []
        self.refused: list[Truth] = []

    # Entry points.

    def truth(self, name: str, *arguments: Any) -> Truth:
        """What a property says of symbolic states; or when an action is enabled, which is taken in place.

        The state that an action leaves counts only where it is enabled: it refuses before its first write, so what it writes
        need not be guarded by that. Without `guards_first` it is, and the state counts where the action refuses, too.
        """
        return truth_of(self.number(name, *arguments))

    def number(self, name: str, *arguments: Any) -> Value:
        """The number that a function computes of symbolic states."""
        self.refused = []
        given = [Reference([(True, a)]) if isinstance(a, self.wholes) else a for a in arguments]
        return self._call(name, given, True)

    # Calls and statements.

    def _call(self, name: str, arguments: Sequence[Any], entry: Truth) -> Any:
        function = self.program.functions[name]
        frame = Frame(name, self.program.files[name], entry, dict(zip(function.parameters, arguments, strict=True)))
        self.frames.append(frame)
        self._block(function.body)
        self.frames.pop()
        return frame.answer()

    @property
    def frame(self) -> Frame:
        """The call that is being read."""
        return self.frames[-1]

    @contextmanager
    def _under(self, condition: Truth) -> Iterator[None]:
        """Read what happens when `condition` holds."""
        self.frame.conditions.append(condition)
        yield
        self.frame.conditions.pop()

    def _block(self, statements: Iterable[tree.Statement]) -> bool:
        """Read statements in order; whether every way through them returns."""
        for statement in statements:
            self.frame.line = statement.line or self.frame.line
            if self.visit(statement):
                return True
        return False

    def visit_Return(self, node: tree.Return) -> bool:
        frame, value = self.frame, None if node.value is None else self.value(node.value)
        condition = frame.here()
        frame.returns.append((condition, value))
        if self.guards_first and len(self.frames) == 1 and value is False:
            self.refused.append(condition)
        else:
            frame.left.append(condition)
        return True

    def visit_If(self, node: tree.If) -> bool:
        test = self.truth_at(node.test)
        if isinstance(test, bool):
            return self._block(node.body if test else node.otherwise)
        with self._under(test):
            yes = self._block(node.body)
        with self._under(negation(test)):
            no = self._block(node.otherwise)
        return yes and no

    def visit_Loop(self, node: tree.Loop) -> bool:
        ends = [self.value(end) for end in node.ends]
        if not all(isinstance(end, int) for end in ends):
            raise self._unknown(node, "a loop whose range is not constant")
        names, name = self.frame.names, node.name
        before = names.get(name)
        for index in range(*ends):
            names[name] = index
            if self._block(node.body):
                return True
        if before is not None:  # where this place is not reached, the name keeps what it stood for
            names[name] = self._merged(self.frame.here(), names[name], before, node)
        return False

    def visit_Assign(self, node: tree.Assign) -> bool:
        self._write(node.target, self.value(node.value))
        return False

    def visit_Update(self, node: tree.Update) -> bool:
        """The place is that of before the value is read, which may write to the state."""
        if isinstance(node.target, tree.Name):
            self._write(node.target, self._operate(node, node.sign, self.value(node.target), self.value(node.value)))
            return False
        places = self._places(node.target)
        old = self._content(places)
        self._store(node.target, places, self._operate(node, node.sign, old, self.value(node.value)))
        return False

    def visit_Do(self, node: tree.Do) -> bool:
        self.value(node.value)
        return False

    def _write(self, target: tree.Expression, value: Any) -> None:
        """Assign, under the condition of this place."""
        frame = self.frame
        if isinstance(target, tree.Name):
            old = frame.names.get(target.name)
            frame.names[target.name] = value if old is None else self._merged(frame.here(), value, old, target)
            return
        self._store(target, self._places(target), value)

    def _store(self, target: tree.Expression, places: Sequence[Place], value: Any) -> None:
        """Assign to the one of these places that it is, under the condition of this place."""
        condition = self.frame.writes()
        for when, container, key in places:
            old = container[key]
            if not isinstance(old, (Record, list)) and not isinstance(value, Reference):
                container[key] = choose(both([condition, when]), choose(value, 1, 0) if terms.is_truth(value) else value, old)
                continue
            if not isinstance(old, (Record, list)) or not isinstance(value, Reference):
                raise self._unknown(target, "a whole record or array beside a number")
            copy_whole(both([condition, when]), old, value)

    def _merged(self, condition: Truth, value: Any, old: Any, node: tree.Node) -> Any:
        if condition is True:
            return value
        if isinstance(value, Reference) and isinstance(old, Reference):
            return old.unless(condition, value)
        if isinstance(value, Reference) or isinstance(old, Reference):
            raise self._unknown(node, "a name that is a number on one way and a record on another")
        return choose(condition, value, old)

    # Expressions.

    def value(self, node: tree.Expression) -> Any:
        """The value of an expression, or what it refers to."""
        return self.visit(node)

    def below(self, node: tree.Node) -> NoReturn:
        """What is not of the language."""
        raise self._unknown(node)

    def truth_at(self, node: tree.Expression) -> Truth:
        """An expression as a test."""
        if isinstance(node, tree.Joined):
            return truth_of(self._joined(node, True))
        if isinstance(node, tree.Not):
            return negation(self.truth_at(node.operand))
        return truth_of(self.value(node))

    def visit_Joined(self, node: tree.Joined) -> Value:
        return self._joined(node, False)

    def _joined(self, node: tree.Joined, is_test: bool) -> Value:
        """As Python: the operand that decides, not a truth; for 0 and 1, and as a test, that is the same.

        A later operand is read only where the earlier ones do not decide.
        """
        values, depth, is_and = [], len(self.frame.conditions), node.is_and
        for operand in node.parts:
            value = self.truth_at(operand) if is_test else self.value(operand)
            values.append(value)
            if is_test and value is (not is_and):
                break
            truth = truth_of(value)
            self.frame.conditions.append(truth if is_and else negation(truth))
        del self.frame.conditions[depth:]
        if is_test or all(low >= 0 and high <= 1 for low, high in map(terms.bounds, values)):
            return (both if is_and else either)(map(truth_of, values))
        result = values[-1]
        for value in reversed(values[:-1]):
            result = choose(truth_of(value), result, value) if is_and else choose(truth_of(value), value, result)
        return result

    def visit_Number(self, node: tree.Number) -> Value:
        return node.value

    def visit_Name(self, node: tree.Name) -> Any:
        if node.name not in self.frame.names:
            raise self._unknown(node, f"the name {node.name}, which has no value here,")
        return self.frame.names[node.name]

    def visit_Not(self, node: tree.Not) -> Truth:
        return self.truth_at(node)

    def visit_Unary(self, node: tree.Unary) -> Value:
        value = self.value(node.operand)
        return terms.subtract(0, value) if node.sign == "-" else terms.invert(value)

    def visit_Operation(self, node: tree.Operation) -> Value:
        return self._operate(node, node.sign, self.value(node.left), self.value(node.right))

    def _operate(self, node: tree.Node, sign: str, left: Value, right: Value) -> Value:
        if isinstance(left, Reference) or isinstance(right, Reference):
            raise self._unknown(node, "arithmetic on a record")
        if sign in ("<<", ">>"):
            function: Any = self.program.functions.get(self.frame.name)
            table = getattr(function and function.source, "table", "")  # in which it looks a number up
            right = self._require(right, WIDEST_SHIFT, f"index of {table}" if table else "shift by a negative number")
        elif sign in ("//", "%"):
            low, high = terms.bounds(right)
            if low <= 0 <= high:
                raise self._unknown(node, "a division by a number that may be 0")
        result = OPERATIONS[sign](left, right)
        low, high = terms.bounds(result)
        if low >= MIN_NUMBER and high <= MAX_NUMBER:
            return result
        return self._require(result, MAX_NUMBER, "number beyond 64 bits", low=MIN_NUMBER)

    def visit_Compared(self, node: tree.Compared) -> Truth:
        """A chain ends at the first part that fails: what is behind it is not read, nor does it write."""
        parts, left, depth = [], self.value(node.sides[0]), len(self.frame.conditions)
        for sign, operand in zip(node.signs, node.sides[1:], strict=True):
            right = self.value(operand)
            if isinstance(left, Reference) is not isinstance(right, Reference):
                raise self._unknown(node)
            if isinstance(left, Reference):
                self.looked += [(True, *place) for side in (left, right) for _, part in side.options for place in holders(part)]
            parts.append((compare_wholes if isinstance(left, Reference) else compare)(sign, left, right))
            if parts[-1] is False:
                break
            self.frame.conditions.append(parts[-1])
            left = right
        del self.frame.conditions[depth:]
        return both(parts)

    def visit_Choice(self, node: tree.Choice) -> Value:
        test = self.truth_at(node.test)
        if isinstance(test, bool):
            return self.value(node.yes if test else node.no)
        with self._under(test):
            yes = self.value(node.yes)
        with self._under(negation(test)):
            no = self.value(node.no)
        return self._merged(test, yes, no, node)

    def visit_Call(self, node: tree.Call) -> Any:
        name, arguments = node.function, [self.value(a) for a in node.arguments]
        if name in ("min", "max"):
            return reduce(partial(terms.extreme, name), arguments)
        if name == "len" and len(arguments) == 1 and isinstance(arguments[0], Reference):
            if all(isinstance(part, Container) for _, part in arguments[0].options):
                if hasattr(node.source, "before"):  # the loop was to end where it was asked (`desugared`)
                    raise self._unknown(node, "a loop to a length that was asked before")
                return self._content([(when, vars(part), "length") for when, part in arguments[0].options])
            lengths = {len(part) for _, part in arguments[0].options}
            if len(lengths) == 1:
                return lengths.pop()
        if name not in self.program.functions:
            raise self._unknown(node, f"a call of {name}")
        return self._call(name, arguments, self.frame.writes())

    # Records and arrays.

    def visit_Field(self, node: tree.Field | tree.Element) -> Any:
        return self._content(self._places(node))

    visit_Element = visit_Field  # noqa: N815  # the name of the kind of nodes

    def _content(self, places: Sequence[Place]) -> Any:
        """The value at whichever of these places is selected."""
        found = [(when, container[key]) for when, container, key in places]
        if any(isinstance(part, (Record, list)) for _, part in found):
            return Reference(found)
        self.looked += places
        result = found[-1][1]
        for when, value in reversed(found[:-1]):
            result = choose(when, value, result)
        return result

    def _places(self, node: tree.Expression) -> list[Place]:
        """Where a field or an element lies: (when, the dict or list, its key there)."""
        if isinstance(node, tree.Field):
            owner = self.value(node.owner)
            if not isinstance(owner, Reference):
                raise self._unknown(node, f"the field {node.name} of a number")
            for _, record in owner.options:
                if not isinstance(record, Record) or node.name not in vars(record):
                    raise self._unknown(node, f"the field {node.name}, which the record does not have,")
            return [(when, vars(record), node.name) for when, record in owner.options]
        if not isinstance(node, tree.Element):
            raise self._unknown(node)
        owner, index = self.value(node.owner), self.value(node.index)
        if not isinstance(owner, Reference) or isinstance(index, Reference):
            raise self._unknown(node, "an index into something other than an array")
        out: list[Place] = []
        for when, array in owner.options:
            if not isinstance(array, list):
                raise self._unknown(node, "an index into something other than an array")
            if not array:
                raise self._unknown(node, f"an element of {node.owner.text}, which has none with these settings,")
            inside = self._require(index, len(array) - 1, f"index of {node.owner.text}", when)
            low, high = terms.bounds(inside)
            for at in range(low, high + 1):
                out.append((both([when, compare("==", inside, at)]), array, at))
        return out

    def _require(self, value: Value, high: int, what: str, when: Truth = True, low: int = 0) -> Value:
        """The value, which must lie between two bounds; where that is not plain an obligation is noted."""
        least, most = terms.bounds(value)
        if least >= low and most <= high:
            return value
        inside = both([compare("<=", low, value), compare("<=", value, high)])
        here = both([when, *(f.writes() for f in self.frames[-1:]), negation(either(self.refused))])
        if here is not False:
            holds = either([negation(here), inside])
            self.obligations.append(Obligation(self.frame.file, self.frame.line, what, holds))
        if isinstance(value, int):
            return min(max(value, low), high)
        return terms.narrowed(value, max(low, min(least, high)), min(high, max(most, low)))

    def _unknown(self, node: tree.Node, what: str = "") -> SymbolicError:
        what = what or f"{type(node.source).__name__} ({node.text[:60]})"
        place = f"{self.frame.file}:{node.line or self.frame.line}"
        return SymbolicError(f"{place}: the prover does not know {what} in {self.frame.name}")
