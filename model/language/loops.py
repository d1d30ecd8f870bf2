"""What is made from a declaration: its sorts, a value from its variables up, and Python text with loops over arrays."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from .errors import UsageError
from .kinds import MEMBERS, Kind, Many, Sort, declared


def sorts_in(state: Any) -> tuple[str, ...]:
    """The symmetric sorts of a state: the members first."""
    return _sorts_in(state)


@cache
def _sorts_in(state: Any) -> tuple[str, ...]:
    named = [(path, getattr(kind, "of", getattr(kind, "dimension", ""))) for path, kind in declared(state)]
    found = tuple(dict.fromkeys([MEMBERS, *(sort for _, sort in named if isinstance(sort, Sort))]))
    for path, name in named:
        if name in found and not isinstance(name, Sort):
            raise UsageError(f"{path} is over {name!r:.40}, a symmetric sort elsewhere; write Sort({name!r:.40}) here, too")
    return found


def fold(kind: Any, value: Any, leaf: Callable[..., Any], array: Callable[..., Any], record: Callable[..., Any]) -> Any:
    """What a value comes to, from its variables up.

    `leaf(kind, value)` gives what a variable comes to, `array(kind, list)` an array from its elements, and
    `record(kind, dict)` a record from its fields by name.
    """
    if isinstance(kind, Kind):
        return leaf(kind, value)
    if isinstance(kind, Many):
        return array(kind, [fold(kind.element, element, leaf, array, record) for element in value])
    inner = {name: fold(field, getattr(value, name), leaf, array, record) for name, field in kind.fields.items()}
    return record(kind, inner)


def loops(
    kind: Any,
    paths: Sequence[str],
    body: Callable[..., list[str]],
    size: Callable[[str], str],
    index: Callable[[str, str], Sequence[str]],
    depth: int = 0,
) -> list[str]:
    """Python text that does `body` for every variable below `paths`: a loop for every array, straight lines for the rest.

    `body(kind, *paths)` gives the lines for a variable at these paths, `size(dimension)` the length of an array as text,
    and `index(dimension, x)` the index of each path inside the loop over `x`.
    """
    if isinstance(kind, Kind):
        return body(kind, *paths)
    if isinstance(kind, Many):
        x = f"x{depth}"
        inside = [f"{path}[{at}]" for path, at in zip(paths, index(kind.dimension, x), strict=True)]
        lines = loops(kind.element, inside, body, size, index, depth + 1)
        return [f"for {x} in range({size(kind.dimension)}):", *indented(lines)] if lines else []
    return [
        line
        for name, field in kind.fields.items()
        for line in loops(field, [f"{path}.{name}" for path in paths], body, size, index, depth)
    ]


def indented(lines: Iterable[str]) -> list[str]:
    """Lines of Python text, one level deeper."""
    return ["    " + line for line in lines]


def nested(ranges: Sequence[tuple[str, Any]], lines: list[str]) -> list[str]:
    """Lines of Python text within loops: of each its variable, and how far that counts."""
    for variable, size in reversed(ranges):
        lines = [f"for {variable} in range({size}):", *indented(lines)]
    return lines
