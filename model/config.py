"""Configuration of the Kafka model: sizes, faults, switches. Every default is the smallest useful one."""

from .language import Settings, budget, choice, derived, size, switch
from .misfits import refuse_misfits
from .truncation.names import RELEASED_RULES, RULE_NAMES

# The first value of each choice between designs is what the oldest document says.
RENDEZVOUS, IN_FLIGHT = 0, 1
WITH_CHECK, LATER = 0, 1
ATOMIC, ANSWERED_STORE = 0, 1
UNLOCKED, LOCKED, PENDING_ISR = 0, 1, 2
BY_LEADER, BY_CONTROLLER = 0, 1
NODE_VERSION, LEADER_EPOCH = 0, 1
SERVING, EMPTY = 0, 1
LIVE_REPLICAS, ALL_REPLICAS = 0, 1
ALL, LEADER = 0, 1
IGNORED, KEEPS_ENDS, FORGETS_ENDS = 0, 1, 2
KEEPS, FORGETS = 0, 1
LEADS_ON, STEPS_DOWN = 0, 1
ANY_MEMBER, STAYS = 0, 1
WHEN_LEADING, FIRST_RECORD = 0, 1
KEPT, DROPPED = 0, 1
DROPPED_ANSWER, TAKEN = 0, 1
CUT, STAYS_BEYOND = 0, 1
LAST_RECORD, LATEST_IN_CACHE = 0, 1
REFUSED_FETCH, COUNTED = 0, 1
OUT_OF_RANGE, DIVERGING = 0, 1
SKIPPED, CARRIED_OUT = 0, 1
DROPPED_REFUSAL, TAKEN_REFUSAL = 0, 1
ON_DIVERGENCE = RULE_NAMES.index("on-divergence")
KEPT_EPOCH, IGNORED_EPOCH, REPLACES = 0, 1, 2
NOTHING, AFTER_GAP, AGAIN = 0, 1, 2
SMALLEST_END, LATE, BEHIND = 0, 1, 2
ANY_REPLICA, WHO_FETCHES = 0, 1
ASSIGNED, RISES = 0, 1
BYTES_AS_PRINTED, BYTES_AS_MEANT, HIGH_WATERMARK_REACHED, EPOCH_START, TERM_START = 0, 1, 2, 3, 4
ANY_ORDER, PER_CONNECTION = 0, 1
PER_BROKER, ALL_PARTITIONS, NO_INIT = 0, 1, 2
STEPWISE, TOLD, AT_ONCE = 0, 1, 2
PUBLISHED, ANSWERED_ELECTION = 0, 1
LEADER_AND_ISR, EXTERNAL_VIEW = 0, 1
ONE_BY_ONE, MULTI = 0, 1
REBUILT, EMPTY_FILE, WITHOUT_FIRST = 0, 1, 2
LOG_END, UNDEFINED_END = 0, 1
BY_KNOWN_EPOCH, BY_EPOCH_SEQUENCE = RULE_NAMES.index("by-known-epoch"), RULE_NAMES.index("by-epoch-sequence")
REFUSED_BATCH, WHOLE_BATCH = 0, 1
ANY_RECORD, TOMBSTONE, BELOW_CHECKPOINT, BELOW_HIGH_WATERMARK = 0, 1, 2, 3
MIXED = RULE_NAMES.index("mixed")
TO_HIGH_WATERMARK, BY_LEADER_EPOCH, BY_COMMON_EPOCH = 0, 1, 2
OLDER_SIDE, ASKING_SIDE, REFUSED = 0, 1, 2
NOW_AND_THEN, LEADER_CHANGE, EPOCH_BOUNDARY = 0, 1, 2
UNDEFINED, FIRST_START, START_ANEW = 0, 1, 2
ASKS_ON, LEADER_END, OWN_START = 0, 1, 2
IN_ONE_STEP, NODE_BY_NODE, CONFIRMED = 0, 1, 2
REQUEST_FIRST, TOPIC_FIRST, TOPIC_ALONE = 0, 1, 2
LIVE_BROKERS, DEAD_TOO = 0, 1
HIGH_WATERMARK, RETRY = 0, 1
TO_OWN_HIGH_WATERMARK, LAST_CUT = 0, 1
WHOLE_ISR, LAST_MEMBER, EMPTY_ISR = 0, 1, 2
OBEYED, REFUSED_REGISTRATION = 0, 1
V3_SWITCH, OLDER_SWITCH, KAFKA_SWITCH = 0, 1, 2


