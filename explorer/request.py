"""What to check, and how: the one form in which every engine gets it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..model.language.actions import Model
from ..model.language.errors import UsageError
from ..properties.property import Property
from .budget import Bounds

MOST_NAMED = 5
"""How many properties a message explains."""


@dataclass
class Request:
    """A model under one configuration, its properties, and how to explore.

    `named`: a person chose the properties, so each of them must mean something under the configuration.
    `generic`: with code that was compiled for all configurations.
    """

    model: Model
    revision: str
    config: Any
    properties: list[Property]
    symmetry: bool = False
    exact: bool = False
    keep_going: bool = False
    deadlock: bool = False
    threads: int = 1
    generic: bool = False
    bounds: Bounds = field(default_factory=Bounds)
    run_directory: str | None = None
    resume: bool = False
    named: bool = False

    @property
    def applicable(self) -> list[Property]:
        """The properties that mean something under the configuration: those that are checked."""
        return [one for one in self.properties if one.applies(self.config)]


def applicable(
    model: Model, properties: Iterable[Property], config: Any, named: bool, deadlock: bool = False
) -> list[Property]:
    """The properties that mean something under the configuration.

    UsageError when one that a person named does not, and when nothing at all is left to check: an exploration
    that checks nothing must not look like one that holds.
    """
    properties = list(properties)
    absent = [one for one in properties if not one.applies(config)]
    if named and absent:
        raise UsageError(f"{means_nothing(absent[0])}; give it what it needs, or leave it out")
    if len(absent) == len(properties) and not deadlock:
        needs = "; ".join(f"{one.name} needs {needed_by(one)}" for one in absent[:MOST_NAMED])
        raise UsageError(
            f"no property of the model {model.name} means anything under this configuration, so there is nothing to check"
            f"{': ' if needs else ''}{needs}"
        )
    return [one for one in properties if one not in absent]


def means_nothing(one: Property) -> str:
    """That a property does not apply, and what it needs."""
    return f"{one.name} means nothing under this configuration: it needs {needed_by(one)}"


def needed_by(one: Property) -> str:
    """What the property needs, in words."""
    return one.where or "a configuration that its own condition (`needs`) allows"
