"""Passes over all states and steps, compiled once for all models: plain functions over arrays.

Steps stand in the order of their states: those of state `v` are `offsets[v]` to `offsets[v + 1]`, with `targets` and `codes` of
actions. `paid` [state]: what was paid for faults on the path there; a step that pays more is a fault, and so is one whose code
`fairness` says so of. Nothing is allocated here: what a function needs beside its input is given to it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compiling.hash_table import INDEX_MASK, home
from ..compiling.meta_words import INDEX_BITS

NOTHING, WEAKLY, STRONGLY, FAULTY = 0, 1, 2, 3
"""What is demanded of the steps of a code: nothing, weak or strong fairness; or they are faults."""

FAIR, UNFAIR, TO_DIVIDE = 0, 1, 2
"""A component in which a fair behaviour can stay; none can; none can in all of it, but one perhaps in a part."""

Array = NDArray[Any]


def locate(fps: Array, keys: Array, slots: Array, shift: np.uint64, store: Array, first: int, out: Array) -> int:
    """The numbers of states, `first` + their place in `store`; -1 and how many are not there."""
    missing = 0
    for i in range(fps.shape[0]):
        slot = home(fps[i], shift, slots)
        tag = fps[i] << np.uint64(INDEX_BITS)
        found = np.int64(-1)
        while slots[slot] != np.uint64(0) and found < 0:
            x = slots[slot]
            if (x ^ tag) >> np.uint64(INDEX_BITS) == np.uint64(0):
                found = np.int64(x & np.uint64(INDEX_MASK)) - 1
                for k in range(store.shape[1]):
                    if store[found, k] != keys[i, k]:
                        found = np.int64(-1)
                        break
            slot = slot + 1 if slot + 1 < slots.shape[0] else 0
        missing += 1 if found < 0 else 0
        out[i] = first + found if found >= 0 else -1
    return missing


def is_used(v: Any, w: Any, code: Any, fairness: Array, paid: Array, faults: Any) -> Any:
    """Whether the step from `v` to `w` counts: one that is a fault only when `faults` do; one that changes nothing never."""
    if v == w:
        return False
    return faults or (fairness[code] != FAULTY and paid[w] <= paid[v])


def count_arrivals(offsets: Array, targets: Array, codes: Array, fairness: Array, paid: Array, faults: bool, into: Array) -> None:
    """`into` [state + 1]: where the steps to each state begin among all steps, in the order of their ends."""
    for v in range(offsets.shape[0] - 1):
        for e in range(offsets[v], offsets[v + 1]):
            if is_used(v, targets[e], codes[e], fairness, paid, faults):
                into[targets[e] + 1] += 1
    for v in range(into.shape[0] - 1):
        into[v + 1] += into[v]


def fill_arrivals(
    offsets: Array, targets: Array, codes: Array, fairness: Array, paid: Array, faults: bool, into: Array, sources: Array
) -> None:
    """The states from which the steps of `into` come. `into` ends up moved by one: `into[v]` is where those to `v` end."""
    for v in range(offsets.shape[0] - 1):
        for e in range(offsets[v], offsets[v + 1]):
            w = targets[e]
            if is_used(v, w, codes[e], fairness, paid, faults):
                sources[into[w]] = v
                into[w] += 1


def search_back(ends: Array, sources: Array, inside: Array, distance: Array, queue: Array, filled: int) -> int:
    """How many steps each state is from those at the head of `queue`, whose `distance` is 0, through states that are `inside`.

    `ends` and `sources` as `fill_arrivals` leaves them; `distance` is -1 where there is no path. Returns how
    many states were reached.
    """
    at = 0
    while at < filled:
        v = queue[at]
        at += 1
        for e in range(ends[v - 1] if v > 0 else 0, ends[v]):
            w = sources[e]
            if inside[w] and distance[w] < 0:
                distance[w] = distance[v] + 1
                queue[filled] = w
                filled += 1
    return filled


def joins(v: Any, e: Any, number: Array, offsets: Array, targets: Array, codes: Array, fairness: Array, paid: Array) -> Any:
    """Whether the step `e` of state `v` counts between the states that have a number: it is no fault, and the first with its end.

    Parallel steps would make SciPy's search for components run for ever.
    """
    if number[targets[e]] < 0 or not is_used(v, targets[e], codes[e], fairness, paid, False):
        return False
    for other in range(offsets[v], e):
        if targets[other] == targets[e] and is_used(v, targets[other], codes[other], fairness, paid, False):
            return False
    return True


def count_induced(
    nodes: Array, number: Array, offsets: Array, targets: Array, codes: Array, fairness: Array, paid: Array, out: Array
) -> None:
    """`out` [node + 1]: where the steps of each node begin when only those between `nodes` count, and no faults.

    `number` [state]: which of the nodes it is; -1: none.
    """
    for i in range(nodes.shape[0]):
        v = nodes[i]
        count = out[i]
        for e in range(offsets[v], offsets[v + 1]):
            if joins(v, e, number, offsets, targets, codes, fairness, paid):
                count += 1
        out[i + 1] = count


def fill_induced(
    nodes: Array, number: Array, offsets: Array, targets: Array, codes: Array, fairness: Array, paid: Array, out: Array
) -> None:
    """The ends of these steps, by their number."""
    at = 0
    for i in range(nodes.shape[0]):
        v = nodes[i]
        for e in range(offsets[v], offsets[v + 1]):
            if joins(v, e, number, offsets, targets, codes, fairness, paid):
                out[at] = number[targets[e]]
                at += 1


def judge(
    members: Array, starts: Array, component: Array, offsets: Array, targets: Array, codes: Array, fairness: Array, paid: Array,
    unit: Array, last: Array, able: Array, taken: Array, seen: Array, verdict: Array, out: Array,
) -> None:  # fmt: skip
    """Whether a fair behaviour can stay in each component for ever; `out` [state]: 1 for those that `TO_DIVIDE` takes away.

    `members[starts[c] : starts[c + 1]]` are the states of component `c`, and `component` [state] names it. A code whose steps
    are always enabled there and never taken is unfair; one that is sometimes enabled and never taken is if strong fairness is
    demanded, unless the behaviour keeps away from where it is enabled. Steps that change nothing, and faults, are no steps here.
    `unit` [code]: the first code of those that are fair together, in which one stands for all. `able`, `taken`, `seen`, `last`
    [code]: zeros; `last` is the state, plus 1, in which a unit was counted last.
    """
    for c in range(starts.shape[0] - 1):
        known, size, answer = 0, starts[c + 1] - starts[c], FAIR
        for i in range(starts[c], starts[c + 1]):
            v = members[i]
            for e in range(offsets[v], offsets[v + 1]):
                w, code = targets[e], codes[e]
                wanted = fairness[code] == WEAKLY or fairness[code] == STRONGLY
                if wanted and is_used(v, w, code, fairness, paid, False):
                    code = unit[code]
                    if able[code] == 0:
                        seen[known] = code
                        known += 1
                    if last[code] != v + 1:
                        last[code] = v + 1
                        able[code] += 1
                    if component[w] == c:
                        taken[code] = 1
        for k in range(known):
            code = seen[k]
            if taken[code] == 0:
                if able[code] == size:
                    answer = UNFAIR
                elif fairness[code] == STRONGLY and answer == FAIR:
                    answer = TO_DIVIDE
        verdict[c] = answer
        if answer == TO_DIVIDE:
            for i in range(starts[c], starts[c + 1]):
                v = members[i]
                for e in range(offsets[v], offsets[v + 1]):
                    w, code = targets[e], codes[e]
                    if fairness[code] == STRONGLY and taken[unit[code]] == 0 and is_used(v, w, code, fairness, paid, False):
                        out[v] = 1
        for k in range(known):
            able[seen[k]] = 0
            taken[seen[k]] = 0
