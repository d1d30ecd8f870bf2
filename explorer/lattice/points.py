"""Sets of repairs as points: a level for each chain, ordered level by level. Numbered from the smallest sets to the largest."""

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.repairs import Chain

MAX_POINTS = 1 << 21
"""Points that a search keeps in memory."""

Mask = NDArray[np.bool_]
"""Some of the points."""


class Points:
    """The points of some chains over one revision with `settings`. Point 0 has no repair, the last one all.

    `unread`: chains that change no verdict, and so do not vary.
    """

    def __init__(
        self, model: Model, revision: str, settings: dict[str, Any], chains: Sequence[Chain], unread: Sequence[Chain] = ()
    ) -> None:
        self.model, self.revision, self.settings, self.chains = model, revision, settings, tuple(chains)
        self.unread = tuple(unread)
        shape = [chain.top + 1 for chain in chains]
        self.count = math.prod(shape)
        if self.count > MAX_POINTS:
            raise UsageError(f"{self.count:,} sets of repairs are more than {MAX_POINTS:,}; name fewer with --repair")
        grid = np.indices(shape).reshape(len(shape), -1).T.astype(np.int8) if shape else np.zeros((1, 0), np.int8)
        self.levels = grid[np.lexsort((*(-grid.T[::-1]), grid.sum(axis=1)))] if shape else grid
        self.rank = self.levels.sum(axis=1)
        self.base = model.configure(revision, **settings)

    def settings_of(self, point: int) -> dict[str, Any]:
        """All settings that are given at a point, as people write them."""
        return self.settings | self.point_shown(point)

    def possible_settings(self, point: int) -> dict[str, Any]:
        """The settings with which a point is explored.

        Where the model refuses the point's own, repairs that change no verdict are taken out: all of them, or else one.
        """
        given, lowest = self.settings_of(point), {chain.setting: chain.value(0) for chain in self.unread}
        for lowered in ({}, lowest, *({name: value} for name, value in lowest.items())):
            with suppress(UsageError):
                self.model.configure(self.revision, **{**given, **lowered})
                return {**given, **lowered}
        return given

    def point_shown(self, point: int) -> dict[str, Any]:
        """What varies between the points, at one of them."""
        levels = map(int, self.levels[point])
        return {c.setting: c.value(level) for c, level in zip(self.chains, levels, strict=True)}

    def numbers(self, point: int) -> dict[str, int]:
        """The varied settings at a point, as the model reads them."""
        given = self.settings_of(point)
        declared = self.base.settings
        return {chain.setting: declared[chain.setting].parse(chain.setting, given[chain.setting]) for chain in self.chains}

    def names(self, point: int) -> list[str]:
        """The repairs at a point: of each chain the highest."""
        levels = map(int, self.levels[point])
        return [c.repairs[level - 1].name for c, level in zip(self.chains, levels, strict=True) if level]

    def has(self, point: int, name: str) -> bool:
        """Whether a repair is on at a point, itself or within one that was built on it."""
        levels = map(int, self.levels[point])
        return any(name in [repair.name for repair in c.repairs[:level]] for c, level in zip(self.chains, levels, strict=True))

    def above(self, point: int) -> Mask:
        """The points that have all its repairs, itself too."""
        return np.asarray((self.levels >= self.levels[point]).all(axis=1))

    def without(self, point: int) -> list[tuple[str, int]]:
        """For each repair at a point, the point that lacks it: its chain goes one level down."""
        out = []
        for number, level in enumerate(map(int, self.levels[point])):
            if level:
                lower = self.levels[point].copy()
                lower[number] -= 1
                index = int(np.flatnonzero((self.levels == lower).all(axis=1))[0])
                out.append((self.chains[number].repairs[level - 1].name, index))
        return out

    def alike(self, point: int, read: set[str]) -> Mask:
        """The points that give all the settings that were read the values that they have at this one."""
        columns = [n for n, chain in enumerate(self.chains) if chain.setting in read]
        return np.asarray((self.levels[:, columns] == self.levels[point, columns]).all(axis=1))
