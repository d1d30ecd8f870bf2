"""The inner loops of exploration: plain functions over arrays, compiled together with a model.

A state travels as a key, a few 64-bit words (`Packing`). One task of the search expands keys of one shard
and puts every successor, with its fingerprint, into the outbox of the shard that owns it; another inserts
what has arrived for one shard into that shard's table. Tasks of one phase share nothing, so they run on
as many threads as there are, and the outcome does not depend on how many.

What `generated` declares is generated from the model, see `generate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .hash_table import fingerprint
from .machine_instructions import deposit_bits, extract_bits, high_product

if TYPE_CHECKING:
    from ..generated import (
        broken,
        broken_steps,
        first_steps,
        rename,
        second_steps,
        signature,
        to_normal_form,
        witnessed,
        witnessed_steps,
    )

ALWAYS, STEPS, SOMETIMES, SOMETIMES_STEPS, DEADLOCK = 0, 64, 128, 192, 256
"""Where the notes begin: on properties that always hold, that hold of all steps, that sometimes hold, that
some step has, and on deadlock."""


class Packing(NamedTuple):
    """How rows become keys: see `layout.Plan`. `high` has the top bit of each lane."""

    word: Any
    mask: Any
    bias: Any
    post: Any
    bits: Any
    high: Any


class Scratch(NamedTuple):
    """A task's own rows, as words and as records: row 0 is the state, the next ones its successors, the
    last one is spare."""

    rows: Any
    recs: Any
    codes: Any
    key: Any
    trial: Any
    signs: Any


class Renaming(NamedTuple):
    """Every permutation of the members: `old[p]` lists who takes each place, `new[p]` where each goes,
    `image[p]` what becomes of each set. One row, the identity, when there is no symmetry."""

    old: Any
    new: Any
    image: Any


class Outboxes(NamedTuple):
    """Successors on their way, by the shard they come from, the shard that owns them, and place:
    fingerprint, parent and action, key; and how many there are."""

    fp: Any
    meta: Any
    key: Any
    count: Any


class Checks(NamedTuple):
    """`active`: masks of the properties to check, in the order of the notes; `notes`: for each the first
    index that breaks or witnesses it, and an action's code, -1 for none; `taken`: steps per action; `able`:
    states in which the action is enabled."""

    active: Any
    notes: Any
    taken: Any
    able: Any


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


def unpack(
    keys: Any, at: Any, word: Any, mask: Any, bias: Any, post: Any, bits: Any, high: Any, rows: Any, to: Any
) -> None:
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
        if k == keys.shape[1]:
            k -= 1  # only words without varying bits are left
            used = np.uint64(0)


def copy_row(rows: Any, source: Any, to: Any) -> None:
    """Copy the state of a row; the configuration is the same in all rows."""
    for w in range(rows.shape[1]):
        rows[to, w] = rows[source, w]


def canonical_key(
    rows: Any, recs: Any, at: Any, word: Any, mask: Any, bias: Any, bits: Any, high: Any,
    old: Any, new: Any, image: Any, key: Any, trial: Any, signs: Any,
) -> None:  # fmt: skip
    """Write the key of the representative of `rows[at]` under renaming of members to `key[0]`.

    Members are put in the order of a signature that renaming does not change. Ties are broken by
    trying every permutation that keeps the order: the least key wins.
    """
    if old.shape[0] == 1:
        pack(rows, at, word, mask, bias, bits, high, key, 0)
        return
    for member in range(old.shape[1]):
        signs[member] = signature(recs[at], member)
    spare = rows.shape[0] - 1
    tried = False
    for index in range(old.shape[0]):
        ordered = True
        for place in range(old.shape[1] - 1):
            if signs[old[index, place]] > signs[old[index, place + 1]]:
                ordered = False
        if ordered:
            rename(recs[at], recs[spare], old, new, image, index)
            pack(rows, spare, word, mask, bias, bits, high, trial, 0)
            if not tried or is_less(trial, key):
                for k in range(key.shape[1]):
                    key[0, k] = trial[0, k]
            tried = True


def is_less(one: Any, other: Any) -> Any:
    """Whether the first key of `one` comes before that of `other`."""
    for k in range(one.shape[1]):
        if one[0, k] != other[0, k]:
            return one[0, k] < other[0, k]
    return False


def note(notes: Any, offset: Any, found: Any, index: Any, code: Any) -> None:
    """Remember the first index for each property of the mask `found`."""
    for p in range(64):
        if (found >> np.uint64(p)) & np.uint64(1) and notes[offset + p, 0] < 0:
            notes[offset + p, 0] = index
            notes[offset + p, 1] = code


def check_state(recs: Any, active: Any, notes: Any, index: Any) -> None:
    """Check row 0 against the always properties, and look for witnesses in it."""
    bad = broken(recs[0], active[0])
    if bad != np.uint64(0):
        note(notes, ALWAYS, bad, index, -1)
    seen = witnessed(recs[0], active[2])
    if seen != np.uint64(0):
        note(notes, SOMETIMES, seen, index, -1)
        active[2] &= ~seen


def check_step(recs: Any, j: Any, code: Any, active: Any, notes: Any, index: Any) -> None:
    """Check the step from row 0 to row `j`."""
    bad = broken_steps(recs[0], recs[j], active[1])
    if bad != np.uint64(0):
        note(notes, STEPS, bad, index, code)
    if active[3] != np.uint64(0):
        seen = witnessed_steps(recs[0], recs[j], active[3])
        if seen != np.uint64(0):
            note(notes, SOMETIMES_STEPS, seen, index, code)
            active[3] &= ~seen


def expand(
    keys: Any, first: Any, last: Any, start: Any, shard: Any, shift: Any,
    packing: Any, scratch: Any, renaming: Any, base: Any, checks: Any, boxes: Any, only_check: Any,
) -> int:  # fmt: skip
    """Check and expand `keys[first:last]`; where it stopped, because an outbox might overflow.

    `start` is the index in its shard of `keys[0]`. A successor goes to the outbox of the shard that the
    top bits of its fingerprint name. Its meta word: the parent's index (40 bits), the parent's shard
    (8), the action's code (16).
    """
    word, mask, bias, post, bits, high = packing
    rows, recs, codes, key, trial, signs = scratch
    old, new, image = renaming
    active, notes, taken, able = checks
    box_fp, box_meta, box_key, box_count = boxes
    room = box_fp.shape[2] - rows.shape[0]
    fullest = 0
    for i in range(first, last):
        if fullest > room:
            return i
        unpack(keys, i, word, mask, bias, post, bits, high, rows, 0)
        check_state(recs, active, notes, start + i)
        if only_check:
            continue
        copy_row(rows, 0, 1)
        n = first_steps(recs, rows, codes, base, taken, able, np.int64(1))
        count = second_steps(recs, rows, codes, base, taken, able, n) - 1
        if count == 0 and notes[DEADLOCK, 0] < 0:
            notes[DEADLOCK, 0] = start + i
        for j in range(1, count + 1):
            check_step(recs, j, codes[j], active, notes, start + i)
            to_normal_form(recs[j])
            canonical_key(rows, recs, j, word, mask, bias, bits, high, old, new, image, key, trial, signs)
            h = fingerprint(key, 0)
            d = np.int64(h >> shift)
            to = box_count[shard, d]
            box_fp[shard, d, to] = h
            box_meta[shard, d, to] = np.uint64((start + i) << 24 | shard << 16 | codes[j])
            for k in range(key.shape[1]):
                box_key[shard, d, to, k] = key[0, k]
            box_count[shard, d] = to + 1
            fullest = max(fullest, to + 1)
    return int(last)


def canonise(states: Any, packing: Any, scratch: Any, renaming: Any, out: Any) -> None:
    """The canonical key of each row of `states`, which need not be in normal form."""
    word, mask, bias, post, bits, high = packing
    rows, recs, codes, key, trial, signs = scratch
    old, new, image = renaming
    for i in range(states.shape[0]):
        for w in range(states.shape[1]):
            rows[0, w] = states[i, w]
        to_normal_form(recs[0])
        canonical_key(rows, recs, 0, word, mask, bias, bits, high, old, new, image, key, trial, signs)
        for k in range(key.shape[1]):
            out[i, k] = key[0, k]


def reveal(keys: Any, packing: Any, states: Any) -> None:
    """The row of each key; `states` already holds the configuration."""
    word, mask, bias, post, bits, high = packing
    for i in range(keys.shape[0]):
        unpack(keys, i, word, mask, bias, post, bits, high, states, i)


def wander(keys: Any, packing: Any, scratch: Any, base: Any, checks: Any, seed: Any, path: Any) -> int:
    """One random walk from `keys[0]`, at most `len(path)` steps, whose codes it writes; how many it took.

    Each step is drawn evenly from those enabled. The walk ends where none is, or where a property that
    `checks` names is broken: `notes` has the step.
    """
    word, mask, bias, post, bits, high = packing
    rows, recs, codes, key, trial, signs = scratch
    active, notes, taken, able = checks
    unpack(keys, 0, word, mask, bias, post, bits, high, rows, 0)
    x = seed
    for step in range(path.shape[0] + 1):
        check_state(recs, active, notes, step)
        for offset in range(SOMETIMES):
            if notes[offset, 0] >= 0:
                return step
        if step == path.shape[0]:
            return step
        copy_row(rows, 0, 1)
        n = first_steps(recs, rows, codes, base, taken, able, np.int64(1))
        count = second_steps(recs, rows, codes, base, taken, able, n) - 1
        if count == 0:
            return step
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
        chosen = 1 + np.int64(high_product(x, np.uint64(count)))
        path[step] = codes[chosen]
        check_step(recs, chosen, codes[chosen], active, notes, step)
        to_normal_form(recs[chosen])
        copy_row(rows, chosen, 0)
    return int(path.shape[0])
