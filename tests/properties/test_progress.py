"""Progress of the Kafka model at small sizes: the engine against networkx, and what is known to be stuck."""

import pytest
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from highwater.explorer.verdict import HOLDS, VIOLATED
from highwater.model.next import KAFKA
from highwater.properties.catalogue import progress_of, properties_of
from highwater.traces.lasso import doubt
from highwater.traces.replay import replay
from support import judge
from support.kafka import tiny

PROGRESS = [one for one in progress_of("kafka") if one.of_progress]


def found(config, revision="kip-320", names=()):
    """What is found of each property, all of them unless some are named."""
    chosen = [p for p in PROGRESS if not names or p.name in names]
    outcome = check(Request(KAFKA, revision, config, [], progress=chosen, generic=True))
    assert outcome.complete
    return {f.property.name: f for f in outcome.findings if f.verdict in (HOLDS, VIOLATED)}


CASES = [
    ("kip-320", {"session_expiries": 1}),
    ("high-watermark", {"crashes": 1, "max_epoch": 2}),
]


@pytest.mark.parametrize(("revision", "settings"), CASES)
def test_the_engine_agrees_with_networkx(revision, settings):
    config = tiny(revision, **settings)
    findings = found(config, revision)
    graph = judge.graph_of(KAFKA, config)
    for one in (f.property for f in findings.values()):
        stuck = set().union(*judge.stuck_states(graph, judge.demands_of(KAFKA), one, config).values())
        assert (findings[one.name].verdict == VIOLATED) == bool(stuck), one.name
        if stuck and one.kind == "recoverable":
            assert findings[one.name].depth == min(graph.nodes[v]["depth"] for v in stuck)


def test_names_of_properties_are_unique():
    names = [p.name for p in (*properties_of("kafka"), *progress_of("kafka"))]
    assert len(set(names)) == len(names)
