"""Demands on actions that are not Highwater's own: variables stay in their ranges, and an action that refuses writes nothing.

Engines that compile look at both themselves (`explorer/compiling/ranges.py`). The plain model runs such an action through
`checked_step`, so that a graph, a replayed trace or a walk by hand does not show what a search refuses.
"""

import linecache
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from traceback import extract_tb, walk_tb
from types import FrameType
from typing import Any

from ..errors import ModelError, short
from ..kinds import NO_MEMBER, Member, walk
from .plugin_checks import GENERATED, SUFFIX, with_plugin_checks
from .program import Program, interpreted, program

OF_TABLE = "__table"
"""What the name of a function that looks a number up has behind that of the function that calls it (`desugared`)."""

OUTSIDE_TABLE = " is outside the table: the index is "

LANGUAGE = __package__.rpartition(".")[0] + "."
"""How the names of the language's own modules begin."""


def plugin_actions_in(actions: Sequence[Any], whole: Program) -> frozenset[str]:
    """The names in the program of the actions that a function from a plugin takes part in."""
    return whole.callers_of(whole.plugin_code).intersection(whole.name_of(action.function) for action in actions)


def has_plugin_step(model: Any, whole: Program) -> bool:
    """Whether a function from a plugin takes part in a step of the model: in an action, or as the normal form."""
    normal = model.normal_form is not None and whole.name_of(model.normal_form) in whole.plugin_code
    return normal or bool(plugin_actions_in(model.actions, whole))


def plugin_actions(actions: Sequence[Any], settings: Any) -> frozenset[str]:
    """The actions that a function from a plugin takes part in, of a model with these settings."""
    whole = program([action.function for action in actions], settings=settings)
    found = plugin_actions_in(actions, whole)
    return frozenset(action.name for action in actions if whole.name_of(action.function) in found)


def texts_of(model: Any) -> Mapping[str, Callable[..., Any]]:
    """For each action of a model its text as it is compiled, with checks, in Python."""
    whole = program([action.function for action in model.actions], settings=model.config)
    names = {action.name: whole.name_of(action.function) for action in model.actions}
    found = interpreted(with_plugin_checks(whole, names.values(), model.state, model.config), names.values())
    return {action: found[name] for action, name in names.items()}


def checked_step(action: Any, step: Callable[..., Any], text: Callable[..., Any]) -> Callable[..., Any]:
    """The function of an action, which raises ModelError where it does not do as demanded, or where its `text` fails."""

    @wraps(step)
    def taken(state: Any, *arguments: int) -> Any:
        before = state.copy()
        answer = step(state, *arguments)
        validate_step(action, arguments, before, state, answer)
        try:
            text(before.copy(), *arguments)
        except (ArithmeticError, ValueError) as error:  # a number that only Python holds
            raise ModelError(f"{action.label(arguments)} fails: {said_in_text(error)}") from None
        return answer

    return taken


def said_in_text(error: Exception) -> str:
    """What is wrong, and `(my_model.py:12 in my_action)`, where the text that is compiled failed, as Python ran it."""
    calls = zip(walk_tb(error.__traceback__), extract_tb(error.__traceback__), strict=True)
    found = [(frame, call) for (frame, _), call in calls if frame.f_globals.get("__name__") == ""]  # not of this package
    said, found = str(error), [(frame, call) for frame, call in found if call.filename != GENERATED]
    if len(found) > 1 and OF_TABLE in found[-1][1].name:
        frame, call = found.pop()
        indices = ", ".join(str(value) for name, value in frame.f_locals.items() if name.startswith("at"))
        place = linecache.getline(call.filename, call.lineno or 0).encode()[call.colno or 0 : call.end_colno].decode()
        said = f"{place}{OUTSIDE_TABLE}{indices}"
    at = f" ({short(found[-1][1].filename)}:{found[-1][1].lineno} in {found[-1][1].name.partition(SUFFIX)[0]})" if found else ""
    return said + at


def validate_step(action: Any, arguments: Sequence[int], before: Any, after: Any, taken: Any) -> None:
    """ModelError when an action left a variable outside its range, or refused after it had written."""
    refused = "" if taken or after == before else "refuses after it has written to the state; guards come first"
    blame(action, arguments, before, out_of_range(after, "sets") if taken else refused)


def validate_normal_form(action: Any, arguments: Sequence[int], before: Any, after: Any) -> None:
    """ModelError when a variable is outside the range for which a key has room, in the normal form of a step's end."""
    blame(action, arguments, before, out_of_range(after, "in the normal form leaves", normal=True))


def out_of_range(state: Any, how: str, normal: bool = False) -> str:
    """`sets x to 7, outside 0 to 3`, of the first variable outside its range, or that of the normal form; else empty."""
    for path, kind, value in walk(type(state), state):
        low, high = kind.normal_span(state.config) if normal else kind.span(state.config)
        of_members = isinstance(kind, Member)
        if not kind.legal(value, state.config) or (value > high and not of_members):
            wrong = f"{how} {path} {'at' if normal else 'to'} {value}, outside {max(low, 0) if of_members else low} to {high}"
            return wrong + (f" and NO_MEMBER ({NO_MEMBER})" if of_members else "")
    return ""


def blame(action: Any, arguments: Sequence[int], before: Any, wrong: str) -> None:
    """ModelError, with the place of an action, when something is wrong."""
    if wrong:
        code = action.version(before.config).__code__
        file, line = line_that_leaves(action, arguments, before) or (code.co_filename, code.co_firstlineno)
        raise ModelError(f"{action.label(arguments)} {wrong} ({short(file)}:{line} in {code.co_name})")


def line_that_leaves(action: Any, arguments: Sequence[int], before: Any) -> tuple[str, int] | None:
    """The file and the line after which a variable is outside its range, as the action runs once more; None where none is."""
    state, lines, found = before.copy(), [("", 0)], list[tuple[str, int]]()

    def within(frame: FrameType, event: str, argument: Any) -> Any:
        if not found and out_of_range(state, "sets"):
            found.append(lines[-1])
        lines.append((frame.f_code.co_filename, frame.f_lineno))
        return within

    def watch(frame: FrameType, event: str, argument: Any) -> Any:
        return None if str(frame.f_globals.get("__name__")).startswith(LANGUAGE) else within

    previous = sys.gettrace()
    sys.settrace(watch)
    try:
        action.version(before.config)(state, *arguments)
    finally:
        sys.settrace(previous)
    return found[0] if found else None
