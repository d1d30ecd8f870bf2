"""Which lines of the reviewer's own a finding is about: of the property, of the function that a step ran, of the revision.

A plugin's function that stands in the place of one of the model's is an action, a version of a rule, or called somewhere below
an action. So the steps of the counterexample run once more in plain Python, and what they call is noted.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from ...model.language.actions import Model
from ...model.language.kinds import cells
from ...model.language.reading.program import OWN, program
from ...model.language.steps import Action, Rule
from ...traces.replay import action_of
from ...traces.shrink import plain_states
from ...traces.trace import Trace
from .places import Place, place_in_repository, place_of_revision, place_of_scenario


@dataclass(frozen=True)
class Spot:
    """`place`: the line to look at first, if there is one; `related`: others, in words; `ran`: what a step ran, in words."""

    place: Place | None
    related: tuple[tuple[Place, str], ...] = ()
    ran: str = ""


def spot_of_finding(function: Any, model: Model, revision: str, trace: Trace | None = None) -> Spot:
    """The place is the property's, else of the plugin's function that a step ran, else of its `Revision(...)`, else of a scenario
    that checks this revision."""
    claim, row = place_in_repository(function), place_of_revision(model, revision)
    found, ran = ran_last(model, trace) or (None, "")
    related = [(found, ran), (row, f"the revision {revision}")]
    place = claim or found or row or place_of_scenario(model.name, revision)
    return Spot(place, tuple((rule, text) for rule, text in related if rule is not None and rule != place), ran)


def ran_last(model: Model, trace: Trace | None) -> tuple[Place, str] | None:
    """The function of a plugin in the repository which the last step ran that ends otherwise without it, and that in words.

    Where no step is known to, it is that of the last step which ran one; None without one.
    """
    if trace is None or not model.plugins or not trace.steps:
        return None
    config = model.configure(trace.revision, **trace.settings)
    rules = program([action.function for action in model.actions], settings=model.config).rules
    states, last = plain_states(trace, model), None
    for number in range(len(trace.steps), 0, -1):
        action, arguments = action_of(model, config, trace.steps[number - 1], f"step {number}")
        step = action.version(config)
        for code, module in codes_called(step, states[number - 1], arguments).items():
            rule = next((function for function in rules if getattr(function.of(config), "__code__", None) is code), None)
            place = place_in_repository(code) if rule or code is getattr(step, "__code__", None) else None
            if place is None:
                continue
            instead = f" in place of {rule.__name__}" if rule else ""
            found = place, f"step {number} ran {module}.{code.co_name} ({place[0]}:{place[1]}){instead}"
            if rule is None or differs(model, trace.revision, action, rule, states[number - 1 : number + 1], arguments):
                return found
            last = last or found
    return last


def codes_called(step: Any, before: Any, arguments: Sequence[int]) -> dict[CodeType, str]:
    """What a step calls that is not Highwater's own, each once, in the order of the calls, and the module of each."""
    called: dict[CodeType, str] = {}

    def note(frame: FrameType, event: str, argument: Any) -> None:
        module = str(frame.f_globals.get("__name__", ""))
        if event == "call" and not module.startswith(f"{OWN}."):
            called.setdefault(frame.f_code, module)

    previous, state = sys.getprofile(), before.copy()
    sys.setprofile(note)
    try:
        step(state, *arguments)
    finally:
        sys.setprofile(previous)
    return called


def differs(model: Model, revision: str, action: Action, rule: Rule, around: Sequence[Any], arguments: Sequence[int]) -> bool:
    """Whether a step ends otherwise where the rule is as it was before the plugin: as in the revision that this one is like."""
    before, after = around
    like = model.revisions[revision].like
    base = (model.defaults(like) if like else model.config()).shown()[rule.setting]
    other = before.copy()
    other.config = before.config.with_(**{rule.setting: base})
    return not action.version(other.config)(other, *arguments) or cells(other) != cells(after)
