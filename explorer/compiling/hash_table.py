"""The inner loops of the visited set: fingerprints, and open addressing in cache lines that are ordered by them.

A fingerprint names a line of `LINE_SLOTS` slots. A line fills from its beginning; what finds it full goes to the next one.

As in `kernels`, these are plain functions over arrays that are compiled together with a model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .arrays import LINE_SLOTS, Numbers, Outboxes, Place, Words
from .meta_words import INDEX_BITS, action_code

if TYPE_CHECKING:
    from .machine_instructions import high_product, prefetch, slots_with, trailing_zeros

MIX_A = 0x9E3779B97F4A7C15  # odd, and about as many ones as zeros
MIX_B = 0xC2B7E151628AED2B
MIX_C = 0x243F6A8885A308D3

PREFETCHED = 32
"""How many insertions ahead cache lines are prefetched: the table's, and the key's, which is needed if the state is new."""

WRAP = 64
"""Slots at a table's end to which nothing is hashed, so that probing hardly ever wraps around. A table has whole lines."""

STRETCH = 1024
"""How many slots of a table that grows are moved at a time, at least."""

INDEX_MASK = (1 << INDEX_BITS) - 1
"""The part of a slot that holds an index, where whole keys are compared; above it stand bits of the fingerprint."""


def words_of(keys: Words) -> int:
    """How many words a key has: a constant in the text for one configuration."""
    return int(keys.shape[1])


def fingerprint(keys: Words, at: Place) -> np.uint64:
    """64 well-mixed bits of `keys[at]`, never zero."""
    h = np.uint64(MIX_C)
    for k in range(words_of(keys)):
        x = keys[at, k] ^ h
        h = high_product(x ^ np.uint64(MIX_B), np.uint64(MIX_A)) ^ (x * np.uint64(MIX_A))
    h = high_product(h, np.uint64(MIX_B)) ^ (h * np.uint64(MIX_B))
    return h if h != np.uint64(0) else np.uint64(1)


def home(h: np.uint64, shift: np.uint64, slots: Words) -> Place:
    """The first slot of a fingerprint's line: by the bits below those of its shard."""
    return np.int64(high_product(h << shift, np.uint64((slots.shape[0] - WRAP) // LINE_SLOTS))) * LINE_SLOTS


def keep(
    boxes: Outboxes, source: int, shard: int, i: int, store: Words, at: int, log: Words, log_at: int, action_of: Numbers,
    found: Numbers,
) -> None:  # fmt: skip
    """Append a state that arrived to `store` and `log`, and count it for its action."""
    for k in range(words_of(store)):
        store[at, k] = boxes.key[source, shard, i, k]
    meta = boxes.meta[source, shard, i]
    log[log_at] = meta
    found[action_of[np.int64(action_code(meta))]] += 1


def insert(
    boxes: Outboxes, shard: int, slots: Words, shift: np.uint64, store: Words, at: int, log: Words, log_at: int,
    action_of: Numbers, found: Numbers,
) -> int:  # fmt: skip
    """Insert what has arrived for `shard` into its table of fingerprints; how many states were new.

    `slots` [slot]: the table; `shift`: how many bits of a fingerprint name the shard; `store` [place, word of a key] gets the
    keys of new states from `at` on, `log` [index] their meta words from `log_at` on; `action_of` [code]; `found` [action].
    """
    begin = at
    for source in range(boxes.filled.shape[0]):
        count = boxes.filled[source, shard]
        for i in range(min(PREFETCHED, count)):
            prefetch(slots, home(boxes.fp[source, shard, i], shift, slots))
        for i in range(count):
            if i + PREFETCHED < count:
                prefetch(slots, home(boxes.fp[source, shard, i + PREFETCHED], shift, slots))
                soon = (source * boxes.fp.shape[1] + shard) * boxes.fp.shape[2] + i + PREFETCHED
                prefetch(boxes.meta, soon)
                prefetch(boxes.key, soon * words_of(store))
            h = boxes.fp[source, shard, i]
            line = home(h, shift, slots)
            same_or_free = slots_with(slots, line, h)
            while same_or_free == np.uint64(0):
                line = line + LINE_SLOTS if line + LINE_SLOTS < slots.shape[0] else 0
                same_or_free = slots_with(slots, line, h)
            place = trailing_zeros(same_or_free)
            if place >= LINE_SLOTS:
                slots[line + place - LINE_SLOTS] = h
                keep(boxes, source, shard, i, store, at, log, log_at, action_of, found)
                at += 1
                log_at += 1
    return int(at - begin)


def insert_exact(
    boxes: Outboxes, shard: int, slots: Words, shift: np.uint64, store: Words, at: int, log: Words, log_at: int,
    action_of: Numbers, found: Numbers,
) -> int:  # fmt: skip
    """As `insert`, but whole keys are compared: `store` holds those of all states of the shard.

    A slot holds the state's index in `store`, plus one, and above it the low bits of the fingerprint.
    """
    begin = at
    for source in range(boxes.filled.shape[0]):
        count = boxes.filled[source, shard]
        for i in range(min(PREFETCHED, count)):
            prefetch(slots, home(boxes.fp[source, shard, i], shift, slots))
        for i in range(count):
            if i + PREFETCHED < count:
                prefetch(slots, home(boxes.fp[source, shard, i + PREFETCHED], shift, slots))
            h = boxes.fp[source, shard, i]
            slot = home(h, shift, slots)
            tag = h << np.uint64(INDEX_BITS)
            known = False
            while slots[slot] != np.uint64(0) and not known:
                x = slots[slot]
                if (x ^ tag) >> np.uint64(INDEX_BITS) == np.uint64(0):
                    index = np.int64(x & np.uint64(INDEX_MASK)) - 1
                    known = True
                    for k in range(words_of(store)):
                        if store[index, k] != boxes.key[source, shard, i, k]:
                            known = False
                if not known:
                    slot = slot + 1 if slot + 1 < slots.shape[0] else 0
            if not known:
                slots[slot] = tag | np.uint64(at + 1)
                keep(boxes, source, shard, i, store, at, log, log_at, action_of, found)
                at += 1
                log_at += 1
    return int(at - begin)


def rehash(slots: Words, end: int, shift: np.uint64, store: Words, exact: bool, aside: Words) -> int:
    """Move entries of a table that had `end` slots to their places among all of `slots`; how many slots are left to do.

    It goes from the end to the beginning, by stretches of lines before which a line is not full: nothing that belongs before a
    stretch is in it. `aside` holds one stretch; where a stretch is longer, it stops.
    """
    while end > 0:
        begin = end - LINE_SLOTS
        while begin > 0 and (slots[begin - 1] != np.uint64(0) or end - begin < STRETCH):
            begin -= LINE_SLOTS
        if end - begin > aside.shape[0]:
            return int(end)
        count = 0
        for i in range(begin, end):
            aside[count] = slots[i]
            count += slots[i] != np.uint64(0)
            slots[i] = np.uint64(0)
        for i in range(count):
            x = aside[i]
            h = x
            if exact:
                h = fingerprint(store, np.int64(x & np.uint64(INDEX_MASK)) - 1)
            slot = home(h, shift, slots)
            while slots[slot] != np.uint64(0):
                slot = slot + 1 if slot + 1 < slots.shape[0] else 0
            slots[slot] = x
        end = begin
    return 0


def fingerprints(keys: Words, out: Words) -> None:
    """The fingerprint of every key."""
    for i in range(keys.shape[0]):
        out[i] = fingerprint(keys, i)
