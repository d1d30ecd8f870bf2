"""Random walks: behaviours far beyond what can be exhausted, for what they are worth.

Each walk is drawn from a seed of its own and can be repeated. A walk that breaks a property is shrunk to a
locally shortest trace. That no walk broke one proves nothing: the verdict is incomplete.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from ...properties.property import Property
from ...traces.shrink import shrink
from ...traces.trace import Trace
from ..compiling import kernels
from ..compiling.compiled import Compiled
from ..compiling.kernels import Checks, Scratch
from ..failure import located
from ..verdict import ActionCount
from .path import assemble

ROUND = 256
"""Walks between two looks at the clock: a fixed number, so that the outcome does not depend on the threads."""


@dataclass
class Walks:
    """What the walks saw. `broken`: for each property that fell, the shrunk trace; `seeds`: of which walk."""

    walks: int = 0
    steps: int = 0
    seconds: float = 0.0
    broken: dict[str, Trace] = field(default_factory=dict)
    seeds: dict[str, int] = field(default_factory=dict)
    witnessed: set[str] = field(default_factory=set)
    actions: list[ActionCount] = field(default_factory=list)


def spread(seed: int) -> np.uint64:
    """A seed's starting value for the generator: seeds that are neighbours begin far apart."""
    x = (seed * 0x9E3779B97F4A7C15 + 0x243F6A8885A308D3) & (1 << 64) - 1
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & (1 << 64) - 1
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & (1 << 64) - 1
    return np.uint64((x ^ x >> 31) or 1)


class Walker:
    """One task's own rows and notes."""

    def __init__(self, compiled: Compiled, properties: Iterable[Property], length: int) -> None:
        self.compiled = compiled
        self.scratch: Scratch = compiled.scratch()
        self.checks: Checks = compiled.checks(properties)
        self.initial = compiled.keys_of(compiled.model.initial_states(compiled.config))
        self.path = np.zeros(length, np.int64)

    def walk(self, seed: int) -> tuple[int, int, list[int], list[tuple[str, int]]]:
        """Walk once: the initial state's number, steps taken, codes, and properties broken with their step."""
        compiled, notes = self.compiled, self.checks.notes
        notes[: kernels.SOMETIMES] = -1
        start = spread(seed)
        first = int(start) % len(self.initial)
        took = compiled.module.wander(
            self.initial[first : first + 1], compiled.packing, self.scratch, compiled.base, self.checks, start, self.path
        )
        broken = []
        for offset, group in zip((kernels.ALWAYS, kernels.STEPS), compiled.properties.groups, strict=False):
            broken += [(one.name, int(notes[offset + i, 0])) for i, one in enumerate(group) if notes[offset + i, 0] >= 0]
        return first, int(took), [int(code) for code in self.path[:took]], broken


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
    """Walk until a property falls (or, keeping going, until each has), or the bound is reached; one round at least."""
    result = Walks()
    wanted = {p.name: p for p in properties if p.kind != "sometimes"}
    walkers = [Walker(compiled, properties, length) for _ in range(threads)]
    spare, following = Walker(compiled, properties, 0), seed

    def rows() -> list[Any]:
        return [walker.scratch.rows[0] for walker in (spare, *walkers)]

    with located(compiled.model, compiled.layout, compiled.config, properties, rows), ThreadPoolExecutor(threads) as pool:
        spare.walk(seed)  # compiles what is not compiled yet, before the clock starts
        begun = time.monotonic()
        while not result.walks or not _is_over(result, wanted, walks, seconds, begun, keep_going):
            left = ROUND if walks is None else min(ROUND, walks - result.walks)
            seeds = [range(following + i, following + left, threads) for i in range(threads)]
            for number, first, took, codes, broken in sorted(chain(*pool.map(_walk_batch, walkers, seeds))):
                result.walks += 1
                result.steps += took
                for name, _ in broken:
                    if name in wanted and name not in result.broken:
                        trace = _as_trace(compiled, revision, first, codes, wanted[name])
                        result.broken[name], result.seeds[name] = trace, number
            following += left
            result.seconds = time.monotonic() - begun
            if report is not None:
                report(result)
    result.seconds = time.monotonic() - begun
    _count(result, compiled, walkers)
    return result


def _walk_batch(walker: Walker, seeds: range) -> list[Any]:
    """One task: walks that broke something keep their codes."""
    out = []
    for seed in seeds:
        first, took, codes, broken = walker.walk(seed)
        out.append((seed, first, took, codes if broken else [], broken))
    return out


def _is_over(
    result: Walks, wanted: dict[str, Property], walks: int | None, seconds: float | None, begun: float, keep_going: bool
) -> bool:
    if result.broken and (not keep_going or len(result.broken) == len(wanted)):
        return True
    if walks is not None and result.walks >= walks:
        return True
    return seconds is not None and time.monotonic() - begun >= seconds


def _as_trace(compiled: Compiled, revision: str, first: int, codes: list[int], one: Property) -> Trace:
    """The walk as a trace, shrunk."""
    steps = [compiled.decode(code) for code in codes]
    whole = assemble(compiled.model, revision, compiled.config, first, steps, one.name)
    return shrink(whole, compiled.model, one)


def _count(result: Walks, compiled: Compiled, walkers: list[Walker]) -> None:
    """Sum the tasks' counts."""
    for place, action in enumerate(compiled.model.actions):
        if compiled.base[place] >= 0:
            enabled = int(sum(w.checks.able[place] for w in walkers))
            taken = int(sum(w.checks.taken[place] for w in walkers))
            result.actions.append(ActionCount(action.name, enabled, taken))
    for offset, group in zip((kernels.SOMETIMES, kernels.SOMETIMES_STEPS), compiled.properties.groups[2:], strict=True):
        for i, one in enumerate(group):
            if any(w.checks.notes[offset + i, 0] >= 0 for w in walkers):
                result.witnessed.add(one.name)
