"""Which expression made a call of a plain function return what it did: found in its text, and evaluated once more.

In `return a or b` it is `b`, in `if not f(s): return False` it is what made `f` return false.
"""

import ast
import inspect
import textwrap
from dataclasses import dataclass, field
from functools import cache
from types import CodeType
from typing import Any, NamedTuple

from ..choices import Choice
from .trees import called, names_in, nodes_of

Path = tuple[int, str]
"""The number of a state (of a step: 0 before it, 1 after it) and a variable of it, such as `replica[0][1].hw`."""


@dataclass
class Call:
    """A call of a plain function: where it returned, what, and the calls that it made."""

    code: CodeType
    module: str
    globals: dict[str, Any]
    locals: dict[str, Any] = field(default_factory=dict)
    line: int = 0
    value: Any = None
    calls: list["Call"] = field(default_factory=list)
    read: dict[Path, int] = field(default_factory=dict)
    witness: dict[str, int] = field(default_factory=dict)
    """The variables of a generator, where an element of it decided, and of the loops around a return: numbers, no records."""

    def note_witness(self, values: dict[str, Any]) -> None:
        """Add to the witness."""
        self.witness.update({name: value for name, value in values.items() if isinstance(value, int)})


class Decided(NamedTuple):
    """The expression that made a call return what it did, its value, and the call to follow from there.

    `also`: the operands beside it that decided with it: `a or b` is false because of both.
    """

    node: ast.expr | None
    value: bool
    inner: Call | None
    also: list[ast.expr]

    @property
    def text(self) -> str:
        """The expression as text; empty when none is known."""
        return "" if self.node is None else ast.unparse(self.node)

    @property
    def arguments(self) -> list[ast.expr]:
        """What the call to follow is given."""
        return self.node.args if isinstance(self.node, ast.Call) else []


def deciding(call: Call, answer: bool) -> Decided:
    """What made a call return what it did."""
    tree = tree_of(call.code)
    found = returned(tree, call.line)
    also: list[ast.expr] = []
    if found is None:
        return Decided(None, answer, None, also)
    statement, test = found
    call.note_witness({name: call.locals[name] for name in loops_around(tree, statement) if name in call.locals})
    if not isinstance(statement.value, ast.Constant):
        node, want = statement.value, answer
    elif test is not None:
        node, want = test
    else:
        return Decided(None, answer, None, also)
    named: set[str] = set()
    while node is not None:
        inner = followed(node, want, call)
        if inner is not None:
            return Decided(node, want, inner, also)
        named_there = witness(node, want, call)
        if named_there is not None:
            call.locals = {**call.locals, **named_there}
            call.note_witness(named_there)
            node = node.args[0].elt  # type: ignore[attr-defined]
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node, want = node.operand, not want
        elif isinstance(node, ast.IfExp):
            node = node.body if evaluated(node.test, call) else node.orelse
        elif isinstance(node, ast.Name) and node.id not in named and (value := assigned(tree, node.id, *CONDITIONS)):
            named.add(node.id)  # once: a condition may be made of its own old value
            node = value
        elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) == want:
            # One operand suffices: the first with this value was the last to run.
            node = next((part for part in node.values if bool(evaluated(part, call)) == want), None)
        elif isinstance(node, ast.BoolOp) and leads_on(node.values[-1], want, call):
            also += node.values[:-1]
            node = node.values[-1]
        else:
            break
    return Decided(node, want, None, also)


def witness(node: ast.expr, want: bool, call: Call) -> dict[str, int] | None:
    """The values of a generator's variables at which it is decided that not `all` of it is true, or `any`; else None."""
    if not isinstance(node, ast.Call) or called(node) != ("any" if want else "all"):
        return None
    if len(node.args) != 1 or not isinstance(node.args[0], ast.GeneratorExp):
        return None
    names = sorted({name for part in node.args[0].generators for name in names_in(part.target)})
    element = ast.Tuple([node.args[0].elt, *(ast.Name(name, ast.Load()) for name in names)], ast.Load())
    pairs = evaluated(ast.Call(ast.Name("list", ast.Load()), [ast.GeneratorExp(element, node.args[0].generators)], []), call)
    found = next((rest for came_to, *rest in pairs or () if bool(came_to) == want), None)
    return None if found is None else dict(zip(names, found, strict=True))


CONDITIONS = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Call, ast.IfExp)


