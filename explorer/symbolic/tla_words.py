"""What TLA+ is written from (`tla_writer`): expressions, parts of a state, calls; values as text; and ways out of a function."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ...model.language.kinds import Kind, Many, One
from ...model.language.reading.typed_tree import Assign, If, Loop, Name, Not, Number, Return, Statement, having

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


class Leaving:
    """One `if` in which a function may be left, as statements whose ways all meet again.

    Written out, each such `if` would double what follows it. Here a variable says whether the function is left, and with what.
    """

    def __init__(self, writer: Any, frame: Any) -> None:
        self.writer, self.frame = writer, frame
        self.left, self.answer = Name(writer.fresh("left")), Name(writer.fresh("answer"))

    def before(self) -> list[Statement]:
        """Nothing has happened yet."""
        return [Assign(self.left, Number(0)), Assign(self.answer, Number(0))]

    def after(self) -> Statement:
        """What was answered is answered."""
        return If(self.left, (Return(self.answer),))

    def within(self, statements: Sequence[Statement]) -> list[Statement]:
        """The statements, with a note in place of each return, and what follows one only where it was not met."""
        out: list[Statement] = []
        for place, statement in enumerate(statements):
            if not having(Return, statement):
                out.append(statement)
                continue
            if isinstance(statement, Loop):
                return [*out, *self.within([*self.writer.rounds(statement, self.frame), *statements[place + 1 :]])]
            if isinstance(statement, Return):
                return [*out, Assign(self.answer, statement.value or Number(0)), Assign(self.left, Number(1))]
            assert isinstance(statement, If)
            body, otherwise = tuple(self.within(statement.body)), tuple(self.within(statement.otherwise))
            out.append(replace(statement, body=body, otherwise=otherwise))
            if rest := self.within(statements[place + 1 :]):
                out.append(If(Not(self.left), tuple(rest)))
            return out
        return out
