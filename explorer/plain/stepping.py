"""Walking a model by hand: what is enabled, one step, back, another branch, and why something is not enabled.

This module uses no terminal and no files: the commands around it read lines, draw a screen, or answer a browser. The visited
states form a tree; one of them is the present one, and the path to it from the initial state is a trace.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import UsageError, hint, is_number
from ...model.language.kinds import cells
from ...model.language.reading.beginnings import MOST, in_turn, nth
from ...model.language.steps import Action
from ...properties.property import SOMETIMES, Property
from ...traces.notation import change_lines
from ...traces.replay import failing_guard, shows, start, take
from ...traces.trace import Step, Trace, state_digest, step_of, version_of
from ...traces.words import plural
from .breadth_first import breadth_first

MAX_REFUSALS = 12
"""How many refusals of one action are reported."""


@dataclass
class Node:
    """A state that was visited, and the step that led to it. `children`: the nodes that were visited from it."""

    state: Any
    parent: int | None = None
    step: Step | None = None
    children: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Choice:
    """A step that is enabled."""

    action: Action
    arguments: tuple[int, ...]
    after: Any

    @property
    def label(self) -> str:
        """`fetch follower=1 leader=0`."""
        return self.action.label(self.arguments)


@dataclass(frozen=True)
class Near:
    """What a search for the nearest state found: the steps to it, None when it saw none; `complete`: it saw everything."""

    steps: tuple[Choice, ...] | None
    states: int
    complete: bool


class Stepper:
    """A model under a configuration, walked by hand from an initial state or along a trace."""

    def __init__(self, trace: Trace, model: Model, claims: Iterable[Property] = ()) -> None:
        """`trace`: where to begin, perhaps without steps. UsageError or TraceMismatch when it does not run."""
        self.model, self.revision, self.initial = model, trace.revision, trace.initial
        self.settings, self.comment, self.property = trace.settings, trace.comment, trace.property
        self.plugins = trace.plugins
        self.config, state = start(trace, model)
        self.claims = list(claims)
        self.nodes, self.at = [Node(state)], 0
        for number, step in enumerate(trace.steps, 1):
            self._visit(take(model, self.config, self.state, replace(step, digest=""), number), step)

    def begin(self, number: int) -> None:
        """Begin anew in the initial state of this number, the first is 0; all paths walked so far are forgotten."""
        if not 0 <= number < min(self.beginnings, MOST):
            more = f"; a walk begins in one of the first {MOST:,}, or with a trace" if self.beginnings > MOST else ""
            raise UsageError(f"there is no initial state {number + 1}{more or f'; there are {self.beginnings}'}")
        self.initial, self.comment, self.nodes, self.at = number, (), [Node(nth(self.model, self.config, number))], 0

    @cached_property
    def beginnings(self) -> int:
        """How many initial states there are; one more than `MOST` where there are more."""
        return sum(1 for _ in islice(in_turn(self.model, self.config), MOST + 1))

    @property
    def number_of_beginnings(self) -> str:
        """How many initial states there are, in words."""
        return str(self.beginnings) if self.beginnings <= MOST else f"more than {MOST:,}"

    @property
    def place(self) -> str:
        """Where it stands, in words: `step 4`, or which initial state."""
        if self.steps:
            return f"step {len(self.steps)}"
        return "the initial state" if self.beginnings == 1 else f"initial state {self.initial + 1} of {self.number_of_beginnings}"

    # Where it stands.

    @property
    def state(self) -> Any:
        """The present state."""
        return self.nodes[self.at].state

    @property
    def path(self) -> list[int]:
        """The nodes from the initial state to the present one."""
        out, at = [], self.at
        while at is not None:
            out.append(at)
            at = self.nodes[at].parent  # type: ignore[assignment]
        return out[::-1]

    @property
    def steps(self) -> list[Step]:
        """The steps to the present state."""
        return [step for step in (self.nodes[at].step for at in self.path) if step is not None]

    def trace(self, name: str = "") -> Trace:
        """The path here as a trace, about a property or about none."""
        first = state_digest(self.nodes[0].state)
        return Trace(
            self.model.name, version_of(self.model), self.revision, self.settings, self.initial, tuple(self.steps), name, first,
            self.comment, plugins=self.plugins,
        )  # fmt: skip

    def changes(self) -> list[str]:
        """What the last step changed, or the whole state where there was none."""
        states = [self.nodes[at].state for at in self.path[-2:]]
        return list(list(change_lines(self.model, states))[-1])

    def facts(self) -> list[str]:
        """The whole state."""
        return list(next(iter(change_lines(self.model, [self.state]))))

    def violated(self) -> list[str]:
        """The properties that the present state, or the step to it, violates."""
        parent = self.nodes[self.at].parent
        before = None if parent is None else self.nodes[parent].state
        return [claim.name for claim in self.claims if claim.kind != SOMETIMES and shows(claim, before, self.state)]

    def enabled(self) -> list[Choice]:
        """Every step out of the present state, in the order of the model."""
        return [Choice(*step) for step in self.model.enabled(self.state)]

    # Moving.

    def choose(self, which: int | str) -> None:
        """Take an enabled step, by its number from 1 or by its label; UsageError when there is no such."""
        choices = self.enabled()
        labels = [choice.label for choice in choices]
        if isinstance(which, str):
            if which not in labels:
                raise UsageError(self.why_not(which)[0])
            which = labels.index(which) + 1
        if not 1 <= which <= len(choices):
            raise UsageError(f"there is no step {which}: {len(choices)} are enabled here")
        chosen = choices[which - 1]
        step = step_of(chosen.action, chosen.arguments, state_digest(chosen.after))
        for child in self.nodes[self.at].children:
            known = self.nodes[child].step
            if known is not None and known.label == step.label:
                self.at = child
                return
        self._visit(chosen.after, step)

    def undo(self) -> None:
        """Go back one step; what was visited stays a branch."""
        parent = self.nodes[self.at].parent
        if parent is None:
            raise UsageError("this is the initial state: there is nothing to undo")
        self.at = parent

    def jump(self, number: int) -> None:
        """Go back to after step `number` of the path here; 0 is the initial state."""
        path = self.path
        if not 0 <= number < len(path):
            raise UsageError(f"the path here has {plural(len(path) - 1, 'step')}: jump to one of 0 to {len(path) - 1}")
        self.at = path[number]

    def branches(self) -> list[tuple[int, list[Step]]]:
        """The ends of all paths that were walked: a node, and the steps to it."""
        here, out = self.at, []
        for number, node in enumerate(self.nodes):
            if not node.children:
                self.at = number
                out.append((number, self.steps))
        self.at = here
        return out

    def go(self, number: int) -> None:
        """Go to a node, such as the end of a branch."""
        if not 0 <= number < len(self.nodes):
            raise UsageError(f"there is no node {number}: the last is {len(self.nodes) - 1}")
        self.at = number

    def _visit(self, state: Any, step: Step) -> None:
        node = len(self.nodes)
        self.nodes.append(Node(state, self.at, replace(step, digest=state_digest(state))))
        self.nodes[self.at].children.append(node)
        self.at = node

    # Questions.

    def why_not(self, text: str) -> list[str]:
        """Which guard refuses an action: `fetch follower=1 leader=0`, or `fetch` with all its arguments."""
        name, *given = text.split() or [""]
        actions = {action.name: action for action in self.model.actions}
        if name not in actions:
            raise UsageError(f"the model {self.model.name} has no action {name!r:.60}; {hint(name, actions)}")
        action, wanted = actions[name], {}
        for part in given:
            parameter, equals, value = part.partition("=")
            if parameter not in action.parameters or not equals or not is_number(value):
                raise UsageError(f"{part!r:.60} is not an argument of {name}; it takes {' '.join(action.parameters) or 'none'}")
            wanted[parameter] = int(value)
        found = (
            arguments for arguments in action.instances(self.config)
            if all(wanted.get(p, a) == a for p, a in zip(action.parameters, arguments, strict=True))
        )  # fmt: skip
        lines = [self._refusal(action, arguments) for arguments in islice(found, MAX_REFUSALS)]
        return lines or [f"{text} lies outside what the settings allow"]

    def _refusal(self, action: Action, arguments: tuple[int, ...]) -> str:
        label = action.label(arguments)
        if self.model.step_of(action, self.config)(self.state.copy(), *arguments):
            return f"{label} is enabled"
        return f"{label} is not enabled: {failing_guard(action, self.config, self.state, arguments)}"

    def nearest(self, claim: Property, seconds: float) -> Near:
        """The shortest path from here to where a property is violated, or witnessed, by plain breadth-first search."""
        until, states = time.monotonic() + seconds, 0
        came: dict[tuple[int, ...], tuple[Any, Choice | None]] = {}
        last: tuple[Any, Choice] | None = None
        model = replace(self.model, initial_states=lambda config: [self.state.copy()])
        for _, before, action, arguments, after in breadth_first(model, self.config):
            if action is not None:
                last = before, Choice(action, arguments, None)
                if claim.over_steps and shows(claim, before, after):
                    return Near((*_way(came, before), last[1]), states, False)
                continue
            states += 1
            came[cells(after)] = (None, None) if before is None or last is None else last
            if not claim.over_steps and shows(claim, None, after):
                return Near(_way(came, after), states, False)
            if time.monotonic() >= until:
                return Near(None, states, False)
        return Near(None, states, True)


def _way(came: dict[tuple[int, ...], tuple[Any, Choice | None]], state: Any) -> tuple[Choice, ...]:
    """The steps to a state of a search."""
    out: list[Choice] = []
    before, choice = came[cells(state)]
    while choice is not None:
        out.append(choice)
        before, choice = came[cells(before)]
    return tuple(out[::-1])
