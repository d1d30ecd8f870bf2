"""Symmetry: states that differ only in the names of the members behave alike, and one of them is enough.

The renaming of a state is generated from the kinds of its variables (`renaming.rename_text`); here are
the permutations, as tables that compiled code can index. It is sound where no action or property
prefers a member by its number: the model says so of a configuration, and `refuse` asks it.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.kinds import NO_MEMBER, Member, MemberSet, declared
from ...model.language.preferences import preference
from ...model.language.settings import Settings
from ...properties.property import Property
from .arrays import Renaming
from .symmetry_samples import preferring

LARGEST = 6
"""More members have too many permutations to try for each state."""


def renaming(members: int) -> Renaming:
    """Tables of all permutations of this many members; empty when there is no symmetry.

    Shapes: `old` (permutations, members): which member comes to each place; `new` (permutations, `NO_MEMBER` + 1): the place to
    which each goes, `NO_MEMBER` to itself; `image` (permutations, 2 ** members): the set of the places.
    """
    orders = list(itertools.permutations(range(members)))
    old = np.array(orders, np.int64).reshape(len(orders), members)
    new = np.full((len(orders), NO_MEMBER + 1), NO_MEMBER, np.int64)
    image = np.zeros((len(orders), 1 << members), np.int64)
    for index, order in enumerate(orders):
        for place, member in enumerate(order):
            new[index, member] = place
        for mask in range(1 << members):
            image[index, mask] = sum(1 << int(new[index, m]) for m in range(members) if mask >> m & 1)
    return Renaming(old, new, image)


def refuse(model: Model, config: Any, properties: Sequence[Property] = ()) -> None:
    """UsageError where symmetry is not sound or not worth it."""
    reason, members = model.asymmetry(config), config.members
    if members > LARGEST and not reason:
        raise UsageError(f"symmetry over {members} members tries too many permutations; leave out --symmetry")
    reason = reason or unvouched(model, config, properties)
    if reason:
        raise UsageError(f"symmetry cannot be used here: {reason}; leave out --symmetry")


def members_in_order(model: Model) -> str:
    """The path of the first container of a model that holds members in order; empty where there is none."""
    paths = [path for path, kind in declared(model.state) if isinstance(kind, (Member, MemberSet)) and ".item[]" in path]
    ordered = {path.removesuffix(".ordered"): kind for path, kind in declared(model.state) if path.endswith(".ordered")}
    found = (path.partition(".item[]")[0] for path in paths)
    return next((path for path in found if path in ordered and ordered[path].low == 1), "")


def unvouched(model: Model, config: Settings, properties: Sequence[Property]) -> str:
    """Why a plugin should not have vouched for a model, as far as its text and a few states show it."""
    found = preference(model, config, properties)
    if found and (kept := members_in_order(model)):
        what = "a bag, a set or a map of members, which is kept in the order of their numbers"
        return f"{kept} is {what} (a queue is not, nor a flag or a number for each member)"
    if found:
        return f"{found}, and its plugin promises that nothing prefers a member by its number (symmetric=True)"
    name = preferring(model, config, properties)
    return f"{name} prefers a member by its number, and its plugin says that it does not (symmetric=True)" if name else ""
