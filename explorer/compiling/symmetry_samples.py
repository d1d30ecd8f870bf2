"""Tests a plugin's promise (`symmetric=True`) that nothing in it distinguishes members by number, on some states.

With members renamed, its actions must lead to the renamed states and its properties must say the same. The states are those of a
few random walks, so what is found is certain, and what is not found is not: the plugin still has to vouch for itself.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, count, permutations
from random import Random
from typing import Any, cast

from ...model.language.actions import Model
from ...model.language.demands import foreign_actions
from ...model.language.errors import ModelError
from ...model.language.kinds import MEMBERS, NO_MEMBER, Member, MemberSet, cells, fill
from ...model.language.loops import fold
from ...model.language.program import is_foreign
from ...model.language.settings import Settings
from ...properties.property import Property

WALKS, LENGTH = 6, 12
MAX_MEMBERS = 5
"""With more there are too many orders of the members to look for each in all of them."""


def preferring(model: Model, config: Any, properties: Iterable[Property]) -> str:
    """The name of an action or property of a plugin that prefers a member by its number; empty when none was seen to."""
    others = model.plugins or any(is_foreign(action.function) for action in model.actions)
    foreign = foreign_actions(model.actions, model.config) if others else ()
    steps = [line for line in model.steps(config) if line[0].name in foreign]
    claims = [one for one in properties if is_foreign(one.function)]
    orders = {(1, 0, *range(2, config.members)), (*range(1, config.members), 0)} if config.members > 1 else ()
    try:
        for state, following in walked(model, config) if steps or claims else ():
            for order in orders:
                twin = renamed(state, order)
                for one in claims:
                    given = [(state, after) for after in following] if one.over_steps else [(state,)]
                    if any(one.holds(*some) != one.holds(*(renamed(s, order) for s in some)) for some in given):
                        return one.name
                for line in steps:
                    here, there = ([after for _, _, after in model.enabled(some, [line])] for some in (state, twin))
                    differ = {cells(renamed(s, order)) for s in here} != {cells(s) for s in there}
                    if differ and config.members <= MAX_MEMBERS and orbits(here) != orbits(there):
                        return line[0].name
    except (ModelError, IndexError, ArithmeticError, ValueError):
        return ""  # the search ends with it, and says where
    return ""


def walked(model: Model, config: Any) -> Iterator[tuple[Any, list[Any]]]:
    """States on random walks, each with those that follow."""
    chance, steps = Random(0), model.steps(config)
    for _ in range(WALKS):
        state = chance.choice(model.initial_states(config))
        for _ in range(LENGTH):
            following = [after for _, _, after in model.enabled(state, steps)]
            yield state, following
            if not following:
                break
            state = chance.choice(following)


def orbits(states: Iterable[Any]) -> set[tuple[int, ...]]:
    """The least renaming of each state."""
    return {min(cells(renamed(state, order)) for order in permutations(range(state.config.members))) for state in states}


def renamed(state: Any, order: Sequence[int]) -> Any:
    """The plain state in which each member `m` is called `order[m]`."""
    order, numbers, record = tuple(order), cells(state), cast(Any, type(state))
    return fill(state.copy(), [new_name(kind, numbers[place], order) for kind, place in moves(record, state.config, order)])


def new_name(kind: Any, value: int, order: tuple[int, ...]) -> int:
    """The value of a variable, with members renamed."""
    if isinstance(kind, MemberSet):
        return sum(1 << new for member, new in enumerate(order) if value >> member & 1)
    return order[value] if isinstance(kind, Member) and value != NO_MEMBER else value


@cache
def moves(state: Any, config: Settings, order: tuple[int, ...]) -> list[tuple[Any, int]]:
    """For each variable of a renamed state its kind, and the place among all variables where its value was before."""

    def array(kind: Any, elements: list[list[Any]]) -> list[Any]:
        placed = [elements[order.index(place)] for place in range(len(order))] if kind.dimension == MEMBERS else elements
        return list(chain.from_iterable(placed))

    places = fill(state(config), count())
    joined: list[tuple[Any, int]] = fold(
        state, places, lambda kind, place: [(kind, place)], array, lambda kind, fields: list(chain.from_iterable(fields.values()))
    )
    return joined
