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
    """Whether a function never goes on behind these statements."""
    return any(
        isinstance(one, (ast.Return, ast.Continue)) or (isinstance(one, ast.If) and ends(one.body) and ends(one.orelse))
        for one in body
    )


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
    for one in body:
        if isinstance(one, ast.If):
            yield from _read(one.test, known, local)
            then, otherwise = set(known), set(known)
            yield from _through(one.body, then, local)
            yield from _through(one.orelse, otherwise, local)
            known |= (otherwise if ends(one.body) else then if ends(one.orelse) else then & otherwise)
        elif isinstance(one, ast.For):
            yield from _read(one.iter, known, local)
            yield from _through(one.body, known | stored_in(one.target), local)
        elif isinstance(one, ast.While):
            yield from _read(one.test, known, local)
            yield from _through(one.body, set(known), local)
        elif isinstance(one, ast.Assign):
            yield from _read(one.value, known, local)
            for target in one.targets:
                yield from _read(target, known, local)
                known |= stored_in(target)
        else:
            yield from _read(one, known, local)


def _read(node: ast.AST, known: set[str], local: set[str]) -> Iterator[ast.Name]:
    """Variables without a value that are read below a node; `x += 1` reads x."""
    for one in nodes_of(node):
        if isinstance(one, ast.Name) and one.id in local and one.id not in known:
            if isinstance(one.ctx, ast.Load) or isinstance(node, ast.AugAssign):
                yield one
