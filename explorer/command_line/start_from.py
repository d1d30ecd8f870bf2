"""`TRACE[:STEP]`: a state that a trace leads to, as the place where something else begins."""

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import UsageError, is_number
from ...properties.property import ALWAYS, EVENTUALLY, LEADS_TO, SOMETIMES, STEP, Property
from ...traces.families.scenarios import path_of
from ...traces.replay import replay
from ...traces.shrink import plain_states
from ...traces.text import read_file
from ...traces.trace import Trace
from ...traces.words import plural
from ..request import Request
from ..trace_files import model_of
from ..verdict import NOT_APPLICABLE, WITNESSED, Finding, Outcome
from .parsing import flag_of


@dataclass(frozen=True)
class Beginning:
    """A trace up to a step; `model`: the one that begins in the state there; `states`: those before it, not to be changed.

    `name`: the trace, and the step, on the command line.
    """

    name: str
    trace: Trace
    whole: Model
    model: Model
    states: Sequence[Any]


def trace_until(text: str) -> Trace:
    """The trace that `TRACE[:STEP]` names, without the steps after STEP."""
    name, colon, number = text.rpartition(":")
    if not colon or not is_number(number) or os.path.lexists(text):
        return read_file(path_of(text))
    trace = read_file(path_of(name))
    if int(number) > len(trace.steps):
        raise UsageError(f"{name} has {plural(len(trace.steps), 'step')}, and {text} names step {number}")
    return replace(trace, steps=trace.steps[: int(number)])


def validate_flags_with(options: argparse.Namespace, flag: str) -> None:
    """UsageError for a flag that says what a trace says already."""
    settings = [name for name in vars(options) if name.startswith("setting_")]
    for name in ("model", "revision", "release", "config", *settings):
        if getattr(options, name, None) is not None:
            raise UsageError(f"{flag_of(name.removeprefix('setting_'))} cannot be used with {flag}: the trace determines it")


def beginning(options: argparse.Namespace, text: str) -> Beginning:
    """Where a search from `TRACE[:STEP]` begins; the flags become the trace's, and may not say otherwise."""
    validate_flags_with(options, "--from")
    trace = trace_until(text)
    model = model_of(options.models, trace, text)
    *before, state = plain_states(trace, model)
    if mismatch := replay(trace, model).mismatch:
        raise UsageError(f"{text}: {mismatch}")
    options.model, options.revision = trace.model, trace.revision
    for name, value in trace.settings.items():
        setattr(options, f"setting_{name}", value)
    return Beginning(text, trace, model, replace(model, initial_states=lambda config: [state.copy()]), before)


def begin_there(request: Request, begun: Beginning) -> None:
    """Have the request explore from there; UsageError for a property that the trace itself may decide."""
    [state] = begun.model.initial_states(request.config)
    for claim in request.properties:
        step = violated_before(claim, [*begun.states, state]) if claim.applies(request.config) else None
        if step is not None:
            raise UsageError(
                f"{claim.name} is violated by the trace of --from itself, after {plural(step, 'step')}; begin before that, or"
                f" name other properties"
            )
    for claim in request.progress:
        step = decides(claim, begun.states, state) if claim.applies(request.config) else None
        if step is not None:
            raise UsageError(
                f"{claim.name} is not decided by what follows the trace of --from alone: the trace came to its goal or premise"
                f" after {plural(step, 'step')}; begin there (TRACE:{step}), or leave the property out"
            )
    request.model = begun.model


def witnessed_before(finding: Finding, states: Sequence[Any]) -> int | None:
    """After how many steps a trace witnesses what can happen, before its last state; None when it does not."""
    claim = finding.property
    if claim.kind != SOMETIMES or finding.verdict == NOT_APPLICABLE:
        return None
    if claim.over_steps:
        return next((number for number, step in enumerate(pairwise(states), 1) if claim.holds(*step)), None)
    return next((number for number, state in enumerate(states) if claim.holds(state)), None)


def violated_before(claim: Property, states: Sequence[Any]) -> int | None:
    """After how many steps a trace violates the property before its last state; None when it does not."""
    if claim.kind == ALWAYS:
        return next((number for number, state in enumerate(states[:-1]) if not claim.holds(state)), None)
    if claim.kind == STEP:
        return next((number for number, step in enumerate(pairwise(states), 1) if not claim.holds(*step)), None)
    return None


def decides(claim: Property, before: Sequence[Any], state: Any) -> int | None:
    """After how many steps the trace reached the goal of `eventually`, or a premise of `leads_to` that still waits for its goal.

    What is explored from `state` then says nothing of behaviours that begin with the trace; so, too, where what implies the
    property was decided.
    """
    steps = [step for part in claim.given if (step := decides(part, before, state)) is not None]
    if steps:
        return min(steps)
    for binding in claim.bindings(state.config):
        for step, earlier in enumerate(before):
            if claim.kind in (EVENTUALLY, ALWAYS) and bool(claim.function(earlier, *binding)) == (claim.kind == EVENTUALLY):
                return step
            if claim.kind == LEADS_TO and claim.premise is not None and claim.premise(earlier, *binding):
                goal = any(claim.function(later, *binding) for later in (*before[step:], state))
                if not goal and not claim.premise(state, *binding):
                    return step
    return None


def lengthen(outcome: Outcome, request: Request, begun: Beginning) -> None:
    """Lead every trace and every length from the trace's own initial state; the request is of the whole model again."""
    request.model = outcome.model = begun.whole
    before, states = len(begun.trace.steps), [*begun.states, *begun.model.initial_states(request.config)]
    outcome.begun = f"from the end of {begun.name}"
    for finding in outcome.reported:
        if finding.depth is not None:
            finding.depth += before
        step = witnessed_before(finding, states)
        if step is not None:
            finding.verdict, finding.depth, finding.trace = WITNESSED, step + 1, None
        if finding.trace is not None:
            first, trace = begun.trace, finding.trace
            finding.trace = replace(
                trace, steps=(*first.steps, *trace.steps), initial=first.initial, start_digest=first.start_digest,
                comment=first.comment, cycle=None if trace.cycle is None else trace.cycle + before,
            )  # fmt: skip
