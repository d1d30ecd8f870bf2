"""Which instances of an action can be enabled at all, as a mask: the guards that need nothing but parameters, without a branch.

Most instances of an action are refused, and which ones changes from state to state, so that the processor cannot guess its way
through their guards. From the syntax tree of an action come conditions that hold wherever it is enabled. They are evaluated for
all values of its parameters at once, in the state itself, and only the instances that are left are tried. The action itself is
called with all its guards, so a condition that is not found here costs time alone.

A condition may be evaluated where a guard before it fails, so it must be safe anywhere: its indices are parameters and constants,
and it neither divides nor shifts by more than a word has bits. What it says there does not matter: the instance is refused.
"""

import ast
from collections.abc import Iterator, Mapping

from ...model.language.loops import indented, nested
from ...model.language.program import Program, calls_any
from ...model.language.trees import is_guard
from .arrays import WORD_BITS

Meanings = Mapping[str, ast.expr | None]
"""What names stand for, in terms of the state and of the action's parameters; None: not known."""

ARITHMETIC = (ast.Add, ast.Sub, ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)

STATE = "s"


def conditions(whole: Program, name: str, parameters: list[str]) -> list[str]:
    """Conditions on the state `s` and on the parameters, by these names, that hold wherever the action is enabled, as text."""
    arguments: list[ast.expr] = [ast.Name(one, ast.Load()) for one in (STATE, *parameters)]
    found: dict[str, None] = {}
    for one in Reader(whole, parameters).enabled(name, arguments):
        found[ast.unparse(ast.fix_missing_locations(one))] = None
    return list(found)


