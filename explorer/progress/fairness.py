"""Where a fair behaviour can stay for ever.

A behaviour that never ends stays, from some time on, within one strongly connected component; one that ends stays in a
state, where nothing more happens. There are finitely many faults: from some time on there are none. A behaviour is fair when
each step for which weak fairness is demanded is disabled again and again, or taken again and again, and when each step for
which strong fairness is demanded is enabled only so often, or taken again and again; steps that are fair together (`any_of`)
count as one. Components in which strong fairness
fails are divided: what is left without the states that enable such a step may be fair (Emerson and Lei).
"""

import numpy as np

from .compiled import passes
from .graph import Array, Graph
from .kernels import FAIR, TO_DIVIDE


def fair_components(graph: Graph, inside: Array) -> Array:
    """For each state the number of the component in which a fair behaviour can stay, through states `inside` only; -1: none."""
    result = np.full(graph.states, -1, np.int32)
    alive, known = inside.astype(np.bool_), 0
    while True:
        nodes = np.flatnonzero(alive).astype(np.int32)
        if not len(nodes):
            return result
        component = components_of(graph, nodes)
        verdict, taken_away = judged(graph, nodes, component)
        fair, divided = verdict == FAIR, verdict == TO_DIVIDE
        mine = component[nodes]
        kept = nodes[fair[mine]]
        result[kept] = component[kept] + known
        known += len(verdict)
        alive[:] = False
        alive[nodes[divided[mine]]] = True
        alive &= taken_away == 0


def components_of(graph: Graph, nodes: Array) -> Array:
    """For each of the states the number of its strongly connected component, when there are no others; -1 for the others."""
    from scipy.sparse import csr_array  # only here: it takes long to load
    from scipy.sparse.csgraph import connected_components

    component = np.full(graph.states, -1, np.int32)
    component[nodes] = np.arange(len(nodes), dtype=np.int32)
    starts = np.zeros(len(nodes) + 1, np.int64)
    steps = (graph.offsets, graph.targets, graph.codes, graph.fairness, graph.paid)
    passes().count_induced(nodes, component, *steps, starts)
    ends = graph.store.array(int(starts[-1]), np.int32)
    passes().fill_induced(nodes, component, *steps, ends)
    weights = np.zeros(len(ends))  # SciPy wants them; these pages are never read, so they take no memory
    matrix = csr_array((weights, ends, starts.astype(np.int32)), shape=(len(nodes), len(nodes)))
    component[nodes] = connected_components(matrix, directed=True, connection="strong")[1]
    return component


def judged(graph: Graph, nodes: Array, component: Array) -> tuple[Array, Array]:
    """For each component what `kernels` says of it; and for each state whether it is to be taken away."""
    mine = component[nodes]
    count = int(mine.max()) + 1
    members = nodes[np.argsort(mine, kind="stable")]
    starts = np.concatenate([[0], np.cumsum(np.bincount(mine, minlength=count))])
    verdict, taken_away = np.zeros(count, np.uint8), np.zeros(graph.states, np.uint8)
    codes = len(graph.fairness)
    last, able, seen = (np.zeros(codes, np.int64) for _ in range(3))
    passes().judge(
        members, starts, component, graph.offsets, graph.targets, graph.codes, graph.fairness, graph.paid,
        graph.unit, last, able, np.zeros(codes, np.uint8), seen, verdict, taken_away,
    )  # fmt: skip
    return verdict, taken_away
