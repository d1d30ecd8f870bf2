"""Which variables decide most about what a state can do: those that guards read, and those of the first guards most of all."""

import re

from ...model.language.actions import Model
from ...model.language.machine_code.layout import Layout
from ...model.language.reading.footprint import guard_reads
from ...model.language.reading.program import Program
from ...model.language.settings import Settings

INDEX = re.compile(r"\[(\w+|\*)\]")


def by_weight(model: Model, config: Settings, layout: Layout, whole: Program) -> list[int]:
    """The variables of a state, by their place in its declaration, the most important first.

    For each instance of an action, a variable has the weight 1 if the first of its guards reads it, 1/4 if the second one is the
    first to read it, and so on. `whole`: the actions under this configuration.
    """
    places: dict[str, list[tuple[int, str]]] = {}
    weights: dict[int, float] = {}
    for place, (path, _, _) in enumerate(layout.variables(config)):
        places.setdefault(INDEX.sub("[]", path), []).append((place, path))
        weights[place] = 0.0
    for action in model.actions:
        reads = guard_reads(whole, whole.name_of(action.function), action.parameters, model.state)
        for arguments in action.instances(config):
            given, read = dict(zip(action.parameters, map(str, arguments), strict=True)), set[int]()
            for number, some in enumerate(reads, 1):
                alike = [(weight, *pair) for weight in some for pair in places.get(INDEX.sub("[]", weight), ())]
                now = {place for weight, place, path in alike if is_meant(weight, given, path)} - read
                for place in now:
                    weights[place] += 1 / number**2
                read |= now
    return sorted(weights, key=lambda place: -weights[place])


def is_meant(path: str, given: dict[str, str], variable: str) -> bool:
    """Whether a path that a guard reads is this variable, or may be it; `given`: the values of parameters."""
    pairs = zip(INDEX.findall(path), INDEX.findall(variable), strict=True)
    return all(given.get(index, actual) == actual for index, actual in pairs)
