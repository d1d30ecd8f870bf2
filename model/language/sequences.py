"""Queues, bags, sets and maps of bounded size: records with methods that models may call, written in the language of models.

    queue = seq(integer(0, 9, "a message"), "places", "what waits, the oldest first")
    sent = bag(Message, 4, "messages on their way, each as often as it was sent"); set_of(...) has each once
    lease = map_of(integer(0, 3, "a key"), one_of(Phase, "its phase"), 2, "who has one")

    s.queue.append(x), s.sent.send(x), s.seen.add(x)   put one more; one too many is an error of the model
    s.sent.send(kind=Kind.VOTE, to=n)                  a record by its fields; the others are what they are at first
    s.queue.head(), s.queue.tail()                     the oldest, of an empty one an error; take it away
    s.queue.remove(1), s.sent.deliver(place)           take away what is at a place; what is behind it moves up
    s.seen.discard(x), s.sent.discard(to=n)            take the first such away, if there is one; whether there was
    x in s.queue, s.sent.has(kind=Kind.VOTE)           whether it is there; of a record, whether one with these fields is
    s.sent.count(to=n), len(s.sent), s.sent.length     how many
    for one in s.sent.values()                         each in turn; s.sent.item[0] is the first
    s.lease.put(key, value), s.lease.get(key, default), s.lease.drop(key), s.lease.has(key=k)

Bags, sets and maps are kept in order, and free places hold what is there at first: equal ones are equal states.
"""

import re
from ast import unparse
from collections.abc import Iterator
from copy import copy
from functools import cache, wraps
from types import FunctionType
from typing import Any

from .choices import as_value
from .errors import UsageError
from .kinds import Kind, Many, Member, One, Record, integer, many
from .reading.parsed import function_from, parse
from .reading.trees import function_in


