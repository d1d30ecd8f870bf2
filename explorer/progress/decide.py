"""Whether properties of progress hold in a graph, and where they do not."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from ...model.language.actions import FAULT, STRONG, WEAK, Model
from ...model.language.errors import UsageError
from ...properties.property import EVENTUALLY, EVENTUALLY_ALWAYS, RECOVERABLE, Property
from ..compiling.compiled import Compiled
from ..extras import needed
from ..request import Request
from .fairness import fair_components
from .graph import Array, Graph
from .kernels import FAULTY, NOTHING, STRONGLY, WEAKLY
from .labels import Masks
from .lasso import Around, Walk, downhill

DEMANDS = {"": NOTHING, WEAK: WEAKLY, STRONG: STRONGLY, FAULT: FAULTY}


@dataclass
class Stuck:
    """Where a property fails: `state`, where its premise is true; the path on from there; and the cycle at its end.

    `cycle` is None of what is recoverable: from `state` on the goal is out of reach, and from all `lost` states. An empty one:
    nothing more happens.
    """

    state: int
    path: Walk
    cycle: Walk | None
    lost: Array | None = None


def demands_of(compiled: Compiled) -> Array:
    """What is demanded of the steps of each code."""
    actions = compiled.model.actions
    return np.array([DEMANDS[actions[compiled.action_of[code]].demand] for code in range(compiled.codes)], np.uint8)


def units_of(compiled: Compiled) -> Array:
    """For each code the first of those that are fair together with it."""
    actions, first = compiled.model.actions, dict[str, int]()
    groups = (actions[compiled.action_of[code]].fair_with for code in range(compiled.codes))
    return np.array([first.setdefault(name, code) if name else code for code, name in enumerate(groups)], np.int64)


def declares_fairness(model: Model) -> bool:
    """Whether the model says of some action that a running system does not put it off."""
    return any(action.demand in (WEAK, STRONG) for action in model.actions)


def refuse_renaming(request: Request) -> None:
    """UsageError where symmetry would merge states that progress must tell apart."""
    if request.symmetry and request.progress:
        raise UsageError(
            f"symmetry cannot be used for {request.progress[0].name}: with members renamed on the way, a cycle of representatives"
            " need not be a cycle, nor fair; leave out --symmetry"
        )


def refuse_without_scipy(request: Request) -> None:
    """UsageError where a cycle will be looked for and SciPy is not installed: before the exploration, not after it."""
    for one in request.progress:
        if one.kind != RECOVERABLE:
            with needed("progress", f"{one.name} ({one.kind})"):
                if find_spec("scipy") is None:
                    raise ImportError(name="scipy")


def decide(graph: Graph, one: Property, goals: Masks, premises: Masks, config: Any) -> Stuck | None:
    """Where the property fails, by a shortest path; None when it holds."""
    found: Stuck | None = None
    lost = np.zeros(0, np.int64)
    for goal, premise in by_binding(graph, one, goals, premises, config):
        stuck = {RECOVERABLE: unrecoverable, EVENTUALLY_ALWAYS: left_again}.get(one.kind, avoided)(graph, goal, premise)
        if stuck is not None and stuck.lost is not None:
            lost = np.union1d(lost, stuck.lost)
        if stuck is not None and (found is None or length(graph, stuck) < length(graph, found)):
            found = stuck
    return replace(found, lost=lost) if found is not None and found.lost is not None else found


def is_never_asked(one: Property, premises: Masks) -> bool:
    """Whether its premise is true in none of these states, for no values: what holds then says nothing."""
    return one.premise is not None and not premises.any()


def by_binding(graph: Graph, one: Property, goals: Masks, premises: Masks, config: Any) -> Iterator[tuple[Array, Array]]:
    """For each tuple of values of the parameters: where the goal is true, and where it is asked for."""
    for bit in range(len(list(one.bindings(config)))):
        mask = np.uint64(1 << bit)
        if one.kind == EVENTUALLY:
            premise = graph.depths == 1
        elif one.premise is None:
            premise = np.ones(graph.states, np.bool_)
        else:
            premise = premises & mask != 0
        yield goals & mask != 0, premise


def unrecoverable(graph: Graph, goal: Array, premise: Array) -> Stuck | None:
    """The first state from which steps that are no faults do not lead to the goal."""
    everywhere = np.ones(graph.states, np.bool_)
    lost = np.flatnonzero(premise & (graph.distances(goal, everywhere, False) < 0))
    return Stuck(int(lost[np.argmin(graph.depths[lost])]), [], None, lost) if len(lost) else None


def avoided(graph: Graph, goal: Array, premise: Array) -> Stuck | None:
    """A fair behaviour that comes to the premise, and from then on never to the goal."""
    open_states = ~goal
    if not (premise & open_states).any():
        return None
    component = fair_components(graph, open_states)
    distance = graph.distances(component >= 0, open_states, True)
    lost = np.flatnonzero(premise & (distance >= 0))
    if not len(lost):
        return None
    state = int(lost[np.argmin(graph.depths[lost] + distance[lost])])
    path = downhill(graph, state, distance)
    entry = path[-1][1] if path else state
    further, cycle = Around(graph, component == component[entry]).cycle_from(entry)
    return Stuck(state, [*path, *further], cycle)


def left_again(graph: Graph, goal: Array, premise: Array) -> Stuck | None:
    """A fair behaviour that leaves the goal again and again: a component where one can stay has a state without it."""
    component = fair_components(graph, np.ones(graph.states, np.bool_))
    outside = np.flatnonzero(premise & ~goal & (component >= 0))
    if not len(outside):
        return None
    state = int(outside[np.argmin(graph.depths[outside])])
    return Stuck(state, [], Around(graph, component == component[state]).cycle_through(state))


def length(graph: Graph, stuck: Stuck) -> int:
    """How many states its trace has."""
    return int(graph.depths[stuck.state]) + len(stuck.path) + len(stuck.cycle or ())
