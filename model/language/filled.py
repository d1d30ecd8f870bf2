"""Many initial states at once: a state for each way to fill some variables."""

import itertools
import re
from typing import Any, TypeVar

from .errors import UsageError
from .kinds import NO_MEMBER, Kind, Member, State, fill, leaves, walk

S = TypeVar("S", bound=State)


def every(state: S, *paths: str) -> list[S]:
    """A state for each way to fill some variables, given as `token` or `node[].active`; the other variables stay as they are.

    Raises UsageError when a path is no variable's.
    """
    named = [(re.sub(r"\[\d+\]", "[]", path), kind) for path, kind, _ in walk(type(state), state)]
    if unknown := [path for path in paths if path not in dict(named)]:
        raise UsageError(f"{unknown[0]} is not a variable of the state; it has {', '.join(dict(named))}")
    choices = [_values(k, state.config) if p in paths else [v] for (p, k), v in zip(named, leaves(state), strict=True)]
    return [fill(state.copy(), some) for some in itertools.product(*choices)]


def _values(kind: Kind, config: Any) -> list[Any]:
    """All that a variable of this kind may hold."""
    low, high = kind.span(config)
    return [NO_MEMBER if isinstance(kind, Member) and number < 0 else kind.typed(number) for number in range(low, high + 1)]
