"""How wide the variables of the Kafka model are: sizes and flags that follow from its settings."""

from typing import Any

from .choices import (
    Acks,
    CommandOrder,
    CutHighWatermark,
    Decisions,
    Deletion,
    EarlierRecords,
    EarlierRefusal,
    Elections,
    Fetch,
    FetchCount,
    IsrWriter,
    PathChange,
    Reassignment,
    StartUp,
    Store,
    UnknownRegistration,
)
from .controller.choices import EarlierFailures, MoveDecisions, WhoLives
from .fetch_choices import AnsweredStart, FetchBeyondEnd, RefusalHighWatermark
from .language import Settings, derived
from .release_choices import Fetchers, MessageFormat, ProduceWait, StrayHighWatermark, UnepochedCut, UnnamedEpoch, WaitingProduce
from .truncation.names import Truncation

LISTING_RULES = (Truncation.BY_KNOWN_EPOCH, Truncation.BY_EPOCH_SEQUENCE)
"""Those by which a follower names one of several epochs."""


def ends_brokers(c: Any) -> bool:
    """A follower ahead of its leader ends its broker: unclean elections, of which that is a sign, are disabled (KAFKA-7414)."""
    exits = (FetchBeyondEnd.CUT_OR_THROWN_AWAY, FetchBeyondEnd.CUT_OR_EXIT)
    return c.fetch_beyond_end in exits and c.unclean_elections == 0


