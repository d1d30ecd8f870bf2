"""What the store does by itself: watches fire, ephemeral nodes go with their session, a version grows with each write."""

from ..members import NO_BROKER, contains, excluding
from ..vocabulary import Broker, Partition
from .state import Designs, Election, Nodes, SequenceWatch


def has_session(s: Designs, broker: Broker) -> bool:
    """The store knows the broker: it answers it."""
    return contains(s.sessions, broker)


def runs(s: Designs, broker: Broker) -> bool:
    """The process runs."""
    return contains(s.up, broker)


def fire(s: Designs, partition: Partition, broker: Broker) -> None:
    """A watch that is set fires once; the broker sees it later (Z8)."""
    me = s.replica[partition][broker]
    if me.watch and has_session(s, broker):
        me.watch = 0
        me.event = 1


def fire_all(s: Designs, partition: Partition) -> None:
    """The leader node was created or deleted: every watch on it fires."""
    for broker in range(s.config.members):
        fire(s, partition, broker)


def write_node(s: Designs, partition: Partition) -> None:
    """The node with leader and ISR has a new version, which no one knows but who wrote it; the caller notes that (Z4)."""
    if s.config.nodes is Nodes.ONE_NODE:
        for broker in range(s.config.members):
            s.replica[partition][broker].current = 0
            if s.config.election is Election.BY_CONTROLLER:
                s.command[partition][broker].current = 0


def end_session(s: Designs, broker: Broker) -> None:
    """The session is over: its watches and its ephemeral nodes go (Z7)."""
    s.sessions = excluding(s.sessions, broker)
    for partition in range(s.config.partitions):
        me = s.replica[partition][broker]
        me.watch = 0
        me.event = 0
        if s.config.election is Election.BY_NAME and s.node[partition].leader == broker:
            s.node[partition].leader = NO_BROKER
            fire_all(s, partition)
        if s.config.election is Election.BY_SEQUENCE:
            leave_sequence(s, partition, broker)
    if s.config.election is Election.BY_CONTROLLER:
        s.live_event = 1


def leave_sequence(s: Designs, partition: Partition, broker: Broker) -> None:
    """A sequential node goes; who stands behind moves up by one, and those that watch it see it (K1)."""
    node = s.node[partition]
    place = node.place[broker]
    if place > 0:
        node.place[broker] = 0
        for other in range(s.config.members):
            if node.place[other] > place:
                node.place[other] -= 1
                if s.config.sequence_watch is not SequenceWatch.PREDECESSOR or node.place[other] == place:
                    fire(s, partition, other)
            elif s.config.sequence_watch is not SequenceWatch.PREDECESSOR:
                fire(s, partition, other)
        node.leader = first_in_sequence(s, partition)


def first_in_sequence(s: Designs, partition: Partition) -> int:
    """Whose sequential node is the smallest."""
    first = NO_BROKER
    for broker in range(s.config.members):
        if s.node[partition].place[broker] == 1:
            first = broker
    return first


def join_sequence(s: Designs, partition: Partition, broker: Broker) -> None:
    """A sequential node is created behind all others (K1)."""
    node = s.node[partition]
    last = 0
    for other in range(s.config.members):
        last = max(last, node.place[other])
    node.place[broker] = last + 1
    node.leader = first_in_sequence(s, partition)