class Config(Settings):
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
    lost_answers = budget("writes that the store has carried out and whose answer is lost (store = answered)")
    ignored_commands = budget("LeaderAndIsr requests that a broker ignores and does not answer, by a bug (V3's last comment)")
    controlled_shutdowns = budget("controlled shutdowns: brokers whose leaderships are moved away before they stop (ZH)")
    lost_brokers = budget("brokers that are lost for good, with their disks")
    emptied_disks = budget("brokers outside every ISR that come back from a crash with an empty disk")

    start = choice(["serving", "empty"], "whether the partitions already have leaders, or the cluster is empty")
    store = choice(["atomic", "answered"], "whether a write to the store and its answer are one step or two (A5, G4, Z12)")
    fetch = choice(["rendezvous", "in-flight"], "whether a fetch is one step of two brokers, or request and response")
    fetch_count = choice(
        ["with-check", "later"],
        "when a leader takes the offset of a fetch: in the step that compares its epoch, or in a later one (in-flight; G1)",
    )
    acks = choice(["all", "leader"], "when a producer's record is acknowledged")
    new_isr = choice(["live-replicas", "all-replicas"], "the ISR of a new partition (V3 B; ZH)")
    consumers = size(0, 0, 1, "consumers that read the partitions in order")
    clients = size(0, 0, 1, "producers that find the leader by what is published, not by asking every broker (G9)")
    routing = choice(
        ["leader-and-isr", "external-view"],
        "what clients read: leaderAndISR, or a view that is updated when the leader has answered (V3 discussion 6)",
    )
    scheduled_elections = switch("the controller also starts preferred elections by itself (I2)")

    controller_epoch = switch("brokers drop the commands of earlier controllers (D4, R7)")
    repeated_commands = switch("a request of the controller that was obeyed may arrive again (decision 2)", 1)
    stale_commands = switch("brokers obey commands even if the leader epoch is not larger than their own (no C5, R7)", 1)
    ordered_stops = switch("StopReplica and the commands of one controller reach a broker in the order of sending (C6, R8)")
    controller_lock = switch("a controller begins nothing else while its own write is in flight (V3 F 3.2.1, M11)", 1)
    fenced_controllers = switch("a controller's writes fail once another was elected (KAFKA-6082; Z9, R5)")
    broker_epochs = switch("registrations of a broker are told apart, by itself and by the controller (KIP-380; E1, R6)")
    unknown_registration = choice(
        ["obeyed", "refused"],
        "broker_epochs: a request that names a registration of which its broker has no answer yet: is obeyed, or is an error and "
        "not sent again (KAFKA-9839; N3)",
    )
    command_order = choice(
        ["any", "per-connection"], "whether commands may overtake each other, or those of one controller arrive in order (C6, L1)"
    )
    init = choice(
        ["per-broker", "all-partitions", "none"],
        "which partitions a new controller's first request names; brokers delete the others (C2, R11)",
    )
    deletion = choice(
        ["at-once", "node-by-node", "confirmed"],
        "how a topic is deleted: in one step, leaderAndISR first, or when all replicas have confirmed StopReplica (B2)",
    )
    stops_to = choice(
        ["live", "dead-too"], "where StopReplica is sent: to live brokers, or also into the queue of a dead one (V3 comment A.4)"
    )
    path_change = choice(
        ["request-first", "topic-first", "topic-alone"],
        "a partition is added by a request's path, deleted before or after the topic's path is written (V3 H), or in that alone",
    )
    told_newcomers = switch("a broker that registers again receives what is published (V3 A sends only to affected brokers; L1)")
    retried_offline = switch("a broker that returns may lead a partition without a leader (V3 A.2 considers only failed leaders)")
    start_up = choice(
        ["stepwise", "told", "at-once"],
        "how a starting broker takes its roles: read and act in steps, wait for the controller, or all in one step (E1)",
    )
    live_leader = choice(
        ["any-member", "stays"],
        "a member of the ISR has failed, but not the leader: any live member may lead next, or the leader stays (V3 A.3.2)",
    )
    offline_isr = choice(
        ["whole", "last", "empty"],
        "what a partition that goes offline keeps of its ISR: all of it, its last member, or nothing where unclean elections are "
        "allowed (KAFKA-5083; A4, N10)",
    )
    decisions = choice(
        ["one-by-one", "multi"], "whether a controller handles affected partitions one by one, or all in one multi (Z9)"
    )
    whole_changes = switch("a controller decides on all that a failed broker led before it looks at the live brokers again (M5)")
    alerts = switch("a controller raises an alert if an administrator's request or an election takes too long (V3 discussion 6)")
    isr_watch = switch("during a reassignment a controller reads the ISR only when its watch on leaderAndISR has fired (ZH)")
    elections = choice(
        ["published", "answered"], "when an election counts: once it is published, or once the leader has answered (M1)"
    )
    init_offline = switch("a new controller gives a partition without a leader a first one, from all of AR (V3 D.6)")
    lead_again = choice(
        ["ignored", "keeps-ends", "forgets-ends"],
        "a leader that is elected again: ignore the command, or obey and keep or forget its followers' ends (C1, R3)",
    )
    led_before = choice(
        ["keeps-ends", "forgets-ends"],
        "a leader that follows another keeps its followers' ends until it leads again, or forgets them (V3 C resets nothing; R3)",
    )
    follow_again = choice(
        ["nothing", "after-gap", "again"],
        "when a follower of the same leader truncates in a new epoch: never, if it missed one, or always (C1, R9)",
    )
    isr_write = choice(
        ["unlocked", "locked", "pending"],
        "until its ISR write is answered, a leader commits as before, not at all, or with the larger ISR (G4, R1)",
    )
    isr_writer = choice(
        ["leader", "controller"],
        "who writes a leader's change of the ISR: itself, in its session; or a controller that knows it as live (G4, KIP-497)",
    )
    isr_condition = choice(
        ["version", "epoch"], "what a leader's write of the ISR is conditional on: the node's version, or its leader epoch (ZH)"
    )
    refused_write = choice(
        ["stays", "steps-down"],
        "a leader whose ISR write is refused: leads on (V3 G), or knows that it no longer leads (V3 discussion 3)",
    )
    decision_condition = choice(
        ["version", "epoch"],
        "what a controller's write is conditional on: the node's version (V3 A.3.3), or that no larger epoch is there (ZH)",
    )
    recognised_writes = switch("a leader that finds its own ISR at another version takes the version over (R2, KAFKA-1382)")
    recognised_decisions = switch("a controller that finds its own decision in the store continues (R2, KAFKA-1382)")
    shrink = choice(
        ["smallest-end", "late", "behind"],
        "which followers a leader removes: the one with the smallest end, all late ones, or those without its last record (G3)",
    )
    expand = choice(
        ["any-replica", "fetching"],
        "who may join the ISR with what it has reached: each replica outside it, or only one that fetches (G3)",
    )
    leader_hw = choice(
        ["assigned", "rises"], "whether a leader's high watermark is the smallest end, or never decreases (G1, R10)"
    )
    admission = choice(
        ["bytes-as-printed", "bytes-as-meant", "high-watermark", "epoch-start", "term-start"],
        "what a follower must have reached to join the ISR (G3, R4)",
    )

    truncation = choice(RULE_NAMES, "the rule by which a follower cuts its log")
    newer_epoch = choice(["log-end", "undefined"], "the answer to a question about an epoch newer than all known (T1)")
    older_epoch = choice(
        ["undefined", "first-start", "start-anew"],
        "the answer to a question about an epoch older than all known: none, where the first starts, or to start anew there (T8)",
    )
    older_answer = choice(
        ["asks-on", "leader-end", "own-start"],
        "what a follower does when it is answered with an epoch older than all it knows: cut all of them and ask on, cut to the "
        "leader's end alone, or also to where its own first epoch starts (T2)",
    )
    undefined_answer = choice(
        ["high-watermark", "last-cut"],
        "what an undefined answer leaves after an earlier round: what is below the high watermark, or what the round left (T8)",
    )
    failed_epoch_request = choice(["high-watermark", "retry"], "what follows a failed OffsetsForLeaderEpoch (T8, R13)")
    epoch_entry = choice(
        ["when-leading", "first-record"], "when a leader's epoch enters its cache: when it begins, or with its first record (T1)"
    )
    empty_epochs = choice(["kept", "dropped"], "whether a starting broker keeps cached epochs that begin at the log's end (T1)")
    cut_of_nothing = choice(
        ["kept", "dropped"], "whether a truncation that cuts no record keeps a cached epoch that begins at the log's end (T1)"
    )
    cut_high_watermark = choice(
        ["cut", "stays"],
        "whether a high watermark beyond the end to which a log is cut is cut too, or stays until the next fetch, or until the "
        "broker leads (G2)",
    )
    late_epoch = choice(
        ["kept", "ignored", "replaces"],
        "an epoch is entered though the cache has a later one, or one that begins no earlier: both stay, it is ignored, or it "
        "replaces them (T1)",
    )
    lost_epoch_file = choice(
        ["rebuilt", "empty", "without-first"],
        "what replaces a lost leader-epoch file: the epochs of the log's records, nothing, or those but for epoch 0 "
        "(KAFKA-10432; T8, R12)",
    )
    upgraded_from = choice(RELEASED_RULES, "truncation = mixed: the rule of brokers until they restart (T9)")
    upgraded_to = choice(RELEASED_RULES, "truncation = mixed: their rule after the restart, with fenced = fenced_fetches = 1")
    versions = choice(
        ["older-side", "asking-side", "refused"],
        "what an upgraded follower asks a leader that is not: the old question, the new one (answered, since the inter-broker "
        "protocol is upgraded after the program), or the new one, which fails (T9)",
    )
    checkpoint = choice(
        ["now-and-then", "leader-change", "epoch-boundary"],
        "when high watermarks are written to disk: at any time, also at each leader change, or when they enter an epoch (T5)",
    )
    leader_leaves_isr = switch("a preferred election removes the old leader from the ISR (T6)")
    compaction = choice(
        ["any", "tombstone", "below-checkpoint", "below-high-watermark"],
        "what compaction leaves: nothing, one record of each epoch, what is not below the high watermark on disk (279), or in "
        "memory (KAFKA-13194)",
    )
    start_within_batch = choice(
        ["refused", "whole"],
        "whether a follower with an empty log that begins within a batch refuses the batch or takes it whole (KAFKA-6975)",
    )
    checked_fetch = switch("a fetch names the epoch of the last record, and the leader refuses another history")
    fetch_epoch = choice(
        ["record", "cache"],
        "the epoch that such a fetch names: that of the last record, or the latest in the cache, which may have no record (T7)",
    )
    diverging_fetch = choice(
        ["refused", "counted"],
        "what a leader makes of a fetch that shows another history: nothing, or the end of the follower's log, by which it "
        "commits and admits to the ISR (KAFKA-13141; T7)",
    )
    fetch_below_start = choice(
        ["out-of-range", "diverging"],
        "how a leader answers a fetch that shows another history from below the start of its log: out-of-range, or as any other, "
        "which ends the fetcher (KAFKA-12996; T8)",
    )
    late_truncation = choice(
        ["skipped", "carried-out"],
        "a broker begins to lead after a fetch has told it to truncate: its fetcher forgets that, or cuts the leader's log "
        "(KAFKA-13207; T7)",
    )
    earlier_answer = choice(
        ["dropped", "taken"],
        "what becomes of an answer that arrives in a later epoch of the same leader: it is dropped, or the log is cut by it (T2)",
    )
    earlier_refusal = choice(
        ["dropped", "taken"],
        "what becomes of the refusal of a fetch that arrives in a later epoch of the same leader: it is dropped, or the log is "
        "cut by it (KAFKA-18991; fetch = in-flight; T7)",
    )
    fenced = switch("requests for an epoch's end carry the leader epoch and are refused in any other (T7)")
    fenced_fetches = switch("so are all fetches, not only the first of a fetch session (T7; KAFKA-9338)")
    reassignment = choice(["v3", "v3-older", "kafka"], "how a reassignment switches to the new replicas (V3 F; its older text)")
    switch_epoch = switch("the switch to the new replicas is a decision with an epoch of its own (F2)")

    members = derived(lambda c: c.brokers)
    epochs = derived(lambda c: c.max_epoch + 1)
    most_rounds = derived(lambda c: c.max_epoch + 2)  # one more than a follower that asks once per epoch needs
    controllers = derived(lambda c: c.controller_changes + 1)
    offsets = derived(lambda c: c.log_size + 1)
    flights = derived(lambda c: c.log_size if c.fetch == IN_FLIGHT else 0)
    checks = derived(lambda c: 1 if c.fetch_count == LATER else 0)
    refusals = derived(lambda c: 1 if c.fetch == IN_FLIGHT and c.earlier_refusal == TAKEN_REFUSAL else 0)
    refusal_partitions = derived(lambda c: c.partitions if c.refusals else 0)
    fetch_partitions = derived(lambda c: c.partitions if c.fetch == IN_FLIGHT else 0)
    log_starts = derived(lambda c: c.log_size if c.retentions else 0)
    holes = derived(lambda c: 1 if c.compactions else 0)
    upgrades = derived(lambda c: 1 if c.truncation == MIXED else 0)
    asked_epochs = derived(lambda c: c.max_epoch if c.truncation in (BY_KNOWN_EPOCH, BY_EPOCH_SEQUENCE) else -1)
    checkpoints = derived(lambda c: c.log_size if c.crashes else 0)
    stops = derived(lambda c: c.crashes + c.controlled_shutdowns)
    looked_partitions = derived(lambda c: c.partitions if c.whole_changes else 0)
    registrations = derived(lambda c: c.broker_epochs)
    unknown_registrations = derived(
        lambda c: 1 if c.broker_epochs and c.unknown_registration == REFUSED_REGISTRATION and c.session_expiries else 0
    )
    leavings = derived(lambda c: 1 if c.controlled_shutdowns else 0)
    watched_moves = derived(lambda c: c.partitions if c.reassignments and c.isr_watch else 0)
    alert_partitions = derived(lambda c: c.partitions if c.alerts else 0)
    flushes = derived(lambda c: c.log_size if c.power_losses else 0)
    client_partitions = derived(lambda c: c.partitions if c.clients else 0)
    consumer_partitions = derived(lambda c: c.partitions if c.consumers else 0)
    asking_partitions = derived(lambda c: c.partitions if c.store == ANSWERED_STORE else 0)
    connections = derived(lambda c: c.controllers if c.command_order == PER_CONNECTION else 0)
    assured_offsets = derived(lambda c: c.log_size if c.lost_brokers else 0)
    starting_partitions = derived(lambda c: c.partitions if c.start_up == STEPWISE and c.stops else 0)
    purposes = derived(lambda c: 4 if c.decisions == MULTI else 3)
    awaiting_partitions = derived(lambda c: c.partitions if c.elections == ANSWERED_ELECTION else 0)
    unled_partitions = derived(lambda c: c.partitions if c.init_offline and c.controller_changes else 0)
    recreated_partitions = derived(lambda c: c.partitions if c.topic_recreations else 0)
    deleting_partitions = derived(lambda c: c.partitions if c.topic_deletions and c.deletion != IN_ONE_STEP else 0)
    confirming_partitions = derived(lambda c: c.partitions if c.topic_deletions and c.deletion == CONFIRMED else 0)
    vanishing_partitions = derived(lambda c: max(c.recreated_partitions, c.deleting_partitions))
    renewed_nodes = derived(
        lambda c: 1 if c.topic_recreations or c.deleting_partitions or (c.partition_removals and c.partition_additions) else 0
    )
    kept_versions = derived(lambda c: c.max_version + c.max_epoch + c.brokers + 1 if c.renewed_nodes else 1)
    requested_additions = derived(lambda c: c.partition_additions if c.path_change != TOPIC_ALONE else 0)
    changing_partitions = derived(lambda c: c.partitions if c.requested_additions or c.partition_removals else 0)
    preferred_additions = derived(lambda c: c.partitions if c.requested_additions and c.preferred_elections else 0)
    moving_partitions = derived(lambda c: c.partitions if c.reassignments else 0)
    moves = derived(lambda c: 1 if c.reassignments else 0)
    moves_watched = derived(lambda c: 4 if c.reassignments else 0)
    watched = derived(lambda c: 4 if c.reassignments else 3)

    def check(self):
        """Settings that do not fit each other."""
        refuse_misfits(self, self.shown())
