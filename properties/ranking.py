"""Why a goal is reached: numbers that get smaller.

A ranking stands beside a property of progress. Its measures are functions of the state in the language of models, with the
property's parameters, and are compared one after the other: the first that differs decides. While the property waits (its
premise is true and its goal is not), some step of a helpful action leads to the goal or makes the measures smaller. Nothing can
get smaller for ever, for every measure is a number with bounds.

Of what is `recoverable` that is all: the step can be taken. Of what `leads_to` it, or comes `eventually`, the helpful step must
be one that is not put off for ever. No other step may make the measures larger, or end the wait otherwise than at the goal, and
one that leaves them as they are must leave the step helpful. Faults may make them larger, for there are finitely many.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Measure = Callable[..., Any]


@dataclass(frozen=True)
class Ranking:
    """The measures of the property `name`, the `helpful` actions, and the `lemmas` that rule out what cannot be reached."""

    name: str
    measures: tuple[Measure, ...]
    helpful: tuple[str, ...]
    lemmas: tuple[str, ...] = ()
