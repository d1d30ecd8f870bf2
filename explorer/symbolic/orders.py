"""Values of a model of any size: elements of total orders, members, and sets of members.

Offsets, epochs and the numbers of records are elements of total orders about which nothing is known but that they
have a least element. The next number after a term is a constant with nothing between it and the term. Each finite size of the
model is a model of these axioms, for the whole numbers are; so what follows from them holds at every size.

Members are an uninterpreted sort, one element of which is nobody. A set is a predicate.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import z3

from ...model.language.kinds import NO_MEMBER
from .terms import Opaque, Truth, Unreadable, as_term, both, either, negation, subterms

FRESH = itertools.count()


def total_order(less: Any, sort: Any) -> list[Any]:
    """A relation is a total order."""
    x, y, z = z3.Consts("x y z", sort)
    return [
        z3.ForAll([x], z3.Not(less(x, x))),
        z3.ForAll([x, y, z], z3.Implies(z3.And(less(x, y), less(y, z)), less(x, z))),
        z3.ForAll([x, y], z3.Or(less(x, y), x == y, less(y, x))),
    ]


class Order:
    """A total order: its sort, its relation and the facts about it. `least`: the number that its least element is."""

    def __init__(self, name: str, least: int) -> None:
        self.name, self.least, self.sort = name, least, z3.DeclareSort(name)
        self.below = z3.Function(f"{name} <", self.sort, self.sort, z3.BoolSort())
        self.literals = [z3.Const(f"{name} {least}", self.sort)]
        x = z3.Const("x", self.sort)
        self.facts = [*total_order(self.below, self.sort), z3.ForAll([x], z3.Not(self.below(x, self.literals[0])))]
        self.known: dict[tuple[int, bool], Any] = {}

    def literal(self, number: int) -> "Element":
        """The element that a number in the text of a model means."""
        if number < self.least:
            raise Unreadable(f"the number {number}, below the least {self.name}")
        while self.least + len(self.literals) <= number:
            last, following = self.literals[-1], z3.Const(f"{self.name} {self.least + len(self.literals)}", self.sort)
            self.facts += self.adjacent(last, following)
            self.literals.append(following)
        return Element(self.literals[number - self.least], self)

    def adjacent(self, lower: Any, upper: Any) -> list[Any]:
        """`upper` is the next element after `lower`."""
        x = z3.Const("x", self.sort)
        elsewhere = z3.Or(x == lower, x == upper, self.below(x, lower), self.below(upper, x))
        return [self.below(lower, upper), z3.ForAll([x], elsewhere)]

    def constant(self, name: str) -> "Element":
        """An element about which nothing is known."""
        return Element(z3.Const(name, self.sort), self)

    def next_to(self, value: "Element", is_after: bool) -> "Element":
        """The element after a value, or before it, where there is one: before the least anything is."""
        term = value.term
        for index, literal in enumerate(self.literals):
            if literal.eq(term) and (is_after or index):
                return self.literal(self.least + index + (1 if is_after else -1))
        key = (term.get_id(), is_after)
        if key not in self.known:
            found = z3.Const(f"{self.name} {'after' if is_after else 'before'} #{next(FRESH)}", self.sort)
            facts = self.adjacent(term, found) if is_after else self.adjacent(found, term)
            self.facts += facts if is_after else [z3.Implies(term != self.literals[0], z3.And(facts))]
            self.known[key] = (found, term)  # the term too, which keeps its id its own
        return Element(self.known[key][0], self)


@dataclass(frozen=True, eq=False)
class Termed(Opaque):
    """A value that is one term of an uninterpreted sort."""

    term: Any

    def other(self, value: Any) -> Any:
        """The term of a value that this one is compared with."""
        raise NotImplementedError

    def choose(self, condition: Truth, yes: Any, no: Any) -> Any:
        """`yes if condition else no`."""
        option, two = self.other(yes), self.other(no)
        return replace(self, term=option if option.eq(two) else z3.If(condition, option, two))


@dataclass(frozen=True, eq=False)
class Element(Termed):
    """An element of an order."""

    order: Order

    @property
    def words(self) -> str:
        """What it is, in words."""
        return f"an element of the order {self.order.name}"

    def other(self, value: Any) -> Any:
        """The term of a value that this one is compared with."""
        if isinstance(value, Element) and value.order is self.order:
            return value.term
        if type(value) is int:
            return self.order.literal(value).term
        raise Unreadable(f"{_kind(value)} beside {_kind(self)}")

    def compare(self, operator: str, left: Any, right: Any) -> Truth:
        """`left operator right`."""
        if type(left) is int or type(right) is int:
            number = left if type(left) is int else right
            if number < self.order.least:  # no element is as low
                return operator != "==" and left is number
        option, two = self.other(left), self.other(right)
        if operator == "==":
            return True if option.eq(two) else option == two
        least = self.order.literals[0]
        if operator == "<":
            return False if two.eq(least) or option.eq(two) else self.order.below(option, two)
        return True if option.eq(least) or option.eq(two) else z3.Not(self.order.below(two, option))


class Members:
    """The sort of the members. `nobody` is the element that is none of them. Members have numbers, so they are ordered, too."""

    def __init__(self) -> None:
        self.sort = z3.DeclareSort("member")
        self.nobody = z3.Const("nobody", self.sort)
        self.facts: list[Any] = []

    @cached_property
    def below(self) -> Any:
        """The order of their numbers, for those who ask."""
        less = z3.Function("member <", self.sort, self.sort, z3.BoolSort())
        self.facts += total_order(less, self.sort)
        return less


@dataclass(frozen=True, eq=False)
class Someone(Termed):
    """A member, or nobody."""

    members: Members
    words = "a member"

    def other(self, value: Any) -> Any:
        """The term of a value that this one is compared with."""
        if isinstance(value, Someone):
            return value.term
        if type(value) is int and value == NO_MEMBER:
            return self.members.nobody
        raise Unreadable(f"{_kind(value)} beside {_kind(self)}")

    def compare(self, operator: str, left: Any, right: Any) -> Truth:
        """`left operator right`."""
        option, two = self.other(left), self.other(right)
        if operator == "<":
            return False if option.eq(two) else self.members.below(option, two)
        if operator == "<=":
            return True if option.eq(two) else z3.Not(self.members.below(two, option))
        return True if option.eq(two) else option == two


@dataclass(frozen=True, eq=False)
class Group(Opaque):
    """A set of members: whether it has a member, as a truth. `beyond`: it has all bits that are no member's, as `~` of a set."""

    has: Callable[[Any], Truth]
    members: Members
    beyond: bool = False
    words = "a set"

    def other(self, value: Any) -> "Group":
        """A value that this one is joined with, as a set."""
        if isinstance(value, Group):
            return value
        if type(value) is int and value in (0, -1):
            return Group(lambda option: value == -1, self.members, value == -1)
        raise Unreadable(f"{_kind(value)} beside {_kind(self)}")

    def compare(self, operator: str, left: Any, right: Any) -> Truth:
        """`left operator right`."""
        if operator != "==":
            raise Unreadable("the order of sets")
        option, two = self.other(left), self.other(right)
        if option.beyond is not two.beyond:
            return False
        who = z3.Const(f"who#{next(FRESH)}", self.members.sort)
        a, b = as_term(option.has(who)), as_term(two.has(who))
        return for_all([who], either([who == self.members.nobody, True if a.eq(b) else a == b]))

    def choose(self, condition: Truth, yes: Any, no: Any) -> Any:
        """`yes if condition else no`."""
        option, two = self.other(yes), self.other(no)
        if option.beyond is not two.beyond:
            raise Unreadable("a choice of a set and the complement of one")
        return Group(lambda who: z3.If(condition, as_term(option.has(who)), as_term(two.has(who))), self.members, option.beyond)

    def joined(self, operator: str, value: Any) -> "Group":
        """`&`, `|` or `^` of two sets."""
        two = self.other(value)
        if operator == "&":
            return Group(lambda who: both([self.has(who), two.has(who)]), self.members, self.beyond and two.beyond)
        if operator == "|":
            return Group(lambda who: either([self.has(who), two.has(who)]), self.members, self.beyond or two.beyond)
        return Group(lambda who: as_term(self.has(who)) != as_term(two.has(who)), self.members, self.beyond is not two.beyond)

    def complement(self) -> "Group":
        """`~` of a set, which is only of use beside another."""
        return Group(lambda who: negation(self.has(who)), self.members, not self.beyond)


