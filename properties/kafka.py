"""The properties of the Kafka model, and the first revision in which each is expected to hold at the default sizes."""

from typing import Any

from ..model.choices import Beginning, Elections, Routing
from ..model.config import Config
from ..model.fetch_choices import FetchBeyondEnd
from ..model.truncation.names import Truncation
from . import (
    committed_records,
    compaction,
    controllership,
    generations,
    high_watermark,
    isr,
    leadership,
    log_matching,
    reachability,
    retention,
    state_machines,
    truncation,
)
from .property import always, sometimes, step

V3, KAFKA_0_10, KIP_101, KIP_279_2, FIRST_TRY, KIP_320 = (
    "v3", "high-watermark", "kip-101", "kip-279-2.0.1", "kip-320-first-try", "kip-320",
)  # fmt: skip


def can_fail(config: Config) -> bool:
    """Some fault makes the controller elect another leader."""
    return bool(config.max_epoch > 0 and config.session_expiries + config.crashes > 0 and config.brokers > 1)


def several(config: Config) -> bool:
    """There is a follower."""
    return bool(config.brokers > 1 and config.replicas != 1)


def by_the_machines(config: Config) -> bool:
    """Partitions are created and deleted by the transitions of the controller's state machines; a move is one step here."""
    deletes = config.topic_deletions > 0
    begins = config.start is Beginning.EMPTY or deletes
    return bool(begins and (config.confirming_partitions > 0 or not deletes) and config.reassignments == 0)


def answers_out_of_range(config: Config) -> bool:
    """A follower ahead of its leader learns it."""
    return config.fetch_beyond_end is not FetchBeyondEnd.NOTHING


def ends_fetchers(config: Config) -> bool:
    """Where retention deletes, a fetcher may end by what its leader says of the log, or by a high watermark of -1."""
    ends = config.truncation is Truncation.ON_DIVERGENCE or config.renewals or config.lost_marks
    return bool(config.retentions > 0 and ends)


FAILS_OVER: dict[str, Any] = {"since": V3, "needs": can_fail, "where": "a fault and an epoch to elect in"}
HAS_FOLLOWER: dict[str, Any] = {"since": V3, "needs": several, "where": "two replicas"}
BY_THE_MACHINES: dict[str, Any] = {
    "since": V3, "needs": by_the_machines, "where": "start = empty, or deletion = confirmed; reassignments = 0",
}  # fmt: skip

