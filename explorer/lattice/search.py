"""The minimal sets of repairs under which properties hold, without assuming that more repairs are better.

Points are taken from the smallest sets to the largest. Nothing more is asked about a point

    where the property does not apply            there is nothing to ask
    above a set under which the property holds   it is not minimal, whatever its verdict is
    where a known counterexample violates it     the plain model has taken those steps there (`transferred`)

and every other point is explored. So a set is minimal when its own exploration was complete, and each smaller set was
explored or shown to be violated.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...properties.property import Property
from ...traces.trace import Trace
from ..verdict import HOLDS, INCOMPLETE, NOT_APPLICABLE, VIOLATED
from .points import Mask, Points
from .transferred import applies_at, violated_at

IMPOSSIBLE = "impossible"
"""The verdict where the model refuses the configuration."""


@dataclass(frozen=True)
class PointVerdict:
    """What an exploration says of one property at one point."""

    verdict: str
    depth: int | None = None
    trace: Trace | None = None


Wish = tuple[int, tuple[str, ...]]
"""A point to explore, and the properties to check there."""

Explore = Callable[[Sequence[Wish]], Iterable[tuple[int, Mapping[str, PointVerdict]]]]
"""Explores some points, and tells of each when it is done, in any order."""


@dataclass
class Answer:
    """What is known of one property. `explored`: by exploration; `shown`: where a counterexample of another point violates it.

    `minimal`: the smallest sets under which it holds.
    """

    claim: Property
    shown: Mask
    explored: dict[int, PointVerdict] = field(default_factory=dict)
    minimal: list[int] = field(default_factory=list)

    @property
    def open(self) -> list[int]:
        """The points whose exploration a bound ended before it was decided."""
        return [point for point, found in self.explored.items() if found.verdict == INCOMPLETE]


class LatticeSearch:
    """The state of a search; `run` answers it. At most `width` points of one size are explored in parallel.

    `applies`: where each property applies; nothing is asked about `inapplicable` ones, which apply nowhere. `explorations`: those
    that answered something; what is answered does not depend on the width.
    """

    def __init__(self, points: Points, properties: Sequence[Property], explore: Explore, width: int = 1) -> None:
        self.points, self.explore, self.width, self.explorations = points, explore, width, 0
        self.applies = {claim.name: applies_at(points, claim) for claim in properties}
        self.inapplicable = [name for name, where in self.applies.items() if not where.any()]
        claims = [claim for claim in properties if claim.name not in self.inapplicable]
        self.answers = {claim.name: Answer(claim, np.zeros(points.count, np.bool_)) for claim in claims}
        self.asked = {claim.name: self.applies[claim.name].copy() for claim in claims}

    def run(self) -> dict[str, Answer]:
        """Find the minimal sets, and a shortest counterexample without each of their repairs; of no set, one with all repairs."""
        while wave := self.next_wave():
            self.take(wave, self.asked)
        lacking: dict[int, dict[str, None]] = {}
        for name, answer in self.answers.items():
            wanted = [lower for point in answer.minimal for _, lower in self.points.without(point)]
            for point in wanted if answer.minimal else [self.points.count - 1]:
                if point not in answer.explored:
                    lacking.setdefault(point, {})[name] = None
        self.take([(point, tuple(names)) for point, names in lacking.items()])
        return self.answers

    def next_wave(self) -> list[Wish]:
        """The first points of the smallest size at which something is asked, and the properties that are."""
        some = np.logical_or.reduce(list(self.asked.values()))
        if not some.any():
            return []
        rank = self.points.rank[int(some.argmax())]
        chosen = np.flatnonzero(some & (self.points.rank == rank))[: self.width]
        return [(int(p), tuple(name for name, asked in self.asked.items() if asked[p])) for p in chosen]

    def take(self, wave: Sequence[Wish], asked: Mapping[str, Mask] | None = None) -> None:
        """Explore points, and draw the conclusions in their order. `asked`: what an earlier one shows is asked no more."""
        found = dict(self.explore(wave)) if wave else {}
        for point, names in wave:
            left = [name for name in names if asked is None or asked[name][point]]
            self.explorations += bool(left)
            for name in left:
                self.note(point, self.answers[name], found[point][name])

    def note(self, point: int, answer: Answer, found: PointVerdict) -> None:
        """One verdict: what need not be asked any more."""
        answer.explored[point] = found
        asked = self.asked[answer.claim.name]
        asked[point] = False
        if found.verdict == HOLDS and not any(self.points.above(m)[point] for m in answer.minimal):
            answer.minimal.append(point)
            asked &= ~self.points.above(point)
        if found.verdict == VIOLATED and found.trace is not None and asked.any():
            shown = asked & violated_at(self.points, asked.copy(), found.trace, answer.claim)
            answer.shown |= shown
            asked &= ~shown

    def without(self, answer: Answer, point: int) -> Iterator[tuple[str, int, PointVerdict]]:
        """For each repair of a minimal set: what is found without it."""
        for name, lower in self.points.without(point):
            yield name, lower, answer.explored.get(lower, PointVerdict(INCOMPLETE))

    def with_all(self, answer: Answer) -> PointVerdict:
        """What is found with all repairs."""
        return answer.explored.get(self.points.count - 1, PointVerdict(INCOMPLETE))

    def is_complete(self, answer: Answer) -> bool:
        """No bound left open a point on which the answer rests."""
        lacking = (found for point in answer.minimal for _, _, found in self.without(answer, point))
        undecided = any(not self.asked_above(answer, point) for point in answer.open)
        return not undecided and all(found.verdict in (VIOLATED, IMPOSSIBLE, NOT_APPLICABLE) for found in lacking)

    def counts(self, answer: Answer) -> dict[str, int]:
        """How many points were explored, shown to be violated, left out above a minimal set, and where nothing applies."""
        found = np.zeros(self.points.count, np.bool_)
        found[list(answer.explored)] = True
        shown = answer.shown & ~found
        left = ~found & ~shown
        above = left & self.applies[answer.claim.name]
        counted = {"shown": shown, "above": above, "inapplicable": left & ~above}
        return {"explored": len(answer.explored), **{name: int(mask.sum()) for name, mask in counted.items()}}

    def asked_above(self, answer: Answer, point: int) -> bool:
        """Whether a point lies above a minimal set, where its verdict decides nothing."""
        return any(bool(self.points.above(m)[point]) and m != point for m in answer.minimal)
