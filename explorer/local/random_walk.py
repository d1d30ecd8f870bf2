"""Random walks: behaviours of configurations that are too large to explore.

Each walk has its own seed and can be repeated. A walk that violates a property is shrunk to a
locally shortest trace. That no walk violated one proves nothing: the verdict is incomplete.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from ...model.language.around import OUTSIDE
from ...properties.property import SOMETIMES, Property
from ...traces.trace import Trace
from ..compiling.arrays import SOMETIMES_NOTES
from ..compiling.compiled import Compiled
from ..compiling.shortcuts import trace_of
from ..compiling.walker import Walker, spread
from ..promises import validate_walked
from ..search import INTERRUPTION, Counts, action_counts
from ..verdict import ActionCount

ROUND = 256
"""Walks between two looks at the clock: a fixed number, so that the outcome does not depend on the threads."""


@dataclass
class Walks:
    """What the walks saw.

    `broken`: for each violated property, the shrunk trace; `seeds`: the seed of the walk that found it; `stopped`: what ended
    them early. After its round, what is violated is not looked for any more: a walk ends at the first violation, and would hide
    what comes later.
    """

    walks: int = 0
    steps: int = 0
    seconds: float = 0.0
    broken: dict[str, Trace] = field(default_factory=dict)
    seeds: dict[str, int] = field(default_factory=dict)
    witnessed: set[str] = field(default_factory=set)
    actions: list[ActionCount] = field(default_factory=list)
    stopped: str = ""


def walk_randomly(
    compiled: Compiled,
    properties: list[Property],
    revision: str,
    length: int,
    walks: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    threads: int = 1,
    keep_going: bool = False,
    report: Callable[[Walks], None] | None = None,
) -> Walks:
    """Walk until a property is violated, or the bound is reached; one round at least.

    Keeping going, until each is violated, and with a bound also until all that can happen is witnessed.

    An interruption ends the walks with what they saw.
    """
    result = Walks()
    wanted = {p.name: p for p in properties if p.kind != SOMETIMES}
    hoped = {p.name for p in properties if p.kind == SOMETIMES}
    walkers = [Walker(compiled, properties, length) for _ in range(threads)]
    tracer = Walker(compiled, properties, length)
    tracer.walk(0, spread(seed))  # compiles what is not compiled yet, before the clock starts
    validate_walked(compiled, properties, length)
    following, begun = seed, time.monotonic()
    try:
        with ThreadPoolExecutor(threads) as pool:
            while not result.walks or not _is_over(result, wanted, hoped, walks, seconds, begun, keep_going):
                left = ROUND if walks is None else min(ROUND, walks - result.walks)
                seeds = [range(following + i, following + left, threads) for i in range(threads)]
                for number, took, broken in sorted(chain(*pool.map(_walk_batch, walkers, seeds))):
                    result.walks += 1
                    result.steps += took
                    for name in broken:
                        if name in wanted and name not in result.broken:
                            walk_from(tracer, number)
                            result.broken[name], result.seeds[name] = trace_of(tracer, revision, wanted[name]), number
                for walker in (*walkers, tracer):
                    walker.silence(result.broken)
                result.witnessed |= _witnessed(compiled, walkers)
                following += left
                result.seconds = time.monotonic() - begun
                if report is not None:
                    report(result)
    except KeyboardInterrupt:  # what was seen is reported
        if not result.walks:
            raise
        result.stopped = INTERRUPTION
    result.seconds = time.monotonic() - begun
    _count(result, compiled, walkers)
    return result


def walk_from(walker: Walker, seed: int) -> int:
    """The walk of a seed, as far as it goes; how many steps it took."""
    drawn = spread(seed)
    walker.begin(int(drawn))
    return walker.walk(len(walker.codes), drawn)


def _walk_batch(walker: Walker, seeds: range) -> list[Any]:
    """One task: for each seed the steps that its walk took, and what the last one violated."""
    return [(seed, walk_from(walker, seed), [claim.name for claim in walker.violated]) for seed in seeds]


def _is_over(
    result: Walks, wanted: dict[str, Property], hoped: set[str], walks: int | None, seconds: float | None, begun: float,
    keep_going: bool,
) -> bool:  # fmt: skip
    """Whether all that is `wanted` is violated and all that is hoped for is witnessed, or a bound is reached."""
    if result.broken and not keep_going:
        return True
    unseen = hoped - result.witnessed if walks is not None or seconds is not None else set()
    if result.broken and len(result.broken) == len(wanted) and not unseen:
        return True
    if walks is not None and result.walks >= walks:
        return True
    return seconds is not None and time.monotonic() - begun >= seconds


def _count(result: Walks, compiled: Compiled, walkers: list[Walker]) -> None:
    """Sum the tasks' counts."""
    taken, able = (np.sum([getattr(w.checks, name) for w in walkers], axis=0) for name in ("taken", "able"))
    counted = action_counts(compiled, Counts(taken, able, np.zeros_like(taken)))
    result.actions = [action for action in counted if action.name != OUTSIDE]
    result.witnessed |= _witnessed(compiled, walkers)


def _witnessed(compiled: Compiled, walkers: list[Walker]) -> set[str]:
    """What can happen, and has been seen."""
    notes = [(claim.name, row) for claim, row, *_ in compiled.properties.notes() if row >= SOMETIMES_NOTES]
    return {name for name, row in notes if any(walker.checks.notes[row, 0] >= 0 for walker in walkers)}
