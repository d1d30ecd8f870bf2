"""A replica moves from one log directory of its broker to another, which the broker reports to the controller (KIP-858, KR7).

A broker fills a copy in the other directory. Once it has all records, the broker reports where the replica lies, and exchanges
the two when the controller has accepted that, and the copy has all records again.
"""

from ..broker.crash import lose_memory
from ..broker.exchange_directory import keep_epochs_of_records
from ..kraft_choices import AbandonedCopy, ReportedDirectory
from ..log import truncate
from ..vocabulary import Broker, Partition
from ..zookeeper.znodes import write_leader_and_isr
from .quorum import append_change, elr_is_on, has_room
from .state import Kraft


def report_directory(s: Kraft, partition: Partition) -> bool:
    """A broker reports in which of its directories a replica lies: an operator moved it, or the broker chose another one.

    ISR and leader stay. Up to 4.2 the record is made as if eligible leader replicas were off, and nobody is eligible any more.

    Design: KIP-858, KIP-966 (KR7).   Kafka: ReplicationControlManager.handleAssignReplicasToDirs.
    Modifies: zookeeper.leader_and_isr[partition], metadata, spent.
    Reads: zookeeper, metadata (the log, which the controller writes).
    """
    if s.spent.directory_reports >= s.config.directory_reports:
        return False  # budget
    if not has_room(s):
        return False

    s.spent.directory_reports += 1
    node = s.zookeeper.leader_and_isr[partition]
    clears = s.config.reported_directory is ReportedDirectory.CLEARS or not elr_is_on(s)
    if s.config.eligible_partitions > 0 and clears:
        s.metadata[0].elr[partition] = 0
    write_leader_and_isr(s, partition, node.leader, node.leader_epoch, node.isr)  # the partition epoch grows
    append_change(s, 0)
    return True


def crash_while_moving(s: Kraft, partition: Partition, broker: Broker, kept: int) -> bool:
    """A broker ends once it has reported a copy, and before it has exchanged it: the copy has `kept` records.

    Nothing is lost on the disk. As the broker starts it takes the copy, which is where the metadata say, though it is behind. The
    report came before the records that the copy lacks: what it writes, and whom it clears, is left out.

    Design: KIP-858 (KR7).   Kafka: LogManager.recoverAbandonedFutureLogs (KAFKA-16082), ReplicaAlterLogDirsThread.
    Modifies: broker[broker], produce_request, replica, controller, command, earlier_command, decision, isr_write,
        fetch_request, fetch_response, late_response, fetch_refusal, start, spent.
    Reads: controller, command, earlier_command, broker (as `crash`).
    """
    if s.config.abandoned_copy is not AbandonedCopy.TAKEN:
        return False  # The log is the replica, and the copy is filled later: a report, and a crash.
    if s.config.directory_reports == 0 or s.spent.directory_reports > 0:
        return False  # budget; a later report would be one from after those records
    if s.spent.crashes >= s.config.crashes:
        return False  # budget
    me = s.replica[partition][broker]
    if not s.broker[broker].up:
        return False
    if kept < me.log_start or kept >= me.leo:
        return False  # Without it, a whole copy is taken: a report, and a crash.

    s.spent.directory_reports += 1  # Without it, the budget of crashes still bounds these.
    s.spent.crashes += 1
    lose_memory(s, broker)
    truncate(s, me, kept)  # Without it, the copy has all records: a report, and a crash.
    keep_epochs_of_records(s, me)  # Without it, the copy has the epochs without records that the log had.
    me.checkpoint = min(me.checkpoint, me.leo)  # Without it, the checkpoint lies beyond the copy's end until the next one.
    me.flushed = min(me.flushed, me.log_start)  # Without it, a power loss leaves of the copy what was flushed of the log.
    return True
