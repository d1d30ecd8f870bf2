"""The state graph of a small configuration as a networkx graph, from the model as it is written.

Nodes are numbered in breadth-first order; a node has its depth, whether it is initial, its digest and the
properties that it breaks. An edge has its action, its label and the properties that the step breaks; two
states may have several edges. The graph is the plain engine's, so it can be held against the compiled one.
"""

from __future__ import annotations

import io
import json
from collections import deque
from collections.abc import Iterable
from typing import Any

import networkx as nx

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.kinds import cells
from ...properties.property import SOMETIMES, Property
from ...traces.trace import digest_of

FORMATS = ("graphml", "dot", "json")


def state_graph(model: Model, config: Any, properties: Iterable[Property] = (), most_states: int = 20_000) -> nx.MultiDiGraph:
    """Every reachable state and step; UsageError when there are more than `most_states`."""
    claims = [p for p in properties if p.kind != SOMETIMES and p.applies(config)]
    normalise = model.normal_form or (lambda state: None)
    graph = nx.MultiDiGraph(model=model.name, config=str(config))
    numbers: dict[tuple[int, ...], int] = {}
    waiting: deque[Any] = deque()

    def number_of(state: Any, depth: int) -> int:
        """The node of a state in normal form, which is added when it is new."""
        key = cells(state)
        if key not in numbers:
            if len(numbers) >= most_states:
                raise UsageError(
                    f"the configuration has more than {most_states:,} states: choose smaller sizes, or raise --most-states"
                )
            numbers[key] = len(numbers)
            broken = " ".join(p.name for p in claims if not p.over_steps and not p.holds(state))
            graph.add_node(numbers[key], depth=depth, initial=depth == 1, digest=digest_of(state), broken=broken)
            waiting.append(state)
        return numbers[key]

    for state in model.initial_states(config):
        normalise(state)
        number_of(state, 1)
    while waiting:
        state = waiting.popleft()
        source = numbers[cells(state)]
        for action, arguments, successor in model.enabled(state):
            broken = " ".join(p.name for p in claims if p.over_steps and not p.holds(state, successor))
            normalise(successor)
            target = number_of(successor, graph.nodes[source]["depth"] + 1)
            graph.add_edge(source, target, action=action.name, label=action.label(arguments), broken=broken)
    return graph


def as_text(graph: nx.MultiDiGraph, form: str) -> str:
    """The graph as GraphML, DOT or JSON (networkx's node-link form)."""
    if form == "graphml":
        buffer = io.BytesIO()
        nx.write_graphml(graph, buffer)
        return buffer.getvalue().decode()
    if form == "dot":
        return str(nx.nx_pydot.to_pydot(graph).to_string())
    return json.dumps(nx.node_link_data(graph, edges="edges"), indent=1) + "\n"
