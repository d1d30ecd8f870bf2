"""What a failover costs: the cheapest and the most expensive path from the failure until nothing is left to do.

Only steps whose cost the model declares are taken, in the plain model, after the steps with which the failure begins. The ways
form a graph without circles; the sums are taken from its ends backwards.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...model.language.actions import Action, Model
from ...model.language.costs import Cost
from ...model.language.errors import UsageError
from ...model.language.faults import is_fault
from ...model.language.kinds import cells

MOST_STATES = 200_000

NOTHING = Cost()

Arguments = tuple[int, ...]


@dataclass(frozen=True)
class Way:
    """One way through a failover: its steps with their costs, and all together."""

    steps: tuple[tuple[str, Cost], ...] = ()
    cost: Cost = NOTHING

    def after(self, label: str, cost: Cost) -> Way:
        """This way behind one more step."""
        return Way(((label, cost), *self.steps), cost.plus(self.cost))


def ways(model: Model, config: Any) -> tuple[Way, Way]:
    """The ways with the fewest and with the most remote calls."""
    if model.failover is None:
        raise UsageError(f"the model {model.name} declares no costs")
    counted = [action for action in model.actions if action.cost is not None and action.exists(config)]
    starts = [start for state in model.initial_states(config) if (start := _failed(model, state)) is not None]
    if not starts:
        begins = ", ".join(model.failover.begins)
        raise UsageError(f"the failure ({begins}) cannot happen under this configuration; its budget is missing, as --crashes 1")
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 20_000))
    try:
        found = [_both(model, start, counted) for start in starts]
    finally:
        sys.setrecursionlimit(before)
    return min((a for a, _ in found), key=_calls), max((b for _, b in found), key=_calls)


def _calls(way: Way) -> int:
    return way.cost.calls


def _failed(model: Model, state: Any) -> Any:
    """The state after the failure; None where it cannot happen."""
    assert model.failover is not None
    state = state.copy()
    for label in model.failover.begins:
        name, arguments = read_label(label)
        if not model.action(name).version(state.config)(state, *arguments):
            return None
    return state


def read_label(label: str) -> tuple[str, Arguments]:
    """`crash broker=0` as a name and arguments."""
    name, *given = label.split()
    return name, tuple(int(word.partition("=")[2]) for word in given)


def _both(model: Model, start: Any, counted: Sequence[Action]) -> tuple[Way, Way]:
    """The cheapest and the dearest way from a state, and from each that follows, once."""
    known: dict[Any, tuple[Way, Way] | None] = {}

    def visit(state: Any) -> tuple[Way, Way]:
        key = cells(state)
        if key in known:
            best = known[key]
            if best is None:
                raise UsageError(f"the failover of the model {model.name} can go on for ever under this configuration")
            return best
        if len(known) > MOST_STATES:
            raise UsageError(f"the failover has more than {MOST_STATES:,} states; choose smaller sizes, and --at for large ones")
        known[key] = None
        least: Way | None = None
        most: Way | None = None
        for action in counted:
            for arguments in action.instances(state.config):
                after = state.copy()
                if not action.version(state.config)(after, *arguments):
                    continue
                if is_fault(model, action, state, after):
                    continue  # one failure is enough
                cost = action.cost(state, after) if callable(action.cost) else action.cost
                assert cost is not None
                label = action.label(arguments)
                cheap, dear = (way.after(label, cost) for way in visit(after))
                least = cheap if least is None or cheap.cost.calls < least.cost.calls else least
                most = dear if most is None or dear.cost.calls > most.cost.calls else most
        known[key] = (least or Way(), most or Way())
        return least or Way(), most or Way()

    return visit(start)


def in_sequence(way: Way, shared_by: str, sessions: int) -> int:
    """How many operations on the store follow each other when those of different partitions are dealt to several sessions."""
    alone, shared = 0, [0] * sessions
    for label, cost in way.steps:
        given: Mapping[str, str] = dict(word.split("=") for word in label.split()[1:])
        if shared_by in given:
            shared[int(given[shared_by]) % sessions] += cost.writes
        else:
            alone += cost.writes
    return alone + max(shared)
