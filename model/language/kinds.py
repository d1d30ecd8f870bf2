"""Field kinds and records: the words in which a state is declared.

A state is a tree of records. Every variable is one line: a name, a kind, a meaning.

    class Replica(Record):
        '''One broker's copy of the log.'''
        hw = integer(0, "log_size", "high watermark: everything below it is committed")
        phase = one_of(Phase, "what it does")
        isr = member_set("who must have a record before it is committed")
        log = many(Slot, "log_size", "unused slots are empty")

From this one declaration come the plain Python state (here), the array layout that is compiled and
packed (`layout`), the renaming that symmetry needs, the ranges that are checked, and the reference
page. Sizes are names of settings (`"log_size"`), so one declaration serves every configuration.

Every value is a small integer; those of a choice have names (`choices`). There is one symmetric sort, the members: brokers in
the models of this package; a model may have others (`Sort`). A member is compared, stored in sets and used as an index; a model
that also orders members or counts with them must not be explored under symmetry.
"""

import itertools
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, TypeVar, overload

from .choices import Choice, as_value
from .errors import UsageError
from .rows import ChoiceRow, Row, WholeRow, become
from .settings import length_named

NO_MEMBER = 15
"""No member at all. It indexes nothing (arrays over members are shorter) and it is in no set."""


class Sort(str):
    """A symmetric sort, by the setting that says how many it has: `VALUES = Sort("values")`, `member("...", VALUES)`.

    As the dimension of an array: the array has an element for each, and symmetry permutes them.
    """


MEMBERS = Sort("members")
"""The sort that every model has."""


OF_RECORDS, OF_ROWS = ("config", "copy", "fields", "copiers", "collectors", "choice_fields"), ("spare", "tail")
"""Names that no field gets: those of a record's own parts, and, in a state, those of a row's (`layout`)."""


class Kind:
    """What one variable may hold: `doc` is its meaning, `initial` its value in a new record."""

    def __init__(self, doc: str, initial: int = 0) -> None:
        self.doc, self.initial = doc, initial

    def span(self, config: Any) -> tuple[int, int]:
        """The lowest and the highest legal value under `config`; -1 stands for `NO_MEMBER`."""
        raise NotImplementedError

    def normal_span(self, config: Any) -> tuple[int, int]:
        """As `span`, in a state's normal form."""
        return self.span(config)

    def legal(self, value: int, config: Any) -> bool:
        """Whether `value` may stand here."""
        low, high = self.span(config)
        return low <= value <= high

    def typed(self, value: Any) -> Any:
        """What a plain state holds for the number `value`."""
        return value

    def text(self, value: int) -> str:
        """What people read for a value."""
        return str(int(value))  # a flag may be a truth of Python: `s.on = True`


class Integer(Kind):
    """A number between two bounds, each an integer or the name of a setting.

    `normal_high`, such a bound too, is the highest value in a state's normal form, where that is less: what a key must hold.
    """

    def __init__(self, low: int | str, high: int | str, doc: str, initial: int, normal_high: int | str | None) -> None:
        super().__init__(doc, initial)
        self.low, self.high, self.normal_high = low, high, normal_high

    def span(self, config: Any) -> tuple[int, int]:
        low = getattr(config, self.low) if isinstance(self.low, str) else self.low
        high = getattr(config, self.high) if isinstance(self.high, str) else self.high
        return low, max(low, high)

    def normal_span(self, config: Any) -> tuple[int, int]:
        low, high = self.span(config)
        most = getattr(config, self.normal_high) if isinstance(self.normal_high, str) else self.normal_high
        return low, high if most is None else most


class OneOf(Integer):
    """A member of a choice, up to the number `last`, an integer or the name of a setting."""

    def __init__(self, choice: type[Choice], doc: str, last: int | str | None, initial: Choice | None = None) -> None:
        super().__init__(0, len(choice) - 1 if last is None else last, doc, 0, None)
        self.members = tuple(choice)
        self.initial = self.members[0] if initial is None else initial

    def typed(self, value: Any) -> Any:
        return self.members[value] if value.__class__ is int and 0 <= value < len(self.members) else value

    def text(self, value: int) -> str:
        return self.members[value].text if 0 <= value < len(self.members) else str(value)


class Member(Kind):
    """One member of a symmetric sort, or `NO_MEMBER`."""

    def __init__(self, doc: str, of: str = MEMBERS) -> None:
        super().__init__(doc, NO_MEMBER)
        self.of = Sort(of)

    def span(self, config: Any) -> tuple[int, int]:
        return -1, getattr(config, self.of) - 1

    def legal(self, value: int, config: Any) -> bool:
        return 0 <= value < getattr(config, self.of) or value == NO_MEMBER

    def text(self, value: int) -> str:
        return "none" if value == NO_MEMBER else str(value)


