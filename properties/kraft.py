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
    if s.config.recovery is Recovery.LAST_MEMBER and how_many(s, node.isr) == 1 and node.leader == NO_BROKER:
        return True
    return contains(s.zookeeper.broker_ids & ~s.metadata[0].leaving, broker) or not contains(node.isr, broker)


def metadata_agree(s, partition, broker, other):
    """Two replicas in the same leader epoch follow the same leader: what brokers have applied is a prefix of one log."""
    me = s.replica[partition][broker]
    their = s.replica[partition][other]
    if not s.broker[broker].up or not s.broker[other].up or me.leader_epoch != their.leader_epoch:
        return True
    return me.leader == their.leader


def epochs_begin_with_leaders(s, t, partition):
    """A leader epoch begins with another leader, or none: not because a replica has left the ISR.

    Every new epoch stops the fetches of all followers until they have heard of it (KAFKA-15021).
    """
    before = s.zookeeper.leader_and_isr[partition]
    after = t.zookeeper.leader_and_isr[partition]
    return after.leader_epoch == before.leader_epoch or after.leader != before.leader


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


def can_fail(config: Any) -> bool:
    """Some fault makes the controller elect another leader."""
    return bool(config.max_epoch > 0 and config.fences + config.crashes > 0 and config.brokers > 1)


FIRST = "3.2"
FAILS_OVER: dict[str, Any] = {"since": FIRST, "needs": can_fail, "where": "a fault and an epoch to elect in"}
HAS_FOLLOWER: dict[str, Any] = {"since": FIRST, "needs": "brokers > 1"}

KRAFT_PROPERTIES = (
    # The three questions.
    step(leadership.single_committable_leader, since=FIRST),
    step(leadership.commits_agree, since=FIRST),
    always(committed_records.no_committed_data_loss, since=FIRST),
    always(log_matching.log_prefix_convergence, since=FIRST),
    # Who may be elected has what was committed.
    always(isr.weak_isr, since=FIRST),
    always(isr.strong_isr, since=FIRST),
    always(isr.isr_reaches_high_watermark, since=FIRST),
    always(
        eligible_replicas_have_committed, since=FIRST,
        needs=lambda c: c.eligible_partitions > 0, where="recovery = eligible-replicas",
    ),
    always(isr.isr_within_assignment, since=FIRST),
    step(isr.writes_need_min_isr, since=FIRST, needs="min_isr > 1"),
    # The metadata.
    always(leadership.one_leader_per_epoch, since=FIRST),
    always(given_leaders_can_lead, since=FIRST),
    always(inactive_brokers_are_in_no_isr, since=FIRST),
    always(metadata_agree, since=FIRST),
    step(epochs_begin_with_leaders, since=FIRST),
    always(leadership.leader_none_or_in_isr, since=FIRST),
    step(leadership.epochs_increase, since=FIRST),
    # High watermarks.
    always(high_watermark.hw_within_log, since=FIRST),
    step(high_watermark.leader_hw_never_falls, since=FIRST),
    step(high_watermark.known_ends_stay, since=FIRST),
    always(high_watermark.followers_show_committed, since=FIRST, needs="follower_reads = 1"),
    # What clients see.
    always(log_matching.append_in_order, since=FIRST, needs="max_batch > 1 or retentions > 0"),
    always(committed_records.acknowledged_records_survive_losses, since=FIRST, needs="lost_brokers > 0"),
    step(committed_records.consumer_sees_only_committed, since=FIRST, needs="consumers = 1"),
    step(committed_records.consumer_stays_in_range, since=FIRST, needs="consumers = 1"),
    always(compaction.last_values_are_kept, since=FIRST, needs="compactions > 0"),
    step(retention.deleted_records_were_committed, since=FIRST, needs="retentions > 0"),
    # The model is not vacuous.
    sometimes(reachability.commits_record, since=FIRST),
    sometimes(reachability.elects_leader, **FAILS_OVER),
    sometimes(reachability.fails_over, **FAILS_OVER),
    sometimes(reachability.commits_after_failover, **FAILS_OVER),
    sometimes(reachability.truncates_log, **FAILS_OVER),
    sometimes(reachability.shrinks_isr, since="3.6", needs="brokers > 1"),  # before, within no leader epoch
    sometimes(reachability.expands_isr, **HAS_FOLLOWER),
    sometimes(reachability.zombie_leads, since=FIRST, needs=lambda c: can_fail(c) and c.fences > 0, where="fences > 0"),
    sometimes(
        one_delta_hides_a_leader, since=FIRST,
        needs=lambda c: c.preferred_elections > 0 and c.fences > 0 and c.max_epoch > 1 and c.window > 1 and c.brokers > 1,
        where="fences > 0, preferred_elections > 0, max_epoch > 1, window > 1",
    ),
    sometimes(reachability.restarts, since=FIRST, needs="crashes > 0"),
    sometimes(
        reachability.preferred_replica_leads_again, since=FIRST,
        needs=lambda c: c.preferred_elections > 0 and c.max_epoch > 0 and c.brokers > 1, where="preferred_elections > 0",
    ),
)  # fmt: skip

KRAFT_PROGRESS = (
    recoverable(leader_can_serve, since=FIRST, premise=isr_member_lives),
    leads_to(isr_member_lives, leader_serves_again, since=FIRST),
    recoverable(follower_can_join, since=FIRST, premise=is_in_session),
    leads_to(is_in_session, follower_joins, since=FIRST),
    recoverable(write_can_be_acknowledged, since=FIRST, premise=isr_member_lives),
    leads_to(has_uncommitted, replicated_records_commit, since=FIRST),
    leads_to(is_fenced_and_lives, fenced_broker_serves_again, since=FIRST),
    leads_to(is_shutting_down, shutdown_ends, since=FIRST, needs="controlled_shutdowns > 0"),
)
