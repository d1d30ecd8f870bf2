"""Configuration of the Kafka model: sizes, faults, switches. Every default is the smallest useful one."""

from .choices import (
    Acks,
    Admission,
    Beginning,
    Checkpoint,
    CommandOrder,
    Compaction,
    Condition,
    CutHighWatermark,
    Decisions,
    Deletion,
    DivergingFetch,
    EarlierAnswer,
    EarlierRecords,
    EarlierRefusal,
    Elections,
    EmptyEpoch,
    EpochEntry,
    Expand,
    FailedEpochRequest,
    Fetch,
    FetchBelowStart,
    FetchCount,
    FetchEpoch,
    FollowAgain,
    Init,
    IsrWriter,
    IsrWriting,
    LateCount,
    LateEpoch,
    LateTruncation,
    LeadAgain,
    LeaderHighWatermark,
    LedBefore,
    LiveLeader,
    LostEpochFile,
    NewerEpoch,
    NewIsr,
    OfflineIsr,
    OlderAnswer,
    OlderEpoch,
    PathChange,
    Reassignment,
    RefusedWrite,
    Routing,
    Shrink,
    StartUp,
    StartWithinBatch,
    StopsTo,
    Store,
    UndefinedAnswer,
    UnknownRegistration,
    Versions,
)
from .controller.choices import EarlierFailures, MoveDecisions, WhoLives
from .fetch_choices import AnsweredStart, FetchBeyondEnd, RefusalHighWatermark, RefusedFetch, RetentionLimit
from .kraft_choices import Eligible
from .language import budget, choice, size, switch
from .misfits import validate_settings
from .release_choices import (
    AnewHighWatermark,
    DepartedEnd,
    DepartedMember,
    EarlierRequest,
    FailedCommand,
    Fetchers,
    IsrAnswer,
    LedEpochs,
    MessageFormat,
    ProduceWait,
    ReplacedController,
    StrayHighWatermark,
    UnepochedCut,
    UnnamedEpoch,
    WaitingProduce,
)
from .truncation.names import RELEASED_RULES, Truncation
from .widths import Widths


