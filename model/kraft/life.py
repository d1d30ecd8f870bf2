"""Registrations: brokers are fenced, unfenced, register again, and shut down (KR2)."""

from ..broker.roles import delete_directory
from ..broker.shut_down import stop_in_order
from ..choices import EmptyEpoch
from ..epoch_cache import forget_epochs_from
from ..kraft_choices import EarlyRegistration, UncleanRegistration, Unfencing
from ..members import NO_BROKER, contains, excluding, including, only
from ..vocabulary import Broker, Partition, Writing
from .elections import can_change, change_partition, elected, elr_after, write_partition
from .images import take_image
from .quorum import active, append_change, electable, elr_is_on, has_room
from .state import Kraft
from .topics import delete_earlier_topic, is_blocked


def fence(s: Kraft, broker: Broker, other: Broker) -> bool:
    """The controller has not heard from a broker in time: it is fenced, and leaves every ISR, with one batch of records.

    `other` leads what the broker has led, if it may; the broker itself stands for nobody. A broker that lives and is fenced has
    been paused, or its heartbeats are late: its metadata need not be.

    Design: KIP-631 (KR2, KR3).   Kafka: ReplicationControlManager.maybeFenceOneStaleBroker, handleBrokerFenced.
    Modifies: zookeeper, metadata, spent.
    Reads: zookeeper, metadata (the log, which the controller writes); broker[broker].up (its heartbeats).
    """
    if not contains(s.zookeeper.broker_ids, broker):
        return False
    if s.broker[broker].up and s.spent.fences >= s.config.fences:
        return False  # budget
    if not has_room(s):
        return False
    if not can_leave(s, broker, other):
        return False

    if s.broker[broker].up:
        s.spent.fences += 1
    leave(s, broker, other)
    return True


def can_leave(s: Kraft, broker: Broker, other: Broker) -> bool:
    """`other` is who is elected first if the broker is not active any more, or it stands for nobody; and epochs are left."""
    among = excluding(electable(s), broker)
    first = broker
    for partition in range(s.config.partitions):
        node = s.zookeeper.leader_and_isr[partition]
        if contains(node.isr, broker):
            isr = excluding(node.isr, broker)
            if not can_change(s, partition, isr, among, other):
                return False
            leader = elected(s, partition, isr, elr_after(s, partition, isr, 0), among, other)
            if node.leader == broker and leader != NO_BROKER and first == broker:
                first = leader
    return first == other  # Without it, what happens has several names.


def leave(s: Kraft, broker: Broker, other: Broker) -> None:
    """The broker is not active any more: it leaves all ISRs, and leads nothing."""
    s.zookeeper.broker_ids = excluding(s.zookeeper.broker_ids, broker)
    s.zookeeper.sessions = s.zookeeper.broker_ids
    s.metadata[0].leaving = excluding(s.metadata[0].leaving, broker)
    leave_isrs(s, broker, other)
    append_change(s, 0)


def leave_isrs(s: Kraft, broker: Broker, other: Broker) -> None:
    """Each partition with the broker in its ISR changes.

    Kafka: ReplicationControlManager.generateLeaderAndIsrUpdates.
    """
    for partition in range(s.config.partitions):
        node = s.zookeeper.leader_and_isr[partition]
        if contains(node.isr, broker):
            change_partition(s, partition, excluding(node.isr, broker), excluding(electable(s), broker), other)


def unfence(s: Kraft, broker: Broker) -> bool:
    """A fenced broker's heartbeat says that it has applied its own registration: it is unfenced, and leads what nobody else may.

    How far it has applied the log since is not asked, since 3.3; before, it must have applied all of it (KAFKA-13959).

    Design: KIP-631 (KR2, KR3).   Kafka: BrokerHeartbeatManager.calculateNextBrokerState,
        ReplicationControlManager.handleBrokerUnfenced.
    Modifies: zookeeper, metadata.
    Reads: zookeeper, metadata (the log, which the controller writes); broker[broker].up, broker[broker].leaving (its heartbeat).
    """
    if not s.broker[broker].up:
        return False
    if s.broker[broker].leaving:
        return False  # it asks to stop
    if contains(s.zookeeper.broker_ids, broker):
        return False
    if s.config.unfencing is Unfencing.WHOLE_LOG and s.metadata[0].applied[broker] < s.metadata[0].length:
        return False
    if not has_room(s):
        return False
    for partition in range(s.config.partitions):
        node = s.zookeeper.leader_and_isr[partition]
        if node.leader == NO_BROKER and node.leader_epoch >= s.config.max_epoch:
            return False  # bound of the exploration

    s.zookeeper.broker_ids = including(s.zookeeper.broker_ids, broker)
    s.zookeeper.sessions = s.zookeeper.broker_ids
    for partition in range(s.config.partitions):
        node = s.zookeeper.leader_and_isr[partition]
        if node.leader == NO_BROKER:
            change_partition(s, partition, node.isr, electable(s), broker)
    append_change(s, 0)
    return True


