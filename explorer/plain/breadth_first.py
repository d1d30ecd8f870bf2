"""Every reachable state and step in breadth-first order, from the model as it is written: sets and lists, nothing else."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ...model.language.actions import Model
from ...model.language.kinds import cells
from ...model.language.reading.beginnings import in_turn
from ...model.language.steps import Action


class Edge(NamedTuple):
    """A step, or, without `action`, a state that is seen for the first time.

    `after` is what the action leaves, on the level `depth`; it is put into its normal form when the next item is asked for.
    A new state is in its normal form; `before` is where it was found, None of an initial state. Levels begin at 1.
    """

    depth: int
    before: Any
    action: Action | None
    arguments: tuple[int, ...]
    after: Any


def breadth_first(model: Model, config: Any) -> Iterator[Edge]:
    """Every step, and every state when it is first seen."""
    steps, seen = model.steps(config), set[tuple[int, ...]]()
    level: list[Any] = []

    def is_new(state: Any) -> bool:
        if model.normal_form is not None:
            model.normal_form(state)
        known = len(seen)
        seen.add(cells(state))
        return len(seen) > known

    for state in in_turn(model, config):
        if is_new(state):
            level.append(state)
            yield Edge(1, None, None, (), state)
    depth = 1
    while level:
        depth, following = depth + 1, []
        for state in level:
            for action, arguments, after in model.enabled(state, steps):
                yield Edge(depth, state, action, arguments, after)
                if is_new(after):
                    following.append(after)
                    yield Edge(depth, state, None, (), after)
        level = following
