"""The syntax tree of a function, read from its file or made from another, and a function made from a tree."""

import ast
import inspect
from collections.abc import Mapping
from functools import cache, lru_cache
from types import FunctionType
from typing import Any

from ..errors import LanguageError
from ..unchanged import has, is_changed
from .trees import copied, function_in, nodes_of


def parse(function: Any) -> tuple[ast.FunctionDef, str]:
    """The syntax tree of a function, with its file's line numbers, and the file."""
    found, file = _as_first_read(function)
    tree: ast.FunctionDef = copied(found)
    tree.returns = None
    for argument in tree.args.args:
        argument.annotation = None
    return tree, file


@cache
def _as_first_read(function: Any) -> tuple[ast.FunctionDef, str]:
    """The tree in the function's file, not to be changed, and the file. What is edited later is not explored."""
    if hasattr(function, "tree"):
        return function.tree, function.file  # made from another (`desugared`)
    try:
        file, whole = inspect.getsourcefile(function) or "?", "".join(inspect.findsource(function)[0])
        code = function.__code__
        found = _functions_in(whole).get(code.co_firstlineno)
    except (OSError, TypeError, AttributeError, SyntaxError):
        raise LanguageError(f"the source of {getattr(function, '__name__', function)!r:.60} cannot be read") from None
    if found is None or found.name != code.co_name:  # such as a lambda within a call
        raise LanguageError(f"{file}:{code.co_firstlineno}: {function.__name__} is not a plain function of a module")
    if is_changed(file) and not has(whole, code):
        raise LanguageError(f"{file}:{code.co_firstlineno}: {function.__name__} was changed after it was imported; begin again")
    return found, file


@lru_cache(maxsize=512)
def _functions_in(text: str) -> dict[int, ast.FunctionDef]:
    """The functions of a file, by the line where each begins."""
    found = [node for node in nodes_of(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    return {min([node.lineno, *(above.lineno for above in node.decorator_list)]): node for node in found}


def function_from(tree: ast.FunctionDef, meanings: Mapping[str, Any], file: str, origin: Any = None) -> FunctionType:
    """A function with this tree, in the module with these names; `origin`: the one that is written in the file."""
    code = compile(ast.Module([copied(tree)], []), file, "exec").co_consts[0]
    function = FunctionType(code, meanings, tree.name)  # type: ignore[arg-type]
    function.tree, function.file, function.origin = tree, file, origin  # type: ignore[attr-defined]
    return function


def bare(tree: ast.FunctionDef) -> str:
    """A function as Python, without its docstring."""
    body = tree.body[1:] if ast.get_docstring(tree) else tree.body
    return ast.unparse(ast.fix_missing_locations(ast.FunctionDef(tree.name, tree.args, body or [ast.Pass()], [])))


def meaning(text: str, line: int, **functions: Any) -> ast.FunctionDef:
    """The function of a text, at a line of a file, in which these names mean functions, wherever it is."""
    tree = function_in(text, line)
    for node in nodes_of(tree):
        if isinstance(node, ast.Name) and node.id in functions:
            node.member = functions[node.id]  # type: ignore[attr-defined]
            node.id = node.member.__name__  # type: ignore[attr-defined]
    return tree


def guarded(function: Any, condition: Any, answer: bool) -> ast.FunctionDef:
    """The tree of a function, with this answer where the condition does not hold of its state."""
    tree, _ = parse(function)
    text = f"def guarded():\n    if not condition({tree.args.args[0].arg}): return {answer}"
    guard: Any = meaning(text, tree.lineno - 1, condition=condition).body[0]
    guard.of_constraint = True  # no rule of the model: no mutant leaves it out
    tree.body.insert(1 if ast.get_docstring(tree, False) is not None else 0, guard)
    tree.reshaped = True  # type: ignore[attr-defined]
    return tree
