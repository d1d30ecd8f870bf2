"""Inner loops over fingerprints and packed states, compiled once for all models of a size: plain functions over arrays.

A fingerprint is a row of one word or of two; its first word is never zero. Fingerprints are [state, 1 or 2], keys of packed
states [state, word of a key], codes of actions [state]; other shapes stand in brackets. Nothing is allocated here.
"""

import numpy as np
from numpy.typing import NDArray

from ..compiling.arrays import LINE_SLOTS, Numbers, Outboxes, Place, Words
from ..compiling.machine_instructions import high_product, prefetch, push_slot, slots_like, trailing_zeros
from ..compiling.meta_words import action_code, parent_index

Codes = NDArray[np.uint16]
Truths = NDArray[np.bool_]

SOON = 16
"""How many rows ahead cache lines are prefetched."""

SIMILAR, AT_ONCE = 64, 8
"""How many times as long a sorted list may be for both to be gone through side by side; and how many of it at once."""

SECOND, SECOND_A, SECOND_B = 0x6A09E667F3BCC908, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB

TAIL = 64
"""Slots at a table's end to which nothing is hashed, so that probing hardly ever wraps around."""


def width_of(fps: Words) -> int:
    """How many words a fingerprint has: a constant in what is compiled."""
    return int(fps.shape[-1])


def words_of(keys: Words) -> int:
    """How many words a key has: a constant where it is known."""
    return int(keys.shape[-1])


def second_word(keys: Words, at: Place) -> np.uint64:
    """64 bits of `keys[at]` that do not depend on those of `hash_table.fingerprint`: xor, multiply and shift of each word."""
    h = np.uint64(SECOND)
    for k in range(words_of(keys)):
        h ^= keys[at, k]
        h = (h ^ (h >> np.uint64(31))) * np.uint64(SECOND_A)
        h = (h ^ (h >> np.uint64(31))) * np.uint64(SECOND_B)
        h ^= h >> np.uint64(29)
    return h


def second_words(keys: Words, out: Words) -> None:
    """The second word of the fingerprint of every key: `out` [state, 2]."""
    for i in range(keys.shape[0]):
        out[i, 1] = second_word(keys, i)


