"""V1, V2, V3 and K1 side by side, and what each violates (Q17, Q18).

`pytest --rewrite-golden tests/designs/test_designs.py` writes the table in docs/designs.md.
"""

from functools import cache

import pytest
from highwater.explorer.plain.breadth_first import breadth_first
from highwater.properties.catalogue import progress_of, properties_of
from highwater.properties.registry import MODELS
from support.exploring import everything
from support.mutants import first_violation, without
from support.pages import is_written

DESIGNS = MODELS["designs"]
PROPERTIES = {p.name: p for p in properties_of(DESIGNS)}
PROGRESS = {p.name: p for p in progress_of(DESIGNS)}
SHOWN = [*(name for name, p in PROPERTIES.items() if p.kind == "always"), *PROGRESS]
COLUMNS = {
    "V1": ("v1", {}),
    "V1, looks again": ("v1", {"watch_again": "looks"}),
    "K1": ("v1-sequence", {}),
    "K1, predecessor": ("v1-sequence", {"sequence_watch": "predecessor"}),
    "V2": ("v2", {}),
    "V2, both repairs": ("v2", {"watch_again": "looks", "stale_requests": "dropped"}),
    "V3": ("v3", {}),
}


@cache
def explored(column):
    """Everything reachable with a crash and an expired session: the states, and the steps of what is violated."""
    revision, settings = COLUMNS[column]
    return everything(DESIGNS, revision, crashes=1, **settings)


def watching(state):
    """How many watches are set."""
    controllers = 1 if state.command else 0
    return controllers + sum(me.watch for replicas in state.replica for me in replicas)


def herd(column, brokers, partitions):
    """The watches that are set at first, and those that fire when the leader of all partitions goes."""
    revision, settings = COLUMNS[column]
    config = DESIGNS.configure(revision, brokers=brokers, partitions=partitions, crashes=1, **settings)
    (state,) = DESIGNS.initial_states(config)
    before = watching(state)
    assert DESIGNS.action("expire_session").version(config)(state, 0)
    fired = sum(me.event for replicas in state.replica for me in replicas) + state.live_event
    return before, fired


def table():
    """The table in the document."""
    lines = ["| | " + " | ".join(COLUMNS) + " |", "| --- |" + " --- |" * len(COLUMNS)]
    for name in SHOWN:
        found = [explored(column)[1].get(name) for column in COLUMNS]
        lines.append(f"| {name} | " + " | ".join(f"**violated** {n}" if n is not None else "holds" for n in found) + " |")
    watches = [herd(column, 3, 2) for column in COLUMNS]
    lines.append("| *watches, 3 brokers, 2 partitions* | " + " | ".join(str(before) for before, _ in watches) + " |")
    lines.append("| *of these fire when a leader goes* | " + " | ".join(str(fired) for _, fired in watches) + " |")
    lines.append("| *distinct states* | " + " | ".join(f"{explored(column)[0]:,}" for column in COLUMNS) + " |")
    return "\n".join(lines)


def test_v3_the_table_is_as_written(request):
    assert is_written("docs/designs.md", "designs", table(), request)


PROGRESS_OF_V1 = {"leader_can_serve": 10, "leader_serves_again": 10, "follower_follows": 10}
PROGRESS_OF_V2 = {"leader_can_serve": 8, "leader_serves_again": 11, "follower_follows": 11}
VIOLATED_BY = {
    "V1": {"one_leader_takes_new_writes": 7, "leader_in_isr": 5, "single_leader": 3, **PROGRESS_OF_V1},
    "V1, looks again": {"one_leader_takes_new_writes": 7, "leader_in_isr": 5, "single_leader": 3},
    "K1": {"one_leader_takes_new_writes": 6, "leader_in_isr": 3, "single_leader": 2},
    "K1, predecessor": {"one_leader_takes_new_writes": 6, "leader_in_isr": 3, "single_leader": 2, "follower_follows": 5},
    "V2": {"single_leader": 3, **PROGRESS_OF_V2},
    "V2, both repairs": {"single_leader": 3},
    "V3": {"single_leader": 4},
}


@pytest.mark.parametrize("column", COLUMNS)
def test_q18_what_is_violated(column):
    """V1: split brain, a leader without what was committed, watches that are lost; V2: stale requests; V3: none of it."""
    assert explored(column)[1] == VIOLATED_BY[column]


@pytest.mark.parametrize("brokers", [2, 3, 4])
@pytest.mark.parametrize("partitions", [1, 2, 3])
def test_q18_the_herd(brokers, partitions):
    """V1: a watch for each replica that does not lead, and all fire; sequential nodes: one each; V3: the controller's one."""
    replicas = partitions * (brokers - 1)
    assert herd("V1", brokers, partitions) == herd("V2", brokers, partitions) == (replicas, replicas)
    assert herd("K1", brokers, partitions) == (replicas, replicas)
    assert herd("K1, predecessor", brokers, partitions) == (replicas, partitions)
    assert herd("V3", brokers, partitions) == (1, 1)


def test_the_engine_reaches_what_plain_python_does():
    for column in ("K1", "K1, predecessor"):
        revision, settings = COLUMNS[column]
        plain = breadth_first(DESIGNS, DESIGNS.configure(revision, crashes=1, **settings))
        assert explored(column)[0] == sum(action is None for _, _, action, _, _ in plain)


WRITES, FREE = "one_leader_takes_new_writes", "s.node[partition].leader == NO_BROKER"
KEPT = "s.config.nodes is not Nodes.ONE_NODE or s.replica[partition][leader].current == 1"
MUTANTS = [
    ("v3", f"isr.may_write_isr: not ({KEPT})", WRITES, 8),
    ("v3", "controller.elect_leader: not contains(node.isr & s.live, broker)", "leader_in_isr", 4),
    ("v2", "race.find_leader: without: contains(s.node[partition].isr, broker)", "leader_in_isr", 7),
    ("v2", f"race.create_leader: never: {FREE} and s.config.nodes is Nodes.ONE_NODE and (not me.current)", "leader_in_isr", 6),
]


@pytest.mark.parametrize(("revision", "rule", "name", "level"), MUTANTS, ids=[m[1].partition(":")[0] for m in MUTANTS])
def test_without_the_rule(revision, rule, name, level):
    """The write on a version, the clean election, and the race of the ISR's members, in turn taken out."""
    config = DESIGNS.configure(revision, crashes=1)
    assert name not in VIOLATED_BY[revision.upper()]
    with without(DESIGNS, rule):
        assert first_violation(DESIGNS, config, [name], PROPERTIES, 40_000) == {name: level}
