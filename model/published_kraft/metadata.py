"""A broker reads the metadata log: several changes at once, of which it obeys the last."""

from ..members import NO_BROKER, contains, how_many
from ..vocabulary import Broker
from .replica import (
    advance_after_change,
    fetch_from,
    forget_followers,
    forget_followers_outside,
    forget_pending,
    refuse_writes,
    stop_all_fetching,
    truncate,
)
from .state import NOTHING, Change, PublishedKraft, Role, Status


def must_act(s: PublishedKraft, broker: Broker, change: int) -> bool:
    """The broker's replica has something to do. Other changes are read together with the next that is (PartitionNeedsAction)."""
    me = s.broker[broker]
    if me.role is Role.LEADER:
        return True
    if contains(me.known.replicas, broker):
        return s.change[change].leader_epoch > me.known.leader_epoch
    return contains(s.change[change].replicas, broker)


def receive_metadata_update(s: PublishedKraft, broker: Broker, change: int) -> bool:
    """A broker reads the metadata log up to a change, and obeys that one alone; what lies between is never seen.

    Design: KR1; published KRaft specifications, ReceiveMetadataUpdate.   Kafka: ReplicaManager.applyDelta.
    Modifies: broker[broker], alteration, acknowledged, refused, true_hw, consumed.
    """
    me = s.broker[broker]
    if me.status is not Status.RUNNING:
        return False
    if change < me.applied or change >= s.changes:
        return False
    if not must_act(s, broker, change):
        return False

    me.applied = change + 1
    if s.change[change].partition_epoch > me.known.partition_epoch:
        obey(s, broker, s.change[change])
        learn(s, broker, s.change[change])
    return True


def obey(s: PublishedKraft, broker: Broker, new: Change) -> None:
    """What the replica does, by what it was and what it is to be. It still knows the partition as it was."""
    known = s.broker[broker].known
    if contains(known.replicas, broker) and not contains(new.replicas, broker):
        delete_partition(s, broker, new)
    elif new.leader == broker:
        if known.leader == broker and known.leader_epoch == new.leader_epoch:
            remain_leader(s, broker, new)
        else:
            become_leader(s, broker, new)
    elif new.leader != NO_BROKER:
        if known.leader == broker or known.leader_epoch != new.leader_epoch:
            become_follower(s, broker, new)
    else:
        wait_for_leader(s, broker, new)


def learn(s: PublishedKraft, broker: Broker, new: Change) -> None:
    """The broker knows the partition as the change has it; nothing, if it has no replica."""
    known = s.broker[broker].known
    member = contains(new.replicas, broker)
    known.replicas = new.replicas if member else 0
    known.isr = new.isr if member else 0
    known.maximal_isr = new.isr if member else 0
    known.leader = new.leader if member else NO_BROKER
    known.leader_epoch = new.leader_epoch if member else 0
    known.partition_epoch = new.partition_epoch if member else 0


def remain_leader(s: PublishedKraft, broker: Broker, new: Change) -> None:
    """The leader stays in its leader epoch; with another ISR more may be committed."""
    advance_after_change(s, broker, new.isr, new.isr)
    for at in range(s.config.alterations):
        it = s.alteration[at]
        if it.leader == broker and it.partition_epoch < new.partition_epoch:
            it.pending = 0


def become_leader(s: PublishedKraft, broker: Broker, new: Change) -> None:
    """The replica leads in a new leader epoch; who led before, and was not told of the leader between, keeps what its ISR had."""
    me = s.broker[broker]
    advance_after_change(s, broker, new.isr, new.isr)
    if me.role is Role.LEADER:
        forget_followers_outside(s, broker, new.isr)
    else:
        forget_followers(s, broker)
    me.role = Role.LEADER
    me.start = me.leo
    forget_pending(s, broker)
    stop_all_fetching(s, broker)


def become_follower(s: PublishedKraft, broker: Broker, new: Change) -> None:
    """The replica follows in a new leader epoch. It cuts its log when the leader's answer to a fetch says so."""
    s.broker[broker].role = Role.FOLLOWER
    fetch_from(s, broker, new.leader, new.leader_epoch)
    renounce(s, broker, new)


def wait_for_leader(s: PublishedKraft, broker: Broker, new: Change) -> None:
    """There is no leader, and the replica waits for one."""
    s.broker[broker].role = Role.NONE
    stop_all_fetching(s, broker)
    renounce(s, broker, new)


def delete_partition(s: PublishedKraft, broker: Broker, new: Change) -> None:
    """The broker has no replica any more."""
    wait_for_leader(s, broker, new)
    s.broker[broker].hw = 0
    truncate(s, broker, 0)


def renounce(s: PublishedKraft, broker: Broker, new: Change) -> None:
    """Nothing of a former leadership is left (EnsureLeadershipRenounced)."""
    me = s.broker[broker]
    if how_many(s, new.isr) < s.config.min_isr or new.leader != broker:
        refuse_writes(s, broker)
    forget_followers(s, broker)
    forget_pending(s, broker)
    me.floor = NOTHING
    me.start = NOTHING
