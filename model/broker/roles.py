"""What a replica forgets when its role changes, when its broker stops, or when its directory is deleted."""

from ..choices import CommandOrder, Fetch, LateCount, LedBefore, Store
from ..log import start_log_at
from ..members import NO_BROKER, contains
from ..state import Command, FetchResponse, Kafka
from ..vocabulary import NO_EPOCH, NO_OFFSET, NO_RECORD, Broker, ControllerEpoch, Epoch, Partition, Phase, Starting, Writing
from ..zookeeper.sessions import awaits_registration
from .high_watermark import waits_for_store
from .produce_request import drop_produce
from .told import forget_registrations


def stop_serving(s: Kafka, partition: Partition, broker: Broker) -> None:
    """It no longer leads: it forgets what only a leader keeps, and how far its followers had come, where the design says so.

    A write of the ISR that has yet to reach the store is forgotten: a later epoch was decided, so it would be refused.

    Kafka: Partition.makeFollower.
    """
    me = s.replica[partition][broker]
    leave_isr_write(s, partition, broker)
    me.isr = 0
    me.zk_version = 0
    me.moved = 0
    me.term_start = 0
    if s.config.led_before is LedBefore.FORGETS_ENDS:
        forget_ends(s, partition, broker)  # Without it, it counts on them when it leads again, as V3 as printed does.
    if s.config.checks and s.config.late_count is LateCount.DROPPED:
        drop_checked(s, partition, broker)  # Without it, a fetch of this term counts in its next.


def drop_checked(s: Kafka, partition: Partition, broker: Broker) -> None:
    """Forget the fetches that the broker has yet to count; those that have not arrived are still in flight."""
    for follower in range(s.config.members):
        if s.fetch_request[partition][broker][follower].checked:
            drop_request(s, partition, broker, follower)


def forget_ends(s: Kafka, partition: Partition, broker: Broker) -> None:
    """It no longer knows how far its followers had come (G1, R3).

    Kafka: Replica.resetReplicaState.
    """
    me = s.replica[partition][broker]
    for follower in range(s.config.members):
        me.fetched_to[follower] = 0


def stop_fetching(s: Kafka, partition: Partition, broker: Broker) -> None:
    """Its fetcher stops, so that no one waits for a response in flight (C3, C4).

    Kafka: AbstractFetcherManager.removeFetcherForPartitions.
    """
    me = s.replica[partition][broker]
    if s.config.lates and s.fetch_response[partition][broker].sent:
        delay_response(s, partition, broker, me.leader)  # Without it, what is on its way is lost when its follower turns away.
    me.phase = Phase.IDLE
    me.failed = 0
    me.rounds = 0
    me.asked_epoch = NO_EPOCH
    me.answer_epoch = NO_EPOCH
    me.answer_end = NO_OFFSET
    if s.config.fetch is Fetch.IN_FLIGHT:
        drop_response(s, partition, broker)


def leave_isr_write(s: Kafka, partition: Partition, broker: Broker) -> None:
    """Its epoch has ended: whatever is answered, its ISR is that of the next command. A controller has yet to answer (N12).

    Kafka: Partition.updateAssignmentAndIsr, AlterIsrManager.clearPending (up to 2.8).
    """
    if s.config.earlier_requests:
        phase = s.isr_write[partition][broker].phase
        if phase is Writing.REQUESTED or phase is Writing.WRITTEN:
            s.isr_write[partition][broker].earlier = 1
    forget_isr_write(s, partition, broker)


def forget_isr_write(s: Kafka, partition: Partition, broker: Broker) -> None:
    """Forget the write of the ISR: it has ended, or no one waits for its answer."""
    if s.config.store is Store.ANSWERED:
        write = s.isr_write[partition][broker]
        write.phase = Writing.QUIET
        write.version = 0
        write.isr = 0
        forget_registrations(s, partition, broker)


