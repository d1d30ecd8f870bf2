"""Why a goal is reached: numbers that decrease.

A ranking belongs to a property of progress. Its measures are functions of the state in the language of models, with the
property's parameters. They are compared lexicographically: the first that differs decides. While the property waits (its
premise is true and its goal is not), some step of a helpful action leads to the goal or decreases the measures. They
cannot decrease for ever, because every measure is a number with bounds.

For `recoverable` this is enough: the step can be taken. For `leads_to` and `eventually` the helpful step must
be one that is not postponed for ever. No other step may increase the measures, or end the wait otherwise than at the goal, and
a step that leaves them unchanged must leave the helpful step enabled. Faults may increase them, because there are finitely many.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Measure = Callable[..., Any]


@dataclass(frozen=True)
class Ranking:
    """The measures of the property `name`, the `helpful` actions, and the `lemmas` that exclude unreachable states."""

    name: str
    measures: tuple[Measure, ...]
    helpful: tuple[str, ...]
    lemmas: tuple[str, ...] = ()
