"""Hypothesis strategies for configurations: clusters of every size and with every fault."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ..model.language.actions import Model
from ..model.language.errors import UsageError
from ..model.language.settings import Settings

EXAMPLES = 24


def highest(model: Model) -> dict[str, int]:
    """For each size and fault the highest value that the model's widest layout holds."""
    room = model.capacities["large" if "large" in model.capacities else "small"]
    top = {n: s.high for n, s in model.config.settings.items() if s.group in ("size", "fault")}
    for name, value in list(top.items()):
        while value > model.config.settings[name].default and not fits(model, {name: value}, room):
            value -= 1
        top[name] = value
    return top


def fits(model: Model, settings: Mapping[str, int], room: Mapping[str, int]) -> bool:
    """Whether a configuration with these settings is legal and has room in a layout."""
    try:
        config = model.config(**settings)
    except UsageError:
        return False
    return all(getattr(config, dimension) <= most for dimension, most in room.items())


def configurations(
    model: Model, revision: str, up_to: Mapping[str, int] | None = None, at_least: Mapping[str, int] | None = None, **fixed: Any
) -> SearchStrategy[Any]:
    """Configurations of a revision: sizes and faults between `at_least` and `up_to`, the settings `fixed` as they are.

    Shrinks towards the smallest. Combinations that do not fit each other are not drawn.
    """
    bounds = {**highest(model), **(up_to or {})}
    low = at_least or {}
    drawn = {
        name: st.integers(max(model.config.settings[name].low, low.get(name, 0)), most)
        for name, most in bounds.items()
        if name not in fixed
    }

    def build(values: Mapping[str, int]) -> Any:
        try:
            return model.configure(revision, **values, **fixed)
        except UsageError:
            return None

    return st.fixed_dictionaries(drawn).map(build).filter(lambda config: config is not None)


def examples(model: Model, revision: str, largest: Settings, seed: int, count: int = EXAMPLES) -> list[Any]:
    """Some configurations with sizes and faults up to those of `largest`, its switches as they are; by seed."""
    chance = random.Random(seed)
    fixed = {n: v for n, v in largest.shown().items() if model.config.settings[n].group == "switch"}
    top = {n: getattr(largest, n) for n, s in model.config.settings.items() if s.group in ("size", "fault")}
    out: list[Any] = []
    while len(out) < count:
        values = {n: chance.randint(min(model.config.settings[n].low, most), most) for n, most in top.items()}
        try:
            out.append(model.configure(revision, **{**fixed, **values}))
        except UsageError:
            continue
    return out
