"""Which steps are faults: those declared so, and those that pay from a budget of faults.

A variable of the state that has the name of a budget counts what was paid from it. So one action can be both: a session that
expires under a living broker is paid for, that of a dead one is not.
"""

from functools import cache
from typing import Any

from .actions import FAULT, Action, Model
from .kinds import walk
from .settings import Settings


@cache
def counters(model: Model, config: Settings) -> tuple[str, ...]:
    """The paths of the variables that count what was paid for faults."""
    budgets = {name for name, setting in config.settings.items() if setting.group == "fault"} - set(model.own_budgets)
    empty = model.state(config)
    return tuple(path for path, _, _ in walk(model.state, empty) if path.rsplit(".", 1)[-1] in budgets)


def paid(model: Model, state: Any) -> int:
    """What has been paid for faults on the path to a plain state."""
    total = 0
    for path in counters(model, state.config):
        value = state
        for name in path.split("."):
            value = getattr(value, name)
        total += value
    return total


def is_fault(model: Model, action: Action, before: Any, after: Any) -> bool:
    """Whether a step is a fault."""
    return action.demand == FAULT or paid(model, before) != paid(model, after)
