"""The same steps under another revision: where they part, and the guard that refuses the first that cannot be taken."""

from dataclasses import dataclass
from typing import Any

from ..model.language.actions import Model
from ..model.language.errors import UsageError, hint
from .action_notes import enabled
from .notation import describe, differences
from .replay import TraceMismatch, action_of, failing_guard, start
from .trace import Trace
from .words import plural


@dataclass(frozen=True)
class Beside:
    """`trace`: as far as the steps run there; `states`: theirs; `parts`: the first step after which the two differ, and what
    the step changed there (0 and nothing where they do not); `refused`: the label of the step that cannot be taken, `guard`:
    what refuses it, `enabled`: what can be done there instead."""

    revision: str
    trace: Trace
    states: list[Any]
    parts: int = 0
    change: str = ""
    refused: str = ""
    guard: str = ""
    enabled: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """How far the steps go, in words."""
        ran = len(self.states) - 1
        text = f"under {self.revision} "
        if self.parts and self.parts <= ran:
            text += f"step {self.parts}, {self.trace.steps[self.parts - 1].action}, ends differently: {self.change}"
        elif self.refused:
            text += f"{plural(ran, 'step')} run as they do here"
        else:
            text += f"all {plural(ran, 'step')} run, and nothing differs"
        if self.refused:
            text += f"; step {ran + 1}, {self.refused}, is not enabled there: {self.guard}"
        elif self.parts:
            text += f"; all {plural(ran, 'step')} run"
        return text


def beside(trace: Trace, model: Model, states: list[Any], revision: str) -> Beside:
    """Run the steps of a trace, whose states are `states`, under another revision with the same settings."""
    if revision not in model.revisions:
        raise UsageError(f"the model {model.name} has no revision {revision!r:.40}; {hint(revision, model.revisions)}")
    other = trace.under(revision)
    try:
        config, state = start(other, model)
    except UsageError as error:
        raise UsageError(f"the trace's settings do not fit the revision {revision}: {error}") from None
    out = [state]
    parts, change = 0, ""
    for number, step in enumerate(other.steps, 1):
        here = f"step {number}, `{step.label}`,"
        try:
            action, arguments = action_of(model, config, step, here)
        except TraceMismatch as mismatch:
            return Beside(revision, cut(other, number), out, parts, change, step.label, str(mismatch))
        after = out[-1].copy()
        if not action.version(config)(after, *arguments):
            guard = failing_guard(action, config, out[-1], arguments)
            return Beside(revision, cut(other, number), out, parts, change, step.label, guard, tuple(enabled(model, out[-1])))
        if not parts and number < len(states):
            change = difference(model, states[number], after)
            parts = number if change else 0
        out.append(after)
    return Beside(revision, other, out, parts, change)


def cut(trace: Trace, number: int) -> Trace:
    """The trace before the step of this number."""
    return trace.with_steps(trace.steps[: number - 1])


def difference(model: Model, here: Any, there: Any) -> str:
    """What a step left in another state there than here, in the words of notation; empty where both are equal."""
    facts = describe(model.name, there)
    if facts == describe(model.name, here):
        return ""
    told = list(differences(describe(model.name, here), facts))
    return "; ".join(f"{part} {text}" for part, _, text in told[:3])
