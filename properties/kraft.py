"""Properties of the family `kraft`: those of the ZooKeeper model that make sense there, and what the metadata adds.

A property that both models have is the same function. `since` is the first release in which it is expected to hold.
"""

from typing import Any

from ..model.fetching import leads
from ..model.kraft.config import KraftConfig
from ..model.kraft.state import Kraft
from ..model.kraft_choices import Recovery, UnderMinIsr
from ..model.members import NO_BROKER, contains, how_many, subset
from ..model.min_isr import known_min_isr
from ..model.vocabulary import NO_RECORD, Broker, Offset, Partition
from . import committed_records, compaction, high_watermark, isr, leadership, log_matching, reachability, retention
from .committed_records import exists
from .isr import holds_committed_of
from .progress import (
    follower_can_join,
    follower_joins,
    has_uncommitted,
    is_moving,
    is_shutting_down,
    leader_can_serve,
    reassignment_can_end,
    reassignment_ends,
    shutdown_ends,
    write_can_be_acknowledged,
)
from .property import always, leads_to, recoverable, sometimes, step
from .serving import is_in_session, is_over, is_served, isr_member_lives


def eligible_replicas_have_committed(s: Kraft, partition: Partition, leader: Broker, broker: Broker, offset: Offset) -> bool:
    """Every eligible leader replica has every record below any leader's high watermark (KIP-966).

    The controller may elect any of them once the ISR is empty. One that runs no more is not checked: its disk may be lost, which
    its next registration tells.
    """
    if s.config.eligible_partitions == 0 or not leads(s, partition, leader) or not s.broker[broker].up:
        return True
    if not contains(s.metadata[0].elr[partition], broker) or not exists(s, partition):
        return True
    return holds_committed_of(s, partition, leader, broker, offset)


def given_leaders_can_lead(s: Kraft, partition: Partition) -> bool:
    """Whom the log gives as leader is active: neither fenced nor in controlled shutdown.

    Otherwise clients and followers are sent to a broker that the controller itself takes for dead (KAFKA-19522).
    """
    leader = s.zookeeper.leader_and_isr[partition].leader
    return leader == NO_BROKER or contains(s.zookeeper.broker_ids & ~s.metadata[0].leaving, leader)


def inactive_brokers_are_in_no_isr(s: Kraft, partition: Partition, broker: Broker) -> bool:
    """A broker that is fenced or shutting down is in no ISR with others (KIP-841).

    Otherwise a leader waits for a replica that the controller has removed for good, and the next election may choose it
    (KAFKA-13916). The last member stays where the ISR cannot be empty.
    """
    node = s.zookeeper.leader_and_isr[partition]
    may_stay = s.config.recovery is Recovery.LAST_MEMBER or s.config.feature_changes > 0
    if may_stay and how_many(s, node.isr) == 1 and node.leader == NO_BROKER:
        return True
    return contains(s.zookeeper.broker_ids & ~s.metadata[0].leaving, broker) or not contains(node.isr, broker)


def metadata_agree(s: Kraft, partition: Partition, broker: Broker, other: Broker) -> bool:
    """Two replicas in the same leader epoch follow the same leader: what brokers have applied is a prefix of one log."""
    me = s.replica[partition][broker]
    their = s.replica[partition][other]
    if not s.broker[broker].up or not s.broker[other].up or me.leader_epoch != their.leader_epoch:
        return True
    return me.leader == their.leader


def epochs_begin_with_leaders(s: Kraft, t: Kraft, partition: Partition) -> bool:
    """A leader epoch begins with another leader, or none, fewer replicas, or another topic: not because one has left the ISR.

    Every new epoch stops the fetches of all followers until they have heard of it (KAFKA-15021).
    """
    before = s.zookeeper.leader_and_isr[partition]
    after = t.zookeeper.leader_and_isr[partition]
    if removes_replicas(s, t, partition) or t.spent.recreations > s.spent.recreations:
        return True
    return after.leader_epoch == before.leader_epoch or after.leader != before.leader


def removes_replicas(s: Kraft, t: Kraft, partition: Partition) -> bool:
    """A step after which some broker is no replica of the partition any more."""
    return s.zookeeper.assigned[partition] & ~t.zookeeper.assigned[partition] != 0


def removals_begin_epochs(s: Kraft, t: Kraft, partition: Partition) -> bool:
    """A leader epoch begins when replicas are removed (KR7).

    Otherwise a fetch of the removed replica, still on its way, counts when the same broker is a replica again, with another log.
    """
    before = s.zookeeper.leader_and_isr[partition]
    after = t.zookeeper.leader_and_isr[partition]
    return not removes_replicas(s, t, partition) or after.leader_epoch > before.leader_epoch


