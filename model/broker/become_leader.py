"""V3 C, becomeLeader."""

from ..choices import CutHighWatermark, LateTruncation, LeadAgain
from ..epoch_cache import enters_when_leading, note_epoch
from ..history import remember_generation, remember_leader
from ..members import contains, excluding
from ..state import Kafka, Replica
from ..vocabulary import Broker, Brokers, ControllerEpoch, Epoch, Partition, Version
from .fetcher import end_before_cut
from .high_watermark import advance_high_watermark, checkpoint_at_leader_change
from .roles import drop_checked, leave_isr_write, obeys, stop_fetching
from .told import names_new_replicas
from .who_lives import hear_before


def become_leader(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch, controller: ControllerEpoch) -> bool:
    """A broker obeys the LeaderAndIsr request of `epoch` that makes it leader (R3).

    It stops fetching first: after that no record of the old leader can enter its log, and the old
    leader cannot commit with it (Q1). Then it takes ISR and version from the command, and serves.
    V3 calls this only for a broker that does not lead yet. Kafka always obeys the command, and forgets how far
    the followers had come only if the broker did not lead before, although another may have led in between.

    Design: V3 C, becomeLeader (C1, C3, C5).   Kafka: Partition.makeLeader.
    Modifies: replica, produce_request[partition][broker], broker[broker], history[partition], generation[partition],
        isr_write, fetch_response, late_response, fetch_request[partition], command[partition], controller[controller].
    Reads: command[partition], earlier_command[partition] (which of the requests over one connection comes first);
        controller[controller].naming, controller[controller].named_live (what it has sent before over the same connection);
        zookeeper.assigned[partition], zookeeper.reassigned[partition] (which replicas its command named).
    """
    command = s.command[partition][epoch]
    if not contains(command.sent[controller], broker):
        return False
    if command.leader != broker:
        return False
    if not obeys(s, partition, broker, epoch, controller):
        return False
    if s.config.lead_again is LeadAgain.IGNORED and s.replica[partition][broker].leader == broker:
        return False  # it leads already (V3 C, 2.1)

    hear_before(s, partition, broker, epoch, controller)
    s.broker[broker].controller_epoch = max(s.broker[broker].controller_epoch, controller)
    remember_generation(s, partition, broker, 1)  # Without it, properties do not check the replica; nothing else reads it.
    serve(s, partition, broker, epoch, command.isr, command.zk_version)
    if not s.config.repeated_commands:
        command.sent[controller] = excluding(command.sent[controller], broker)
    return True


def serve(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch, isr: Brokers, zk_version: Version) -> None:
    """Serve as leader of `epoch`: of the followers' ends it knows what it has kept, since it led before (R3).

    Replicas that a reassignment removed are always forgotten. The epoch's command says which replicas the partition
    has, also after a start: the controller sends it again.

    Kafka: Partition.makeLeader (isNewLeader), Replica.resetReplicaState.
    """
    me = s.replica[partition][broker]
    due_epoch = me.answer_epoch
    due_end = me.answer_end
    end_before_cut(s, partition, broker)
    stop_fetching(s, partition, broker)
    if s.config.late_truncation is LateTruncation.CARRIED_OUT:
        me.answer_epoch = due_epoch
        me.answer_end = due_end
    leave_isr_write(s, partition, broker)
    moved = names_new_replicas(s, partition, epoch)
    again = s.config.lead_again
    for follower in range(s.config.members):
        if again is LeadAgain.FORGETS_ENDS or again is LeadAgain.NEW_REPLICAS or (moved and not contains(isr, follower)):
            me.fetched_to[follower] = 0
    if s.config.checks and again is LeadAgain.NEW_REPLICAS:
        drop_checked(s, partition, broker)  # Without it, a fetch of the last term counts in this one.
    checkpoint_at_leader_change(s, me)
    if is_stray(s, me):
        me.hw = me.log_start
        me.no_hw = s.config.lost_marks
    me.exists = 1
    me.leader = broker
    me.leader_epoch = epoch
    me.isr = isr
    me.zk_version = zk_version
    me.moved = moved
    me.term_start = me.leo
    if enters_when_leading(s):
        note_epoch(s, me, epoch, me.leo)
    remember_leader(s, partition, broker, epoch)
    # By the ends that it knows: where they were not forgotten above, those of its earlier term count (`lead_again`).
    advance_high_watermark(s, partition, broker)


def is_stray(s: Kafka, me: Replica) -> bool:
    """The high watermark is not an offset of the log: beyond its end, or, up to 2.3, below its start.

    A broker of 2.4.0 that begins to lead does not look (KAFKA-9491).

    Kafka: Replica.convertHWToLocalOffsetMetadata.
    """
    if me.hw > me.leo:
        return True
    return me.hw < me.log_start and s.config.cut_high_watermark is CutHighWatermark.STAYS
