"""What a property is.

    always     an invariant: true in every state, for all values of its parameters
    step       an action property: true of every step, for all values of its parameters
    sometimes  a reachability property: true in some state, or of some step, for some values: the model is not vacuous

Five kinds are about progress. They need the graph of states and steps, which is kept only when they are asked for:

    recoverable  from every state in which the premise is true, steps without faults can lead to a state in which the goal is true
    eventually   every fair behaviour reaches a state in which the goal is true
    leads_to     every fair behaviour that reaches a state in which the premise is true reaches, then or later, the goal
    always_eventually   in every fair behaviour the goal is true again and again, or at its end
    eventually_always   every fair behaviour comes to where the goal is true from then on

`implies` asks one of the last four only of behaviours that keep other claims.

A property is an ordinary function in the language of models, of a state `s` and its parameters. An action property also takes
the state after the step, as `t`. The names of the other parameters say over what they range, as for actions:

    def hw_within_log(s, partition, broker):
        '''No high watermark lies beyond the end of its log.'''
        me = s.replica[partition][broker]
        return me.hw <= me.leo

Its docstring says the claim in one sentence, why a user of Kafka would care, and since which revision it is expected to hold.
"""

import inspect
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..model.language.actions import Model
from ..model.language.errors import UsageError
from ..model.language.lines import ranges_over
from ..traces.replay import ALWAYS as ALWAYS
from ..traces.replay import ALWAYS_EVENTUALLY as ALWAYS_EVENTUALLY
from ..traces.replay import EVENTUALLY_ALWAYS as EVENTUALLY_ALWAYS
from ..traces.replay import RECOVERABLE as RECOVERABLE
from ..traces.replay import SOMETIMES as SOMETIMES
from .applicability import applicability_of

Function = Callable[..., int]

STEP, EVENTUALLY, LEADS_TO = "step", "eventually", "leads_to"

OF_BEHAVIOURS = (EVENTUALLY, LEADS_TO, ALWAYS_EVENTUALLY, EVENTUALLY_ALWAYS)
"""What is said of fair behaviours, which may be violated by a cycle."""

GIVEN = (ALWAYS, *OF_BEHAVIOURS)
"""What can imply it: each is true or false of one behaviour."""

NAME = re.compile("[A-Za-z_][A-Za-z0-9_]{0,59}")

FIRST = ""
"""In place of a revision: the first of the model."""


