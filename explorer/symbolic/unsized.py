"""A model's settings and state without sizes: a size is a constant of its order, an array a function of its index."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import z3

from ...model.language.kinds import MEMBERS, Integer, Kind, Many, Member, MemberSet, One, Record
from ...model.language.loops import sorts_in
from ...model.language.reading.program import OWN
from ...model.language.sequences import Container
from ...model.language.settings import Settings, Watched
from . import terms
from .orders import Count, Element, Facts, Group, Order, Someone, for_all
from .terms import Truth, Unreadable, as_term, both, compare, either, negation

HIGHEST_LITERAL = 8
"""Lowest values of sizes beyond this are not told to the solver: what it does not know it does not use."""

Cell = Callable[..., Any]
"""What one variable holds: a function of the indices of the arrays it lies in."""


def sizes_of(config: Settings) -> list[str]:
    """The sizes that can be large; others are left as they are, as switches are."""
    return [name for name, setting in config.settings.items() if setting.group == "size" and setting.high > 1]


class Shape:
    """What is the same in all states of a model: its sizes, the order that each number belongs to, its variables."""

    def __init__(self, config: Settings, state: type[Record]) -> None:
        self.config, self.state = config, state
        if further := sorts_in(state)[1:]:
            raise Unreadable(f"a second symmetric sort, {further[0]},")
        self.facts = Facts()
        self.members = self.facts.members
        sizes = set(sizes_of(config))
        self.behind = {name: self._read(name) & sizes for name, _ in config.numbers()}
        self.counts = self.behind.get(MEMBERS, set())
        self.is_counted_plainly = self._is_size_of_members()
        self.left = {name: () for name, read in self.behind.items() if read}
        self.orders = self._orders()
        some = dict(variables_of(state)).items()
        there = {path: placed for path, placed in some if 0 not in map(self.few, placed[1])}
        for path, (kind, _) in there.items():
            low, high = kind.span(config)
            if low >= high and self.is_open(kind):
                raise Unreadable(f"the range of {path}, which is empty or one number at small sizes,")
        self.variables = {path: placed for path, placed in there.items() if self._is_read(placed)}

    def _is_read(self, placed: "Placed") -> bool:
        """Whether a variable has values, and indices, of which something is known."""
        kind, dimensions = placed
        try:
            _ = [self.sort(dimension) for dimension in dimensions], self.in_range(kind, self.value(kind, kind.initial))
        except Unreadable:
            return False
        return True

    def is_open(self, kind: Kind) -> bool:
        """Whether a variable holds numbers up to a size; those up to another setting, such as a budget of faults, are few."""
        return isinstance(kind, Integer) and isinstance(kind.high, str) and bool(self.behind.get(kind.high))

    def grows(self, kind: Kind) -> bool:
        """Whether one of Highwater's models bounds a number only in the normal form: proofs assume that it stays in its range."""
        return self.state.__module__.partition(".")[0] == OWN and kind.span(self.config) != kind.normal_span(self.config)

    def _read(self, name: str) -> set[str]:
        """The settings behind a setting or a derived number."""
        watched = Watched(self.config)
        getattr(watched, name)
        return watched.read

    def _orders(self) -> dict[str, Order]:
        """For each size that is not the number of members, its order: sizes that one number is derived from share one."""
        groups: list[set[str]] = []
        for read in self.behind.values():
            joined = set(read) - self.counts
            for group in [group for group in groups if group & joined]:
                joined |= group
                groups.remove(group)
            if joined:
                groups.append(joined)
        found = {}
        for group in groups:
            kinds = [kind for kind, _ in dict(variables_of(self.state)).values() if isinstance(kind, Integer)]
            lows = [kind.low for kind in kinds if isinstance(kind.high, str) and self.behind[kind.high] & group]
            order = Order(" ".join(sorted(group)), min([0, *(low for low in lows if isinstance(low, int))]))
            self.facts.orders.append(order)
            found.update(dict.fromkeys(group, order))
        return found

    def order_of(self, name: str) -> Order:
        """The order that the numbers up to this setting belong to."""
        read = self.behind[name] - self.counts
        if not read:
            raise Unreadable(f"numbers up to {name}")
        return self.orders[min(read)]

    def setting(self, name: str) -> Any:
        """What a setting is: a number, a constant of an order, or the number of members."""
        if not self.behind[name]:
            return getattr(self.config, name)
        if self.behind[name] & self.counts:
            if name == MEMBERS or (self.is_counted_plainly and self.size_of(name).value == Count()):
                return Count()
            raise Unreadable(f"{name}, computed from the number of members,")
        if name not in self.config.settings:
            return self.size_of(name).value
        order = self.orders[name]
        found = order.constant(f"the {name}")
        low = self.config.settings[name].low
        if low <= HIGHEST_LITERAL:
            self.facts.note(as_term(compare("<=", order.literal(low), found)))
        return found

    def size_of(self, name: str) -> "_Size":
        """A size, or what is derived from one."""
        if name in self.counts:
            return _Size(Count(), self.config.settings[name].low)
        if name not in self.config.computed:
            return _Size(self.setting(name), self.config.settings[name].low)
        try:
            found: Any = self.config.computed[name].compute(_Sizes(self))
        except TypeError:
            raise Unreadable(f"{name}, which is more than a size and a small number,") from None
        return found if isinstance(found, _Size) else _Size(found, found)

    def _is_size_of_members(self) -> bool:
        """Whether one setting is the number of members itself."""
        try:
            return MEMBERS in self.counts or self.size_of(MEMBERS).value == Count()
        except Unreadable:
            return False

    def is_of_members(self, dimension: str) -> bool:
        """Whether the indices of a dimension are the members."""
        return dimension == MEMBERS or (dimension in self.counts and self.is_counted_plainly)

    def few(self, dimension: str) -> int | None:
        """How many indices a dimension has that no size is behind; of any other None."""
        return None if self.behind[dimension] else int(getattr(self.config, dimension))

    def at(self, dimension: str, index: Any) -> Any:
        """The term of an index, which is inside."""
        if (few := self.few(dimension)) is None:
            return index.term
        width = terms.width_for(0, few - 1)
        term = terms.extended(index, width)
        return z3.Extract(width - 1, 0, term) if term.size() > width else term

    def index(self, dimension: str, name: str) -> tuple[Any, Truth]:
        """A constant that is any index of a dimension, and that it is one."""
        place: Any
        if (few := self.few(dimension)) is not None:
            place = terms.Number(z3.BitVec(name, terms.width_for(0, few - 1)), 0, few - 1)
            return place, few > 0 and z3.ULE(place.term, few - 1)
        if self.is_of_members(dimension):
            place = Someone(z3.Const(name, self.members.sort), self.members)
        else:
            place = self.order_of(dimension).constant(name)
        return place, self.inside(dimension, place)

    def inside(self, dimension: str, index: Any) -> Truth:
        """A value is an index of this dimension."""
        if self.is_of_members(dimension):
            if not isinstance(index, Someone):
                raise Unreadable("an index into an array of members that is no member")
            return index.term != self.members.nobody
        return both([compare("<=", 0, index), compare("<", index, self.setting(dimension))])

    def sort(self, dimension: str) -> Any:
        """The sort of the indices of a dimension."""
        if (few := self.few(dimension)) is not None:
            return z3.BitVecSort(terms.width_for(0, few - 1))
        return self.members.sort if self.is_of_members(dimension) else self.order_of(dimension).sort

    def value(self, kind: Kind, value: Any) -> Any:
        """A value as what a variable of this kind holds: a number in the text becomes an element."""
        if isinstance(kind, Member):
            nobody = Someone(self.members.nobody, self.members)
            return value if isinstance(value, Someone) else Someone(nobody.other(value), self.members)
        if isinstance(kind, MemberSet):
            found = Group(lambda who: False, self.members).other(value)
            if found.beyond:
                raise Unreadable("the complement of a set, by itself,")
            return found
        assert isinstance(kind, Integer)
        if self.is_open(kind):
            order = self.order_of(str(kind.high))
            return Element(order.literal(0).other(value), order)
        return value

    def in_range(self, kind: Kind, value: Any) -> Truth:
        """A value may be held by a variable of this kind."""
        if not isinstance(kind, Integer):
            return True
        low = self.setting(kind.low) if isinstance(kind.low, str) else kind.low
        high = self.setting(kind.high) if isinstance(kind.high, str) else kind.high
        return both([compare("<=", low, value), compare("<=", value, high)])

    def ranges_of(self, prefix: str, formulas: Iterable[Any]) -> list[Any]:
        """That the small numbers which formulas name lie in their ranges: instances of what is known of the state."""
        found = list[Any]()
        for term in filter(z3.is_bv, terms.subterms(formulas, bodies=False)):
            kind, _ = self.variables.get(term.decl().name().removeprefix(prefix), (None, ()))
            if isinstance(kind, Integer) and term.decl().name().startswith(prefix):
                low, high = kind.span(self.config)
                value = terms.whole(term, low < 0)
                found += [as_term(self.in_range(kind, value))] if high - low + 1 < 1 << term.size() else []
        return found

    def fresh(self, prefix: str) -> "Store":
        """A state about which nothing is known."""
        named = self.variables.items()
        return Store(self, {path: self.function(prefix + path, kind, dimensions) for path, (kind, dimensions) in named})

    def function(self, name: str, kind: Kind, dimensions: tuple[str, ...]) -> Cell:
        """What a variable holds, of which nothing is known."""
        sorts = [self.sort(dimension) for dimension in dimensions]
        if isinstance(kind, MemberSet):
            has = z3.Function(name, *sorts, self.members.sort, z3.BoolSort())
            return lambda *at: Group(lambda who: has(*at, who), self.members)
        if isinstance(kind, Member):
            who = _named(name, sorts, self.members.sort)
            return lambda *at: Someone(who(*at), self.members)
        assert isinstance(kind, Integer)
        if self.is_open(kind):
            order = self.order_of(str(kind.high))
            number = _named(name, sorts, order.sort)
            return lambda *at: Element(number(*at), order)
        low, high = kind.span(self.config)
        small = _named(name, sorts, z3.BitVecSort(terms.width_for(low, high)))
        return lambda *at: terms.Number(small(*at), low, high)

    def initial(self) -> "Store":
        """A new state: each variable has its first value."""
        first = {path: self.value(kind, kind.initial) for path, (kind, _) in self.variables.items()}
        return Store(self, {path: lambda *at, value=value: value for path, value in first.items()})