class MemberSet(Kind):
    """A set of members of a symmetric sort, as a bit mask."""

    def __init__(self, doc: str, of: str = MEMBERS) -> None:
        super().__init__(doc)
        self.of = Sort(of)

    def span(self, config: Any) -> tuple[int, int]:
        return 0, (1 << getattr(config, self.of)) - 1

    def text(self, value: int) -> str:
        return "{" + " ".join(str(member) for member in range(value.bit_length()) if value >> member & 1) + "}"


class Many:
    """An array of `element`, as long as the setting `dimension` says; a number is the name of a derived one (`length_named`)."""

    def __init__(self, element: Any, dimension: str | int, doc: str) -> None:
        self.element, self.doc = element, doc
        self.dimension = MEMBERS if dimension == MEMBERS else length_named(dimension)
        self.row: Callable[..., Any] = Row if isinstance(element, Kind) else WholeRow
        if isinstance(element, OneOf):
            self.row = type("ChoiceRow", (ChoiceRow,), {"kind": element})


class One:
    """A record inside a record."""

    def __init__(self, element: type["Record"], doc: str) -> None:
        self.element, self.doc, self.fields = element, doc, element.fields


def integer(low: int | str, high: int | str, doc: str, initial: int | None = None, normal_high: int | str | None = None) -> int:
    """A number from `low` to `high`, both included; at first 0, or `low` where that is a number above 0."""
    first = max(0, low) if isinstance(low, int) else 0
    return as_value(Integer(low, high, doc, first if initial is None else initial, normal_high))


def flag(doc: str, initial: int = 0) -> int:
    """0 or 1."""
    return as_value(Integer(0, 1, doc, int(initial), None))


C = TypeVar("C", bound=Choice)
R = TypeVar("R", bound="Record")
V = TypeVar("V")


def one_of(choice: type[C], doc: str, last: int | str | None = None, initial: C | None = None) -> C:
    """A member of a choice, at first its first one, or `initial`; `last` is the last that can be, if not all can."""
    return as_value(OneOf(choice, doc, last, initial))


def member(doc: str, of: str = MEMBERS) -> int:
    """A member, of the sort `of`, or `NO_MEMBER`, which it is at first."""
    return as_value(Member(doc, of))


def member_set(doc: str, of: str = MEMBERS) -> int:
    """A set of members of the sort `of`, empty at first."""
    return as_value(MemberSet(doc, of))


@overload
def many(element: type[R], dimension: str | int, doc: str = "") -> list[R]: ...


@overload
def many(element: V, dimension: str | int, doc: str = "") -> list[V]: ...


def many(element: Any, dimension: str | int, doc: str = "") -> Any:
    """`dimension` copies of a kind, of a record or of another array: a number, or the name of a setting."""
    return Many(element, dimension, doc)


def one(element: type[R], doc: str = "") -> R:
    """A record inside this one."""
    return as_value(One(element, doc))


def _copier(kind: Any) -> Any:
    """What copies a value of this kind; None where the value itself will do."""
    if not isinstance(kind, Many):
        return None if isinstance(kind, Kind) else Record.copy
    copied = _copier(kind.element)
    return kind.row if copied is None else lambda row: kind.row(map(copied, row))


def _collect(record: Any, out: list[Any]) -> None:
    values = record.__dict__
    for name, collect in record.collectors:
        if collect is None:
            out.extend(name(values))
        else:
            collect(values[name], out)


def _collectors(fields: dict[str, Any]) -> list[tuple[Any, Any]]:
    """For each field its name and what adds the variables below it to a list; neighbours that are variables are got at once."""
    found: list[tuple[Any, Any]] = []
    for variables, names in itertools.groupby(fields, lambda name: isinstance(fields[name], Kind)):
        run = list(names)
        if variables and len(run) > 1:
            found.append((operator.itemgetter(*run), None))
        else:
            found += [(name, _collector(fields[name])) for name in run]
    return found


def _collector(kind: Any) -> Any:
    """What adds the variables below a value of this kind to a list."""
    if not isinstance(kind, Many):
        return (lambda value, out: out.append(value)) if isinstance(kind, Kind) else _collect
    if isinstance(kind.element, Kind):
        return lambda row, out: out.extend(row)
    inner = _collector(kind.element)

    def collect(row: Any, out: list[Any]) -> None:
        for part in row:
            inner(part, out)

    return collect


_set = object.__setattr__


