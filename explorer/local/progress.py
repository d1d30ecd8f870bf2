"""Properties of progress on the graph of a finished search, with traces."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ...properties.property import Property
from ...traces.trace import Trace, record
from ..compiling.path import concrete_steps
from ..progress.decide import Stuck, decide, is_never_asked, length
from ..progress.labels import Labels, Masks
from ..verdict import HOLDS, INCOMPLETE, NEVER, NOT_APPLICABLE, VIOLATED, Finding
from .breadth_first import BreadthFirst
from .edges import first_numbers, graph_of, keys_of


def findings_of_progress(search: BreadthFirst, revision: str, properties: list[Property]) -> list[Finding]:
    """The verdict on each property of progress; they are decided only where everything reachable was seen."""
    config = search.compiled.config
    applicable = [claim for claim in properties if claim.applies(config)]
    if not search.complete or not applicable:
        return [Finding(claim, INCOMPLETE if claim in applicable else NOT_APPLICABLE) for claim in properties]
    findings = {claim.name: Finding(claim, NOT_APPLICABLE) for claim in properties}
    for claim, verdict, stuck, states in decided(search, Labels(search.compiled, applicable), applicable):
        findings[claim.name] = Finding(claim, verdict)
        if stuck is not None:
            findings[claim.name] = Finding(claim, verdict, states, trace_of(search, revision, claim, stuck))
            findings[claim.name].lost_states = None if stuck.lost is None else len(stuck.lost)
    return list(findings.values())


class Decided(NamedTuple):
    """The verdict on a property: violated, holds, or never witnessed, when its premise is true in no state. If it is violated,
    where, and how many states the trace has."""

    property: Property
    verdict: str
    stuck: Stuck | None = None
    states: int = 0


def decided(search: BreadthFirst, labels: Labels, properties: Sequence[Property]) -> Iterator[Decided]:
    """The verdicts on properties in what a complete search has seen."""
    graph = graph_of(search, labels)
    try:
        for claim in properties:
            masks, config = [labelled(search, labels, part) for part in claim.parts], search.compiled.config
            stuck = decide(graph, claim, masks, config)
            if stuck is not None:
                yield Decided(claim, VIOLATED, stuck, length(graph, stuck))
            else:
                yield Decided(claim, NEVER if is_never_asked(graph, claim, masks, config) else HOLDS)
    finally:
        graph.store.close()


def labelled(search: BreadthFirst, labels: Labels, claim: Property) -> tuple[Masks, Masks]:
    """Where the goal and the premise are true, for every state."""
    goals, premises = zip(*(labels.of(claim, keys) for keys in keys_of(search)), strict=True)
    return np.concatenate(goals), np.concatenate(premises)


def trace_of(search: BreadthFirst, revision: str, claim: Property, stuck: Stuck) -> Trace:
    """The stem and, if there is one, the cycle."""
    compiled, firsts = search.compiled, first_numbers(search)
    shard = max(number for number, first in enumerate(firsts) if first <= stuck.state and search.shards[number].count)
    root, stem = search.path_to(shard, stuck.state - firsts[shard])
    codes = [*stem, *(code for code, _ in (*stuck.path, *(stuck.cycle or ())))]
    initial, steps = concrete_steps(compiled, root, codes, None)
    trace = record(compiled.model, revision, compiled.config, initial, steps, claim.name)
    return trace if stuck.cycle is None else trace.around(len(stem) + len(stuck.path) + 1)
