"""The state graph of a small configuration as a networkx graph, from the model as it is written.

Nodes are numbered in breadth-first order; a node has its depth, whether it is initial, its digest and the
properties that it violates. An edge has its action, its label and the properties that the step violates; two
states may have several edges. The graph is the plain engine's, so it can be compared with the compiled one.
"""

import io
import json
import subprocess
from collections.abc import Callable, Iterable
from typing import Any

import networkx as nx

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.kinds import cells
from ...model.language.reading.beginnings import nth
from ...model.language.steps import Action
from ...properties.property import SOMETIMES, Property
from ...traces.notation import describe, phrase
from ...traces.trace import state_digest
from .breadth_first import breadth_first

FORMATS = ("graphml", "dot", "json", "svg")


def state_graph(
    model: Model,
    config: Any,
    properties: Iterable[Property] = (),
    most_states: int = 20_000,
    labels: bool = False,
    progress: Callable[[str], None] = lambda text: None,
) -> nx.MultiDiGraph:
    """Every reachable state and step; UsageError when there are more than `most_states`.

    `labels`: each node has a label, its facts in words; `progress` gets the number of states so far. After an
    interruption it is what was found until then, and `graph.graph["incomplete"]` is true.
    """
    first = nth(model, config, 0)
    claims = [p for p in properties if p.kind != SOMETIMES and p.applies(config)]
    graph = nx.MultiDiGraph(model=model.name, config=str(config))
    numbers: dict[tuple[int, ...], int] = {}
    arrows: list[tuple[Any, Action, str, Any, str]] = []
    try:
        for depth, before, action, arguments, state in breadth_first(model, config):
            if action is not None:
                broken = " ".join(p.name for p in claims if p.over_steps and not p.holds(before, state))
                arrows.append((before, action, action.label(arguments), state, broken))
                continue
            if len(numbers) >= most_states:
                raise UsageError(
                    f"the configuration has more than {most_states:,} states: choose smaller sizes, or raise --most-states"
                )
            number = numbers[cells(state)] = len(numbers)
            broken = " ".join(p.name for p in claims if not p.over_steps and not p.holds(state))
            graph.add_node(number, depth=depth, initial=depth == 1, digest=state_digest(state), broken=broken)
            if labels:
                said = ["initial" if depth == 1 else "", f"violates {broken}" if broken else "", *lines_of(model, state, first)]
                graph.nodes[number].update(label="\n".join(filter(None, [str(number), *said])), shape="box")
            progress(f"{number + 1:,} of at most {most_states:,} states, depth {depth}")
    except KeyboardInterrupt:
        if not numbers:
            raise  # there is nothing to show
        graph.graph["incomplete"] = True
    for before, action, label, after, broken in arrows:
        if cells(after) not in numbers:
            continue  # it was interrupted between the step and the state
        graph.add_edge(numbers[cells(before)], numbers[cells(after)], action=action.name, label=label, broken=broken)
    return graph


def lines_of(model: Model, state: Any, initial: Any) -> list[str]:
    """A state in lines: its facts that are not those of the initial state, the most telling first."""
    before, foremost = describe(model, initial), model.notation.foremost
    changed = [
        (part, fact, text)
        for part, facts in describe(model, state).items()
        for fact, text in facts.items()
        if before.get(part, {}).get(fact) != text
    ]
    changed.sort(key=lambda item: foremost.index(item[1]) if item[1] in foremost else len(foremost))
    return [f"{part} {text if fact == 'value' else phrase(model.notation, fact, text)}" for part, fact, text in changed]


def as_text(graph: nx.MultiDiGraph, form: str) -> str:
    """The graph as GraphML, DOT, JSON (networkx's node-link form), or a picture that Graphviz draws from DOT."""
    if form == "svg":
        try:
            drawn = subprocess.run(["dot", "-Tsvg"], input=as_text(graph, "dot"), capture_output=True, text=True, check=True)
            return drawn.stdout
        except FileNotFoundError:
            raise UsageError("--format svg needs Graphviz (graphviz.org), which is not installed; try --format dot") from None
        except subprocess.CalledProcessError as error:
            raise UsageError(f"Graphviz cannot draw the graph: {error.stderr[:200].strip()}; write --format dot") from None
    if form == "graphml":
        buffer = io.BytesIO()
        nx.write_graphml(graph, buffer)
        return buffer.getvalue().decode()
    if form == "dot":
        return str(nx.nx_pydot.to_pydot(graph).to_string())
    return json.dumps(nx.node_link_data(graph, edges="edges"), indent=1) + "\n"
