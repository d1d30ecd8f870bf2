"""The newest level is sorted before it is expanded: states in which the same actions are enabled then lie side by side (`order`).

By which bits, is chosen while the search goes on, from what is enabled in a sample of a level; again when levels have grown.
Shards are sorted together while they are small: of more states, more are alike.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..compiling.arrays import Words
from ..compiling.compiled import Compiled
from ..compiling.order import BLOCK, Order, telling_bits
from ..compiling.visited import Shard

MIN_SORTED = 1 << 13
"""Smaller levels are not sorted: there is little to gain."""

TOGETHER = 1 << 16
"""Shards are sorted together while they have at most so many states."""

GROUPS = 2
"""They are sorted in at least so many groups, each of which is one thread's."""

SAMPLE = 1 << 8
"""How many states show which bits tell what is enabled."""

GROWN = 4
"""The bits are chosen again when a level has so many times the states of that for which they were chosen."""

Enabled = NDArray[np.bool_]
"""What is enabled in each of some states: [state, code]."""


class Sorting:
    """By what the levels of a search are sorted, and how."""

    def __init__(self, compiled: Compiled, shards: Sequence[Shard], exact: bool) -> None:
        self.compiled, self.shards = compiled, shards
        self.sorts = compiled.sorts and not exact
        """Whether levels are sorted. In exact mode nothing moves: tables hold places."""
        self.order = Order([], compiled.key_words, compiled.table)
        self.chosen_for = 0

    def choose(self, states: int, enabled_in: Callable[[Words], Enabled]) -> None:
        """Choose the bits for the newest level, which has so many states, if that is due.

        The choice does not depend on the order of the states, which is another one when a run is resumed.
        """
        keys = self.shards[0].frontier()
        if self.sorts and states >= max(MIN_SORTED, GROWN * self.chosen_for) and len(keys) > 1:
            least = np.argsort(self.compiled.fingerprints(np.ascontiguousarray(keys)))[:SAMPLE]
            sample = np.ascontiguousarray(keys[least])
            enabled = enabled_in(sample)
            if len(enabled) > 1:
                bits = telling_bits(sample[: len(enabled)], enabled)
                self.order, self.chosen_for = Order([bits], self.compiled.key_words, self.compiled.table), states

    def groups(self, states: int) -> list[Sequence[Shard]]:
        """The shards that are sorted together; none if the level has too few states."""
        if not self.sorts or states < MIN_SORTED:
            return []
        count = len(self.shards)
        size = max(1, count // GROUPS)
        while size > 1 and size * states > TOGETHER * count:
            size //= 2
        return [self.shards[first : first + size] for first in range(0, count, size)]

    def sort(self, group: Sequence[Shard]) -> None:
        """Sort the newest levels of some shards as if they were one; each shard has as many states afterwards as before."""
        levels = [(shard.frontier(), shard.metas()) for shard in group]
        if len(levels) > 1:
            self._sort(levels)
            return
        ((keys, metas),) = levels
        for first in range(0, len(keys), BLOCK):
            block = slice(first, first + BLOCK)
            self._sort([(keys[block], metas[block])])

    def _sort(self, parts: Sequence[tuple[Words, Words]]) -> None:
        """Sort what lies in some places together: keys, and with them meta words."""
        keys, metas = map(np.concatenate, zip(*parts, strict=True))
        places, end = self.order.of(keys), 0
        for mine, words in parts:
            begin, end = end, end + len(mine)
            self.compiled.table.put_in_order(keys, metas, places[begin:end], mine, words)
