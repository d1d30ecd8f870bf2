"""Safra's termination detection on a ring (EWD 998): a token counts the messages that are on their way."""

import itertools

from highwater.model.language import MEMBERS, Model, Record, Settings, State, derived, flag, integer, many, one, size
from highwater.properties.property import always, leads_to


class Sizes(Settings):
    """How large the ring is."""

    nodes = size(3, 2, 4, "nodes")
    members = derived(lambda c: c.nodes)


class Node(Record):
    """A node of the ring."""

    active = flag("it works")
    black = flag("it has received a message")
    counter = integer(-12, 3, "messages sent, less those received")
    pending = integer(0, 3, "messages on their way to it")


class Token(Record):
    """The token."""

    at = integer(0, 3, "who has it")
    sum = integer(-30, 9, "messages that were counted")
    black = flag("it says nothing")


class Ring(State):
    """Nodes, and the token."""

    node = many(Node, MEMBERS)
    token = one(Token)


def initiate_probe(s):
    """The first node sends the token around, if the last round did not decide."""
    me = s.node[0]
    if s.token.at != 0 or not (s.token.black or me.black or me.counter + s.token.sum > 0):
        return False
    s.token.at = s.config.nodes - 1
    s.token.sum = 0
    s.token.black = 0
    me.black = 0
    return True


def pass_token(s, node):
    """A passive node passes it on, and becomes white."""
    me = s.node[node]
    if node == 0 or me.active or s.token.at != node or s.token.sum + me.counter > 9:
        return False
    s.token.at = node - 1
    s.token.sum += me.counter
    s.token.black = me.black or s.token.black
    me.black = 0
    return True


def send_message(s, node, to):
    """An active node sends a message; the original's constraint allows three at most."""
    if node == to or not s.node[node].active or s.node[node].counter == 3 or s.node[to].pending == 3:
        return False
    s.node[node].counter += 1
    s.node[to].pending += 1
    return True


def receive_message(s, node):
    """A message arrives: the node works, and is black."""
    me = s.node[node]
    if me.pending == 0:
        return False
    me.pending -= 1
    me.counter -= 1
    me.black = 1
    me.active = 1
    return True


def deactivate(s, node):
    """A node has finished."""
    if not s.node[node].active:
        return False
    s.node[node].active = 0
    return True


def terminated(s):
    """Nobody works, and no message is on its way."""
    return all(not one.active and one.pending == 0 for one in s.node)


def detected(s):
    """The first node knows it."""
    me = s.node[0]
    return s.token.at == 0 and not s.token.black and s.token.sum + me.counter == 0 and not me.black and not me.active


def what_is_detected_is_true(s):
    """Termination is detected only where it is there."""
    return not detected(s) or terminated(s)


def messages_are_counted(s):
    """What is on its way has been sent, and not been received."""
    return sum(one.pending for one in s.node) == sum(one.counter for one in s.node)


def begin(config):
    """Each node works or not, white or black; the token is anywhere, and black."""
    states = []
    for at, *values in itertools.product(range(config.nodes), *[(0, 1)] * 2 * config.nodes):
        state = Ring(config)
        state.token.at, state.token.black = at, 1
        for number in range(config.nodes):
            state.node[number].active, state.node[number].black = values[2 * number], values[2 * number + 1]
        states.append(state)
    return states


MODEL = Model(
    state=Ring,
    config=Sizes,
    domains={"to": MEMBERS},
    actions=[initiate_probe, pass_token, send_message, receive_message, deactivate],
    weak=[initiate_probe, pass_token],
    initial_states=begin,
    properties=[always(what_is_detected_is_true), always(messages_are_counted), leads_to(terminated, detected)],
)
