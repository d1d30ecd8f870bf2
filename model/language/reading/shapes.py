"""What expressions are in code that is checked: numbers, records, arrays (`plugin_checks`); and what is done with a whole one.

A record or an array is copied and compared by functions that are made from its declaration, in the language of models:

    def copied(one, other):        def same(one, other):                         def before(one, other):
        one.x = other.x                if one.x != other.x: return False              if one.x != other.x: return one.x < other.x
        ...                            ...                                            ...
                                       return True                                    return False
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from ..kinds import Kind, Many, One
from ..sequences import Container
from .program import BOUNDS
from .typed_reading import function_in
from .typed_tree import Expression, Field, Function, Name

NUMBER, CONFIG = "a number", "the configuration"

Shape = Any
"""What an expression stands for: a kind of record, an array (`Many`), the configuration, a number, or one of two (`Either`)."""


CONTAINERS = ("a sequence", "a bag", "a set or a map")
"""What a container is: values in no order, and each once, are two more things that are asked of it."""


class Either(NamedTuple):
    """Two shapes, of which a name has one."""

    left: Shape
    right: Shape


def joined(left: dict[str, Shape], right: dict[str, Shape]) -> dict[str, Shape]:
    """What names stand for where two ways meet."""
    both = {k: left[k] if left[k] == shape else Either(left[k], shape) for k, shape in right.items() if k in left}
    return {**left, **right, **both}


def bound(name: str) -> Expression:
    """What the configuration that a copy gets has for a name."""
    return Field(Name(BOUNDS), str(name))


def shape_of(kind: Any) -> Shape:
    """The shape of a field of this kind."""
    if isinstance(kind, One):
        return kind.element
    return NUMBER if kind is None or isinstance(kind, Kind) else kind


def described(shape: Shape) -> str:
    """A shape in words."""
    if isinstance(shape, Either):
        return f"{described(shape.left)} or {described(shape.right)}"
    if isinstance(shape, Many):
        return f"an array over {shape.dimension}"
    if is_container(shape):
        return CONTAINERS[shape.fields["ordered"].low + shape.fields["once"].low]
    return f"the record {shape.__name__}" if isinstance(shape, type) else str(shape)


def is_whole(shape: Shape) -> bool:
    """Whether it is a record or an array."""
    return isinstance(shape, Many) or hasattr(shape, "fields")


def is_container(shape: Shape) -> bool:
    """Whether it is a sequence, a bag, a set or a map."""
    return isinstance(shape, type) and issubclass(shape, Container)


def alike(left: Any, right: Any) -> bool:
    """Whether two declarations hold the same: a whole of one can be copied to the other, and compared with it."""
    if left is right:
        return True
    if is_container(left) and is_container(right) and described(left) != described(right):
        return False
    if isinstance(left, Many) and isinstance(right, Many):
        return left.dimension == right.dimension and alike(left.element, right.element)
    if hasattr(left, "fields") and hasattr(right, "fields"):
        fields, others = left.fields, right.fields
        return fields.keys() == others.keys() and all(alike(some, others[name]) for name, some in fields.items())
    if isinstance(left, One) and isinstance(right, One):
        return alike(left.element, right.element)
    return isinstance(left, Kind) and type(left) is type(right)


WHOLE = {
    "copied": ("{0} = {1}", "return"),
    "same": ("if {0} != {1}: return False", "return True"),
    "before": ("if {0} != {1}: return {0} < {1}", "return False"),
}
"""What is done with two wholes: with each of their variables, and at the end."""


@cache
def function_on_wholes(what: str, shape: Shape) -> Function:
    """One of the functions above for records or arrays of a shape."""
    each, end = WHOLE[what]
    lines = "\n ".join([*_for_each(shape, each, "one", "other", 1), end])
    return function_in(f"def {what}(one, other):\n {lines}")


def _for_each(kind: Any, each: str, left: str, right: str, depth: int) -> Iterator[str]:
    """Lines that do the same with every pair of variables of two wholes."""
    if isinstance(kind, Kind):
        yield each.format(left, right)
    elif isinstance(kind, Many):
        at = f"at_{depth}"
        yield f"for {at} in range(len({left})):"
        yield from (f" {line}" for line in _for_each(kind.element, each, f"{left}[{at}]", f"{right}[{at}]", depth + 1))
    else:
        for name, field in kind.fields.items():
            yield from _for_each(field, each, f"{left}.{name}", f"{right}.{name}", depth)


COMPARED = {
    "==": ("same", False, False), "!=": ("same", False, True), "<": ("before", False, False), ">=": ("before", False, True),
    ">": ("before", True, False), "<=": ("before", True, True),
}  # fmt: skip
"""How two wholes are compared: by which function, whether the second comes first, and whether the answer is turned round."""
