"""Properties of the family `kraft`: those of the ZooKeeper model that make sense there, and what the metadata adds.

A property that both models have is the same function. `since` is the first release in which it is expected to hold.
"""

from typing import Any

from ..model.fetching import leads
from ..model.kraft_choices import Recovery
from ..model.members import NO_BROKER, contains, how_many
from . import committed_records, compaction, high_watermark, isr, leadership, log_matching, reachability, retention
from .committed_records import exists
from .isr import holds_committed_of
from .progress import (
    follower_can_join,
    follower_joins,
    has_uncommitted,
    is_shutting_down,
    leader_can_serve,
    leader_serves_again,
    replicated_records_commit,
    shutdown_ends,
    write_can_be_acknowledged,
)
from .property import always, leads_to, recoverable, sometimes, step
from .serving import is_in_session, is_over, isr_member_lives


def eligible_replicas_have_committed(s, partition, leader, broker, offset):
    """Every eligible leader replica has every record below any leader's high watermark (KIP-966).

    The controller may elect any of them once the ISR is empty. One that runs no more is not checked: its disk may be lost, which
    its next registration tells.
    """
    if s.config.eligible_partitions == 0 or not leads(s, partition, leader) or not s.broker[broker].up:
        return True
    if not contains(s.metadata[0].elr[partition], broker) or not exists(s, partition):
        return True
    return holds_committed_of(s, partition, leader, broker, offset)


def given_leaders_can_lead(s, partition):
    """Whom the log gives as leader is active: neither fenced nor in controlled shutdown.

    Otherwise clients and followers are sent to a broker that the controller itself takes for dead (KAFKA-19522).
    """
    leader = s.zookeeper.leader_and_isr[partition].leader
    return leader == NO_BROKER or contains(s.zookeeper.broker_ids & ~s.metadata[0].leaving, leader)


def inactive_brokers_are_in_no_isr(s, partition, broker):
    """A broker that is fenced or shutting down is in no ISR with others (KIP-841).

    Otherwise a leader waits for a replica that the controller has removed for good, and the next election may choose it
    (KAFKA-13916). The last member stays where the ISR cannot be empty.
    """
    node = s.zookeeper.leader_and_isr[partition]
    if contains(s.zookeeper.broker_ids & ~s.metadata[0].leaving, broker) or not contains(node.isr, broker):
        return True
    return s.config.recovery is Recovery.LAST_MEMBER and how_many(s, node.isr) == 1 and node.leader == NO_BROKER


def metadata_agree(s, partition, broker, other):
    """Two replicas in the same leader epoch follow the same leader: what brokers have applied is a prefix of one log."""
    me = s.replica[partition][broker]
    their = s.replica[partition][other]
    if not s.broker[broker].up or not s.broker[other].up or me.leader_epoch != their.leader_epoch:
        return True
    return me.leader == their.leader


def partition_epoch_guards_isr(s, t, partition):
    """The log's word of a partition changes only with its partition epoch: no two changes have the same (KIP-497)."""
    before = s.zookeeper.leader_and_isr[partition]
    after = t.zookeeper.leader_and_isr[partition]
    if t.metadata[0].length == s.metadata[0].length and after.leader_epoch == before.leader_epoch:
        return after.isr == before.isr and after.leader == before.leader
    return True


def epochs_begin_with_leaders(s, t, partition):
    """A leader epoch begins with another leader, or none: not because a replica has left the ISR.

    Every new epoch stops the fetches of all followers until they have heard of it (KAFKA-15021).
    """
    before = s.zookeeper.leader_and_isr[partition]
    after = t.zookeeper.leader_and_isr[partition]
    return after.leader_epoch == before.leader_epoch or after.leader != before.leader


def pending_members_count(s, partition, leader, broker):
    """Who is in the log's ISR is waited for by the leader of that epoch, or it has yet to commit what the broker lacks.

    It is what `strong_isr` rests on: a leader commits with all who may be in the ISR, also while its request is on its way.
    """
    node = s.zookeeper.leader_and_isr[partition]
    me = s.replica[partition][leader]
    if not leads(s, partition, leader) or me.leader_epoch != node.leader_epoch or not contains(node.isr, broker):
        return True
    return contains(me.isr | s.isr_write[partition][leader].isr, broker)


def one_delta_hides_a_leader(s, t, partition, broker):
    """A broker that leads applies several changes as one, and leads again: it has not seen who led in between."""
    me = s.replica[partition][broker]
    now = t.replica[partition][broker]
    return leads(s, partition, broker) and leads(t, partition, broker) and now.leader_epoch > me.leader_epoch + 1


