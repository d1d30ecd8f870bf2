"""What each mutant of a model does: it is explored at small sizes, and compared with the unbroken model there.

Killed:
    violated      a property that the unbroken model keeps at these sizes
    unreached     a state that must be reachable is not
    out of range  a variable leaves its range: the rule keeps the model finite
Survived:
    equivalent    the same states and steps: at these sizes other rules have the same effect
    idle          the same states, and other steps between them: nothing new is reached
    fewer         fewer states or steps at every size: the rule makes something happen, and no property says that it must
    more          states that the unbroken model does not have: all were explored, and no property is violated
    open          the same, but some exploration reached the bound of states
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ...model.language.actions import Model
from ...properties.catalogue import properties_of
from ...properties.property import SOMETIMES, Property
from ...properties.rules_of_steps import rules_of
from ..budget import Bounds
from ..compiling.compiled import Compiled
from ..local.breadth_first import BreadthFirst
from .mutants import Mutant, mutated

VIOLATED, UNREACHED, OUT_OF_RANGE = "violated", "unreached", "out of range"
EQUIVALENT, IDLE, FEWER, MORE, OPEN = "equivalent", "idle", "fewer", "more", "open"
KILLED = (VIOLATED, UNREACHED, OUT_OF_RANGE)

MOST_STATES = 3_000_000
"""States of one exploration at most."""

Size = tuple[str, Mapping[str, Any]]
"""A revision and the settings that differ from its defaults."""


@dataclass(frozen=True)
class Whole:
    """The unbroken model at one size: distinct states, steps, what it keeps and what it shows."""

    states: int
    transitions: int
    complete: bool
    keeps: tuple[Property, ...]
    shows: tuple[Property, ...]


@dataclass(frozen=True)
class Result:
    """What became of a mutant. `property` is violated after `steps` steps at size number `size`.

    Else `more` is the difference in states, or in steps if there is none in states, at the first size that differs.
    """

    mutant: Mutant
    verdict: str
    property: str = ""
    steps: int = 0
    size: int = -1
    more: int = 0


@contextmanager
def bounds_checked() -> Iterator[None]:
    """Code is compiled with bounds checks: a mutant may index what is not there."""
    before = os.environ.get("HIGHWATER_COMPILE")
    if before != "no":
        os.environ["HIGHWATER_COMPILE"] = "checked"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("HIGHWATER_COMPILE", None)
        else:
            os.environ["HIGHWATER_COMPILE"] = before


class _WithAllActions(Compiled):
    """Every action is tried, also where the settings rule it out: a mutant may lack just that guard."""

    def _existing(self) -> tuple[bool, ...]:
        return (True,) * len(self.model.actions)


class MutantRuns:
    """The mutants of a model, ready to be explored at some sizes."""

    def __init__(self, model: Model, sizes: Sequence[Size], most_states: int = MOST_STATES) -> None:
        self.model, self.sizes, self.most_states = model, list(sizes), most_states
        self.twin, self.mutants, self.ranges, self.left_out = mutated(model)
        self.claims: tuple[Property, ...] = (*properties_of(model.name), *rules_of(model.name), self.ranges)
        self._wholes: dict[int, Whole] = {}
        self._compiled: dict[int, Compiled] = {}

    def whole(self, place: int) -> Whole:
        """The unbroken model at the size of this number."""
        if place not in self._wholes:
            config = self.configuration(place)
            applicable = [p for p in self.claims if p.applies(config)]
            search = self.explore(place, None, applicable, keep_going=True)
            keeps = tuple(p for p in applicable if p.kind != SOMETIMES and p.name not in search.found)
            shows = tuple(p for p in applicable if p.kind == SOMETIMES and p.name in search.found)
            assert self.ranges in keeps and search.complete, "the unbroken model is explored, and stays within its ranges"
            self._wholes[place] = Whole(search.states, search.transitions, search.complete, keeps, shows)
        return self._wholes[place]

    def configuration(self, place: int, mutant: Mutant | None = None) -> Any:
        """A size with a mutant."""
        revision, settings = self.sizes[place]
        return self.twin.configure(revision, **settings, **(mutant.settings if mutant else {}))

    def compiled(self, place: int, mutant: Mutant | None) -> Compiled:
        """A size with a mutant, compiled: all mutants of a size share everything but the two settings."""
        if place not in self._compiled:
            self._compiled[place] = _WithAllActions(self.twin, self.configuration(place), self.claims, False, "small")
        twin = copy.copy(self._compiled[place])
        twin.config = self.configuration(place, mutant)
        return twin

    def explore(self, place: int, mutant: Mutant | None, properties: Sequence[Property], keep_going: bool) -> BreadthFirst:
        """Breadth-first, up to the bound of states."""
        with bounds_checked():
            search = BreadthFirst(self.compiled(place, mutant), list(properties), keep_going=keep_going)
            search.seed()
            search.run(Bounds(states=self.most_states))
        return search

    def result_of(self, mutant: Mutant) -> Result:
        """Explore the mutant at one size after the other, until a property is violated."""
        differences = []
        for place in range(len(self.sizes)):
            whole = self.whole(place)
            try:
                search = self.explore(place, mutant, (*whole.keeps, *whole.shows), keep_going=False)
            except IndexError:
                return Result(mutant, OUT_OF_RANGE, "an index", 0, place)
            fallen = {p.name: search.found[p.name] for p in whole.keeps if p.name in search.found}
            if fallen:
                name, found = min(fallen.items(), key=lambda pair: pair[1].depth)
                return Result(mutant, OUT_OF_RANGE if name == self.ranges.name else VIOLATED, name, found.depth - 1, place)
            missed = [p.name for p in whole.shows if p.name not in search.found]
            if missed and search.complete:
                return Result(mutant, UNREACHED, missed[0], 0, place)
            difference = Difference(place, search.states - whole.states, search.transitions - whole.transitions, search.complete)
            if difference.states or difference.steps:
                differences.append(difference)
        return summary(mutant, differences)


@dataclass(frozen=True)
class Difference:
    """By how much a mutant's exploration differs at one size, and whether it came to its end."""

    size: int
    states: int
    steps: int
    complete: bool


def summary(mutant: Mutant, differences: Sequence[Difference]) -> Result:
    """What the counts say of a mutant that no property kills."""
    if not differences:
        return Result(mutant, EQUIVALENT)
    cut = [d for d in differences if not d.complete]
    freer = [d for d in differences if d.states > 0]
    less = [d for d in differences if d.states < 0]
    verdict, first = (
        (OPEN, cut[0]) if cut
        else (MORE, freer[0]) if freer
        else (FEWER, less[0]) if less
        else (FEWER if all(d.steps < 0 for d in differences) else IDLE, differences[0])
    )  # fmt: skip
    return Result(mutant, verdict, "", 0, first.size, first.states or first.steps)


def results_of(runs: MutantRuns, chosen: Sequence[Mutant], report: Callable[[Result], None] | None = None) -> list[Result]:
    """What became of each mutant; after an interruption of those that were explored."""
    results: list[Result] = []
    try:
        for mutant in chosen:
            results.append(runs.result_of(mutant))
            if report is not None:
                report(results[-1])
    except KeyboardInterrupt:
        if not results:
            raise
    return results
