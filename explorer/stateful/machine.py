"""The state machine that Hypothesis plays: one rule per action of Next, over the compiled model.

A rule takes the first enabled instance of its action from a small label on, if there is one, and then
strolls: a step or two at random, drawn with a weight that grows with each rule of an action. Then it scouts: it
strolls far many times and comes back, unless a property falls on the way. So what a rule costs Hypothesis
is spread over hundreds or thousands of compiled steps, and Hypothesis, which switches rules off for whole runs (swarm
testing), shifts them too. `begin` lets some actions rest altogether. Rules have no preconditions: Hypothesis discards
a run in which all rules that are enabled are switched off, and with actions that wait for each
other that would be most runs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis import target
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ..local.random_walk import spread
from .stepper import Stepper

LABELS = 64
"""Labels of instances: the first one that is enabled from there on is taken."""

LONGEST_STROLL = 2

TOURS, AT_ONCE, LONGEST_TOUR = 256, 16, 100
"""How often a rule scouts, how often before it looks what that cost, and how far."""

MOST_SCOUTED = 2000
"""Steps after which a rule scouts no more: in large clusters tours are long."""

MOST_RESTING = 8
"""Actions that a run may do without."""

FAVOUR = 2
"""By how much a rule raises its action's weight in strolls; it is 1 at first."""


class Fallen(AssertionError):
    """A property that must hold was broken by the last step."""

    def __init__(self, name: str, steps: int, claim: str) -> None:
        super().__init__(f"{name} falls after {steps} steps: {claim}")
        self.name, self.steps = name, steps


class TimeIsUp(KeyboardInterrupt):
    """The budget of time is spent. Hypothesis ends at once for an interrupt only."""


class Player(RuleBasedStateMachine):
    """A run from an initial state; subclasses have the rules, `machine_for` makes them."""

    stepper: Stepper
    configurations: Sequence[Any]
    guided: bool
    totals: dict[str, int]
    salt: int
    until: float

    def __init__(self) -> None:
        super().__init__()
        self.stepper.begin(self.configurations[0])
        self.totals["runs"] += 1
        self.highest: dict[str, int] = {}
        self.resting: frozenset[int] = frozenset()

    @initialize(
        configuration=st.integers(0, 1 << 16),
        initial=st.integers(0, 15),
        resting=st.sets(st.integers(0, 63), max_size=MOST_RESTING),
    )
    def begin(self, configuration: int, initial: int, resting: set[int]) -> None:
        """Choose the configuration, the initial state, and actions that this run does without."""
        stepper = self.stepper
        stepper.begin(self.configurations[configuration % len(self.configurations)], initial)
        stepper.weights[:] = 1
        self.resting = frozenset(index % len(stepper.weights) for index in resting)
        for index in self.resting:
            stepper.weights[index] = 0

    def step(self, action: int, label: int, stroll: int) -> None:
        """Take the action, and stroll on."""
        stepper = self.stepper
        before = stepper.length
        if action not in self.resting:
            stepper.take(action, label)
            stepper.weights[action] += FAVOUR
        if stroll and not stepper.found.any():
            stepper.stroll(spread(self.salt << 40 | stepper.length << 24 | label << 12 | action << 6 | stroll), stroll)
        if not stepper.found.any():
            self.scout(label << 6 | action | stroll << 12)
        self.totals["steps"] += stepper.length - before
        if self.guided and not stepper.found.any():
            self.highest = stepper.measured()

    def scout(self, drawn: int) -> None:
        """Scout from here until a property falls, or the rule's share of tours or steps is used."""
        stepper = self.stepper
        here, before = stepper.length, int(stepper.taken[0])
        for part in range(TOURS // AT_ONCE):
            stepper.scout(spread(part << 56 | self.salt << 40 | here << 24 | drawn), AT_ONCE, LONGEST_TOUR)
            if stepper.found.any() or int(stepper.taken[0]) - before >= MOST_SCOUTED:
                break
        self.totals["steps"] += int(stepper.taken[0]) - before - (stepper.length - here)

    @invariant()
    def properties_hold(self) -> None:
        """Every property that must hold does, in this state and of the step to it."""
        if self.stepper.found.any():
            one = self.stepper.broken()[0]
            raise Fallen(one.name, self.stepper.length, one.claim)

    def teardown(self) -> None:
        """Tell Hypothesis how near to trouble the run came; end everything when the time is over."""
        if time.monotonic() > self.until and not self.stepper.found.any():
            raise TimeIsUp
        if self.guided and not self.stepper.found.any():
            for name, value in self.highest.items():
                target(float(value), label=name)


def machine_for(
    stepper: Stepper, configurations: Sequence[Any], guided: bool, totals: dict[str, int], salt: int = 0,
    until: float = float("inf"),
) -> type[Player]:  # fmt: skip
    """The machine of a model: a rule for each action that some of the configurations have, and one for doing nothing.

    `guided`: tell Hypothesis the measures; `totals` counts runs and steps; `salt`: walks of another salt are others,
    also in the simplest run, with which Hypothesis begins whatever its seed. `until`: the run at this time is the last.
    """
    names: dict[str, Any] = {
        "stepper": stepper,
        "configurations": list(configurations),
        "guided": guided,
        "totals": totals,
        "salt": salt,
        "until": until,
        "__doc__": f"The rules of the model {stepper.model.name}.",
    }
    existing = [
        index
        for index in range(len(stepper.model.actions))
        if any(stepper.exists(index, configuration) for configuration in configurations)
    ]
    for index in existing:
        names[stepper.model.actions[index].name] = _rule_of(stepper, index)
    names["stutter"] = _stutter(stepper, existing)
    return type(f"{stepper.model.name.capitalize()}Machine", (Player,), names)


def _rule_of(stepper: Stepper, index: int) -> Any:
    """The rule of one action."""
    action = stepper.model.actions[index]

    def play(self: Player, label: int, stroll: int) -> None:
        self.step(index, label, stroll)

    play.__name__ = action.name
    play.__doc__ = action.summary()
    return rule(label=st.integers(0, LABELS - 1), stroll=st.integers(0, LONGEST_STROLL))(play)


def _stutter(stepper: Stepper, existing: Sequence[int]) -> Any:
    """The rule for a state in which nothing else is enabled."""

    def stutter(self: Player) -> None:
        """Nothing happens."""

    return precondition(lambda self: not any(self.stepper.is_enabled(index) for index in existing))(rule()(stutter))


