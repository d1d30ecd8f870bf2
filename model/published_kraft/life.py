"""Brokers stop, start and register."""

from ..members import NO_BROKER, contains, excluding, how_many, including
from ..vocabulary import Broker, Offset
from .controller import after, elect_if_needed, fence, may_lead, may_lead_with, may_lead_without, unfence, unfenced
from .messages import drop_fetches_of
from .replica import forget_followers, forget_pending, refuse_writes, stop_fetching, truncate
from .state import NOTHING, LastReplica, PublishedKraft, Recovery, Role, Stage, Status

# A broker stops.


def is_offline(s: PublishedKraft, broker: Broker) -> bool:
    """The broker does not run."""
    return s.broker[broker].status is Status.OFFLINE_CLEAN or s.broker[broker].status is Status.OFFLINE_DIRTY


def clean_shutdown(s: PublishedKraft, broker: Broker, next_leader: Broker, way: int) -> bool:
    """A broker stops and keeps its log; the controller fences it at once.

    KIP-966: with way 1 it ends clean, and finds its broker epoch again when it starts; with way 0 it does not.

    Design: KR2; published KRaft specifications, CleanShutdown, NoDataLossShutdown.   Kafka: BrokerLifecycleManager.
    Modifies: controller, change, changes, broker, alteration, fetch, clean_shutdowns, acknowledged, refused.
    """
    if s.clean_shutdowns >= s.config.clean_shutdowns:
        return False  # budget
    if is_offline(s, broker):
        return False
    if s.config.recovery is not Recovery.ELIGIBLE_REPLICAS and way == 0:
        return False  # no broker finds its epoch again
    if not may_lead_without(s, broker, after(s, next_leader)):
        return False

    me = s.broker[broker]
    if s.config.recovery is not Recovery.ELIGIBLE_REPLICAS or way == 0:
        me.broker_epoch = 0
    stop(s, broker, after(s, next_leader))
    me.status = Status.OFFLINE_CLEAN
    s.clean_shutdowns += 1
    return True


def unclean_shutdown(s: PublishedKraft, broker: Broker, next_leader: Broker) -> bool:
    """A broker stops and loses its log; the controller fences it at once.

    Design: KR2; published KRaft specifications, UncleanShutdown, DataLossShutdown.   Kafka: a broker that fails.
    Modifies: controller, change, changes, broker, alteration, fetch, unclean_shutdowns, acknowledged, refused.
    """
    if s.unclean_shutdowns >= s.config.unclean_shutdowns:
        return False  # budget
    if is_offline(s, broker):
        return False
    if is_protected(s, broker):
        return False
    if not may_lead_without(s, broker, after(s, next_leader)):
        return False

    me = s.broker[broker]
    stop(s, broker, after(s, next_leader))
    me.status = Status.OFFLINE_DIRTY
    me.broker_epoch = 0
    me.start = NOTHING
    me.hw = 0
    truncate(s, broker, 0)
    s.unclean_shutdowns += 1
    return True


def is_protected(s: PublishedKraft, broker: Broker) -> bool:
    """Before KIP-966: what the last of the ISR has is lost with it, which the specification leaves out on demand."""
    isr = s.controller.now.isr
    return (
        s.config.recovery is Recovery.ISR_OF_ONE
        and s.config.last_replica is LastReplica.PROTECTED
        and contains(isr, broker)
        and how_many(s, isr) == 1
    )


def stop(s: PublishedKraft, broker: Broker, leader: Broker) -> None:
    """What both kinds of shutdown do; `leader` leads afterwards."""
    me = s.broker[broker]
    drop_fetches_of(s, broker)
    for other in range(s.config.members):
        stop_fetching(me.fetcher[other])
        me.fetcher[other].waits = 0
        if other != broker:
            it = s.broker[other].fetcher[broker]
            if it.waits and it.added:
                it.delayed = 1
            it.waits = 0
    if me.role is Role.LEADER:
        refuse_writes(s, broker)
    me.floor = NOTHING
    me.role = Role.NONE
    me.incarnation = 0
    forget_followers(s, broker)
    forget_pending(s, broker)
    fence(s, broker, leader)


# A broker starts.


def broker_start(s: PublishedKraft, broker: Broker) -> bool:
    """A broker that stopped starts, and asks to be registered under a new incarnation.

    Design: KR2; published KRaft specifications, BrokerStart.   Kafka: BrokerLifecycleManager.
    Modifies: broker[broker], start, starts.
    """
    if not is_offline(s, broker):
        return False

    me = s.broker[broker]
    it = s.start[s.starts]
    it.broker = broker
    it.kept_epoch = me.broker_epoch
    it.stage = Stage.ASKED
    s.starts += 1
    me.status = Status.STARTING
    me.incarnation = s.config.brokers + s.starts
    me.role = Role.NONE
    return True


def receive_registration_request(s: PublishedKraft, start: Offset, next_leader: Broker) -> bool:
    """The controller registers a broker under a new broker epoch, and unfences it.

    KIP-966: a broker that has no epoch of the run before has lost records, perhaps, and leaves the ISR and the ELR.

    Design: KR2; published KRaft specifications, ReceiveBrokerRegRequest.   Kafka: ClusterControlManager.registerBroker.
    Modifies: controller, change, changes, start.
    """
    it = s.start[start]
    if it.stage is not Stage.ASKED:
        return False
    broker = it.broker
    registered = s.controller.registration[broker]
    incarnation = s.config.brokers + 1 + start
    if not registered.fenced and registered.incarnation != incarnation:
        return False  # another process of this name is alive
    unclean = s.config.recovery is Recovery.ELIGIBLE_REPLICAS and it.kept_epoch == 0
    isr = excluding(s.controller.now.isr, broker)
    elr = excluding(s.controller.now.elr, broker)
    if unclean:
        if not may_lead(s, isr, elr, including(unfenced(s), broker), after(s, next_leader)):
            return False
    elif not may_lead_with(s, broker, after(s, next_leader)):
        return False

    it.applied = s.changes
    if unclean:
        elect_if_needed(s, isr, elr, including(unfenced(s), broker), after(s, next_leader))
        registered.fenced = 0
    else:
        unfence(s, broker, after(s, next_leader))
    s.controller.last_broker_epoch += 1
    registered.broker_epoch = s.controller.last_broker_epoch
    registered.incarnation = incarnation
    it.broker_epoch = s.controller.last_broker_epoch
    it.stage = Stage.ANSWERED
    return True


def receive_registration_response(s: PublishedKraft, start: Offset) -> bool:
    """The broker runs, and has the metadata log up to the change before its registration, but no replica yet.

    Design: KR2; published KRaft specifications, ReceiveBrokerRegResponse.   Kafka: BrokerLifecycleManager.
    Modifies: broker, start.
    """
    it = s.start[start]
    if it.stage is not Stage.ANSWERED:
        return False
    me = s.broker[it.broker]
    if me.status is not Status.STARTING or me.incarnation != s.config.brokers + 1 + start:
        return False

    me.status = Status.RUNNING
    me.broker_epoch = it.broker_epoch
    me.applied = max(it.applied - 1, 0)
    me.known.replicas = 0
    me.known.isr = 0
    me.known.maximal_isr = 0
    me.known.leader = NO_BROKER
    me.known.leader_epoch = 0
    me.known.partition_epoch = 0
    it.stage = Stage.DONE
    return True
