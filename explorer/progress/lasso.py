"""A path to where a fair behaviour can stay for ever, and once around there: the stem and the cycle of a lasso."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from .graph import Array, Graph
from .kernels import STRONGLY

Walk = list[tuple[int, int]]
"""Steps one after the other: the code of each, and the state it leads to."""


def downhill(graph: Graph, state: int, distance: Array) -> Walk:
    """The steps of a shortest path from a state to one at distance 0."""
    out: Walk = []
    while distance[state] > 0:
        code, state = next((c, t) for t, c in graph.steps(state, True) if distance[t] == distance[state] - 1)
        out.append((code, state))
    return out


class Around:
    """Cycles within one component, `inside` [state], in which a fair behaviour can stay for ever.

    They have a state of each of the sets `again` [state], of which each has some in the component.
    """

    def __init__(self, graph: Graph, inside: Array, again: Sequence[Array] = ()) -> None:
        self.graph, self.inside, self.again = graph, inside, again
        self._steps: dict[int, dict[int, list[tuple[int, int]]]] = {}

    def demanded(self, state: int) -> dict[int, list[tuple[int, int]]]:
        """The steps of a state for which fairness is demanded, each as its code and its end: by what is fair together."""
        if state not in self._steps:
            found = self._steps[state] = dict[int, list[tuple[int, int]]]()
            for end, code in self.graph.steps(state, False):
                if self.graph.fairness[code]:
                    found.setdefault(int(self.graph.unit[code]), []).append((code, end))
        return self._steps[state]

    def cycle_from(self, entry: int) -> tuple[Walk, Walk]:
        """From a state of the component: the path to where the cycle begins, and a fair cycle; empty: nothing more happens."""
        resting = self._nearest(entry, lambda state: not self.demanded(state) and all(goal[state] for goal in self.again))
        if resting is not None:
            return resting, []
        return [], self.cycle_through(entry)

    def cycle_through(self, entry: int) -> Walk:
        """A fair cycle through this state of the component; empty: it has no other, and nothing more happens there."""
        if not self.demanded(entry) and not any(self.inside[end] for end, _ in self.graph.steps(entry, False)):
            return []
        cycle = self._back(entry, entry)
        assert cycle is not None, "a component without a state to rest in has a cycle through each of its states"
        while True:
            out = self._missed(entry, cycle)
            if out is None:
                return cycle
            back = [] if out[-1][1] == entry else self._back(out[-1][1], entry)
            assert back is not None
            cycle = [*cycle, *out, *back]

    def _missed(self, entry: int, cycle: Walk) -> Walk | None:
        """The path to what the cycle lacks: a state of a set to come to again and again, or a step to which it is unfair."""
        for goal in self.again:
            if not goal[entry] and not any(goal[state] for _, state in cycle):
                return self._nearest(entry, lambda state, claim=goal: bool(claim[state]))  # type: ignore[misc]
        unfair = self._put_off(entry, cycle)
        return None if unfair is None else self._answer(entry, unfair)

    def _put_off(self, entry: int, cycle: Walk) -> int | None:
        """The first code of those to which the cycle is unfair."""
        states = [entry, *(state for _, state in cycle[:-1])]
        taken = {int(self.graph.unit[code]) for code, _ in cycle}
        for code, count in Counter(code for state in states for code in self.demanded(state)).items():
            if code not in taken and (count == len(states) or self.graph.fairness[code] == STRONGLY):
                return code
        return None

    def _answer(self, entry: int, code: int) -> Walk:
        """The path to where the code is taken within the component, or, if its fairness is weak, disabled: the nearer one."""

        def is_there(state: int) -> bool:
            some = self.demanded(state).get(code)
            if some is None:
                return bool(self.graph.fairness[code] != STRONGLY)
            return any(self.inside[end] for _, end in some)

        path = self._nearest(entry, is_there)
        assert path is not None, "the component was judged to be fair"
        last = path[-1][1] if path else entry
        some = self.demanded(last).get(code)
        return path if some is None else [*path, next(goal for goal in some if self.inside[goal[1]])]

    def _back(self, start: int, entry: int) -> Walk | None:
        """A shortest path of at least one step."""
        return self._nearest(start, lambda state: state == entry, at_least=1)

    def _nearest(self, start: int, is_there: Callable[[int], bool], at_least: int = 0) -> Walk | None:
        """A shortest path within the component to a state; None when there is no such state."""
        if at_least == 0 and is_there(start):
            return []
        came: dict[int, tuple[int, int]] = {}
        level = [start]
        while level:
            following = []
            for state in level:
                for target, code in self.graph.steps(state, False):
                    if self.inside[target] and target not in came:
                        came[target] = (state, code)
                        if is_there(target):
                            return list(self._unwound(came, start, target))[::-1]
                        following.append(target)
            level = following
        return None

    @staticmethod
    def _unwound(came: dict[int, tuple[int, int]], start: int, target: int) -> Iterator[tuple[int, int]]:
        while True:
            before, code = came[target]
            yield code, target
            if before == start:
                return
            target = before
