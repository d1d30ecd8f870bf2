"""What a search reports while it runs and when it ends, on any engine, and the outcome made from it."""

import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..model.language.around import OUTSIDE
from ..model.language.errors import ModelError
from ..properties.property import ALWAYS, SOMETIMES, STEP, Property
from ..traces.trace import LostPath, Trace, record
from .compiling.arrays import Numbers, Words
from .compiling.compiled import Compiled
from .compiling.path import Key, concrete_steps
from .promises import validate_promises
from .request import Request
from .verdict import (
    HOLDS,
    INCOMPLETE,
    NEVER,
    NEVER_STUCK,
    NO_DEADLOCK,
    NOT_APPLICABLE,
    VIOLATED,
    WITNESSED,
    ActionCount,
    Expected,
    Finding,
    Outcome,
    collision_probability,
)

DEADLOCK = "deadlock"
"""The name under which a state without a step is noted."""

INTERRUPTION = "an interruption"
"""What ended a search that was stopped."""


class BrokenPromise(LostPath, ModelError):
    """A path that symmetry shortened does not run through the plain model: the model, or a file of the run, is wrong."""


@dataclass(frozen=True)
class Found:
    """Where a property was violated or witnessed first: a state, and the code of a step from it, or -1.

    `shard` and `index` name a state to the search that found it; `depth` is the level of the state, or of the step's end.
    """

    depth: int
    shard: int
    index: int
    code: int


@dataclass
class SearchStatus:
    """The state of a search between rounds: levels, distinct states, those of the newest level and how many of them are expanded.

    `resumed`: the number of states found by an earlier run. `doubt`: what is expected of one that will not end by itself.
    """

    depth: int
    states: int
    frontier: int
    expanded: int
    transitions: int
    seconds: float
    bytes: int
    resumed: int = 0
    doubt: Expected | None = field(default=None, kw_only=True)


class Counts(NamedTuple):
    """For each action of the model: steps taken, states in which it is enabled, states that it found."""

    taken: Numbers
    able: Numbers
    new: Numbers


class Search(ABC):
    """A search by levels. `stopped` names the bound that ended it; `complete`: everything reachable was seen.

    `whole_levels`: the number of levels, from the first on, whose states have all been checked.
    """

    def __init__(
        self, compiled: Compiled, properties: Iterable[Property], keep_going: bool = False, deadlock: bool = False
    ) -> None:
        self.compiled, self.properties = compiled, list(properties)
        self.keep_going, self.until_found, self.deadlock = keep_going, False, deadlock
        self.levels: list[int] = []
        self.found: dict[str, Found] = {}
        self.stopped = ""
        self.expected: Expected | None = None
        self.complete = False
        self.whole_levels = 0
        self.resumed = 0

    @property
    @abstractmethod
    def states(self) -> int:
        """Distinct states seen so far."""

    @property
    @abstractmethod
    def bytes(self) -> int:
        """Their size, in memory or on disk."""

    @abstractmethod
    def sampled(self) -> list[Words]:
        """Some states of each level, by their keys: under symmetry, where the model's promise is tested on them."""

    @abstractmethod
    def counts(self) -> Counts:
        """The counts for each action so far."""

    @abstractmethod
    def path_of(self, found: Found) -> tuple[Key, list[int]]:
        """A shortest path to a finding: the initial state's key, and codes."""

    @property
    def transitions(self) -> int:
        """Steps taken so far, and the initial states, as TLC counts them: what counts states outside a constraint is no step."""
        taken = zip(self.compiled.model.actions, self.counts().taken, strict=True)
        return sum(self.levels[:1]) + sum(int(count) for action, count in taken if action.name != OUTSIDE)

    def interrupt(self) -> None:
        """End soon, with what was found."""
        self.stopped = INTERRUPTION

    def stop_at(self, bound: str) -> None:
        """Stop soon because a bound was reached, unless the search has already been interrupted."""
        if bound and not self.stopped:
            self.stopped = bound

    def is_decided(self) -> bool:
        """Something is violated, and the search is not to keep going; or all that it looks for is found."""
        if self.until_found:
            return all(p.name in self.found for p in self.properties)
        violated = any(p.name in self.found and p.kind in (ALWAYS, STEP) for p in self.properties)
        return not self.keep_going and (violated or DEADLOCK in self.found)

    def trace_of(self, found: Found, revision: str, claim: Property | None) -> Trace:
        """The trace to a finding, with the step that decides the property when it is one of steps; of none, to a deadlock."""
        compiled = self.compiled
        root, codes = self.path_of(found)
        last: Callable[[Any, Any], bool] | None = None
        if found.code >= 0:
            assert claim is not None
            codes, last = [*codes, found.code], lambda before, after: claim.deciding(before, after) is not None
        try:
            initial, steps = concrete_steps(compiled, root, codes, last)
        except LostPath as error:
            if not compiled.symmetry:
                raise
            raise BrokenPromise(
                f"the path to {claim.name if claim else NO_DEADLOCK} is lost where members are renamed ({error}): something"
                " prefers a member by its number, and the model promises that nothing does; leave out --symmetry"
            ) from None
        return record(compiled.model, revision, compiled.config, initial, steps, claim.name if claim else NO_DEADLOCK)


