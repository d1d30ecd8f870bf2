"""A run of stateful testing: first the failures of earlier runs, then new behaviours, then a shrunk trace."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, Verbosity, settings
from hypothesis import seed as seeded
from hypothesis.database import DirectoryBasedExampleDatabase
from hypothesis.errors import FlakyStrategyDefinition
from hypothesis.internal.conjecture import engine
from hypothesis.stateful import run_state_machine_as_test

from ...model.language.actions import Model
from ...properties.measures import measures_of
from ...properties.property import Property
from ...traces.trace import Trace
from ..local.path import assemble
from .corpus import Corpus
from .machine import Fallen, TimeIsUp, machine_for
from .stepper import Stepper

RUNS, RULES = 2000, 15
"""The default budget: how many behaviours, and how many rules in each."""

SHRINKING_SECONDS = 5

PHASES = (Phase.reuse, Phase.generate, Phase.target, Phase.shrink)


@dataclass
class Played:
    """What came of it. `trace`: the shrunk failure; `known`: it was in the corpus; `seed` and `blob` repeat the run."""

    runs: int = 0
    steps: int = 0
    seconds: float = 0.0
    fallen: str = ""
    trace: Trace | None = None
    trace_path: str = ""
    known: bool = False
    seed: int = 0
    blob: str = ""
    length: int = 0
    notes: list[str] = field(default_factory=list)


def play(
    model: Model,
    revision: str,
    configurations: Sequence[Any],
    properties: Sequence[Property],
    seed: int = 0,
    runs: int = RUNS,
    rules: int = RULES,
    corpus: Corpus | None = None,
    guided: bool = True,
    database: str | None = None,
    stop: bool = True,
    seconds: float | None = None,
) -> Played:
    """Play until a property falls or the budget is spent: runs, and seconds if they are given.

    `corpus`: its failures are replayed first, and a new one is added. `stop`: end at the first failure of the corpus.
    """
    begun = time.monotonic()
    totals = {"runs": 0, "steps": 0}
    result = Played(seed=seed)
    if corpus is not None:
        _replay_corpus(corpus, model, revision, configurations[0], properties, result)
    if not (result.known and stop):
        stepper = stepper_for(model, properties)
        stepper.begin(configurations[0])  # compiles, before the time is counted
        until = time.monotonic() + (seconds or float("inf"))
        machine = machine_for(stepper, configurations, guided, totals, seed, until)
        chosen = settings(
            max_examples=runs,
            stateful_step_count=rules,
            deadline=None,
            database=DirectoryBasedExampleDatabase(database) if database else None,
            derandomize=False,
            print_blob=True,
            verbosity=Verbosity.quiet,
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
            phases=PHASES if guided else tuple(p for p in PHASES if p is not Phase.target),
        )
        try:
            with short_shrinking():
                run_state_machine_as_test(seeded(seed)(machine), settings=chosen)
        except (TimeIsUp, FlakyStrategyDefinition):
            if time.monotonic() <= until:
                raise  # Hypothesis takes an interrupted run that it has seen before for a flaky one
            result.notes.append(f"the {seconds:g} seconds were over after {totals['runs']} behaviours")
        except Fallen as fallen:
            _note_failure(result, stepper, revision, fallen)
            if corpus is not None and result.trace is not None:
                result.trace_path = str(corpus.add(result.trace, model))
    result.runs, result.steps = totals["runs"], totals["steps"]
    result.seconds = time.monotonic() - begun
    return result


@contextmanager
def short_shrinking() -> Iterator[None]:
    """Hypothesis shrinks for seconds, not for minutes: what it leaves is shrunk step by step afterwards."""
    before = engine.MAX_SHRINKING_SECONDS
    engine.MAX_SHRINKING_SECONDS = SHRINKING_SECONDS
    try:
        yield
    finally:
        engine.MAX_SHRINKING_SECONDS = before


def stepper_for(model: Model, properties: Sequence[Property]) -> Stepper:
    """A stepper that checks `properties`; the compiled code knows all of the model's, so that it is shared."""
    from ...properties.catalogue import properties_of

    everything = [p for p in properties_of(model.name) if p.kind != "sometimes"]
    known = everything if set(properties) <= {*everything, *(p for p in properties if p.kind == "sometimes")} else properties
    return Stepper(model, known or properties, measures_of(model.name), chosen=properties)


def _replay_corpus(
    corpus: Corpus, model: Model, revision: str, largest: Any, properties: Sequence[Property], result: Played
) -> None:
    """Replay the corpus; the first failure that still happens is the result, what does not fit is noted."""
    for failure in corpus.failures(model, revision, largest, properties):
        if failure.misfit:
            result.notes.append(f"in the corpus: {failure.path}: {failure.misfit}")
        elif failure.falls and not result.known:
            result.known, result.fallen, result.trace = True, failure.trace.property, failure.trace
            result.trace_path, result.length = str(failure.path), len(failure.trace.steps)


def _note_failure(result: Played, stepper: Stepper, revision: str, fallen: Fallen) -> None:
    """The failure as a shrunk trace; Hypothesis has left the stepper at the end of its smallest example."""
    one = next(p for p in stepper.checked if p.name == fallen.name)
    path = shrink_path(stepper, stepper.path[: stepper.length].copy(), one)
    steps = stepper.steps(path)
    result.fallen, result.length = one.name, len(path)
    result.trace = assemble(stepper.model, revision, stepper.config, stepper.initial, steps, one.name)
    for line in getattr(fallen, "__notes__", []):
        if "reproduce_failure" in line:
            result.blob = line[line.index("@") :].splitlines()[0].split(" as a decorator")[0]


def shrink_path(stepper: Stepper, path: Any, one: Property) -> Any:
    """The path without the steps that are not needed to break `one`: locally shortest."""
    end = stepper.retrace(path, one)
    assert end >= 0, "a recorded path runs again and breaks what it broke"
    path = path[:end]
    size = max(1, len(path) // 2)
    while True:
        at, shorter = 0, False
        while at < len(path):
            kept = np.concatenate([path[:at], path[at + size :]])
            end = stepper.retrace(kept, one)
            if end >= 0:
                path, shorter = kept[:end], True
            else:
                at += size
        if size == 1 and not shorter:
            return path
        size = max(1, size // 2)
