"""What a failover costs: the cheapest and the most expensive path from the failure until nothing is left to do.

Only steps whose cost the model declares are taken, in the plain model, after the steps with which the failure begins. The paths
form a graph without circles; the sums are taken from its ends backwards.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...model.language.actions import Model
from ...model.language.costs import Cost
from ...model.language.errors import UsageError
from ...model.language.kinds import cells
from ...model.language.reading.faults import is_fault
from ...model.language.steps import Action

MAX_STATES = 200_000

NOTHING = Cost()

Arguments = tuple[int, ...]


@dataclass(frozen=True)
class FailoverPath:
    """One path through a failover: its steps with their costs, and all together."""

    steps: tuple[tuple[str, Cost], ...] = ()
    cost: Cost = NOTHING

    def after(self, label: str, cost: Cost) -> "FailoverPath":
        """This path behind one more step."""
        return FailoverPath(((label, cost), *self.steps), cost.plus(self.cost))


def cheapest_and_dearest(model: Model, config: Any) -> tuple[FailoverPath, FailoverPath]:
    """The paths with the fewest and with the most remote calls."""
    if model.failover is None:
        raise UsageError(f"the model {model.name} declares no costs: actions(..., costs={{...}}) and failover=Failover(...) do")
    counted = [action for action in model.actions if action.cost is not None and action.exists(config)]
    starts = [start for state in model.initial_states(config) if (start := _failed(model, state)) is not None]
    if not starts:
        begins = ", ".join(model.failover.begins)
        raise UsageError(f"the failure ({begins}) cannot happen here; its budget is missing, such as --crashes 1")
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 20_000))
    try:
        found = [_both(model, start, counted) for start in starts]
    finally:
        sys.setrecursionlimit(before)
    return min((a for a, _ in found), key=lambda a: a.cost.calls), max((b for _, b in found), key=lambda b: b.cost.calls)


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


def _both(model: Model, start: Any, counted: Sequence[Action]) -> tuple[FailoverPath, FailoverPath]:
    """The cheapest and the dearest path from a state, and from each that follows, once."""
    known: dict[Any, tuple[FailoverPath, FailoverPath] | None] = {}

    def visit(state: Any) -> tuple[FailoverPath, FailoverPath]:
        key = cells(state)
        if key in known:
            best = known[key]
            if best is None:
                raise UsageError(f"the failover of the model {model.name} can go on for ever under this configuration")
            return best
        if len(known) > MAX_STATES:
            raise UsageError(f"the failover has more than {MAX_STATES:,} states; choose smaller sizes, and --at for large ones")
        known[key] = None
        least: FailoverPath | None = None
        most: FailoverPath | None = None
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
                cheap, dear = (path.after(label, cost) for path in visit(after))
                least = cheap if least is None or cheap.cost.calls < least.cost.calls else least
                most = dear if most is None or dear.cost.calls > most.cost.calls else most
        known[key] = (least or FailoverPath(), most or FailoverPath())
        return least or FailoverPath(), most or FailoverPath()

    return visit(start)


def in_sequence(path: FailoverPath, shared_by: str, sessions: int) -> int:
    """How many operations on the store follow each other when those of different partitions are dealt to several sessions."""
    alone, shared = 0, [0] * sessions
    for label, cost in path.steps:
        given: Mapping[str, str] = dict(word.split("=") for word in label.split()[1:])
        if shared_by in given:
            shared[int(given[shared_by]) % sessions] += cost.writes
        else:
            alone += cost.writes
    return alone + max(shared)