def _named(name: str, sorts: list[Any], result: Any) -> Callable[..., Any]:
    """A function of these sorts, or a constant."""
    if sorts:
        return z3.Function(name, *sorts, result)  # type: ignore[no-any-return]
    constant = z3.Const(name, result)
    return lambda: constant


class _Sizes:
    """Sizes as a derived number reads them."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape

    def __getattr__(self, name: str) -> Any:
        return self._shape.size_of(name) if self._shape.behind[name] else self._shape.setting(name)


@dataclass(frozen=True, eq=False)
class _Size:
    """A size to which a derived number adds something; `low`: the least that it can be. It is compared with nothing."""

    value: Any
    low: int

    def __add__(self, number: int) -> "_Size":
        value = self.value
        if not isinstance(value, Element) or not isinstance(number, int) or abs(number) > HIGHEST_LITERAL:
            raise Unreadable("a derived number that is more than a size and a small number")
        if self.low + number < value.order.least:
            raise Unreadable(f"a derived number that may be {self.low + number}")
        for _ in range(abs(number)):
            value = value.order.next_to(value, number > 0)
        return _Size(value, self.low + number)

    __radd__ = __add__

    def __sub__(self, number: int) -> "_Size":
        return self + -number

    def __bool__(self) -> bool:
        raise TypeError("whether a size is 0")

    def __eq__(self, other: object) -> bool:
        raise TypeError("whether a size is a number")


Placed = tuple[Kind, tuple[str, ...]]
"""A variable's kind, and the dimensions of the arrays that it lies in."""


