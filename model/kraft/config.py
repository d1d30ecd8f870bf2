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
    EarlierFetch,
    EarlyRegistration,
    Eligible,
    KnownNews,
    LastLeader,
    OlderNews,
    Recovery,
    RemovedEligible,
    ShrinkEpoch,
    UncleanRegistration,
    UnderMinIsr,
    Unfencing,
)
from ..language import UsageError, budget, choice, derived, size
from ..misfits import refuse_misfits
from ..release_choices import EarlierRequest, FailedCommand, Fetchers, ReplacedController
from ..truncation.names import Truncation


class KraftConfig(Config):
    """Sizes, faults and switches. What only a cluster with ZooKeeper has is fixed at its end."""

    brokers = size(3, 1, 6, "brokers in the cluster")
    log_size = size(1, 1, 64, "offsets in a log")
    max_records = size(1, 1, 120, "batches that producers may write, all partitions together")
    min_isr = size(2, 1, 9, "ISR members without which acks=all refuses a write, and nothing is committed (KAFKA-15583)")
    window = size(2, 1, 8, "changes of the metadata that not all running brokers have applied")
    fences = budget("brokers that live and are fenced, because the controller has not heard from them in time", 1)

    early_registrations = budget("brokers that register again after a crash, and before they are fenced (KAFKA-18106)")

    unfencing = choice(Unfencing)
    early_registration = choice(EarlyRegistration)
    eligible = choice(Eligible)
    shrink_epoch = choice(ShrinkEpoch)
    recovery = choice(Recovery)
    removed_eligible = choice(RemovedEligible)
    unclean_registration = choice(UncleanRegistration)
    last_leader = choice(LastLeader)
    under_min_isr = choice(UnderMinIsr)
    earlier_fetch = choice(EarlierFetch)
    known_news = choice(KnownNews)
    older_news = choice(OlderNews)

    quorums = derived(lambda c: 1)
    kept_changes = derived(lambda c: c.window + 1)
    shutdown_window = derived(lambda c: c.window if c.controlled_shutdowns else 0)
    orphans = derived(lambda c: 2 if c.fetch is Fetch.IN_FLIGHT else 0)
    eligible_partitions = derived(lambda c: c.partitions if c.recovery is Recovery.ELIGIBLE_REPLICAS else 0)
    kept_versions = derived(lambda c: c.window + 1)

    # A broker asks the controller for another ISR, and awaits its answer.
    store = derived(lambda c: Store.ANSWERED)
    isr_write = derived(lambda c: IsrWriting.PENDING)
    isr_writer = derived(lambda c: IsrWriter.CONTROLLER)
    truncation = derived(lambda c: Truncation.ON_DIVERGENCE)
    acks = derived(lambda c: Acks.ALL)
    checkpoint = derived(lambda c: Checkpoint.NOW_AND_THEN)

    # There is no ZooKeeper, no controller among the brokers, and no request of one.
    controllers = derived(lambda c: 0)
    registrations = derived(lambda c: 0)
    earlier_requests = derived(lambda c: 0)
    session_expiries = derived(lambda c: 0)
    message_losses = derived(lambda c: 0)
    controller_changes = derived(lambda c: 0)
    topic_deletions = derived(lambda c: 0)
    topic_recreations = derived(lambda c: 0)
    partition_additions = derived(lambda c: 0)
    partition_removals = derived(lambda c: 0)
    ignored_commands = derived(lambda c: 0)
    failed_commands = derived(lambda c: 0)
    start = derived(lambda c: Beginning.SERVING)
    new_isr = derived(lambda c: NewIsr.ALL_REPLICAS)
    clients = derived(lambda c: 0)
    routing = derived(lambda c: Routing.LEADER_AND_ISR)
    scheduled_elections = derived(lambda c: 0)
    controller_epoch = derived(lambda c: 0)
    repeated_commands = derived(lambda c: 0)
    stale_commands = derived(lambda c: 0)
    ordered_stops = derived(lambda c: 0)
    controller_lock = derived(lambda c: 0)
    fenced_controllers = derived(lambda c: 0)
    broker_epochs = derived(lambda c: 0)
    unknown_registration = derived(lambda c: UnknownRegistration.OBEYED)
    failed_command = derived(lambda c: FailedCommand.SKIPPED)
    fetchers = derived(lambda c: Fetchers.OWN)
    command_order = derived(lambda c: CommandOrder.LOG)
    init = derived(lambda c: Init.NONE)
    earlier_failures = derived(lambda c: EarlierFailures.DECIDED)
    who_lives = derived(lambda c: WhoLives.SAID_FIRST)
    deletion = derived(lambda c: Deletion.AT_ONCE)
    stops_to = derived(lambda c: StopsTo.LIVE)
    path_change = derived(lambda c: PathChange.TOPIC_ALONE)
    told_newcomers = derived(lambda c: 0)
    retried_offline = derived(lambda c: 0)
    start_up = derived(lambda c: StartUp.TOLD)
    live_leader = derived(lambda c: LiveLeader.STAYS)
    offline_isr = derived(lambda c: OfflineIsr.LAST)
    decisions = derived(lambda c: Decisions.ONE_BY_ONE)
    whole_changes = derived(lambda c: 0)
    alerts = derived(lambda c: 0)
    isr_watch = derived(lambda c: 0)
    elections = derived(lambda c: Elections.PUBLISHED)
    init_offline = derived(lambda c: 0)
    earlier_request = derived(lambda c: EarlierRequest.AWAITED)
    replaced_controller = derived(lambda c: ReplacedController.NOT_CONTROLLER)
    isr_condition = derived(lambda c: Condition.VERSION)
    refused_write = derived(lambda c: RefusedWrite.STAYS)
    decision_condition = derived(lambda c: Condition.VERSION)
    recognised_writes = derived(lambda c: 0)
    recognised_decisions = derived(lambda c: 0)
    upgraded_from = derived(lambda c: Truncation.TO_HIGH_WATERMARK)
    upgraded_to = derived(lambda c: Truncation.TO_HIGH_WATERMARK)
    versions = derived(lambda c: Versions.OLDER_SIDE)
    leader_leaves_isr = derived(lambda c: 0)
    reassignment = derived(lambda c: Reassignment.KAFKA)
    switch_epoch = derived(lambda c: 0)
    max_version = derived(lambda c: 3)

    def check(self) -> None:
        """Settings that do not fit each other, these and those that a cluster with ZooKeeper has too."""
        if self.min_isr > (self.replicas or self.brokers):
            raise UsageError(
                f"min_isr = {self.min_isr} is more than the replicas of a partition, {self.replicas or self.brokers}; since 3.7 "
                "Kafka counts with the smaller number: set min_isr to it"
            )
        refuse_misfits(self, {name: one.show(self.__dict__[name]) for name, one in Config.settings.items()})
