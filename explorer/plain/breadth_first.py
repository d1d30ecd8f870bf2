"""Every reachable state and step in breadth-first order, from the model as it is written: sets and lists, nothing else."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ...model.language.actions import Action, Model
from ...model.language.kinds import cells


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


def breadth_first(model: Model, config: Any, normal_form: bool = True) -> Iterator[Edge]:
    """Every step, and every state when it is first seen. Without the normal form there may be no end."""
    normalise = model.normal_form if normal_form else None
    steps, seen = model.steps(config), set[tuple[int, ...]]()
    level: list[Any] = []

    def is_new(state: Any) -> bool:
        if normalise is not None:
            normalise(state)
        known = len(seen)
        seen.add(cells(state))
        return len(seen) > known

    for state in model.initial_states(config):
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


def reachable(model: Model, config: Any, normal_form: bool = True, deepest: int | None = None) -> Iterator[tuple[int, Any]]:
    """Every reachable state with its level, down to a level."""
    for depth, _, action, _, state in breadth_first(model, config, normal_form):
        if deepest is not None and depth > deepest:
            return
        if action is None:
            yield depth, state
