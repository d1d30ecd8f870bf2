"""The inner loops of exploration, as plain functions over arrays; compiled together with a model.

A state travels as a key (`layout.Plan`): a few 64-bit words. A task of the search expands keys of one
shard and routes every successor, with its fingerprint, into the outbox of the shard that owns it; a second
task inserts what arrived for one shard into that shard's table. Nothing is shared between the tasks of
one phase, so they run on as many threads as there are, and the outcome does not depend on how many.

Names that stand here but are not defined here (`successors`, `broken`, `broken_steps`, `witnessed`,
`normalise`, `rename`, `signature`) are generated from the model, see `generate`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .machine import deposit_bits, extract_bits, high_product, prefetch

# Odd constants with about as many ones as zeros; the first digits of pi, e, the golden ratio.
MIX_A = 0x9E3779B97F4A7C15
MIX_B = 0xC2B7E151628AED2B
MIX_C = 0x243F6A8885A308D3

AHEAD = 12
"""How many insertions ahead the table's cache line is asked for."""


def pack(rows: Any, at: Any, word: Any, mask: Any, bias: Any, bits: Any, high: Any, keys: Any, to: Any) -> None:
    """Write the key of `rows[at]` to `keys[to]`."""
    gathered = np.uint64(0)
    filled = np.uint64(0)
    k = 0
    for i in range(word.shape[0]):
        x = rows[at, word[i]]
        x = ((x & ~high) + (bias[i] & ~high)) ^ ((x ^ bias[i]) & high)
        x = extract_bits(x, mask[i])
        gathered |= x << filled
        total = filled + bits[i]
        if total >= np.uint64(64):
            keys[to, k] = gathered
            k += 1
            gathered = x >> (np.uint64(64) - filled) if filled > np.uint64(0) else np.uint64(0)
            filled = total - np.uint64(64)
        else:
            filled = total
    if k < keys.shape[1]:
        keys[to, k] = gathered


def unpack(keys: Any, at: Any, word: Any, mask: Any, bias: Any, post: Any, bits: Any, high: Any, rows: Any, to: Any) -> None:
    """Write the state of `keys[at]` to `rows[to]`; the configuration's words stay."""
    used = np.uint64(0)
    k = 0
    for i in range(word.shape[0]):
        x = keys[at, k] >> used
        total = used + bits[i]
        if total > np.uint64(64):
            x |= keys[at, k + 1] << (np.uint64(64) - used)
        x = deposit_bits(x, mask[i])
        x = ((x | high) - (bias[i] & ~high)) ^ ((x ^ ~bias[i]) & high)
        rows[to, word[i]] = x & post[i]
        if total >= np.uint64(64):
            total -= np.uint64(64)
            k += 1
        used = total


def fingerprint(keys: Any, at: Any) -> Any:
    """64 well-mixed bits of `keys[at]`, never zero."""
    h = np.uint64(MIX_C)
    for k in range(keys.shape[1]):
        x = keys[at, k] ^ h
        h = high_product(x ^ np.uint64(MIX_B), np.uint64(MIX_A)) ^ (x * np.uint64(MIX_A))
    h = high_product(h, np.uint64(MIX_B)) ^ (h * np.uint64(MIX_B))
    return h | np.uint64(1) if h == np.uint64(0) else h


def copy_row(rows: Any, source: Any, to: Any) -> None:
    """Copy a row."""
    for w in range(rows.shape[1]):
        rows[to, w] = rows[source, w]


