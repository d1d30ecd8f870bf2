"""The inner loops of sorting a level: plain functions over arrays, compiled as those of the visited set are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .arrays import Numbers, Words
from .hash_table import words_of

if TYPE_CHECKING:
    from .machine_instructions import extract_bits, prefetch

AHEAD = 16
"""How many rows ahead cache lines are prefetched."""


def rank(keys: Words, parts: Words, counts: Words, room: np.uint64, ranks: Words) -> None:
    """For each key its bits that `parts` [part, 2] name, those of the first part on top, and below them its place.

    A part is a word of a key and bits of it, and `counts` [part] how many these are; `room`: how many bits a place needs; `ranks`
    [place].
    """
    for i in range(keys.shape[0]):
        bits = np.uint64(0)
        for part in range(parts.shape[0]):
            bits = (bits << counts[part]) | extract_bits(keys[i, parts[part, 0]], parts[part, 1])
        ranks[i] = (bits << room) | np.uint64(i)


def sort_ranks(ranks: Words, spare: Words, room: np.uint64, digit: np.uint64, counts: Numbers) -> bool:
    """Sort ranks by what is above their lowest `room` bits; where that is the same they keep their order.

    It goes by one digit of `digit` bits after the other, the lowest first. `counts` [digit, value of the digit + 1]: zeros.
    True if the result is in `spare`, else it is in `ranks`.
    """
    digits, last = counts.shape[0], np.uint64(counts.shape[1] - 2)
    for i in range(ranks.shape[0]):
        bits = ranks[i] >> room
        for d in range(digits):
            counts[d, np.int64(bits & last) + 1] += 1
            bits = bits >> digit
    moved = False
    for d in range(digits):
        for value in range(counts.shape[1] - 1):
            counts[d, value + 1] += counts[d, value]
        source, target = (spare, ranks) if moved else (ranks, spare)
        below = room + digit * np.uint64(d)
        for i in range(source.shape[0]):
            mine = np.int64((source[i] >> below) & last)
            target[counts[d, mine]] = source[i]
            counts[d, mine] += 1
        moved = not moved
    return moved


def put_in_order(keys: Words, metas: Words, places: Numbers, keys_out: Words, metas_out: Words) -> None:
    """Copy the keys and meta words at these places, in their order."""
    for i in range(places.shape[0]):
        if i + AHEAD < places.shape[0]:
            prefetch(keys, places[i + AHEAD] * words_of(keys))
            prefetch(metas, places[i + AHEAD])
        j = np.uint64(places[i])  # unsigned: it counts from no end
        for k in range(words_of(keys)):
            keys_out[i, k] = keys[j, k]
        metas_out[i] = metas[j]
