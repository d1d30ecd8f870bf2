"""What a crash destroys, and what it leaves on disk."""

from ..choices import FetchCount, LostEpochFile
from ..controller.connections import break_connection
from ..controller.memory import resign
from ..epoch_cache import forget_epochs_from, is_found_again, rebuild_epochs
from ..log import truncate
from ..members import contains, how_many, including
from ..state import Kafka, Replica
from ..vocabulary import Broker, Epoch, Partition
from .roles import delete_directory, delete_replica, drop_checked, drop_refusal, forget_role, forget_start


def crash(s: Kafka, broker: Broker) -> bool:
    """A broker stops. What was in memory is lost; the log is not.

    The high watermark returns to the last checkpoint. The session stays alive in the store until it
    expires. Requests that the broker has sent are still in flight.

    Design: ZH follower failure, V3 discussion 3 (C7, L1).   Kafka: none.
    Modifies: broker[broker], produce_request, replica, controller, command, earlier_command, decision, isr_write,
        fetch_request, fetch_response, late_response, fetch_refusal, start, spent.
    Reads: controller (whether the process was a controller: its own memory); command, earlier_command (what was sent to it
        over connections that close); broker (which processes have ended: what a controller that ends has sent to them is lost).
    """
    if not s.broker[broker].up:
        return False
    if s.spent.crashes >= s.config.crashes:
        return False

    s.spent.crashes += 1
    lose_memory(s, broker)
    return True


def lose_power(s: Kafka, broker: Broker, kept: int) -> bool:
    """A broker stops, and the disk loses what was not flushed: of each log at least `kept` records stay.

    Design: KIP-101 scenario 2 (S4).   Kafka: none.
    Modifies: broker[broker], produce_request, replica, controller, command, earlier_command, decision, isr_write,
        fetch_request, fetch_response, late_response, fetch_refusal, start, spent.
    Reads: controller (whether the process was a controller: its own memory); command, earlier_command (what was sent to it
        over connections that close); broker (which processes have ended: what a controller that ends has sent to them is lost).
    """
    if not s.broker[broker].up:
        return False
    if s.spent.crashes >= s.config.crashes:
        return False
    if s.spent.power_losses >= s.config.power_losses:
        return False
    if not loses_something(s, broker, kept):
        return False  # Without it, a power loss that loses nothing is a crash.

    s.spent.crashes += 1
    s.spent.power_losses += 1  # Without it, the budget of crashes still bounds power losses.
    lose_memory(s, broker)
    for partition in range(s.config.partitions):
        me = s.replica[partition][broker]
        truncate(s, me, max(kept, me.flushed, me.log_start))  # Without it, the disk loses nothing, as in a crash.
        me.checkpoint = min(me.checkpoint, me.leo)
    return True


def lose_broker(s: Kafka, broker: Broker) -> bool:
    """A broker is lost for good, with its disks: no copy on it can be read again.

    Design: ZH and V3, replication for durability (G6).   Kafka: none.
    Modifies: broker[broker], produce_request, replica, controller, command, earlier_command, decision, isr_write,
        fetch_request, fetch_response, late_response, fetch_refusal, start, spent.
    Reads: controller (whether the process was a controller: its own memory); command, earlier_command (what was sent to it
        over connections that close); broker (which processes have ended: what a controller that ends has sent to them is lost).
    """
    if s.config.lost_brokers == 0:
        return False  # switched off
    if how_many(s, s.spent.lost_brokers) >= s.config.lost_brokers:
        return False  # budget. Without it, all brokers may be lost.
    if contains(s.spent.lost_brokers, broker):
        return False

    s.spent.lost_brokers = including(s.spent.lost_brokers, broker)
    if s.broker[broker].up:
        lose_memory(s, broker)
    for partition in range(s.config.partitions):
        delete_replica(s, partition, broker)  # Without it, the disk of a broker that never returns stays; nothing reads it.
    return True


def empty_disk(s: Kafka, broker: Broker) -> bool:
    """A broker that is in no ISR loses its disk, in a crash or while it is down: it comes back with an empty one.

    An operator may think that this is safe: every member of the ISR has what was committed.

    Design: none; KIP-903 and KIP-966 tell of it (N2).   Kafka: none.
    Modifies: broker[broker], produce_request, replica, controller, command, earlier_command, decision, isr_write,
        fetch_request, fetch_response, late_response, fetch_refusal, start, spent.
    Reads: zookeeper (who is in an ISR: the fault has this bound); controller (whether the process was a controller: its own
        memory); command, earlier_command (what was sent to it over connections that close); broker (which processes have ended:
        what a controller that ends has sent to them is lost).
    """
    if s.spent.emptied_disks >= s.config.emptied_disks:
        return False  # budget
    if s.broker[broker].up and s.spent.crashes >= s.config.crashes:
        return False  # budget
    if is_in_some_isr(s, broker):
        return False
    if not has_directory(s, broker):
        return False  # Without it, the budget is spent on a disk that is empty.

    s.spent.emptied_disks += 1
    if s.broker[broker].up:
        s.spent.crashes += 1
        lose_memory(s, broker)
    for partition in range(s.config.partitions):
        delete_directory(s, partition, broker)
    return True


