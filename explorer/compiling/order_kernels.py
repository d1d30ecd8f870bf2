"""The inner loop of sorting a level: a plain function over arrays, compiled as those of the visited set are."""

from __future__ import annotations

import numpy as np

from .arrays import Words
from .hash_table import words_of
from .machine_instructions import extract_bits


def rank(keys: Words, masks: Words, counts: Words, room: np.uint64, ranks: Words) -> None:
    """For each key the bits that `masks` [tier, word of a key] name, those of the first tier on top, and below them its place.

    `counts` [tier, word of a key]: how many bits each mask names; `room`: how many bits a place needs; `ranks` [place].
    """
    for i in range(keys.shape[0]):
        bits = np.uint64(0)
        for tier in range(masks.shape[0]):
            for k in range(words_of(keys)):
                bits = (bits << counts[tier, k]) | extract_bits(keys[i, k], masks[tier, k])
        ranks[i] = (bits << room) | np.uint64(i)
