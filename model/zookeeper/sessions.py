"""Sessions (Z7, Z11): they expire when a broker is dead, and also when it only seemed so."""

from ..members import NO_BROKER, contains
from ..state import Kafka
from ..vocabulary import Broker
from .watches import unseen_events
from .znodes import end_session


def expire_session(s: Kafka, broker: Broker) -> bool:
    """ZooKeeper expires the session of a broker that it has not heard from.

    The broker is dead; or it is in a long garbage collection or cut off, and becomes a zombie: it lives and
    acts on what it knew. Only the second case is a fault with a budget.

    Design: V3 discussion 3, comment A.3 (Z7).   Kafka: ZooKeeper's session timeout.
    Modifies: zookeeper, controller, broker, spent.
    Reads: zookeeper.sessions, zookeeper.broker_ids, zookeeper.controller (the store's own step).
    """
    if not contains(s.zookeeper.sessions, broker):
        return False
    if s.broker[broker].up and s.spent.session_expiries >= s.config.session_expiries:
        return False  # budget

    if s.broker[broker].up:
        s.spent.session_expiries += 1
    end_session(s, broker)
    return True


def watch_controller_path(s: Kafka, broker: Broker) -> None:
    """Read /controller in a new session; if it does not exist, that is an event to act on (D)."""
    me = s.broker[broker]
    me.controller_watch = 0
    if may_create_controller_path(s):
        me.controller_watch = unseen_events(s, broker) + 1  # Without it, the broker may never compete (availability).


def may_create_controller_path(s: Kafka) -> bool:
    """/controller is not there, and the budget still has a controller to elect."""
    return s.zookeeper.controller == NO_BROKER and may_be_elected(s)


def may_be_elected(s: Kafka) -> bool:
    """The budget still has a controller to elect; without one, no broker competes."""
    return s.zookeeper.controller_epoch < s.config.controller_changes


def awaits_registration(s: Kafka, broker: Broker) -> bool:
    """The broker has registered in a new session, does not know it yet, and obeys no request that names it (KAFKA-9839)."""
    if s.config.unknown_registrations == 0:
        return False
    return s.broker[broker].registering == 1


def begin_registration(s: Kafka, broker: Broker) -> None:
    """The store has the node of the new session; the answer is on its way (Z12)."""
    if s.config.unknown_registrations > 0:
        s.broker[broker].registering = 1
