"""Which repairs matter under some sizes: those that the program, folded for all other settings, still reads.

A repair that it does not read leaves the same program, the same initial states and the same layout of a state, so that every
verdict is the same with it and without it, whatever the other repairs are.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from operator import attrgetter
from typing import Any

from ...model.language.actions import Model
from ...model.language.kinds import Many, walk
from ...model.language.reading.beginnings import MOST, in_turn
from ...model.language.reading.footprint import settings_in
from ...model.language.reading.specialise import specialise
from ...model.language.repairs import Chain
from ...model.language.settings import Watched
from ...properties.property import Property
from ..compiling.checks import Checked
from ..compiling.generate import checked_program, functions_of, only_needed

Values = Mapping[str, Sequence[int]]
"""The values, as integers, that each varied setting can have."""


def relevant(model: Model, config: Any, properties: Sequence[Property], chains: Sequence[Chain]) -> list[Chain]:
    """The chains whose setting can make a difference to these properties."""
    read = settings_read(model, config, properties, values_of(config, chains))
    return [chain for chain in chains if chain.setting in read]


def settings_read(model: Model, config: Any, properties: Sequence[Property], values: Values) -> set[str]:
    """Those of the settings, each of which has one of these values, that can make a difference to these properties or to the
    states."""
    derived = dependences(config, values)
    left = {**values, **{name: numbers for name, (numbers, _) in derived.items()}}
    read: set[str] = set()
    for name in {*read_by_program(model, config, properties, left), *read_by_layout(model, config)}:
        read |= derived[name][1] if name in derived else {name}
    for claim in properties:
        read |= outcomes(claim.applies, config, values)[1]
    counts, of_first = outcomes(lambda watched: sum(1 for _ in islice(in_turn(model, watched), MOST + 1)), config, values)
    read |= of_first if max(counts) <= MOST else values.keys()  # what the others read is not known
    return read & values.keys()


def values_of(config: Any, chains: Sequence[Chain]) -> dict[str, list[int]]:
    """The values of the varied settings as the model reads them."""
    return {
        chain.setting: [config.settings[chain.setting].parse(chain.setting, chain.value(k)) for k in range(chain.top + 1)]
        for chain in chains
    }


def dependences(config: Any, values: Values) -> dict[str, tuple[list[int], set[str]]]:
    """The derived numbers that differ between the points: the values of each, and the varied settings that it depends on."""
    out = {}
    for name in type(config).computed:
        numbers, read = outcomes(attrgetter(name), config, values)
        if len(set(numbers)) > 1:
            out[name] = numbers, read
    return out


def outcomes(run: Callable[[Any], Any], config: Any, values: Values) -> tuple[list[Any], set[str]]:
    """What `run` answers for every choice of those varied settings that it reads, and which these are."""
    read: set[str] = set()
    while True:
        answers, before = [], sorted(read)
        for combination in itertools.product(*(values[name] for name in before)):
            watched = Watched(config, dict(zip(before, combination, strict=True)))
            answers.append(run(watched))
            read |= watched.read & values.keys()
        if before == sorted(read):
            return answers, read


def read_by_program(model: Model, config: Any, properties: Sequence[Property], left: Values) -> set[str]:
    """Those of the numbers `left` that the program, folded for the values of each, reads, or over which something ranges."""
    functions = functions_of(model, Checked.of(properties))
    folded = specialise(checked_program(model, functions), config, model.state, left)
    whole = only_needed(folded, model, functions)
    names = set(settings_in(*whole.functions.values()))
    names.update(*(action.dimensions for action in model.actions), *(claim.dimensions for claim in properties))
    return names & left.keys()


def read_by_layout(model: Model, config: Any) -> set[str]:
    """The numbers that decide what the variables of a state are, and their ranges."""
    watched = Watched(config)
    state = model.state(watched)
    for _, kind, _ in walk(type(state), state):
        kind.span(watched)
        kind.normal_span(watched)
    return watched.named | dimensions(model.state)


def dimensions(kind: Any) -> set[str]:
    """The dimensions of all arrays below a record or a field."""
    if isinstance(kind, Many):
        return {kind.dimension} | dimensions(kind.element)
    return {name for field in getattr(kind, "fields", {}).values() for name in dimensions(field)}
