"""Shrinking: steps are dropped while what the trace shows stays.

The result is locally shortest: without any one of its steps, the property does not fall, or another step is
not enabled any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..model.language.actions import Model
from .replay import Claim, note_broken, start
from .trace import Step, Trace, digest_of


def shrink(trace: Trace, model: Model, claim: Claim) -> Trace:
    """The trace without the steps that are not needed to break `claim`, with fresh digests."""
    steps = list(until_broken(trace, model, claim, trace.steps) or trace.steps)
    size = max(1, len(steps) // 2)
    while True:
        at, shorter = 0, False
        while at < len(steps):
            kept = until_broken(trace, model, claim, steps[:at] + steps[at + size :])
            if kept is not None:
                steps, shorter = list(kept), True
            else:
                at += size
        if size == 1 and not shorter:
            return with_digests(trace.with_steps(steps), model)
        size = max(1, size // 2)


def until_broken(trace: Trace, model: Model, claim: Claim, steps: Sequence[Step]) -> Sequence[Step] | None:
    """The steps up to the one that breaks the claim; None when one is not enabled or none breaks it."""
    config, state = start(trace, model)
    functions = {action.name: action.version(config) for action in model.actions}
    broken: dict[str, int] = {}
    note_broken(broken, [claim], None, state, 0)
    for number, step in enumerate(steps, 1):
        if broken:
            return steps[: number - 1]
        after = state.copy()
        if not functions[step.action](after, *(value for _, value in step.arguments)):
            return None
        note_broken(broken, [claim], state, after, number)
        state = after
    return steps if broken else None


def with_digests(trace: Trace, model: Model) -> Trace:
    """The trace with the digest of every state, as the plain model has them now."""
    config, state = start(trace, model)
    functions = {action.name: action.version(config) for action in model.actions}
    first = digest_of(state)
    steps = []
    for step in trace.steps:
        if not functions[step.action](state, *(value for _, value in step.arguments)):
            raise ValueError(f"{step.label} is not enabled")
        steps.append(Step(step.action, step.arguments, digest_of(state), step.comment))
    return Trace(
        trace.model, trace.version, trace.revision, trace.settings, trace.initial, tuple(steps), trace.property,
        first, trace.comment,
    )  # fmt: skip


def plain_states(trace: Trace, model: Model) -> list[Any]:
    """Every state of a trace that runs."""
    config, state = start(trace, model)
    functions = {action.name: action.version(config) for action in model.actions}
    states = [state]
    for step in trace.steps:
        state = state.copy()
        if not functions[step.action](state, *(value for _, value in step.arguments)):
            raise ValueError(f"{step.label} is not enabled")
        states.append(state)
    return states
