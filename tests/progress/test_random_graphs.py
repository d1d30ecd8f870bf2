"""The passes over arrays against networkx, on graphs drawn by a seed."""

import networkx as nx
import numpy as np
import pytest
from highwater.explorer.progress.decide import avoided, unrecoverable
from highwater.explorer.progress.fairness import fair_components
from highwater.explorer.progress.graph import Graph
from highwater.explorer.progress.kernels import FAULTY, NOTHING, STRONGLY, WEAKLY
from support import judge

CODES = 6
WORDS = {WEAKLY: "weak", STRONGLY: "strong"}


def drawn(seed, most=15, densest=0.5):
    """A graph in arrays, and the same one in networkx; a state has a code at most once."""
    dice = np.random.default_rng(seed)
    states, density = int(dice.integers(1, most + 1)), dice.uniform(0.1, densest)
    steps = [(v, int(dice.integers(states)), c) for v in range(states) for c in range(CODES) if dice.random() < density]
    sources, targets, codes = np.array(steps, np.int64).reshape(-1, 3).T
    fairness = dice.choice([NOTHING, WEAKLY, WEAKLY, STRONGLY, STRONGLY, FAULTY], CODES).astype(np.uint8)
    paid = dice.choice([0, 0, 0, 1], states).astype(np.uint16)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=states))]).astype(np.int64)
    depths = np.arange(1, states + 1, dtype=np.int32)
    unit = np.arange(CODES, dtype=np.int64)
    if seed % 2:  # some codes are fair together
        unit[4], fairness[4] = 1, fairness[1]
        unit[5], fairness[5] = 2, fairness[2]
    graph = Graph(offsets, targets.astype(np.int32), codes.astype(np.uint16), depths, paid, fairness, unit=unit)
    plain = nx.MultiDiGraph()
    plain.add_nodes_from(range(states))
    for v, w, c in steps:
        plain.add_edge(v, w, instance=(int(unit[c]),), fault=bool(fairness[c] == FAULTY or paid[w] > paid[v]))
    return graph, plain, {c: WORDS[int(fairness[c])] for c in range(CODES) if fairness[c] in WORDS}, dice.random(states) < 0.3


@pytest.mark.parametrize("seed", range(0, 400, 50))
def test_fair_states_and_what_leads_there(seed):
    for number in range(seed, seed + 50):
        graph, plain, fairness, goal = drawn(number)
        fair = judge.fair_states(plain, set(np.flatnonzero(~goal).tolist()), fairness)
        assert set(np.flatnonzero(fair_components(graph, ~goal) >= 0).tolist()) == fair
        everywhere = np.ones(graph.states, np.bool_)
        back = judge.backwards(plain.subgraph(set(np.flatnonzero(~goal).tolist())), fair)
        stuck = avoided(graph, goal, everywhere)
        assert (stuck is None) == (not back)
        if stuck is not None:
            holds_together(graph, goal, stuck, fairness)
        calm = nx.DiGraph((a, b) for a, b, fault in plain.edges(data="fault") if not fault)
        calm.add_nodes_from(plain)
        lost = set(plain) - judge.backwards(calm, set(np.flatnonzero(goal).tolist()))
        found = unrecoverable(graph, goal, everywhere)
        assert (found.state if found else None) == min(lost, default=None)
        graph.store.close()


def holds_together(graph, goal, stuck, fairness):
    """The lasso keeps away from the goal, and is one."""
    assert not goal[is_lasso(graph, stuck, fairness)].any()


def is_lasso(graph, stuck, fairness):
    """It runs along steps, and its cycle is closed and fair; its states."""
    states, taken = [stuck.state], set()
    for code, state in (*stuck.path, *stuck.cycle):
        assert (state, code) in set(graph.steps(states[-1], True))
        states.append(state)
        taken.add(code)
    cycle = states[len(stuck.path) :]
    assert cycle[0] == cycle[-1]
    taken = {int(graph.unit[code]) for code, _ in stuck.cycle}
    enabled = [{int(graph.unit[c]) for _, c in graph.steps(v, False) if c in fairness} for v in cycle]
    assert not set.intersection(*enabled) - taken
    assert not {c for c in set.union(*enabled) - taken if fairness[c] == "strong"}
    return states