def register(s: Kraft, broker: Broker) -> bool:
    """A broker starts, registers under a new broker epoch, and applies the log up to there; it is fenced until it says so.

    The controller refuses it while its earlier registration has a session; here until that is fenced. A crash is recognised by
    the broker epoch that a clean shutdown leaves on disk: then the broker is no eligible replica any more (KIP-966).

    Design: KIP-631, KIP-966 (KR2).   Kafka: ClusterControlManager.registerBroker, BrokerServer.startup,
        ReplicationControlManager.handleUncleanBrokerShutdown.
    Modifies: broker[broker], produce_request, zookeeper, metadata, replica, isr_write, fetch_request, fetch_response,
        late_response, history.
    Reads: zookeeper, metadata (the log); broker (who lives, to begin the log where all have applied it).
    """
    if s.broker[broker].up:
        return False
    if contains(s.spent.lost_brokers, broker):
        return False  # it never comes back
    if contains(s.zookeeper.broker_ids, broker):
        return False
    if not has_room(s):
        return False
    if not can_leave_elrs(s, broker):
        return False  # bound of the exploration

    start_again(s, broker)
    return True


def register_early(s: Kraft, broker: Broker) -> bool:
    """A broker that has crashed registers again when its session has ended, and before the controller has fenced it.

    The registration fences it. Up to 3.9 nothing else is written: the log says that it leads what it has led, in the same epoch,
    whatever its disk has lost. Since then its partitions change too: that is `fence`, then `register`.

    Design: KIP-631 (KR2).   Kafka: ClusterControlManager.registerBroker, ReplicationControlManager.handleBrokerShutdown.
    Modifies: broker[broker], produce_request, zookeeper, metadata, replica, isr_write, fetch_request, fetch_response,
        late_response, history, spent.
    Reads: zookeeper, metadata (the log); broker (who lives, to begin the log where all have applied it).
    """
    if s.config.early_registration is EarlyRegistration.LEAVES:
        return False
    if s.spent.early_registrations >= s.config.early_registrations:
        return False  # budget
    if s.broker[broker].up:
        return False
    if contains(s.spent.lost_brokers, broker):
        return False  # it never comes back
    if not contains(s.zookeeper.broker_ids, broker):
        return False  # it is fenced: `register`
    if not has_room(s):
        return False

    s.spent.early_registrations += 1
    s.zookeeper.broker_ids = excluding(s.zookeeper.broker_ids, broker)
    s.zookeeper.sessions = s.zookeeper.broker_ids
    s.metadata[0].leaving = excluding(s.metadata[0].leaving, broker)
    start_again(s, broker)
    return True


def start_again(s: Kraft, broker: Broker) -> None:
    """The registration is written, and the broker runs with the log up to there."""
    leave_elrs(s, broker)
    append_change(s, only(broker))  # before it runs: it waits for no earlier change
    s.broker[broker].up = 1
    s.broker[broker].leaving = 0
    s.metadata[0].applied[broker] = s.metadata[0].length
    for partition in range(s.config.partitions):
        mark_requests(s, partition, broker)
        if s.config.empty_epochs is EmptyEpoch.DROPPED:
            me = s.replica[partition][broker]
            forget_epochs_from(s, me, me.leo)
        blocked = is_blocked(s, partition, broker)
        if s.config.recreations > 0:
            delete_earlier_topic(s, partition, broker)
        if contains(s.zookeeper.assigned[partition], broker) and not blocked:
            node = s.zookeeper.leader_and_isr[partition]
            take_image(s, partition, broker, node.leader, node.leader_epoch, node.version, node.isr)
        elif s.config.reassignments > 0:
            delete_directory(s, partition, broker)  # stray: it was moved away meanwhile


def leaves_elr(s: Kraft, partition: Partition, broker: Broker) -> bool:
    """The broker was an eligible replica, and has crashed or lost its disk, which the controller notices.

    Kafka: CleanShutdownFileHandler.read.
    """
    if s.config.unclean_registration is not UncleanRegistration.REMOVED or not elr_is_on(s):
        return False
    if s.broker[broker].leaving and s.replica[partition][broker].exists:
        return False  # its disk says that it has stopped in order
    return contains(s.metadata[0].elr[partition], broker)  # Without it, others leave too, which changes nothing.


