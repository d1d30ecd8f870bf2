"""The orders of members in which a state is looked at under symmetry, to find its representative (`kernels.canonical_key`).

`renaming` [sort]: how many members each symmetric sort has. The orders are all those in which the members of each sort stand by
their signatures, but for twins: whichever of these comes first, the state is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .arrays import Numbers, Packing, Scratch, Words
from .hash_table import words_of
from .packing_kernels import pack

if TYPE_CHECKING:
    from .generated import rename, signature

FEW_ORDERS = 6
"""So many orders of tied members are tried without a look at which of them are twins."""


def sort_members(scratch: Scratch, at: int, renaming: Numbers) -> None:
    """Put the members of each sort in the order of their signatures, those that are tied by number."""
    signs, order = scratch.signs, scratch.order
    for sort in range(renaming.shape[0]):
        for member in range(renaming[sort]):
            sign = signature(scratch.recs[at], sort, member)
            place = member
            while place > 0 and signs[sort, order[sort, place - 1]] > sign:
                order[sort, place] = order[sort, place - 1]
                place -= 1
            order[sort, place] = member
            signs[sort, member] = sign
            scratch.twins[sort, member] = member


def renamed_key(scratch: Scratch, at: int, packing: Packing, renaming: Numbers, key: Words) -> None:
    """The key of row `at` with its members in the present order."""
    recs, spare = scratch.recs, scratch.rows.shape[0] - 1
    for sort in range(renaming.shape[0]):
        for place in range(renaming[sort]):
            scratch.places[sort, scratch.order[sort, place]] = place
    rename(recs[at], recs[spare], scratch.order, scratch.places)
    pack(scratch.rows, spare, packing, key, 0)


def last_tied(scratch: Scratch, sort: int, first: int, size: int) -> int:
    """The last place whose member has the signature of the one at `first`."""
    signs, order, last = scratch.signs, scratch.order, first
    while last + 1 < size and signs[sort, order[sort, last + 1]] == signs[sort, order[sort, first]]:
        last += 1
    return last


def note_twins(scratch: Scratch, at: int, packing: Packing, renaming: Numbers) -> None:
    """Note of tied members which can be exchanged without a change of the state: of these one order is enough.

    A few orders are tried faster than that is found out.
    """
    key, trial, order, orders = scratch.key, scratch.trial, scratch.order, 1
    for sort in range(renaming.shape[0]):
        tied = 1
        for place in range(1, renaming[sort]):
            alike = scratch.signs[sort, order[sort, place]] == scratch.signs[sort, order[sort, place - 1]]
            tied = tied + 1 if alike else 1
            orders = min(orders * tied, FEW_ORDERS + 1)
    if orders <= FEW_ORDERS:
        return
    renamed_key(scratch, at, packing, renaming, key)
    for sort in range(renaming.shape[0]):
        first = 0
        while first < renaming[sort]:
            last = last_tied(scratch, sort, first, renaming[sort])
            for place in range(first + 1, last + 1):
                for other in range(first, place):
                    bit, two = order[sort, other], order[sort, place]
                    if scratch.twins[sort, two] == two and scratch.twins[sort, bit] == bit:
                        order[sort, other], order[sort, place] = two, bit
                        renamed_key(scratch, at, packing, renaming, trial)
                        order[sort, other], order[sort, place] = bit, two
                        if is_same(trial, key):
                            scratch.twins[sort, two] = bit
            join_twins(order, scratch.twins, sort, first, last)
            first = last + 1


def join_twins(order: Numbers, twins: Numbers, sort: int, first: int, last: int) -> None:
    """Put twins next to each other: the first of all orders is that of their numbers."""
    for start in range(first + 1, last + 1):
        place, member = start, order[sort, start]
        while place > first and twins[sort, order[sort, place - 1]] > twins[sort, member]:
            order[sort, place] = order[sort, place - 1]
            place -= 1
        order[sort, place] = member


def next_order(scratch: Scratch, renaming: Numbers) -> bool:
    """Go on to the next order of tied members, in which twins count as the same one; False behind the last."""
    for sort in range(renaming.shape[0]):
        first = 0
        while first < renaming[sort]:
            last = last_tied(scratch, sort, first, renaming[sort])
            if last > first and next_permutation(scratch.order, scratch.twins, sort, first, last):
                return True
            first = last + 1
    return False


def next_permutation(order: Numbers, twins: Numbers, sort: int, first: int, last: int) -> bool:
    """Put some places in their next order; False behind the last, and then they are in the first one again."""
    fall = last - 1
    while fall >= first and twins[sort, order[sort, fall]] >= twins[sort, order[sort, fall + 1]]:
        fall -= 1
    if fall >= first:
        above = last
        while twins[sort, order[sort, above]] <= twins[sort, order[sort, fall]]:
            above -= 1
        order[sort, fall], order[sort, above] = order[sort, above], order[sort, fall]
    begin, end = fall + 1, last
    while begin < end:
        order[sort, begin], order[sort, end] = order[sort, end], order[sort, begin]
        begin += 1
        end -= 1
    return fall >= first


def places_of(places: Numbers, sort: int, members: int, size: int) -> int:
    """The set of the places of a set of members."""
    found = 0
    for member in range(size):
        found |= ((members >> member) & 1) << places[sort, member]
    return found


def is_same(left: Words, right: Words) -> bool:
    """Whether two keys are equal."""
    for k in range(words_of(left)):
        if left[0, k] != right[0, k]:
            return False
    return True
