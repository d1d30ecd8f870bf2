"""Termination of nodes that wake each other, and somebody who detects it. TLA+ Examples: ewd998/AsyncTerminationDetection."""

from itertools import product

from highwater.model.language import Model, Record, Settings, State, flag, integer, many, size
from highwater.properties.property import always, leads_to, step


class Config(Settings):
    """The sizes; messages beyond the limit are not sent, where TLC has a constraint."""

    nodes = size(4, 1, 6, "nodes")
    pending = size(3, 1, 6, "messages on their way to a node, at most")


class Node(Record):
    """A node."""

    active = flag("it works")
    pending = integer(0, "pending", "messages on their way to it")


class Nodes(State):
    """The nodes."""

    node = many(Node, "nodes", "the nodes")
    detected = flag("termination was detected")


def first_states(config):
    """Any nodes may be active; where none is, that may have been detected."""
    states = []
    for active in product((0, 1), repeat=config.nodes):
        for detected in (0, 1) if not any(active) else (0,):
            state = Nodes(config)
            state.detected = detected
            for node, value in zip(state.node, active, strict=True):
                node.active = value
            states.append(state)
    return states


def terminated(s):
    """No node is active, and nothing is on its way."""
    return not any(s.node[node].active or s.node[node].pending for node in range(s.config.nodes))


def detected(s):
    """Termination was detected."""
    return s.detected == 1


def terminate(s, node, at_once):
    """A node becomes passive; if it was the last one, that may be detected at once."""
    if not s.node[node].active:
        return False
    if at_once and (s.node[node].pending or any(is_busy(s, other) for other in range(s.config.nodes) if other != node)):
        return False
    s.node[node].active = 0
    if at_once:
        s.detected = 1
    return True


def is_busy(s, node):
    """Whether a node works, or is about to be woken."""
    return s.node[node].active == 1 or s.node[node].pending > 0


def send(s, node, other):
    """An active node sends a message."""
    if not s.node[node].active or s.node[other].pending == s.config.pending:
        return False
    s.node[other].pending += 1
    return True


def receive(s, node):
    """A node receives a message, and is active."""
    if not s.node[node].pending:
        return False
    s.node[node].pending -= 1
    s.node[node].active = 1
    return True


def detect(s):
    """Termination is detected."""
    if s.detected or not terminated(s):
        return False
    s.detected = 1
    return True


def what_is_detected_is_true(s):
    """Termination is detected only when all have terminated."""
    return not s.detected or terminated(s)


def nothing_happens_after_the_end(s, t):
    """Who has terminated stays so."""
    return not terminated(s) or terminated(t)


MODEL = Model(
    state=Nodes,
    config=Config,
    initial_states=first_states,
    domains={"node": "nodes", "other": "nodes", "at_once": 2},
    actions=[terminate, send, receive, detect],
    weak=[detect],
    properties=[always(what_is_detected_is_true), step(nothing_happens_after_the_end), leads_to(terminated, detected)],
)