class Widths(Settings):
    """What follows from the settings of `config.Config`: no variable is wider than a configuration needs."""

    members = derived(lambda c: c.brokers)
    epochs = derived(lambda c: c.max_epoch + 1)
    most_rounds = derived(lambda c: c.max_epoch + 2)  # one more than a follower that asks once per epoch needs
    controllers = derived(lambda c: c.controller_changes + 1)
    offsets = derived(lambda c: c.log_size + 1)
    flights = derived(lambda c: c.log_size if c.fetch is Fetch.IN_FLIGHT else 0)
    checks = derived(lambda c: 1 if c.fetch_count is FetchCount.LATER else 0)
    refusals = derived(lambda c: 1 if c.fetch is Fetch.IN_FLIGHT and c.earlier_refusal is EarlierRefusal.TAKEN else 0)
    lates = derived(lambda c: 1 if c.fetch is Fetch.IN_FLIGHT and c.earlier_records is EarlierRecords.TAKEN else 0)
    late_partitions = derived(lambda c: c.partitions if c.lates else 0)
    refusal_partitions = derived(lambda c: c.partitions if c.refusals else 0)
    fetch_partitions = derived(lambda c: c.partitions if c.fetch is Fetch.IN_FLIGHT else 0)
    log_starts = derived(lambda c: c.log_size if c.retentions else 0)
    renewals = derived(
        lambda c: 1 if c.log_starts and c.fetch is Fetch.IN_FLIGHT and c.answered_start is AnsweredStart.READ_AGAIN else 0
    )
    holes = derived(lambda c: 1 if c.compactions else 0)
    upgrades = derived(lambda c: 1 if c.truncation is Truncation.MIXED else 0)
    asked_epochs = derived(lambda c: c.max_epoch if c.truncation in LISTING_RULES else -1)
    lost_marks = derived(
        lambda c: int(c.stray_high_watermark is StrayHighWatermark.MINUS_ONE and c.cut_high_watermark is CutHighWatermark.STAYS)
    )
    unnamed_questions = derived(
        lambda c: int(
            c.message_format is MessageFormat.OLDER
            and c.unnamed_epoch is UnnamedEpoch.LOG_END
            and c.truncation is Truncation.BY_LEADER_EPOCH
        )
    )
    lost_checkpoints = derived(lambda c: c.lost_marks if c.crashes else 0)
    checkpoints = derived(lambda c: c.log_size if c.crashes else 0)
    quorums = derived(lambda c: 0)  # 1: a quorum keeps the metadata as a log (`kraft`, whose settings the next ones are)
    window = derived(lambda c: 0)
    kept_changes = derived(lambda c: 0)
    fences = derived(lambda c: 0)
    early_registrations = derived(lambda c: 0)
    unregistered_starts = derived(lambda c: 0)
    min_isr_changes = derived(lambda c: 0)
    feature_changes = derived(lambda c: 0)
    directory_reports = derived(lambda c: 0)
    recreations = derived(lambda c: 0)
    recreated_topics = derived(lambda c: 0)
    changing_min_isrs = derived(lambda c: 0)
    changing_features = derived(lambda c: 0)
    shutdown_window = derived(lambda c: 0)
    eligible_partitions = derived(lambda c: 0)
    under_min_isr = derived(lambda c: 0)
    earlier_fetch = derived(lambda c: 0)
    orphans = derived(lambda c: c.lates)
    commanded_partitions = derived(lambda c: 0 if c.quorums else c.partitions)
    commands = derived(lambda c: c.window if c.quorums else c.epochs)
    stops = derived(lambda c: c.crashes + c.controlled_shutdowns)
    looked_partitions = derived(lambda c: c.partitions if c.whole_changes else 0)
    earlier_deaths = derived(lambda c: 1 if c.earlier_failures is EarlierFailures.LEFT and c.controller_changes else 0)
    lapsed_partitions = derived(lambda c: c.partitions if c.earlier_deaths else 0)
    news = derived(lambda c: 1 if c.who_lives is WhoLives.SAID_LATER and c.controller_changes else 0)
    news_controllers = derived(lambda c: c.controllers if c.news else 0)
    registrations = derived(lambda c: c.broker_epochs)
    unknown_registrations = derived(
        lambda c: 1 if c.broker_epochs and c.unknown_registration is UnknownRegistration.REFUSED and c.session_expiries else 0
    )
    raises = derived(lambda c: 1 if c.follower_reads and c.refusal_high_watermark is RefusalHighWatermark.TAKEN else 0)
    raised_refusals = derived(lambda c: c.log_size if c.raises and c.refusals else 0)
    exits = derived(lambda c: 1 if ends_brokers(c) else 0)
    late_cuts = derived(
        lambda c: int(c.unepoched_cut is UnepochedCut.LATER and c.fetchers is Fetchers.SHARED and c.partitions > 1)
    )
    phases = derived(lambda c: 5 if c.late_cuts else 4 if c.fetch_beyond_end is FetchBeyondEnd.CUT_OR_THROWN_AWAY else 3)
    leavings = derived(lambda c: 1 if c.controlled_shutdowns else 0)
    watched_moves = derived(lambda c: c.partitions if c.reassignments and c.isr_watch else 0)
    alert_partitions = derived(lambda c: c.partitions if c.alerts else 0)
    flushes = derived(lambda c: c.log_size if c.power_losses else 0)
    client_partitions = derived(lambda c: c.partitions if c.clients else 0)
    consumer_partitions = derived(lambda c: c.partitions if c.consumers else 0)
    asking_partitions = derived(lambda c: c.partitions if c.store is Store.ANSWERED else 0)
    earlier_requests = derived(lambda c: 1 if c.store is Store.ANSWERED and c.isr_writer is IsrWriter.CONTROLLER else 0)
    connections = derived(lambda c: c.controllers if c.command_order is CommandOrder.PER_CONNECTION else 0)
    assured_offsets = derived(lambda c: c.log_size if c.lost_brokers else 0)
    produce_partitions = derived(
        lambda c: c.partitions if c.produce_wait is not ProduceWait.RECORD and c.acks is Acks.ALL else 0
    )
    produce_phases = derived(
        lambda c: 3 if c.produce_wait is ProduceWait.OFFSET_LATER and c.waiting_produce is WaitingProduce.LAPSES else 2
    )
    answered_offsets = derived(lambda c: c.log_size if c.produce_partitions else 0)
    starting_partitions = derived(lambda c: c.partitions if c.start_up is StartUp.STEPWISE and c.stops else 0)
    purposes = derived(lambda c: 5 if c.stepwise_moves else 4 if c.decisions is Decisions.MULTI else 3)
    awaiting_partitions = derived(lambda c: c.partitions if c.elections is Elections.ANSWERED else 0)
    unled_partitions = derived(lambda c: c.partitions if c.init_offline and c.controller_changes else 0)
    topic_id_marks = derived(lambda c: 1 if c.topic_ids and c.topic_recreations else 0)
    recreated_partitions = derived(lambda c: c.partitions if c.topic_recreations else 0)
    deleting_partitions = derived(lambda c: c.partitions if c.topic_deletions and c.deletion is not Deletion.AT_ONCE else 0)
    confirming_partitions = derived(lambda c: c.partitions if c.topic_deletions and c.deletion is Deletion.CONFIRMED else 0)
    vanishing_partitions = derived(lambda c: max(c.recreated_partitions, c.deleting_partitions))
    renewed_nodes = derived(
        lambda c: 1 if c.topic_recreations or c.deleting_partitions or (c.partition_removals and c.partition_additions) else 0
    )
    kept_versions = derived(lambda c: c.max_version + c.max_epoch + c.brokers + 1 if c.renewed_nodes else 1)
    requested_additions = derived(lambda c: c.partition_additions if c.path_change is not PathChange.TOPIC_ALONE else 0)
    changing_partitions = derived(lambda c: c.partitions if c.requested_additions or c.partition_removals else 0)
    preferred_additions = derived(lambda c: c.partitions if c.requested_additions and c.preferred_elections else 0)
    moving_partitions = derived(lambda c: c.partitions if c.reassignments else 0)
    stepwise_moves = derived(
        lambda c: int(
            c.reassignments > 0
            and c.quorums == 0
            and c.reassignment is Reassignment.KAFKA
            and c.move_decisions is MoveDecisions.EACH
        )
    )
    moves = derived(lambda c: 1 if c.reassignments else 0)
    moves_watched = derived(lambda c: 4 if c.reassignments else 0)
    watched = derived(lambda c: 4 if c.reassignments else 3)
