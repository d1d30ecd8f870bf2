"""Actions, rules and models.

An action is a function of the state and of small integers. It looks at its guards, returns False before
the first write when one fails, and else writes in place and returns True:

    def leader_write(s, leader):
        '''The leader appends a record. ... Modifies: replica[leader].log.'''
        if s.replica[leader].leader != leader:
            return False  # only who believes that it leads takes a write

        ...
        return True

A parameter's name says over what it ranges (`leader` over the members): the model's table of parameters
gives each name its dimension, a setting.
"""

import inspect
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .costs import Declared, Failover
from .errors import UsageError
from .kinds import State
from .notation import Notation
from .releases import Span, Unmodelled
from .repairs import Repair
from .settings import NoSettings, Settings, length_named
from .sizes import validate_sizes

Function = Callable[..., Any]

WEAK, STRONG, FAULT = "weak", "strong", "fault"
"""What is declared of an action beside it. A running system does not put a step off for ever that is always enabled from some
time on (WEAK), or that is enabled again and again (STRONG); FAULT: the world does it to the system, which does not need it.
Of other steps nothing is assumed: clients and operators may stop at any time."""


@dataclass(frozen=True)
class Group:
    """Actions that are fair together, with all their arguments: if one of them can be taken all the time, one of them is.

    `each`: parameters whose values are told apart all the same.
    """

    functions: tuple[Any, ...]
    each: tuple[str, ...] = ()

    @property
    def __name__(self) -> str:
        each = [f"each={self.each}"] if self.each else []
        return "any_of({})".format(", ".join([*(getattr(f, "__name__", str(f)) for f in self.functions), *each]))


def any_of(*functions: Any, each: Sequence[str] = ()) -> Group:
    """`weak=[any_of(a, b)]`: TLA's WF of a or b, for some arguments. `weak=[a, b]`: that of each, with each of its arguments.

    `weak=[any_of(a, each=["n"])]`: for each n that of a, for some other arguments.
    """
    names = (each,) if isinstance(each, str) else tuple(each)
    for function in functions:
        if missing := [name for name in names if name not in parameters_of(function)]:
            raise UsageError(f"any_of of {function.__name__} for each {missing[0]!r:.40}, which is none of its parameters")
    return Group(functions, names)


