"""Syntax trees, node by node, and the names in them; and what is reached along calls."""

import ast
from collections.abc import Callable, Iterable
from typing import TypeVar

Node = TypeVar("Node")


def nodes_of(tree: ast.AST) -> list[ast.AST]:
    """The node and all below it, in the order of `ast.walk`, in a quarter of its time."""
    found = [tree]
    for node in found:
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, ast.AST):
                found.append(value)
            elif isinstance(value, list):
                found += [one for one in value if isinstance(one, ast.AST)]
    return found


def names_in(tree: ast.AST) -> set[str]:
    """The names in a tree, of whatever."""
    return {one.id for one in nodes_of(tree) if isinstance(one, ast.Name)}


def stored_in(tree: ast.AST) -> set[str]:
    """The names that get a value."""
    return {one.id for one in nodes_of(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def is_guard(statement: ast.stmt, answer: bool) -> bool:
    """`if ...: return <answer>`, and nothing else."""
    if not isinstance(statement, ast.If) or statement.orelse or len(statement.body) != 1:
        return False
    only = statement.body[0]
    return isinstance(only, ast.Return) and isinstance(only.value, ast.Constant) and only.value.value is answer


def reached(roots: Iterable[Node], below: Callable[[Node], Iterable[Node] | None]) -> dict[Node, None]:
    """These and all below them, as they are met. `below`: what is directly below one; None where one is not counted."""
    found: dict[Node, None] = {}
    todo = list(roots)
    while todo:
        one = todo.pop()
        more = None if one in found else below(one)
        if more is not None:
            found[one] = None
            todo += more
    return found
