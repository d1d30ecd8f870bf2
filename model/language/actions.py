"""A model as a whole: its state, its actions (`steps`), and what is said of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .around import within
from .completed import Given, completed
from .reading.step_checks import checked_step, plugin_actions, texts_of
from .sizes import validate_sizes
from .steps import Action, Function


@dataclass(frozen=True, eq=False)
class Model(Given):
    """A model: what was given of it, completed, and how it steps."""

    def __post_init__(self) -> None:
        for name, value in completed(self).items():
            object.__setattr__(self, name, value)
        if self.constraint is not None:
            for name, value in within(self.name, self.constraint, self.actions, self.properties).items():
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