KAFKA_PROPERTIES = (
    # The three questions.
    step(leadership.single_committable_leader, since=FIRST_TRY),
    step(leadership.commits_agree, since=KIP_279_2),
    always(committed_records.no_committed_data_loss, since=KIP_279_2),
    always(log_matching.log_prefix_convergence, since=FIRST_TRY),
    # Who may be elected has what was committed.
    always(isr.weak_isr, since=KIP_320),
    always(isr.strong_isr, since=KIP_320),
    always(isr.isr_reaches_high_watermark, since=KIP_320),
    always(isr.isr_within_assignment, since=V3),
    step(
        isr.inactive_brokers_join_no_isr, since="kip-500", needs="fetch = in-flight or controlled_shutdowns > 0",
    ),
    always(isr.isr_never_empty, since=V3),
    step(isr.zk_version_guards_isr, since=V3),
    step(isr.writes_need_min_isr, since=V3, needs="acks = all, min_isr > 1"),
    step(isr.restart_keeps_only_assigned, since=V3, needs="crashes > 0, topic_deletions > 0, start_up = at-once"),
    # Terms and high watermarks.
    always(leadership.leader_none_or_in_isr, since=V3),
    always(leadership.one_leader_per_epoch, since=V3),
    step(leadership.epochs_increase, since=KAFKA_0_10),
    always(
        leadership.leaders_are_published_first, since=V3, needs=lambda c: c.start is Beginning.EMPTY or c.clients > 0,
        where="start = empty or clients = 1",
    ),
    always(
        leadership.shutdown_keeps_leaders, since=V3,
        needs=lambda c: c.controlled_shutdowns > 0 and c.crashes + c.session_expiries + c.lost_brokers == 0,
        where="controlled_shutdowns > 0, and no other fault of a broker",
    ),
    step(leadership.returning_broker_leads_nothing, since=V3, needs="whole_changes = 1, controller_lock = 1"),
    step(leadership.single_committable_leader_strict, since=None),
    always(high_watermark.hw_within_log, since=V3),
    step(high_watermark.leader_hw_never_falls, since=KAFKA_0_10),
    always(
        high_watermark.leader_hw_in_log, since="kip-279",
        needs=lambda c: c.retentions > 0 or (c.lost_marks > 0 and c.unclean_elections > 0),
        where="retentions > 0, or stray_high_watermark = minus-one and unclean_elections > 0",
    ),
    step(high_watermark.known_ends_stay, since=V3),
    always(
        high_watermark.followers_show_committed, since=KIP_320,
        needs="follower_reads = 1",
    ),
    always(truncation.truncation_rounds, since=V3),
    step(
        truncation.shared_records_stay, since=KAFKA_0_10, needs=lambda c: answers_out_of_range(c) and not c.checked_fetch,
        where="fetch_beyond_end above nothing, checked_fetch = 0",
    ),
    step(truncation.older_records_stay, since=V3, needs="message_format = older"),
    always(
        truncation.no_broker_exits, since=KIP_279_2, needs=lambda c: answers_out_of_range(c) and c.unclean_elections == 0,
        where="fetch_beyond_end above nothing, unclean_elections = 0",
    ),
    # What clients see.
    always(
        log_matching.append_in_order, since=FIRST_TRY,
        needs=lambda c: c.max_batch > 1 or ends_fetchers(c),
        where="max_batch > 1, or retentions > 0 and truncation = on-divergence, answered_start = read-again, or "
        "stray_high_watermark = minus-one",
    ),
    always(
        committed_records.producers_are_told_of_their_records, since=None, needs=lambda c: c.produce_partitions > 0,
        where="produce_wait = offset or offset-later, acks = all",
    ),
    always(committed_records.acknowledged_records_survive, since=None, needs="acks = leader"),
    always(committed_records.acknowledged_records_survive_losses, since=KIP_101, needs="lost_brokers > 0, acks = all"),
    always(committed_records.committed_records_stay_readable, since=KIP_279_2),
    step(committed_records.consumer_sees_only_committed, since=FIRST_TRY, needs="consumers = 1"),
    step(committed_records.consumer_stays_in_range, since=FIRST_TRY, needs="consumers = 1"),
    always(compaction.last_values_are_kept, since=V3, needs="compactions > 0"),
    step(retention.deleted_records_were_committed, since=V3, needs="retentions > 0"),
    # Topics that are created again.
    always(generations.recreated_topics_begin_empty, since=None, needs="topic_recreations > 0"),
    always(generations.deleted_records_are_gone, since=None, needs="topic_recreations > 0"),
    sometimes(generations.creates_topic_again, since=V3, needs="topic_recreations > 0"),
    # The controller.
    always(controllership.single_controller, since=V3, needs="controller_changes > 0"),
    step(controllership.one_creation_wins, since=V3, needs="controller_changes > 0"),
    step(controllership.deciding_controllers_increase, since=V3, needs="controller_changes > 0, controller_epoch = 1"),
    step(controllership.multi_is_all_or_nothing, since=V3, needs="decisions = multi, store = answered, partitions > 1"),
    step(state_machines.partition_transitions, **BY_THE_MACHINES),
    step(state_machines.replica_transitions, **BY_THE_MACHINES),
    always(controllership.single_controller_strict, since=None, needs="controller_changes > 0"),
    # The model is not vacuous.
    sometimes(reachability.commits_record, since=V3),
    sometimes(
        reachability.tells_a_producer, since=V3, needs=lambda c: c.produce_partitions > 0,
        where="produce_wait = offset or offset-later",
    ),
    sometimes(reachability.elects_leader, **FAILS_OVER),
    sometimes(reachability.fails_over, **FAILS_OVER),
    sometimes(reachability.commits_after_failover, **FAILS_OVER),
    sometimes(reachability.truncates_log, **FAILS_OVER),
    sometimes(reachability.shrinks_isr, **HAS_FOLLOWER),
    sometimes(reachability.expands_isr, **HAS_FOLLOWER),
    sometimes(
        reachability.zombie_leads, since=V3, needs=lambda c: can_fail(c) and c.session_expiries > 0, where="session_expiries > 0"
    ),
    sometimes(
        reachability.goes_offline, since=V3, needs=lambda c: can_fail(c) and c.session_expiries + c.crashes >= c.brokers,
        where="as many faults as brokers",
    ),
    sometimes(
        reachability.client_is_sent_too_early, since=V3,
        needs=lambda c: c.clients > 0 and c.routing is Routing.LEADER_AND_ISR and (can_fail(c) or c.start is Beginning.EMPTY),
        where="clients > 0, routing = leader-and-isr",
    ),
    sometimes(reachability.announces_before_start, since=V3, needs="start = empty"),
    sometimes(
        reachability.alert_comes_though_it_leads, since=V3,
        needs=lambda c: c.alerts > 0 and c.elections is Elections.ANSWERED and can_fail(c),
        where="alerts = 1, elections = answered",
    ),
    sometimes(reachability.restarts, since=V3, needs="crashes > 0"),
    sometimes(reachability.controller_fails_over, since=V3, needs="controller_changes > 0"),
    sometimes(
        reachability.preferred_replica_leads_again, since=V3,
        needs=lambda c: c.preferred_elections > 0 and c.max_epoch > 0 and several(c), where="preferred_elections > 0",
    ),
    sometimes(
        reachability.unclean_election_loses_data, since=V3,
        needs=lambda c: c.unclean_elections > 0 and can_fail(c), where="unclean_elections > 0",
    ),
    sometimes(
        reachability.consumer_gets_empty_set, since=V3, needs=lambda c: c.consumers > 0 and can_fail(c), where="consumers = 1"
    ),
    sometimes(reachability.moves_to_other_brokers, since=V3, needs="reassignments > 0"),
    sometimes(
        reachability.deletes_replica, since=V3, needs=lambda c: c.topic_deletions > 0 or c.reassignments > 0,
        where="topic_deletions > 0 or reassignments > 0",
    ),
)  # fmt: skip
