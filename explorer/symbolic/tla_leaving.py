"""Where some ways through an `if` leave a function and others go on, as statements whose ways all meet again (`tla_writer`).

Written out, each such `if` would double what follows it. Here a variable says whether the function is left, and with what.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...model.language.reading.typed_tree import Assign, If, Loop, Name, Not, Number, Return, Statement, having


def ends(body: Sequence[Statement]) -> bool:
    """Whether a function never goes on behind these statements."""
    return any(isinstance(s, Return) or (isinstance(s, If) and ends(s.body) and ends(s.otherwise)) for s in body)


def goes_on(node: Statement) -> bool:
    """Whether both ways of an `if` may go on behind it."""
    return isinstance(node, If) and not ends(node.body) and not ends(node.otherwise)


class Leaving:
    """One `if` in which a function may be left."""

    def __init__(self, writer: Any, frame: Any) -> None:
        self.writer, self.frame = writer, frame
        self.left, self.answer = Name(writer.fresh("left")), Name(writer.fresh("answer"))

    def before(self) -> list[Statement]:
        """Nothing has happened yet."""
        return [Assign(self.left, Number(0)), Assign(self.answer, Number(0))]

    def after(self) -> Statement:
        """What was answered is answered."""
        return If(self.left, (Return(self.answer),))

    def within(self, statements: Sequence[Statement]) -> list[Statement]:
        """The statements, with a note in place of each return, and what follows one only where it was not met."""
        out: list[Statement] = []
        for place, statement in enumerate(statements):
            if not having(Return, statement):
                out.append(statement)
                continue
            if isinstance(statement, Loop):
                return [*out, *self.within([*self.writer.rounds(statement, self.frame), *statements[place + 1 :]])]
            if isinstance(statement, Return):
                return [*out, Assign(self.answer, statement.value or Number(0)), Assign(self.left, Number(1))]
            assert isinstance(statement, If)
            body, otherwise = tuple(self.within(statement.body)), tuple(self.within(statement.otherwise))
            out.append(replace(statement, body=body, otherwise=otherwise))
            if rest := self.within(statements[place + 1 :]):
                out.append(If(Not(self.left), tuple(rest)))
            return out
        return out
