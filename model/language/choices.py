"""Choices: the values of a setting or of a variable that have names.

    class Admission(Choice):
        '''What a follower must have reached to join the ISR.'''
        HIGH_WATERMARK = "everything below the leader's high watermark"
        TERM_START = "also all that the leader's log had when its term began"

    admission = choice(Admission)                                       # in the settings
    admitted_by = one_of(Admission, "how it joined")                    # in the state
    if s.config.admission is Admission.TERM_START and end < me.term_start: ...

A member is a number to compiled code, counted from 0 in the order of the class, and costs nothing there. People read and write
its `text`, `term-start`; where that is not the member's name in small letters, it stands behind what the member says.
"""

import ast
from collections.abc import Callable, Container, Iterable, Mapping
from enum import IntEnum
from typing import Any, Self

from .errors import hint
from .reading.trees import copied


class Choice(IntEnum):
    """Base of every choice; a member is written with what it says."""

    says: str
    _text: str

    def __new__(cls, says: str, text: str = "") -> Self:
        """The next member."""
        number = len(cls.__members__)
        member = int.__new__(cls, number)
        member._value_, member.says, member._text = number, says, text
        return member

    __repr__ = int.__repr__  # as in digests and in text that is compiled

    @property
    def text(self) -> str:
        """What people read and write."""
        return self._text or self.name.lower().replace("_", "-")


def as_value(declaration: Any) -> Any:
    """A declaration where the type checker sees what it stands for, so that a misspelt field or setting is found."""
    return declaration


def texts_of(members: Iterable[Choice]) -> tuple[str, ...]:
    """What people read and write for each member, in order."""
    return tuple(member.text for member in members)


def doc_of(choice: type[Choice]) -> str:
    """What is chosen: the docstring, as it stands in a list of settings."""
    text = " ".join((choice.__doc__ or "").split()).rstrip(".")
    return text[:1].lower() + text[1:] if text[1:2] in (" ", text[1:2].lower()) else text


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