@dataclass(frozen=True)
class Property:
    """A claim that an engine can check.

    `since`: the first revision in which it is expected to hold at the default sizes; FIRST: in all; None: in no revision.
    (A later revision names what it is expected to violate nevertheless: `Revision.violates`.)
    `needs` says whether it applies to a configuration; `where` says in words what it needs.
    `dimensions`: for each parameter the setting that says how many values it has; `quantified` finds them. `ranking`: why its
    goal is reached (`ranked`). `given`: claims that imply it; it is asked only of behaviours that keep them (`implies`).
    `on_request`: it is checked only when it is named, as those of progress are.
    """

    name: str
    kind: str
    function: Function
    since: str | None
    needs: Callable[[Any], bool]
    where: str
    dimensions: tuple[str, ...] = ()
    premise: Function | None = None
    ranking: Any = None
    on_request: bool = False
    given: "tuple[Property, ...]" = ()

    @property
    def of_progress(self) -> bool:
        """Whether it is about what can still, or must, happen: then `function` is the goal."""
        return self.kind in (RECOVERABLE, *OF_BEHAVIOURS)

    @property
    def functions(self) -> tuple[Function, ...]:
        """Every function of a state that it evaluates."""
        return (self.function,) if self.premise is None else (self.function, self.premise)

    @property
    def parts(self) -> "tuple[Property, ...]":
        """Itself, and what implies it."""
        return (self, *self.given)

    def instances(self, part: "Property", binding: tuple[int, ...], config: Any) -> list[tuple[int, ...]]:
        """The values with which one of its parts is asked when itself is asked with `binding`."""
        return [binding] if part.parameters == self.parameters else list(part.bindings(config))

    @property
    def by_default(self) -> bool:
        """Whether it is checked when no property is named: not if no revision is expected to keep it."""
        return self.since is not None

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(inspect.signature(self.function).parameters)

    @property
    def over_steps(self) -> bool:
        """It is a function of two states."""
        return self._names[1:2] == ("t",)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of its parameters after the states."""
        return self._names[2 if self.over_steps else 1 :]

    @property
    def claim(self) -> str:
        """The first sentence of the docstring."""
        said = " ".join((self.function.__doc__ or "").split("\n\n")[0].split())
        return f"{said} (Given {' and '.join(claim.formula for claim in self.given)}.)" if self.given else said

    @property
    def formula(self) -> str:
        """How it is written."""
        functions = reversed(self.functions) if self.kind == LEADS_TO else self.functions
        return f"{self.kind}({', '.join(function.__name__ for function in functions)})"

    def applies(self, config: Any) -> bool:
        """Whether the property applies to this configuration: what it needs is there, and there is something to speak of."""
        return bool(self.needs(config)) and not self.empty(config)

    def empty(self, config: Any) -> str:
        """A size that is 0, so that a parameter has no value and the claim would be true of nothing; else empty."""
        return next((d for d in self.dimensions if getattr(config, d) <= 0), "")

    def lacks(self, config: Any) -> str:
        """What it needs and does not find, in words."""
        size = self.empty(config) if self.needs(config) else ""
        return f"{size} > 0" if size else self.where or "a configuration that its own condition (`needs`) allows"

    def bindings(self, config: Any) -> Iterator[tuple[int, ...]]:
        """Every tuple of values of the parameters, in the order in which the engines try them."""
        if len(self.dimensions) != len(self.parameters):
            raise UsageError(f"the property {self.name} has parameters ({', '.join(self.parameters)}) that no model has named")
        return itertools.product(*(range(getattr(config, d)) for d in self.dimensions))

    def holds(self, *states: Any) -> bool:
        """Whether it holds in a plain state, or of the step between two: `sometimes` holds where it is witnessed."""
        return (self.deciding(*states) is None) == (self.kind != SOMETIMES)

    def deciding(self, *states: Any) -> tuple[int, ...] | None:
        """The first values of the parameters that violate it, or witness it if it is `sometimes`; None when none do."""
        wanted = self.kind == SOMETIMES
        for binding in self.bindings(states[-1].config):
            if bool(self.function(*states, *binding)) == wanted:
                return binding
        return None

    def expected_to_hold(self, revision: str, model: Model) -> bool:
        """Whether it is expected to hold, or to be witnessed, in this revision of the model at the default sizes."""
        if self.since is None or self.name in model.revisions[revision].violates:
            return False
        order = list(model.revisions)
        return order.index(revision) >= order.index(self.since)


def always(
    function: Function, since: str | None = FIRST, needs: Any = None, where: str = "", name: str = "",
) -> Property:  # fmt: skip
    """A property of every state. `needs`: settings, such as `crashes > 0, acks = all`, or a test that `where` has in words.

    `name`: what it is called, if not as its function; a function may be that of several claims. It is so for all kinds.
    All conditions of a text must be true, or one of those that `or` joins: `crashes > 0 or lost_brokers > 0`.
    """
    return _claim(ALWAYS, function, since, needs, where, name=name)


def step(
    function: Function, since: str | None = FIRST, needs: Any = None, where: str = "", name: str = "",
) -> Property:  # fmt: skip
    """A property of every step."""
    return _claim(STEP, function, since, needs, where, name=name)


def sometimes(
    function: Function, since: str | None = FIRST, needs: Any = None, where: str = "", name: str = "",
) -> Property:
    """A state, or a step, that must be reachable."""
    return _claim(SOMETIMES, function, since, needs, where, name=name)


def recoverable(
    function: Function, since: str | None = FIRST, premise: Function | None = None, needs: Any = None, where: str = "",
    name: str = "",
) -> Property:  # fmt: skip
    """A goal that can be reached without faults from every state, or from every one in which the premise is true."""
    return _claim(RECOVERABLE, function, since, needs, where, premise, name)


def eventually(
    function: Function, since: str | None = FIRST, needs: Any = None, where: str = "", name: str = "",
) -> Property:
    """A goal that every fair behaviour reaches."""
    return _claim(EVENTUALLY, function, since, needs, where, name=name)


def leads_to(
    premise: Function, function: Function, since: str | None = FIRST, needs: Any = None, where: str = "",
    name: str = "",
) -> Property:
    """A goal that every fair behaviour reaches from each state in which the premise is true. Its name is the goal's."""
    return _claim(LEADS_TO, function, since, needs, where, premise, name)


