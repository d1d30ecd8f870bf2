"""The state machine that Hypothesis runs: one rule for each action of Next, over the compiled model.

A rule takes a step of its action, if one is enabled, and a step or two at random. Then it walks ahead, far and many times,
and comes back each time, unless a property is violated on the way. So the cost of a rule in Hypothesis is spread over
thousands of compiled steps. Hypothesis leaves rules out for whole runs (swarm testing), and `begin` leaves actions out of
all walks of a run. Rules have no preconditions. Otherwise Hypothesis would discard the runs in which none of the remaining
rules is enabled; with actions that wait for each other, these are most runs.
"""

import time
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from ...model.language.steps import Action
from ...traces.words import plural
from ..compiling.compiled_for import compile_for
from ..compiling.walker import Walker, spread
from ..request import Request

LABELS = 64
"""How many ways a rule has to choose among the enabled steps of its action."""

MAX_EXTRA_STEPS = 2

TOURS, LONGEST_TOUR, MAX_STEPS_AHEAD = 256, 100, 2000
"""How often a rule walks ahead, how far, and the limit of steps: in large clusters tours are long."""

MAX_LEFT_OUT = 8
"""Actions that a run may do without."""

MAX_STEPS = 20_000
"""Steps that one run can have."""


class Walkers:
    """A walker for each request, made when it is first asked for; the first request has the largest configuration."""

    def __init__(self, requests: Sequence[Request]) -> None:
        self.requests = requests
        self.made: dict[int, Walker] = {}

    def of(self, number: int) -> Walker:
        """The walker of the request of this number, modulo how many there are."""
        number %= len(self.requests)
        if number not in self.made:
            request = self.requests[number]
            self.made[number] = Walker(compile_for(request, request.applicable), request.applicable, MAX_STEPS)
        return self.made[number]


class Violated(AssertionError):
    """The last step violates a property that must hold; `walker` has the steps."""

    def __init__(self, walker: Walker) -> None:
        self.walker, self.property = walker, walker.violated[0]
        super().__init__(f"{self.property.name} is violated after {plural(walker.length, 'step')}: {self.property.claim}")


class FuzzMachine(RuleBasedStateMachine):
    """A run from an initial state; subclasses have the rules, `machine_for` makes them.

    `walkers` has one for each configuration. `salt`: walks of another salt are others, also in the simplest run, with which
    Hypothesis begins whatever its seed. `until`: after this time rules do nothing any more.
    """

    walkers: ClassVar[Walkers]
    totals: ClassVar[dict[str, int]]
    salt: ClassVar[int]
    until: ClassVar[float]

    def __init__(self) -> None:
        super().__init__()
        self.totals["runs"] += 1

    def begin(self, configuration: int, start: int, left_out: set[int]) -> None:
        """Choose the configuration, the initial state, and actions that this run does without."""
        self.walker = self.walkers.of(configuration)
        self.walker.begin(start)
        self.base = self.walker.base.copy()
        self.base[list(left_out)] = -1

    def step(self, action: int, label: int, extra: int) -> None:
        """Take the action and some extra steps, and walk ahead from there."""
        if time.monotonic() > self.until:
            return
        only = np.full_like(self.base, -1)
        only[action] = self.base[action]
        drawn = label << 12 | extra << 10 | action
        self.walk(1, drawn, only)
        self.walk(extra, drawn, self.base)
        here, left = self.walker.mark(), MAX_STEPS_AHEAD
        for tour in range(1, TOURS + 1):
            left -= self.walk(LONGEST_TOUR, tour << 18 | drawn, self.base)
            if left <= 0:
                break
            self.walker.back(here)
        self.walker.back(here)

    def walk(self, steps: int, drawn: int, base: Any) -> int:
        """Walk at random; how many steps."""
        took = self.walker.walk(steps, spread(self.salt << 43 | self.walker.length << 27 | drawn), base)
        self.totals["steps"] += took
        if self.walker.violated:
            raise Violated(self.walker)
        return took


def machine_for(walkers: Walkers, totals: dict[str, int], salt: int, until: float) -> type[FuzzMachine]:
    """The machine of a model: a rule for each action that the first configuration has. `totals` counts runs and steps."""
    first = walkers.of(0)
    rules = {a.name: _rule_of(a, index) for index, a in enumerate(first.compiled.model.actions) if first.base[index] >= 0}
    begin: Any = initialize(
        configuration=st.integers(0, 1 << 16),
        start=st.integers(0, 15),
        left_out=st.sets(st.integers(0, len(first.base) - 1), max_size=MAX_LEFT_OUT),
    )(FuzzMachine.begin)
    fields = {"walkers": walkers, "totals": totals, "salt": salt, "until": until, "begin": begin}
    return type(f"{first.compiled.model.name.capitalize()}Machine", (FuzzMachine,), {**fields, **rules})


def _rule_of(action: Action, index: int) -> Any:
    """The rule of one action."""

    def take_step(self: FuzzMachine, label: int, extra: int) -> None:
        self.step(index, label, extra)

    take_step.__name__, take_step.__doc__ = action.name, action.summary()
    return rule(label=st.integers(0, LABELS - 1), extra=st.integers(0, MAX_EXTRA_STEPS))(take_step)
