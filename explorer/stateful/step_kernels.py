"""The inner loops of stateful testing: plain functions over rows, compiled together with a model.

Row 0 is the present state, row 1 the one before, row 2 the initial one, row 3 where scouts set out from. `attempt`,
`broken`, `broken_steps` and `measure` are generated from the model, see `stepper`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .generated import attempt, broken, broken_steps, measure

RESTART, ACT, IS_ENABLED, STROLL, SCOUT, RETRACE, MEASURE = 0, 1, 2, 3, 4, 5, 6
"""What `play` can be asked to do."""

NOTHING, TAKEN, BROKE = 0, 1, 2
"""What became of a step: no instance was enabled; it was taken; it was taken and broke a property."""

DRAWS = 12
"""Actions that a stroll draws by weight before it tries all in order."""


def copy_state(rows: Any, used: Any, source: Any, to: Any) -> None:
    """Copy the state of a row, of which `used` lists the words that the configuration has."""
    for i in range(used.shape[0]):
        rows[to, used[i]] = rows[source, used[i]]


def restart(rows: Any, recs: Any, used: Any, active: Any, found: Any) -> int:
    """Go back to the initial state, and check it."""
    copy_state(rows, used, 2, 0)
    found[0] = broken(recs[0], active[0])
    found[1] = np.uint64(0)
    return BROKE if found[0] != np.uint64(0) else TAKEN


def act(
    rows: Any, recs: Any, used: Any, action: Any, first: Any, tries: Any, active: Any, found: Any, path: Any, at: Any
) -> int:
    """Take the first enabled instance of an action, from the instance `first` on, of at most `tries`.

    Writes action and instance to `path[at]`, and to `found` the masks of the properties that fall.
    """
    copy_state(rows, used, 0, 1)
    instance = attempt(recs[0], action, first, tries)
    if instance < 0:
        return NOTHING
    path[at, 0] = action
    path[at, 1] = instance
    found[0] = broken(recs[0], active[0])
    found[1] = broken_steps(recs[1], recs[0], active[1])
    return TAKEN if found[0] | found[1] == np.uint64(0) else BROKE


def is_enabled(rows: Any, recs: Any, used: Any, action: Any) -> int:
    """Whether the action has an enabled instance; the state stays as it is."""
    copy_state(rows, used, 0, 1)
    if attempt(recs[0], action, 0, 1 << 30) < 0:
        return 0
    copy_state(rows, used, 1, 0)
    return 1


def stroll(
    rows: Any, recs: Any, used: Any, weights: Any, state: Any, steps: Any, active: Any, found: Any, path: Any, at: Any
) -> int:
    """Take up to `steps` random steps, an action by its weight and an instance evenly; the end of the path.

    `state` seeds the draws. The stroll ends early where no action with a weight is enabled, or where a
    property falls: then `found` is not zero.
    """
    total = 0
    for action in range(weights.shape[0]):
        total += weights[action]
    if total == 0:
        return int(at)
    x = state
    for _ in range(steps):
        outcome = NOTHING
        for draw in range(DRAWS + weights.shape[0]):
            if draw < DRAWS:
                x ^= x << np.uint64(13)
                x ^= x >> np.uint64(7)
                x ^= x << np.uint64(17)
                left = np.int64((x >> np.uint64(33)) % np.uint64(total))
                action = 0
                while left >= weights[action]:
                    left -= weights[action]
                    action += 1
            else:
                action = draw - DRAWS
            if weights[action] > 0:
                first = np.int64((x >> np.uint64(11)) & np.uint64(0xFFFFF))
                outcome = act(rows, recs, used, action, first, 1 << 30, active, found, path, at)
                if outcome != NOTHING:
                    break
        if outcome == NOTHING:
            return int(at)
        at += 1
        if outcome == BROKE:
            return int(at)
    return int(at)


def scout(
    rows: Any, recs: Any, used: Any, weights: Any, state: Any, tours: Any, steps: Any, active: Any, found: Any, path: Any,
    at: Any, taken: Any,
) -> int:  # fmt: skip
    """Stroll several times from the present state, and come back unless a property falls; the end of the path.

    `taken[0]` is raised by the steps of all tours.
    """
    copy_state(rows, used, 0, 3)
    x = state
    for _ in range(tours):
        x = x * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        end = stroll(rows, recs, used, weights, x | np.uint64(1), steps, active, found, path, at)
        taken[0] += end - at
        if found[0] | found[1] != np.uint64(0):
            return int(end)
        copy_state(rows, used, 3, 0)
    return int(at)


def retrace(rows: Any, recs: Any, used: Any, path: Any, length: Any, active: Any, found: Any) -> int:
    """Take the recorded steps from the initial state; after how many a property fell.

    -1: one of them is not enabled; -2: none broke anything.
    """
    if restart(rows, recs, used, active, found) == BROKE:
        return 0
    for at in range(length):
        outcome = act(rows, recs, used, path[at, 0], path[at, 1], 1, active, found, path, at)
        if outcome == NOTHING:
            return -1
        if outcome == BROKE:
            return int(at) + 1
    return -2


def play(
    what: Any, rows: Any, recs: Any, used: Any, active: Any, found: Any, path: Any, weights: Any, out: Any,
    taken: Any, at: Any, one: Any, two: Any, seed: Any,
) -> int:  # fmt: skip
    """Every kernel behind one entry, so that the model's code is compiled once."""
    if what == RESTART:
        return int(restart(rows, recs, used, active, found))
    if what == ACT:
        return int(act(rows, recs, used, one, two, 1 << 30, active, found, path, at))
    if what == IS_ENABLED:
        return int(is_enabled(rows, recs, used, one))
    if what == STROLL:
        return int(stroll(rows, recs, used, weights, seed, one, active, found, path, at))
    if what == SCOUT:
        return int(scout(rows, recs, used, weights, seed, one, two, active, found, path, at, taken))
    if what == RETRACE:
        return int(retrace(rows, recs, used, path, one, active, found))
    measure(recs[0], out)
    return 0