class Rule:
    """One procedure with several versions, of which the setting `setting` chooses one.

    Called like a function, `rule(s, ...)`. In the text that is compiled it becomes a chain of ifs. `None`
    among the versions is an action that this version of the protocol does not have: never enabled.
    `shapes`: what its arguments are, the state among them, where some of them are parts of the state (`plugin_actions`).
    """

    def __init__(self, name: str, setting: str, versions: Sequence[Function | None], shapes: tuple[Any, ...] = ()) -> None:
        self.__name__, self.setting, self.shapes = name, setting, shapes
        self.versions = [never if version is None else version for version in versions]

    def __call__(self, s: Any, *arguments: Any) -> Any:
        return self.of(s.config)(s, *arguments)

    def of(self, config: Settings) -> Function:
        """The version that `config` chooses."""
        number = getattr(config, self.setting)
        found = self.versions[number] if number < len(self.versions) else self.under(config)[number]
        return found.of(config) if isinstance(found, Rule) else found

    def under(self, settings: Settings | type[Settings]) -> list[Function]:
        """All versions where these are the settings: those of its own, and those that further values of its setting bring."""
        rows = getattr(settings.settings.get(self.setting), "rows", ())
        return [*self.versions, *(row.get(self.__name__, never) for row in rows)]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters after the state."""
        return parameters_of(self.existing[0])

    @property
    def existing(self) -> list[Function]:
        """Each version that is an action, once."""
        each = [f for version in self.versions for f in (version.existing if isinstance(version, Rule) else [version])]
        return list(dict.fromkeys(function for function in each if function is not never))


def never(s: Any, *arguments: Any) -> bool:
    """The action that does not exist under this revision."""
    return False


def parameters_of(function: Function | Rule) -> tuple[str, ...]:
    """The names of the parameters after the state."""
    if isinstance(function, Rule):
        return function.parameters
    return tuple(inspect.signature(function).parameters)[1:]


@dataclass(frozen=True)
class Action:
    """One line of Next: a function or a rule, and the dimension of each parameter; `fairness`: WEAK, STRONG, FAULT or empty.

    `rolls_back`: it may refuse after it has written, which is undone. `fair_with`: the name of those that are fair together;
    `fair_each`: the parameters whose values are told apart all the same.
    """

    name: str
    function: Function | Rule
    parameters: tuple[str, ...]
    dimensions: tuple[str, ...]
    fairness: str = ""
    cost: Declared | None = None
    rolls_back: bool = False
    fair_with: str = ""
    fair_each: tuple[str, ...] = ()

    def unit(self, arguments: Sequence[int]) -> tuple[str, tuple[int, ...]]:
        """What is fair on its own: the action with its arguments, or all that are fair together with it."""
        given = dict(zip(self.parameters, arguments, strict=True))
        if not self.fair_with:
            return self.name, tuple(arguments)
        return self.fair_with, tuple(given[name] for name in self.fair_each)

    def version(self, config: Settings) -> Function:
        """The function that runs under `config`."""
        return self.function.of(config) if isinstance(self.function, Rule) else self.function

    @property
    def versions(self) -> list[Function]:
        """The function, or all that a rule chooses from."""
        return self.function.existing if isinstance(self.function, Rule) else [self.function]

    def exists(self, config: Settings) -> bool:
        """False when the revision that `config` describes has no such action."""
        return self.version(config) is not never

    def instances(self, config: Settings) -> Iterator[tuple[int, ...]]:
        """Every tuple of arguments, in the order in which the engines try them."""
        return itertools.product(*(range(getattr(config, d)) for d in self.dimensions))

    def label(self, arguments: Sequence[int]) -> str:
        """`fetch follower=1 leader=0`."""
        return " ".join([self.name, *(f"{p}={a}" for p, a in zip(self.parameters, arguments, strict=True))])

    def section(self, heading: str, config: Settings | None = None) -> str:
        """The text after `Modifies:`, `Design:` or `Kafka:` in the docstring, on one line."""
        function = self.version(config) if config else self.versions[0]
        found = re.search(rf"{heading}:\s*(.*?)(?:\s{{2,}}[A-Z]\w+:|\n\s*\n|\n\s*[A-Z]\w+:|\Z)", function.__doc__ or "", re.S)
        return " ".join(found.group(1).split()).rstrip(".") if found else ""

    def summary(self) -> str:
        """The first sentence of the docstring."""
        return " ".join((self.versions[0].__doc__ or "").split("\n\n")[0].split())


def actions(
    domains: Mapping[str, Any],
    functions: Sequence[Function | Rule],
    weak: Sequence[Any] = (),
    strong: Sequence[Any] = (),
    faults: Sequence[Any] = (),
    costs: Mapping[Any, Declared] | None = None,
    rollback: Sequence[Any] = (),
) -> tuple[Action, ...]:
    """Next, from one line per action; `domains` maps a parameter's name to its dimension; for the rest see WEAK and `costs`.

    `rollback`: the actions that may refuse after they have written.
    """
    groups = {id(version): group for group in (*weak, *strong) if isinstance(group, Group) for version in group.functions}
    weak, strong = ungrouped(weak), ungrouped(strong)
    validate_fairness(functions, {"weak": weak, "strong": strong, "faults": faults})
    validate_fairness(functions, {"rollback": rollback})
    declared = {id(f): word for word, some in ((WEAK, weak), (STRONG, strong), (FAULT, faults)) for f in some}
    lines = []
    from .around import rolling_back  # only here: it makes actions

    for function in functions:
        names = parameters_of(function)
        validate_parameters(function.__name__, names, domains)
        dimensions = tuple(length_named(domains[n]) for n in names)
        fairness, cost, group = declared.get(id(function), ""), (costs or {}).get(function), groups.get(id(function))
        rolls_back = any(function is version for version in rollback)
        if rolls_back and isinstance(function, Rule):
            raise UsageError(f"rollback names {function.__name__}, a rule; only a function can refuse after it has written")
        function = rolling_back(function) if rolls_back else function
        fair = (group.__name__, group.each) if group else ("", ())
        lines.append(Action(function.__name__, function, names, dimensions, fairness, cost, rolls_back, *fair))
    return tuple(lines)


def ungrouped(some: Sequence[Any]) -> list[Any]:
    """The actions, those of groups one by one."""
    return [function for given in some for function in (given.functions if isinstance(given, Group) else [given])]


def validate_fairness(functions: Sequence[Any], fairness: Mapping[str, Sequence[Any]]) -> None:
    """UsageError when something is demanded of what is none of the actions, such as a rule's version, or two things of one."""
    seen: dict[int, str] = {}
    for word, some in fairness.items():
        for version in some:
            name = getattr(version, "__name__", str(version))
            if not any(version is function for function in functions):
                raise UsageError(f"{word} names {name!r:.60}, which is not among the actions that are added; add it to them")
            if id(version) in seen:
                raise UsageError(f"the action {name} is in {seen[id(version)]} and in {word}; leave it in one of them")
            seen[id(version)] = word


def validate_parameters(action: str, names: Sequence[str], domains: Mapping[str, str]) -> None:
    """UsageError when a parameter of an action has a name that ranges over nothing, or is the name of a state."""
    for name in names:
        if name in ("s", "t"):
            raise UsageError(f"the action {action} has a parameter {name!r}, the name of a state; give it another name")
        if name not in domains:
            raise UsageError(f"the action {action} has a parameter {name!r:.40}, and {ranges_over(domains, name)}")


def ranges_over(domains: Mapping[str, str], name: str) -> str:
    """Over what a model ranges, which is not this; and how it would."""
    known = ", ".join(domains) or "nothing"
    return f"the model ranges over {known}; domains={{..., {name!r:.40}: SETTING}} says how many values it has"


@dataclass(frozen=True)
class Revision:
    """A version of the protocol: a row of settings with a sentence on what it changed.

    `violates`: properties that it is expected to violate, though an earlier revision is expected to keep them. `like`: another
    revision, whose settings it has where it names none of its own; once it is part of a model, `settings` has them all.
    `releases`: those that it describes; a design that was never released has none.
    """

    name: str
    sentence: str
    settings: Mapping[str, Any]
    violates: tuple[str, ...] = ()
    like: str = ""
    releases: tuple[Span, ...] = ()


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
        from .completed import completed  # only here: it makes actions

        for name, value in completed(self).items():
            object.__setattr__(self, name, value)
        if self.constraint is not None:
            from .around import within

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
        from .reading.step_checks import plugin_actions  # only here: it reads the actions

        return plugin_actions(self.actions, self.config) if self.plugins else frozenset()

    @cached_property
    def texts(self) -> Mapping[str, Function]:
        """What is compiled of each action, in Python."""
        from .reading.step_checks import texts_of

        return texts_of(self)

    def unreachable(self, config: Any) -> set[str]:
        """The names of the actions that cannot happen under a configuration, according to `possible`."""
        return {name for name, test in self.possible.items() if not test(config)}

    def step_of(self, action: Action, config: Any) -> Function:
        """The function that takes an action in the plain model; ModelError when a plugin's does what searches refuse."""
        from .reading.step_checks import checked_step

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
