"""Configuration of the family `kraft`: its own settings, and of ZooKeeper's those that are about brokers."""

from ..choices import (
    Acks,
    Beginning,
    Checkpoint,
    CommandOrder,
    Condition,
    Decisions,
    Deletion,
    Elections,
    Fetch,
    Init,
    IsrWriter,
    IsrWriting,
    LiveLeader,
    NewIsr,
    OfflineIsr,
    PathChange,
    Reassignment,
    RefusedWrite,
    Routing,
    StartUp,
    StopsTo,
    Store,
    UnknownRegistration,
    Versions,
)
from ..config import Config
from ..controller.choices import EarlierFailures, WhoLives
from ..kraft_choices import (
    AbandonedCopy,
    ChangedMinIsr,
    EarlierFetch,
    EarlyRegistration,
    Eligible,
    KnownNews,
    LastLeader,
    LeavingLeader,
    MoveEnd,
    NamedLast,
    OlderNews,
    Recovery,
    RemovedEligible,
    ReportedDirectory,
    ShrinkEpoch,
    StrayReplica,
    UncleanRegistration,
    UnderMinIsr,
    Unfencing,
    UnregisteredFetch,
)
from ..language import UsageError, budget, choice, derived, size
from ..misfits import validate_settings
from ..release_choices import EarlierRequest, FailedCommand, Fetchers, ReplacedController
from ..truncation.names import Truncation

NONE = (
    "controllers", "registrations", "earlier_requests", "session_expiries", "message_losses", "controller_changes",
    "topic_deletions", "topic_recreations", "partition_additions", "partition_removals", "ignored_commands",
    "failed_commands", "clients", "scheduled_elections", "controller_epoch", "repeated_commands", "stale_commands",
    "ordered_stops", "controller_lock", "fenced_controllers", "broker_epochs", "told_newcomers", "retried_offline",
    "whole_changes", "alerts", "isr_watch", "init_offline", "recognised_writes", "recognised_decisions", "leader_leaves_isr",
    "switch_epoch",
)
NOT_WITH_ANOTHER_TOPIC = ("reassignments", "consumers")
"""Settings of which it is not said what becomes of them when a name is given to another topic."""

FIXED = {
    **dict.fromkeys(NONE, 0),
    "start": Beginning.SERVING, "new_isr": NewIsr.ALL_REPLICAS, "routing": Routing.LEADER_AND_ISR,
    "unknown_registration": UnknownRegistration.OBEYED, "failed_command": FailedCommand.SKIPPED, "fetchers": Fetchers.OWN,
    "command_order": CommandOrder.LOG, "init": Init.NONE, "earlier_failures": EarlierFailures.DECIDED,
    "who_lives": WhoLives.SAID_FIRST, "deletion": Deletion.AT_ONCE, "stops_to": StopsTo.LIVE,
    "path_change": PathChange.TOPIC_ALONE, "start_up": StartUp.TOLD, "live_leader": LiveLeader.STAYS,
    "offline_isr": OfflineIsr.LAST, "decisions": Decisions.ONE_BY_ONE, "elections": Elections.PUBLISHED,
    "earlier_request": EarlierRequest.AWAITED, "replaced_controller": ReplacedController.NOT_CONTROLLER,
    "isr_condition": Condition.VERSION, "refused_write": RefusedWrite.STAYS, "decision_condition": Condition.VERSION,
    "upgraded_from": Truncation.TO_HIGH_WATERMARK, "upgraded_to": Truncation.TO_HIGH_WATERMARK,
    "versions": Versions.OLDER_SIDE, "reassignment": Reassignment.KAFKA, "max_version": 3,
}
"""There is no ZooKeeper, no controller among the brokers, and no request of one: what settings of the other model are here."""


def fetches_unregistered(c: "KraftConfig") -> bool:
    """Fetches name registrations, but for those of brokers that have none yet (KIP-903)."""
    names = c.eligible is Eligible.SAME_REGISTRATION and c.unregistered_fetch is UnregisteredFetch.SENT
    return c.unregistered_starts > 0 and names


