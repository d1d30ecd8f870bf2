"""Members of choices in a function: they become names of constants, and are read again as they are written."""

import ast
from collections.abc import Callable, Container, Mapping
from typing import Any

from ..choices import Choice
from ..errors import hint
from .trees import copied


def with_numbers(
    tree: ast.FunctionDef, meanings: Mapping[str, Any], local: Container[str], refuse: Callable[[ast.AST, str], None]
) -> ast.FunctionDef:
    """The function in which members are names of constants, and `is` a member means equal to its number.

    `meanings`: of the names in its module; `local`: the names that mean something else in it. A name keeps its `member`, and how
    it is `written`.
    """
    return _Numbers(meanings, local, refuse).visit(tree)


class _Numbers(ast.NodeTransformer):
    def __init__(self, meanings: Mapping[str, Any], local: Container[str], refuse: Callable[[ast.AST, str], None]) -> None:
        self.meanings, self.local, self.refuse = meanings, local, refuse

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        if not isinstance(node.value, ast.Name):
            self.generic_visit(node)
            return node
        meaning = None if node.value.id in self.local else self.meanings.get(node.value.id)
        if not (isinstance(meaning, type) and issubclass(meaning, Choice)):
            return node
        if node.attr not in meaning.__members__:
            self.refuse(node, f"{node.value.id}.{node.attr}, which is not there ({hint(node.attr, meaning.__members__)}),")
        name = ast.copy_location(ast.Name(f"{node.value.id}_{node.attr}", ast.Load()), node)
        name.written, name.member = node, int(meaning[node.attr])  # type: ignore[attr-defined]
        return name

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        for at, (op, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
            if isinstance(op, (ast.Is, ast.IsNot)):
                if not (hasattr(right, "member") or hasattr(node.left, "member")):
                    self.refuse(node, "`is` with something other than a member of a Choice, where == compares,")
                node.ops[at] = ast.Eq() if isinstance(op, ast.Is) else ast.NotEq()
                node.written = "is" if isinstance(op, ast.Is) else "is not"  # type: ignore[attr-defined]
        return node


def as_written(node: Any) -> Any:
    """A copy of a tree in which names that a program changed are as they stand in the files, and so are members."""
    return _Written().visit(copied(node))


class _Written(ast.NodeTransformer):
    """Puts back what is written in the files, where it was not decided."""

    def visit(self, node: ast.AST) -> Any:
        """What is written in the place of a node, if that is known."""
        written = getattr(node, "written", None)
        return written if isinstance(written, ast.AST) else super().visit(node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        word = getattr(node, "written", "")
        if word:
            node.ops = [ast.Is() if word == "is" else ast.IsNot()]
        return node
