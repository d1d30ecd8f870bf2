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

from collections.abc import Iterable
from enum import IntEnum
from typing import Any, Self


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
