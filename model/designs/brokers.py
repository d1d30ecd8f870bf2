"""Brokers stop, lose their session, and come back."""

from ..members import NO_BROKER, contains, excluding, including
from ..vocabulary import Broker, Partition
from .state import Designs, Election, Nodes, Race
from .store import end_session, has_session, runs


def crash(s: Designs, broker: Broker) -> bool:
    """A broker stops, and forgets what it believed. Its session lives until the store has missed it.

    Design: ZH v1, "a broker is down" (Q18).   Kafka: a broker that fails.
    Modifies: up, replica, command, crashes.
    """
    if s.crashes >= s.config.crashes:
        return False  # budget
    if not runs(s, broker):
        return False

    s.crashes += 1
    s.up = excluding(s.up, broker)
    for partition in range(s.config.partitions):
        me = s.replica[partition][broker]
        me.leader = NO_BROKER
        me.isr = 0
        me.current = 0
        me.watch = 0
        me.event = 0
        me.phase = Race.RESTS
        if s.config.election is Election.BY_CONTROLLER:
            forget_command(s, partition, broker)
    return True


def forget_command(s: Designs, partition: Partition, broker: Broker) -> None:
    """Nothing is on its way to the broker."""
    command = s.command[partition][broker]
    command.sent = 0
    command.leader = NO_BROKER
    command.isr = 0
    command.current = 0


def expire_session(s: Designs, broker: Broker) -> bool:
    """The store expires a session: of a broker that has stopped, or of one that it has not heard from.

    Design: V3 discussion 3, comment A.3 (Z7).   Kafka: ZooKeeper's session timeout.
    Modifies: sessions, node, replica, live_event, session_expiries.
    """
    if not has_session(s, broker):
        return False
    if runs(s, broker) and s.session_expiries >= s.config.session_expiries:
        return False  # budget

    if runs(s, broker):
        s.session_expiries += 1
    end_session(s, broker)
    return True


def notice_session_expiry(s: Designs, broker: Broker) -> bool:
    """A broker learns that its session has expired, and registers in a new one; what it believes, it still believes.

    Under V1 and V2 it then reads who leads, as at a start; under V3 the controller tells it.

    Design: V3 comment A.3; ZH v1, broker startup (Z7).   Kafka: KafkaHealthcheck.handleNewSession.
    Modifies: sessions, replica, live_event.
    """
    if not runs(s, broker):
        return False
    if has_session(s, broker):
        return False

    register(s, broker)
    return True


def start_broker(s: Designs, broker: Broker) -> bool:
    """A broker that stopped starts again, in a new session.

    Design: ZH v1, broker startup; V3 E (E1).   Kafka: KafkaServer.startup.
    Modifies: up, sessions, replica, command, live_event.
    """
    if runs(s, broker):
        return False
    if has_session(s, broker):
        return False  # the store would refuse to register it twice

    s.up = including(s.up, broker)
    register(s, broker)
    if s.config.election is Election.BY_CONTROLLER:
        for partition in range(s.config.partitions):
            take_published_role(s, partition, broker)
    return True


def take_published_role(s: Designs, partition: Partition, broker: Broker) -> None:
    """V3 E: a broker that starts leads or follows as the store says; the controller may not have missed it at all.

    What was sent to it before is of no larger leader epoch than what it reads, and will be dropped (C5).
    """
    forget_command(s, partition, broker)
    me = s.replica[partition][broker]
    me.leader = s.node[partition].leader
    if me.leader == broker:
        me.isr = s.node[partition].isr
        if s.config.nodes is Nodes.ONE_NODE:
            me.current = 1


def register(s: Designs, broker: Broker) -> None:
    """Create /brokers/ids/[broker]; each replica then looks who leads, or the controller sees the broker."""
    s.sessions = including(s.sessions, broker)
    if s.config.election is Election.BY_CONTROLLER:
        s.live_event = 1
    else:
        for partition in range(s.config.partitions):
            s.replica[partition][broker].phase = Race.LOOKING


def follows(s: Designs, partition: Partition, follower: Broker, leader: Broker) -> bool:
    """The follower runs and fetches from this leader."""
    return contains(s.up, follower) and s.replica[partition][follower].leader == leader and leads(s, partition, leader)


def leads(s: Designs, partition: Partition, broker: Broker) -> bool:
    """The broker runs and believes that it leads."""
    return contains(s.up, broker) and s.replica[partition][broker].leader == broker
