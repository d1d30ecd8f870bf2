"""A property of progress with its ranking: the measures that decrease until the goal is reached.

    claim = ranked(leads_to(waits, is_served), measures=[people_before], helpful=[serve], lemmas=["nobody_is_twice"])

A ranking belongs to a property of progress. Its measures are functions of the state in the language of models, with the
property's parameters. They are compared lexicographically: the first that differs decides. While the property waits (its
premise is true and its goal is not), some step of a helpful action leads to the goal or decreases the measures. They
cannot decrease for ever, because every measure is a number with bounds.

For `recoverable` this is enough: the step can be taken. For `leads_to` and `eventually` the helpful step must
be one that is not postponed for ever. No other step may increase the measures, or end the wait otherwise than at the goal, and
a step that leaves them unchanged must leave the helpful step enabled. Faults may increase them, because there are finitely many.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

from ..model.language.errors import UsageError
from .property import Property

Measure = Callable[..., Any]


@dataclass(frozen=True)
class Ranking:
    """The measures of the property `name`, the `helpful` actions, and the `lemmas` that exclude unreachable states.

    `part_of`: a larger goal, which is explored in place of this one.
    """

    name: str
    measures: tuple[Measure, ...]
    helpful: tuple[str, ...]
    lemmas: tuple[str, ...] = ()
    part_of: str = ""


def ranked(
    claim: Property, measures: Iterable[Measure], helpful: Iterable[Any], lemmas: Iterable[str] = (), part_of: str = ""
) -> Property:
    """The claim, which `highwater prove` can prove by these measures: of these functions the first that differs decides.

    `helpful`: actions, of which one can be taken while the property waits, and decreases them. `lemmas`: names of claims of the
    model, of kind always, that exclude states which cannot be reached.
    """
    if not claim.of_progress:
        raise UsageError(f"{claim.name} is of kind {claim.kind}: only a property of progress has a ranking")
    measures = tuple(measures)
    for measure in measures:
        if not callable(measure) or list(signature(measure).parameters) != list(signature(claim.function).parameters):
            name = getattr(measure, "__name__", repr(measure))
            raise UsageError(f"{name:.60}, a measure of {claim.name}, must be a function with the same parameters, in order")
    names = tuple(helper if isinstance(helper, str) else getattr(helper, "__name__", str(helper)) for helper in helpful)
    if not measures or not names:
        raise UsageError(f"the ranking of {claim.name} needs a measure and a helpful action")
    return replace(claim, ranking=Ranking(claim.name, measures, names, tuple(lemmas), part_of))
