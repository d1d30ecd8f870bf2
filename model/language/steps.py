"""Actions, and rules.

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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .costs import Declared
from .errors import UsageError
from .settings import Settings

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
