"""The high watermark: how it rises, and what survives a crash."""

from ..choices import Checkpoint, IsrWriting, LeaderHighWatermark, Store
from ..history import remember_assured, remember_commit
from ..kraft_choices import UnderMinIsr
from ..log import epoch_below
from ..members import contains, how_many
from ..min_isr import known_min_isr
from ..release_choices import DepartedEnd
from ..state import Kafka, Replica
from ..vocabulary import Broker, Brokers, Partition, Writing
from .produce_request import answer_produce
from .told import departed_members


def advance_high_watermark(s: Kafka, partition: Partition, leader: Broker) -> None:
    """Try to raise the leader's high watermark to the smallest LEO in the ISR it knows (G1, R10).

    V3 assigns that minimum, so the high watermark may decrease; in Kafka it only rises. While a write of the ISR is in
    flight, V3 continues with the old ISR. Kafka holds a lock, and since 2.7 requires all members of the old and new ISR.

    Kafka: Partition.maybeIncrementLeaderHW; since 3.7 not while Partition.isUnderMinIsr.
    """
    me = s.replica[partition][leader]
    if s.config.under_min_isr is UnderMinIsr.WAITS and how_many(s, me.isr) < known_min_isr(s, leader):
        return  # under min ISR (KAFKA-15583)
    isr = isr_that_commits(s, partition, leader)
    smallest = smallest_end(s, partition, leader, awaited_members(s, partition, leader, isr))
    old_hw = me.hw
    if smallest > old_hw:
        me.hw = smallest
        me.no_hw = 0
        old_end = max(old_hw, me.log_start)  # Without it, what was committed before is remembered again.
        remember_commit(s, partition, leader, old_end)
        remember_assured(s, partition, leader, isr, old_end)  # Without it, properties do not see what is acknowledged.
        if s.config.produce_partitions > 0:
            answer_produce(s, partition, leader, isr)
    elif me.no_hw and knows_ends(s, partition, leader, isr):
        me.no_hw = 0
    elif s.config.leader_hw is LeaderHighWatermark.ASSIGNED:
        me.hw = max(smallest, me.log_start)
    checkpoint_at_epoch_boundary(s, me)


def awaited_members(s: Kafka, partition: Partition, leader: Broker, isr: Brokers) -> int:
    """Those of the ISR whose ends count: since 0.10.2 replicas alone (N6).

    Kafka: Partition.maybeIncrementLeaderHW, KAFKA-4485.
    """
    if s.config.departed_end is DepartedEnd.IGNORED:
        return isr & ~departed_members(s, partition, leader)
    return isr


def smallest_end(s: Kafka, partition: Partition, leader: Broker, isr: Brokers) -> int:
    """The smallest LEO of these members, as the leader knows them.

    The LEO of a follower is known from its last fetch; that of a follower that has not fetched from this leader in
    this term is not known.
    """
    me = s.replica[partition][leader]
    smallest = me.leo
    for follower in range(s.config.members):
        if follower != leader and contains(isr, follower):
            smallest = min(smallest, me.fetched_to[follower])
    return smallest


def knows_ends(s: Kafka, partition: Partition, leader: Broker, isr: Brokers) -> bool:
    """All other members have fetched in this term. An end of 0 is one that the leader does not know: -1 stays a little longer."""
    for follower in range(s.config.members):
        if follower != leader and contains(isr, follower) and s.replica[partition][leader].fetched_to[follower] == 0:
            return False
    return True


def isr_that_commits(s: Kafka, partition: Partition, leader: Broker) -> int:
    """Brokers that must have a record before it is committed: the ISR, and those that a write in flight may add (KIP-497, R1).

    Kafka: PartitionState.maximalIsr (since 2.7).
    """
    me = s.replica[partition][leader]
    if s.config.store is Store.ANSWERED and s.config.isr_write is IsrWriting.PENDING:
        return me.isr | s.isr_write[partition][leader].isr
    return me.isr


def waits_for_store(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """Kafka's leaderIsrUpdateLock: until its write of the ISR is answered a leader neither appends, commits nor changes (R1).

    Kafka: Partition.leaderIsrUpdateLock.
    """
    if s.config.store is not Store.ANSWERED or s.config.isr_write is not IsrWriting.LOCKED:
        return False
    return s.isr_write[partition][broker].phase is not Writing.QUIET


def checkpoint_high_watermark(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """From time to time a broker writes its high watermarks to disk; a restart begins from there.

    It matters only if a crash follows: once the budget of crashes is spent the step is left out.

    Design: V3 C, startReplica; ZH follower failure (C7).   Kafka: ReplicaManager.checkpointHighWatermarks.
    Modifies: replica[partition][broker].
    """
    me = s.replica[partition][broker]
    if not s.broker[broker].up:
        return False
    if not me.exists:
        return False
    if me.checkpoint == me.hw and me.no_checkpoint == me.no_hw:
        return False  # Without it, the same offset is written again.
    if s.spent.crashes >= s.config.crashes:
        return False

    write_checkpoint(me)  # Without it, an older offset stays on disk.
    return True


def write_checkpoint(me: Replica) -> None:
    """What is on disk is the high watermark, also one of -1."""
    me.checkpoint = me.hw
    me.no_checkpoint = me.no_hw


def checkpoint_at_leader_change(s: Kafka, me: Replica) -> None:
    """T5, as printed: the high watermark is persisted at each leader change, before anything is cut."""
    if s.config.crashes > 0 and s.config.checkpoint is Checkpoint.LEADER_CHANGE:
        write_checkpoint(me)


def checkpoint_at_epoch_boundary(s: Kafka, me: Replica) -> None:
    """T5, the guarantee that it mentions: a restart does not put the high watermark back into an earlier epoch."""
    if s.config.crashes > 0 and s.config.checkpoint is Checkpoint.EPOCH_BOUNDARY:
        if epoch_below(me, min(me.checkpoint, me.leo)) < epoch_below(me, me.hw):
            write_checkpoint(me)


def flush_log(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """A broker forces its log to disk; what is not flushed may be lost with power.

    Design: KIP-101 scenario 2, as S4 retells it.   Kafka: Log.flush.
    Modifies: replica[partition][broker].
    """
    me = s.replica[partition][broker]
    if not s.broker[broker].up:
        return False
    if me.flushed == me.leo:
        return False  # Without it, the same offset is written again.
    if s.spent.power_losses >= s.config.power_losses:
        return False
    if s.spent.crashes >= s.config.crashes:
        return False  # Without it, logs are flushed when no crash can follow.

    me.flushed = me.leo
    return True