class Reader:
    """Reads conditions from functions, up to their first write. `parameters`: the names that may be indices."""

    def __init__(self, whole: Program, parameters: list[str]) -> None:
        self.whole, self.parameters = whole, set(parameters)

    def enabled(self, name: str, arguments: list[ast.expr]) -> Iterator[ast.expr]:
        """The conditions that hold where the function does not return False."""
        tree = self.whole.functions[name]
        means: dict[str, ast.expr | None] = dict(zip((a.arg for a in tree.args.args), arguments, strict=True))
        for statement in tree.body:
            writes = self.writes(statement)
            if isinstance(statement, (ast.Pass, ast.Expr)) and not writes:
                continue
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name) and not writes:
                target = statement.targets[0].id
                means[target] = self.inlined(statement.value, means) if target not in means else None
            elif is_guard(statement, False):
                yield from self.held(statement.test, means, False)  # type: ignore[attr-defined]
                if writes:
                    return
            else:
                if isinstance(statement, ast.Return) and statement.value is not None:
                    yield from self.held(statement.value, means, True)
                return

    def writes(self, node: ast.AST) -> bool:
        """Whether something is called there that writes: what is read behind it is not the state before the action."""
        return calls_any(node, self.whole.writers)

    def held(self, test: ast.expr, means: Meanings, answer: bool) -> Iterator[ast.expr]:
        """The conditions that hold where the test comes out as `answer`; each can be evaluated anywhere, without a branch."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) == answer:
            for part in test.values:
                yield from self.held(part, means, answer)
                if self.writes(part):
                    return
        elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            yield from self.held(test.operand, means, not answer)
        elif not isinstance(test, ast.Constant):
            plain = self.inlined(test, means)
            whole = self.truth(plain) if plain is not None else None
            if whole is not None:
                yield whole if answer else negated(whole)
            elif answer and isinstance(test, ast.Call) and not any(map(self.writes, test.args)):
                if isinstance(test.func, ast.Name) and test.func.id in self.whole.functions:
                    yield from self.enabled(test.func.id, [self.inlined(one, means) or UNKNOWN for one in test.args])

    def inlined(self, node: ast.expr, means: Meanings) -> ast.expr | None:
        """The expression in terms of the state and the parameters, with its calls expanded; None where that is impossible."""
        if isinstance(node, ast.Name):
            return means.get(node.id, node) if node.id in means or node.id in self.whole.constants else None
        if isinstance(node, ast.Call):
            return self.written_out(node, means)
        twin = type(node)()
        for name, value in ast.iter_fields(node):
            values = value if isinstance(value, list) else [value]
            parts = [self.inlined(one, means) if isinstance(one, ast.expr) else one for one in values]
            if value is not None and None in parts:
                return None
            setattr(twin, name, parts if isinstance(value, list) else parts[0])
        return twin

    def written_out(self, call: ast.Call, means: Meanings) -> ast.expr | None:
        """The value of a call, if its function is an expression after assignments, and nothing is written."""
        if not isinstance(call.func, ast.Name) or call.func.id not in self.whole.functions or self.writes(call):
            return None
        tree = self.whole.functions[call.func.id]
        own: dict[str, ast.expr | None] = {}
        for parameter, argument in zip(tree.args.args, call.args, strict=True):
            own[parameter.arg] = self.inlined(argument, means)
        for statement in tree.body:
            if isinstance(statement, ast.Expr):
                continue
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                target = statement.targets[0].id
                own[target] = self.inlined(statement.value, own) if target not in own else None
            elif isinstance(statement, ast.Return) and statement.value is not None:
                return self.inlined(statement.value, own)
            else:
                return None
        return None

    # What is safe to evaluate anywhere.

    def truth(self, node: ast.expr) -> ast.expr | None:
        """An expression's truth, with `&` and `|` for `and` and `or`; None unless it is safe."""
        if isinstance(node, ast.BoolOp):
            parts = [self.truth(one) for one in node.values]
            operator: ast.operator = ast.BitAnd() if isinstance(node.op, ast.And) else ast.BitOr()
            joined = parts[0]
            for part in parts[1:]:
                joined = None if joined is None or part is None else ast.BinOp(joined, operator, part)
            return joined
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.truth(node.operand)
            return negated(inner) if inner is not None else None
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            sides = self.number(node.left), self.number(node.comparators[0])
            return ast.Compare(sides[0], node.ops, [sides[1]]) if None not in sides else None  # type: ignore[list-item, arg-type]
        value = self.number(node)
        return ast.Compare(value, [ast.NotEq()], [ast.Constant(0)]) if value is not None else None

    def number(self, node: ast.expr) -> ast.expr | None:
        """An expression's value; None unless it is safe."""
        if isinstance(node, ast.Constant):
            return node
        if isinstance(node, ast.Name):
            return node if node.id in self.parameters or node.id in self.whole.constants else None
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            return node if self.is_safe_place(node) else None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Invert, ast.USub)):
            inner = self.number(node.operand)
            return ast.UnaryOp(node.op, inner) if inner is not None else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ARITHMETIC):
            left, right = self.number(node.left), self.number(node.right)
            if left is None or right is None:
                return None
            if isinstance(node.op, ast.LShift) and not isinstance(right, ast.Constant):
                right = ast.BinOp(right, ast.BitAnd(), ast.Constant(WORD_BITS - 1))
            if isinstance(node.op, ast.RShift) and not isinstance(right, ast.Constant):
                right = ast.Call(ast.Name("min", ast.Load()), [right, ast.Constant(WORD_BITS - 1)], [])
            return ast.BinOp(left, node.op, right)
        return None

    def is_safe_place(self, node: ast.expr) -> bool:
        """Whether a variable of the state has only parameters and constants as indices."""
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            if isinstance(node, ast.Subscript):
                at = node.slice
                if not (isinstance(at, ast.Constant) or (isinstance(at, ast.Name) and at.id in self.parameters)):
                    return False
            node = node.value
        return isinstance(node, ast.Name) and node.id == STATE


UNKNOWN = ast.Name("", ast.Load())
"""Stands for an unknown value: no condition with it is safe."""

OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
}  # fmt: skip


def negated(test: ast.expr) -> ast.expr:
    """The opposite of a test that is a comparison, or several between `&` and `|`."""
    if isinstance(test, ast.Compare):
        return ast.Compare(test.left, [OPPOSITE[type(test.ops[0])]()], test.comparators)
    assert isinstance(test, ast.BinOp)
    operator = ast.BitOr() if isinstance(test.op, ast.BitAnd) else ast.BitAnd()
    return ast.BinOp(negated(test.left), operator, negated(test.right))


def candidates_text(name: str, tests: list[str], sizes: list[int], outer: int) -> str:
    """The function that returns the mask: its arguments are the first `outer` parameters; all values of the others have a bit."""
    inner, place = [(f"p{number}", size) for number, size in enumerate(sizes)][outer:], "0"
    for parameter, size in inner:
        place = f"({place}) * {size} + {parameter}"
    possible = " & ".join(f"({one})" for one in tests)
    body = nested(inner, [f"found |= np.uint64({possible}) << np.uint64({place})"])
    head = f"def {name}({', '.join([STATE, *(f'p{i}' for i in range(outer))])}):"
    return "\n".join([head, "    found = np.uint64(0)", *indented(body), "    return found"])
