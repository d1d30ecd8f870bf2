"""One thread of Highwater beside another program, in one run: both must find the same."""

import resource
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...properties.property import Property
from .measure_local import REVISION, explore, ready


@dataclass
class Measured:
    """What another program counts, and its CPU seconds; the initial state counts as a transition. `violated`: the properties that
    are, in order, of a program that says so."""

    states: int
    transitions: int
    cpu: float
    violated: list[str] | None = None


Other = Callable[[Model, Any, list[Property]], Measured]
"""Explores a model under a configuration with another program."""


def measure_beside(
    name: str, other: Other, model: Model, settings: dict[str, Any], properties: list[Property], repeat: int
) -> dict[str, Any]:
    """One thread and another program alternately, on one configuration: each side's least CPU time."""
    compiled, applicable = ready(model, settings, properties)
    ours, theirs = [], []
    for _ in range(repeat):
        ours.append(explore(compiled, applicable, 1))
        theirs.append(other(model, compiled.config, applicable))
    own, their = min(ours, key=lambda run: run.cpu), min(theirs, key=lambda run: run.cpu)
    if (own.states, own.transitions) != (their.states, their.transitions):
        raise UsageError(
            f"{name} finds {their.states:,} states and {their.transitions:,} transitions, Highwater {own.states:,} and"
            f" {own.transitions:,}: one of them is wrong"
        )
    return {
        "model": model.name,
        "revision": REVISION,
        "settings": settings,
        "properties": len(applicable),
        "distinct_states": own.states,
        "transitions": own.transitions,
        f"{name.lower()}_cpu_seconds": round(their.cpu, 2),
        "highwater_cpu_seconds": round(own.cpu, 2),
        f"times_{name.lower()}": round(their.cpu / own.cpu, 2),
    }


def run_measured(command: list[str], folder: str) -> tuple[str, float]:
    """What a program prints, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return said, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
