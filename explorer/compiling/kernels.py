"""The inner loops of exploration: plain functions over arrays, compiled together with a model.

A state travels as a key, a few 64-bit words (`Packing`). One task of the search expands keys of one shard
and puts every successor, with its fingerprint, into the outbox of the shard that owns it; another inserts
what has arrived for one shard into that shard's table. Tasks of one phase share nothing, so they run on
as many threads as there are, and the outcome does not depend on how many.

What `generated` declares is generated from the model, see `generate`; the arrays are described in `arrays`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .arrays import (
    ALWAYS_NOTES,
    DEADLOCK_NOTE,
    SOMETIMES_NOTES,
    SOMETIMES_STEP_NOTES,
    STEP_NOTES,
    WORD_BITS,
    Checks,
    Numbers,
    Outboxes,
    Packing,
    Place,
    Records,
    Scratch,
    Words,
)
from .hash_table import fingerprint, words_of
from .meta_words import meta_word
from .packing_kernels import pack, unpack
from .renaming_kernels import next_order, note_twins, renamed_key, sort_members

if TYPE_CHECKING:
    from .generated import STATE_WORDS, broken, broken_steps, steps, to_normal_form, witnessed, witnessed_steps
    from .machine_instructions import high_product

DRAWN = -1
"""In the path of a walk: any step, drawn from those that are enabled."""


def copy_row(rows: Words, source: Place, to: int) -> None:
    """Copy the state of a row; the configuration is the same in all rows."""
    for w in range(STATE_WORDS):
        rows[to, w] = rows[source, w]


def canonical_key(scratch: Scratch, at: int, packing: Packing, renaming: Numbers) -> None:
    """Write the key of the representative of row `at` under renaming of members to `scratch.key[0]`.

    `renaming` [sort]: how many members each symmetric sort has, 0 where none is renamed. Those of each sort are put in the order
    of a signature that renaming does not change. Ties are broken by trying every order of those that are tied and not twins
    (`note_twins`): the least key wins.
    """
    key, trial = scratch.key, scratch.trial
    if renaming[0] == 0:
        pack(scratch.rows, at, packing, key, 0)
        return
    sort_members(scratch, at, renaming)
    note_twins(scratch, at, packing, renaming)
    renamed_key(scratch, at, packing, renaming, key)
    while next_order(scratch, renaming):
        renamed_key(scratch, at, packing, renaming, trial)
        if is_less(trial, key):
            for k in range(words_of(key)):
                key[0, k] = trial[0, k]


def is_less(left: Words, right: Words) -> bool:
    """Whether the first key of `left` comes before that of `other`."""
    for k in range(words_of(left)):
        if left[0, k] != right[0, k]:
            return bool(left[0, k] < right[0, k])
    return False


def note(notes: Numbers, offset: int, found: np.uint64, index: int, code: int) -> None:
    """Remember the first index for each property of the mask `found`."""
    for p in range(WORD_BITS):
        if (found >> np.uint64(p)) & np.uint64(1) and notes[offset + p, 0] < 0:
            notes[offset + p, 0] = index
            notes[offset + p, 1] = code


def check_state(recs: Records, checks: Checks, index: int) -> None:
    """Check row 0 against the always properties, and look for witnesses in it."""
    bad = broken(recs[0], checks.active[0])
    if bad != np.uint64(0):
        note(checks.notes, ALWAYS_NOTES, bad, index, -1)
    seen = witnessed(recs[0], checks.active[2])
    if seen != np.uint64(0):
        note(checks.notes, SOMETIMES_NOTES, seen, index, -1)
        checks.active[2] &= ~seen


def check_step(recs: Records, j: Place, code: int, checks: Checks, index: int) -> None:
    """Check the step from row 0 to row `j`."""
    bad = broken_steps(recs[0], recs[j], checks.active[1])
    if bad != np.uint64(0):
        note(checks.notes, STEP_NOTES, bad, index, code)
    if checks.active[3] != np.uint64(0):
        seen = witnessed_steps(recs[0], recs[j], checks.active[3])
        if seen != np.uint64(0):
            note(checks.notes, SOMETIMES_STEP_NOTES, seen, index, code)
            checks.active[3] &= ~seen


def expand(
    keys: Words, first: int, last: int, start: int, shard: int, shift: np.uint64,
    packing: Packing, scratch: Scratch, renaming: Numbers, base: Numbers, checks: Checks, boxes: Outboxes, only_check: bool,
) -> int:  # fmt: skip
    """Check and expand `keys[first:last]`; returns where it stopped, since an outbox might overflow.

    `keys` [place, word of a key]: a frontier; `start`: the index in its shard of `keys[0]`; `base` [action]: the code of its
    first instance, -1 where the configuration has none. A successor goes to the outbox of the shard that its fingerprint
    names, shifted by `shift` bits.
    """
    rows, recs, codes, taken, able = scratch.rows, scratch.recs, scratch.codes, checks.taken, checks.able
    room = boxes.fp.shape[2] - rows.shape[0]
    fullest = np.int64(0)
    for i in range(first, last):
        if fullest > room:
            return i
        unpack(keys, i, packing, rows, 0)
        check_state(recs, checks, start + i)
        if only_check:
            continue
        copy_row(rows, 0, 1)
        count = steps(recs, rows, codes, base, taken, able) - 1
        if count == 0 and checks.notes[DEADLOCK_NOTE, 0] < 0:
            checks.notes[DEADLOCK_NOTE, 0] = start + i
        for j in range(1, count + 1):
            check_step(recs, j, codes[j], checks, start + i)
            to_normal_form(recs[j])
            canonical_key(scratch, j, packing, renaming)
            h = fingerprint(scratch.key, 0)
            d = h >> shift
            to = np.uint64(boxes.filled[shard, d])  # unsigned: it counts from no end
            boxes.fp[shard, d, to] = h
            boxes.meta[shard, d, to] = meta_word(start + i, shard, codes[j])
            for k in range(words_of(scratch.key)):
                boxes.key[shard, d, to, k] = scratch.key[0, k]
            boxes.filled[shard, d] = to + np.uint64(1)
            fullest = max(fullest, np.int64(to) + 1)
    return int(last)


def canonise(states: Words, packing: Packing, scratch: Scratch, renaming: Numbers, out: Words) -> None:
    """The canonical key of each row of `states` [state, word], which need not be in normal form: `out` [state, word of a key]."""
    for i in range(states.shape[0]):
        for w in range(states.shape[1]):
            scratch.rows[0, w] = states[i, w]
        to_normal_form(scratch.recs[0])
        canonical_key(scratch, 0, packing, renaming)
        for k in range(words_of(scratch.key)):
            out[i, k] = scratch.key[0, k]


def reveal(keys: Words, packing: Packing, states: Words) -> None:
    """The row of each key; `states` already holds the configuration."""
    for i in range(keys.shape[0]):
        unpack(keys, i, packing, states, i)


def wander(scratch: Scratch, base: Numbers, checks: Checks, seed: np.uint64, path: Numbers) -> int:
    """Walk from row 0, at most `len(path)` steps; how many were taken. Row 0 is then the last state, in its normal form.

    `path` [step]: the code of the step to take, or `DRAWN` for one that is drawn evenly from those enabled, whose code is
    written there. The walk ends where there is no such step, or where a property that `checks` names is violated: `notes`
    has the number of steps before that state or step.
    """
    rows, recs, codes, taken, able = scratch.rows, scratch.recs, scratch.codes, checks.taken, checks.able
    x = seed
    for step in range(path.shape[0] + 1):
        check_state(recs, checks, step)
        for offset in range(SOMETIMES_NOTES):
            if checks.notes[offset, 0] >= 0:
                return step
        if step == path.shape[0]:
            return step
        copy_row(rows, 0, 1)
        count = steps(recs, rows, codes, base, taken, able) - 1
        chosen = np.int64(0)
        if path[step] == DRAWN and count > 0:
            x ^= x << np.uint64(13)
            x ^= x >> np.uint64(7)
            x ^= x << np.uint64(17)
            chosen = 1 + np.int64(high_product(x, np.uint64(count)))
        else:
            for j in range(1, count + 1):
                if codes[j] == path[step]:
                    chosen = np.int64(j)
        if chosen == 0:
            return step
        path[step] = codes[chosen]
        check_step(recs, chosen, codes[chosen], checks, step)
        to_normal_form(recs[chosen])
        copy_row(rows, chosen, 0)
    return int(path.shape[0])
