"""From a finding back to a trace of concrete steps.

The search keeps for each state its parent and the code of the action between. Under symmetry the parent is
a representative, so the codes name its members, not those of a real behaviour: then each step is found
again among the real steps, as one of the same action that leads to a state with the same representative.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...model.language.reading.beginnings import nth
from ...model.language.steps import Action
from ...traces.trace import LostPath
from .compiled import Compiled

Key = tuple[int, ...]
Steps = list[tuple[Action, tuple[int, ...]]]


def concrete_steps(
    compiled: Compiled, root: Key, codes: Sequence[int], last: Callable[[Any, Any], bool] | None
) -> tuple[int, Steps]:
    """The initial state's number and the steps of a behaviour that the codes describe up to renaming.

    `last` is checked at the final step: of several that lead to the same representative it chooses one.
    """
    keys = list(key_chain(compiled, root, codes))
    same = np.flatnonzero((compiled.keys_at_first() == np.array(keys[0], np.uint64)).all(axis=1))
    if not len(same):
        raise LostPath("no initial state has the recorded key")
    number = int(same[0])
    state = nth(compiled.model, compiled.config, number)
    steps: Steps = []
    for place, code in enumerate(codes):
        condition = last if place == len(codes) - 1 else None
        action, arguments, state = matching_step(compiled, state, code, keys[place + 1], condition)
        steps.append((action, arguments))
    return number, steps


def key_chain(compiled: Compiled, root: Key, codes: Sequence[int]) -> Iterator[Key]:
    """The representatives' keys along a path: each step is taken by the plain model."""
    key = root
    yield key
    for code in codes:
        state = compiled.state_of(np.array(key, np.uint64))
        action, arguments = compiled.decode(code)
        if not action.version(compiled.config)(state, *arguments):
            raise LostPath(f"{action.label(arguments)} is not enabled in the plain model")
        key = key_of(compiled, state)
        yield key


def key_of(compiled: Compiled, state: Any) -> Key:
    """The canonical key of a plain state."""
    return tuple(int(word) for word in compiled.keys_of([state])[0])


def matching_step(
    compiled: Compiled, state: Any, code: int, key: Key, condition: Callable[[Any, Any], bool] | None
) -> tuple[Action, tuple[int, ...], Any]:
    """A step of the code's action from a plain state to one with this key: (action, arguments, successor)."""
    action, recorded = compiled.decode(code)
    step = action.version(compiled.config)
    candidates = [recorded] if not compiled.symmetry else action.instances(compiled.config)
    for arguments in candidates:
        after = state.copy()
        if step(after, *arguments) and key_of(compiled, after) == key and (condition is None or condition(state, after)):
            return action, tuple(arguments), after
    raise LostPath(f"{action.name} does not lead to the recorded state")