def always_eventually(
    function: Function, since: str | None = FIRST, needs: Any = None, where: str = "", name: str = "",
) -> Property:  # fmt: skip
    """A goal that is true again and again in every fair behaviour, or at its end: `[]<>` of TLA+."""
    return _claim(ALWAYS_EVENTUALLY, function, since, needs, where, name=name)


def eventually_always(
    function: Function, since: str | None = FIRST, needs: Any = None, where: str = "", name: str = "",
) -> Property:  # fmt: skip
    """A goal that is true from some time on in every fair behaviour: `<>[]` of TLA+."""
    return _claim(EVENTUALLY_ALWAYS, function, since, needs, where, name=name)


def implies(given: Property | Sequence[Property], claim: Property, name: str = "") -> Property:
    """The claim, asked only of fair behaviours that keep what is given: `[]<>A => []<>B`, or several on the left.

    The claim is `eventually`, `leads_to`, `always_eventually` or `eventually_always`; what is given is one of these or `always`,
    of the same parameters, then with the same values, or of others, then for all values. Without a name it has the claim's.
    """
    some = tuple(given) if isinstance(given, (list, tuple)) else (given,)
    if not some or not all(isinstance(element, Property) for element in (*some, claim)):
        raise UsageError("implies(given, claim) joins properties, such as implies(always_eventually(p), always_eventually(q))")
    if claim.kind not in OF_BEHAVIOURS:
        raise UsageError(f"{claim.name} is of kind {claim.kind}: what is implied is of kind {', '.join(OF_BEHAVIOURS)}")
    for item in some:
        if item.kind not in GIVEN or item.given:
            what = "an implication itself" if item.given else f"of kind {item.kind}"
            raise UsageError(f"{item.name} is {what}: what implies {claim.name} is of kind {', '.join(GIVEN)}")
        if item.parameters != claim.parameters and set(item.parameters) & set(claim.parameters):
            raise UsageError(f"{item.name}, which implies {claim.name}, must have the same parameters, in order, or others")
    validate_name(name)
    where = ", ".join(element.where for element in (claim, *some) if element.where)

    def needs(config: Any) -> bool:
        return all(element.needs(config) for element in (claim, *some))

    return replace(claim, name=name or claim.name, given=(*some, *claim.given), where=where, needs=needs)


def validate_name(name: str) -> None:
    """UsageError when it is no name of a property."""
    if name and not NAME.fullmatch(name):
        raise UsageError(f"a property is called {name!r:.70}: a name has up to 60 letters of ASCII, digits and '_'")


def _claim(
    kind: str, function: Function, since: str | None, needs: Any, where: str, premise: Function | None = None,
    name: str = "",
) -> Property:  # fmt: skip
    if not callable(function):
        raise UsageError(f"a property is a function of a state, not {function!r:.40}")
    validate_name(name)
    if isinstance(needs, str):
        needs, where = applicability_of(needs, f"the property {function.__name__}"), needs
    if premise is not None and list(inspect.signature(premise).parameters) != list(inspect.signature(function).parameters):
        raise UsageError(f"{premise.__name__}, the premise of {function.__name__}, must have the same parameters, in order")
    claim = Property(name or function.__name__, kind, function, since, needs or _everywhere, where, premise=premise)
    if kind != SOMETIMES and claim.over_steps != (kind == STEP):
        states = "two states, s and t, that a step joins" if kind == STEP else "one state, s"
        raise UsageError(f"{claim.name} is of kind {kind}, so it must be a function of {states}")
    return claim


def quantified(properties: Iterable[Property], domains: Mapping[str, str]) -> tuple[Property, ...]:
    """The properties with the dimensions of their parameters, which `domains` (`Model.domains`) gives by name.

    UsageError names a parameter over which the model does not range.
    """
    return tuple(
        replace(
            p, dimensions=tuple(_dimension(p, name, domains) for name in p.parameters), given=quantified(p.given, domains)
        )
        for p in properties
    )  # fmt: skip


def _dimension(claim: Property, name: str, domains: Mapping[str, str]) -> str:
    if name not in domains:
        raise UsageError(f"the property {claim.name} has a parameter {name!r:.40}, and {ranges_over(domains, name)}")
    return domains[name]


def _everywhere(config: Any) -> bool:
    return True
