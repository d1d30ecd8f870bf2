"""A behaviour taken in many configurations at once: in which of them is it one, and violates the property at its end?

The plain model runs each step once for all points that give the settings which it reads the same values; where it reads another
value, or leads to another state, the points part. So the answer is exact for every point, and no assumption is made about what
a repair can do. A point that is not in the answer may still violate the property by another behaviour.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from ...model.language.kinds import walk
from ...model.language.reading.beginnings import in_turn
from ...model.language.settings import Watched
from ...properties.property import Property
from ...traces.replay import shows
from ...traces.trace import Trace
from .points import Mask, Points


def violated_at(points: Points, among: Mask, trace: Trace, claim: Property) -> Mask:
    """Those `among` the points where the steps of the trace are a behaviour whose end violates the property."""
    model = points.model
    actions = {action.name: action for action in model.actions}

    def begin(watched: Any) -> Any:
        state = next(islice(in_turn(model, watched), trace.initial, None), None)
        return (None, state) if claim.applies(watched) and state is not None else None

    places = [*parted(points, among, begin)]
    for step in trace.steps:
        action, arguments = actions[step.action], [value for _, value in step.arguments]

        def take(watched: Any, state: Any, action: Any = action, arguments: Any = arguments) -> Any:
            if any(value >= getattr(watched, d) for value, d in zip(arguments, action.dimensions, strict=True)):
                return None
            before, after = state.copy(), state.copy()
            before.config = after.config = watched
            return (before, after) if action.version(watched)(after, *arguments) else None

        places = merged(found for (_, state), mask in places for found in parted(points, mask, partial(take, state=state)))
    out = among & False
    for (before, state), mask in places:

        def violates(watched: Any, before: Any = before, state: Any = state) -> bool:
            for each in (before, state):
                if each is not None:
                    each.config = watched
            return shows(claim, before, state)

        for violated, cell in parted(points, mask, violates):
            if violated:
                out |= cell
    return out


def applies_at(points: Points, claim: Property) -> Mask:
    """The points where the property applies."""
    everywhere = np.ones(points.count, np.bool_)
    cells = [cell for applies, cell in parted(points, everywhere, claim.applies) if applies]
    return np.asarray(np.logical_or.reduce([~everywhere, *cells]))


def parted(points: Points, mask: Mask, run: Callable[[Any], Any]) -> Iterator[tuple[Any, Mask]]:
    """What `run` answers, with the points for which it is the answer: those that agree on all that it reads."""
    left = mask.copy()
    while left.any():
        point = int(left.argmax())
        watched = Watched(points.base, points.numbers(point))
        answer = run(watched)
        cell = left & points.alike(point, watched.read)
        left &= ~cell
        if answer is not None:
            yield answer, cell


def named(state: Any) -> tuple[tuple[str, Any], ...]:
    """The variables of a state by name: the layout may differ between points."""
    return tuple((path, value) for path, _, value in walk(type(state), state))


def merged(places: Iterator[tuple[Any, Mask]]) -> list[tuple[Any, Mask]]:
    """Places of the same two states are one."""
    out: dict[Any, tuple[Any, Mask]] = {}
    for (before, state), mask in places:
        key = named(before), named(state)
        kept, so_far = out.get(key, ((before, state), mask & False))
        out[key] = kept, so_far | mask
    return list(out.values())