@dataclass(frozen=True, eq=False)
class Bit(Opaque):
    """`members >> broker`: of which `& 1` says whether the broker is in the set."""

    truth: Truth
    words = "a shifted set"


@dataclass(frozen=True)
class Count(Opaque):
    """How many members there are; `power`: two to that, of which `- 1` is the set of everyone."""

    power: bool = False
    words = "the number of members"


def _kind(value: Any) -> str:
    """What a value is, in words."""
    return value.words if isinstance(value, Opaque) else f"the number {value}" if isinstance(value, int) else "a number"


# Quantifiers.


def for_all(bound: Sequence[Any], truth: Truth) -> Truth:
    """For all values of the bound constants."""
    return negation(there_is(bound, negation(truth)))


def there_is(bound: Sequence[Any], truth: Truth) -> Truth:
    """For some value of each bound constant; one that an equation gives is replaced by what it equals."""
    if isinstance(truth, bool):
        return truth
    if z3.is_or(truth):
        return either([there_is(bound, part) for part in truth.children()])
    left = [element for element in bound if mentions(truth, element)]
    for option in left:
        found = _equal_to(option, truth)
        if found is not None:
            rest = simplified(z3.substitute(truth, (option, found)))
            return there_is([x for x in left if x is not option], rest)
    if not left:
        return truth
    parts = conjuncts(truth)
    outside = [part for part in parts if not any(mentions(part, element) for element in left)]
    inside = [part for part in parts if any(mentions(part, element) for element in left)]
    return both([*outside, z3.Exists(left, both(inside))])