def route(
    boxes: Outboxes, box: int, begin: int, fps: Words, owners: np.uint64, recent: Words, task: np.uint64, earlier: np.uint64,
    rows_to: Numbers, parents: Words, codes: Codes, keys: Words,
) -> int:  # fmt: skip
    """Sort the successors of a box from `begin` on by owner; where it stopped, because the owner's rows are full.

    `fps` [state]: those of the states that were expanded; `recent`: fingerprints that were sent lately, in lines of
    `LINE_SLOTS`, the newest first; behind each line stand their second words, if they have two. Their lower bits, which say the
    line, give way to the number of the task. What `task` itself has sent is not sent again, nor what
    was sent by the tasks of earlier levels, those below `earlier`. `rows_to` [owner]: rows so far in `parents`, `codes` and
    `keys` [owner, row, ...].
    """
    width, words = width_of(fps), words_of(keys)
    line_words = LINE_SLOTS * width
    mask = np.uint64(recent.shape[0] // line_words - 1)
    second = np.uint64(0)
    count = boxes.filled[0, box]
    for i in range(begin, count):
        if i + SOON < count:
            prefetch(recent, np.int64(boxes.fp[0, box, i + SOON] & mask) * line_words)
        h = boxes.fp[0, box, i]
        line = np.int64(h & mask) * line_words
        if width > 1:
            second = second_word(boxes.key[0, box], i)
        alike = slots_like(recent, line, h, mask)
        is_sent = False
        while alike != np.uint64(0) and not is_sent:
            place = line + trailing_zeros(alike)
            sender = recent[place] & mask
            is_sent = sender == task or (np.uint64(0) < sender and sender < earlier)
            is_sent = is_sent and (width == 1 or recent[place + LINE_SLOTS] == second)
            alike &= alike - np.uint64(1)
        if not is_sent:
            owner = np.int64(((h >> np.uint64(32)) * owners) >> np.uint64(32))
            to = rows_to[owner]
            if to == codes.shape[1]:
                return int(i)
            rows_to[owner] = to + 1
            push_slot(recent, line, (h & ~mask) | task)
            if width > 1:
                push_slot(recent, line + LINE_SLOTS, second)
            for k in range(words):
                keys[owner, to, k] = boxes.key[0, box, i, k]
            meta = boxes.meta[0, box, i]
            codes[owner, to] = action_code(meta)
            source = np.int64(parent_index(meta))
            for k in range(width):
                parents[owner, to, k] = fps[source, k]
    return int(count)


def slot_of(h: np.uint64, low: np.uint64, shift: np.uint64, factor: np.uint64) -> Place:
    """The slot at which a fingerprint is looked for first: in the order of the fingerprints from `low` on."""
    return np.int64(high_product((h - low) << shift, factor))


def collect(
    fps: Words, parents: Words, codes: Codes, keys: Words, begin: int, low: np.uint64, last: np.uint64, shift: np.uint64,
    factor: np.uint64, slots: Words, found: Words, filled: Numbers,
) -> int:  # fmt: skip
    """Take in the states from `begin` on whose first word lies from `low` to `last`, each once; where it stopped, because the
    rows of what was found are full.

    `slots` [slot, word]: fingerprints, zero where there is none, and behind each its row in `found`: the parent, the key and the
    code, so that one cache line or two have all of it; `filled` [1].
    """
    width, words = width_of(fps), words_of(keys)
    heads = fps.reshape(-1)
    table = slots.reshape(-1)
    for i in range(begin, fps.shape[0]):
        if i + SOON < fps.shape[0]:
            ahead = heads[(i + SOON) * width]
            if low <= ahead and ahead <= last:
                prefetch(table, slot_of(ahead, low, shift, factor) * (width + 1))
        h = fps[i, 0]
        if h < low or h > last:
            continue
        slot = slot_of(h, low, shift, factor)
        known = False
        while slots[slot, 0] != np.uint64(0) and not known:
            known = True
            for k in range(width):
                known = known and slots[slot, k] == fps[i, k]
            if not known:
                slot = slot + 1 if slot + 1 < slots.shape[0] else 0
        if not known:
            to = filled[0]
            if to == found.shape[0]:
                return int(i)
            filled[0] = to + 1
            slots[slot, width] = np.uint64(to)
            for k in range(width):
                slots[slot, k] = fps[i, k]
                found[to, k] = parents[i, k]
            for k in range(words):
                found[to, width + k] = keys[i, k]
            found[to, width + words] = np.uint64(codes[i])
    return int(fps.shape[0])


def pick(
    fps: Words, at: Numbers, known: Truths, found: Words, new_fps: Words, parents: Words, codes: Codes, keys: Words
) -> None:
    """Those of the sorted `fps` that are not known, with what was `found` in the rows `at`; there is room for just these."""
    width, words = width_of(fps), words_of(keys)
    size = width + words + 1
    to = np.int64(0)
    for i in range(at.shape[0]):
        if i + SOON < at.shape[0]:
            prefetch(found, at[i + SOON] * size)
            prefetch(found, at[i + SOON] * size + size - 1)
        if not known[i]:
            row = at[i]
            for k in range(width):
                new_fps[to, k] = fps[i, k]
                parents[to, k] = found[row, k]
            for k in range(words):
                keys[to, k] = found[row, width + k]
            codes[to] = np.uint16(found[row, width + words])
            to += 1


def rehome(old: Words, low: np.uint64, shift: np.uint64, factor: np.uint64, slots: Words) -> None:
    """Move every entry of a table to a larger one."""
    for i in range(old.shape[0]):
        if old[i, 0] != np.uint64(0):
            slot = slot_of(old[i, 0], low, shift, factor)
            while slots[slot, 0] != np.uint64(0):
                slot = slot + 1 if slot + 1 < slots.shape[0] else 0
            for k in range(old.shape[1]):
                slots[slot, k] = old[i, k]


def in_order(slots: Words, fps: Words, at: Numbers) -> None:
    """The entries of a table, sorted, in `fps` and `at`, which have room for one more. Each stands near its place already."""
    width = width_of(fps)
    count = np.int64(0)
    for i in range(slots.shape[0]):  # an empty slot is written too, and overwritten: the processor need not guess which are empty
        for k in range(width):
            fps[count, k] = slots[i, k]
        at[count] = np.int64(slots[i, width])
        count += np.int64(slots[i, 0] != np.uint64(0))
    for i in range(1, count):
        j = i
        while j > 0 and is_before(fps, j, fps, j - 1, width):
            for k in range(width):
                fps[j, k], fps[j - 1, k] = fps[j - 1, k], fps[j, k]
            at[j], at[j - 1] = at[j - 1], at[j]
            j -= 1


def mark_known(run: Words, fps: Words, known: Truths) -> None:
    """Mark which of the sorted `fps` are in the sorted `run`."""
    if width_of(run) == 1 and run.shape[0] <= SIMILAR * fps.shape[0]:
        mark_side_by_side(run.reshape(-1), fps.reshape(-1), known)
    else:
        mark_by_strides(run, fps, known)


def mark_side_by_side(run: Words, fps: Words, known: Truths) -> None:
    """Where the run is not much longer: go through both, and compare `AT_ONCE` of the run in one instruction or two."""
    at, end = np.int64(0), np.int64(run.shape[0])
    for i in range(fps.shape[0]):
        h = fps[i]
        less = np.int64(AT_ONCE)
        while less == AT_ONCE and at + AT_ONCE <= end:
            less = np.int64(0)
            for k in range(AT_ONCE):
                less += np.int64(run[at + k] < h)
            at += less
        while at < end and run[at] < h:
            at += 1
        if at == end:
            return
        known[i] |= run[at] == h


def mark_by_strides(run: Words, fps: Words, known: Truths) -> None:
    """Where the run is much longer: step by doubled strides, then halve."""
    size, width = run.shape[0], width_of(run)
    at = 0
    for i in range(fps.shape[0]):
        stride = 1
        high = at
        while high < size and is_before(run, high, fps, i, width):
            at = high + 1
            high += stride
            stride *= 2
        high = min(high, size)
        while at < high:
            middle = (at + high) // 2
            if is_before(run, middle, fps, i, width):
                at = middle + 1
            else:
                high = middle
        if at == size:
            return
        same = True
        for k in range(width):
            same = same and run[at, k] == fps[i, k]
        if same:
            known[i] = True


def is_before(run: Words, at: Place, fps: Words, i: Place, width: Place) -> bool:
    """Whether `run[at]` is less than `fps[i]`."""
    for k in range(width):
        if run[at, k] != fps[i, k]:
            return bool(run[at, k] < fps[i, k])
    return False