def action_counts(compiled: Compiled, counts: Counts) -> list[ActionCount]:
    """For each action that exists under the configuration: enabled, taken, new states."""
    existing = [(place, action) for place, action in enumerate(compiled.model.actions) if compiled.base[place] >= 0]
    return [
        ActionCount(action.name, int(counts.able[place]), int(counts.taken[place]), int(counts.new[place]))
        for place, action in existing
    ]


@contextmanager
def interruptible(search: Search) -> Iterator[None]:
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


def undecided(request: Request, bound: str) -> Outcome:
    """The outcome where a bound, in words, was reached before a state was explored."""
    applicable = request.applicable
    findings = [Finding(claim, INCOMPLETE if claim in applicable else NOT_APPLICABLE) for claim in request.properties]
    findings += [Finding(claim, INCOMPLETE) for claim in request.progress]
    return Outcome(
        request.model, request.revision, request.config, findings, [], [], 0, False, bound,
        symmetry=request.symmetry, exact=request.exact, threads=request.threads, looked_for_deadlock=request.deadlock,
    )  # fmt: skip


def outcome_of(request: Request, search: Search, applicable: list[Property]) -> Outcome:
    """What the search found, with traces of what is violated; ModelError where a promise that it rests on is broken."""
    if search.stopped != INTERRUPTION:
        validate_promises(search.compiled, [*applicable, *request.progress], search.sampled)
    findings = [finding_of(request, search, claim, claim in applicable) for claim in request.properties]
    deadlock = None
    if DEADLOCK in search.found:
        found = search.found[DEADLOCK]
        deadlock = Finding(NEVER_STUCK, VIOLATED, found.depth, search.trace_of(found, request.revision, None))
    states = search.states
    return Outcome(
        model=request.model,
        revision=request.revision,
        config=request.config,
        findings=findings,
        actions=action_counts(search.compiled, search.counts()),
        levels=search.levels,
        transitions=search.transitions,
        complete=search.complete,
        stopped=search.stopped,
        whole_levels=search.whole_levels,
        deadlock=deadlock,
        bytes_per_state=search.bytes / max(1, states),
        collision_probability=0.0 if request.exact else collision_probability(states),
        symmetry=request.symmetry,
        exact=request.exact,
        threads=request.threads,
        looked_for_deadlock=request.deadlock,
        resumed=search.resumed,
        expected=search.expected,
    )


def finding_of(request: Request, search: Search, claim: Property, applies: bool) -> Finding:
    """The verdict on one property."""
    if not applies:
        return Finding(claim, NOT_APPLICABLE)
    found = search.found.get(claim.name)
    if claim.kind == SOMETIMES:
        if found is not None:
            trace = search.trace_of(found, request.revision, claim) if request.trace_witnesses else None
            return Finding(claim, WITNESSED, found.depth, trace)
        return Finding(claim, NEVER if search.complete else INCOMPLETE)
    if found is not None:
        return Finding(claim, VIOLATED, found.depth, search.trace_of(found, request.revision, claim))
    return Finding(claim, HOLDS if search.complete else INCOMPLETE)