def leader_then(s: Kraft, partition: Partition, broker: Broker) -> int:
    """Who leads once the broker is no eligible replica."""
    elr = excluding(s.metadata[0].elr[partition], broker)
    return elected(s, partition, s.zookeeper.leader_and_isr[partition].isr, elr, electable(s), broker)


def can_leave_elrs(s: Kraft, broker: Broker) -> bool:
    """An epoch is left for each partition that gets a leader then."""
    for partition in range(s.config.eligible_partitions):
        node = s.zookeeper.leader_and_isr[partition]
        if leaves_elr(s, partition, broker) and leader_then(s, partition, broker) != node.leader:
            if node.leader_epoch >= s.config.max_epoch:
                return False
    return True


def leave_elrs(s: Kraft, broker: Broker) -> None:
    """The broker is no eligible replica any more, wherever it was one.

    Kafka: ReplicationControlManager.handleUncleanBrokerShutdown.
    """
    for partition in range(s.config.eligible_partitions):
        if leaves_elr(s, partition, broker):
            elr = excluding(s.metadata[0].elr[partition], broker)
            isr = s.zookeeper.leader_and_isr[partition].isr
            write_partition(s, partition, isr, elr, leader_then(s, partition, broker), 0)


def mark_requests(s: Kraft, partition: Partition, broker: Broker) -> None:
    """Its fetches on their way, and requests that name it in an ISR, name its earlier registration (KIP-903).

    But for a fetch that names none. The request that a leader makes for that names none either, in Kafka, and is accepted.
    """
    for leader in range(s.config.members):
        write = s.isr_write[partition][leader]
        if write.phase is Writing.REQUESTED and contains(write.isr, broker):
            write.bounced[0] = including(write.bounced[0], broker)
        if s.config.orphans > 0:
            if s.fetch_request[partition][leader][broker].orphaned == 1:
                s.fetch_request[partition][leader][broker].orphaned = 2


def start_leaving(s: Kraft, broker: Broker, other: Broker) -> bool:
    """The controller learns that a broker wants to stop: it leaves all ISRs, and others lead; it serves on until it may stop.

    Design: KIP-631, KIP-841 (KR2).   Kafka: ReplicationControlManager.handleBrokerInControlledShutdown.
    Modifies: zookeeper, metadata.
    Reads: zookeeper, metadata (the log, which the controller writes); broker[broker].up, broker[broker].leaving (its heartbeat).
    """
    if s.config.controlled_shutdowns == 0:
        return False
    if not s.broker[broker].up or not s.broker[broker].leaving:
        return False
    if not contains(active(s), broker):
        return False  # Without it, one that leads again while it leaves, up to 3.2, is taken out again.
    if not leads_something(s, broker):
        return False  # it may stop at once
    if not has_room(s):
        return False
    if not can_leave(s, broker, other):
        return False

    s.metadata[0].leaving = including(s.metadata[0].leaving, broker)
    leave_isrs(s, broker, other)
    append_change(s, 0)
    s.metadata[0].left_at[broker] = s.metadata[0].length
    return True


def leads_something(s: Kraft, broker: Broker) -> bool:
    """The log says that the broker leads a partition."""
    for partition in range(s.config.partitions):
        if s.zookeeper.leader_and_isr[partition].leader == broker:
            return True
    return False


def stop_leaving(s: Kraft, broker: Broker) -> bool:
    """The controller lets a broker stop: it leads nothing, and all active brokers know that. It is fenced, and stops in order.

    Design: KIP-631 (KR2).   Kafka: BrokerHeartbeatManager.calculateNextBrokerState, BrokerServer.shutdown.
    Modifies: broker[broker], produce_request, replica, zookeeper, metadata, isr_write, fetch_request, fetch_response,
        late_response, fetch_refusal, controller, command, earlier_command, decision, start.
    Reads: zookeeper, metadata (the log, which the controller writes, and how far heartbeats say that it was applied).
    """
    if s.config.controlled_shutdowns == 0:
        return False
    if not s.broker[broker].up or not s.broker[broker].leaving:
        return False
    if leads_something(s, broker):
        return False
    if not has_room(s):
        return False
    if contains(s.metadata[0].leaving, broker) and not all_know(s, s.metadata[0].left_at[broker]):
        return False
    if not can_leave(s, broker, broker):
        return False

    if contains(s.zookeeper.broker_ids, broker):
        leave(s, broker, broker)
    stop_in_order(s, broker)
    return True


def all_know(s: Kraft, change: int) -> bool:
    """All active brokers have applied the log up to this change, as their heartbeats say."""
    for broker in range(s.config.members):
        if contains(active(s), broker) and (not s.broker[broker].up or s.metadata[0].applied[broker] < change):
            return False
    return True
