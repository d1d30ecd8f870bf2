"""A trace on real brokers: each step is forced, then what can be seen is compared with the model's state."""

import contextlib
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ...model.language.actions import Model
from ..replay import replay
from ..trace import Step, Trace
from .cluster import Cluster
from .compare import Difference, describe
from .kraft_cluster import KraftCluster
from .kraft_steps import KraftSteps
from .metadata_steps import MetadataSteps
from .process import BrokerError
from .stage import Stage
from .steps import NOTHING_TO_DO, CannotForce, Steps, refuse

SETTLE, LONGEST = 1.5, 10.0
"""Seconds for which a difference must stay the same, and how long that may take: brokers do some things in the background."""

STUCK = "the brokers"
"""The part that differs when the brokers do not take a step at all."""

numbers = itertools.count(1)


@dataclass
class Performed:
    """The outcome of a performance. `ran`: steps that were forced and agreed; exactly one of the other three ends a run early.

    `differences`: at the step after `ran`, or in the initial state when it is 0 and `began` is False; `refused`: why
    that step could not be forced; `mismatch`: why the trace is none of the model's.
    """

    trace: Trace
    states: list[Any] = field(default_factory=list)
    ran: int = 0
    differences: list[Difference] = field(default_factory=list)
    refused: str = ""
    mismatch: str = ""
    passed: list[list[str]] = field(default_factory=list)
    acknowledged: dict[int, int] = field(default_factory=dict)
    topic: str = ""
    ends: list[str] = field(default_factory=list)
    seconds: float = 0.0


NO_COUNTERPART = "this action has no counterpart on brokers yet"

Report = Callable[[int, Step, list[str]], None]


def steps_of(model: Model, kraft: bool) -> type[Steps]:
    """What steps of this model's traces are, on brokers under KRaft or ZooKeeper."""
    if model.name == "kraft":
        return MetadataSteps
    return KraftSteps if kraft else Steps


def refused(trace: Trace, model: Model, kraft: bool) -> Performed | None:
    """The outcome if some step of the trace never can be forced, which is known before a broker runs; else None."""
    known = steps_of(model, kraft).actions
    for number, step in enumerate(trace.steps):
        action = known.get(step.action)
        why = action.args[0] if isinstance(action, partial) and action.func is refuse else ""
        if action is None and step.action not in NOTHING_TO_DO:
            why = NO_COUNTERPART
        if why:
            return Performed(trace, ran=number, refused=why)
    return None


def perform(
    trace: Trace, model: Model, cluster: Cluster | KraftCluster, report: Report | None = None, go_on: bool = False
) -> Performed:
    """Perform a trace; with `go_on` a step that differs does not end the run, as long as the next can be forced."""
    begun = time.monotonic()
    replayed = replay(trace, model)
    result = Performed(trace, replayed.states)
    if replayed.mismatch:
        result.mismatch = replayed.mismatch
        return result
    stage = steps_of(model, isinstance(cluster, KraftCluster))(cluster, f"highwater{next(numbers)}", replayed.states[0])
    result.topic = stage.topic.name
    try:
        stage.begin()
        result.differences = settled(stage)
        if not result.differences or go_on:
            run_steps(trace, replayed.states, stage, result, report, go_on)
    except CannotForce as refused:
        result.refused = str(refused)
    except BrokerError as error:
        result.differences.append(Difference(STUCK, "what they do", "this step", str(error)))
    finally:
        stage.hear_producers()
        result.acknowledged = dict(stage.answers)
        result.ends = [end_of(stage, p, b) for p in range(stage.config.partitions) for b in range(stage.config.brokers)]
        stage.end()
    result.seconds = time.monotonic() - begun
    return result


def run_steps(trace: Trace, states: list[Any], stage: Stage, result: Performed, report: Report | None, go_on: bool) -> None:
    """Step after step, until one differs."""
    for number, step in enumerate(trace.steps, 1):
        stage.before, stage.after, stage.passed = states[number - 1], states[number], []
        stage.prepare()
        force(stage, step)
        stage.finish()
        result.passed.append(stage.passed)
        found = settled(stage)
        if report is not None:
            report(number, step, stage.passed)
        stage.hear_producers()
        if found:
            result.differences += found
            if not go_on:
                return
        result.ran = number


def force(stage: Stage, step: Step) -> None:
    """Make the brokers take a step; CannotForce also for one that this module has never heard of."""
    if step.action in stage.actions:
        stage.actions[step.action](stage, **dict(step.arguments))
    elif step.action not in NOTHING_TO_DO:
        raise CannotForce(f"{step.action}: {NO_COUNTERPART}")


def end_of(stage: Stage, partition: int, broker: int) -> str:
    """What a broker has in the end: on disk, and as leader or follower."""
    with contextlib.suppress(BrokerError):
        if broker in stage.cluster.brokers:
            stage.cluster.brokers[broker].order("checkpoint")
    return describe(stage.cluster, stage.topic.name, partition, broker)


def settled(stage: Stage) -> list[Difference]:
    """The differences that are left when the brokers have had the time to finish."""
    begun = since = time.monotonic()
    last: list[Difference] = []
    while True:
        found = stage.comparison(stage.topic, stage.after, stage.checkpoints, stage.told).all()
        now = time.monotonic()
        if found != last:
            last, since = found, now
        if not found or now - since > SETTLE or now - begun > LONGEST:
            return found
        time.sleep(0.03)