class Given:
    """A record that is given by some of its fields."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields
        self.__dict__ |= fields

    def __eq__(self, other: object) -> bool:
        return all(getattr(other, name) == value for name, value in self.fields.items())

    __hash__ = None  # type: ignore[assignment]  # like the record


# Methods, in the language of models. A value is a number, a record, or some fields of one.


def add(self, value):  # type: ignore[no-untyped-def]
    """Put a value where it belongs: at the end, or by order; whether a set did not have it yet."""
    for at in range(len(self.item)):
        if self.once == 1 and at < self.length and self.item[at] == value:
            return False
    end = self.length
    self.item[end] = value
    if self.ordered == 1:
        place = 0
        for at in range(len(self.item)):
            if at < end and self.item[at] <= self.item[end]:
                place = at + 1
        for back in range(len(self.item) - 1):
            at = len(self.item) - 1 - back
            if place < at and at <= end:
                self.item[at] = self.item[at - 1]
        self.item[place] = self.empty
        self.item[place] = value
    self.length = end + 1
    return True


def head(self):  # type: ignore[no-untyped-def]
    """The first value."""
    return self.item[0 if self.length > 0 else len(self.item)]


def remove(self, place):  # type: ignore[no-untyped-def]
    """Take the value at a place away; a number is returned (of a record the place is behind: read it first)."""
    gone = self.item[place if place < self.length else len(self.item)]
    for at in range(len(self.item) - 1):
        if at >= place:
            self.item[at] = self.item[at + 1]
    self.item[len(self.item) - 1] = self.empty
    self.length -= 1
    return gone


def tail(self):  # type: ignore[no-untyped-def]
    """Take the first value away."""
    self.remove(0)
    return True


def discard(self, value):  # type: ignore[no-untyped-def]
    """Take the first such value away, if there is one; whether there was."""
    for at in range(len(self.item)):
        if at < self.length and self.item[at] == value:
            self.remove(at)
            return True
    return False


def has(self, value):  # type: ignore[no-untyped-def]
    """Whether a value is there."""
    for at in range(len(self.item)):
        if at < self.length and self.item[at] == value:
            return True
    return False


def count(self, value):  # type: ignore[no-untyped-def]
    """How often it is there."""
    found = 0
    for at in range(len(self.item)):
        if at < self.length and self.item[at] == value:
            found += 1
    return found


def put(self, key, value):  # type: ignore[no-untyped-def]
    """The key has this value from now on."""
    for at in range(len(self.item)):
        if at < self.length and self.item[at].key == key:
            self.item[at].value = value
            return True
    self.add(key=key, value=value)
    return True


def get(self, key, default):  # type: ignore[no-untyped-def]
    """The value of a key, or the default."""
    for at in range(len(self.item)):
        if at < self.length and self.item[at].key == key:
            return self.item[at].value
    return default


def drop(self, key):  # type: ignore[no-untyped-def]
    """The key has no value any more; whether it had one."""
    return self.discard(key=key)


OF_VALUES = {"append": add, "send": add, "add": add, "discard": discard, "has": has, "count": count}
"""Methods that take a value, which may be said by fields."""

METHODS: dict[str, Any] = {
    **OF_VALUES, **{method.__name__: method for method in (head, tail, remove, put, get, drop)}, "deliver": remove,
}  # fmt: skip
"""What a model calls on a container, with the function that it is."""

VALUES = "values"
"""The method that gives each value in turn: a loop goes over it (`desugared_statements`)."""


@cache
def by_fields(name: str, fields: tuple[str, ...]) -> FunctionType:
    """A method that takes these fields in place of a value."""
    tree, file = parse(OF_VALUES[name])
    is_added, inner = OF_VALUES[name] is add, "\n" + " " * 12
    given = {f".{field}": f"its_{field}" for field in fields}
    equal = " and ".join(f"self.item[at]{part} == {value}" for part, value in given.items())

    def assigned(place: str, values: dict[str, str]) -> list[str]:
        return [f"{place}{part} = {value}" for part, value in values.items()]

    def written(found: re.Match[str]) -> str:
        """What is added has its other fields as they are at first."""
        return "\n".join(assigned(found[1], {"": "self.empty", **given} if is_added else given))

    text = unparse(tree).replace(f"{tree.name}(self, value)", f"{name}_by_fields(self, {', '.join(given.values())})")
    text = re.sub(r"^( *self\.item\[\w+\]) = value$", written, text, flags=re.MULTILINE)
    text = text.replace("self.item[at] == value", f"({equal})")
    if is_added:  # it is there already if the other fields are as at first
        emptied = assigned("self.item[at]", {part: f"self.empty{part}" for part in given})
        again = assigned("self.item[at]", given)
        asked = [*emptied, "is_there = self.item[at] == self.empty", *again, "if is_there:", "    return False"]
        text = text.replace(f"{inner}return False", inner + inner.join(asked))
    made: Any = function_from(function_in(text, tree.lineno), globals(), file)
    made.of_container = True
    return made


def completed(empty: Any, fields: dict[str, Any]) -> Any:
    """A record with these fields; others are what they are at first."""
    made = empty.copy()
    for name, value in fields.items():
        if name not in made.fields:
            raise AttributeError(f"no field {name!r:.60}")
        setattr(made, name, value)
    return made


def of_python(function: Any) -> Any:
    """The method for plain Python, where a value may be given by fields."""

    @wraps(function)
    def method(self: Any, *values: Any, **fields: Any) -> Any:
        if fields and function in OF_VALUES.values():
            values = (completed(self.empty, fields) if function is add else Given(fields),)
        if function is add and self.length == len(self.item) and not (self.once and has(self, *values)):
            raise IndexError(f"no room for one more than {self.length}")
        return function(self, *values)

    return method


class Container(Record):
    """The base of the records that `seq`, `bag`, `set_of` and `map_of` make: `length` values of `item` are there."""

    length: int
    item: Any

    def values(self) -> Iterator[Any]:
        """Each value in turn."""
        for at in range(len(self.item)):
            if at < self.length:
                yield self.item[at]

    def __len__(self) -> int:
        return self.length

    def __contains__(self, value: Any) -> bool:
        return bool(has(self, value))


for _name, _function in METHODS.items():
    _function.of_container = True
    setattr(Container, _name, of_python(_function))


def is_ordered(kind: Any) -> bool:
    """Whether it is a bag, a set or a map, or the field that holds one."""
    record = getattr(kind, "element", kind)
    return isinstance(record, type) and issubclass(record, Container) and record.fields["ordered"].low == 1


def put_in_order(part: Any) -> Any:
    """A part of a plain state, with its bags, sets and maps in order, the innermost first."""
    if isinstance(part, (Record, list)):
        for inner in [getattr(part, name) for name in part.fields] if isinstance(part, Record) else part:
            put_in_order(inner)
    if is_ordered(type(part)):
        values = [node.copy() if isinstance(node, Record) else node for node in part.values()]
        for place, value in enumerate(sorted(values)):
            part.item[place] = value
    return part


def fixed(kind: Any) -> Any:
    """The same kind, or the same records, of which every variable is what it is at first."""
    if isinstance(kind, Kind):
        twin: Any = copy(kind)
        first = -1 if isinstance(kind, Member) else kind.initial
        twin.span = twin.normal_span = lambda config: (first, first)
        return twin
    if isinstance(kind, One):
        return One(fixed(kind.element), kind.doc)
    if isinstance(kind, Many):
        return Many(fixed(kind.element), kind.dimension, kind.doc)
    return type(kind.__name__, (Record,), {name: fixed(field) for name, field in kind.fields.items()})


def _container(element: Any, capacity: int | str, doc: str, name: str, ordered: int, once: int) -> Any:
    """A container of this kind of values."""
    if not isinstance(element, Kind) and not (isinstance(element, type) and issubclass(element, Record)):
        raise UsageError(f"{name} ({doc!s:.60}) is of numbers, such as integer(0, 3, ...), or of records, such as Message")
    empty = fixed(element)
    fields = {
        "length": integer(0, capacity, "how many there are"), "item": many(element, capacity, "its values"),
        "empty": empty if isinstance(empty, Kind) else One(empty, "a free place"),
        "ordered": integer(ordered, ordered, "by order", ordered), "once": integer(once, once, "each once", once),
    }  # fmt: skip
    return as_value(One(type("Container", (Container,), {**fields, "__doc__": f"{doc}.", "__module__": __name__}), doc))


def seq(kind: Any, capacity: int | str, doc: str) -> Any:
    """At most as many values, numbers or records, as a number or a setting says: in the order in which they come."""
    return _container(kind, capacity, doc, "a sequence", 0, 0)


def bag(kind: Any, capacity: int | str, doc: str) -> Any:
    """As many values, in no order, each as often as it was put there."""
    return _container(kind, capacity, doc, "a bag", 1, 0)


def set_of(kind: Any, capacity: int | str, doc: str) -> Any:
    """As many values, in no order, each once."""
    return _container(kind, capacity, doc, "a set", 1, 1)


def map_of(key: Any, value: Any, capacity: int | str, doc: str) -> Any:
    """As many keys, each with a value; both are numbers."""
    if not isinstance(key, Kind) or not isinstance(value, Kind):
        raise UsageError(f"a map ({doc!s:.60}) is from numbers to numbers, such as integer(0, 3, ...) and member(...)")
    return _container(type("Entry", (Record,), {"key": key, "value": value}), capacity, doc, "a map", 1, 1)
