"""What is given of a model, and what need not be: its name, what parameters range over, its only revision, lengths of arrays."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from .costs import Failover
from .errors import UsageError
from .kinds import MEMBERS, Many, State, declared
from .lines import actions
from .notation import Notation
from .repairs import Repair
from .revisions import Revision, Unmodelled
from .settings import NoSettings, Settings, length_named, with_lengths
from .steps import Action, Function

ONLY = "only"
"""The name of the revision of a model that names none."""

MOST = 8
"""Code for all configurations has room for arrays of this length, where the settings allow it and nothing else is said."""


def all_zero(config: Any) -> list[Any]:
    """The beginning of a model that names none: one state, in which every number is its first and every member `NO_MEMBER`."""
    raise NotImplementedError("a model replaces it by its own state")


def untold(config: Settings) -> str:
    """The asymmetry of a model that does not speak of it: engines then tell all members apart."""
    return "nothing says that the model prefers no member by its number (Model.asymmetry)"


def no_asymmetry(config: Settings) -> str:
    """The asymmetry of a model that never prefers a member by its number."""
    return ""


@dataclass(frozen=True, eq=False)
class Given:
    """Everything that an engine needs to know of a protocol: its state, its actions, and what need not be said (`completed`).

    `domains` gives the name of a parameter, of actions and of properties, the setting that says how many values it has.
    `initial_states` gives plain states. `normal_form`, when there is one, rewrites a state in place to
    the representative of the states that behave alike, members apart (those are symmetry's).
    `capacities` names the layouts: for each, the largest size that its arrays hold. `asymmetry` says why members
    cannot be renamed freely under a configuration, or nothing; of a model without it they cannot. `own_budgets`: the
    budgets of faults that the system itself pays from; a step that pays from any other is a fault (`faults.paid`).
    `repairs`: the catalogue of what later releases changed. `releases`: all that there are. `failover`: what is counted of its
    costs. `finest`: the settings by which several steps can be one, or none, each with the value under which they are several.
    `unmodelled`: known bugs of which it says nothing. `absent`: what the real system has and no configuration of it.
    `properties`: what is claimed of it; `lemmas`: what is true and helps to prove these, `proofs`: by property the names of those
    that do; `step_invariants`: what each single step keeps, by which a mutant is known that no property kills; `sizes`:
    revisions with the settings at which every part has something to do; `possible`: by action, whether settings let it happen,
    where its guards alone do not show it. `notation`: how states and steps are written.
    `plugins`: the modules that made it what it is. `weak`, `strong`,
    `faults`, `rollback`: what is demanded of actions that are given as functions. `constraint`: a function of the state; no step
    leaves a state in which it is false (`around`).
    """

    name: str = ""
    title: str = ""
    state: type[State] = State
    config: type[Settings] = NoSettings
    actions: Sequence[Any] = ()
    initial_states: Callable[[Any], list[Any]] = all_zero
    revisions: Mapping[str, Revision] = field(default_factory=dict)
    capacities: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    domains: Mapping[str, str] = field(default_factory=dict)
    normal_form: Function | None = None
    asymmetry: Callable[[Any], str] = untold
    own_budgets: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()
    releases: tuple[str, ...] = ()
    failover: Failover | None = None
    finest: Mapping[str, str] = field(default_factory=dict)
    unmodelled: tuple[Unmodelled, ...] = ()
    absent: tuple[str, ...] = ()
    properties: tuple[Any, ...] = ()
    lemmas: tuple[Any, ...] = ()
    proofs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    step_invariants: tuple[Any, ...] = ()
    sizes: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    possible: Mapping[str, Callable[[Any], bool]] = field(default_factory=dict)
    notation: Notation = field(default_factory=Notation)
    plugins: tuple[str, ...] = ()
    weak: Sequence[Any] = ()
    strong: Sequence[Any] = ()
    faults: Sequence[Any] = ()
    rollback: Sequence[Any] = ()
    constraint: Function | None = None


def completed(model: Given) -> dict[str, Any]:
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