def assigned(tree: ast.AST, name: str, *kinds: type[ast.expr]) -> ast.expr | None:
    """What a variable was assigned, where that happens at one place and is of these kinds; else nothing is known of it."""
    found = [n.value for n in nodes_of(tree) if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == name]
    return found[0] if len(found) == 1 and isinstance(found[0], kinds) else None


def followed(node: ast.expr, want: bool, call: Call) -> Call | None:
    """The call at an expression that is a plain call, when there is more to say inside: a false return, or a comparison."""
    if not called(node):
        return None
    made = [*call.calls, *(item for c in call.calls if c.code.co_name == "<genexpr>" for item in c.calls)]
    name = getattr(getattr(call.globals.get(called(node)), "__code__", None), "co_name", called(node))  # an import may rename it
    same = [c for c in made if c.code.co_name == name and bool(c.value) == want]
    if not same or (want and not compares(same[-1])):
        return None
    return same[-1]


def compares(call: Call) -> bool:
    """Whether a call returned the value of an expression, and not a constant."""
    found = returned(tree_of(call.code), call.line)
    return found is not None and not isinstance(found[0].value, ast.Constant)


def leads_on(node: ast.expr, want: bool, call: Call) -> bool:
    """Whether an operand is a call to be followed, or the denial of one."""
    while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node, want = node.operand, not want
    return followed(node, want, call) is not None


def returned(tree: ast.AST, line: int) -> tuple[ast.Return, tuple[ast.expr, bool] | None] | None:
    """The return statement at a line, and the test that led there with its value."""
    nodes = nodes_of(tree)
    branches = [(node, body) for node in nodes if isinstance(node, ast.If) for body in (node.body, node.orelse)]
    under = [(part, (node.test, body is node.body)) for node, body in branches for part in body]
    plain = [(node, None) for node in nodes]
    returns = [(node, test) for node, test in (*under, *plain) if isinstance(node, ast.Return)]
    return next(((node, test) for node, test in returns if node.lineno <= line <= (node.end_lineno or 0)), None)


def loops_around(tree: ast.AST, statement: ast.stmt) -> list[str]:
    """The variables of the loops in which a statement stands."""
    loops = [node for node in nodes_of(tree) if isinstance(node, ast.For) and any(item is statement for item in nodes_of(node))]
    return [item.id for node in loops for item in nodes_of(node.target) if isinstance(item, ast.Name)]


def evaluated(node: ast.expr, call: Call) -> Any:
    """The value of an expression where a call returned; None if it cannot be evaluated again."""
    code = compile(ast.fix_missing_locations(ast.Expression(node)), "<evidence>", "eval")
    try:
        return eval(code, {**call.globals, **call.locals})  # one scope, which generators see
    except Exception:  # a variable that was assigned after the expression, such as that of a loop
        return None


def read_again(node: ast.expr, call: Call) -> None:
    """Evaluate an expression, so that what it reads is noted, and what its names were assigned, where that is a variable."""
    tree = tree_of(call.code)
    for name in [item.id for item in nodes_of(node) if isinstance(item, ast.Name)]:
        if value := assigned(tree, name, ast.Attribute, ast.Subscript, *CONDITIONS):
            evaluated(value, call)
    evaluated(node, call)


def values_in(node: ast.expr | None, call: Call) -> dict[str, int]:
    """What an expression compares, or is called with, as text and value; evaluating it notes what it reads."""
    if node is None:
        return {}
    read_again(node, call)
    parts: list[ast.expr] = [node]
    if isinstance(node, ast.Compare):
        parts = [item for item in (node.left, *node.comparators) if not is_member(item, call)]
    elif isinstance(node, ast.BoolOp):
        parts = []
    elif isinstance(node, ast.Call):
        parts = node.args
    values = ((ast.unparse(part), evaluated(part, call)) for part in parts if not isinstance(part, ast.Constant))
    return {text: value if isinstance(value, Choice) else int(value) for text, value in values if isinstance(value, int)}


def is_member(node: ast.expr, call: Call) -> bool:
    """Whether an expression names a member of a choice: what it comes to is what it says."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and isinstance(evaluated(node.value, call), type)


@cache
def tree_of(code: CodeType) -> ast.AST:
    """The syntax tree of a function with its file's line numbers; an empty one where there is no source to read."""
    try:
        lines, first = inspect.getsourcelines(code)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return ast.Module([], [])
    return ast.increment_lineno(tree, first - 1)
