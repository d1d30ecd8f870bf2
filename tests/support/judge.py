"""The same questions of progress, asked of a networkx graph in the plainest way: what the engine is held against."""

import networkx as nx
from highwater.explorer.plain.breadth_first import breadth_first
from highwater.model.language import cells
from highwater.model.language.reading.faults import is_fault
from highwater.model.language.steps import STRONG, WEAK


def graph_of(model, config):
    """Every state and step: nodes are states by number, with `state` and `initial`; edges have `instance` and `fault`."""
    graph, numbers, arrows = nx.MultiDiGraph(), {}, []
    for depth, before, action, arguments, state in breadth_first(model, config):
        if action is not None:
            arrows.append((before, (action.name, *arguments), is_fault(model, action, before, state), state))
        else:
            numbers[cells(state)] = len(numbers)
            graph.add_node(len(numbers) - 1, state=state, initial=depth == 1, depth=depth)
    for before, instance, fault, after in arrows:
        graph.add_edge(numbers[cells(before)], numbers[cells(after)], instance=instance, fault=fault)
    return graph


def fairness_of(model):
    """Of which actions fairness is demanded."""
    return {action.name: action.fairness for action in model.actions if action.fairness in (WEAK, STRONG)}


def stuck_states(graph, fairness, claim, config):
    """For each binding the states at which the property fails: its premise is true and the goal can be missed."""
    return {binding: stuck_for(graph, fairness, claim, binding) for binding in claim.bindings(config)}


def stuck_for(graph, fairness, claim, binding):
    states = dict(graph.nodes(data="state"))
    goal = {v for v, s in states.items() if claim.function(s, *binding)}
    premise = {v for v, s in states.items() if claim.premise is None or claim.premise(s, *binding)}
    if claim.kind == "recoverable":
        calm = nx.DiGraph((a, b) for a, b, fault in graph.edges(data="fault") if not fault)
        calm.add_nodes_from(graph)
        return premise - backwards(calm, goal)
    if claim.kind == "eventually":
        premise = {v for v, initial in graph.nodes(data="initial") if initial}
    inside = graph.subgraph(set(graph) - goal)
    return premise & backwards(inside, fair_states(graph, set(inside), fairness))


def backwards(graph, goal):
    """All from which a state of `goal` can be reached."""
    reverse, seen, todo = graph.reverse(copy=False), set(goal), list(goal)
    while todo:
        for w in reverse.successors(todo.pop()):
            if w not in seen:
                seen.add(w)
                todo.append(w)
    return seen


def fair_states(graph, nodes, fairness):
    """The states in which a fair behaviour can stay, or which it can pass again and again, within `nodes`."""
    steps = {v: [(w, d["instance"]) for _, w, d in graph.out_edges(v, data=True) if w != v and not d["fault"]] for v in graph}
    out, todo = set(), [set(nodes)]
    while todo:
        part = todo.pop()
        inner = nx.DiGraph((v, w) for v in part for w, _ in steps[v] if w in part)
        inner.add_nodes_from(part)
        for component in nx.strongly_connected_components(inner):
            taken = {i for v in component for w, i in steps[v] if w in component}
            enabled = [{i for _, i in steps[v] if i[0] in fairness} for v in component]
            always, ever = set.intersection(*enabled), set.union(*enabled)
            if always - taken:
                continue
            starved = {i for i in ever - taken if fairness[i[0]] == STRONG}
            if not starved:
                out |= component
            else:
                rest = {v for v in component if not starved & {i for _, i in steps[v]}}
                if rest:
                    todo.append(rest)
    return out
