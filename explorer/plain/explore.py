"""Breadth-first search in plain Python, with properties and counts.

It is slow and obviously correct. The other engines are compared with it on small configurations, and it is
what their speed is measured in.
"""

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ...model.language.actions import Model
from ...model.language.around import OUTSIDE
from ...model.language.kinds import cells
from ...properties.property import Property
from ...traces.replay import note
from .breadth_first import breadth_first


@dataclass
class PlainResult:
    """What a plain search saw. `depth_of`: the level of each state, by its cells; levels begin at 1."""

    depth_of: dict[tuple[int, ...], int] = field(default_factory=dict)
    levels: list[int] = field(default_factory=list)
    transitions: int = 0
    taken: Counter[str] = field(default_factory=Counter)
    found: dict[str, int] = field(default_factory=dict)
    complete: bool = True
    cpu_seconds: float = 0.0

    @property
    def states(self) -> int:
        """Distinct states."""
        return len(self.depth_of)


def explore_plain(
    model: Model,
    config: Any,
    properties: Iterable[Property] = (),
    most_states: int | None = None,
    cpu_seconds: float | None = None,
) -> PlainResult:
    """Explore everything, or until a bound; `found` has the depth at which properties are violated or witnessed."""
    begun = time.process_time()
    result, properties = PlainResult(), list(properties)
    of_states, of_steps = ([p for p in properties if p.over_steps == steps] for steps in (False, True))
    for depth, before, action, _, state in breadth_first(model, config):
        if action is not None:
            result.transitions += action.name != OUTSIDE
            result.taken[action.name] += 1
            note(result.found, result.found, of_steps, before, state, depth)
            continue
        if _is_over(result, most_states, cpu_seconds, begun):
            result.complete = False
            break
        result.depth_of[cells(state)] = depth
        result.transitions += depth == 1
        result.levels += [0] * (depth - len(result.levels))
        result.levels[-1] += 1
        note(result.found, result.found, of_states, None, state, depth)
    result.cpu_seconds = time.process_time() - begun
    return result


def _is_over(result: PlainResult, most_states: int | None, cpu_seconds: float | None, begun: float) -> bool:
    if most_states is not None and result.states >= most_states:
        return True
    return cpu_seconds is not None and time.process_time() - begun >= cpu_seconds