def moves_end_in_sync(s: Kraft, t: Kraft, partition: Partition) -> bool:
    """When a partition has moved, its replicas are those that were asked for, and all that were added are in the ISR (KR7, F2).

    Otherwise replicas with what was committed are deleted before others have it. Only a cancellation ends a move elsewhere.
    """
    if s.zookeeper.reassigned[partition] == 0 or t.zookeeper.reassigned[partition] != 0:
        return True
    if t.spent.cancelled_moves > s.spent.cancelled_moves or t.spent.reassignments > s.spent.reassignments:
        return True
    wanted = s.zookeeper.reassigned[partition]
    isr = t.zookeeper.leader_and_isr[partition].isr
    return t.zookeeper.assigned[partition] == wanted and isr != 0 and subset(s.metadata[0].adding[partition], isr)


def only_replicas_have_directories(s: Kraft, partition: Partition, broker: Broker) -> bool:
    """A running broker that has applied the whole log has a directory of the partition only if it is a replica (KR7).

    Otherwise it fills a disk for nothing, and when it is a replica again it begins with an old log.
    """
    if not s.broker[broker].up or s.metadata[0].applied[broker] < s.metadata[0].length:
        return True
    return contains(s.zookeeper.assigned[partition], broker) or not s.replica[partition][broker].exists


def eligible_replicas_are_replicas(s: Kraft, partition: Partition) -> bool:
    """Every eligible leader replica is a replica of the partition (KIP-966, KR7).

    One that is not can never lead, and as long as it counts as eligible the last leader is not elected either.
    """
    return s.config.eligible_partitions == 0 or subset(s.metadata[0].elr[partition], s.zookeeper.assigned[partition])


def someone_can_be_elected(s: Kraft, partition: Partition) -> bool:
    """While its ISR is empty a partition has an eligible leader replica, or a last leader (KIP-966).

    Otherwise it stays without a leader, whoever comes back, until an operator asks for an unclean election.
    """
    if s.config.eligible_partitions == 0 or s.zookeeper.leader_and_isr[partition].isr != 0:
        return True
    return s.metadata[0].elr[partition] != 0 or s.metadata[0].last_leader[partition] != NO_BROKER


def one_delta_hides_a_leader(s: Kraft, t: Kraft, partition: Partition, broker: Broker) -> int:
    """A broker that leads applies several changes as one, and leads again: it has not seen who led in between."""
    me = s.replica[partition][broker]
    now = t.replica[partition][broker]
    return leads(s, partition, broker) and leads(t, partition, broker) and now.leader_epoch > me.leader_epoch + 1


def counts_earlier_process(s: Kraft, t: Kraft, partition: Partition, leader: Broker, follower: Broker) -> int:
    """A leader counts a fetch of a process that has ended, when its broker has registered again (KAFKA-15221)."""
    before = s.fetch_request[partition][leader][follower]
    after = t.fetch_request[partition][leader][follower]
    if before.orphaned != 2 or after.sent or s.broker[follower].up != t.broker[follower].up:
        return False
    return leads(s, partition, leader) and leads(t, partition, leader)


def cancels_move(s: Kraft) -> bool:
    """A move was cancelled (KR7)."""
    return s.spent.cancelled_moves > 0


def commits_in_new_topic(s: Kraft, partition: Partition) -> bool:
    """A topic was created again, and a record of the new one is committed (KR7)."""
    return s.spent.recreations > 0 and s.history[partition].record[0] != NO_RECORD


def is_fenced_and_lives(s: Kraft, partition: Partition, broker: Broker) -> bool:
    """A broker that runs, wants to stay, holds a replica, and is fenced."""
    if s.broker[broker].leaving or not s.broker[broker].up or not contains(s.zookeeper.assigned[partition], broker):
        return False
    return not contains(s.zookeeper.broker_ids, broker)


def fenced_broker_serves_again(s: Kraft, partition: Partition, broker: Broker) -> bool:
    """A fenced broker that lives is unfenced again, or stops."""
    return not is_fenced_and_lives(s, partition, broker) or is_over(s, partition)


def someone_may_lead(s: Kraft, partition: Partition) -> bool:
    """A replica runs that the controller may elect: of the ISR; if that is empty, an eligible one; then the last leader."""
    if isr_member_lives(s, partition) or s.config.eligible_partitions == 0:
        return isr_member_lives(s, partition)
    log = s.metadata[0]
    for broker in range(s.config.members):
        if s.broker[broker].up and s.zookeeper.leader_and_isr[partition].isr == 0:
            if contains(log.elr[partition], broker) or (log.elr[partition] == 0 and log.last_leader[partition] == broker):
                return True
    return False


def eligible_replica_serves(s: Kraft, partition: Partition) -> int:
    """While a replica runs that may be elected, and stays, the partition gets a serving leader (KR3).

    With eligible leader replicas (KIP-966) that is also one that has left the ISR, or the last leader: no operator is needed.
    """
    return is_served(s, partition) or is_over(s, partition) or not someone_may_lead(s, partition)


