"""Why a plain function answers as it does: its false returns, followed to the last comparison.

A property that is violated is called once more with the values that violate it. Every function that it calls is noted with
its return, and every variable of the state that is read. Then the expression that decided is found in the source: in
`return a or b` it is `b`, in `if not f(s): return False` it is what made `f` return false. It works for any property, including
a user's own, without annotations.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

from ..model.language.around import written
from ..model.language.kinds import Kind, Many, Record
from ..model.language.reading.deciding import Call, Path, deciding, read_again, values_in
from ..model.language.rows import Row


@dataclass(frozen=True)
class Place:
    """A return that was followed: the function, its file and line, and the expression that decided."""

    function: str
    module: str
    file: str
    line: int
    text: str


@dataclass(frozen=True)
class Evidence:
    """`places`: from the property down to the last comparison; `answer`: the value of the deciding expression.

    `read`: the variables that decided; `met`: those that were read on the way; `operands`: what the last comparison compares,
    as it stands in the source, with the values.
    """

    places: tuple[Place, ...]
    answer: bool
    read: dict[Path, int]
    met: dict[Path, int]
    operands: dict[str, int]


class Notes:
    """What is read, by the call that reads it; `loose` is what is read outside of any."""

    def __init__(self) -> None:
        self.stack: list[Call] = []
        self.loose: dict[Path, int] = {}

    def note(self, at: Path, value: int) -> None:
        """A variable is read."""
        (self.stack[-1].read if self.stack else self.loose)[at] = value


class Observed:
    """A record or an array that is compared as it is."""

    def __init__(self, whole: Any, at: Path, notes: Notes) -> None:
        self._whole, self._at, self._notes = whole, at, notes

    def __eq__(self, other: object) -> bool:
        return bool(self._whole == unseen(other))

    def __lt__(self, other: Any) -> bool:
        return bool(self._whole < unseen(other))

    def __le__(self, other: Any) -> bool:
        return bool(self._whole <= unseen(other))

    def __len__(self) -> int:
        return len(self._whole)

    __hash__ = None  # type: ignore[assignment]  # like the record


class ObservedRecord(Observed):
    """A record that notes which of its variables are read."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._whole, name)
        if name not in self._whole.fields:
            return value  # the configuration
        number, path = self._at
        return seen(value, (number, f"{path}.{name}" if path else name), self._notes)

    def __contains__(self, value: Any) -> bool:
        return unseen(value) in self._whole


class ObservedRow(Observed):
    """An array that notes which of its elements are read."""

    def __getitem__(self, index: int) -> Any:
        number, path = self._at
        return seen(self._whole[index], (number, f"{path}[{index}]"), self._notes)


def unseen(value: Any) -> Any:
    """The record or array itself."""
    return value._whole if isinstance(value, Observed) else value


def seen(value: Any, at: Path, notes: Notes) -> Any:
    """A value of a state so that reads of it are noted."""
    if isinstance(value, Record):
        return ObservedRecord(value, at, notes)
    if isinstance(value, Row):
        return ObservedRow(value, at, notes)
    notes.note(at, value)
    return value


def gather(function: Callable[..., Any], states: Sequence[Any], binding: Sequence[int]) -> Evidence:
    """Call `function` and follow its answer, true or false, to what decided it; what a followed call was given counts as read."""
    function, notes = written(function), Notes()
    call = recorded(function, [*(seen(state, (number, ""), notes) for number, state in enumerate(states)), *binding], notes)
    places: list[Place] = []
    met: dict[Path, int] = {}
    given: list[tuple[Any, Call]] = []
    witnesses: dict[str, int] = {}
    while True:
        met.update(call.read)
        decided = deciding(call, bool(call.value))
        given += [(operand, call) for operand in decided.also]
        witnesses.update(call.witness)
        places.append(Place(call.code.co_name, call.module, call.code.co_filename, call.line, decided.text))
        if decided.inner is None:
            break
        given += [(argument, call) for argument in decided.arguments]
        call = decided.inner
    notes.loose.clear()
    for argument, caller in given:
        read_again(argument, caller)
    operands = {**witnesses, **values_in(decided.node, call)}
    return Evidence(tuple(places), decided.value, dict(notes.loose), met, operands)


def recorded(function: Callable[..., Any], arguments: Sequence[Any], notes: Notes) -> Call:
    """The call of `function`, with all calls below it."""
    top: list[Call] = []

    def local(frame: FrameType, event: str, value: Any) -> Any:
        if event == "return":
            call = notes.stack.pop()
            call.line, call.value, call.locals = frame.f_lineno, value, dict(frame.f_locals)
        return local

    def watch(frame: FrameType, event: str, value: Any) -> Any:
        module = frame.f_globals.get("__name__", "")
        if frame.f_code.co_filename == __file__ or module == Record.__module__:
            return None
        call = Call(frame.f_code, module, frame.f_globals)
        (notes.stack[-1].calls if notes.stack else top).append(call)
        notes.stack.append(call)
        frame.f_trace_lines = False
        return local

    previous = sys.gettrace()
    sys.settrace(watch)
    try:
        function(*arguments)
    finally:
        sys.settrace(previous)
    return next(call for call in top if call.code is function.__code__)  # a collection of garbage may have called something too


def value_at(state: Any, path: str) -> Any:
    """The value of the variable at a path of a plain state."""
    value = state
    for name in path.replace("]", "").replace("[", ".").split("."):
        value = value[int(name)] if name.isdigit() else getattr(value, name)
    return value


def kind_at(kind: Any, path: str) -> Kind:
    """The kind of the variable at a path; `kind` is the class of the state."""
    for name in path.replace("]", "").replace("[", ".").split("."):
        kind = kind.element if isinstance(kind, Many) else kind.fields[name]
    assert isinstance(kind, Kind)
    return kind
