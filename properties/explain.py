"""A violation explained: why, by which steps, which known scenario is nearest, and which revision keeps the property."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..model.language.actions import Model
from ..model.language.errors import UsageError
from ..model.language.settings import changed
from ..traces.action_notes import ActionNotes, notes_of
from ..traces.compared import Comparison, compare_revisions
from ..traces.families.scenarios import Story, scenarios
from ..traces.lasso import ending, stuck_for
from ..traces.replay import shows
from ..traces.shrink import plain_states, run
from ..traces.trace import Trace
from ..traces.why import Why, why, why_deadlock
from .catalogue import claims_of
from .checked import verdict_of
from .property import SOMETIMES, Property

NEAR = 0.45
"""From how alike two sequences of actions are said to be near: 1 is the same."""

WEAK = 0.6
"""Below it the steps resemble each other weakly, though property or revision may be the same."""


@dataclass(frozen=True)
class Explanation:
    """The explanation of a violation, beside its trace.

    `steps`: what is known of the action of each step; `scenario`: the nearest golden trace's name, `story`: its first sentence;
    empty if none is near. `there`: the same steps under the first revision in which they do not violate the property;
    `repair`: what that revision changes, or why there is none.
    """

    why: Why
    trace: Trace
    steps: tuple[ActionNotes, ...]
    scenario: str
    story: str
    repair: str
    there: Comparison | None

    def lines(self) -> Iterator[str]:
        """The lines that people read, the main sentence first."""
        yield self.why.sentence
        for number in dict.fromkeys((self.why.since, self.why.step)):
            if number:
                which = "the last step that mattered is" if number == self.why.step else "what decided is so since"
                yield f"{which} step {number}, {self.trace.steps[number - 1].label}: {self.steps[number - 1].sentence}"
        if self.scenario:
            yield f"nearest known scenario: {self.scenario}. {self.story}"
        if self.repair:
            yield self.repair
        if self.there is not None:
            yield f"the same steps: {self.there.sentence}"

    def actions(self) -> dict[str, ActionNotes]:
        """What is known of each action of the trace, in the order of its first step."""
        return {step.name: step for step in self.steps}


def explain(trace: Trace, model: Model, claim: Property | None, states: list[Any] | None = None) -> Explanation:
    """Explain a trace that violates `claim`; None: a trace to a state in which nothing is enabled."""
    states = plain_states(trace, model) if states is None else states
    if claim is None:
        reason = why_deadlock(trace.property, len(states) - 1)
    elif claim.of_progress:
        reason = why_stuck(trace, model, claim, states)
    else:
        reason = first_violation(claim, model, states)
    config = model.configure(trace.revision, **trace.settings)
    steps = tuple(notes_of(model, config, step.action) for step in trace.steps)
    if claim is not None and claim.of_progress:
        return Explanation(reason, trace, steps, "", "", "", None)
    name, story = nearest(trace, model, reason.property)
    repair, there = ("", None) if claim is None else first_that_keeps(trace, model, claim, states)
    return Explanation(reason, trace, steps, name, story, repair, there)


def why_stuck(trace: Trace, model: Model, claim: Property, states: list[Any]) -> Why:
    """What a trace shows of a property of progress; the step that mattered is the last before the end, or before the cycle."""
    last = len(trace.steps) if trace.cycle is None else trace.cycle - 1
    values = dict(zip(claim.parameters, stuck_for(trace, model, states, claim) or (), strict=False))
    named = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in values.items())
    sentence = f"{claim.name} is violated{f' for {named}' if named else ''}: {ending(trace)}"
    return Why(claim.name, sentence, values, last, last)


def first_violation(claim: Property, model: Model, states: list[Any]) -> Why:
    """Why, where the trace first violates the property; else where it ends."""
    before = None
    for number, state in enumerate(states):
        if shows(claim, before, state):
            return why(claim, model, states, number)
        before = state
    return Why(claim.name, f"{claim.name} is not violated by this trace", {}, len(states) - 1, len(states) - 1)


def comparison_lines(trace: Trace, model: Model, claim: Property | None, revision: str) -> Iterator[str]:
    """The same steps under another revision: how far they run, what is enabled there, whether the property holds."""
    there = compare_revisions(trace, model, plain_states(trace, model), revision)
    yield f"compared: {there.sentence}"
    if there.refused and there.enabled:
        yield f"enabled there: {', '.join(there.enabled)}"
    if claim is not None and not claim.applies(there.states[0].config):
        yield f"{claim.name} does not apply under {revision} with these settings"
    elif claim is not None and not claim.of_progress:
        yield f"{claim.name} is {'violated' if violates(claim, there.states) else 'not violated'} there, as far as the steps run"


def nearest(trace: Trace, model: Model, name: str) -> tuple[str, str]:
    """The golden trace of a violation whose property and actions are most like these: its name, and its story in a sentence."""
    actions = [step.action for step in trace.steps]
    near: list[tuple[float, int, bool, Story, str]] = []
    for scenario in scenarios().values():
        for revision, golden in scenario.traces.items():
            if golden.model != trace.model:
                continue
            alike = difflib.SequenceMatcher(None, actions, [step.action for step in golden.steps], autojunk=False).ratio()
            weak = alike < WEAK
            alike += 0.3 * (golden.property == name) + 0.1 * (revision == trace.revision)
            if alike > NEAR:
                near.append((-alike, len(near), weak, scenario, revision))
    for _, _, weak, scenario, revision in sorted(near, key=lambda item: item[:2]):
        if is_violation(scenario.traces[revision], model):
            known = f" ({', '.join(scenario.known_as)})" if scenario.known_as else ""
            return f"{scenario.name}.{revision}{known}", (
                "It resembles these steps only weakly. " if weak else ""
            ) + scenario.story_of(revision)
    return "", ""


def is_violation(golden: Trace, model: Model) -> bool:
    """Whether a golden trace violates the property that it is about; many show how a repair keeps it."""
    claim = claims_of(model).get(golden.property)
    if claim is None or claim.of_progress or claim.kind == SOMETIMES:
        return False
    return violates(claim, plain_states(golden, model))


def first_that_keeps(trace: Trace, model: Model, claim: Property, states: list[Any]) -> tuple[str, Comparison | None]:
    """The first later revision that keeps the property, and how these steps run there.

    A revision is named as keeping it only if everything was explored at the trace's own sizes and faults (`checked`): steps that
    cannot run there prove nothing. A plugin's revision is compared with the one that it is like.
    """
    begun = ""
    if len(model.revisions) == 1:
        return "", None  # there is nothing to compare with
    if claim.expected_to_hold(trace.revision, model):
        like = model.revisions[trace.revision].like
        kept_by = f"{like}, which {trace.revision} is like," if like else trace.revision
        begun = f"{kept_by} is expected to keep it at the default sizes; this is with {beyond(trace, model)}; "
    compared, refuted = comparable(model, trace.revision), []
    for revision in compared:
        try:
            there = compare_revisions(trace, model, states, revision)
        except UsageError:  # the trace's settings do not fit it
            continue
        if not claim.applies(there.states[0].config) or violates(claim, there.states):
            continue
        found = verdict_of(model, revision, there.trace.settings, claim)
        if found.violated:
            refuted.append((f"{revision} violates it with these settings too, after {found.violated}", there))
            continue
        also = "".join(f"; {text}" for text, _ in refuted)
        if found.states:
            kept = repair_of(model, trace.revision, revision) + enough_alone(trace, model, claim, revision)
            return f"{begun}{kept}; {found.states} were checked with these settings{also}", there
        ran = "these steps cannot run there" if there.refused else "these steps do not violate it there"
        changes = repair_of(model, trace.revision, revision, "not violated under")
        return f"{begun}{changes}; {ran}, which says nothing of others; not checked: {found.command}{also}", there
    if refuted:
        return begun + "; ".join(text for text, _ in refuted), refuted[0][1]
    if begun:
        return begun.removesuffix("; "), None
    if claim.since is None:
        return "no revision is expected to keep it", None
    if not compared:
        return f"no revision is later than {trace.revision}", None
    like = model.revisions[trace.revision].like
    return f"these steps violate it in {f'{like}, which it is like, too' if like else 'every later revision too'}", None


def comparable(model: Model, mine: str) -> list[str]:
    """The revisions in which a violation may be repaired: that which mine is like, else the later ones that were released.

    Plugins' revisions stand last in the list, and are later only than those on which they are built.
    """
    like = model.revisions[mine].like
    order = [name for name, r in model.revisions.items() if r.releases or r.like or name == mine or not model.releases]
    return [like] if like in order else [r for r in order[order.index(mine) + 1 :] if mine in built_on(model, r)]


def built_on(model: Model, name: str) -> list[str]:
    """The revisions that come before one: in the order of the model, or by what a plugin says it is like."""
    before = list(model.revisions)[: list(model.revisions).index(name)]
    like = model.revisions[name].like
    return [like, *built_on(model, like)] if like in before else before


def violates(claim: Property, states: list[Any]) -> bool:
    """Whether some state, or the step to it, violates the property."""
    return any(shows(claim, before, state) for before, state in zip([None, *states], states, strict=False))


def repair_of(model: Model, mine: str, other: str, verb: str = "first kept by") -> str:
    """What a revision changes."""
    switches = ", ".join(f"{name} = {value}" for name, value in switches_between(model, mine, other).items())
    if model.revisions[mine].like == other:
        return f"{verb.removeprefix('first ')} {other}, which {mine} is like ({switches})"
    return f"{verb} {other}: {model.revisions[other].sentence} ({switches})"


def switches_between(model: Model, mine: str, other: str) -> dict[str, Any]:
    """The switches that another revision sets otherwise; its sizes and faults are only those of its own runs."""
    settings = changed(model.defaults(other), model.defaults(mine))
    return {name: value for name, value in settings.items() if model.config.settings[name].group == "switch"}


def enough_alone(trace: Trace, model: Model, claim: Property, revision: str) -> str:
    """The settings of a revision that keep the property in these steps alone; a default repairs nothing."""
    settings = switches_between(model, trace.revision, revision)
    enough = []
    for name, value in settings.items() if len(settings) > 1 else ():
        if value == model.config.settings[name].show(model.config.settings[name].default):
            continue
        other = replace(trace, settings={**trace.settings, name: value})
        try:
            states = [state for state in run(other, model) if state is not None]
        except UsageError:  # it does not go without the others
            continue
        if not violates(claim, states):
            enough.append(f"{name} = {value}")
    return f"; for these steps {' or '.join(enough)} is enough" if enough else ""


def beyond(trace: Trace, model: Model) -> str:
    """The settings of a trace that are not its revision's: the switches and the faults that are added, or else the sizes."""
    config, default = model.configure(trace.revision, **trace.settings), model.defaults(trace.revision)
    more = changed(config, default)
    switches = [name for name in more if config.settings[name].group == "switch"]
    faults = [name for name in more if config.settings[name].group == "fault" and getattr(config, name) > getattr(default, name)]
    return ", ".join(f"{name} = {more[name]}" for name in switches + faults or more) or "the default sizes"
