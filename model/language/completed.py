"""What need not be said of a model: its name, what parameters range over, its only revision, how long arrays may be."""

import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from .errors import UsageError
from .kinds import MEMBERS, Many, State, declared
from .lines import actions
from .releases import Revision
from .settings import Settings, length_named, with_lengths
from .steps import Action

if TYPE_CHECKING:
    from .actions import Model

ONLY = "only"
"""The name of the revision of a model that names none."""

MOST = 8
"""Code for all configurations has room for arrays of this length, where the settings allow it and nothing else is said."""


def all_zero(config: Any) -> list[Any]:
    """The beginning of a model that names none: one state, in which every number is its first and every member `NO_MEMBER`."""
    raise NotImplementedError("a model replaces it by its own state")


def completed(model: "Model") -> dict[str, Any]:
    """The fields of a model that are empty, with what they are then; nothing where it is not one at all (`wellformed`)."""
    if not is_subclass(model.state, State) or not is_subclass(model.config, Settings):
        return {}
    out: dict[str, Any] = {}
    name = model.name or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", model.state.__name__).lower()
    arrays = {path.removesuffix("[]").rpartition(".")[2]: kind.dimension for path, kind in arrays_of(model.state)}
    is_plain = not any(isinstance(action, Action) for action in model.actions)  # else the actions have their ranges already
    domains = {**({**arrays, "member": MEMBERS, "other": MEMBERS} if is_plain else {}), **model.domains}
    if any(isinstance(domain, int) for domain in domains.values()):
        domains = {name: length_named(domain) for name, domain in domains.items()}
    dimensions = {kind.dimension for _, kind in arrays_of(model.state)}
    config = with_lengths(model.config, sorted({*dimensions, *domains.values()}))
    lines = [action for action in model.actions if isinstance(action, Action)]
    if len(lines) != len(model.actions) or not isinstance(model.actions, tuple):
        functions = [action for action in model.actions if not isinstance(action, Action)]
        if wrong := [function for function in functions if not callable(function)]:  # such as the name of one
            raise UsageError(f"the actions of the model {name} take functions of a state and of numbers, not {wrong[0]!r:.40}")
        fairness = (model.weak, model.strong, model.faults)
        made = {action.name: action for action in actions(domains, functions, *fairness, rollback=model.rollback)}
        out["actions"] = tuple(action if isinstance(action, Action) else made[action.__name__] for action in model.actions)
    if model.initial_states is all_zero:
        out["initial_states"] = partial(zero_states, model.state)
    revisions = model.revisions or {ONLY: Revision(ONLY, model.title or (model.state.__doc__ or name).strip().split("\n")[0], {})}
    capacities = model.capacities or {"small": lengths(config, dimensions)}
    filled = {"name": name, "title": model.title or name, "config": config, "domains": domains}
    filled |= {"revisions": revisions, "capacities": capacities}
    return out | {key: value for key, value in filled.items() if value is not getattr(model, key)}


def is_subclass(some: Any, base: type) -> bool:
    """Whether something is a class, and one of these."""
    return isinstance(some, type) and issubclass(some, base)


def arrays_of(state: Any) -> list[tuple[str, Many]]:
    """The arrays of a state, with the path of each."""
    return [(path, kind) for path, kind in declared(state) if isinstance(kind, Many)]


def zero_states(state: Any, config: Any) -> list[Any]:
    """One state, in which every number is its first and every member `NO_MEMBER`."""
    return [state(config)]


def lengths(config: type[Settings], dimensions: set[str]) -> Mapping[str, int]:
    """How long each array may be in code for all configurations: as long as its setting allows, up to MOST."""
    default = config()
    highest = {name: max(setting.default, min(setting.high, MOST)) for name, setting in config.settings.items()}
    return {dimension: highest.get(dimension, 0) or max(1, getattr(default, dimension, 0)) for dimension in sorted(dimensions)}
