"""maybe_change_ISR: the leader drops who lags and takes back who has caught up (G3, G4).

A conditional write decides: the leader's ISR and version change only when the store's version is the one
that the leader knows. That is what keeps a zombie from committing (Q1).
"""

from ..config import EPOCH_START, TERM_START
from ..members import contains, excluding, including
from ..zookeeper.watches import has_session
from ..zookeeper.znodes import holders, write_leader_and_isr
from .fetch import is_fetching_from
from .high_watermark import advance_high_watermark
from .roles import leads


def shrink_isr(s, partition, leader, follower):
    """The leader takes a follower out of the ISR that lags behind, or has not fetched for too long.

    Time is not modelled: any follower that has not told of the leader's last record may be late, and
    so may one that fetches no more, though it had everything.

    Design: V3 G, maybe_change_ISR (G3, G4).   Kafka: Partition.maybeShrinkIsr.
    Modifies: zookeeper.leader_and_isr[partition], replica[partition][leader], history[partition].
    """
    if not leads(s, partition, leader):
        return False
    if leader == follower:
        return False
    me = s.replica[partition][leader]
    if not contains(me.isr, follower):
        return False  # Without it, the same ISR is written again, with a new version.
    if me.fetched_to[follower] >= me.leo and fetches_from(s, partition, follower, leader):
        return False  # in sync. Without it, the ISR shrinks more often; who leaves cannot be elected.
    if not can_write_isr(s, partition, leader):
        return False

    change_isr(s, partition, leader, excluding(me.isr, follower))
    return True


def expand_isr(s, partition, leader, follower):
    """The leader takes a follower into the ISR that has everything below the high watermark.

    That bound can be too low: a new leader's high watermark may lie behind what the last one
    committed. The setting `admission` asks for more: the start of the leader's epoch, which does for a
    leader that was just elected, or the end of its log when it began to serve, which does also for one
    that was restarted within its epoch and fell back to the checkpoint.

    Design: V3 G, maybe_change_ISR (G3, G10).   Kafka: Partition.maybeExpandIsr.
    Modifies: zookeeper.leader_and_isr[partition], replica[partition][leader], history[partition].
    """
    if not leads(s, partition, leader):
        return False
    if leader == follower:
        return False
    me = s.replica[partition][leader]
    if contains(me.isr, follower):
        return False  # Without it, the same ISR is written again, with a new version.
    if not contains(may_join(s, partition, leader), follower):
        return False
    if not fetches_from(s, partition, follower, leader):
        return False
    if me.fetched_to[follower] < me.hw:
        return False
    if s.config.admission == EPOCH_START and me.fetched_to[follower] < me.epoch_start[me.leader_epoch]:
        return False
    if s.config.admission == TERM_START and me.fetched_to[follower] < me.term_start:
        return False
    if not can_write_isr(s, partition, leader):
        return False

    change_isr(s, partition, leader, including(me.isr, follower))
    return True


def may_join(s, partition, leader):
    """Whom the leader takes for replicas of the partition: after a switch of Kafka's only RAR, as its command said (F2)."""
    if s.config.reassignments > 0:
        if s.replica[partition][leader].moved and s.zookeeper.reassigned[partition] != 0:
            return s.zookeeper.reassigned[partition]
    return holders(s, partition)


def fetches_from(s, partition, follower, leader):
    """The follower's fetches reach this leader: what the leader sees as recent activity."""
    me = s.replica[partition][follower]
    if not is_fetching_from(s, partition, follower, leader):
        return False
    if s.config.fenced and me.leader_epoch != s.replica[partition][leader].leader_epoch:
        return False  # Without it, a follower in another epoch counts as active; its fetches are refused all the same.
    return True


def can_write_isr(s, partition, leader):
    """The conditional write succeeds: session alive, node there, version the one that the leader knows (Z4, Z11)."""
    node = s.zookeeper.leader_and_isr[partition]
    return has_session(s, leader) and node.version > 0 and s.replica[partition][leader].zk_version == node.version


def change_isr(s, partition, leader, isr):
    """The write has succeeded: the leader knows the new ISR and version, and may commit with it."""
    me = s.replica[partition][leader]
    node = s.zookeeper.leader_and_isr[partition]
    write_leader_and_isr(s, partition, node.leader, node.leader_epoch, isr)
    me.isr = isr
    me.zk_version = node.version
    advance_high_watermark(s, partition, leader)  # Without it, the high watermark advances at the next fetch or write instead.
