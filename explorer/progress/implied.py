"""Implications: is there a fair behaviour in which some claims are kept and another is not?

Each claim says that something is true again and again, or from some time on, once the behaviour keeps notes: that a goal was
reached, that an invariant was broken, that a premise waits for its goal. A note is one bit, and follows from the note before
and the state, so the graph with all notes has the same behaviours, with the same fairness. What is sought there is a component in
which a fair behaviour can stay, within what is true from some time on, with a state of each kind that comes again and again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...model.language.errors import UsageError
from ...properties.property import ALWAYS, EVENTUALLY, EVENTUALLY_ALWAYS, LEADS_TO
from .fairness import fair_components
from .graph import MAX_STATES, Array, Graph
from .lasso import Around, Walk, downhill


class Said(NamedTuple):
    """A claim for some values: its kind, and where its goal and its premise are true. `kept`: it must be; else it must not."""

    kind: str
    goal: Array
    premise: Array
    kept: bool


class Found(NamedTuple):
    """A behaviour: its initial state, the path to where it stays, and the cycle there; empty: nothing more happens."""

    state: int
    path: Walk
    cycle: Walk


@dataclass
class Noted:
    """A graph whose states have notes. State `v` with the notes `m`, one bit for each of `notes`, is `m * states + v`.

    A note is set where the first of its two arrays is true, and cleared where the second is.
    """

    plain: Graph
    notes: Sequence[tuple[Array, Array]]

    def __post_init__(self) -> None:
        plain, modes = self.plain, 1 << len(self.notes)
        self.graph = plain
        if modes == 1:
            return
        if plain.states * modes > MAX_STATES:
            many = f"{plain.states:,} states, each with {modes} notes of the claims of an implication,"
            raise UsageError(f"{many} are more than {MAX_STATES:,}; choose smaller sizes")
        steps = len(plain.targets)
        targets, codes = plain.store.array(steps * modes, np.int32), plain.store.array(steps * modes, np.uint16)
        for mode in range(modes):
            part = slice(mode * steps, (mode + 1) * steps)
            targets[part] = self.entered(mode)[plain.targets]
            codes[part] = plain.codes
        offsets = np.concatenate([*(plain.offsets[:-1] + mode * steps for mode in range(modes)), [steps * modes]])
        depths, paid = np.tile(plain.depths, modes), np.tile(plain.paid, modes)
        self.graph = Graph(offsets, targets, codes, depths, paid, plain.fairness, plain.store, plain.unit)

    def entered(self, mode: int) -> Array:
        """For each state the one with notes that it becomes when it is entered with these."""
        out = np.arange(self.plain.states, dtype=np.int64)
        for bit, (sets, clears) in enumerate(self.notes):
            noted = (sets if not mode >> bit & 1 else np.ones_like(sets)) & ~clears
            out += noted.astype(np.int64) * (self.plain.states << bit)
        return out

    def has(self, bit: int) -> Array:
        """The states with this note."""
        return np.repeat([bool(mode >> bit & 1) for mode in range(1 << len(self.notes))], self.plain.states)


def behaviour(graph: Graph, claims: Sequence[Said]) -> Found | None:
    """A fair behaviour that keeps the claims that are to be kept, and no other; None: there is none."""
    nowhere = np.zeros(graph.states, np.bool_)
    marks = {EVENTUALLY: lambda goal: (goal.goal, nowhere), ALWAYS: lambda goal: (~goal.goal, nowhere)}
    marks[LEADS_TO] = lambda goal: (goal.premise & ~goal.goal, goal.goal)
    noted = Noted(graph, [marks[goal.kind](goal) for goal in claims if goal.kind in marks])
    inside, again, bit = np.ones(noted.graph.states, np.bool_), list[Array](), 0
    for claim in claims:
        if claim.kind in marks:
            where = noted.has(bit) if claim.kind == EVENTUALLY else ~noted.has(bit)
            bit += 1
        else:
            where = np.tile(claim.goal, 1 << len(noted.notes))  # whatever the notes are
        where, stays = (where, claim.kind == EVENTUALLY_ALWAYS) if claim.kept else (~where, claim.kind != EVENTUALLY_ALWAYS)
        if stays:
            inside &= where
        else:
            again.append(where)
    return lasso(noted, inside, again)


def lasso(noted: Noted, inside: Array, again: Sequence[Array]) -> Found | None:
    """A fair behaviour that is `inside` from some time on, and in each of the sets `again` again and again, or at its end."""
    graph, states = noted.graph, noted.plain.states
    component = fair_components(graph, inside)
    for claim in again:
        component[~np.isin(component, np.unique(component[claim]))] = -1
    distance = graph.distances(component >= 0, np.ones(graph.states, np.bool_), True)
    begins = noted.entered(0)[graph.depths[:states] == 1]
    begins = begins[distance[begins] >= 0]
    if not len(begins):
        return None
    begin = int(begins[np.argmin(distance[begins])])
    path = downhill(graph, begin, distance)
    entry = path[-1][1] if path else begin
    further, cycle = Around(graph, component == component[entry], again).cycle_from(entry)
    plain = [[(code, state % states) for code, state in part] for part in ([*path, *further], cycle)]
    return Found(begin % states, *plain)
