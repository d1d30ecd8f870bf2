"""Watches (Z8): set by a read, fired once by the next change, seen later, in the order of firing.

A watch is 0 while it is set. When it fires it takes its place behind the events that its client has not
seen yet: 1 is the next to be seen. A client is a broker, or `NO_BROKER` for the controller that runs
apart from the brokers of the model.
"""

from ..members import NO_BROKER, contains
from ..state import Controller, Kafka


def has_session(s: Kafka, client: int) -> bool:
    """The store counts the client's session as alive."""
    return client == NO_BROKER or contains(s.zookeeper.sessions, client)


def unseen_events(s: Kafka, client: int) -> int:
    """How many fired watches the client has yet to see."""
    count = 0
    if client != NO_BROKER:
        if s.broker[client].controller_watch > 0:
            count += 1
    for epoch in range(s.config.controllers):
        controller = s.controller[epoch]
        if controller.active and controller.host == client:
            if controller.brokers_watch > 0:
                count += 1
            if controller.topics_watch > 0:
                count += 1
            if controller.moves_watch > 0:
                count += 1
    return count


def is_set(s: Kafka, controller: Controller, watch: int) -> int:
    """The controller has read the store, and this watch, in a living session, waits for a change."""
    return controller.active and not controller.recovering and watch == 0 and has_session(s, controller.host)


def fire_brokers_watch(s: Kafka) -> None:
    """The children of /brokers/ids changed."""
    for epoch in range(s.config.controllers):
        controller = s.controller[epoch]
        if is_set(s, controller, controller.brokers_watch):
            controller.brokers_watch = unseen_events(s, controller.host) + 1


def fire_topics_watch(s: Kafka) -> None:
    """The children of /brokers/topics changed."""
    for epoch in range(s.config.controllers):
        controller = s.controller[epoch]
        if is_set(s, controller, controller.topics_watch):
            controller.topics_watch = unseen_events(s, controller.host) + 1


def fire_moves_watch(s: Kafka) -> None:
    """The children of /admin/partitions_reassigned changed."""
    for epoch in range(s.config.controllers):
        controller = s.controller[epoch]
        if is_set(s, controller, controller.moves_watch):
            controller.moves_watch = unseen_events(s, controller.host) + 1


def fire_controller_watch(s: Kafka) -> None:
    """/controller was created or deleted."""
    for broker in range(s.config.members):
        me = s.broker[broker]
        if me.up and me.controller_watch == 0 and has_session(s, broker):
            me.controller_watch = unseen_events(s, broker) + 1


def see_event(s: Kafka, client: int) -> None:
    """The client takes the next event; the watch that fired it is set again by the read that follows."""
    if client != NO_BROKER:
        if s.broker[client].controller_watch > 0:
            s.broker[client].controller_watch -= 1  # Without it, the event is seen again: a broker competes or resigns again.
    for epoch in range(s.config.controllers):
        controller = s.controller[epoch]
        if controller.active and controller.host == client:
            if controller.brokers_watch > 0:
                controller.brokers_watch -= 1
            if controller.topics_watch > 0:
                controller.topics_watch -= 1
            if controller.moves_watch > 0:
                controller.moves_watch -= 1