def expand(
    keys: Any, first: Any, last: Any, start: Any, shard: Any, shift: Any,
    word: Any, mask: Any, bias: Any, post: Any, bits: Any, high: Any,
    rows: Any, recs: Any, codes: Any, base: Any, perms: Any, images: Any,
    one_key: Any, best_key: Any,
    box_fp: Any, box_meta: Any, box_key: Any, box_count: Any,
    active: Any, action_of: Any, enabled: Any, notes: Any, check_only: Any,
) -> int:  # fmt: skip
    """Check and expand `keys[first:last]`; where it stopped, because an outbox could overflow.

    `start` is the index in its shard of `keys[0]`. A successor goes to the outbox of the shard that the
    top bits of its fingerprint name, with `meta`: the parent's index (40 bits), its shard (8), the
    action's code (16). `active` holds the masks of the properties to check (always, step, sometimes);
    `notes` collects, per property, the first index that breaks or witnesses it, and its action's code.
    """
    room = box_fp.shape[1] - rows.shape[0]
    for i in range(first, last):
        for d in range(box_count.shape[0]):
            if box_count[d] > room:
                return i
        unpack(keys, i, word, mask, bias, post, bits, high, rows, 0)
        bad = broken(recs[0], active[0])  # noqa: F821
        if bad:
            note(notes, 0, bad, start + i, 0)
        seen = witnessed(recs[0], active[2])  # noqa: F821
        if seen:
            note(notes, 128, seen, start + i, 0)
            active[2] &= ~seen
        if check_only:
            continue
        count = successors(recs, rows, codes, base)  # noqa: F821
        if count == 0 and notes[192, 0] < 0:
            notes[192, 0] = start + i
        for j in range(1, count + 1):
            enabled[action_of[codes[j]]] += 1
            if active[1]:
                bad = broken_steps(recs[0], recs[j], active[1])  # noqa: F821
                if bad:
                    note(notes, 64, bad, start + i, codes[j])
            normalise(recs[j])  # noqa: F821
            pack(rows, j, word, mask, bias, bits, high, one_key, 0)
            h = fingerprint(one_key, 0)
            d = np.int64(h >> shift)
            n = box_count[d]
            box_fp[d, n] = h
            box_meta[d, n] = np.uint64((start + i) << 24 | shard << 16 | np.int64(codes[j]))
            for k in range(box_key.shape[2]):
                box_key[d, n, k] = one_key[0, k]
            box_count[d] = n + 1
    return last


def note(notes: Any, offset: Any, bad: Any, index: Any, code: Any) -> None:
    """Remember the first index at which each property of the mask `bad` was broken or witnessed."""
    for p in range(64):
        if (bad >> np.uint64(p)) & np.uint64(1) and notes[offset + p, 0] < 0:
            notes[offset + p, 0] = index
            notes[offset + p, 1] = code


def insert(
    slots: Any, shift: Any, fps: Any, metas: Any, keys: Any, count: Any,
    new_key: Any, log_meta: Any, at: Any, log_at: Any, action_of: Any, found: Any,
) -> int:  # fmt: skip
    """Insert `count` arrivals into a shard's table; how many were new.

    The table has linear probing from the slot that the fingerprint's bits below the shard's choose. New
    states are appended to `new_key` from `at` and to `log_meta` from `log_at`.
    """
    size = np.uint64(slots.shape[0] - 64)
    begin = at
    for i in range(count):
        if i + AHEAD < count:
            prefetch(slots, np.int64(high_product(fps[i + AHEAD] << shift, size)))
        h = fps[i]
        slot = np.int64(high_product(h << shift, size))
        x = slots[slot]
        while x != np.uint64(0) and x != h:
            slot += 1
            if slot == slots.shape[0]:
                slot = 0
            x = slots[slot]
        if x == np.uint64(0):
            slots[slot] = h
            for k in range(new_key.shape[1]):
                new_key[at, k] = keys[i, k]
            log_meta[log_at] = metas[i]
            found[action_of[np.int64(metas[i] & np.uint64(0xFFFF))]] += 1
            at += 1
            log_at += 1
    return at - begin


def rehash(old: Any, slots: Any, shift: Any) -> None:
    """Move every fingerprint of a table to a larger one; both are passed over in order."""
    size = np.uint64(slots.shape[0] - 64)
    for i in range(old.shape[0]):
        h = old[i]
        if h != np.uint64(0):
            slot = np.int64(high_product(h << shift, size))
            while slots[slot] != np.uint64(0):
                slot += 1
                if slot == slots.shape[0]:
                    slot = 0
            slots[slot] = h