class KraftConfig(Config):
    """Sizes, faults and switches. What only a cluster with ZooKeeper has is `fixed`."""

    brokers = size(3, 1, 6, "brokers in the cluster")
    log_size = size(1, 1, 64, "offsets in a log")
    max_records = size(1, 1, 120, "batches that producers may write, all partitions together")
    min_isr = size(2, 1, 9, "ISR members without which acks=all refuses a write, and nothing is committed (KAFKA-15583)")
    window = size(2, 1, 8, "changes of the metadata that not all running brokers have applied")
    fences = budget("brokers that live and are fenced, because the controller has not heard from them in time", 1)

    early_registrations = budget("brokers that register again after a crash, and before they are fenced (KAFKA-18106)")
    unregistered_starts = budget("brokers that start, fetch, and end before they have registered (since 3.5)")

    min_isr_changes = budget("times that an operator changes min.insync.replicas (KAFKA-16540)")
    feature_changes = budget("times that an operator turns eligible leader replicas on or off (since 4.0)")
    recreations = budget("times that a topic is deleted, and created again under its name (KIP-516)", high=1)
    directory_reports = budget("times that a broker reports in which of its directories a replica lies (KIP-858)")

    unfencing = choice(Unfencing)
    early_registration = choice(EarlyRegistration)
    leaving_leader = choice(LeavingLeader)
    shrink_epoch = choice(ShrinkEpoch)
    recovery = choice(Recovery)
    move_end = choice(MoveEnd)
    removed_eligible = choice(RemovedEligible)
    changed_min_isr = choice(ChangedMinIsr)
    reported_directory = choice(ReportedDirectory)
    abandoned_copy = choice(AbandonedCopy)
    stray_replica = choice(StrayReplica)
    unclean_registration = choice(UncleanRegistration)
    last_leader = choice(LastLeader)
    named_last = choice(NamedLast)
    under_min_isr = choice(UnderMinIsr)
    earlier_fetch = choice(EarlierFetch)
    unregistered_fetch = choice(UnregisteredFetch)
    known_news = choice(KnownNews)
    older_news = choice(OlderNews)

    quorums = derived(lambda c: 1)
    kept_changes = derived(lambda c: c.window + 1)
    shutdown_window = derived(lambda c: c.window if c.controlled_shutdowns else 0)
    orphans = derived(lambda c: (3 if fetches_unregistered(c) else 2) if c.fetch is Fetch.IN_FLIGHT else 0)
    eligible_partitions = derived(lambda c: c.partitions if c.recovery is Recovery.ELIGIBLE_REPLICAS else 0)
    changing_min_isrs = derived(lambda c: 1 if c.min_isr_changes else 0)
    min_isrs = derived(lambda c: c.brokers + 1 if c.min_isr_changes else 1)
    recreated_topics = derived(lambda c: c.partitions if c.recreations else 0)
    topic_id_marks = derived(lambda c: 1 if c.recreations else 0)
    changing_features = derived(lambda c: 1 if c.feature_changes else 0)
    kept_versions = derived(lambda c: c.window + 1)

    # A broker asks the controller for another ISR, and awaits its answer.
    store = derived(lambda c: Store.ANSWERED)
    isr_write = derived(lambda c: IsrWriting.PENDING)
    isr_writer = derived(lambda c: IsrWriter.CONTROLLER)
    truncation = derived(lambda c: Truncation.ON_DIVERGENCE)
    acks = derived(lambda c: Acks.ALL)
    checkpoint = derived(lambda c: Checkpoint.NOW_AND_THEN)

    fixed = FIXED

    def check(self) -> None:
        """Settings that do not fit each other, these and those that a cluster with ZooKeeper has too."""
        if self.min_isr > (self.replicas or self.brokers):
            raise UsageError(
                f"min_isr = {self.min_isr} is more than the replicas of a partition, {self.replicas or self.brokers}; since 3.7 "
                "Kafka counts with the smaller number: set min_isr to it"
            )
        if self.feature_changes and self.recovery is not Recovery.ELIGIBLE_REPLICAS:
            raise UsageError(
                f"feature_changes = {self.feature_changes} has no feature to change: releases have eligible leader replicas from "
                "4.0 on, 4.0 with recovery = eligible-replicas"
            )
        for name in NOT_WITH_ANOTHER_TOPIC:
            if self.recreations and self.__dict__[name]:
                raise UsageError(
                    f"recreations = {self.recreations} does not go together with {name} = {self.__dict__[name]}: what becomes of "
                    "these when a name is given to another topic is not modelled; set one of them to 0"
                )
        validate_settings(self, {name: setting.show(self.__dict__[name]) for name, setting in Config.settings.items()})
