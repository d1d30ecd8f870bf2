"""Checking a model under one configuration, from the request to the outcome."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from ...properties.property import SOMETIMES, Property
from ..budget import Bounds
from ..compiling import symmetry
from ..compiling.compiled import Compiled
from ..failure import located
from ..request import Request
from ..verdict import (
    HOLDS,
    INCOMPLETE,
    NEVER,
    NO_DEADLOCK,
    NOT_APPLICABLE,
    VIOLATED,
    WITNESSED,
    Finding,
    Outcome,
    collision_probability,
)
from .breadth_first import BreadthFirst, Explored, Progress, timed
from .path import trace_of
from .run_directory import RunDirectory

LAYOUT_FOR_ALL = "small"


def check(request: Request, report: Callable[[Progress], None] | None = None) -> Outcome:
    """Explore breadth-first and say what was found. UsageError when the request cannot be met."""
    if request.symmetry:
        symmetry.refuse(request.model, request.config)
    applicable = request.applicable
    begun = time.perf_counter()
    compiled = compile_for(request, applicable)
    search = BreadthFirst(
        compiled, applicable, request.exact, request.threads, request.keep_going, request.deadlock
    )
    directory = None
    if request.run_directory is not None:
        directory = RunDirectory(request.run_directory, search, request.revision)
        directory.begin(request.resume)
    else:
        search.seed()
    warm_up(compiled, applicable)
    ready = time.perf_counter()
    with interruptible(search), located_in(search):
        seconds, cpu = timed(search, request.bounds, report, directory.commit if directory else None)
    outcome = outcome_of(request, search, applicable)
    outcome.seconds, outcome.cpu_seconds, outcome.compile_seconds = seconds, cpu, ready - begun
    return outcome


def compile_for(request: Request, properties: list[Property]) -> Compiled:
    """The compiled model; in generic mode with all of the model's properties, so that the code is shared."""
    if not request.generic:
        return Compiled(request.model, request.config, properties, request.symmetry)
    from ...properties.catalogue import properties_of

    everything = properties_of(request.model.name) or tuple(properties)
    return Compiled(request.model, request.config, everything, request.symmetry, LAYOUT_FOR_ALL)


def warm_up(compiled: Compiled, properties: list[Property]) -> None:
    """Have everything compiled before the clock starts."""
    search = BreadthFirst(compiled, properties)
    search.seed()
    with located_in(search):
        search.run(Bounds(depth=2))
    for shard in search.shards:
        compiled.module.rehash(shard.slots[:0], shard.slots, shard.shift, shard.keys, False)


def located_in(search: BreadthFirst) -> AbstractContextManager[None]:
    """A failure of the model within the block is told with its place."""
    compiled = search.compiled
    return located(compiled.model, compiled.layout, compiled.config, search.properties, search.rows)


@contextmanager
def interruptible(search: Explored) -> Iterator[None]:
    """SIGINT and SIGTERM end the search after the present round, so that what it found is reported."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, lambda signum, frame: search.interrupt())
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def outcome_of(request: Request, search: Explored, applicable: list[Property]) -> Outcome:
    """What the search found, with traces of what it broke."""
    findings = [finding_of(request, search, one, one in applicable) for one in request.properties]
    deadlock = None
    if "deadlock" in search.found:
        found = search.found["deadlock"]
        deadlock = Finding(_deadlock(), VIOLATED, found.depth, trace_of(search, found, request.revision, None))
    states = search.states
    return Outcome(
        model=request.model.name,
        revision=request.revision,
        config=request.config,
        findings=findings,
        actions=search.action_counts(),
        levels=search.levels,
        transitions=search.transitions,
        complete=search.complete,
        stopped=search.stopped,
        deadlock=deadlock,
        bytes_per_state=search.bytes / max(1, states),
        collision_probability=0.0 if request.exact else collision_probability(states),
        symmetry=request.symmetry,
        exact=request.exact,
        threads=request.threads,
        looked_for_deadlock=request.deadlock,
    )


def finding_of(request: Request, search: Explored, one: Property, applies: bool) -> Finding:
    """The verdict on one property."""
    if not applies:
        return Finding(one, NOT_APPLICABLE)
    found = search.found.get(one.name)
    if one.kind == SOMETIMES:
        if found is not None:
            return Finding(one, WITNESSED, found.depth)
        return Finding(one, NEVER if search.complete else INCOMPLETE)
    if found is not None:
        return Finding(one, VIOLATED, found.depth, trace_of(search, found, request.revision, one))
    return Finding(one, HOLDS if search.complete else INCOMPLETE)


def _deadlock() -> Property:
    """A stand-in, for reports, for the property that some action is always enabled."""

    def no_deadlock(s: Any) -> bool:
        """Some action is enabled in every state."""
        return True

    return Property(NO_DEADLOCK, "always", no_deadlock, None, lambda config: True, "")
