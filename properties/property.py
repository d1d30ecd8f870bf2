"""What a property is.

    always     true in every state
    step       true of every step: a function of the state before and the state after
    sometimes  true in some state, or of some step: it shows that the model is not vacuous

A property is an ordinary function in the language of models. Its docstring says the claim in one
sentence, why a user of Kafka would care, and since which revision it is expected to hold.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Function = Callable[..., bool]

ALWAYS, STEP, SOMETIMES = "always", "step", "sometimes"


@dataclass(frozen=True)
class Property:
    """A claim that an engine can check.

    `since`: the first revision in which it is expected to hold at the default sizes; None: in no revision.
    `falls_in`: later revisions in which it is expected to fall all the same.
    `needs` says whether it means anything under a configuration; `where` says what it needs, in words.
    """

    name: str
    kind: str
    function: Function
    since: str | None
    needs: Callable[[Any], bool]
    where: str
    falls_in: tuple[str, ...] = ()

    @property
    def by_default(self) -> bool:
        """Whether it is checked when no property is named: not when no revision is expected to keep it."""
        return self.since is not None

    @property
    def over_steps(self) -> bool:
        """It is a function of two states."""
        return len(inspect.signature(self.function).parameters) == 2

    @property
    def claim(self) -> str:
        """The first sentence of the docstring."""
        return " ".join((self.function.__doc__ or "").split("\n\n")[0].split())

    def applies(self, config: Any) -> bool:
        """Whether the property means anything under this configuration."""
        return self.needs(config)

    def expected_to_hold(self, revision: str, revisions: Sequence[str]) -> bool:
        """Whether it is expected to hold, or to be witnessed, in this revision at the default sizes."""
        if self.since is None or revision in self.falls_in:
            return False
        return list(revisions).index(revision) >= list(revisions).index(self.since)


def always(function: Function, since: str | None, needs: Any = None, where: str = "", falls_in: Any = ()) -> Property:
    """A property of every state."""
    return Property(function.__name__, ALWAYS, function, since, needs or _everywhere, where, falls_in)


def step(function: Function, since: str | None, needs: Any = None, where: str = "", falls_in: Any = ()) -> Property:
    """A property of every step."""
    return Property(function.__name__, STEP, function, since, needs or _everywhere, where, falls_in)


def sometimes(function: Function, since: str | None, needs: Any = None, where: str = "", falls_in: Any = ()) -> Property:
    """A state, or a step, that must be reachable."""
    return Property(function.__name__, SOMETIMES, function, since, needs or _everywhere, where, falls_in)


def _everywhere(config: Any) -> bool:
    return True
