"""V1 and V2: who creates the ephemeral leader node leads; the others watch it (election by name)."""

from ..members import NO_BROKER, contains
from ..vocabulary import Broker, Partition
from .queue import tell_followers
from .state import Changes, Designs, Election, Nodes, Race, WatchAgain
from .store import fire_all, has_session, runs, write_node


def may_act(s: Designs, broker: Broker) -> bool:
    """The replica's broker runs, in session: the store answers it."""
    return runs(s, broker) and has_session(s, broker)


def look(s: Designs, partition: Partition, broker: Broker) -> bool:
    """A replica of a broker that is new in the store reads whether there is a leader, and sets its watch.

    If there is none it competes, if the ISR has it: only then has it all that was committed.

    Design: ZH v1, broker startup (V1, E1).   Kafka: 0.7 to 0.8, before the controller.
    Modifies: replica[partition][broker].
    """
    if s.config.election is not Election.BY_NAME:
        return False
    if not may_act(s, broker):
        return False
    me = s.replica[partition][broker]
    if me.phase is not Race.LOOKING:
        return False

    me.watch = 1
    me.event = 0
    find_leader(s, partition, broker, Race.RESTS)
    return True


def find_leader(s: Designs, partition: Partition, broker: Broker, otherwise: Race) -> None:
    """What a replica does with what it reads: follow, compete, or `otherwise`."""
    me = s.replica[partition][broker]
    me.isr = 0
    me.current = 0
    me.phase = otherwise
    me.leader = s.node[partition].leader
    if me.leader == NO_BROKER and contains(s.node[partition].isr, broker):
        me.phase = Race.COMPETING
        if s.config.nodes is Nodes.ONE_NODE:
            me.current = 1


def see_leader_change(s: Designs, partition: Partition, broker: Broker) -> bool:
    """A replica sees that the leader node came or went: it follows, or competes; its watch is used up.

    Under V2 it waits until the leader tells it whom to follow.

    Design: ZH v1, leader change; ZH v2, leader-change watch (V1, V2, Z8).   Kafka: 0.7 to 0.8, before the controller.
    Modifies: replica[partition][broker].
    """
    if s.config.election is not Election.BY_NAME:
        return False
    if not may_act(s, broker):
        return False
    me = s.replica[partition][broker]
    if not me.event:
        return False

    before = me.leader
    me.event = 0
    find_leader(s, partition, broker, Race.LOST)
    if s.config.changes is Changes.QUEUED and me.leader != NO_BROKER:
        me.leader = before
    return True


def create_leader(s: Designs, partition: Partition, broker: Broker) -> bool:
    """A replica tries to create the leader node; one succeeds. A replica that comes later follows, and has yet to set its watch.

    Where leader and ISR are one node it writes on the version that it read, and reads again when that has changed.

    Design: ZH leader election, v1 (V1, D1).   Kafka: 0.7 to 0.8, before the controller.
    Modifies: node[partition], replica[partition], queue, command[partition].
    """
    if s.config.election is not Election.BY_NAME:
        return False
    if not may_act(s, broker):
        return False
    me = s.replica[partition][broker]
    if me.phase is not Race.COMPETING:
        return False

    if s.node[partition].leader == NO_BROKER and s.config.nodes is Nodes.ONE_NODE and not me.current:
        find_leader(s, partition, broker, Race.LOST)
    elif s.node[partition].leader == NO_BROKER:
        me.watch = 0  # it needs none on a node of its own
        me.event = 0
        me.phase = Race.RESTS
        s.node[partition].leader = broker
        write_node(s, partition)
        me.leader = broker
        me.isr = s.node[partition].isr
        if s.config.nodes is Nodes.ONE_NODE:
            me.current = 1
        fire_all(s, partition)
        if s.config.changes is Changes.QUEUED:
            tell_followers(s, partition, broker)
    else:
        me.phase = Race.LOST
        if s.config.changes is not Changes.QUEUED:
            me.leader = s.node[partition].leader
    return True


def watch_again(s: Designs, partition: Partition, broker: Broker) -> bool:
    """A replica that did not become the leader sets its watch again.

    V1 says no more than that. What happened since it was refused is then missed: if the new leader went, too, no one competes.

    Design: ZH leader election, v1 (V1, Z8).   Kafka: 0.7 to 0.8, before the controller.
    Modifies: replica[partition][broker].
    """
    if s.config.election is not Election.BY_NAME:
        return False
    if not may_act(s, broker):
        return False
    me = s.replica[partition][broker]
    if me.phase is not Race.LOST:
        return False

    before = me.leader
    me.watch = 1
    me.phase = Race.RESTS
    if s.config.watch_again is WatchAgain.LOOKS:
        find_leader(s, partition, broker, Race.RESTS)
        if s.config.changes is Changes.QUEUED and me.leader != NO_BROKER:
            me.leader = before
    return True
