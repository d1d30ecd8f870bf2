"""Whether a trace shows what a property of progress says: asked of the plain model, in which it is run again.

A lasso is a trace with a cycle. It shows that a goal is avoided when the cycle leads back to where it began, is fair, and the
goal is true nowhere from the premise on. A trace to a state from which a goal is out of reach has no cycle: from that state
everything is explored that needs no fault.
"""

from collections.abc import Sequence
from typing import Any

from ..model.language.actions import Model
from ..model.language.kinds import cells
from ..model.language.reading.faults import is_fault
from ..model.language.steps import STRONG, WEAK
from .replay import ALWAYS, ALWAYS_EVENTUALLY, EVENTUALLY_ALWAYS, RECOVERABLE, Claim
from .trace import Trace
from .words import plural

MAX_STATES = 50_000
"""How many states are explored to show that a goal is out of reach."""

FEW_STATES = 2_000
"""The same, to say for which values it is."""

Instance = tuple[str, tuple[int, ...]]


def ending(trace: Trace) -> str:
    """How a trace about progress ends."""
    steps = plural(len(trace.steps), "step")
    if trace.cycle is None:
        return f"after {steps} it is out of reach without another fault"
    if trace.cycle > len(trace.steps):
        return f"after {steps} nothing more need happen"
    return f"the steps {trace.cycle} to {len(trace.steps)} can be repeated for ever"


def doubt(trace: Trace, model: Model, states: Sequence[Any], goal: Claim) -> str:
    """Why the trace does not show that the property fails; empty when it does. `states`: those that it ran through."""
    if goal.kind == RECOVERABLE:
        return doubt_of_loss(model, states[-1], goal)
    if trace.cycle is None:
        return f"{goal.name} is about behaviours that never end, and the trace has no line 'cycle:'"
    return doubt_of_cycle(trace, model, states) or doubt_of_goal(states, goal, trace.cycle)


def doubt_of_cycle(trace: Trace, model: Model, states: Sequence[Any]) -> str:
    """Why this is not a cycle, or not a fair one."""
    assert trace.cycle is not None
    inside = list(states[trace.cycle - 1 :])
    if len(inside) > 1:
        if normal_cells(model, inside[0]) != normal_cells(model, inside[-1]):
            return f"the last step does not lead back to the state before step {trace.cycle}"
        inside = inside[:-1]
    actions, enabled = {action.name: action for action in model.actions}, [enabled_fairly(model, state) for state in inside]
    steps = ((actions[step.action], tuple(value for _, value in step.arguments)) for step in trace.steps[trace.cycle - 1 :])
    taken = {action.unit(arguments) for action, arguments in steps}
    put_off = {claim: unit for some in enabled for claim in some if (unit := actions[claim[0]].unit(claim[1])) not in taken}
    for instance, unit in sorted(put_off.items()):
        action = actions[instance[0]]
        if action.fairness == STRONG or all(unit in {actions[name].unit(rest) for name, rest in some} for some in enabled):
            return f"the cycle is not fair: it puts {action.label(instance[1])} off for ever"
    return ""


def enabled_fairly(model: Model, state: Any) -> set[Instance]:
    """The steps of which fairness is demanded and that would change the state, without faults."""
    here = normal_cells(model, state)
    return {
        (action.name, tuple(arguments))
        for action, arguments, after in model.enabled(state)
        if action.fairness in (WEAK, STRONG) and not is_fault(model, action, state, after) and normal_cells(model, after) != here
    }


def doubt_of_goal(states: Sequence[Any], goal: Claim, cycle: int) -> str:
    """Why the goal is not avoided, from the premise on and in the whole cycle, which begins with the step `cycle`."""
    avoided = avoided_for(states, goal, cycle)
    return "" if avoided is not None else f"{goal.name} is reached in every case that requires it"


def avoided_for(states: Sequence[Any], goal: Claim, cycle: int) -> tuple[int, ...] | None:
    """The first values for which the goal is avoided, from the premise on and in the whole cycle, and what implies it is kept."""
    config = states[0].config
    for binding in goal.bindings(config):
        given = ((instance, values) for instance in goal.given for values in goal.instances(instance, binding, config))
        if not kept(states, goal, binding, cycle) and all(kept(states, instance, values, cycle) for instance, values in given):
            return binding
    return None


def kept(states: Sequence[Any], claim: Claim, binding: tuple[int, ...], cycle: int) -> bool:
    """Whether a behaviour that repeats the steps from `cycle` on for ever keeps the claim for these values."""
    there = [bool(claim.function(state, *binding)) for state in states]
    if claim.kind in (ALWAYS, EVENTUALLY_ALWAYS):
        return all(there[cycle - 1 if claim.kind == EVENTUALLY_ALWAYS else 0 :])
    if claim.kind == ALWAYS_EVENTUALLY:  # what was before the cycle does not count
        return any(there[cycle - 1 :])
    if claim.premise is None:
        return any(there)
    asked = (begin for begin, state in enumerate(states) if claim.premise(state, *binding))
    return all(any(there[min(begin, cycle - 1) :]) for begin in asked)


def stuck_for(trace: Trace, model: Model, states: Sequence[Any], goal: Claim) -> tuple[int, ...] | None:
    """The first values for which the trace shows that the property is violated; None if that takes long to say."""
    if goal.kind == RECOVERABLE:
        lost = lost_for(model, states[-1], goal, FEW_STATES)
        return lost[0] if lost else None
    return None if trace.cycle is None else avoided_for(states, goal, trace.cycle)


def doubt_of_loss(model: Model, state: Any, goal: Claim) -> str:
    """Why the goal is not out of reach."""
    lost = lost_for(model, state, goal, MAX_STATES)
    if lost is None:
        return f"more than {MAX_STATES:,} states can follow, so not all of them were explored"
    return "" if lost else f"{goal.name} can be reached from the last state without faults"


def lost_for(model: Model, state: Any, goal: Claim, most: int) -> list[tuple[int, ...]] | None:
    """The values for which the goal is required and out of reach; None where more than `most` states can follow."""
    lost = [binding for binding in goal.bindings(state.config) if goal.premise is None or bool(goal.premise(state, *binding))]
    seen, todo = {normal_cells(model, state)}, [state]
    while todo and lost:
        following = []
        for instance in todo:
            lost = [binding for binding in lost if not goal.function(instance, *binding)]
            for action, _, after in model.enabled(instance):
                key = normal_cells(model, after)
                if key not in seen and not is_fault(model, action, instance, after):
                    seen.add(key)
                    following.append(after)
        if len(seen) > most and following:
            return None
        todo = following
    return lost


def normal_cells(model: Model, state: Any) -> tuple[int, ...]:
    """The state's normal form as a key."""
    if model.normal_form is None:
        return cells(state)
    copy = state.copy()
    model.normal_form(copy)
    return cells(copy)
