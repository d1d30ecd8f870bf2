"""A model as a whole: its state, its actions (`steps`), and what is said of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .around import within
from .completed import all_zero, completed
from .costs import Failover
from .kinds import State
from .notation import Notation
from .reading.step_checks import checked_step, plugin_actions, texts_of
from .releases import Revision, Unmodelled
from .repairs import Repair
from .settings import NoSettings, Settings
from .sizes import validate_sizes
from .steps import Action, Function


def untold(config: Settings) -> str:
    """The asymmetry of a model that does not speak of it: engines then tell all members apart."""
    return "nothing says that the model prefers no member by its number (Model.asymmetry)"


def no_asymmetry(config: Settings) -> str:
    """The asymmetry of a model that never prefers a member by its number."""
    return ""


@dataclass(frozen=True, eq=False)
class Model:
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

    def __post_init__(self) -> None:
        for name, value in completed(self).items():
            object.__setattr__(self, name, value)
        if self.constraint is not None:
            for name, value in within(self).items():
                object.__setattr__(self, name, value)

    def configure(self, revision: str, /, **settings: Any) -> Any:
        """The configuration of `revision` with these settings; UsageError when they do not fit, or when there is no room."""
        config = self.config(**{**self.revisions[revision].settings, **settings})
        validate_sizes(self.state, config)
        return config

    def defaults(self, revision: str) -> Any:
        """The configuration of `revision` where nothing else is set, to compare another with: there may be no room for it."""
        return self.config(**self.revisions[revision].settings)

    def action(self, name: str) -> Action:
        """The action called `name`; KeyError when there is none."""
        return {a.name: a for a in self.actions}[name]

    @cached_property
    def plugin_actions(self) -> frozenset[str]:
        """The actions of a model with plugins that their code takes part in."""
        return plugin_actions(self.actions, self.config) if self.plugins else frozenset()

    @cached_property
    def texts(self) -> Mapping[str, Function]:
        """What is compiled of each action, in Python."""
        return texts_of(self)

    def unreachable(self, config: Any) -> set[str]:
        """The names of the actions that cannot happen under a configuration, according to `possible`."""
        return {name for name, test in self.possible.items() if not test(config)}

    def step_of(self, action: Action, config: Any) -> Function:
        """The function that takes an action in the plain model; ModelError when a plugin's does what searches refuse."""
        step = action.version(config)
        return checked_step(action, step, self.texts[action.name]) if action.name in self.plugin_actions else step

    def steps(self, config: Any) -> list[tuple[Action, Function, list[tuple[int, ...]]]]:
        """What `enabled` tries under a configuration: each action, its function, and its arguments."""
        existing = [action for action in self.actions if action.exists(config)]
        return [(action, self.step_of(action, config), list(action.instances(config))) for action in existing]

    def enabled(self, state: Any, steps: Any = None) -> Iterator[tuple[Action, tuple[int, ...], Any]]:
        """Every step out of a plain state: (action, arguments, successor). The plain engines' Next.

        Who asks for many states gives the `steps` of their configuration.
        """
        successor = state.copy()
        for action, step, instances in self.steps(state.config) if steps is None else steps:
            for arguments in instances:
                if step(successor, *arguments):
                    yield action, arguments, successor
                    successor = state.copy()
