"""What TLA+ is written from (`tla_writer`): expressions, parts of a state, calls; and values as text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...model.language.kinds import Kind, Many, One

Names = dict[str, Any]


class Text(NamedTuple):
    """An expression of TLA+: a truth or a number, and the number if it is known."""

    text: str
    is_truth: bool = False
    known: Any = None


class Ref(NamedTuple):
    """A part of a state: which state, the way to it, and its declaration."""

    state: str
    path: tuple[str, ...]
    kind: Any


@dataclass
class Frame:
    """One call: what its names stand for, and the definitions that come before what it answers."""

    name: str
    file: str
    names: Names
    lets: list[tuple[str, str]] = field(default_factory=list)


def constant(value: Any) -> Text:
    """A known number or truth."""
    if isinstance(value, bool):
        return Text(str(value).upper(), True, value)
    return Text(str(int(value)) if value >= 0 else f"({int(value)})", False, int(value))


def truth_of(value: Text) -> str:
    """A value as a truth."""
    if value.known is not None:
        return str(bool(value.known)).upper()
    return value.text if value.is_truth else f"({value.text} # 0)"


def number_of(value: Text) -> str:
    """A value as a number."""
    if value.known is not None:
        return str(int(value.known)) if value.known >= 0 else f"({int(value.known)})"
    return f"(IF {value.text} THEN 1 ELSE 0)" if value.is_truth else value.text


def let(definitions: Sequence[tuple[str, str]], text: str) -> str:
    """An expression with definitions before it."""
    if not definitions:
        return text
    return "LET " + "\n        ".join(f"{name} == {value}" for name, value in definitions) + f"\n    IN {text}"


def literal(kind: Any, value: Any, depth: int = 0) -> str:
    """A value of a plain state."""
    if isinstance(kind, Kind):
        return str(int(value))
    if isinstance(kind, Many):
        parts, at = ", ".join(literal(kind.element, item, depth + 1) for item in value), f"at_{depth}"
        return f"[{at} \\in 0..{len(value) - 1} |-> <<{parts}>>[{at} + 1]]"
    fields = (kind.element if isinstance(kind, One) else kind).fields
    return "[" + ", ".join(f"{name} |-> {literal(item, getattr(value, name), depth)}" for name, item in fields.items()) + "]"