def is_in_some_isr(s: Kafka, broker: Broker) -> bool:
    """The broker may be elected without an unclean election."""
    for partition in range(s.config.partitions):
        if contains(s.zookeeper.leader_and_isr[partition].isr, broker):
            return True
    return False


def has_directory(s: Kafka, broker: Broker) -> bool:
    """The broker's disk has a copy of some partition."""
    for partition in range(s.config.partitions):
        if s.replica[partition][broker].exists:
            return True
    return False


def loses_something(s: Kafka, broker: Broker, kept: int) -> bool:
    """Some log of the broker is longer than `kept` and than what is flushed."""
    for partition in range(s.config.partitions):
        me = s.replica[partition][broker]
        if me.leo > max(kept, me.flushed, me.log_start):
            return True
    return False


def lose_memory(s: Kafka, broker: Broker) -> None:
    """The process ends without notice: high watermarks return to what is on disk."""
    stop_process(s, broker)
    if s.config.quorums:
        s.broker[broker].leaving = 0  # it has not stopped in order, which its next registration tells (KIP-966)
    for partition in range(s.config.partitions):
        replica = s.replica[partition][broker]
        replica.hw = max(min(replica.checkpoint, replica.leo), replica.log_start)
        replica.no_hw = replica.no_checkpoint


def stop_process(s: Kafka, broker: Broker) -> None:
    """The process ends, and with it the controller if it was one."""
    me = s.broker[broker]
    resign(s, broker)
    me.up = 0
    me.controller_epoch = 0
    me.controller_watch = 0
    me.registering = 0
    for place in range(s.config.news):
        me.knows_live[place] = 0
    for controller in range(s.config.controllers):
        break_connection(s, broker, controller)  # Without it, commands sent before the stop may still arrive.
    for partition in range(s.config.partitions):
        forget_start(s, partition, broker)
        forget_role(s, partition, broker)
        if s.config.refusals:
            drop_refusal(s, partition, broker)  # Without it, a refusal reaches the process that comes next.
        if s.config.orphans:
            orphan_requests(s, partition, broker)
        if s.config.fetch_count is FetchCount.LATER:
            drop_checked(s, partition, broker)


def orphan_requests(s: Kafka, partition: Partition, broker: Broker) -> None:
    """Nobody waits for the answers to the fetches that the process has sent."""
    for leader in range(s.config.members):
        request = s.fetch_request[partition][leader][broker]
        request.orphaned = max(request.orphaned, request.sent)


def lose_epoch_file(s: Kafka, broker: Broker) -> bool:
    """While a broker is down, its leader-epoch cache is lost (R12).

    The documents rebuild it from the records of the log; epochs without a record are then missing. Every release of Kafka does
    this for the segments that it recovers after a crash, from 2.1.1 to 2.6.0 without epoch 0. Left empty, the broker answers
    undefined as leader.

    Design: 279 compatibility, compaction (T8).   Kafka: LogSegment.recover, LeaderEpochCheckpointFile.
    Modifies: replica, spent.
    """
    if s.broker[broker].up:
        return False  # a running broker has its cache in memory
    if s.spent.lost_epoch_files >= s.config.lost_epoch_files:
        return False
    if not loses_epochs(s, broker):
        return False

    s.spent.lost_epoch_files += 1  # Without it, the number of faults is not bounded.
    for partition in range(s.config.partitions):
        forget_epochs_from(s, s.replica[partition][broker], 0)
        if s.config.lost_epoch_file is not LostEpochFile.EMPTY:
            rebuild_epochs(s, s.replica[partition][broker])
    return True


def loses_epochs(s: Kafka, broker: Broker) -> bool:
    """Some cache of the broker has an entry that is not found again: any, or, where it is rebuilt, one without a record (R12)."""
    for partition in range(s.config.partitions):
        me = s.replica[partition][broker]
        for epoch in range(s.config.epochs):
            if me.epoch_start[epoch] >= 0:
                if s.config.lost_epoch_file is LostEpochFile.EMPTY or not has_record_of(s, me, epoch):
                    return True
    return False


def has_record_of(s: Kafka, me: Replica, epoch: Epoch) -> bool:
    """The log has a record of this epoch, by which it is found again."""
    if not is_found_again(s, epoch):
        return False  # Without it, a file of epoch 0 alone is not lost.
    for offset in range(s.config.log_size):
        held = me.log_start <= offset and offset < me.leo and not me.log[offset].hole
        if held and me.log[offset].epoch == epoch:
            return True
    return False
