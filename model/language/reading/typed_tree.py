"""The typed tree of a function: what every reader of a model is a visitor of, except those that run its text.

It is made once from the syntax tree of a checked function (`typed_reading`): names of constants are their numbers, docstrings
and `pass` are gone, a loop has the ends of its range, and an operator is its sign. Each node knows its place in the text.

    expressions   Number, Name, Field, Element    what stands somewhere: a number, a truth, or a reference to a part of the state
                  Unary, Operation                numbers of numbers
                  Not, Compared, Joined           truths (`and`, `or`: of truths; else the part that decides)
                  Choice, Call                    what their parts are; what the function returns, or `min`, `max`, `len`
    statements    Assign, Update, If, Loop, Return, Do
    Unknown       whatever is none of these: a visitor that meets it refuses it; of kinds that only generated text has are
                  While, Continue, Raise, which machine code knows
"""

import ast
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar, dataclass_transform

from .members import as_written

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod, "<<": operator.lshift,
    ">>": operator.rshift, "&": operator.and_, "|": operator.or_, "^": operator.xor, "==": operator.eq, "!=": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
"""What each does with two numbers."""


@dataclass_transform(frozen_default=True, eq_default=False)
@dataclass(frozen=True, eq=False)
class Node:
    """A part of a function; each kind is such a dataclass. `source`: what it was made from; none for what a visitor adds."""

    source: ast.AST | None = field(default=None, kw_only=True, repr=False)

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, eq=False)(cls)

    @property
    def line(self) -> int:
        """Its line in the file; 0 where that is not known."""
        return getattr(self.source, "lineno", 0)

    @property
    def lines(self) -> range:
        """The lines from its first to its last."""
        return range(self.line, (getattr(self.source, "end_lineno", None) or self.line) + 1)

    @property
    def text(self) -> str:
        """As it is written in the file, where settings did not decide anything."""
        return ast.unparse(as_written(self.source)) if self.source is not None else ""

    @property
    def construct(self) -> str:
        """What Python calls it, for a sentence that refuses it."""
        return type(self.source).__name__


class Expression(Node):
    """A number, a truth, or a reference to a record or an array."""


class Number(Expression):
    """A number, or True or False."""

    value: int


class Name(Expression):
    """A parameter or a variable of the function."""

    name: str


class Field(Expression):
    """`owner.name`."""

    owner: Expression
    name: str


class Element(Expression):
    """`owner[index]`."""

    owner: Expression
    index: Expression


class Not(Expression):
    """`not x`."""

    operand: Expression


class Unary(Expression):
    """`-x`, `~x`."""

    sign: str
    operand: Expression


class Operation(Expression):
    """Arithmetic."""

    left: Expression
    sign: str
    right: Expression


class Joined(Expression):
    """`and`, `or`: the part that decides."""

    is_and: bool
    parts: tuple[Expression, ...]


class Compared(Expression):
    """A chain of comparisons: a sign between each two sides."""

    sides: tuple[Expression, ...]
    signs: tuple[str, ...]


class Choice(Expression):
    """`yes if test else no`."""

    test: Expression
    yes: Expression
    no: Expression


class Call(Expression):
    """A call of another function, or of `min`, `max`, `len`."""

    function: str
    arguments: tuple[Expression, ...]


class Statement(Node):
    """A statement."""


class Assign(Statement):
    """`target = value`."""

    target: Expression
    value: Expression


class Update(Statement):
    """`target += value`, and the like."""

    target: Expression
    sign: str
    value: Expression


class If(Statement):
    """Either of two ways."""

    test: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


class Loop(Statement):
    """`for name in range(*ends)`."""

    name: str
    ends: tuple[Expression, ...]
    body: tuple[Statement, ...]


class Return(Statement):
    """The function ends, with a value or with none."""

    value: Expression | None


class Do(Statement):
    """A call for what it writes."""

    value: Expression


class Unknown(Expression, Statement):
    """What the language of models does not have."""


class While(Unknown):
    """`while test`."""

    test: Expression
    body: tuple[Statement, ...]


class Continue(Unknown):
    """The next round of the innermost loop."""


class Raise(Unknown):
    """`raise error(message)`."""

    error: str
    message: str


class Function(Node):
    """A function."""

    name: str
    parameters: tuple[str, ...]
    body: tuple[Statement, ...]


# Walking.

Some = TypeVar("Some", bound=Node)

BELOW: dict[type[Node], list[str]] = {
    kind: [node.name for node in fields(kind) if "Expression" in str(node.type) or "Statement" in str(node.type)]
    for kind in (*Expression.__subclasses__(), *Statement.__subclasses__(), *Unknown.__subclasses__(), Function)
}
"""The fields of each kind that hold nodes."""


def parts_of(node: Node) -> list[Any]:
    """The nodes directly below one."""
    found: list[Any] = []
    for name in BELOW[type(node)]:
        part = getattr(node, name)
        found += part if isinstance(part, tuple) else () if part is None else (part,)
    return found


def nodes_in(*nodes: Node) -> list[Node]:
    """These nodes and all below them."""
    found = list(nodes)
    for node in found:
        found += parts_of(node)
    return found


def with_parts(node: Some, change: Callable[[Any], Any]) -> Some | None:
    """The node with others below it, or None where one of them is None."""
    parts: dict[str, Any] = {}
    for name in BELOW[type(node)]:
        part = getattr(node, name)
        parts[name] = tuple(map(change, part)) if isinstance(part, tuple) else change(part)
        if parts[name] is None or (isinstance(part, tuple) and None in parts[name]):
            return None
    return replace(node, **parts)


def having(kind: type[Some], *nodes: Node) -> list[Some]:
    """The nodes of a kind among these and below."""
    return [node for node in nodes_in(*nodes) if isinstance(node, kind)]


def stored(*nodes: Node) -> set[str]:
    """The names that get a value there."""
    found = nodes_in(*nodes)
    return {t.name for t in _targets(found) if isinstance(t, Name)} | {node.name for node in found if isinstance(node, Loop)}


def written(*nodes: Node) -> list[Expression]:
    """The places of the state that get a value there."""
    return [target for target in _targets(nodes_in(*nodes)) if not isinstance(target, Name)]


def _targets(nodes: Iterable[Node]) -> list[Expression]:
    return [node.target for node in nodes if isinstance(node, (Assign, Update))]


def number_of(node: Expression) -> int | None:
    """The number that is written there, if it is one."""
    match node:
        case Number(value=value):
            return value
        case Unary(sign="-", operand=Number(value=value)):
            return -value
    return None


def is_configuration(node: Expression) -> bool:
    """`s.config`: what follows is a setting."""
    return isinstance(node, Field) and node.name == "config"


def settings_in(*nodes: Node) -> list[str]:
    """The settings that are read there."""
    return [node.name for node in having(Field, *nodes) if is_configuration(node.owner)]


def is_guard(node: Statement, answer: bool) -> bool:
    """`if ...: return <answer>`, and nothing else."""
    if not isinstance(node, If) or node.otherwise or len(node.body) != 1:
        return False
    only = node.body[0]
    return isinstance(only, Return) and isinstance(only.value, Number) and only.value.value is answer