def _set_typed(record: Any, name: str, value: Any) -> None:
    """Set a field: of a choice the member, if a number is written; a record or an array is copied into what is there."""
    if name in record.copiers and name in record.__dict__:
        become(record.__dict__[name], value)
        return
    kind = record.choice_fields.get(name)
    _set(record, name, value if kind is None else kind.typed(value))


class Record:
    """Base of every record of a state; declared as the module's title shows.

    A plain record is an ordinary mutable object: `s.replica[b].hw = 2`.
    """

    fields: ClassVar[dict[str, Any]] = {}
    copiers: ClassVar[dict[str, Any]] = {}
    collectors: ClassVar[list[tuple[Any, Any]]] = []
    choice_fields: ClassVar[dict[str, OneOf]] = {}

    def __init_subclass__(cls) -> None:
        kinds = (Kind, Many, One)
        own = {name: kind for name, kind in vars(cls).items() if isinstance(kind, kinds)}
        for name in own:
            if name in (*OF_RECORDS, *(OF_ROWS if issubclass(cls, State) else ())):
                raise UsageError(f"{cls.__name__} cannot have a field {name!r}, which means something else; give it another name")
        cls.fields = {**cls.fields, **own}
        cls.collectors = _collectors(cls.fields)
        cls.copiers = {name: copier for name, kind in cls.fields.items() if (copier := _copier(kind)) is not None}
        cls.choice_fields = {name: kind for name, kind in cls.fields.items() if isinstance(kind, OneOf)}
        if cls.choice_fields or cls.copiers:
            cls.__setattr__ = _set_typed  # type: ignore[method-assign]

    def __init__(self, config: Any) -> None:
        for name, kind in self.fields.items():
            setattr(self, name, _empty(kind, config))

    def copy(self) -> Any:
        """An independent copy; the configuration is shared."""
        twin = object.__new__(type(self))
        values = self.__dict__.copy()
        _set(twin, "__dict__", values)
        for name, copied in self.copiers.items():
            values[name] = copied(values[name])
        return twin

    def __eq__(self, other: object) -> bool:
        return self.__dict__ == other.__dict__ if isinstance(other, Record) else NotImplemented

    def __lt__(self, other: Any) -> bool:
        return leaves(self) < leaves(other)

    def __le__(self, other: Any) -> bool:
        return leaves(self) <= leaves(other)

    __hash__ = None  # type: ignore[assignment]  # mutable: use `cells(state)` as a key


class State(Record):
    """Base of a model's whole state: a record that also knows its configuration, `s.config`."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.config = config


def _empty(kind: Any, config: Any) -> Any:
    if isinstance(kind, Many):
        return kind.row(_empty(kind.element, config) for _ in range(getattr(config, kind.dimension)))
    return kind.initial if isinstance(kind, Kind) else (kind.element if isinstance(kind, One) else kind)(config)


def walk(kind: Any, value: Any, path: str = "") -> Iterator[tuple[str, Kind, Any]]:
    """Every variable below `value` as (path, kind, value), in the order of declaration.

    `kind` is the record class or the field that declares `value`; a path reads `replica[1].hw`.
    """
    if isinstance(kind, Kind):
        yield path, kind, value
    elif isinstance(kind, Many):
        for index, element in enumerate(value):
            yield from walk(kind.element, element, f"{path}[{index}]")
    else:
        for name, field in kind.fields.items():
            yield from walk(field, getattr(value, name), f"{path}.{name}" if path else name)


def declared(kind: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every field below a record or a field as (path, kind), once however long arrays are: elements of `log` are at `log[]`."""
    if isinstance(kind, Many):
        yield f"{path}[]", kind.element
        yield from declared(kind.element, f"{path}[]")
    elif not isinstance(kind, Kind):
        for name, field in kind.fields.items():
            below = f"{path}.{name}" if path else name
            yield below, field
            yield from declared(field, below)


def leaves(state: Record) -> list[Any]:
    """The values of all variables, in the order of declaration: numbers, or what stands in their place."""
    out: list[Any] = []
    _collect(state, out)
    return out


def cells(state: Record) -> tuple[int, ...]:
    """All values of a plain state, in the order of declaration: its key."""
    return tuple(leaves(state))


def fill(state: Any, values: Iterable[Any]) -> Any:
    """Assign to all variables of `state`, in the order of declaration; `leaves` gives these values back. The state."""
    rest = iter(values)

    def filled(part: Any) -> Any:
        if isinstance(part, Record):
            for name in part.fields:
                setattr(part, name, filled(getattr(part, name)))
        elif isinstance(part, Row):
            for index, element in enumerate(part):
                part[index] = filled(element)
        else:
            return next(rest)
        return part

    return filled(state)