def drop_request(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> None:
    """Forget the fetch request: it has been answered, or the broker that was about to answer has stopped."""
    request = s.fetch_request[partition][leader][follower]
    request.sent = 0
    request.checked = 0
    request.orphaned = 0
    request.fetch_offset = 0
    request.leader_epoch = NO_EPOCH
    request.last_epoch = NO_EPOCH


def drop_refusal(s: Kafka, partition: Partition, follower: Broker) -> None:
    """Forget the refusal: it has been read, or no one waits for it."""
    refusal = s.fetch_refusal[partition][follower]
    refusal.sent = 0
    refusal.leader = NO_BROKER
    refusal.fetch_offset = 0
    refusal.epoch = NO_EPOCH
    refusal.end = 0
    refusal.hw = 0
    refusal.log_start = 0


def delay_response(s: Kafka, partition: Partition, follower: Broker, leader: Broker) -> None:
    """The response of the leader that the follower turns away from is still on its way, if it has records (KAFKA-18991)."""
    response = s.fetch_response[partition][follower]
    if leader != NO_BROKER and response.log[0].record != NO_RECORD:
        late = s.late_response[partition][follower]
        late.sent = 1
        late.leader = leader
        late.fetch_offset = response.fetch_offset
        late.base_offset = response.base_offset
        late.hw = response.hw
        late.no_hw = response.no_hw
        late.log_start = response.log_start
        for slot in range(s.config.flights):
            late.log[slot].record = response.log[slot].record
            late.log[slot].epoch = response.log[slot].epoch


def drop_late_response(s: Kafka, partition: Partition, follower: Broker) -> None:
    """Forget the late response: it has been read, or no one waits for it."""
    clear_response(s, s.late_response[partition][follower])


def drop_response(s: Kafka, partition: Partition, follower: Broker) -> None:
    """Forget the response: it has been read, or no one waits for it."""
    clear_response(s, s.fetch_response[partition][follower])


def clear_response(s: Kafka, response: FetchResponse) -> None:
    """There is none."""
    response.sent = 0
    response.leader = NO_BROKER
    response.fetch_offset = 0
    response.base_offset = 0
    response.hw = 0
    response.no_hw = 0
    response.log_start = 0
    for slot in range(s.config.flights):
        response.log[slot].record = 0
        response.log[slot].epoch = 0


def forget_start(s: Kafka, partition: Partition, broker: Broker) -> None:
    """Forget what was read for a start: nothing is left to do."""
    if s.config.starting_partitions > 0:
        me = s.start[partition][broker]
        me.phase = Starting.STARTED
        me.is_assigned = 0
        me.version = 0
        me.leader = NO_BROKER
        me.leader_epoch = NO_EPOCH
        me.isr = 0


def forget_role(s: Kafka, partition: Partition, broker: Broker) -> None:
    """Forget everything about the partition except the log."""
    me = s.replica[partition][broker]
    me.leader_epoch = NO_EPOCH
    me.leader = NO_BROKER
    stop_serving(s, partition, broker)
    if s.config.produce_partitions > 0:
        drop_produce(s, partition, broker)  # Without it, a producer is answered by a process that does not know its request.
    if s.config.earlier_requests:
        s.isr_write[partition][broker].earlier = 0  # the process that asked has ended
    forget_ends(s, partition, broker)  # Without it, a leader that keeps them while it follows keeps them in a crash too.
    stop_fetching(s, partition, broker)
    if s.config.lates:
        drop_late_response(s, partition, broker)


def delete_replica(s: Kafka, partition: Partition, broker: Broker) -> None:
    """Delete the replica, on disk and in memory (C6).

    Kafka: Partition.delete, LogManager.asyncDelete.
    """
    forget_role(s, partition, broker)
    delete_directory(s, partition, broker)


def delete_directory(s: Kafka, partition: Partition, broker: Broker) -> None:
    """Nothing of the replica is left on disk."""
    me = s.replica[partition][broker]
    start_log_at(s, me, 0)
    me.exists = 0
    me.earlier_topic = 0
    me.no_hw = 0
    me.checkpoint = 0
    me.no_checkpoint = 0


def obeys(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch, controller: ControllerEpoch) -> bool:
    """The broker accepts the command of this epoch that this controller has sent to it, and none comes before it."""
    if s.config.topic_id_marks and s.replica[partition][broker].earlier_topic:
        return False  # the log is another topic's (KIP-516)
    return accepts(s, partition, broker, epoch, controller) and comes_next(s, partition, broker, epoch, controller)


def accepts(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch, controller: ControllerEpoch) -> bool:
    """The broker does what a command of this epoch and controller says, once it has arrived (R7).

    Late, repeated and overtaken commands are recognised by their epochs: a leader epoch that is not larger
    than the replica's (C5), a controller epoch that is smaller than the broker's (D4).

    Kafka: ReplicaManager.becomeLeaderOrFollower.
    """
    if not s.broker[broker].up:
        return False
    if awaits_registration(s, broker):
        return False  # it refuses what names a registration that it does not know
    if not s.config.stale_commands and epoch <= s.replica[partition][broker].leader_epoch:
        return False
    if waits_for_store(s, partition, broker):
        return False  # Without it, commands are obeyed while the ISR is written.
    return obeys_controller(s, broker, controller)


def comes_next(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch, controller: ControllerEpoch) -> bool:
    """No earlier command of this controller has yet to arrive over the same connection (C6, L1)."""
    if s.config.command_order is not CommandOrder.PER_CONNECTION:
        return True
    for earlier in range(s.config.epochs):
        if earlier < epoch and waits_on_connection(s, s.command[partition][earlier], earlier, partition, broker, controller):
            return False
        if s.config.topic_recreations > 0:
            command = s.earlier_command[partition][earlier]
            if waits_on_connection(s, command, earlier, partition, broker, controller):
                return False
    return True


def waits_on_connection(
    s: Kafka, command: Command, epoch: Epoch, partition: Partition, broker: Broker, controller: ControllerEpoch
) -> bool:
    """The command is in flight over an open connection, and the replica has yet to obey its epoch."""
    if s.config.command_order is not CommandOrder.PER_CONNECTION or epoch <= s.replica[partition][broker].leader_epoch:
        return False
    if command.leader == NO_BROKER:
        return False  # Without it, later commands wait for one that is never obeyed.
    if not contains(command.sent[controller] & ~command.overtaken[controller], broker):
        return False  # Without it, commands wait for what was never sent, or is lost.
    return True


def obeys_controller(s: Kafka, broker: Broker, controller: ControllerEpoch) -> bool:
    """The broker knows no later controller, or does not compare (D4, R7)."""
    return not s.config.controller_epoch or controller >= s.broker[broker].controller_epoch
