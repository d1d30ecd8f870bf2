"""Symmetry: states that differ only in the names of the members behave alike, and one of them is enough.

The renaming of a state is generated from the kinds of its variables (`renaming.rename_text`), and the orders in which members are
looked at are in `renaming_kernels`. It is sound where no action or property prefers a member by its number: the model says so of
a configuration, and `refuse` asks it. A model may have several symmetric sorts; members of each are renamed for themselves.
"""

from collections.abc import Iterator, Sequence
from math import factorial, prod
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.kinds import declared
from ...model.language.loops import sorts_in
from ...model.language.reading.preferences import preference
from ...model.language.settings import Settings
from ...properties.property import Property
from .symmetry_samples import preferring

MOST_ORDERS = 40_320
"""More orders of members are too many to try for a state in which none of them can be told from another: eight members' ones."""


def sorted_by_cells(state: Any) -> Iterator[str]:
    """The sorts whose members are known by their own cells alone: those of arrays over the sort, in which nothing names a member.

    Two such members are the same to all others once their cells are equal, so that sorting them is enough.
    """
    for sort in sorts_in(state):
        named = {path: getattr(kind, "of", getattr(kind, "dimension", "")) for path, kind in declared(state)}
        of_members = [path for path, dimension in named.items() if dimension in sorts_in(state)]
        own = [path for path in of_members if named[path] == sort]
        within = [path for path in of_members for d in own if path.startswith(f"{d}[]") or d.startswith(f"{path}[]")]
        arrays = [path for path in own if f"{path}[]" in named and ".item[]" not in path]
        if arrays == own and not within:
            yield sort


def validate_symmetry(model: Model, config: Any, properties: Sequence[Property] = ()) -> None:
    """UsageError where symmetry is not sound or not worth it."""
    reason = model.asymmetry(config)
    if not reason:
        by_order = {sort: getattr(config, sort) for sort in sorts_in(model.state)}
        for sort in sorted_by_cells(model.state):
            del by_order[sort]
        if prod(map(factorial, by_order.values())) > MOST_ORDERS:
            many = " and ".join(f"{count} {sort}" for sort, count in by_order.items() if count > 1)
            raise UsageError(f"symmetry over {many}, which variables name, tries too many permutations; leave out --symmetry")
    reason = reason or promise_refuted(model, config, properties)
    if reason:
        raise UsageError(f"symmetry cannot be used here: {reason}; leave out --symmetry")


def promise_refuted(model: Model, config: Settings, properties: Sequence[Property]) -> str:
    """Why a plugin should not have promised symmetry, as far as its text and a few states show it."""
    found = preference(model, config, properties)
    if found:
        return f"{found}, and its plugin promises that nothing prefers a member by its number (symmetric=True)"
    name = preferring(model, config, properties)
    return f"{name} prefers a member by its number, and its plugin says that it does not (symmetric=True)" if name else ""
