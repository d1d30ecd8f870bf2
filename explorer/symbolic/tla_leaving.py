"""Where some ways through an `if` leave a function and others go on, as statements whose ways all meet again (`tla_writer`).

Written out, each such `if` would double what follows it. Here a variable says whether the function is left, and with what.
"""

import ast
from collections.abc import Sequence
from typing import Any

from ...model.language.desugared_statements import assign
from ...model.language.trees import nodes_of
from ...model.language.values import ends


def goes_on(node: ast.stmt) -> bool:
    """Whether both ways of an `if` may go on behind it."""
    return isinstance(node, ast.If) and not ends(node.body) and not ends(node.orelse)


class Leaving:
    """One `if` in which a function may be left."""

    def __init__(self, writer: Any, frame: Any) -> None:
        self.writer, self.frame = writer, frame
        self.left, self.answer = writer.fresh("left"), writer.fresh("answer")

    def before(self) -> list[ast.stmt]:
        """Nothing has happened yet."""
        return [assign(self.left, ast.Constant(0)), assign(self.answer, ast.Constant(0))]

    def after(self) -> ast.stmt:
        """What was answered is answered."""
        return ast.If(ast.Name(self.left, ast.Load()), [ast.Return(ast.Name(self.answer, ast.Load()))], [])

    def within(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements, with a note in place of each return, and what follows one only where it was not met."""
        out: list[ast.stmt] = []
        for place, one in enumerate(statements):
            if not any(isinstance(node, ast.Return) for node in nodes_of(one)):
                out.append(one)
                continue
            if isinstance(one, ast.For):
                return [*out, *self.within([*self.writer.rounds(one, self.frame), *statements[place + 1 :]])]
            if isinstance(one, ast.Return):
                return [*out, assign(self.answer, one.value or ast.Constant(0)), assign(self.left, ast.Constant(1))]
            assert isinstance(one, ast.If)
            out.append(ast.If(one.test, self.within(one.body), self.within(one.orelse)))
            if rest := self.within(statements[place + 1 :]):
                out.append(ast.If(ast.UnaryOp(ast.Not(), ast.Name(self.left, ast.Load())), rest, []))
            return out
        return out
