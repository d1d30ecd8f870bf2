"""Large arrays of words: in small or huge pages, and growing in place.

A page is cleared whole when it is first used. Huge pages are for what fills up and is read at random, such as large tables.
What fills up in part, such as outboxes and the beginning of an array, lies in small ones.
"""

import mmap
from math import prod

import numpy as np

from ...model.language.errors import reason_of
from .arrays import LINE_SLOTS, Outboxes, Words, separate

HUGE = 1 << 21
MIN_HUGE = 8 * HUGE
"""Arrays of at least this many bytes use huge pages; clearing these costs smaller arrays more than they save."""
MIN_RESERVED, RESERVED = 1 << 15, 1 << 25
"""A `Reserved` of at least the first number of words reserves addresses for at least the second; small searches reserve none."""
PAGE = mmap.PAGESIZE // 8
"""Words of a small page."""


def words(count: int) -> Words:
    """`count` zeros, in huge pages when there are many."""
    return reserved(count, 0) if count * 8 >= MIN_HUGE else np.zeros(count, np.uint64)


def reserved(count: int, small: int) -> Words:
    """Addresses for `count` zero words, which take memory when they are used: huge pages, after the first `small` bytes.

    MemoryError where there are no such addresses.
    """
    if not hasattr(mmap, "MADV_HUGEPAGE"):
        return np.zeros(count, np.uint64)
    size = count * 8
    try:
        region = mmap.mmap(-1, size + HUGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # what is shared has no huge pages
    except OSError as error:
        raise MemoryError(f"no {size:,} bytes of addresses: {reason_of(error)}") from None
    whole = np.frombuffer(region, np.uint8)
    skip = -whole.ctypes.data % HUGE
    small = -(-min(small, size) // mmap.PAGESIZE) * mmap.PAGESIZE
    region.madvise(mmap.MADV_NOHUGEPAGE, skip, small)
    if small < size:
        region.madvise(mmap.MADV_HUGEPAGE, skip + small, size - small)
    return whole[skip : skip + size].view(np.uint64)


def reserved_beyond(count: int) -> Words:
    """At least `count` zero words, with room for more of them, unless addresses are limited."""
    if count < MIN_RESERVED:
        return np.zeros(2 * count, np.uint64)
    try:
        return reserved(max(RESERVED, 4 * count), MIN_HUGE)
    except MemoryError:
        return words(2 * count)


def apart(count: int) -> int:
    """`count` or some more: arrays of so many words, one behind the other, do not begin in the same set of a cache."""
    return count + -count % 16 + LINE_SLOTS


def outboxes(sources: int, owners: int, room: int, key_words: int) -> Outboxes:
    """Empty outboxes from `sources` shards to `owners`, each with `room` for successors; unused room takes no memory.

    MemoryError where addresses are limited.
    """
    shape = (sources, owners, room)
    fp, meta, key = (small_pages(size) for size in (shape, shape, (*shape, key_words)))
    return Outboxes(fp, meta, key, separate((sources, owners), np.int64))


def small_pages(shape: tuple[int, ...]) -> Words:
    """Zeros in small pages."""
    count = prod(shape)
    return (reserved(count, 8 * count) if 8 * count >= HUGE else np.zeros(count, np.uint64)).reshape(shape)


def part(boxes: Outboxes, first: int, last: int) -> Outboxes:
    """The outboxes of some sources, in the same memory."""
    here = slice(first, last)
    return Outboxes(boxes.fp[here], boxes.meta[here], boxes.key[here], boxes.filled[here])


class Reserved:
    """An array of words. A large one grows in place: it reserves addresses for more words than there is memory."""

    def __init__(self, count: int) -> None:
        self.words = self._reserved = np.zeros(count, np.uint64)
        self.used = count
        """The maximum number of words that were written. The others have an address and take no memory."""

    def grow(self, count: int, at_random: bool = False) -> None:
        """Grow to at least `count` words; the new ones are zero. `at_random`: they are read and written in no order."""
        old = self.words
        if count > len(self._reserved):
            self._reserved = reserved_beyond(count)
            self._reserved[: len(old)] = old
        if count > len(old):
            self.words = self._reserved[:count]
        if at_random:
            self.used = len(self.words)
            self.words[len(old) :: PAGE] = 0  # a page that is read before it is written costs twice
