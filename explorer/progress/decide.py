"""Whether properties of progress hold in a graph, and where they do not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.steps import FAULT, STRONG, WEAK
from ...properties.property import EVENTUALLY, EVENTUALLY_ALWAYS, RECOVERABLE, Property
from ..compiling.compiled import Compiled
from ..extras import needed
from ..request import Request
from .fairness import fair_components
from .graph import Array, Graph
from .implied import Said, behaviour
from .kernels import FAULTY, NOTHING, STRONGLY, WEAKLY
from .labels import Masks
from .lasso import Around, Walk, downhill

FAIRNESS = {"": NOTHING, WEAK: WEAKLY, STRONG: STRONGLY, FAULT: FAULTY}


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


def fairness_of(compiled: Compiled) -> Array:
    """What is demanded of the steps of each code."""
    actions = compiled.model.actions
    return np.array([FAIRNESS[actions[compiled.action_of[code]].fairness] for code in range(compiled.codes)], np.uint8)


def units_of(compiled: Compiled) -> Array:
    """For each code the first of those that are fair together with it."""
    first = dict[tuple[str, tuple[int, ...]], int]()
    steps = map(compiled.decode, range(compiled.codes))
    return np.array([first.setdefault(action.unit(arguments), code) for code, (action, arguments) in enumerate(steps)], np.int64)


def declares_fairness(model: Model) -> bool:
    """Whether the model says of some action that a running system does not put it off."""
    return any(action.fairness in (WEAK, STRONG) for action in model.actions)


def validate_symmetry_with_progress(request: Request) -> None:
    """UsageError where symmetry would merge states that progress must tell apart."""
    if request.symmetry and request.progress:
        raise UsageError(
            f"symmetry cannot be used for {request.progress[0].name}: with members renamed on the way, a cycle of representatives"
            " need not be a cycle, nor fair; leave out --symmetry"
        )


def require_scipy(request: Request) -> None:
    """UsageError where a cycle will be looked for and SciPy is not installed: before the exploration, not after it."""
    for claim in request.progress:
        if claim.kind != RECOVERABLE:
            with needed("progress", f"{claim.name} ({claim.kind})"):
                if find_spec("scipy") is None:
                    raise ImportError(name="scipy")


def decide(graph: Graph, claim: Property, masks: Sequence[tuple[Masks, Masks]], config: Any) -> Stuck | None:
    """Where the property fails, by a shortest path; None when it holds. `masks`: of the goals and premises of its `parts`."""
    found: Stuck | None = None
    lost = np.zeros(0, np.int64)
    for some in by_binding(graph, claim, masks, config):
        if claim.given or claim.kind == EVENTUALLY_ALWAYS:
            found_there = behaviour(graph, some)  # which keeps what is given, and not the property
            stuck = None if found_there is None else Stuck(*found_there)
        else:
            stuck = (unrecoverable if claim.kind == RECOVERABLE else avoided)(graph, some[0].goal, some[0].premise)
        if stuck is not None and stuck.lost is not None:
            lost = np.union1d(lost, stuck.lost)
        if stuck is not None and (found is None or length(graph, stuck) < length(graph, found)):
            found = stuck
    return replace(found, lost=lost) if found is not None and found.lost is not None else found


def is_never_asked(graph: Graph, claim: Property, masks: Sequence[tuple[Masks, Masks]], config: Any) -> bool:
    """Whether its premise is true in no state, or no fair behaviour keeps what implies it: what holds then says nothing."""
    if claim.premise is not None and not masks[0][1].any():
        return True
    return bool(claim.given) and all(behaviour(graph, some[1:]) is None for some in by_binding(graph, claim, masks, config))


def by_binding(graph: Graph, claim: Property, masks: Sequence[tuple[Masks, Masks]], config: Any) -> Iterator[list[Said]]:
    """For each tuple of values of the parameters: where the goals of its parts are true, and where they are asked for."""
    numbers = [{values: number for number, values in enumerate(part.bindings(config))} for part in claim.parts]
    for binding in claim.bindings(config):
        some = []
        for part, known, (goals, premises) in zip(claim.parts, numbers, masks, strict=True):
            for values in claim.instances(part, binding, config):
                mask = np.uint64(1 << known[values])
                if part.kind == EVENTUALLY:
                    premise = graph.depths == 1
                elif part.premise is None:
                    premise = np.ones(graph.states, np.bool_)
                else:
                    premise = premises & mask != 0
                some.append(Said(part.kind, goals & mask != 0, premise, part is not claim))
        yield some


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


def length(graph: Graph, stuck: Stuck) -> int:
    """How many states its trace has."""
    return int(graph.depths[stuck.state]) + len(stuck.path) + len(stuck.cycle or ())
