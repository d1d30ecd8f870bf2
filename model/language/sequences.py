"""Sequences of numbers: a record with methods that models may call, which are written in the language of models.

    queue = seq(integer(0, 9, "a message"), "places", "what waits, the oldest first")

    s.queue.append(value)      at the end; one too many is an error of the model
    s.queue.head()             the oldest; of an empty one an error
    s.queue.remove(0)          which is returned; what is behind it moves up
    s.queue.has(value)         whether it is there
    s.queue.length             how many there are; s.queue.item[0] is the oldest

Free places are 0, so that equal sequences are equal states.
"""

from typing import Any

from .choices import as_value
from .errors import UsageError
from .kinds import Kind, One, Record, integer, many


class Sequence(Record):
    """The base of the records that `seq` makes: `length` values of `item` are there."""

    length: int
    item: Any

    def append(self, value):  # type: ignore[no-untyped-def]  # of the language of models
        """Put a value at the end."""
        self.item[self.length] = value
        self.length += 1

    def head(self):  # type: ignore[no-untyped-def]
        """The first value."""
        return self.item[0 if self.length > 0 else len(self.item)]

    def remove(self, place):  # type: ignore[no-untyped-def]
        """Take the value at a place away; it is returned."""
        gone = self.item[place if place < self.length else len(self.item)]
        for one in range(len(self.item) - 1):
            if one >= place:
                self.item[one] = self.item[one + 1]
        self.item[len(self.item) - 1] = 0
        self.length -= 1
        return gone

    def has(self, value):  # type: ignore[no-untyped-def]
        """Whether a value is there."""
        for one in range(len(self.item)):
            if one < self.length and self.item[one] == value:
                return True
        return False


METHODS: dict[str, Any] = {one.__name__: one for one in (Sequence.append, Sequence.head, Sequence.remove, Sequence.has)}
"""What a model calls on a sequence."""


def seq(kind: Any, capacity: int | str, doc: str) -> Any:
    """A sequence of at most as many values as a number, or a setting, says; `kind` has room for 0, which free places are."""
    if not isinstance(kind, Kind) or kind.initial != 0:
        raise UsageError(f"a sequence ({doc!s:.60}) is of numbers that are 0 at first, such as integer(0, 3, ...) or one_of(...)")
    fields = {"length": integer(0, capacity, "how many there are"), "item": many(kind, capacity, "first the oldest")}
    more = {"__doc__": f"{doc}.", "__module__": __name__}
    return as_value(One(type("Sequence", (Sequence,), {**fields, **more}), doc))
