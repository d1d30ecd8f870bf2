"""The same steps under another revision: where they part, and the guard that refuses the first that cannot be taken."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..model.language.actions import Model
from ..model.language.errors import UsageError, hint
from .action_notes import enabled
from .notation import describe, phrase
from .replay import TraceMismatch, action_of, failing_guard, start
from .trace import Trace
from .words import plural


@dataclass(frozen=True)
class Comparison:
    """`trace`: as far as the steps run there; `states`: theirs; `begins`: how its initial state differs; `parts`: the first step
    after which something else differs, `change`: what is so there (0 and nothing where nothing does); `refused`: the label of
    the step that cannot be taken, `guard`: what refuses it, `enabled`: what can be done there instead; `kept`: the
    switches of the trace that it has there, too."""

    revision: str
    trace: Trace
    states: list[Any]
    begins: str = ""
    parts: int = 0
    change: str = ""
    refused: str = ""
    guard: str = ""
    enabled: tuple[str, ...] = ()
    kept: str = ""

    @property
    def sentence(self) -> str:
        """How far the steps go, in words."""
        ran = len(self.states) - 1
        text = f"under {self.revision}{f' with {self.kept}' if self.kept else ''} "
        text += f"the initial state differs: {self.begins}; " if self.begins else ""
        if self.parts and self.parts <= ran:
            text += f"step {self.parts}, {self.trace.steps[self.parts - 1].action}, ends differently: {self.change}"
        elif self.refused:
            text += f"{plural(ran, 'step')} run as they do here"
        else:
            text += f"all {plural(ran, 'step')} run, and nothing {'else ' if self.begins else ''}differs"
        if self.refused:
            text += f"; step {ran + 1}, {self.refused}, is not enabled there: {self.guard}"
        elif self.parts:
            text += f"; all {plural(ran, 'step')} run"
        return text


def compare_revisions(trace: Trace, model: Model, states: list[Any], revision: str, keep: bool = False) -> Comparison:
    """Run the steps of a trace, whose states are `states`, under another revision with the same settings.

    Comparison its own revision a trace runs without the switches that it sets itself, unless `keep` is set.
    """
    if revision not in model.revisions:
        raise UsageError(f"the model {model.name} has no revision {revision!r:.40}; {hint(revision, model.revisions)}")
    kept = keep or revision != trace.revision
    switches = {name: value for name, value in trace.settings.items() if kept and is_switch(model, name)}
    other = replace(trace, settings=switches).under(revision, **sizes_and_faults(trace, model))
    try:
        config, state = start(other, model)
    except UsageError as error:
        raise UsageError(f"the trace's settings do not fit the revision {revision}: {error}") from None
    out = [state]
    known = difference(model, states[0], state)
    told = ", ".join(f"{name} = {value}" for name, value in switches.items())
    found = partial(Comparison, revision, begins=in_words(known), trace=other, kept=told)
    for number, step in enumerate(other.steps, 1):
        here = f"step {number}, `{step.label}`,"
        try:
            action, arguments = action_of(model, config, step, here)
        except TraceMismatch as mismatch:
            return found(trace=cut(other, number), states=out, refused=step.label, guard=str(mismatch))
        after = out[-1].copy()
        if not action.version(config)(after, *arguments):
            guard = failing_guard(action, config, out[-1], arguments)
            instead = tuple(enabled(model, out[-1]))
            return found(trace=cut(other, number), states=out, refused=step.label, guard=guard, enabled=instead)
        if "parts" not in found.keywords and number < len(states):
            new = {part: text for part, text in difference(model, states[number], after).items() if part not in known}
            found = partial(found, parts=number, change=in_words(new)) if new else found
        out.append(after)
    return found(states=out)


def sizes_and_faults(trace: Trace, model: Model) -> dict[str, Any]:
    """The trace's sizes and faults, which another revision's own do not replace: only the switches are those of the revision."""
    shown = model.configure(trace.revision, **trace.settings).shown()
    return {name: value for name, value in shown.items() if model.config.settings[name].group in ("size", "fault")}


def is_switch(model: Model, name: str) -> bool:
    """Whether a setting chooses between designs."""
    return name in model.config.settings and model.config.settings[name].group == "switch"


def cut(trace: Trace, number: int) -> Trace:
    """The trace before the step of this number."""
    return trace.with_steps(trace.steps[: number - 1])


def difference(model: Model, here: Any, there: Any) -> dict[tuple[str, str], str]:
    """What is otherwise in another state there than here, in the words of notation, by the part of the state and the fact."""
    ours, theirs = describe(model, here), describe(model, there)
    told: dict[tuple[str, str], str] = {}
    for part, facts in theirs.items():
        known = ours.get(part, {})
        told |= {(part, fact): f"{part} has no {fact}" for fact in known if fact not in facts}
        new = {fact: text for fact, text in facts.items() if known.get(fact) != text}
        told |= {(part, fact): f"{part} {phrase(model.notation, fact, text)}" for fact, text in new.items()}
    return told


def in_words(differences: dict[tuple[str, str], str]) -> str:
    """The first of the differences."""
    return "; ".join([*differences.values()][:3])
