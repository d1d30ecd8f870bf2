"""What each mutant of a model does: it is explored at small sizes, and compared with the unbroken model there (`WORDS`).

The sizes are taken one after the other, until the catalogue kills the mutant or enough states were seen.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...model.language.actions import Model
from ...model.language.machine_code.processor import bounds_checked
from ...properties.catalogue import progress_of, properties_of
from ...properties.property import SOMETIMES, Property
from ..budget import Bounds
from ..compiling.compiled import Compiled
from ..local.breadth_first import BreadthFirst
from ..local.progress import decided
from ..processes import run_all
from ..progress.labels import Labels
from ..runs.identity import text_of
from .mutants import Mutant, mutated
from .programs import Programs
from .record import MutantRecord, Seen

VIOLATED, UNREACHED, STUCK, STEP_RULE, OUT_OF_RANGE = "violated", "unreached", "stuck", "step rule", "out of range"
EQUIVALENT, SAME_PROGRAM, IDLE, FEWER, MORE, OPEN = "equivalent", "same program", "idle", "fewer", "more", "open"
BY_CATALOGUE = (VIOLATED, UNREACHED, STUCK)
KILLED = (*BY_CATALOGUE, STEP_RULE, OUT_OF_RANGE)

WORDS = {
    VIOLATED: "a property of the catalogue is violated that the model keeps at these sizes",
    UNREACHED: "a state that must be reachable is no longer reached",
    STUCK: "a property of progress is violated: what can, or must, happen no longer does",
    STEP_RULE: "only a rule of single steps is violated (`properties/step_invariants*.py`), and no property of the catalogue",
    OUT_OF_RANGE: "a variable leaves its range: the rule keeps the model finite",
    EQUIVALENT: "the same counts of states on each level and of steps of each action, wherever explored: other rules do the same",
    SAME_PROGRAM: "it is at work at no size: without it the program is the same there, once the settings are folded in",
    IDLE: "the same states, with other steps between them: nothing new is reached without the rule",
    FEWER: "fewer states or steps: the rule makes something happen that no property requires",
    MORE: "states that the model itself does not have; all were explored, and every property holds",
    OPEN: "more states, but an exploration reached its bound",
}
"""What each verdict means."""

MAX_STATES = 3_000_000
"""States of one exploration at most."""

ENOUGH_STATES = 300_000
"""A mutant that is not killed is explored at further sizes until this many states were seen."""

MAX_STATES_OF_PROGRESS = 30_000
"""At sizes where the unbroken model has more states, progress is not checked."""

SHARDS = 2
"""Shards of one exploration. Most explorations are so small that more shards would only add overhead."""

Size = tuple[str, Mapping[str, Any]]
"""A revision and the settings that differ from its defaults."""


@dataclass(frozen=True)
class Whole:
    """The unbroken model at one size: distinct states, steps, what it keeps, what it shows, and what progress it makes."""

    states: int
    transitions: int
    shape: tuple[list[int], list[int]]
    keeps: tuple[Property, ...]
    shows: tuple[Property, ...]
    makes: tuple[Property, ...]


@dataclass(frozen=True)
class Result:
    """The verdict on a mutant. `property` is violated after `steps` steps at size number `size`.

    Else `more` is the difference in states, or in steps if there is none in states, at the first size that differs.
    """

    mutant: Mutant
    verdict: str
    property: str = ""
    steps: int = 0
    size: int = -1
    more: int = 0


class _WithAllActions(Compiled):
    """Every action is tried, also where the settings rule it out: a mutant may lack just that guard."""

    def _existing(self) -> tuple[bool, ...]:
        return (True,) * len(self.model.actions)


class _UntilKilled(BreadthFirst):
    """It continues when a rule of single steps is violated: a property of the catalogue may be violated later."""

    step_invariants: frozenset[str] = frozenset()

    def is_decided(self) -> bool:
        """Something else is violated."""
        violated = [p.name for p in self.properties if p.kind != SOMETIMES and p.name in self.found]
        return not self.keep_going and any(name not in self.step_invariants for name in violated)


class MutantRuns:
    """The mutants of a model, ready to be explored at some sizes; `record`: what was found before."""

    def __init__(
        self, model: Model, sizes: Sequence[Size], enough: int = ENOUGH_STATES, record: MutantRecord | None = None
    ) -> None:
        self.model, self.sizes, self.enough, self.record = model, list(sizes), enough, record or MutantRecord(None)
        self.twin, self.mutants, self.ranges, self.left_out = mutated(model)
        progress, invariants = progress_of(model), model.step_invariants
        self.progress = [claim for claim in progress if claim.of_progress and not (claim.ranking and claim.ranking.part_of)]
        self.claims: tuple[Property, ...] = (*properties_of(model), *invariants, self.ranges)
        self.step_invariants = frozenset(claim.name for claim in invariants)
        self._wholes: dict[int, Whole] = {}
        self._compiled: dict[int, Compiled] = {}
        self._programs: dict[int, Programs] = {}
        self._labels: dict[int, Labels] = {}

    def whole(self, place: int) -> Whole:
        """The unbroken model at the size of this number."""
        if place not in self._wholes:
            config = self.configuration(place)
            applicable = [p for p in self.claims if p.applies(config)]
            search = self.explore(place, None, applicable, keep_going=True)
            keeps = tuple(p for p in applicable if p.kind != SOMETIMES and p.name not in search.found)
            shows = tuple(p for p in applicable if p.kind == SOMETIMES and p.name in search.found)
            assert self.ranges in keeps and search.complete, "the unbroken model is explored, and stays within its ranges"
            wanted = [p for p in self.progress if p.applies(config) and search.states <= MAX_STATES_OF_PROGRESS]
            failed = {name for _, name in self.stuck(place, search, wanted)}
            makes = tuple(p for p in wanted if p.name not in failed)
            self._wholes[place] = Whole(search.states, search.transitions, shape_of(search), keeps, shows, makes)
        return self._wholes[place]

    def configuration(self, place: int, mutant: Mutant | None = None) -> Any:
        """A size with a mutant."""
        revision, settings = self.sizes[place]
        return self.twin.configure(revision, **settings, **(mutant.settings if mutant else {}))

    def programs(self, place: int) -> Programs:
        """What the mutants are at the size of this number."""
        if place not in self._programs:
            progress = [(claim.name, claim.kind, text_of(claim)) for claim in self.progress]
            beside = [MAX_STATES, MAX_STATES_OF_PROGRESS, sorted(self.step_invariants), progress]
            self._programs[place] = Programs(self.twin, self.configuration(place), self.claims, beside)
        return self._programs[place]

    def compiled(self, place: int, mutant: Mutant | None) -> Compiled:
        """A size with a mutant, compiled: all mutants of a size share everything but the two settings."""
        if place not in self._compiled:
            self._compiled[place] = _WithAllActions(self.twin, self.configuration(place), self.claims, False, "small")
        twin = copy.copy(self._compiled[place])
        twin.config = self.configuration(place, mutant)
        return twin

    def explore(self, place: int, mutant: Mutant | None, properties: Sequence[Property], keep_going: bool) -> BreadthFirst:
        """Breadth-first, up to the bound of states."""
        search = _UntilKilled(self.compiled(place, mutant), list(properties), exact=True, keep_going=keep_going, shards=SHARDS)
        search.step_invariants = self.step_invariants
        search.seed()
        search.run(Bounds(states=MAX_STATES))
        return search

    def stuck(self, place: int, search: BreadthFirst, properties: Sequence[Property]) -> list[tuple[int, str]]:
        """Which of these properties of progress fail where a search has come, each with the states of its trace."""
        if not properties:
            return []
        if place not in self._labels:
            self._labels[place] = Labels(self.compiled(place, None), properties)
        found = decided(search, self._labels[place], properties)
        return [(result.states, result.property.name) for result in found if result.stuck is not None]

    def result_of(self, mutant: Mutant) -> Result:
        """Explore the mutant at one size after the other, until the catalogue kills it or enough states were seen."""
        everywhere: list[tuple[int, Seen]] = []
        for place in range(len(self.sizes)):
            if sum(seen.states for _, seen in everywhere) < self.enough:
                seen = self.seen(place, mutant)
                everywhere += [(place, seen)] if seen is not None else []
            if everywhere and everywhere[-1][1].verdict in BY_CATALOGUE:
                break
        return summary(mutant, everywhere)

    def seen(self, place: int, mutant: Mutant) -> Seen | None:
        """What the mutant does at one size; None where it is the unbroken program."""
        programs = self.programs(place)
        program = programs.of(mutant)
        if program == programs.unbroken:
            return None
        found = self.record.known.get(program)
        if found is None:
            with bounds_checked():
                found = self.explored(place, mutant)
            self.record.add(program, found)
        return found

    def explored(self, place: int, mutant: Mutant) -> Seen:
        """Explore the mutant at one size."""
        whole = self.whole(place)
        try:
            search = self.explore(place, mutant, (*whole.keeps, *whole.shows), keep_going=False)
        except IndexError:
            return Seen(OUT_OF_RANGE, "an index")
        counts = search.states, search.states - whole.states, search.transitions - whole.transitions
        violated = sorted((search.found[p.name].depth - 1, p.name) for p in whole.keeps if p.name in search.found)
        for steps, name in violated:
            if name not in self.step_invariants and name != self.ranges.name:
                return Seen(VIOLATED, name, steps, *counts)
        same = shape_of(search) == whole.shape
        if search.complete:
            missed = [p.name for p in whole.shows if p.name not in search.found]
            if missed:
                return Seen(UNREACHED, missed[0], 0, *counts)
            stuck = [] if same else self.stuck(place, search, whole.makes)
            if stuck:
                return Seen(STUCK, min(stuck)[1], min(stuck)[0] - 1, *counts)
        for steps, name in violated:
            return Seen(OUT_OF_RANGE if name == self.ranges.name else STEP_RULE, name, steps, *counts)
        return Seen("", "", 0, *counts, search.complete, same)


def shape_of(search: BreadthFirst) -> tuple[list[int], list[int]]:
    """How many states each level has, and how many steps each action."""
    return search.levels, search.counts().taken.tolist()


def summary(mutant: Mutant, everywhere: Sequence[tuple[int, Seen]]) -> Result:
    """The verdict on a mutant, from what was seen of it at these sizes."""
    for verdicts in (BY_CATALOGUE, KILLED):
        for place, seen in everywhere:
            if seen.verdict in verdicts:
                return Result(mutant, seen.verdict, seen.property, seen.steps, place)
    if not everywhere:
        return Result(mutant, SAME_PROGRAM)
    everywhere = [result for result in everywhere if not result[1].same]
    if not everywhere:
        return Result(mutant, EQUIVALENT)
    cut = [result for result in everywhere if not result[1].complete]
    freer = [result for result in everywhere if result[1].more > 0]
    less = [result for result in everywhere if result[1].more < 0]
    verdict, (place, first) = (
        (OPEN, cut[0]) if cut
        else (MORE, freer[0]) if freer
        else (FEWER, less[0]) if less
        else (FEWER if all(seen.more_steps < 0 for _, seen in everywhere) else IDLE, everywhere[0])
    )  # fmt: skip
    return Result(mutant, verdict, "", 0, place, first.more or first.more_steps)


def results_of(
    runs: MutantRuns, chosen: Sequence[Mutant], report: Callable[[Result], None] | None = None, jobs: int = 1
) -> list[Result]:
    """The verdict on each mutant; after an interruption on those that were explored. `jobs`: how many in parallel."""
    results: dict[int, Result] = {}
    try:
        if jobs > 1:
            with bounds_checked():
                runs.whole(0)  # compiles what the processes share
        for number, result in run_all(runs.result_of, chosen, jobs, "give fewer --jobs"):
            results[number] = result
            if report is not None:
                report(result)
    except KeyboardInterrupt:
        if not results:
            raise
    return [result for _, result in sorted(results.items())]
