"""Dijkstra's token ring that stabilises itself. TLA+ Examples: ewd426/TokenRing."""

from itertools import product

from highwater.model.language import MEMBERS, Model, Settings, State, derived, integer, many, size


class Config(Settings):
    """How long the ring is, and how far it counts."""

    nodes = size(6, 1, 7, "nodes of the ring")
    values = size(6, 1, 9, "values of a counter")
    members = derived(lambda c: c.nodes)
    highest = derived(lambda c: c.values - 1)


class Ring(State):
    """The counter of each node."""

    node = many(integer(0, "highest", "its counter"), MEMBERS, "nodes")


def first_states(config):
    """Whatever a fault may have left."""
    states = []
    for counters in product(range(config.values), repeat=config.nodes):
        state = Ring(config)
        for place, counter in enumerate(counters):
            state.node[place] = counter
        states.append(state)
    return states


def create_token(s):
    """Node 0 has the token, and counts on."""
    last = s.config.members - 1
    if s.node[0] != s.node[last]:
        return False
    s.node[0] = (s.node[last] + 1) % s.config.values
    return True


def pass_token(s, node):
    """Another node has the token, and copies what its neighbour has."""
    if node == 0 or s.node[node] == s.node[node - 1]:
        return False
    s.node[node] = s.node[node - 1]
    return True


MODEL = Model(state=Ring, config=Config, initial_states=first_states, actions=[create_token, pass_token])
