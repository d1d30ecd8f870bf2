"""The inner loops of exploration in lanes: `kernels.expand` for `LANES` states at once, with the same outcome.

A block is up to `LANES` states of a frontier, one in each lane. It lies in memory twice: as the states, and as their successors.
An action is tried with the same arguments in all lanes. Where it is enabled it changes the successors; what has changed goes
into their keys, and the successors are reset for the next action. When all actions have been tried, the block's successors
leave in the order in which `kernels.expand` sends them: by state, then by code.

What `generated` declares is generated from the model, see `lanes`; the block is described there too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import WORD_BITS, Checks, Numbers, Outboxes, Packing, Scratch, Words
from .hash_table import fingerprint, words_of
from .kernels import canonical_key
from .meta_words import meta_word
from .packing_kernels import unpack

if TYPE_CHECKING:
    from .generated import (
        FAILED,
        LANES,
        address_of,
        check_block,
        clear_words,
        merge_downwards,
        merge_upwards,
        misplaced,
        popcount,
        spread,
        steps_of_block,
        take_changes,
    )
    from .machine_instructions import prefetch, trailing_zeros

SOON = 16
"""How many successors ahead the cache lines of a box are prefetched."""

STRADDLING = 56
"""A cell that begins above this bit of a word of a key may end in the next one."""

MERGED = 8
"""Of how many successors `take_changes` merges what has changed."""

STUCK = -1
"""Instead of a place in the frontier."""


def expand(
    keys: Words, first: int, last: int, start: int, shard: int, shift: np.uint64,
    packing: Packing, scratch: Scratch, renaming: Numbers, base: Numbers, checks: Checks, boxes: Outboxes, only_check: bool,
) -> int:  # fmt: skip
    """As `kernels.expand`. A block is narrower where its successors might not fit into the boxes.

    Where a check of code that is not our own fails, what has been written is of no use, and the answer is `STUCK`.
    """
    block = scratch.lanes[0]
    instances = max(1, block.key.shape[1] // LANES)
    fullest, i = 0, first
    while i < last:
        width = min(LANES, last - i, (boxes.fp.shape[2] - fullest) // instances)
        if width <= 0:
            return int(i)
        for lane in range(width):
            block.fill[lane] = 0
            prefetch(keys, (i + lane + LANES) * words_of(keys))
            for k in range(words_of(keys)):
                block.words[k, lane] = keys[i + lane, k]
        live = ~np.uint64(0) >> np.uint64(WORD_BITS - width)
        spread(block)
        check_block(block, live, start + i, checks.active, checks.notes)
        if not only_check:
            steps_of_block(block, live, start + i, base, checks.active, checks.notes, checks.taken, checks.able)
            if block.journal[FAILED] != 0:
                return STUCK
            sent = send_block(block, width, start + i, shard, shift, packing, scratch, renaming, boxes)
            fullest = max(fullest, sent)
        i += width
    return int(last)


def note_in_lanes(notes: Numbers, row: int, found: np.uint64, index: int, code: int) -> None:
    """Remember the first lane of the mask `found`, if none before it was noted; `index` is that of lane 0."""
    if found != np.uint64(0):
        at = index + trailing_zeros(found)
        if notes[row, 0] < 0 or at < notes[row, 0]:
            notes[row, 0] = at
            notes[row, 1] = code


def bits_of_changes(block: Any, first: int) -> np.uint64:
    """The bits of all that looks at a cell that has changed, by the journal's entries from the `first` on."""
    found = np.uint64(block.touched)
    for entry in range(first, block.journal[0] + 1):
        found |= block.bits[(block.journal[entry] - address_of(block.successors)) // LANES]
    return found


def look_at_changes(block: Any, able: np.uint64, refused: np.uint64) -> None:
    """After an action that is not our own: lanes that took it have each cell in its range, those that `refused` wrote none."""
    for entry in range(1, block.journal[0] + 1):
        cell = (block.journal[entry] - address_of(block.successors)) // LANES
        note_misplaced(block, cell, block.span[cell], able, refused)


def look_at_normal_form(block: Any, able: np.uint64) -> None:
    """The same, of states in their normal form."""
    for entry in range(1, block.journal[0] + 1):
        cell = (block.journal[entry] - address_of(block.successors)) // LANES
        note_misplaced(block, cell, block.normal_span[cell], able, np.uint64(0))


def note_misplaced(block: Any, cell: int, span: int, able: np.uint64, refused: np.uint64) -> None:
    """Look at one cell."""
    least = block.least[cell]
    wrong = misplaced(block.states, block.successors, cell, least, span, block.other[cell], able, refused)
    block.journal[FAILED] = block.journal[FAILED] | wrong


def arrive(block: Any, able: np.uint64, code: int) -> None:
    """Enter the successors in the lanes of `able`, and reset them."""
    count = popcount(able)
    for k in range(words_of(block.words)):
        clear_words(block.after[k], count)
    for entry in range(1, block.journal[0] + 1):
        cell = (block.journal[entry] - address_of(block.successors)) // LANES
        word = block.word[cell]
        shift = block.shift[cell]
        bias = block.bias[cell]
        mask = block.mask[cell]
        into = block.after[word]
        if take_changes(block.states, block.successors, cell, bias, mask, able, block.changed, shift, into):
            if count > MERGED:
                merge_upwards(block.changed, shift, into, MERGED, count)
            if shift > STRADDLING and word + 1 < words_of(block.words):
                merge_downwards(block.changed, WORD_BITS - shift, block.after[word + 1], 0, count)
    block.journal[0] = 0
    left = able
    for i in range(count):
        lane = trailing_zeros(left)
        left &= left - np.uint64(1)
        at = block.fill[lane]
        block.fill[lane] = at + 1
        place = at * LANES + lane
        block.code[place] = code
        for k in range(words_of(block.words)):
            block.key[k][place] = block.words[k][lane] ^ block.after[k][i]


def represent(keys: Words, at: np.uint64, packing: Packing, scratch: Scratch, renaming: Numbers) -> None:
    """Put the key of its representative in the place of the key of a state; without symmetry it is its own."""
    for k in range(words_of(keys)):
        scratch.key[0, k] = keys[at, k]
    unpack(scratch.key, 0, packing, scratch.rows, 0)
    canonical_key(scratch, 0, packing, renaming)
    for k in range(words_of(keys)):
        keys[at, k] = scratch.key[0, k]


def send_block(
    block: Any, width: int, index: int, shard: int, shift: np.uint64, packing: Packing, scratch: Scratch, renaming: Numbers,
    boxes: Outboxes,
) -> int:  # fmt: skip
    """Put the block's successors into the boxes of their owners; how many are in the fullest."""
    fullest = np.int64(0)
    keys = block.key.T
    for lane in range(width):
        for place in range(block.fill[lane]):
            j = np.uint64(place * LANES + lane)  # unsigned: it counts from no end
            represent(keys, j, packing, scratch, renaming)
            h = fingerprint(keys, j)
            d = h >> shift
            to = np.uint64(boxes.filled[shard, d])
            soon = (shard * boxes.fp.shape[1] + np.int64(d)) * boxes.fp.shape[2] + np.int64(to) + SOON
            prefetch(boxes.fp, soon)
            prefetch(boxes.meta, soon)
            prefetch(boxes.key, soon * words_of(keys))
            boxes.fp[shard, d, to] = h
            boxes.meta[shard, d, to] = meta_word(index + lane, shard, block.code[j])
            for k in range(words_of(keys)):
                boxes.key[shard, d, to, k] = keys[j, k]
            boxes.filled[shard, d] = to + np.uint64(1)
            fullest = max(fullest, np.int64(to) + 1)
    return int(fullest)