def variables_of(kind: Any, path: str = "", dimensions: tuple[str, ...] = ()) -> Iterator[tuple[str, Placed]]:
    """Each variable's path (`replica[].hw`), kind, and the dimensions of the arrays that it lies in."""
    if isinstance(kind, Kind):
        yield path, (kind, dimensions)
    elif isinstance(kind, Many):
        yield from variables_of(kind.element, f"{path}[]", (*dimensions, kind.dimension))
    else:
        record = kind.element if isinstance(kind, One) else kind
        if issubclass(record, Container):
            raise Unreadable(f"{path}, a sequence, a set, a bag or a map,")
        for name, field in kind.fields.items():
            yield from variables_of(field, f"{path}.{name}" if path else name, dimensions)


class Store:
    """A state: what each variable holds, as a function of its indices."""

    def __init__(self, shape: Shape, cells: Mapping[str, Cell]) -> None:
        self.shape, self.cells = shape, dict(cells)

    def copy(self) -> "Store":
        """An independent copy."""
        return Store(self.shape, self.cells)

    @property
    def root(self) -> "View":
        """The state as a record."""
        return View(self, self.shape.state, "", ())

    def same_as(self, other: "Store") -> Truth:
        """Every variable holds what it holds in another state."""
        changed = [path for path, cell in self.cells.items() if cell is not other.cells[path]]
        return self.everywhere(changed, lambda path, at: compare("==", self.cells[path](*at), other.cells[path](*at)))

    def within_ranges(self, unless: "Store | None" = None) -> Truth:
        """Every variable is within its declared range, but those that are as in `unless`, or that grow without end."""
        changed = list(self.cells)
        if unless is not None:
            kept = [path for path in changed if self.cells[path] is unless.cells[path]]
            changed = [path for path in changed if path not in kept and not self.shape.grows(self.shape.variables[path][0])]
        kinds = self.shape.variables
        return self.everywhere(changed, lambda path, at: self.shape.in_range(kinds[path][0], self.cells[path](*at)))

    def everywhere(self, paths: Iterable[str], says: Callable[[str, list[Any]], Truth]) -> Truth:
        """What is said of variables, for all indices of the arrays that each lies in."""
        found = []
        for path in paths:
            at = [self.shape.index(of, f"at {number}") for number, of in enumerate(self.shape.variables[path][1])]
            bound = [place.term for place, _ in at]
            found.append(for_all(bound, either([*(negation(inside) for _, inside in at), says(path, bound)])))
        return both(found)


@dataclass(frozen=True, eq=False)
class View:
    """A part of a state: a record, an array or a variable, with the indices on the way to it."""

    store: Store
    kind: Any
    path: str
    at: tuple[Any, ...]

    def __len__(self) -> int:
        raise Unreadable(f"{self.path} as a whole")

    @property
    def is_variable(self) -> bool:
        """It holds a value."""
        return isinstance(self.kind, Kind)

    def field(self, name: str) -> "View | None":
        """A field of a record, if it has one of this name."""
        fields = getattr(self.kind, "fields", {})
        if name not in fields:
            return None
        kind = fields[name].element if isinstance(fields[name], One) else fields[name]
        return View(self.store, kind, f"{self.path}.{name}" if self.path else name, self.at)

    def element(self, index: Any) -> "View":
        """An element of an array; the index is a term."""
        return View(self.store, self.kind.element, f"{self.path}[]", (*self.at, index))

    def read(self) -> Any:
        """What the variable holds."""
        if self.path not in self.store.cells:
            raise Unreadable(f"{self.path}, of which there are none with these settings,")
        return self.store.cells[self.path](*self.at)
