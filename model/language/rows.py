"""Arrays of a plain state; what refuses an index that compiled code would get wrong, and copies where a whole is assigned."""

from typing import Any

_element = list.__getitem__


class Row(list[Any]):
    """A plain array that refuses what compiled code would get wrong: an index below zero or too large."""

    def __getitem__(self, index: Any) -> Any:
        try:
            if index >= 0:
                return _element(self, index)
        except IndexError:
            pass
        raise IndexError(f"index {index} in an array of {len(self)}")

    def __setitem__(self, index: Any, value: Any) -> None:
        if not 0 <= index < len(self):
            raise IndexError(f"index {index} in an array of {len(self)}")
        list.__setitem__(self, index, value)


class ChoiceRow(Row):
    """An array of members of a choice: a number that is written becomes the member."""

    kind: Any

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, self.kind.typed(value))


class WholeRow(Row):
    """An array of records or of arrays: what is written to an element is copied into it, as compiled code does."""

    def __setitem__(self, index: Any, value: Any) -> None:
        become(self[index], value)


def become(part: Any, other: Any) -> None:
    """Take over every value of another record or array of the same kind, in place: who has a name for `part` sees them too."""
    if part is other:
        return
    if isinstance(part, Row):
        if len(part) != len(other):
            raise IndexError(f"an array of {len(other)} is copied to one of {len(part)}")
        for index, value in enumerate(other):
            part[index] = value
    else:
        for name in part.fields:
            setattr(part, name, getattr(other, name))
