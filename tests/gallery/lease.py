"""A lease by clocks that drift: a node may be late, and stops a margin before its lease ends."""

from highwater.model.language import Model, Record, Settings, State, integer, many, size
from highwater.properties.property import always, recoverable, sometimes


class Config(Settings):
    """A lease, and how far clocks are to be trusted."""

    nodes = size(3, 1, 4, "nodes")
    ticks = size(4, 1, 6, "ticks of a lease")
    margin = size(1, 0, 3, "ticks by which a node stops earlier")
    drift = size(1, 0, 3, "ticks that a node's clock may miss in one lease")


class Node(Record):
    """A node."""

    left = integer(0, "ticks", "the ticks for which it believes that it has the lease")
    missed = integer(0, "drift", "the ticks that its clock has missed in this lease")


class Lease(State):
    """The server, which gives the lease, and the nodes."""

    left = integer(0, "ticks", "the ticks that are left of the lease; 0: nobody has it")
    owner = integer(0, "nodes", "who had it last, from 1; 0: nobody yet")
    node = many(Node, "nodes")


def grant(s, node):
    """A node gets the lease, when nobody has it."""
    if s.left > 0:
        return False
    s.left = s.config.ticks
    s.owner = node + 1
    s.node[node].left = max(0, s.config.ticks - s.config.margin)
    s.node[node].missed = 0
    return True


def tick(s):
    """Time passes for all."""
    if s.left == 0 and not any(one.left > 0 for one in s.node):
        return False
    s.left = max(0, s.left - 1)
    for one in s.node:
        one.left = max(0, one.left - 1)
    return True


def tick_missed(s, node):
    """Time passes, and the clock of one node that has the lease misses it."""
    me = s.node[node]
    if me.left == 0 or me.missed == s.config.drift:
        return False
    me.missed += 1
    s.left = max(0, s.left - 1)
    for other in range(s.config.nodes):
        if other != node:
            s.node[other].left = max(0, s.node[other].left - 1)
    return True


def one_holder(s, node, other):
    """No two nodes believe that they have the lease."""
    return node == other or s.node[node].left == 0 or s.node[other].left == 0


def holder_is_owner(s, node):
    """A node that believes so is the one that the server means."""
    return s.node[node].left == 0 or (s.left > 0 and s.owner == node + 1)


def held_to_the_end(s, node):
    """A late node believes until its last tick."""
    return s.node[node].left == 1 and s.left == 1


def nobody_has_it(s):
    """Nobody has the lease, and it can be given again."""
    return s.left == 0


MODEL = Model(
    state=Lease,
    config=Config,
    actions=[grant, tick, tick_missed],
    domains={"other": "nodes"},
    properties=[always(one_holder), always(holder_is_owner), sometimes(held_to_the_end), recoverable(nobody_has_it)],
)
