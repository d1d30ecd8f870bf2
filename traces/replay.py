"""Replaying: a trace runs through the plain model, or the step is named at which it does not fit."""

import inspect
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from types import FrameType
from typing import Any, Protocol

from ..model.language.actions import Model
from ..model.language.around import written
from ..model.language.errors import UsageError, short
from ..model.language.reading.beginnings import nth
from ..model.language.reading.python_files import guard_texts
from ..model.language.steps import Action
from .trace import Step, Trace, state_digest

MAX_LABELS = 40
"""How many enabled actions a message names."""


ALWAYS, SOMETIMES, RECOVERABLE = "always", "sometimes", "recoverable"
"""Kinds of claims: that all states are so, that something can be reached, and that a goal is never out of reach."""

ALWAYS_EVENTUALLY, EVENTUALLY_ALWAYS = "always_eventually", "eventually_always"
"""That a goal is true again and again, and that it is true for ever from some time on."""


class Claim(Protocol):
    """What traces need to know of a property."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def over_steps(self) -> bool: ...
    @property
    def function(self) -> Any: ...
    @property
    def premise(self) -> Any: ...
    @property
    def parameters(self) -> Sequence[str]: ...
    @property
    def dimensions(self) -> Sequence[str]: ...
    @property
    def given(self) -> "Sequence[Claim]": ...
    def instances(self, part: Any, binding: tuple[int, ...], config: Any) -> list[tuple[int, ...]]: ...
    def bindings(self, config: Any) -> Iterator[tuple[int, ...]]: ...
    def deciding(self, *states: Any) -> Any: ...


@dataclass
class Replayed:
    """The outcome of a replay.

    `states`: the plain states, one more than the steps that ran; `broken`: the violated claims, and after
    which step first; `witnessed`: the same for claims that something is reachable; `mismatch`: why the next
    step could not run, empty when all did; `doubt`: why a trace about progress that ran does not show what it is about.
    """

    states: list[Any]
    broken: dict[str, int] = field(default_factory=dict)
    witnessed: dict[str, int] = field(default_factory=dict)
    mismatch: str = ""
    doubt: str = ""


class TraceMismatch(Exception):
    """A step that the model does not allow; the message says which, why, and what is enabled there."""


def start(trace: Trace, model: Model) -> tuple[Any, Any]:
    """The configuration and the plain initial state of a trace; UsageError when the model has no such."""
    if trace.model != model.name:
        raise UsageError(f"the trace is of the model {trace.model[:40]!r}, not of {model.name}")
    if trace.revision not in model.revisions:
        known = ", ".join(model.revisions)
        raise UsageError(f"the model {model.name} has no revision {trace.revision[:40]!r}; it has {known}")
    for name in trace.settings:
        if name not in model.config.settings:
            raise UsageError(f"the trace has a setting {name[:40]!r}, which the model {model.name} does not have")
    config = model.configure(trace.revision, **trace.settings)
    return config, nth(model, config, trace.initial)


def replay(trace: Trace, model: Model, claims: Iterable[Claim] = ()) -> Replayed:
    """Run the trace. Claims that do not hold on the way are noted with the first step that breaks them."""
    config, state = start(trace, model)
    claims = list(claims)
    result = Replayed([state])
    if trace.start_digest and state_digest(state) != trace.start_digest:
        result.mismatch = (
            "the initial state is not the recorded one; this usually means that the model was changed"
            " since the trace was recorded"
        )
        return result
    note(result.broken, result.witnessed, claims, None, state, 0)
    for number, step in enumerate(trace.steps, 1):
        try:
            state = take(model, config, result.states[-1], step, number)
        except TraceMismatch as mismatch:
            result.mismatch = str(mismatch)
            return result
        note(result.broken, result.witnessed, claims, result.states[-1], state, number)
        result.states.append(state)
    return result


def take(model: Model, config: Any, state: Any, step: Step, number: int) -> Any:
    """The state after one step; TraceMismatch when it is not enabled, or when the state is not the recorded one."""
    here = f"step {number}, `{step.label[:160]}`,"
    action, arguments = action_of(model, config, step, here)
    after = state.copy()
    if not model.step_of(action, config)(after, *arguments):
        raise TraceMismatch(
            f"{here} is not enabled here: {failing_guard(action, config, state, arguments)}; enabled:"
            f" {enabled_labels(model, state)}; this usually means that the trace was recorded under another"
            f" revision or configuration"
        )
    if step.digest and state_digest(after) != step.digest:
        raise TraceMismatch(
            f"{here} leads to another state than recorded; this usually means that the model was changed"
            f" since the trace was recorded"
        )
    return after


def action_of(model: Model, config: Any, step: Step, here: str) -> tuple[Action, list[int]]:
    """The action that a step names, and its arguments; TraceMismatch when the model has no such step at all."""
    actions = {action.name: action for action in model.actions}
    action = actions.get(step.action)
    if action is None:
        raise TraceMismatch(f"{here} is no action of the model {model.name}; its actions: {', '.join(actions)}")
    if [name for name, _ in step.arguments] != list(action.parameters):
        parameters = ", ".join(action.parameters) or "none"
        raise TraceMismatch(f"{here} does not have the parameters of {action.name}: {parameters}")
    arguments = [value for _, value in step.arguments]
    for value, dimension, name in zip(arguments, action.dimensions, action.parameters, strict=True):
        if not 0 <= value < getattr(config, dimension):
            raise TraceMismatch(f"{here} has {name}={value} outside 0..{getattr(config, dimension) - 1}")
    return action, arguments


def enabled_labels(model: Model, state: Any) -> str:
    """The actions that are enabled in a state, by label; of very many, the first."""
    labels = [action.label(arguments) for action, arguments, _ in islice(model.enabled(state), MAX_LABELS + 1)]
    if len(labels) > MAX_LABELS:
        labels[-1] = "and more"
    return ", ".join(labels) or "nothing"


def note(
    broken: dict[str, int], witnessed: dict[str, int], claims: Sequence[Claim], before: Any, state: Any, number: int
) -> None:
    """Note the claims that this state, or the step to it, decides first: it breaks them, or is what must be reachable."""
    for claim in claims:
        found = witnessed if claim.kind == SOMETIMES else broken
        if claim.name not in found and shows(claim, before, state):
            found[claim.name] = number


def shows(claim: Claim, before: Any, state: Any) -> bool:
    """Whether the state, or the step to it, decides the claim: it breaks it, or is what must be reachable."""
    if claim.over_steps and before is None:
        return False
    return claim.deciding(*([before, state] if claim.over_steps else [state])) is not None


def failing_guard(action: Action, config: Any, state: Any, arguments: Sequence[int]) -> str:
    """The guard that refuses the action, as it stands in the source, with file and line."""
    function = action.version(config)
    if not action.exists(config):
        return "this revision has no such action"
    constraint = getattr(function, "guarded_by", None)
    if constraint is not None and not constraint(state):
        return f"the state is outside the constraint {constraint.__name__}"
    function = written(function)
    line = last_line(function, state.copy(), arguments)
    where = f"{short(inspect.getsourcefile(function) or '?')}:{line}"
    guard = guard_texts(function).get(line)
    return f"the guard `{guard}` refuses it ({where})" if guard else f"{where} refuses it"


def last_line(function: Any, state: Any, arguments: Sequence[int]) -> int:
    """The line of `function` that ran last: where it returned."""
    lines = [0]

    def local(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            lines.append(frame.f_lineno)
        return local

    def watch(frame: FrameType, event: str, argument: Any) -> Any:
        return local if frame.f_code is function.__code__ else None

    previous = sys.gettrace()
    sys.settrace(watch)
    try:
        function(state, *arguments)
    finally:
        sys.settrace(previous)
    return lines[-1]
