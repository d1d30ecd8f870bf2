"""Where a model or a property failed: compiled code only reports the failure, so the plain model runs in the same state."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from traceback import walk_tb
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import ModelError, short
from ...model.language.kinds import walk
from ...model.language.reading.arithmetic import HELPERS
from ...model.language.reading.program import OWN, interpreted
from ...model.language.reading.step_checks import OUTSIDE_TABLE, said_in_text, validate_normal_form, validate_step
from ...properties.plugins import models_with
from ...properties.property import Property
from ...traces.replay import shows
from .compiled import Compiled
from .generate import checked_program

FAILURES = (IndexError, ArithmeticError, ValueError)
"""What the language of models can raise: an index, a division by zero, a shift."""


@contextmanager
def located(compiled: Compiled, properties: Iterable[Property], rows: Callable[[], Iterable[Any]]) -> Iterator[None]:
    """ModelError with file and line when the model fails within the block; `rows` gives the states that were looked at.

    What the plain model does not confirm stays what it is: a defect of the engine.
    """
    try:
        yield
    except FAILURES as error:
        chosen, model, layout, config = list(properties), compiled.model, compiled.layout, compiled.config
        said = ""
        if f'"{error}"' in HELPERS:  # plain Python holds any number: it confirms no overflow, and the checked text does
            said = said_in_checked(model, chosen, [layout.read(row, config) for row in rows()])
        if OUTSIDE_TABLE in said:  # an index below 0 is none, where Python counts from the end
            raise ModelError(said) from None
        for row in sorted(rows(), key=lambda row: not row[: layout.state_words].any()):  # those never used hold zeros
            state = layout.read(row, config)
            if all(kind.legal(value, config) for _, kind, value in walk(model.state, state)):
                look(model, state, chosen)
        if f'"{error}"' in HELPERS:
            raise ModelError(said or sentence(error, model.plugins)) from None
        if place(error, model.plugins):
            raise ModelError(sentence(error, model.plugins)) from None
        raise


def said_in_checked(model: Model, properties: Sequence[Property], states: Iterable[Any]) -> str:
    """What is wrong, and where, when the text that is compiled, with its checks, fails in Python in one of these states."""
    asked = [(item, function) for item in properties for function in item.functions]
    whole = checked_program(model, (*(function for _, function in asked), *([model.normal_form] if model.normal_form else ())))
    names = interpreted(whole, whole.functions)
    for state in states:
        try:
            for action in model.actions:
                for arguments in action.instances(state.config):
                    names[whole.name_of(action.function)](state.copy(), *arguments)
            for claim, function in asked:
                for binding in claim.bindings(state.config):
                    names[whole.name_of(function)](*[state] * (1 + claim.over_steps), *binding)
        except FAILURES as error:
            return said_in_text(error)
    return ""


@contextmanager
def located_in_states(claim: Property, model: Model, states: Callable[[], Iterable[Sequence[Any]]]) -> Iterator[None]:
    """ModelError with file and line when a function of a property fails within the block; `states`: those it was asked of."""
    try:
        yield
    except FAILURES as failed:
        try:
            for some in states():
                for function, binding in product(claim.functions, claim.bindings(some[0].config)):
                    function(*some, *binding)
        except FAILURES as error:
            raise ModelError(sentence(error, model.plugins)) from None
        said = said_in_checked(model, [claim], [some[0] for some in states()]) if f'"{failed}"' in HELPERS else ""
        if said:
            raise ModelError(said) from None
        raise


def look(model: Model, state: Any, properties: list[Property]) -> None:
    """Do in the plain model all that an engine does in a state; ModelError when something fails."""
    try:
        for claim in properties:
            if not claim.over_steps:
                shows(claim, None, state)
        for action in model.actions:
            for arguments in action.instances(state.config):
                after = state.copy()
                taken = action.version(state.config)(after, *arguments)
                validate_step(action, arguments, state, after, taken)
                for claim in properties if taken else ():
                    if claim.over_steps:
                        shows(claim, state, after)
                if taken and model.normal_form is not None:
                    model.normal_form(after)
                if taken:
                    validate_normal_form(action, arguments, state, after)
    except FAILURES as error:
        raise ModelError(sentence(error, model.plugins)) from None


def sentence(error: BaseException, plugins: Iterable[str]) -> str:
    """What an exception of a model says, with the place; without one when no code of a model or of the plugins raised it."""
    said = str(error).strip().splitlines()
    what = said[0][:500] if said else type(error).__name__
    where = place(error, plugins)
    return f"{what} ({where})" if where else what


def place(error: BaseException, plugins: Iterable[str]) -> str:
    """`my_plugin.py:12 in my_property`, where a model, a property or a plugin raised an exception; else empty.

    The innermost frame decides, apart from those of the language, which checks on the model's behalf.
    """
    for frame, line in reversed(list(walk_tb(error.__traceback__))):
        module = str(frame.f_globals.get("__name__", ""))
        if module.startswith(f"{OWN}.model.language"):
            continue
        ours = module.startswith((f"{OWN}.model.", f"{OWN}.properties.")) and module != models_with.__module__
        if ours or module.partition(".")[0] in {name.partition(":")[0].partition(".")[0] for name in plugins}:
            return f"{short(frame.f_code.co_filename)}:{line} in {frame.f_code.co_name}"
        return ""
    return ""
