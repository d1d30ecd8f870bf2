"""A run of stateful testing: first the failures of earlier runs, then new behaviours, then a shrunk trace."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, settings
from hypothesis import seed as seeded
from hypothesis.stateful import run_state_machine_as_test

from ...model.language.errors import UsageError
from ...traces.trace import Trace
from ...traces.words import plural
from ..compiling.compiled_for import compile_for
from ..compiling.shortcuts import trace_of
from ..compiling.walker import OVER, ready_to_walk, spread
from ..promises import validate_walked
from ..request import Request
from .corpus import Corpus
from .machine import LONGEST_TOUR, Violated, Walkers, machine_for

RUNS, RULES = 2000, 15
"""The default budget: how many behaviours, and how many rules in each."""

BATCH = 50
"""Behaviours between two looks at the clock, each batch with another seed."""

EXAMPLES = 24
"""Smaller configurations beside the one that was asked for."""


@dataclass
class FuzzResult:
    """The result. `trace`: the shrunk failure; `known`: it was in the corpus; `seconds` without compiling."""

    runs: int = 0
    steps: int = 0
    seconds: float = 0.0
    violated: str = ""
    trace: Trace | None = None
    trace_path: str = ""
    known: bool = False
    seed: int = 0
    length: int = 0
    notes: list[str] = field(default_factory=list)


def fuzz(
    request: Request, seed: int = 0, runs: int = RUNS, rules: int = RULES, corpus: Corpus | None = None, vary: bool = False,
    report: Callable[[str], None] | None = None,
) -> FuzzResult:  # fmt: skip
    """Play until a property is violated or the budget is spent: runs, and the request's bound on seconds.

    `corpus`: its failures are replayed first, and a new one is added. `vary`: play smaller configurations too. `report`: gets
    the progress as text; then compiling counts among the seconds. An interruption keeps what was played.
    """
    result = FuzzResult(seed=seed)
    if corpus is not None:
        _replay_corpus(corpus, request, vary, result)
    if not result.known:
        _play_on(request, seed, runs, rules, vary, result, report)
        if corpus is not None and result.trace is not None:
            try:
                result.trace_path = str(corpus.add(result.trace, request.model))
            except UsageError as error:
                result.notes.append(str(error))
    return result


def _play_on(
    request: Request, seed: int, runs: int, rules: int, vary: bool, result: FuzzResult, report: Callable[[str], None] | None
) -> None:
    """Play new behaviours, batch by batch."""
    requests, seconds = [request], request.bounds.seconds
    if vary:
        request = replace(request, generic=True)
        requests = [request, *(replace(request, config=config) for config in smaller(request, seed))]
    if report is not None:
        compiled = compile_for(request, request.applicable)
        seconds = ready_to_walk(compiled, request.applicable, report, request.bounds.seconds)
        if seconds == 0:
            result.notes.append(OVER.format(request.bounds.seconds))
            return
    totals = {"runs": 0, "steps": 0}
    walkers = Walkers(requests)
    walkers.of(0).walk(0, spread(0))  # compiles, before the time is counted
    validate_walked(walkers.of(0).compiled, request.applicable, LONGEST_TOUR)
    begun = time.monotonic()
    until = begun + (float("inf") if seconds is None else seconds)
    machine = machine_for(walkers, totals, seed, until)
    try:
        for first in range(0, runs, BATCH):
            if time.monotonic() > until:
                done = plural(totals["runs"], "behaviour")
                result.notes.append(f"the {request.bounds.seconds:g} seconds were over after {done}")
                break
            if report is not None:
                report(f"{totals['runs']:,} of {runs:,} behaviours, {totals['steps']:,} steps, {time.monotonic() - begun:.0f} s")
            run_state_machine_as_test(seeded(f"{seed} {first}")(machine), settings=how(min(BATCH, runs - first), rules))
    except Violated as violated:
        walker, item = violated.walker, violated.property
        result.trace = trace_of(walker, request.revision, item)
        result.violated, result.length = item.name, len(result.trace.steps)
    except KeyboardInterrupt:
        if not totals["runs"]:
            raise
        result.notes.append(f"interrupted after {totals['runs']} behaviours")
    result.runs, result.steps, result.seconds = totals["runs"], totals["steps"], time.monotonic() - begun


def how(runs: int, rules: int) -> settings:
    """The settings of Hypothesis. It does not shrink: that a step can be left out is found out faster on the steps."""
    return settings(
        max_examples=runs, stateful_step_count=rules, phases=[Phase.generate], database=None, deadline=None, derandomize=False,
        print_blob=False, verbosity=Verbosity.quiet, report_multiple_bugs=False, suppress_health_check=list(HealthCheck),
    )  # fmt: skip


def smaller(request: Request, seed: int) -> list[Any]:
    """Some configurations with sizes and faults up to those of the request, its switches as they are; by seed."""
    chance, groups = random.Random(seed), {name: setting.group for name, setting in request.model.config.settings.items()}
    largest = request.config
    fixed = {name: value for name, value in largest.shown().items() if groups[name] == "switch"}
    top = {name: getattr(largest, name) for name, group in groups.items() if group in ("size", "fault")}
    low = {name: request.model.config.settings[name].low for name in top}
    out: list[Any] = []
    while len(out) < EXAMPLES:
        values = {name: chance.randint(min(low[name], most), most) for name, most in top.items()}
        try:
            out.append(request.model.configure(request.revision, **{**fixed, **values}))
        except UsageError:
            continue
    return out


def _replay_corpus(corpus: Corpus, request: Request, vary: bool, result: FuzzResult) -> None:
    """Replay the corpus; the first failure that still happens is the result, what does not fit is noted."""
    for failure in corpus.failures(request.model, request.revision, request.config, request.properties, vary):
        if failure.mismatch:
            result.notes.append(f"in the corpus: {failure.path}: {failure.mismatch}")
        elif failure.is_violated and not result.known:
            result.known, result.violated, result.trace = True, failure.trace.property, failure.trace
            result.trace_path, result.length = str(failure.path), len(failure.trace.steps)
