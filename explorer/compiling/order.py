"""The order in which a level is expanded: states that are alike lie side by side, and lanes then do much the same."""

import numpy as np
from numpy.typing import NDArray

from .arrays import WORD_BITS, Words

SORTED_WORDS = 3
"""Words of a key from which on it costs less to sort states than to expand them in any order (measured with 2, 4 and 5)."""

LEAST_SORTED = 1 << 12
"""The local explorer does not sort fewer states of a shard: there is little to gain."""

BLOCK = 1 << 18
"""States that are sorted together. On Spark: at most, if a level is as large as the one before it."""


def order_of(keys: Words, bits: int) -> NDArray[np.int64]:
    """The places of keys of so many bits, in the order of the keys' last 64 bits.

    The lowest of these, as many as a place needs, give way to the key's place: no two are equal, and every machine sorts alike.
    """
    used = (bits - 1) % WORD_BITS + 1
    ranks = keys[:, -1] << np.uint64(WORD_BITS - used)
    if used < WORD_BITS and keys.shape[1] > 1:
        ranks |= keys[:, -2] >> np.uint64(used)
    places = np.uint64((1 << (len(keys) - 1).bit_length()) - 1)
    ranks &= ~places
    ranks |= np.arange(len(keys), dtype=np.uint64)
    ranks.sort()
    ranks &= places
    return ranks.view(np.int64)


def in_order(rows: Words, order: NDArray[np.int64], room: Words) -> Words:
    """The rows in this order, in the memory of `room`: to clear new memory would cost more than to fill it."""
    return rows.take(order, axis=0, out=room[: rows.size].reshape(rows.shape), mode="clip")
