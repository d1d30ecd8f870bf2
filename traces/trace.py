"""A trace: what an engine found, in a form that anybody can run again.

A trace is a revision and a configuration, an initial state, and the actions with their arguments; a digest
of the state after each step; the property that it is about; the version of the model. Replaying it
through the plain model gives the same states, or says where and why it does not.
"""

import hashlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from ..model.language.actions import Model
from ..model.language.kinds import cells
from ..model.language.reading.beginnings import nth
from ..model.language.reading.program import program
from ..model.language.settings import changed
from ..model.language.steps import Action

DIGEST = 12
"""Hexadecimal digits of a digest."""


@dataclass(frozen=True)
class Step:
    """One action with its arguments, by name, and the digest of the state after it ("" when not known)."""

    action: str
    arguments: tuple[tuple[str, int], ...]
    digest: str = ""
    comment: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """`fetch follower=1 leader=0`."""
        return " ".join([self.action, *(f"{name}={value}" for name, value in self.arguments)])


@dataclass(frozen=True)
class Trace:
    """The whole of it. `settings`: those that differ from the revision's defaults, as people write them.

    `plugins`: those that the model had when it was recorded, each with a digest of its text: `my_plugin@3f0c...`.
    `cycle`: the number of the step with which a cycle begins that goes on for ever, when there is one; one more than there are
    steps: nothing more happens.
    """

    model: str
    version: str
    revision: str
    settings: Mapping[str, Any]
    initial: int
    steps: tuple[Step, ...]
    property: str = ""
    start_digest: str = ""
    comment: tuple[str, ...] = field(default=())
    cycle: int | None = None
    plugins: tuple[str, ...] = ()

    def around(self, cycle: int) -> "Trace":
        """The same trace, whose steps from this one on are repeated for ever."""
        return replace(self, cycle=cycle)

    def with_steps(self, steps: Sequence[Step]) -> "Trace":
        """The same trace with other steps."""
        return replace(self, steps=tuple(steps))

    def under(self, revision: str, **settings: Any) -> "Trace":
        """The same steps under another revision, and with other settings; what the states are then is not known."""
        steps = tuple(replace(step, digest="") for step in self.steps)
        return replace(self, revision=revision, settings={**self.settings, **settings}, start_digest="", steps=steps)


class LostPath(Exception):
    """The recorded path does not run through the plain model: the engine is wrong."""


def record(
    model: Model, revision: str, config: Any, initial: int, steps: Iterable[tuple[Action, Sequence[int]]], name: str = ""
) -> Trace:
    """The trace, about a property or about none, of steps that the plain model takes from the initial state of this number."""
    state = nth(model, config, initial)
    start, taken = state_digest(state), []
    for action, arguments in steps:
        if not action.version(config)(state, *arguments):
            raise LostPath(f"{action.label(arguments)} is not enabled in the plain model")
        taken.append(step_of(action, arguments, state_digest(state)))
    settings = changed(config, model.defaults(revision))
    plugins = tuple(f"{plugin}@{digest_of(plugin)}" for plugin in model.plugins)
    return Trace(model.name, version_of(model), revision, settings, initial, tuple(taken), name, start, plugins=plugins)


def digest_of(plugin: str) -> str:
    """A digest of the text of a plugin: of its module, or of all modules of its package."""
    file = getattr(sys.modules.get(plugin.partition(":")[0]), "__file__", None)
    if file is None:
        return "0" * DIGEST
    path = Path(file)
    files = sorted(path.parent.rglob("*.py")) if path.name == "__init__.py" else [path]
    text = b"".join(item.read_bytes() for item in files if item.is_file())
    return hashlib.sha256(text).hexdigest()[:DIGEST]


def step_of(action: Action, arguments: Sequence[int], digest: str = "") -> Step:
    """A step from an action of the model and its arguments."""
    return Step(action.name, tuple(zip(action.parameters, arguments, strict=True)), digest)


def state_digest(state: Any) -> str:
    """A digest of all variables of a plain state."""
    numbers = ",".join(map(str, cells(state)))
    return hashlib.sha256(numbers.encode()).hexdigest()[:DIGEST]


@cache
def version_of(model: Model) -> str:
    """A digest of everything that the model's actions do: it changes when one of them does.

    Reading the sources takes a quarter of a second, so the answer is kept.
    """
    functions = [action.function for action in model.actions]
    if model.normal_form is not None:
        functions.append(model.normal_form)
    return hashlib.sha256(program(functions, settings=model.config).text().encode()).hexdigest()[:DIGEST]
