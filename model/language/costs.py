"""What the steps of a protocol cost: operations on the store and requests between brokers.

A model declares the cost of an action beside its fairness (`actions(..., costs=...)`): a `Cost`, or a function of the state
before the step and the one after it where that decides. An action without one is no part of what is counted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple


class Cost(NamedTuple):
    """Operations by their sort."""

    reads: int = 0
    """Reads of the store: one remote call each."""
    writes: int = 0
    """Writes to the store: roughly two remote calls each (V3 discussion 2), since the store's own servers agree."""
    notices: int = 0
    """Watches that fire: one remote call each, from the store to its client."""
    requests: int = 0
    """Requests from one broker to another: one remote call each."""

    @property
    def calls(self) -> int:
        """Remote calls (V3 discussion 2)."""
        return self.reads + 2 * self.writes + self.notices + self.requests

    def plus(self, other: "Cost") -> "Cost":
        """Both together."""
        return Cost(*(a + b for a, b in zip(self, other, strict=True)))


Declared = Cost | Callable[[Any, Any], Cost]
"""What is declared of an action; a function takes the state before the step and the one after it."""


@dataclass(frozen=True)
class Failover:
    """What a model's failover is, for counting. `begins`: the steps of the failure, as they are written in a trace.

    `shared_by`: the parameter of actions whose operations several sessions with the store can carry out in parallel.
    `formula`: from a configuration and a number of partitions, which may be too large to count, the cheapest and dearest cost.
    """

    begins: tuple[str, ...]
    shared_by: str
    formula: Callable[[Any, int], tuple[Cost, Cost]]
