"""Chang and Roberts: a leader is elected in a ring. TLA+ Examples: chang_roberts/MCChangRoberts."""

from itertools import product

from highwater.model.language import Choice, Model, Record, Settings, State, flag, many, one_of, size
from highwater.properties.property import always


class Role(Choice):
    """What a node knows of the election."""

    LOST = "it is not the leader"
    CANDIDATE = "it may be the leader"
    WON = "it is the leader"


class Config(Settings):
    """How many there are."""

    nodes = size(3, 1, 6, "nodes in the ring, each with its number as identity")


class Node(Record):
    """One node."""

    initiator = flag("it has begun an election")
    started = flag("it has done its first step")
    role = one_of(Role, "what it knows")
    inbox = many(flag("this identity is on its way to the node"), "nodes", "messages, by identity")


class Ring(State):
    """The nodes; each sends to the next one."""

    node = many(Node, "nodes", "the nodes")


def first_states(config):
    """Any nodes may be initiators."""
    states = []
    for initiators in product((0, 1), repeat=config.nodes):
        state = Ring(config)
        for node, initiator in zip(state.node, initiators, strict=True):
            node.initiator = initiator
            node.role = Role.CANDIDATE if initiator else Role.LOST
        states.append(state)
    return states


def next_of(s, node):
    """The node to which a node sends."""
    return 0 if node == s.config.nodes - 1 else node + 1


def begin(s, node):
    """An initiator sends its own identity; the others do nothing."""
    if s.node[node].started:
        return False
    s.node[node].started = 1
    if s.node[node].initiator:
        s.node[next_of(s, node)].inbox[node] = 1
    return True


def receive(s, node, identity):
    """A node passes on what is lower than its own identity, or all if it has lost; it has won when its own comes back."""
    me = s.node[node]
    if not me.started or not me.inbox[identity]:
        return False
    me.inbox[identity] = 0
    if me.role is Role.LOST or identity < node:
        me.role = Role.LOST
        s.node[next_of(s, node)].inbox[identity] = 1
    elif identity == node:
        me.role = Role.WON
    return True


def the_lowest_initiator_wins(s, node):
    """Who has won is an initiator, all others have lost, and no initiator has a lower identity."""
    if s.node[node].role is not Role.WON:
        return True
    others_lost = all(s.node[other].role is Role.LOST for other in range(s.config.nodes) if other != node)
    return (
        s.node[node].initiator == 1 and others_lost and not any(s.node[n].initiator and n < node for n in range(s.config.nodes))
    )


MODEL = Model(
    state=Ring,
    config=Config,
    initial_states=first_states,
    domains={"node": "nodes", "identity": "nodes"},
    actions=[begin, receive],
    properties=[always(the_lowest_initiator_wins)],
)
