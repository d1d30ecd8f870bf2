"""How often `highwater estimate` is right: against configurations whose states are known.

python -m tests.estimates --minutes 30 --keep FILE     explore grids of configurations, as far as the time goes; then judge

Each configuration with enough states is estimated from those below it that have at most a tenth, a hundredth, ... of its states.
FILE keeps what was explored, so that the next run continues.
"""

import argparse
import itertools
import json
import math
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path

from highwater.explorer.estimate.fit import estimate
from highwater.explorer.estimate.smaller import Known, explored_at
from highwater.properties.registry import MODELS

OF_PUBLISHED = {"brokers": (1, 2, 3, 4), "log_size": (1, 2, 3, 4), "max_epoch": (0, 1, 2, 3), "max_records": (1, 2, 3, 4)}
OF_KAFKA = {
    "brokers": (1, 2, 3), "crashes": (0, 1), "log_size": (1, 2, 3), "max_epoch": (1, 2, 3), "max_records": (1, 2, 3),
    "session_expiries": (0, 1, 2),
}  # fmt: skip
OF_FAULTS = {
    "brokers": (1, 2, 3), "controller_changes": (0, 1), "crashes": (0, 1, 2), "log_size": (1, 2), "max_epoch": (1, 2, 3),
    "max_records": (1, 2), "preferred_elections": (0, 1),
}  # fmt: skip
OF_KRAFT = {
    "brokers": (1, 2, 3), "crashes": (0, 1), "log_size": (1, 2), "max_epoch": (1, 2, 3), "max_records": (1, 2, 3),
    "window": (1, 2, 3),
}  # fmt: skip
GRIDS = (
    ("published", "kip-279", OF_PUBLISHED), ("published", "kip-320", OF_PUBLISHED), ("published", "high-watermark", OF_PUBLISHED),
    ("kafka", "kip-320-2.8", OF_KAFKA), ("kafka", "kip-279", OF_FAULTS), ("kafka", "kip-101", OF_FAULTS),
    ("kraft", "4.4", OF_KRAFT),
)  # fmt: skip

LARGEST, WORTH = 4_000_000, 100_000
"""States of the largest that are explored, and of the smallest that are estimated."""

PARTS = (3, 10, 100, 300, 1_000)
"""The largest that an estimate is from has one part in so many of the states."""


def explore(grid, known, until, keep):
    """Explore the points of a grid, from small ones to large ones, as far as the time goes."""
    name, revision, values = grid
    model, too_large = MODELS[name], set()
    for place in sorted(itertools.product(*(range(len(some)) for some in values.values())), key=sum):
        point = tuple(some[at] for some, at in zip(values.values(), place, strict=True))
        above = any(all(a <= b for a, b in zip(large, point, strict=True)) for large in too_large)
        if point in known or above or time.monotonic() > until:
            continue
        config = model.configure(revision)
        found = explored_at(model, revision, config, dict(zip(values, point, strict=True)), LARGEST, until, 2)
        if found is None:
            too_large.add(point)
        elif isinstance(found, Known):
            known[point] = found
            keep([name, revision, point, found.states, found.transitions, found.levels])


def judged(known):
    """For each part: (what the estimate was divided by the truth, whether the truth was within) of each configuration."""
    out = defaultdict(list)
    for top, truth in known.items():
        below = {p: one for p, one in known.items() if p != top and all(a <= b for a, b in zip(p, top, strict=True))}
        for part in PARTS:
            found = estimate({p: one for p, one in below.items() if one.states <= truth.states / part}, top)
            if truth.states >= WORTH and found is not None:
                out[part].append((found.states / truth.states, found.low <= truth.states <= found.high))
    return out


def told(label, rows):
    """A line of the report: how many, the middle factor, the one that four of five keep, and how many were within."""
    factors = sorted(max(row, 1 / row) for row, _ in rows)
    return (
        f"{label}: {len(rows)} estimates, the middle one wrong by a factor of {statistics.median(factors):.2f},"
        f" four of five by at most {factors[math.ceil(0.8 * len(rows)) - 1]:.2f}, all by at most {factors[-1]:.1f};"
        f" within the interval {sum(ok for _, ok in rows)}"
    )


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.estimates", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30, help="of exploring (30)")
    parser.add_argument("--keep", metavar="FILE", default="estimates.jsonl", help="what was explored (estimates.jsonl)")
    options = parser.parse_args()
    file, whole = Path(options.keep), defaultdict(dict)
    for line in file.read_text().splitlines() if file.exists() else ():
        name, revision, point, states, transitions, levels = json.loads(line)[:6]
        whole[name, revision][tuple(point)] = Known(states, transitions, tuple(levels))
    begun = time.monotonic()
    with file.open("a") as kept:
        for number, grid in enumerate(GRIDS):
            until = begun + 60 * options.minutes * (number + 1) / len(GRIDS)
            explore(grid, whole[grid[:2]], until, lambda row: print(json.dumps(row), file=kept, flush=True))
    everything = defaultdict(list)
    for (name, revision), known in whole.items():
        for part, rows in judged(known).items():
            print(told(f"{name} {revision}, from a part in {part}", rows))
            everything[part] += rows
    for part, rows in everything.items():
        print(told(f"all, from a part in {part}", rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