class Config(Widths):
    """Sizes bound the exploration, faults are counted, switches choose between designs."""

    brokers = size(3, 1, 9, "brokers in the cluster")
    replicas = size(0, 0, 9, "replicas of each partition; 0: one on every broker")
    partitions = size(1, 1, 6, "partitions of the one topic")
    log_size = size(2, 1, 64, "offsets in a log")
    max_records = size(2, 1, 120, "batches that producers may write, all partitions together")
    max_batch = size(1, 1, 8, "records in the largest batch")
    max_epoch = size(2, 0, 30, "the last leader epoch; the first is 0")
    keys = size(1, 1, 8, "keys that the batches have, in turn (compactions)")
    min_isr = size(1, 1, 9, "ISR members without which acks=all refuses a write")
    min_bytes_lag = size(2, 1, 64, "V3's MIN_BYTES_LAG, in records: a follower with less lag may join (admission = bytes-as-...)")

    max_version = size(3, 1, 30, "the last version that a leader writes where a node may be deleted and created again")

    crashes = budget("brokers that stop and lose what was only in memory")
    power_losses = budget("crashes that also lose the unflushed end of the log")
    session_expiries = budget("ZooKeeper sessions that expire while their broker lives", 1)
    message_losses = budget("OffsetsForLeaderEpoch exchanges that fail")
    controller_changes = budget("changes of controller")
    preferred_elections = budget("elections of the preferred replica, requested or on schedule", 1)
    unclean_elections = budget("leaders elected from outside the ISR")
    compactions = budget("records that compaction deletes from one log, because a later record has their key")
    retentions = budget("times that a broker deletes the oldest records of a log, by age, by size or as a client asks")
    lost_epoch_files = budget("leader-epoch caches that are lost in a crash")
    exchanged_directories = budget("log directories that a running broker exchanges for a copy without their leader epochs (N2)")
    topic_deletions = budget("partitions that are deleted")
    topic_recreations = budget("deleted partitions that are created again under the same name (V3 discussion 5)", high=1)
    partition_additions = budget("partitions that an operator adds to the topic (V3 H)", high=1)
    partition_removals = budget("partitions that an operator removes (V3 H)")
    reassignments = budget("partitions that an operator moves to other brokers (V3 F)")
    cancelled_moves = budget("moves that an operator cancels (KIP-455)")
    lost_answers = budget("writes that the store has carried out and whose answer is lost (store = answered)")
    ignored_commands = budget("LeaderAndIsr requests that a broker ignores and does not answer, by a bug (V3's last comment)")
    failed_commands = budget("requests that a broker gives up, because the store fails when it obeys for another partition (N8)")
    controlled_shutdowns = budget("controlled shutdowns: brokers whose leaderships are moved away before they stop (ZH)")
    lost_brokers = budget("brokers that are lost for good, with their disks")
    emptied_disks = budget("brokers outside every ISR that come back from a crash with an empty disk")

    start = choice(Beginning)
    store = choice(Store)
    fetch = choice(Fetch)
    fetchers = choice(
        Fetchers,
        "a follower's fetcher fails for one partition: it ends for that one, or for all that have its leader (KAFKA-8346; N8)",
    )
    fetch_count = choice(FetchCount)
    late_count = choice(
        LateCount,
        "what becomes of a fetch that a leader has compared and not yet counted when it follows another: it counts when it leads "
        "again, or is forgotten with the followers' ends (fetch_count = later; G1)",
    )
    acks = choice(Acks)
    produce_wait = choice(
        ProduceWait,
        "how a broker knows when a produce request with acks=all is to be answered: by its records, by the offset at their end, "
        "or by that offset with a pause after the append (N8)",
    )
    waiting_produce = choice(
        WaitingProduce,
        "what becomes of such a request when its broker follows another leader: if it waits it is answered with an error, or it "
        "waits on (KAFKA-2960), or all are answered so (produce_wait = offset or offset-later; N8)",
    )
    new_isr = choice(NewIsr)
    consumers = size(0, 0, 1, "consumers that read the partitions in order")
    follower_reads = switch("consumers read from followers too, below their high watermarks (KIP-392)")
    clients = size(0, 0, 1, "producers that find the leader by what is published, not by asking every broker (G9)")
    routing = choice(Routing)
    scheduled_elections = switch("the controller also starts preferred elections by itself (I2)")

    controller_epoch = switch("brokers drop the commands of earlier controllers (D4, R7)")
    repeated_commands = switch("a request of the controller that was obeyed may arrive again (decision 2)", 1)
    stale_commands = switch("brokers obey commands even if the leader epoch is not larger than their own (no C5, R7)", 1)
    ordered_stops = switch("StopReplica and the commands of one controller reach a broker in the order of sending (C6, R8)")
    controller_lock = switch("a controller begins nothing else while its own write is in flight (V3 F 3.2.1, M11)", 1)
    fenced_controllers = switch("a controller's writes fail once another was elected (KAFKA-6082; Z9, R5)")
    broker_epochs = switch("registrations of a broker are told apart, by itself and by the controller (KIP-380; E1, R6)")
    unknown_registration = choice(
        UnknownRegistration,
        "broker_epochs: a request that names a registration of which its broker has no answer yet: is obeyed, or is an error and "
        "not sent again (KAFKA-9839; N3)",
    )
    failed_command = choice(
        FailedCommand,
        "a request names several partitions, and the store fails while a broker becomes a follower of one: that one is skipped, "
        "or all are given up, with leader and epoch of some already remembered (KAFKA-9769; failed_commands; N8)",
    )
    command_order = choice(CommandOrder)
    init = choice(Init)
    earlier_failures = choice(
        EarlierFailures,
        "what a new controller makes of brokers that died before it was elected: it decides on them as on later ones, or leaves "
        "followers in the ISR and a partition that nobody can lead with its dead leader (KAFKA-3143; D3, N9)",
    )
    who_lives = choice(
        WhoLives,
        "when a new controller says who lives: before it sends roles, or after, so that brokers ignore a role whose leader they "
        "do not know as live (KAFKA-4443; N9)",
    )
    deletion = choice(Deletion)
    stops_to = choice(StopsTo)
    path_change = choice(PathChange)
    told_newcomers = switch("a broker that registers again receives what is published (V3 A sends only to affected brokers; L1)")
    retried_offline = switch("a broker that returns may lead a partition without a leader (V3 A.2 considers only failed leaders)")
    start_up = choice(StartUp)
    live_leader = choice(LiveLeader)
    offline_isr = choice(
        OfflineIsr,
        "what a partition that goes offline keeps of its ISR: all of it, its last member, or nothing where unclean elections are "
        "allowed (KAFKA-5083; A4, N10)",
    )
    decisions = choice(Decisions)
    whole_changes = switch("a controller decides on all that a failed broker led before it looks at the live brokers again (M5)")
    alerts = switch("a controller raises an alert if an administrator's request or an election takes too long (V3 discussion 6)")
    isr_watch = switch("during a reassignment a controller reads the ISR only when its watch on leaderAndISR has fired (ZH)")
    elections = choice(Elections)
    init_offline = switch("a new controller gives a partition without a leader a first one, from all of AR (V3 D.6)")
    lead_again = choice(LeadAgain)
    led_before = choice(LedBefore)
    follow_again = choice(FollowAgain)
    isr_write = choice(IsrWriting)
    isr_writer = choice(IsrWriter)
    isr_answer = choice(
        IsrAnswer,
        "what a leader does when its change of the ISR is answered: it commits what all of the new ISR has, or does so "
        "with the next append, or when the end of a follower moves (KAFKA-13091; N12)",
    )
    earlier_request = choice(
        EarlierRequest,
        "a leader's request for another ISR that has yet to be answered when it obeys a command of the next epoch: until then "
        "nothing else is asked, or its answer removes the present request (KAFKA-12686; isr_writer = controller; N12)",
    )
    replaced_controller = choice(
        ReplacedController,
        "what a controller that was replaced, and does not know it, answers to the request of a leader that is ahead of it: "
        "nothing that the leader obeys, so that it asks again, or a refusal for good (KAFKA-14154; store = answered; N12)",
    )
    isr_condition = choice(
        Condition, "what a leader's write of the ISR is conditional on: the node's version, or its leader epoch (ZH)"
    )
    refused_write = choice(RefusedWrite)
    decision_condition = choice(
        Condition,
        "what a controller's write is conditional on: the node's version (V3 A.3.3), or that no larger epoch is there (ZH)",
    )
    recognised_writes = switch("a leader that finds its own ISR at another version takes the version over (R2, KAFKA-1382)")
    recognised_decisions = switch("a controller that finds its own decision in the store continues (R2, KAFKA-1382)")
    shrink = choice(Shrink)
    expand = choice(Expand)
    eligible = choice(
        Eligible,
        "whom the controller keeps out of the ISR, under KRaft the leader too: nobody, brokers that are dead, fenced or shutting "
        "down (KIP-841, KAFKA-14140), or also those whose fetch named an earlier registration (KIP-903, KRaft; KR4, N1)",
    )
    leader_hw = choice(LeaderHighWatermark)
    admission = choice(Admission)

    truncation = choice(Truncation)
    newer_epoch = choice(NewerEpoch)
    older_epoch = choice(OlderEpoch)
    older_answer = choice(
        OlderAnswer,
        "what a follower does when it is answered with an epoch older than all it knows: cut all of them and ask on, cut to the "
        "leader's end alone, or also to where its own first epoch starts (T2)",
    )
    undefined_answer = choice(UndefinedAnswer)
    failed_epoch_request = choice(FailedEpochRequest)
    epoch_entry = choice(EpochEntry)
    empty_epochs = choice(EmptyEpoch, "whether a starting broker keeps cached epochs that begin at the log's end (T1)")
    cut_of_nothing = choice(
        EmptyEpoch, "whether a truncation that cuts no record keeps a cached epoch that begins at the log's end (T1)"
    )
    cut_high_watermark = choice(
        CutHighWatermark,
        "whether a high watermark beyond the end to which a log is cut is cut too, or stays until the next fetch, or until the "
        "broker leads (G2)",
    )
    anew_high_watermark = choice(
        AnewHighWatermark,
        "a follower throws its log away and starts anew: its high watermark moves to the log's start, or stays below until the "
        "next fetch; up to 2.3 a broker that leads then moves it (KAFKA-9491; retentions; T8)",
    )
    stray_high_watermark = choice(
        StrayHighWatermark,
        "a broker begins to lead, and its high watermark is not in its log: it begins with the log's start, or with -1, which "
        "its followers take over and cannot cut to (KAFKA-3978; cut_high_watermark = stays; N14)",
    )
    unepoched_cut = choice(
        UnepochedCut,
        "when a follower without an epoch cuts its log: when it begins to follow, or later, and its fetcher ends if the "
        "partition is taken from it before (KAFKA-8012; partitions above 1, fetchers = shared; N8)",
    )
    message_format = choice(
        MessageFormat,
        "whether records carry the leader epoch in which they were appended, or none: an operator has kept a message format from "
        "before 0.11 (N4)",
    )
    unnamed_epoch = choice(
        UnnamedEpoch,
        "message_format = older: what a leader that knows no epoch answers when it is asked where none ends (KAFKA-6857; N4)",
    )
    led_epochs = choice(
        LedEpochs,
        "message_format = older: whether the epochs in which a broker leads enter its cache (KAFKA-7897; epoch_entry; N4)",
    )
    late_epoch = choice(
        LateEpoch,
        "an epoch is entered though the cache has a later one, or one that begins no earlier: both stay, it is ignored, or it "
        "replaces them (T1)",
    )
    lost_epoch_file = choice(
        LostEpochFile,
        "what replaces a lost leader-epoch file: the epochs of the log's records, nothing, or those but for epoch 0 "
        "(KAFKA-10432; T8, R12)",
    )
    upgraded_from = choice(RELEASED_RULES, "truncation = mixed: the rule of brokers until they restart (T9)")
    upgraded_to = choice(RELEASED_RULES, "truncation = mixed: their rule after the restart, with fenced = fenced_fetches = 1")
    versions = choice(
        Versions,
        "what an upgraded follower asks a leader that is not: the old question, the new one (answered, since the inter-broker "
        "protocol is upgraded after the program), or the new one, which fails (T9)",
    )
    checkpoint = choice(Checkpoint)
    leader_leaves_isr = switch("a preferred election removes the old leader from the ISR (T6)")
    compaction = choice(
        Compaction,
        "what compaction leaves: nothing, one record of each epoch, what is not below the high watermark on disk (279), or in "
        "memory (KAFKA-13194)",
    )
    start_within_batch = choice(StartWithinBatch)
    checked_fetch = switch("a fetch names the epoch of the last record, and the leader refuses another history")
    fetch_epoch = choice(FetchEpoch)
    diverging_fetch = choice(
        DivergingFetch,
        "what a leader makes of a fetch that shows another history: nothing, or the end of the follower's log, by which it "
        "commits and admits to the ISR (KAFKA-13141; T7)",
    )
    fetch_below_start = choice(
        FetchBelowStart,
        "how a leader answers a fetch that shows another history from below the start of its log: out-of-range, or as any other, "
        "which ends the fetcher (KAFKA-12996; T8)",
    )
    fetch_beyond_end = choice(
        FetchBeyondEnd,
        "what comes of a fetch from beyond the end of the leader's log, in a leader that compares no epochs: nothing, or "
        "out-of-range, by which the follower cuts its log, throws it away (KAFKA-2143), or ends its broker (KAFKA-7414; N5)",
    )
    answered_start = choice(
        AnsweredStart,
        "what an answer says of the start of the leader's log: what it was when the records were read, or what it is when the "
        "answer is sent, which may lie beyond the records (KAFKA-7104; fetch = in-flight, retentions; N11)",
    )
    retention_limit = choice(
        RetentionLimit,
        "what retention by age or size leaves of a log: what is not committed, as its broker knows, or nothing (KAFKA-5634; T8)",
    )
    refused_fetch = choice(
        RefusedFetch,
        "what a leader that answers a fetch with an error keeps of the follower's end: what it knew, or nothing, until the next "
        "fetch that it accepts (KAFKA-8400; G1)",
    )
    late_truncation = choice(
        LateTruncation,
        "a broker begins to lead after a fetch has told it to truncate: its fetcher forgets that, or cuts the leader's log "
        "(KAFKA-13207; T7)",
    )
    refusal_high_watermark = choice(
        RefusalHighWatermark,
        "what a follower makes of the leader's high watermark in the answer to a fetch that shows another history: nothing, or "
        "its own, before it cuts its log (follower_reads = 1; KAFKA-14704; N11)",
    )
    earlier_answer = choice(EarlierAnswer)
    earlier_refusal = choice(
        EarlierRefusal,
        "what becomes of the refusal of a fetch that arrives in a later epoch of the same leader: it is dropped, or the log is "
        "cut by it (KAFKA-18991; fetch = in-flight; T7)",
    )
    earlier_records = choice(
        EarlierRecords,
        "what becomes of a response with records that arrives in a later epoch of the same leader: it is dropped, or its records "
        "are appended (KAFKA-18991; fetch = in-flight; T7)",
    )
    fenced = switch("requests for an epoch's end carry the leader epoch and are refused in any other (T7)")
    fenced_fetches = switch("so are all fetches, not only the first of a fetch session (T7; KAFKA-9338)")
    topic_ids = switch("a broker refuses a command of another topic than its log's, by the topic's id (KIP-516; N7)")
    reassignment = choice(Reassignment)
    move_decisions = choice(
        MoveDecisions,
        "reassignment = kafka: whether a move is one decision, the switch, or the new replicas are told with an epoch, and each "
        "old one leaves the ISR by a decision of its own (N6)",
    )
    departed_member = choice(
        DepartedMember,
        "move_decisions = each: whether a leader can remove anybody from an ISR with a member that is no replica any more "
        "(KAFKA-9672; N6)",
    )
    departed_end = choice(
        DepartedEnd,
        "move_decisions = each: whether a leader commits what such a member of its ISR lacks (N6)",
    )
    switch_epoch = switch("the switch to the new replicas is a decision with a new epoch (F2)")

    def check(self) -> None:
        """Settings that do not fit each other."""
        validate_settings(self, self.shown())
