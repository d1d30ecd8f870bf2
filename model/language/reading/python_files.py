"""What else is read in the text of files and functions: for people who look for something, and of plugins."""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from .parsed import parse
from .trees import names_in, nodes_of


class Written(NamedTuple):
    """A function of a file: its line, its docstring, and the names and fields in it."""

    name: str
    line: int
    docstring: str
    names: list[str]


def functions_written(text: str) -> Iterator[Written]:
    """The functions of a module."""
    for tree in ast.parse(text).body:
        if isinstance(tree, ast.FunctionDef):
            nodes = nodes_of(tree)
            names = [node.id for node in nodes if isinstance(node, ast.Name)]
            names += [node.attr for node in nodes if isinstance(node, ast.Attribute)]
            yield Written(tree.name, tree.lineno, ast.get_docstring(tree) or "", names)


def imported_in(text: bytes) -> set[str]:
    """The packages that a module imports by their full names."""
    nodes = nodes_of(ast.parse(text))
    plain = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    named = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    return {name.partition(".")[0] for name in (*plain, *named)}


def line_of_call(text: bytes, function: str, value: str) -> int | None:
    """The line of the first call of a function of about this name with this text in it."""
    calls = [node for node in nodes_of(ast.parse(text)) if isinstance(node, ast.Call) and function in ast.unparse(node.func)]
    found = (c.lineno for c in calls if any(isinstance(n, ast.Constant) and n.value == value for n in nodes_of(c)))
    return next(found, None)


def names_in_text(text: str) -> set[str]:
    """The names in an expression."""
    return names_in(ast.parse(text))


@cache
def guard_texts(function: Any) -> dict[int, str]:
    """The guards of an action as they stand in the source, by the line of their return."""
    choices = [node for node in nodes_of(parse(function)[0]) if isinstance(node, ast.If)]
    returns = [(node, statement) for node in choices for statement in node.body if isinstance(statement, ast.Return)]
    return {statement.lineno: ast.unparse(node.test) for node, statement in returns}


def without_docstring(function: Any) -> tuple[str, int, str]:
    """The file of a function, its line, and its text without the docstring."""
    tree, file = parse(function)
    lines, first = inspect.getsourcelines(function)
    heading = lines[: tree.body[0].lineno - first] if ast.get_docstring(tree) else []
    body = lines[(tree.body[0].end_lineno or first) - first + 1 :] if heading else lines
    return file, first, textwrap.dedent("".join([*heading, *body])).rstrip()
