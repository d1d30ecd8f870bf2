"""Breadth-first search in plain Python: the model as it is written, sets and lists, nothing else.

It is slow and obviously right. The other engines are held against it on small configurations, and it is
what their speed is measured in.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ...model.language.actions import Model
from ...model.language.kinds import cells
from ...properties.property import SOMETIMES, Property
from ...traces.replay import note_broken


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
    normal_form: bool = True,
) -> PlainResult:
    """Explore everything, or until a bound; `found` has the depth at which properties fall or are witnessed."""
    begun = time.process_time()
    result = PlainResult()
    properties = list(properties)
    normalise = model.normal_form if model.normal_form is not None and normal_form else _as_it_is
    level: list[Any] = []
    for state in model.initial_states(config):
        normalise(state)
        if result.depth_of.setdefault(cells(state), 1) and cells(state) not in (cells(s) for s in level):
            level.append(state)
            look_at(result.found, properties, None, state, 1)
    result.transitions = len(level)
    while level:
        result.levels.append(len(level))
        depth, following = len(result.levels) + 1, []
        for state in level:
            if _is_over(result, most_states, cpu_seconds, begun):
                result.complete, level = False, []
                break
            for action, _, successor in model.enabled(state):
                result.transitions += 1
                result.taken[action.name] += 1
                look_at(result.found, properties, state, successor, depth, only_steps=True)
                normalise(successor)
                key = cells(successor)
                if key not in result.depth_of:
                    result.depth_of[key] = depth
                    following.append(successor)
                    look_at(result.found, properties, None, successor, depth)
        level = following if result.complete else []
    result.cpu_seconds = time.process_time() - begun
    return result


def _as_it_is(state: Any) -> None:
    """The normal form of a model that has none."""


def _is_over(result: PlainResult, most_states: int | None, cpu_seconds: float | None, begun: float) -> bool:
    if most_states is not None and result.states >= most_states:
        return True
    return cpu_seconds is not None and time.process_time() - begun >= cpu_seconds


def look_at(
    found: dict[str, int], properties: list[Property], before: Any, state: Any, depth: int, only_steps: bool = False
) -> None:
    """Note which properties this state, or the step to it, breaks or witnesses first."""
    due = [p for p in properties if p.name not in found and p.over_steps == only_steps]
    note_broken(found, [p for p in due if p.kind != SOMETIMES], before, state, depth)
    for one in due:
        if one.kind == SOMETIMES and one.holds(*([before, state] if one.over_steps else [state])):
            found[one.name] = depth