def conjuncts(truth: Any) -> list[Any]:
    """The parts of a conjunction, to whatever depth."""
    if z3.is_and(truth):
        return [part for child in truth.children() for part in conjuncts(child)]
    if z3.is_not(truth) and z3.is_or(truth.arg(0)):
        return [part for child in truth.arg(0).children() for part in conjuncts(negation(child))]
    return [truth]


def _equal_to(option: Any, truth: Any) -> Any:
    """What a conjunct says that a constant equals, without naming it again."""
    for part in conjuncts(truth):
        if z3.is_eq(part):
            for this, other in (part.children(), reversed(part.children())):
                if this.eq(option) and not mentions(other, option):
                    return other
    return None


def simplified(truth: Any) -> Truth:
    """The truth, or the constant that it is."""
    found = z3.simplify(truth)
    return True if z3.is_true(found) else False if z3.is_false(found) else truth


def mentions(term: Any, constant: Any) -> bool:
    """Whether a constant occurs in a term."""
    return not z3.substitute(term, (constant, z3.Const("another", constant.sort()))).eq(term)


def plainly_named(term: Any, depth: int = 0) -> Any:
    """The term, whose bound variables are named by their depth: terms that differ in such names alone become the same."""
    swaps = []
    for node in filter(z3.is_quantifier, subterms([term], bodies=False)):
        fresh = [z3.Const(f"bound {depth + i}", node.var_sort(i)) for i in range(node.num_vars())]
        body = plainly_named(z3.substitute_vars(node.body(), *reversed(fresh)), depth + len(fresh))
        swaps.append((node, z3.ForAll(fresh, body) if node.is_forall() else z3.Exists(fresh, body)))
    return z3.substitute(term, *swaps) if swaps else term


def has_quantifier(term: Any) -> bool:
    """Whether there is a quantifier in a term."""
    return any(map(z3.is_quantifier, subterms([term], bodies=False)))


@dataclass
class Facts:
    """What is known of the orders of a model, and of the witnesses that the reader named."""

    members: Members = field(default_factory=Members)
    orders: list[Order] = field(default_factory=list)
    named: list[Any] = field(default_factory=list)

    def note(self, fact: Any) -> None:
        """One more fact, unless it is known."""
        if not any(fact.eq(known) for known in self.named):
            self.named.append(fact)

    def by_name(self, truth: Truth) -> Truth:
        """A truth by a name, so that a term which depends on it has no quantifier inside."""
        if isinstance(truth, bool) or not has_quantifier(truth):
            return truth
        name = z3.Bool(f"found#{next(FRESH)}")
        self.named.append(name == truth)
        return name

    def all(self) -> list[Any]:
        """Every fact."""
        return [*(fact for order in self.orders for fact in order.facts), *self.members.facts, *self.named]
