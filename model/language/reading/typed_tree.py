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
from collections import Counter
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar, dataclass_transform

from .trees import call_of, defined

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod, "<<": operator.lshift,
    ">>": operator.rshift, "&": operator.and_, "|": operator.or_, "^": operator.xor, "==": operator.eq, "!=": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
"""What each does with two numbers."""

SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.LShift: "<<", ast.RShift: ">>",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
    ast.GtE: ">=", ast.USub: "-", ast.Invert: "~",
}  # fmt: skip
"""Each operator of the language and its sign, which is what visitors know it by."""


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
class _Frozen:
    """Dataclasses that nobody changes, as the type checker sees: as Python runs, each would take three times as long to make."""

    def __init_subclass__(cls) -> None:
        dataclass(eq=False)(cls)


class Node(_Frozen):
    """A part of a function; each kind is such a dataclass. `source`: what it was made from; none for what a visitor adds."""

    source: ast.AST | None = field(default=None, kw_only=True, repr=False)

    @property
    def line(self) -> int:
        """Its line in the file; 0 where that is not known."""
        return getattr(self.source, "lineno", 0)

    @property
    def python(self) -> str:
        """As Python, with numbers in place of the names of constants."""
        return ast.unparse(ast.fix_missing_locations(syntax_of(self)))

    @property
    def text(self) -> str:
        """As it is written in the file, where settings did not decide anything."""
        return ast.unparse(ast.fix_missing_locations(syntax_of(self, as_written=True)))


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


def changed(node: Some, **parts: Any) -> Some:
    """The node with these fields; the same one where it has them."""
    return replace(node, **parts) if any(part != getattr(node, name) for name, part in parts.items()) else node


def with_parts(node: Some, change: Callable[[Any], Any]) -> Some:
    """The node with others below it; the same one where these are the same. A statement may become several, in a tuple."""
    parts = {}
    for name in BELOW[type(node)]:
        part = getattr(node, name)
        if isinstance(part, tuple):
            found = map(change, part)
            parts[name] = tuple(each for item in found for each in (item if isinstance(item, tuple) else (item,)))
        else:
            parts[name] = part and change(part)
    return changed(node, **parts)


def having(kind: type[Some], *nodes: Node) -> list[Some]:
    """The nodes of a kind among these and below."""
    return [node for node in nodes_in(*nodes) if isinstance(node, kind)]


def stores(*nodes: Node) -> list[str]:
    """The names that get a value there, as often as they do."""
    found = nodes_in(*nodes)
    return [t.name for t in _targets(found) if isinstance(t, Name)] + [node.name for node in found if isinstance(node, Loop)]


def stored(*nodes: Node) -> set[str]:
    """The names that get a value there."""
    return set(stores(*nodes))


def read(*nodes: Node) -> Counter[str]:
    """How often each name is read there."""
    found = nodes_in(*nodes)
    return Counter(n.name for n in found if isinstance(n, Name)) - Counter(t.name for t in _targets(found) if isinstance(t, Name))


def called(*nodes: Node) -> list[str]:
    """The functions that are called there."""
    return [node.function for node in nodes_in(*nodes) if isinstance(node, Call)]


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


def is_truth(node: Expression) -> bool:
    """Whether an expression is 0 or 1, as a comparison is, wherever it stands."""
    if isinstance(node, Joined):
        return all(map(is_truth, node.parts))
    return isinstance(node, (Compared, Not)) or isinstance(node.source, ast.Compare)  # `is` of a member that is not known yet


def is_configuration(node: Expression) -> bool:
    """`s.config`: what follows is a setting."""
    return isinstance(node, Field) and node.name == "config"