def is_fenced_and_lives(s, partition, broker):
    """A broker that runs, wants to stay, holds a replica, and is fenced."""
    if s.broker[broker].leaving or not s.broker[broker].up or not contains(s.zookeeper.assigned[partition], broker):
        return False
    return not contains(s.zookeeper.broker_ids, broker)


def fenced_broker_serves_again(s, partition, broker):
    """A fenced broker that lives is unfenced again, or stops."""
    return not is_fenced_and_lives(s, partition, broker) or is_over(s, partition)


def elects_eligible_replica(s, t, partition):
    """A replica leads that was eligible while the ISR was empty (KIP-966)."""
    if s.config.eligible_partitions == 0:
        return False
    node = t.zookeeper.leader_and_isr[partition]
    return s.zookeeper.leader_and_isr[partition].isr == 0 and contains(s.metadata[0].elr[partition], node.leader)


def can_fail(config: Any) -> bool:
    """Some fault makes the controller elect another leader."""
    return bool(config.max_epoch > 0 and config.fences + config.crashes > 0 and config.brokers > 1)


FAILS_OVER: dict[str, Any] = {"needs": can_fail, "where": "a fault and an epoch to elect in"}
HAS_FOLLOWER: dict[str, Any] = {"needs": "brokers > 1"}

KRAFT_PROPERTIES = (
    # The three questions.
    step(leadership.single_committable_leader),
    step(leadership.commits_agree),
    always(committed_records.no_committed_data_loss),
    always(log_matching.log_prefix_convergence),
    # Who may be elected has what was committed.
    always(isr.weak_isr),
    always(isr.strong_isr),
    always(isr.isr_reaches_high_watermark),
    always(eligible_replicas_have_committed, needs=lambda c: c.eligible_partitions > 0, where="recovery = eligible-replicas"),
    always(isr.isr_within_assignment),
    step(isr.writes_need_min_isr, needs="min_isr > 1"),
    # The metadata.
    always(leadership.one_leader_per_epoch),
    always(given_leaders_can_lead),
    always(inactive_brokers_are_in_no_isr),
    always(metadata_agree),
    step(epochs_begin_with_leaders),
    always(leadership.leader_none_or_in_isr),
    step(leadership.epochs_increase),
    # High watermarks.
    always(high_watermark.hw_within_log),
    step(high_watermark.leader_hw_never_falls),
    step(high_watermark.known_ends_stay),
    always(high_watermark.followers_show_committed, needs="follower_reads = 1"),
    # What clients see.
    always(log_matching.append_in_order, needs="max_batch > 1 or retentions > 0"),
    always(committed_records.acknowledged_records_survive_losses, needs="lost_brokers > 0"),
    step(committed_records.consumer_sees_only_committed, needs="consumers = 1"),
    step(committed_records.consumer_stays_in_range, needs="consumers = 1"),
    always(compaction.last_values_are_kept, needs="compactions > 0"),
    step(retention.deleted_records_were_committed, needs="retentions > 0"),
    # The model is not vacuous.
    sometimes(reachability.commits_record),
    sometimes(reachability.elects_leader, **FAILS_OVER),
    sometimes(reachability.fails_over, **FAILS_OVER),
    sometimes(reachability.commits_after_failover, **FAILS_OVER),
    sometimes(reachability.truncates_log, **FAILS_OVER),
    sometimes(reachability.shrinks_isr, **HAS_FOLLOWER),
    sometimes(reachability.expands_isr, **HAS_FOLLOWER),
    sometimes(reachability.zombie_leads, needs=lambda c: can_fail(c) and c.fences > 0, where="fences > 0"),
    sometimes(reachability.restarts, needs="crashes > 0"),
    sometimes(
        reachability.preferred_replica_leads_again,
        needs=lambda c: c.preferred_elections > 0 and c.max_epoch > 0 and c.brokers > 1, where="preferred_elections > 0",
    ),
)  # fmt: skip

KRAFT_PROGRESS = (
    recoverable(leader_can_serve, premise=isr_member_lives),
    leads_to(isr_member_lives, leader_serves_again),
    recoverable(follower_can_join, premise=is_in_session),
    leads_to(is_in_session, follower_joins),
    recoverable(write_can_be_acknowledged, premise=isr_member_lives),
    leads_to(has_uncommitted, replicated_records_commit),
    leads_to(is_fenced_and_lives, fenced_broker_serves_again),
    leads_to(is_shutting_down, shutdown_ends, needs="controlled_shutdowns > 0"),
)
