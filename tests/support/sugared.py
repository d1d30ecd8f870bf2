"""A toy written in short words (`model/language/reading/desugared.py`), each of which does something that other states show."""

from highwater.model.language import MEMBERS, Choice, Model, Record, Settings, State, derived, integer, many, one_of, size
from highwater.properties.property import always


class Phase(Choice):
    """Where a node is."""

    LOW = "its number is low"
    HIGH = "its number is high"
    LEFT = "it counts for nothing"


class Config(Settings):
    """The sizes."""

    nodes = size(3, 1, 5, "nodes")
    top = size(2, 1, 5, "the highest number")
    members = derived(lambda c: c.nodes)


class Node(Record):
    """A node."""

    phase = one_of(Phase, "where it is")
    number = integer(0, "top", "its number")


class Sugared(State):
    """Nodes with numbers."""

    node = many(Node, MEMBERS, "the nodes")
    total = integer(0, 25, "the sum of the numbers")
    last = integer(0, 99, "what came of the last step")


def first_above(s, limit):
    """The first node whose number is above a limit, of those that have not left; 9 where there is none."""
    found = 9
    for node in range(s.config.nodes):
        if s.node[node].phase is Phase.LEFT:
            continue
        if s.node[node].number > limit:
            found = node
            break
    return found


def last_seen(s):
    """Where a loop ends: its variable keeps the value of the last round."""
    seen, node = 0, 0
    for node in range(s.config.nodes):
        seen += 1
        if s.node[node].number == 2:
            if seen > 1:
                break
            seen += 1
        else:
            if s.node[node].phase is Phase.HIGH:
                continue
            seen += 2
        seen += s.node[node].number
    return seen + node


def below(s, limit):
    """The sum of the first numbers: the loop is over a parameter."""
    got = 0
    for node in range(limit):
        if node == 1:
            continue
        got += s.node[node].number
    return got


def numbers(s):
    """Loops over arrays, with and without the number of the element."""
    got = 0
    for node in s.node:
        if node.phase is Phase.LEFT:
            continue
        got += node.number
    for place, node in enumerate(s.node):
        if node.number == 2:
            got += place
            break
    return got + len(s.node)


def twice(s, limit):
    """A parameter is handed on to a loop."""
    return below(s, limit) + below(s, 1)


def step(s, member):
    """A node counts."""
    me, last = s.node[member], s.config.nodes
    if me.number not in range(s.config.top) or me.phase in (Phase.LEFT,):
        return False
    if all(s.node[node].number > me.number for node in range(last) if node != member) and last > 1:
        return False
    me.number += 1
    some = any(s.node[node].number > 1 and any(s.node[number].number == 0 for number in range(last)) for node in range(last))
    me.phase = Phase.HIGH if some else Phase.LEFT if me.number == 2 else Phase.LOW
    s.total = s.last = sum(node.number for node in s.node)
    one, other = 0, 1
    for _ in range(last):
        one, other = other, one + other
    s.last = min((s.node[node].number + one for node in range(last)), default=3) + first_above(s, 1) + last_seen(s) + numbers(s)
    return True


def few_left(s):
    """Few nodes have left, or count."""
    return twice(s, s.config.nodes) + sum(s.node[node].phase is Phase.LEFT for node in range(s.config.nodes)) < 7


def no_high_pair(s):
    """No two nodes are at the top where the last step came to a number in the middle."""
    most = max((s.node[node].number for node in range(s.config.nodes) for number in range(2) if node in (number, 2)), default=7)
    return not (most in (2, 4) and s.last in range(16, 20))


def all_low(s):
    """Every node is low, or every other is."""
    return all(low(s, node) or not some_high(s, node) for node in range(s.config.nodes))


def low(s, node):
    """Whether a node is low."""
    return s.node[node].number < 2


def some_high(s, node):
    """Whether another is not low."""
    return any(other.number == 2 for one, other in enumerate(s.node) if one != node)


MODEL = Model(state=Sugared, config=Config, actions=[step], properties=[always(few_left), always(no_high_pair), always(all_low)])
