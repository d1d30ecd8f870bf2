"""States in keys: the bits that vary, one variable after the other (`packing` writes the same for one configuration)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .arrays import WORD_BITS, Packing, Words

if TYPE_CHECKING:
    from .machine_instructions import deposit_bits, extract_bits


def pack(rows: Words, at: int, packing: Packing, keys: Words, to: int) -> None:
    """Write the key of `rows[at]` to `keys[to]`."""
    high = packing.high
    gathered = np.uint64(0)
    filled = np.uint64(0)
    k = 0
    for i in range(packing.word.shape[0]):
        x = rows[at, packing.word[i]]
        bias = packing.bias[i]
        x = ((x & ~high) + (bias & ~high)) ^ ((x ^ bias) & high)
        x = extract_bits(x, packing.mask[i])
        gathered |= x << filled
        total = filled + packing.bits[i]
        if total >= np.uint64(WORD_BITS):
            keys[to, k] = gathered
            k += 1
            gathered = x >> (np.uint64(WORD_BITS) - filled) if filled > np.uint64(0) else np.uint64(0)
            filled = total - np.uint64(WORD_BITS)
        else:
            filled = total
    if k < keys.shape[1]:
        keys[to, k] = gathered


def unpack(keys: Words, at: int, packing: Packing, rows: Words, to: int) -> None:
    """Write the state of `keys[at]` to `rows[to]`; the configuration's words stay."""
    high = packing.high
    used = np.uint64(0)
    k = 0
    for i in range(packing.word.shape[0]):
        x = keys[at, k] >> used
        total = used + packing.bits[i]
        if total > np.uint64(WORD_BITS):
            x |= keys[at, k + 1] << (np.uint64(WORD_BITS) - used)
        x = deposit_bits(x, packing.mask[i])
        bias = packing.bias[i]
        x = ((x | high) - (bias & ~high)) ^ ((x ^ ~bias) & high)
        rows[to, packing.word[i]] = x & packing.post[i]
        if total >= np.uint64(WORD_BITS):
            total -= np.uint64(WORD_BITS)
            k += 1
        used = total
        if k == keys.shape[1]:
            k -= 1  # only words without varying bits are left
            used = np.uint64(0)
