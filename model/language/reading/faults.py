"""Which steps are faults: those declared so, and those that pay from a budget of faults.

A variable of the state that has the name of a budget counts what was paid from it, alone or in an array.
So one action can be both: a session that expires under a living broker is paid for, that of a dead one is not.
"""

import re
from functools import cache
from typing import Any

from ..actions import Model
from ..errors import UsageError
from ..kinds import leaves, walk
from ..settings import Settings, Watched
from ..steps import FAULT, Action
from .footprint import settings_in
from .program import program


@cache
def counters(model: Model, config: Settings) -> dict[str, int]:
    """The paths of the variables that count what was paid for faults, and their places among all variables."""
    budgets = {name for name, setting in config.settings.items() if setting.group == "fault"} - set(model.own_budgets)
    paths = [path for path, _, _ in walk(model.state, model.state(config))]
    return {path: place for place, path in enumerate(paths) if re.findall(r"[^\W\d]\w*", path)[-1] in budgets}


def validate_faults_counted(model: Model, config: Settings) -> None:
    """UsageError where a model has a budget of faults, and nothing says by which steps it is spent: each would be no fault.

    A variable of the budget's name says so, or that an action which reads the budget is declared a fault.
    """
    variables = {name for path, _, _ in walk(model.state, model.state(config)) for name in re.findall(r"[^\W\d]\w*", path)[-1:]}
    declared = set[str]().union(*(settings_read(model, config, action) for action in model.actions if action.fairness == FAULT))
    for name, setting in config.settings.items():
        if setting.group == "fault" and getattr(config, name) and name not in {*variables, *declared, *model.own_budgets}:
            raise UsageError(
                f"no variable of the model {model.name} has the name of the budget {name}, so no step is known to spend it; give"
                f" the variable that counts them this name, or name the actions that read it in faults=[...]"
            )


def settings_read(model: Model, config: Settings, action: Action) -> set[str]:
    """The settings that an action reads, itself or by what it calls; of a derived number those that it is made of."""
    whole, watched = program([action.function], settings=model.config), Watched(config)
    for name in settings_in(*whole.functions.values()):
        getattr(watched, name)
    return watched.read


def paid(model: Model, state: Any) -> int:
    """What has been paid for faults on the path to a plain state."""
    values = leaves(state)
    return sum(values[place] for place in counters(model, state.config).values())


def is_fault(model: Model, action: Action, before: Any, after: Any) -> bool:
    """Whether a step is a fault. One that gives back as much as it pays, or more, is none."""
    return action.fairness == FAULT or paid(model, after) > paid(model, before)
