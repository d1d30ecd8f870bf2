"""Dijkstra's detection of termination on a ring. TLA+ Examples: ewd840/EWD840."""

from dataclasses import replace

from highwater.model.language import Model, Record, Settings, State, derived, every, flag, integer, many, size
from highwater.properties.property import always


class Config(Settings):
    """How long the ring is."""

    nodes = size(3, 1, 7, "nodes of the ring")
    last = derived(lambda c: c.nodes - 1)


class Node(Record):
    """One node."""

    active = flag("it works")
    black = flag("it has sent a message against the direction of the token")


class Ring(State):
    """The whole state."""

    token = integer(0, "last", "where the token is")
    stained = flag("the token is black")
    node = many(Node, "nodes", "nodes")


def first_states(config):
    """The token is black; all else is as it may be."""
    state = Ring(config)
    state.stained = 1
    return every(state, "token", "node[].active", "node[].black")


def initiate_probe(s):
    """Node 0 sends a white token round, after a round that told it nothing."""
    if s.token != 0 or (not s.stained and not s.node[0].black):
        return False
    s.token = s.config.last
    s.stained = 0
    s.node[0].black = 0
    return True


def pass_token(s, node):
    """A node passes the token on, and stains it if it is black itself."""
    if node == 0 or s.token != node:
        return False
    if s.node[node].active and not s.node[node].black and not s.stained:
        return False
    if s.node[node].black:
        s.stained = 1
    s.token = node - 1
    s.node[node].black = 0
    return True


def send_message(s, node, other):
    """An active node activates another."""
    if node == other or not s.node[node].active:
        return False
    s.node[other].active = 1
    if other > node:
        s.node[node].black = 1
    return True


def deactivate(s, node):
    """A node has nothing more to do."""
    if not s.node[node].active:
        return False
    s.node[node].active = 0
    return True


def termination_is_detected_rightly(s, node):
    """With a white token at node 0, white and passive, every node is passive."""
    return s.token != 0 or s.stained or s.node[0].black or s.node[0].active or not s.node[node].active


MODEL = Model(
    state=Ring,
    config=Config,
    initial_states=first_states,
    actions=[initiate_probe, pass_token, send_message, deactivate],
    domains={"other": "nodes"},
    properties=[always(termination_is_detected_rightly)],
)

# Its proof, for a ring of any length: highwater prove ewd840.py:PROVED --any-size --property termination_is_detected_rightly
# --with beyond_token_is_quiet


def beyond_token_is_quiet(s, node):
    """A node that the token has passed is passive, or there is black: on the token, or on a node that it has yet to pass."""
    if node <= s.token or not s.node[node].active or s.stained:
        return True
    for before in range(s.config.nodes):
        if before <= s.token and s.node[before].black:
            return True
    return False


PROVED = replace(MODEL, properties=[*MODEL.properties, always(beyond_token_is_quiet)])
