"""Guards earn their place: each mutant of a model is explored at small sizes, and what became of it is noted.

    falls      a property falls that the whole model keeps at these sizes
    missed     a state that must be reachable is not any more
    bound      a variable leaves its range: the rule keeps the model finite
    implied    the same states and steps: at these sizes other rules have the same effect
    idle       the same states, and more steps between them: without the rule nothing new comes about
    unnoticed  other states, and no property falls
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..model.language.actions import Model
from ..properties.catalogue import properties_of
from ..properties.property import SOMETIMES, Property
from .breadth_first import BreadthFirst
from .budget import Bounds
from .compiled import Compiled
from .mutants import Mutant, mutated

FALLS, MISSED, BOUND, IMPLIED, IDLE, UNNOTICED = "falls", "missed", "bound", "implied", "idle", "unnoticed"

MOST_STATES = 600_000
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
class Fate:
    """What became of a mutant. `property` falls after `steps` steps at size number `size`; else what the counts say."""

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


class Laboratory:
    """The mutants of a model, ready to be explored at some sizes."""

    def __init__(self, model: Model, sizes: Sequence[Size], most_states: int = MOST_STATES) -> None:
        self.model, self.sizes, self.most_states = model, list(sizes), most_states
        self.twin, self.mutants, self.ranges, self.left_out = mutated(model)
        self.claims: tuple[Property, ...] = (*properties_of(model.name), self.ranges)
        self._wholes: dict[int, Whole] = {}

    def whole(self, place: int) -> Whole:
        """The unbroken model at the size of this number."""
        if place not in self._wholes:
            config = self.configuration(place)
            applicable = [p for p in self.claims if p.applies(config)]
            search = self.explore(config, applicable, keep_going=True)
            keeps = tuple(p for p in applicable if p.kind != SOMETIMES and p.name not in search.found)
            shows = tuple(p for p in applicable if p.kind == SOMETIMES and p.name in search.found)
            assert self.ranges in keeps, "the unbroken model stays within its ranges"
            self._wholes[place] = Whole(search.states, search.transitions, search.complete, keeps, shows)
        return self._wholes[place]

    def configuration(self, place: int, mutant: Mutant | None = None) -> Any:
        """A size with a mutant."""
        revision, settings = self.sizes[place]
        return self.twin.configure(revision, **settings, **(mutant.settings if mutant else {}))

    def explore(self, config: Any, properties: Sequence[Property], keep_going: bool) -> BreadthFirst:
        """Breadth-first, up to the bound of states."""
        with bounds_checked():
            compiled = Compiled(self.twin, config, self.claims, False, "small")
            search = BreadthFirst(compiled, list(properties), keep_going=keep_going)
            search.seed()
            search.run(Bounds(states=self.most_states))
        return search

    def fate(self, mutant: Mutant) -> Fate:
        """Explore the mutant at one size after the other, until a property falls."""
        best = Fate(mutant, IMPLIED)
        for place in range(len(self.sizes)):
            whole = self.whole(place)
            try:
                claims = (*whole.keeps, *whole.shows)
                search = self.explore(self.configuration(place, mutant), claims, keep_going=False)
            except IndexError:
                return Fate(mutant, BOUND, "an index", 0, place)
            fallen = {name: search.found[name] for name in search.found if name in {p.name for p in whole.keeps}}
            if fallen:
                name, found = min(fallen.items(), key=lambda pair: pair[1].depth)
                return Fate(mutant, BOUND if name == self.ranges.name else FALLS, name, found.depth - 1, place)
            missed = [p.name for p in whole.shows if p.name not in search.found]
            if missed and search.complete:
                return Fate(mutant, MISSED, missed[0], 0, place)
            if (search.states, search.transitions) != (whole.states, whole.transitions):
                verdict = IDLE if search.states == whole.states and search.complete else UNNOTICED
                if best.verdict != UNNOTICED:
                    more = (search.states - whole.states) or (search.transitions - whole.transitions)
                    best = Fate(mutant, verdict, "", 0, place, more)
        return best


def all_fates(laboratory: Laboratory, chosen: Sequence[Mutant], report: Callable[[Fate], None] | None = None) -> list[Fate]:
    """The fate of each mutant."""
    fates = []
    for mutant in chosen:
        fates.append(laboratory.fate(mutant))
        if report is not None:
            report(fates[-1])
    return fates
