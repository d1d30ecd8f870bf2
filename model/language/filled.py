"""Many initial states at once: a state for each way to fill some variables."""

import itertools
import re
from collections.abc import Iterator
from math import prod
from typing import Any, TypeVar

from .errors import UsageError
from .kinds import NO_MEMBER, Kind, Member, State, fill, leaves, walk

S = TypeVar("S", bound=State)

MOST_WAYS = 1 << 62
"""More ways than that nobody tries."""


def every(state: S, *paths: str) -> list[S]:
    """A state for each way to fill some variables, given as `token` or `node[].active`; the other variables stay as they are.

    Raises UsageError when a path is no variable's.
    """
    return list(every_in_turn(state, *paths))


def every_in_turn(state: S, *paths: str) -> Iterator[S]:
    """As `every`, each state when it is asked for."""
    chosen = {path for path, *_ in ways_of(state, *paths)}
    variables = zip(walk(type(state), state), leaves(state), strict=True)  # each with its value as the state holds it
    choices = [_values(kind, state.config) if path in chosen else [value] for (path, kind, _), value in variables]
    return (fill(state.copy(), some) for some in itertools.product(*choices))


every.in_turn = every_in_turn  # type: ignore[attr-defined]  # what a text that is read says instead (`reading.beginnings`)


def ways_of(state: State, *paths: str) -> list[tuple[str, Kind, int, int]]:
    """The variables that are filled: of each its path, its kind, its lowest value and how many it has."""
    named = [(re.sub(r"\[\d+\]", "[]", path), path, kind) for path, kind, _ in walk(type(state), state)]
    known = dict.fromkeys(name for name, _, _ in named)
    if unknown := [path for path in paths if path not in known]:
        raise UsageError(f"{unknown[0]} is not a variable of the state; it has {', '.join(known)}")
    spans = [(path, kind, *kind.span(state.config)) for name, path, kind in named if name in paths]
    ways = [(path, kind, low, high - low + 1) for path, kind, low, high in spans]
    if prod(count for *_, count in ways) > MOST_WAYS:
        raise UsageError(f"there are too many ways to fill {', '.join(paths)}; choose smaller sizes")
    return ways


def _values(kind: Kind, config: Any) -> list[Any]:
    """All that a variable of this kind may hold."""
    low, high = kind.span(config)
    return [NO_MEMBER if isinstance(kind, Member) and number < 0 else kind.typed(number) for number in range(low, high + 1)]
