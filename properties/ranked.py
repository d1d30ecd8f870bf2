"""A property of progress with its ranking: the measures that decrease until the goal is reached (`rankings` says why).

    claim = ranked(leads_to(waits, is_served), measures=[people_before], helpful=[serve], lemmas=["nobody_is_twice"])
"""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from ..model.language.errors import UsageError
from .property import Property

Measure = Callable[..., Any]


@dataclass(frozen=True)
class Ranking:
    """The measures of the property `name`, the `helpful` actions, and the `lemmas` that exclude unreachable states."""

    name: str
    measures: tuple[Measure, ...]
    helpful: tuple[str, ...]
    lemmas: tuple[str, ...] = ()


def ranked(claim: Property, measures: Iterable[Measure], helpful: Iterable[Any], lemmas: Iterable[str] = ()) -> Property:
    """The claim, which `highwater prove` can prove by these measures: of these functions the first that differs decides.

    `helpful`: actions, of which one can be taken while the property waits, and decreases them. `lemmas`: names of claims of the
    model, of kind always, that exclude states which cannot be reached.
    """
    if not claim.of_progress:
        raise UsageError(f"{claim.name} is of kind {claim.kind}: only a property of progress has a ranking")
    measures = tuple(measures)
    for one in measures:
        if not callable(one) or list(inspect.signature(one).parameters) != list(inspect.signature(claim.function).parameters):
            name = getattr(one, "__name__", repr(one))
            raise UsageError(f"{name:.60}, a measure of {claim.name}, must be a function with the same parameters, in order")
    names = tuple(one if isinstance(one, str) else getattr(one, "__name__", str(one)) for one in helpful)
    if not measures or not names:
        raise UsageError(f"the ranking of {claim.name} needs a measure and a helpful action")
    return replace(claim, ranking=Ranking(claim.name, measures, names, tuple(lemmas)))