def has_committable(s: Kraft, partition: Partition) -> bool:
    """All of the ISR has a record that its serving leader has yet to commit, and waits for no further members."""
    if not has_uncommitted(s, partition):
        return False
    node = s.zookeeper.leader_and_isr[partition]
    return s.config.under_min_isr is UnderMinIsr.COMMITS or how_many(s, node.isr) >= known_min_isr(s, node.leader)


def committable_records_commit(s: Kraft, partition: Partition) -> bool:
    """What all of the ISR has is committed in the end, or the ISR falls below min ISR, or the partition gets another leader.

    Otherwise a producer with acks=all waits, and consumers do not see a record, until somebody happens to write the next one.
    """
    return not has_committable(s, partition) or is_over(s, partition)


def can_fail(config: KraftConfig) -> bool:
    """Some fault makes the controller elect another leader."""
    return bool(config.max_epoch > 0 and config.fences + config.crashes > 0 and config.brokers > 1)


FIRST = "3.2"
FAILS_OVER: dict[str, Any] = {"since": FIRST, "needs": can_fail, "where": "a fault and an epoch to elect in"}
MOVES: dict[str, Any] = {"since": FIRST, "needs": "reassignments > 0"}
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
    step(removals_begin_epochs, **MOVES),
    step(moves_end_in_sync, **MOVES),
    always(only_replicas_have_directories, **MOVES),
    always(
        eligible_replicas_are_replicas, since=FIRST,
        needs=lambda c: c.eligible_partitions > 0 and c.reassignments > 0,
        where="recovery = eligible-replicas, reassignments > 0",
    ),
    always(
        someone_can_be_elected, since=FIRST, needs=lambda c: c.eligible_partitions > 0, where="recovery = eligible-replicas"
    ),
    always(leadership.leader_none_or_in_isr, since=FIRST),
    step(leadership.epochs_increase, since=FIRST),
    # High watermarks.
    always(high_watermark.hw_within_log, since=FIRST),
    step(high_watermark.leader_hw_never_falls, since=FIRST),
    step(high_watermark.known_ends_stay, since=FIRST),
    always(high_watermark.followers_show_committed, since=FIRST, needs="follower_reads = 1"),
    # What clients see.
    always(log_matching.append_in_order, since=FIRST, needs="max_batch > 1 or retentions > 0"),
    always(
        committed_records.producers_are_told_of_their_records, since=None, needs=lambda c: c.produce_partitions > 0,
        where="produce_wait = offset or offset-later",
    ),
    always(
        committed_records.acknowledged_records_survive_losses, since=FIRST,
        needs=lambda c: c.lost_brokers > 0 and c.min_isr_changes == 0, where="lost_brokers > 0, min_isr_changes = 0",
    ),
    step(committed_records.consumer_sees_only_committed, since=FIRST, needs="consumers = 1"),
    step(committed_records.consumer_stays_in_range, since=FIRST, needs="consumers = 1"),
    always(compaction.last_values_are_kept, since=FIRST, needs="compactions > 0"),
    step(retention.deleted_records_were_committed, since=FIRST, needs="retentions > 0"),
    # The model is not vacuous.
    sometimes(reachability.commits_record, since=FIRST),
    sometimes(
        reachability.tells_a_producer, since=FIRST, needs=lambda c: c.produce_partitions > 0,
        where="produce_wait = offset or offset-later",
    ),
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
    sometimes(
        counts_earlier_process, since=FIRST, needs=lambda c: c.orphans > 0 and c.crashes > 0 and c.brokers > 1,
        where="fetch = in-flight, crashes > 0",
    ),
    sometimes(reachability.moves_to_other_brokers, **MOVES),
    sometimes(cancels_move, since=FIRST, needs="cancelled_moves > 0"),
    sometimes(commits_in_new_topic, since=FIRST, needs="recreations > 0"),
    sometimes(reachability.restarts, since=FIRST, needs="crashes > 0"),
    sometimes(
        reachability.preferred_replica_leads_again, since=FIRST,
        needs=lambda c: c.preferred_elections > 0 and c.max_epoch > 0 and c.brokers > 1, where="preferred_elections > 0",
    ),
)  # fmt: skip

KRAFT_PROGRESS = (
    recoverable(leader_can_serve, since=FIRST, premise=someone_may_lead),
    leads_to(someone_may_lead, eligible_replica_serves, since=FIRST),
    recoverable(follower_can_join, since=FIRST, premise=is_in_session),
    leads_to(is_in_session, follower_joins, since=FIRST),
    recoverable(write_can_be_acknowledged, since=FIRST, premise=isr_member_lives),
    leads_to(has_committable, committable_records_commit, since=FIRST),
    leads_to(is_fenced_and_lives, fenced_broker_serves_again, since=FIRST),
    recoverable(reassignment_can_end, premise=is_moving, **MOVES),
    leads_to(is_moving, reassignment_ends, **MOVES),
    leads_to(is_shutting_down, shutdown_ends, since=FIRST, needs="controlled_shutdowns > 0"),
)
