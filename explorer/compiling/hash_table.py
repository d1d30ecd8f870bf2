"""The inner loops of the visited set: fingerprints, and open addressing in slots that are ordered by them.

As in `kernels`, these are plain functions over arrays that are compiled together with a model.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .machine_instructions import high_product, prefetch

MIX_A = 0x9E3779B97F4A7C15  # odd, and about as many ones as zeros
MIX_B = 0xC2B7E151628AED2B
MIX_C = 0x243F6A8885A308D3

AHEAD = 16
"""How many insertions ahead the table's cache line is asked for."""

WRAP = 64
"""Slots at a table's end that are nobody's home: probing hardly ever wraps around."""


def fingerprint(keys: Any, at: Any) -> Any:
    """64 well-mixed bits of `keys[at]`, never zero."""
    h = np.uint64(MIX_C)
    for k in range(keys.shape[1]):
        x = keys[at, k] ^ h
        h = high_product(x ^ np.uint64(MIX_B), np.uint64(MIX_A)) ^ (x * np.uint64(MIX_A))
    h = high_product(h, np.uint64(MIX_B)) ^ (h * np.uint64(MIX_B))
    return h if h != np.uint64(0) else np.uint64(1)


def home(h: Any, shift: Any, slots: Any) -> Any:
    """The slot at which a fingerprint is looked for first: by the bits below those of its shard."""
    return np.int64(high_product(h << shift, np.uint64(slots.shape[0] - WRAP)))


def insert(
    boxes: Any, shard: Any, slots: Any, shift: Any, store: Any, at: Any, log: Any, log_at: Any, action_of: Any, found: Any
) -> int:
    """Insert what has arrived for `shard` into its table of fingerprints; how many states were new.

    The keys of new states are appended to `store` from `at`, their meta words to `log` from `log_at`.
    """
    box_fp, box_meta, box_key, box_count = boxes
    begin = at
    for source in range(box_count.shape[0]):
        count = box_count[source, shard]
        for i in range(count):
            if i + AHEAD < count:
                prefetch(slots, home(box_fp[source, shard, i + AHEAD], shift, slots))
            h = box_fp[source, shard, i]
            slot = home(h, shift, slots)
            x = slots[slot]
            while x != np.uint64(0) and x != h:
                slot = slot + 1 if slot + 1 < slots.shape[0] else 0
                x = slots[slot]
            if x == np.uint64(0):
                slots[slot] = h
                for k in range(store.shape[1]):
                    store[at, k] = box_key[source, shard, i, k]
                meta = box_meta[source, shard, i]
                log[log_at] = meta
                found[action_of[np.int64(meta & np.uint64(0xFFFF))]] += 1
                at += 1
                log_at += 1
    return int(at - begin)


def insert_exact(
    boxes: Any, shard: Any, slots: Any, shift: Any, store: Any, at: Any, log: Any, log_at: Any, action_of: Any, found: Any
) -> int:
    """As `insert`, but whole keys are compared: `store` holds those of all states of the shard.

    A slot holds the state's index in `store`, plus one (40 bits), and 24 bits of the fingerprint.
    """
    box_fp, box_meta, box_key, box_count = boxes
    begin = at
    for source in range(box_count.shape[0]):
        count = box_count[source, shard]
        for i in range(count):
            if i + AHEAD < count:
                prefetch(slots, home(box_fp[source, shard, i + AHEAD], shift, slots))
            h = box_fp[source, shard, i]
            slot = home(h, shift, slots)
            tag = h << np.uint64(40)
            known = False
            while slots[slot] != np.uint64(0) and not known:
                x = slots[slot]
                if (x ^ tag) >> np.uint64(40) == np.uint64(0):
                    index = np.int64(x & np.uint64(0xFFFFFFFFFF)) - 1
                    known = True
                    for k in range(store.shape[1]):
                        if store[index, k] != box_key[source, shard, i, k]:
                            known = False
                if not known:
                    slot = slot + 1 if slot + 1 < slots.shape[0] else 0
            if not known:
                slots[slot] = tag | np.uint64(at + 1)
                for k in range(store.shape[1]):
                    store[at, k] = box_key[source, shard, i, k]
                meta = box_meta[source, shard, i]
                log[log_at] = meta
                found[action_of[np.int64(meta & np.uint64(0xFFFF))]] += 1
                at += 1
                log_at += 1
    return int(at - begin)


def rehash(old: Any, slots: Any, shift: Any, store: Any, exact: Any) -> None:
    """Move every entry of a table to a larger one; both are passed over in order."""
    for i in range(old.shape[0]):
        x = old[i]
        if x != np.uint64(0):
            h = x
            if exact:
                h = fingerprint(store, np.int64(x & np.uint64(0xFFFFFFFFFF)) - 1)
            slot = home(h, shift, slots)
            while slots[slot] != np.uint64(0):
                slot = slot + 1 if slot + 1 < slots.shape[0] else 0
            slots[slot] = x


def fingerprints(keys: Any, out: Any) -> None:
    """The fingerprint of every key."""
    for i in range(keys.shape[0]):
        out[i] = fingerprint(keys, i)
