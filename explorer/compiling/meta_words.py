"""Meta words: from which state, and by which action, a state was found first, in 64 bits.

    index of the parent in its shard (40 bits) | shard of the parent (8) | code of the action with its arguments (16)

The functions serve numbers in compiled code and whole arrays in Python alike.
"""

from typing import Any

import numpy as np

INDEX_BITS, SHARD_BITS, CODE_BITS = 40, 8, 16

MAX_SHARDS = 1 << SHARD_BITS
MAX_CODES = (1 << CODE_BITS) - 1
"""Codes are below this number, so that no state's meta word is `ROOT`."""

ROOT = np.uint64(0xFFFFFFFFFFFFFFFF)
"""The meta word of an initial state, which has no parent."""


def meta_word(index: Any, shard: Any, code: Any) -> Any:
    """The meta word of a state that `code` leads to from the state `index` of `shard`."""
    return np.uint64(index << (SHARD_BITS + CODE_BITS) | shard << CODE_BITS | code)


def parent_index(meta: Any) -> Any:
    """The parent's index in its shard."""
    return meta >> np.uint64(SHARD_BITS + CODE_BITS)


def parent_shard(meta: Any) -> Any:
    """The parent's shard."""
    return (meta >> np.uint64(CODE_BITS)) & np.uint64((1 << SHARD_BITS) - 1)


def action_code(meta: Any) -> Any:
    """The code of the action with its arguments."""
    return meta & np.uint64((1 << CODE_BITS) - 1)
