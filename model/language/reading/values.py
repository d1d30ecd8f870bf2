"""Which functions return a value, and which variables have one wherever they are read: what Python finds out only as it runs.

A function with neither ends differently in every engine: compiled, interpreted, or as a formula.
"""

import ast
from collections.abc import Iterable, Iterator

from .trees import nodes_of, stored_in


def returns_value(tree: ast.FunctionDef) -> bool | None:
    """Whether a function returns a value on all its ways; None when it does on some of them."""
    returns = [node for node in nodes_of(tree) if isinstance(node, ast.Return)]
    values = [node for node in returns if node.value is not None]
    if not values:
        return False
    return True if len(values) == len(returns) and ends(tree.body) else None


def ends(body: Iterable[ast.stmt]) -> bool:
    """Whether a function, or the round of a loop, never goes on behind these statements."""
    jumps = (ast.Return, ast.Break, ast.Continue)
    return any(isinstance(s, jumps) or (isinstance(s, ast.If) and ends(s.body) and ends(s.orelse)) for s in body)


def unassigned(tree: ast.FunctionDef) -> Iterator[ast.Name]:
    """The places where a variable is read that has no value yet on some way there.

    A loop may be left before its first round: what is assigned in it has no value behind it, unless it had one before.
    """
    known = {argument.arg for argument in tree.args.args}
    local = stored_in(tree) - known
    if local:
        yield from _through(tree.body, known, local)


def _through(body: Iterable[ast.stmt], known: set[str], local: set[str]) -> Iterator[ast.Name]:
    """Go through statements; `known` grows by what has a value behind them."""
    for statement in body:
        if isinstance(statement, ast.If):
            yield from _read(statement.test, known, local)
            then, otherwise = set(known), set(known)
            yield from _through(statement.body, then, local)
            yield from _through(statement.orelse, otherwise, local)
            known |= (otherwise if ends(statement.body) else then if ends(statement.orelse) else then & otherwise)
        elif isinstance(statement, ast.For):
            yield from _read(statement.iter, known, local)
            yield from _through(statement.body, known | stored_in(statement.target), local)
        elif isinstance(statement, ast.While):  # of our own kernels: without it none of them is in lanes
            yield from _read(statement.test, known, local)
            yield from _through(statement.body, set(known), local)
        elif isinstance(statement, ast.Assign):
            yield from _read(statement.value, known, local)
            for target in statement.targets:
                yield from _read(target, known, local)
                known |= stored_in(target)
        else:
            yield from _read(statement, known, local)


def _read(node: ast.AST, known: set[str], local: set[str]) -> Iterator[ast.Name]:
    """Variables without a value that are read below a node; `x += 1` reads x."""
    for item in nodes_of(node):
        if isinstance(item, ast.Name) and item.id in local and item.id not in known:
            if isinstance(item.ctx, ast.Load) or isinstance(node, ast.AugAssign):
                yield item
