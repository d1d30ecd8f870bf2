"""Tests a plugin's promise (`symmetric=True`) that nothing in it distinguishes members by number, on some states.

With members renamed, its actions must lead to the renamed states and its properties must say the same. The states are those of a
few random walks, so what is found is certain, and what is not found is not: the plugin still answers for its promise.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, count, islice, permutations, product
from math import factorial, prod
from random import Random
from typing import Any, cast

from ...model.language.actions import Model
from ...model.language.errors import ModelError
from ...model.language.kinds import NO_MEMBER, Member, MemberSet, cells, fill
from ...model.language.loops import fold, sorts_in
from ...model.language.reading.beginnings import MOST, in_turn
from ...model.language.reading.program import is_plugin_code
from ...model.language.reading.step_checks import plugin_actions
from ...model.language.sequences import put_in_order
from ...model.language.settings import Settings
from ...properties.property import Property

WALKS, LENGTH = 6, 12
MOST_ORDERS = 120
"""With more orders of the members there are too many to look at each state in all of them."""

Order = tuple[tuple[int, ...], ...]
"""For each symmetric sort of a state, the new name of each member."""


def preferring(model: Model, config: Any, properties: Iterable[Property]) -> str:
    """The name of an action or property of a plugin that prefers a member by its number; empty when none was seen to."""
    others = model.plugins or any(is_plugin_code(action.function) for action in model.actions)
    plugin_code = plugin_actions(model.actions, model.config) if others else ()
    steps = [line for line in model.steps(config) if line[0].name in plugin_code]
    claims = [item for item in properties if is_plugin_code(item.function)]
    sizes = [getattr(config, sort) for sort in sorts_in(model.state)]
    orders = list(exchanges(sizes))
    few = prod(map(factorial, sizes)) <= MOST_ORDERS
    try:
        first = list(islice(in_turn(model, config), MOST)) if (steps or claims) and orders else []
        for state, following in walked(model, config, first, WALKS, LENGTH) if first else ():
            for order in orders:
                twin = renamed(state, order)
                for claim in claims:
                    given = [(state, after) for after in following] if claim.over_steps else [(state,)]
                    if any(claim.holds(*some) != claim.holds(*(renamed(s, order) for s in some)) for some in given):
                        return claim.name
                for line in steps:
                    here, there = ([after for _, _, after in model.enabled(some, [line])] for some in (state, twin))
                    differ = {cells(renamed(s, order)) for s in here} != {cells(put_in_order(s)) for s in there}
                    if differ and few and orbits(here) != orbits(there):
                        return line[0].name
    except (ModelError, IndexError, ArithmeticError, ValueError):
        return ""  # the search ends with it, and says where
    return ""


def exchanges(sizes: Sequence[int]) -> Iterator[Order]:
    """Orders of the members of each sort that bring about all others: the first two exchanged, and each moved on by one."""
    same = [tuple(range(size)) for size in sizes]
    for number, size in enumerate(sizes):
        for order in {(1, 0, *range(2, size)), (*range(1, size), 0)} if size > 1 else ():
            yield (*same[:number], order, *same[number + 1 :])


def walked(model: Model, config: Any, first: Sequence[Any], walks: int, length: int) -> Iterator[tuple[Any, list[Any]]]:
    """States on random walks from one of the `first`, each with those that follow."""
    chance, steps = Random(0), model.steps(config)
    for _ in range(walks):
        state = chance.choice(first).copy()
        for _ in range(length):
            following = [after for _, _, after in model.enabled(state, steps)]
            yield state, following
            if not following:
                break
            state = chance.choice(following)


def orbits(states: Iterable[Any]) -> set[tuple[int, ...]]:
    """The least renaming of each state."""

    def least(state: Any) -> tuple[int, ...]:
        orders = product(*(permutations(range(getattr(state.config, sort))) for sort in sorts_in(type(state))))
        return min(cells(renamed(state, order)) for order in orders)

    return set(map(least, states))


def renamed(state: Any, order: Order) -> Any:
    """The plain state in which each member `m` of the first sort is called `order[0][m]`, and so on; bags are in order again."""
    numbers, record = cells(state), cast(Any, type(state))
    by_sort = dict(zip(sorts_in(record), map(tuple, order), strict=True))
    values = [new_name(kind, numbers[place], by_sort) for kind, place in moves(record, state.config, tuple(by_sort.values()))]
    return put_in_order(fill(state.copy(), values))


def new_name(kind: Any, value: int, order: Mapping[str, tuple[int, ...]]) -> int:
    """The value of a variable, with members renamed."""
    if isinstance(kind, MemberSet):
        return sum(1 << new for member, new in enumerate(order[kind.of]) if value >> member & 1)
    return order[kind.of][value] if isinstance(kind, Member) and value != NO_MEMBER else value


@cache
def moves(state: Any, config: Settings, order: Order) -> list[tuple[Any, int]]:
    """For each variable of a renamed state its kind, and the place among all variables where its value was before."""
    by_sort = dict(zip(sorts_in(state), order, strict=True))

    def array(kind: Any, elements: list[list[Any]]) -> list[Any]:
        new = by_sort.get(kind.dimension, range(len(elements)))
        return list(chain.from_iterable(elements[new.index(place)] for place in range(len(elements))))

    places = fill(state(config), count())
    joined: list[tuple[Any, int]] = fold(
        state, places, lambda kind, place: [(kind, place)], array, lambda kind, fields: list(chain.from_iterable(fields.values()))
    )
    return joined
