"""Reads the functions of a model of any size: what `interpreter` unrolls becomes a quantifier here.

A loop over members, offsets or epochs has one of six shapes; any other is refused with its file and line:

    return a constant inside            for all, or there is
    return something of the index       the first index at which it would
    assign a constant, or the index     whether there is an index, or the last one
    `least = min(least, ...)`           the least of them (and `max`)
    write at the index itself           pointwise: the array becomes another function
    put the index into a set, or out    pointwise too: each turn decides of its own member
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import z3

from ...model.language.kinds import Kind
from ...model.language.reading import typed_tree as tree
from ...model.language.reading.program import Program
from . import looping, terms
from .frames import Obligation, Reference
from .interpreter import Interpreter
from .looping import Further, Turn, depends, further_than, is_extreme_of, is_named, reads_elsewhere, replaced
from .orders import FRESH, Bit, Count, Element, Group, Someone, for_all, mentions, there_is
from .terms import Opaque, Truth, Unreadable, as_term, both, choose, compare, either, negation
from .unsized import Shape, View


class QuantifiedReader(Interpreter):
    """Reads functions of one program over states of any size.

    `bound`: constants that a quantifier around all that is read will range over. The number next to one of them becomes one more,
    with a premise that says so.
    """

    wholes = View

    def __init__(self, program: Program, shape: Shape, guards_first: bool = True, notes: bool = True) -> None:
        super().__init__(program, guards_first)
        self.notes = notes
        self.shape, self.turns = shape, list[Turn]()
        self.bound: list[Any] = []
        self.premises: list[Any] = []

    def _block(self, statements: Iterable[tree.Statement]) -> bool:
        for statement in statements:
            try:
                if super()._block([statement]):
                    return True
            except Unreadable as error:
                raise self._unknown(statement, str(error)) from None
        return False

    # Values.

    def value(self, node: tree.Expression) -> Any:
        """The value of an expression, or what it refers to; SymbolicError where a value has no such operation."""
        try:
            return super().value(node)
        except Unreadable as error:
            raise self._unknown(node, str(error)) from None

    def _operate(self, node: tree.Node, sign: str, left: Any, right: Any) -> Any:
        if not any(isinstance(item, (Opaque, Count, Bit)) for item in (left, right)):
            return super()._operate(node, sign, left, right)
        if isinstance(left, Group) and isinstance(right, Someone) and sign == ">>":
            return Bit(left.has(right.term))
        if isinstance(left, Bit) and right == 1 and sign == "&":
            return left.truth
        if left == 1 and sign == "<<" and isinstance(right, Someone):
            return Group(lambda who: who == right.term, self.shape.members)
        if left == 1 and sign == "<<" and isinstance(right, Count):
            return Count(power=True)
        if left == Count(power=True) and sign == "-" and right == 1:
            return Group(lambda who: who != self.shape.members.nobody, self.shape.members)
        if sign in "&|^" and (isinstance(left, Group) or isinstance(right, Group)):
            term, other = (left, right) if isinstance(left, Group) else (right, left)
            return term.joined(sign, other)
        if type(left) is int and sign == "+":
            left, right = right, left
        if isinstance(left, Element) and sign in "+-" and type(right) is int:
            return self._further(node, left, right if sign == "+" else -right)
        raise self._unknown(node)

    def _further(self, node: tree.Node, value: Element, by: int) -> Element:
        """So many elements further. A number that a loop or a quantifier ranges over has none that could be named."""
        if any(mentions(value.term, turn.index.term) for turn in self.turns):
            raise self._unknown(node, "the number next to one that a loop ranges over")
        for _ in range(abs(by)):
            if by < 0:
                what = f"number below the least {value.order.name}"
                self._note(what, True, negation(value.compare("==", value, Element(value.order.literals[0], value.order))))
            is_bound = any(mentions(value.term, node) for node in self.bound)
            value = self._beside(value, by > 0) if is_bound else value.order.next_to(value, by > 0)
        return value

    def _beside(self, value: Element, is_after: bool) -> Element:
        """The number next to one that a quantifier ranges over."""
        found = value.order.constant(f"beside#{next(FRESH)}")
        self.premises += value.order.adjacent(*((value.term, found.term) if is_after else (found.term, value.term)))
        self.bound.append(found.term)
        return found

    def visit_Unary(self, node: tree.Unary) -> Any:
        value = self.value(node.operand) if node.sign == "~" else None
        return value.complement() if isinstance(value, Group) else super().visit_Unary(node)

    # Records and arrays.

    def visit_Field(self, node: tree.Field | tree.Element) -> Any:
        if isinstance(node, tree.Field):
            owner = node.owner
            is_config = isinstance(owner, tree.Name) and self.frame.names.get(owner.name) is self.shape
            if is_config or tree.is_configuration(owner):
                return self.shape.setting(node.name)
        return self._content(self._places(node))

    visit_Element = visit_Field  # noqa: N815  # the name of the kind of nodes

    def _content(self, places: Sequence[Any]) -> Any:
        if not all(view.is_variable for _, view, _ in places):
            return Reference([(when, view) for when, view, _ in places])
        for turn in self.turns:
            turn.reads += [(view.path, view.at) for _, view, _ in places]
        result = places[-1][1].read()
        for when, view, _ in reversed(places[:-1]):
            result = choose(when, view.read(), result)
        return result

    def _places(self, node: tree.Expression) -> list[Any]:
        if not isinstance(node, (tree.Field, tree.Element)):
            raise self._unknown(node)
        owner = self.value(node.owner)
        if not isinstance(owner, Reference):
            raise self._unknown(node, f"a part of {node.owner.text}, which is a number,")
        if isinstance(node, tree.Field):
            found = [(when, view.field(node.name)) for when, view in owner.options]
            if any(view is None for _, view in found):
                raise self._unknown(node, f"the field {node.name}, which the record does not have,")
            return [(when, view, None) for when, view in found]
        index = self.value(node.index)
        return [(when, self._element(node, view, index, when), None) for when, view in owner.options]

    def _element(self, node: tree.Element, view: View, index: Any, when: Truth) -> View:
        """An element; that the index lies inside the array is noted as an obligation."""
        dimension = view.kind.dimension
        if not self.shape.is_of_members(dimension) and type(index) is int and self.shape.few(dimension) is None:
            index = self.shape.order_of(dimension).literal(index)
        self._note(f"index of {node.owner.text}", when, self.shape.inside(dimension, index))
        return view.element(self.shape.at(dimension, index))

    def _note(self, what: str, when: Truth, holds: Truth) -> None:
        """What is demanded at this place, in every turn of the loops that it lies in; without `notes` nobody asks."""
        if not self.notes:
            return
        here = both([when, *(frame.writes() for frame in self.frames[-1:]), negation(either(self.refused))])
        demand = for_all([turn.index.term for turn in self.turns], either([negation(here), holds]))
        if demand is not True:
            self.obligations.append(Obligation(self.frame.file, self.frame.line, what, demand))

    def _store(self, target: tree.Expression, places: Sequence[Any], value: Any) -> None:
        condition = self.frame.writes()
        for when, view, _ in places:
            if not view.is_variable or isinstance(value, Reference):
                raise self._unknown(target, "an assignment of a whole record or array")
            self._put(target, view, both([condition, when]), self._as_kind(target, view.kind, value))

    def _as_kind(self, target: tree.Expression, kind: Kind, value: Any) -> Any:
        """A value as what the variable holds."""
        return self.shape.value(kind, choose(value, 1, 0) if terms.is_truth(value) else value)

    def _put(self, target: tree.Expression, view: View, condition: Truth, value: Any) -> None:
        """The variable holds the value at this index under a condition, and elsewhere what it held."""
        cells, path, old = view.store.cells, view.path, view.store.cells[view.path]
        own = [turn.index.term for turn in self.turns if not any(at.eq(turn.index.term) for at in view.at)]
        is_with = looping.with_or_without(value, old(*view.at), own[0]) if len(own) == 1 else None
        if own and is_with is None:
            raise self._unknown(target, "a loop that writes to something other than the element at its index")
        for turn in self.turns:
            turn.writes.append((path, view.at))
        bound = [turn.index.term for turn in self.turns]

        def here(at: Sequence[Any], *more: tuple[Any, Any]) -> tuple[Truth, list[tuple[Any, Any]]]:
            """When a turn writes at these indices, and what of that turn is what."""
            pairs = list(zip(view.at, at, strict=True))
            swaps = [*(pair for pair in pairs if any(pair[0].eq(node) for node in bound)), *more]
            mine = [(z3.substitute(term, *swaps), given) for term, given in pairs if not any(term.eq(node) for node in bound)]
            return both([replaced(condition, swaps), *(True if term.eq(given) else term == given for term, given in mine)]), swaps

        def written(*at: Any) -> Any:
            if is_with is not None:
                return Group(lambda who: choose(here(at, (own[0], who))[0], is_with, old(*at).has(who)), self.shape.members)
            when, swaps = here(at)
            return choose(when, replaced(value, swaps), old(*at))

        cells[path] = written

    # Loops.

    def visit_Loop(self, node: tree.Loop) -> bool:
        ends = [self.value(end) for end in node.ends]
        if all(isinstance(end, int) for end in ends):
            return super().visit_Loop(node)
        index, inside = self._index(node, ends)
        frame = self.frame
        if node.name in frame.names or node.name in tree.stored(*node.body):
            raise self._unknown(node, f"a loop over {node.name}, which is assigned elsewhere too,")
        names, counts = dict(frame.names), (len(frame.returns), len(frame.left), len(self.refused))
        turn = Turn(index, frame, tree.stored(*node.body) & names.keys())
        for term in turn.carried:
            if reads_elsewhere(node, term):
                raise self._unknown(node, f"a loop that takes {term} from one turn to the next")
        self.turns.append(turn)
        frame.names[node.name] = index
        with self._under(inside):
            self._block(node.body)
        self.turns.pop()
        frame.names = names
        self._returned(node, turn, counts)
        self._check_order(node, turn)
        for term, records in turn.assigned.items():
            self._assigned(node, turn, term, records)
        return False

    def _index(self, node: tree.Loop, ends: list[Any]) -> tuple[Any, Truth]:
        """Any index of the loop, and that it is one."""
        low, high = (0, ends[0]) if len(ends) == 1 else ends[:2]
        name = f"{node.name}#{next(FRESH)}"
        if len(ends) > 2:
            raise self._unknown(node, "a loop with a step")
        if isinstance(high, Count) and low == 0:
            return self.shape.index("members", name)
        order = next((end.order for end in (low, high) if isinstance(end, Element)), None)
        if order is None:
            raise self._unknown(node, "a range that is not of members, or of one order,")
        term = order.constant(name)
        return term, both([compare("<=", low, term), compare("<", term, high)])

    def _returned(self, node: tree.Loop, turn: Turn, counts: tuple[int, int, int]) -> None:
        """What the loop returns: the same everywhere, or something of the first index at which it does."""
        frame, term = self.frame, turn.index.term
        returns = frame.returns[counts[0] :]
        for kept, count in ((frame.left, counts[1]), (self.refused, counts[2])):
            if kept[count:]:
                kept[count:] = [there_is([term], either(kept[count:]))]
        if not returns:
            return
        if turn.writes and not self.refused[counts[2] :]:
            raise self._unknown(node, "a loop that returns and writes")
        del frame.returns[counts[0] :]
        values = [value for _, value in returns]
        when = either([condition for condition, _ in returns])
        first = values[0]
        if all(type(value) in (bool, int) and value == first for value in values):
            frame.returns.append((there_is([term], when), first))
        elif len(returns) == 1 and isinstance(turn.index, Element) and not isinstance(first, Reference):
            found = self._extreme_index(turn, when, is_first=True)
            frame.returns.append((there_is([term], when), replaced(first, [(term, found)])))
        else:
            raise self._unknown(node, "a loop that returns different things")

    def _extreme_index(self, turn: Turn, when: Truth, is_first: bool) -> Any:
        """The first, or the last, index at which a condition holds, if there is one."""
        term, order = turn.index.term, turn.index.order

        def fact(found: Any) -> Truth:
            closer = order.below(term, found) if is_first else order.below(found, term)
            none = for_all([term], either([negation(closer), negation(when)]))
            return either([negation(there_is([term], when)), both([replaced(when, [(term, found)]), none])])

        return self._witness(order.sort, "first" if is_first else "last", fact)

    def _witness(self, sort: Any, name: str, fact: Callable[[Any], Truth]) -> Any:
        """A new term of which a fact is known; inside loops it depends on their indices."""
        bound = [*self.bound, *(turn.index.term for turn in self.turns)]
        name = f"{name}#{next(FRESH)}"
        if not bound:
            found = z3.Const(name, sort)
        else:
            found = z3.Function(name, *(node.sort() for node in bound), sort)(*bound)
        known = as_term(fact(found))
        self.shape.facts.named.append(z3.ForAll(bound, known) if bound else known)
        return found

    def _check_order(self, node: tree.Loop, turn: Turn) -> None:
        """No turn reads what another writes."""
        for path, at in turn.writes:
            for other, where in turn.reads:
                if path == other and not any(a.eq(b) and a.eq(turn.index.term) for a, b in zip(at, where, strict=True)):
                    raise self._unknown(node, f"a loop that reads {path} where another turn writes it")

    def _without_itself(self, node: tree.Assign) -> bool:
        """A set to which a loop adds its index, or from which it takes it, does not read what other turns write."""
        counts = [len(turn.reads) for turn in self.turns]
        value, places = self.value(node.value), self._places(node.target)
        for view in [view for _, view, _ in places if view.is_variable]:
            if any(looping.with_or_without(value, view.read(), turn.index.term) is not None for turn in self.turns):
                for turn, count in zip(self.turns, counts, strict=True):
                    turn.reads[count:] = [read for read in turn.reads[count:] if read[0] != view.path]
        self._store(node.target, places, value)
        return False

    # Names that a loop assigns.

    def visit_Assign(self, node: tree.Assign) -> bool:
        target, value, turn = node.target, node.value, self.turns[-1] if self.turns else None
        if turn is not None and turn.frame is self.frame and isinstance(target, tree.Name) and target.name in turn.carried:
            if looping.is_of_set(node, target.name) and not is_extreme_of(value, target.name):
                return self._set_assigned(node, turn, target.name)
            kind = "assign"
            if isinstance(value, tree.Call) and is_extreme_of(value, target.name):
                kind, value = value.function, next(a for a in value.arguments if not is_named(a, target.name))
            further = further_than(value, self.frame.names, turn.index)
            turn.assigned.setdefault(target.name, []).append((kind, self.frame.writes(), further or self.value(value)))
            return False
        if turn is not None and not isinstance(target, tree.Name):
            return self._without_itself(node)
        return super().visit_Assign(node)

    def _set_assigned(self, node: tree.Assign, turn: Turn, name: str) -> bool:
        """The name holds a set, and gets the index into it or out of it: seen of any set."""
        sorts = [one.index.term.sort() for one in self.turns]
        some = z3.Function(f"set#{next(FRESH)}", *sorts, self.shape.members.sort, z3.BoolSort())
        here, old = [one.index.term for one in self.turns], self.frame.names[name]
        before = Group(lambda who: some(*here, who), self.shape.members)
        self.frame.names[name] = before
        is_with = looping.with_or_without(self.value(node.value), before, turn.index.term)
        self.frame.names[name] = old
        if is_with is None:
            raise self._unknown(node, f"a loop that takes {name} from one turn to the next")
        turn.assigned.setdefault(name, []).append(("with" if is_with else "without", self.frame.writes(), before))
        return False

    def _assigned(self, node: tree.Loop, turn: Turn, name: str, records: list[tuple[str, Truth, Any]]) -> None:
        """What a name is after the loop."""
        term, old = turn.index.term, self.frame.names[name]
        kinds, values = {kind for kind, _, _ in records}, [value for _, _, value in records]
        when = either([condition for _, condition, _ in records])
        if kinds in ({"with"}, {"without"}):
            self._set_after(node, turn, name, kinds == {"with"}, when)
            return
        if len(records) > 1 and not (kinds == {"assign"} and all(type(v) is int and v == values[0] for v in values)):
            raise self._unknown(node, f"a loop that assigns {name} in several ways")
        value = values[0]
        if kinds == {"assign"}:
            if isinstance(value, Further) or depends(value, term):
                value = self._at_last(node, turn, when, value)
            found = there_is([term], when)
            is_truth = type(value) is int and (value, old) == (1, 0)
            is_open = self.turns or self.bound
            result = found if is_truth else choose(found if is_open else self.shape.facts.by_name(found), value, old)
            record = ("assign", found, value)
        else:
            result = self._extreme_value(node, turn, next(iter(kinds)), when, value, old)
            record = (next(iter(kinds)), True, result)
        if self.turns and self.turns[-1].frame is self.frame and name in self.turns[-1].carried:
            self.turns[-1].assigned.setdefault(name, []).append(record)
        else:
            self.frame.names[name] = result

    def _set_after(self, node: tree.Loop, turn: Turn, name: str, is_with: bool, when: Truth) -> None:
        """The set with every member at which the condition holds, or without them."""
        if self.turns and self.turns[-1].frame is self.frame and name in self.turns[-1].carried:
            raise self._unknown(node, f"a loop that takes {name} from one turn to the next")
        old = Group(lambda who: False, self.shape.members).other(self.frame.names[name])
        mine = turn.index.term
        self.frame.names[name] = Group(
            lambda who: choose(replaced(when, [(mine, who)]), is_with, old.has(who)), old.members, old.beyond
        )

    def _at_last(self, node: tree.Loop, turn: Turn, when: Truth, value: Any) -> Any:
        """The value at the last index at which the condition holds, which may be the next number after that index."""
        if not isinstance(turn.index, Element):
            raise self._unknown(node, "the last member of a loop")
        last = self._extreme_index(turn, when, is_first=False)
        if isinstance(value, Further):
            return self._further(node, Element(last, turn.index.order), value.by)
        return replaced(value, [(turn.index.term, last)])

    def _extreme_value(self, node: tree.Loop, turn: Turn, name: str, when: Truth, value: Any, old: Any) -> Any:
        """The least, or the greatest, of a number and those that the turns have."""
        if not isinstance(value, Element):
            raise self._unknown(node, f"the {name} of something other than elements of an order")
        operator, term = {"min": "<=", "max": ">="}[name], turn.index.term

        def fact(found: Any) -> Truth:
            least = Element(found, value.order)
            beyond = for_all([term], either([negation(when), compare(operator, least, value)]))
            equals = either([compare("==", least, old), there_is([term], both([when, compare("==", least, value)]))])
            return both([compare(operator, least, old), beyond, equals])

        return Element(self._witness(value.order.sort, name, fact), value.order)
