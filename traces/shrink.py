"""Shrinking: steps are dropped while what the trace shows stays.

The result is locally shortest: without any one of its steps, the property is not violated, or another step is
not enabled any more.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from ..model.language.actions import Model
from ..model.language.errors import UsageError
from .replay import action_of, start
from .trace import Trace

T = TypeVar("T")
"""What a step is to the model that runs it."""


def shortest(steps: Sequence[T], until_shown: Callable[[Sequence[T]], Sequence[T] | None]) -> Sequence[T] | None:
    """What is left of the steps when those are dropped that are not needed; None when not even all of them suffice.

    `until_shown` runs some steps on a model, plain or compiled, and answers them up to the one that shows what the steps
    are about; None when one of them is not enabled, or none shows it.
    """
    found = until_shown(steps)
    if found is None:
        return None
    size = max(1, len(found) // 2)
    while True:
        at, shorter = 0, False
        while at < len(found):
            kept = until_shown([*found[:at], *found[at + size :]])
            if kept is not None:
                found, shorter = kept, True
            else:
                at += size
        if size == 1 and not shorter:
            return found
        size = max(1, size // 2)


def run(trace: Trace, model: Model) -> Iterator[Any]:
    """The plain states of a trace, one after the other; None, and no more, where a step is not enabled."""
    config, state = start(trace, model)
    yield state
    for number, step in enumerate(trace.steps, 1):
        action, arguments = action_of(model, config, step, f"step {number}, `{step.label}`,")
        state = state.copy()
        if not action.version(config)(state, *arguments):
            yield None
            return
        yield state


def plain_states(trace: Trace, model: Model) -> list[Any]:
    """Every state of a trace that runs; UsageError with the first step that is not enabled."""
    states = list(run(trace, model))
    if states[-1] is None:
        number = len(states) - 1
        raise UsageError(f"step {number}, {trace.steps[number - 1].label}, is not enabled: replay the trace to see why")
    return states
