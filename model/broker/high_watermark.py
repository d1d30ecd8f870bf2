"""The high watermark: how it rises, and what of it survives a crash."""

from ..history import remember_commit
from ..members import contains


def advance_high_watermark(s, partition, leader):
    """Try to raise the leader's high watermark to the smallest LEO in the ISR it knows (G1).

    The LEO of a follower is what its last fetch told; of a follower that has not fetched from this
    leader in this term, nothing is known. The high watermark never falls here.
    """
    me = s.replica[partition][leader]
    smallest = me.leo
    for follower in range(s.config.members):
        if follower != leader and contains(me.isr, follower):
            smallest = min(smallest, me.fetched_to[follower])
    old_hw = me.hw
    if smallest > old_hw:
        me.hw = smallest
        remember_commit(s, partition, leader, old_hw)


def checkpoint_high_watermark(s, partition, broker):
    """From time to time a broker writes its high watermarks to disk; a restart begins from there.

    It matters only to a crash: once the budget of crashes is spent the step is left out.

    Design: V3 C, startReplica; ZH follower failure (C7).   Kafka: ReplicaManager.checkpointHighWatermarks.
    Modifies: replica[partition][broker].
    """
    me = s.replica[partition][broker]
    if not s.broker[broker].up:
        return False
    if not me.exists:
        return False
    if me.checkpoint == me.hw:
        return False  # Without it, the same offset is written again.
    if s.spent.crashes >= s.config.crashes:
        return False

    me.checkpoint = me.hw
    return True


def flush_log(s, partition, broker):
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
