"""States, transitions and levels of a configuration, from those of smaller ones.

The logarithm of the number of states is nearly a polynomial of degree two in sizes and budgets: it grows evenly from broker to
broker, and a little less with each further record, epoch or fault. So a surface of degree two through the logarithms of all
smaller configurations, the nearest weighing most, continues to the one that is asked for (docs/scale.md: how often it was right).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .smaller import Known, Point

NEAR = 0.5
"""How fast the weight of a configuration falls with each step between it and the one that is asked for."""

STIFF = {"linear": 1e-5, "square": 0.03, "product": 0.01}
"""Penalties on the terms of each sort: they decide where a few configurations leave a surface open."""

HALF_WIDTHS = ((10_000, 2.0), (3_000, 3.0), (1_000, 5.0))
"""If the largest smaller configuration has so many states: the factor by which the truth may differ, either way; with fewer
nothing is estimated. From configurations whose states are known: docs/scale.md."""

WIDEST = 10_000.0
"""A wider interval than by this factor, either way, says nothing."""

TRIED = 2
"""Steps from the configuration to the nearest that is known, for which these factors were found. For others they are raised to
the power of what the steps are of these."""


@dataclass(frozen=True)
class Estimate:
    """`low` to `high`: where the states are expected. `largest`: states of the largest configuration that it is from; `steps`:
    between the configuration and the nearest of those; `known`: how many they are."""

    states: float
    low: float
    high: float
    transitions: float
    levels: int
    profile: tuple[float, ...]
    largest: int
    steps: int
    known: int


def estimate(known: Mapping[Point, Known], top: Point) -> Estimate | None:
    """The estimate for the point `top`; exact where it was explored itself, None where something is `lacking`."""
    if top in known:
        item = known[top]
        states, profile = float(item.states), tuple(map(float, item.levels))
        return Estimate(states, states, states, item.transitions, len(profile), profile, item.states, 0, len(known))
    if lacking(known, top, [""] * len(top)):
        return None
    largest = max(known.values(), key=lambda point: point.states)
    factor = width(known, top)
    states = math.exp(continued(known, top, lambda point: math.log(point.states)))
    each = math.exp(continued(known, top, lambda point: math.log(point.transitions / point.states)))
    levels = max(2, round(continued(known, top, lambda point: float(len(point.levels)))))
    steps = distance(known, top)
    profile = stretched(largest.levels, levels, states)
    return Estimate(states, states / factor, states * factor, states * each, levels, profile, largest.states, steps, len(known))


def distance(known: Mapping[Point, Known], top: Point) -> int:
    """The steps from the point `top` to the nearest that is known."""
    return min(sum(top) - sum(point) for point in known)


def width(known: Mapping[Point, Known], top: Point) -> float:
    """The factor by which the truth may differ, either way."""
    most = max(profile.states for profile in known.values())
    factor = next(factor for least, factor in HALF_WIDTHS if most >= least)
    return float(factor ** max(1.0, distance(known, top) / TRIED))


def lacking(known: Mapping[Point, Known], top: Point, names: Sequence[str]) -> str:
    """Why nothing can be estimated, in words, or nothing: it takes as many configurations as the surface has terms, a large one
    among them, and each setting must differ between them, or nothing says what it costs."""
    values = [{point[place] for point in known} for place in range(len(top))]
    same = [name for name, some, value in zip(names, values, top, strict=True) if known and some <= {min(some)} - {value}]
    places = sum(len(some) > 1 for some in values)
    terms, least = 1 + places + places * (places + 1) // 2, HALF_WIDTHS[-1][0]
    if not any(profile.states >= least for profile in known.values()):
        return f"none of the {len(known)} smaller configurations that were explored has {least:,} states"
    if same:
        return f"all configurations that were explored have the same {', '.join(same).replace('_', ' ')}"
    if len(known) < terms:
        return f"{len(known)} smaller configurations were explored, and it takes {terms}"
    far = f"the nearest configuration that was explored is {distance(known, top):,} steps smaller, too far to say anything"
    return far if width(known, top) > WIDEST else ""


def continued(known: Mapping[Point, Known], top: Point, value: Callable[[Known], float]) -> float:
    """The value at `top` of the surface of degree two through the values that are known, which is least squares with weights and
    penalties."""
    steps = np.array(list(known), float) - np.array(top, float)
    values = np.array([value(profile) for profile in known.values()])
    terms, penalties = terms_of(steps)
    weights = np.exp(-NEAR * np.abs(steps).sum(1))[:, None]  # each counts as often
    weighted = terms * weights
    solved = np.linalg.solve(weighted.T @ terms + np.diag(penalties), weighted.T @ values)
    return float(solved[0])


def terms_of(steps: NDArray[np.float64]) -> tuple[NDArray[np.float64], list[float]]:
    """The terms of degree 0, 1 and 2 of each point (a row of distances), and the penalty on each."""
    columns, penalties = [np.ones(len(steps))], [0.0]
    for place in range(steps.shape[1]):
        columns.append(steps[:, place])
        penalties.append(STIFF["linear"])
        for other in range(place, steps.shape[1]):
            columns.append(steps[:, place] * steps[:, other])
            penalties.append(STIFF["square" if other == place else "product"])
    return np.stack(columns, 1), penalties


def stretched(levels: tuple[int, ...], count: int, states: float) -> tuple[float, ...]:
    """The states of each of `count` levels: logarithms of those of a smaller configuration, stretched in both directions."""
    places = np.linspace(0, len(levels) - 1, count)
    shape = np.interp(places, np.arange(len(levels)), np.log(levels))
    low, high = 0.0, 10.0
    for _ in range(60):  # the power of the shape at which the levels add up to the states
        middle = (low + high) / 2
        low, high = (middle, high) if np.exp(middle * shape).sum() < states else (low, middle)
    return tuple(np.exp(high * shape))
