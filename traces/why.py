"""Why a property is violated: one sentence that names the witnesses, and the step that mattered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..model.language.actions import Model
from ..model.language.errors import short
from .evidence import Evidence, Place, gather, value_at
from .replay import Claim
from .witness import named, tell

HELPERS = __name__.rpartition(".traces")[0] + ".model"
"""Functions below this package help a property; its own line is what a reader wants to see."""


@dataclass(frozen=True)
class Why:
    """`sentence` begins with the property's name and ends with the line that decided.

    `witness`: the values that violate the property, and the variables that decided, by name. `step`: the number of the step
    after which it is violated, 0 for the initial state: the last that mattered; `since`: that of the step from which on the
    variables that decided have had these values.
    """

    property: str
    sentence: str
    witness: Mapping[str, int]
    step: int
    since: int
    file: str = ""
    line: int = 0
    places: tuple[Place, ...] = field(default=())


def why(claim: Claim, model: Model, states: Sequence[Any], step: int) -> Why:
    """Why a property of states or of steps is violated after `step`; `states` are all plain states, the initial one first."""
    some = [states[step - 1], states[step]] if claim.over_steps else [states[step]]
    binding = claim.deciding(*some) or ()
    found = gather(claim.function, some, binding)
    values = dict(zip(claim.parameters, binding, strict=True))
    place = own_place(found)
    words = tell(model, some, values, dict(zip(claim.parameters, claim.dimensions, strict=True)), found)
    sentence = f"{claim.name} is false: {words} ({short(place.file)}:{place.line})"
    decided = found.read if found.read else found.met
    since = last_change(states, step, [path for _, path in decided])
    return Why(claim.name, sentence, {**values, **named(found.read)}, step, since, place.file, place.line, found.places)


def why_deadlock(name: str, step: int) -> Why:
    """Why a trace ends: nothing is enabled."""
    return Why(name, f"{name} is false: no action is enabled in the last state", {}, step, step)


def own_place(found: Evidence) -> Place:
    """The last place that is the property's own: what it shares with the model is known."""
    own = [place for place in found.places if not place.module.startswith(HELPERS)]
    return (own or list(found.places))[-1]


def last_change(states: Sequence[Any], step: int, paths: Sequence[str]) -> int:
    """The last step, up to `step`, that changed one of these variables; `step` itself where none did."""
    for number in range(step, 0, -1):
        if any(value_at(states[number - 1], path) != value_at(states[number], path) for path in paths):
            return number
    return step