def is_fixed(node: Expression, local: Container[str]) -> bool:
    """Constants, settings (`s.config.log_size`), lengths of arrays, which settings say, and arithmetic on these."""
    match node:
        case Operation() | Unary() | Not():
            return all(is_fixed(part, local) for part in parts_of(node))
        case Call(function=name, arguments=arguments):
            return name == "len" or (name in ("min", "max") and all(is_fixed(part, local) for part in arguments))
        case Field(owner=owner):
            return is_configuration(owner)
        case Name(name=name):
            return name not in local
    return isinstance(node, Number)


def is_guard(node: Statement, answer: bool) -> bool:
    """`if ...: return <answer>`, and nothing else."""
    match node:
        case If(body=(Return(value=Number(value=value)),), otherwise=()):
            return value is answer
    return False


# As Python.

OPERATORS: dict[str, Any] = {sign: kind() for kind, sign in SIGNS.items() if kind not in (ast.USub, ast.Invert)}


def syntax_of(node: Node, as_written: bool = False) -> Any:
    """The syntax of a part of a function, at its place in the file; `as_written` there, where nothing was decided in it."""
    is_named = isinstance(node, (Name, Number)) and isinstance(node.source, (ast.Name, ast.Attribute))
    if as_written and (is_named or hasattr(node.source, "written")):
        return getattr(node.source, "written", node.source)
    made: Any = node.source
    if node.__class__ in SYNTAX:
        made = SYNTAX[node.__class__](node, lambda part: syntax_of(part, as_written))
    for kind, name in ((ast.Call, "func"), (ast.Compare, "ops")):  # `is` a member
        if as_written and isinstance(made, kind) and isinstance(node.source, kind):
            setattr(made, name, getattr(node.source, name))
    return made if node.source is None else ast.copy_location(made, node.source)


def _block(body: Iterable[Statement], of: Callable[[Any], Any]) -> list[Any]:
    return list(map(of, body)) or [ast.Pass()]


def _target(place: Any) -> Any:
    return type(place)(**{**vars(place), "ctx": ast.Store()})


SYNTAX: dict[type[Node], Callable[[Any, Callable[[Any], Any]], Any]] = {
    Number: lambda n, of: ast.Constant(n.value),
    Name: lambda n, of: ast.Name(n.name, ast.Load()),
    Field: lambda n, of: ast.Attribute(of(n.owner), n.name, ast.Load()),
    Element: lambda n, of: ast.Subscript(of(n.owner), of(n.index), ast.Load()),
    Not: lambda n, of: ast.UnaryOp(ast.Not(), of(n.operand)),
    Unary: lambda n, of: ast.UnaryOp(ast.USub() if n.sign == "-" else ast.Invert(), of(n.operand)),
    Operation: lambda n, of: ast.BinOp(of(n.left), OPERATORS[n.sign], of(n.right)),
    Joined: lambda n, of: ast.BoolOp(ast.And() if n.is_and else ast.Or(), list(map(of, n.parts))),
    Compared: lambda n, of: ast.Compare(of(n.sides[0]), [OPERATORS[s] for s in n.signs], list(map(of, n.sides[1:]))),
    Choice: lambda n, of: ast.IfExp(of(n.test), of(n.yes), of(n.no)),
    Call: lambda n, of: call_of(n.function, map(of, n.arguments)),
    Assign: lambda n, of: ast.Assign([_target(of(n.target))], of(n.value)),
    Update: lambda n, of: ast.AugAssign(_target(of(n.target)), OPERATORS[n.sign], of(n.value)),
    If: lambda n, of: ast.If(of(n.test), _block(n.body, of), list(map(of, n.otherwise))),
    Loop: lambda n, of: ast.For(ast.Name(n.name, ast.Store()), call_of("range", map(of, n.ends)), _block(n.body, of), []),
    Return: lambda n, of: ast.Return(n.value and of(n.value)),
    Do: lambda n, of: ast.Expr(of(n.value)),
    Raise: lambda n, of: ast.Raise(call_of(n.error, [ast.Constant(n.message)])),
    Function: lambda n, of: defined(n.name, n.parameters, _block(n.body, of)),
}
"""What Python calls each construct of the language."""
