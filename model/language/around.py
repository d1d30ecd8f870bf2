"""What is put around a model's own functions where it asks for it: a constraint, and rollback.

A function that is made here has a text, which every engine reads (`tree`), and does the same in Python; `written` is the one that
stands in the file.
"""

import inspect
from collections.abc import Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any

from .errors import UsageError
from .reading import parsed
from .steps import Action, Function, Rule

OUTSIDE = "outside_constraint"
"""The action that is enabled in the states outside a constraint, and changes nothing: it counts them."""


def within(name: str, constraint: Function, actions: Sequence[Action], properties: Sequence[Any]) -> dict[str, Any]:
    """Actions and properties of a model with a constraint: a state outside it is kept and checked, and no step leaves it.

    Of properties of steps and of progress nothing is asked there: what would follow is not known.
    """
    if not isinstance(constraint, FunctionType) or len(inspect.signature(constraint).parameters) != 1:
        raise UsageError(f"the constraint of the model {name} is a function of the state alone, such as short(s)")
    known = [action for action in actions if action.name != OUTSIDE]
    if any(isinstance(action.function, Rule) for action in known):
        raise UsageError(f"a constraint is for models whose actions are functions; of {name} some are rules")
    kept, checked = [replace(action, function=guarded(action.function, constraint, False)) for action in known], []
    for claim in properties:
        if claim.over_steps or claim.of_progress:
            claim = replace(claim, function=guarded(claim.function, constraint, claim.kind != "sometimes"))
        checked.append(claim)
    return {"actions": (*kept, outside_of(constraint)), "properties": tuple(checked)}


def guarded(function: Any, constraint: FunctionType, answer: bool) -> Any:
    """The function, with this answer outside of the constraint."""
    if getattr(function, "guarded_by", None) is constraint:
        return function
    def run(s: Any, *arguments: Any) -> Any:
        return function(s, *arguments) if constraint(s) else answer

    made = standing_for(function, parsed.guarded(function, constraint, answer), run)
    made.guarded_by = constraint
    return made


def outside_of(constraint: FunctionType) -> Action:
    """The action of the states outside."""
    said = "The state is outside the constraint: it is checked, and nothing follows it."
    text = f'def {OUTSIDE}(s):\n    """{said}"""\n    return not within(s)'
    tree = parsed.meaning(text, constraint.__code__.co_firstlineno, within=constraint)

    def outside_constraint(s: Any) -> Any:
        return not constraint(s)

    outside_constraint.__doc__ = said
    made = standing_for(outside_constraint, tree, outside_constraint, constraint)
    return Action(OUTSIDE, made, (), ())


def rolling_back(function: Any) -> Any:
    """The action, which leaves the state as it was where it refuses after it has written."""
    if getattr(function, "rolls_back", False):
        return function

    def run(s: Any, *arguments: Any) -> Any:
        before = s.copy()
        taken = function(s, *arguments)
        if not taken:
            s.__dict__.update(before.__dict__)
        return taken

    made = standing_for(function, parsed.parse(function)[0], run)
    made.rolls_back = True
    return made


def standing_for(function: Any, tree: Any, run: Any, like: Any = None) -> Any:
    """A function with this text, that runs so in Python: in the module of another, at its place in the file."""
    like = like or function
    place = {"co_filename": like.__code__.co_filename, "co_firstlineno": like.__code__.co_firstlineno}
    code = run.__code__.replace(co_name=function.__name__, **place)
    made: Any = FunctionType(code, like.__globals__, function.__name__, None, run.__closure__)
    made.__doc__, made.__module__ = function.__doc__, like.__module__
    made.__signature__ = inspect.signature(function)
    made.tree, made.file, made.written = tree, like.__code__.co_filename, like if function is run else written(function)
    made.origin = made.written if function is not run else None
    made.guarded_by, made.rolls_back = getattr(function, "guarded_by", None), getattr(function, "rolls_back", False)
    return made


def written(function: Any) -> Any:
    """The function as it stands in the file."""
    return getattr(function, "written", function)
