"""Choices between designs: what each setting can be, and what each value says.

The first value of each is what the oldest document says. The rules of truncation are in `truncation/names`, more
of fetches in `fetch_choices`.
"""

from .language import Choice


class Beginning(Choice):
    """Whether the partitions already have leaders, or the cluster is empty."""

    SERVING = "the partitions have leaders"
    EMPTY = "there is no partition"


class Store(Choice):
    """Whether a write to the store and its answer are one step or two (A5, G4, Z12)."""

    ATOMIC = "one step"
    ANSWERED = "two steps"


class Fetch(Choice):
    """Whether a fetch is one step of two brokers, or request and response."""

    RENDEZVOUS = "one step"
    IN_FLIGHT = "request and response"


class FetchCount(Choice):
    """When a leader takes the offset of a fetch: in the step that compares its epoch, or in a later one (in-flight; G1)."""

    WITH_CHECK = "in the step that compares"
    LATER = "in a later step"


class LateCount(Choice):
    """What becomes of a fetch that was compared in a leader's last term and is not counted yet."""

    TAKEN = "it counts in the leader's next term"
    DROPPED = "it is forgotten when the leader follows another"


class Acks(Choice):
    """When a producer's record is acknowledged."""

    ALL = "when it is committed"
    LEADER = "when the leader has appended it"


class NewIsr(Choice):
    """The ISR of a new partition (V3 B; ZH)."""

    LIVE_REPLICAS = "the replicas that live"
    ALL_REPLICAS = "all replicas"


class Routing(Choice):
    """What clients read: leaderAndISR, or a view that is updated when the leader has answered (V3 discussion 6)."""

    LEADER_AND_ISR = "leaderAndISR"
    EXTERNAL_VIEW = "the view"


class CommandOrder(Choice):
    """Whether commands may overtake each other, or those of one controller arrive in order, or all are one log (C6, L1, KR1)."""

    ANY = "they may overtake each other"
    PER_CONNECTION = "those of one controller arrive in order"
    LOG = "they are one log: none is lost, and a broker obeys the newest in the prefix that it has received (KIP-500)"


class Init(Choice):
    """Which partitions a new controller's first request names; brokers delete the others (C2, R11)."""

    PER_BROKER = "the broker's own"
    ALL_PARTITIONS = "all"
    NONE = "there is no such request"


class UnknownRegistration(Choice):
    """broker_epochs: a request that names a registration of which its broker has no answer yet."""

    OBEYED = "it is obeyed"
    REFUSED = "it is an error and not sent again"


class Deletion(Choice):
    """How a topic is deleted: in one step, leaderAndISR first, or when all replicas have confirmed StopReplica (B2)."""

    AT_ONCE = "in one step"
    NODE_BY_NODE = "leaderAndISR first"
    CONFIRMED = "when all replicas have confirmed"


class StopsTo(Choice):
    """Where StopReplica is sent: to live brokers, or also into the queue of a dead one (V3 comment A.4)."""

    LIVE = "to live brokers"
    DEAD_TOO = "into the queue of a dead one too"


class PathChange(Choice):
    """A partition is added by a request's path, deleted before or after the topic's path is written (V3 H), or in that alone."""

    REQUEST_FIRST = "the request's path is deleted first"
    TOPIC_FIRST = "the topic's path is written first"
    TOPIC_ALONE = "there is no request's path"


class StartUp(Choice):
    """How a starting broker takes its roles: read and act in steps, wait for the controller, or all in one step (E1)."""

    STEPWISE = "it reads, and then acts, partition by partition"
    TOLD = "it waits for the controller"
    AT_ONCE = "it reads and acts in one step"


class LiveLeader(Choice):
    """A member of the ISR has failed, but not the leader: any live member may lead next, or the leader stays (V3 A.3.2)."""

    ANY_MEMBER = "any live member may lead next"
    STAYS = "the leader stays"


class Decisions(Choice):
    """Whether a controller handles affected partitions one by one, or all in one multi (Z9)."""

    ONE_BY_ONE = "one write each"
    MULTI = "one write for all"


class Elections(Choice):
    """When an election counts: once it is published, or once the leader has answered (M1)."""

    PUBLISHED = "once it is in the store"
    ANSWERED = "once the leader has answered"


class OfflineIsr(Choice):
    """What a partition that goes offline keeps of its ISR."""

    WHOLE = "all of it"
    LAST = "its last member"
    EMPTY = "nothing, where unclean elections are allowed"


class LeadAgain(Choice):
    """A leader that is elected again: ignore the command, or obey and keep or forget what it knows of its followers (C1, R3)."""

    IGNORED = "it ignores the command"
    KEEPS_ENDS = "it obeys, and keeps what it knows of its followers"
    FORGETS_ENDS = "it obeys, and forgets that"
    NEW_REPLICAS = "it obeys, and forgets that and the fetches of its last term that it has yet to count"


class LedBefore(Choice):
    """A leader that follows another keeps its followers' ends until it leads again, or forgets them (V3 C resets nothing; R3)."""

    KEEPS_ENDS = "it keeps them"
    FORGETS_ENDS = "it forgets them"


class FollowAgain(Choice):
    """When a follower of the same leader truncates in a new epoch: never, if it missed one, or always (C1, R9)."""

    NOTHING = "never"
    AFTER_GAP = "if it missed an epoch"
    AGAIN = "always"


class IsrWriting(Choice):
    """Until its ISR write is answered, a leader commits as before, not at all, or with the larger ISR (G4, R1)."""

    UNLOCKED = "it commits as before"
    LOCKED = "it commits nothing"
    PENDING = "it commits what the larger ISR has"


class IsrWriter(Choice):
    """Who writes a leader's change of the ISR: itself, in its session; or a controller that knows it as live (G4, KIP-497)."""

    LEADER = "the leader"
    CONTROLLER = "a controller"


class Condition(Choice):
    """What a write of leaderAndISR is conditional on."""

    VERSION = "the node's version"
    EPOCH = "the leader epoch in it"


class RefusedWrite(Choice):
    """A leader whose ISR write is refused: leads on (V3 G), or knows that it no longer leads (V3 discussion 3)."""

    STAYS = "it leads on"
    STEPS_DOWN = "it no longer leads"


class Shrink(Choice):
    """Which followers a leader removes: the one with the smallest end, all late ones, or those without its last record (G3)."""

    SMALLEST_END = "the one with the smallest end"
    LATE = "all late ones"
    BEHIND = "those without its last record"


class Expand(Choice):
    """Who may join the ISR with what it has reached: each replica outside it, or only one that fetches (G3)."""

    ANY_REPLICA = "each replica"
    FETCHING = "one that fetches"


class LeaderHighWatermark(Choice):
    """Whether a leader's high watermark is the smallest end, or never decreases (G1, R10)."""

    ASSIGNED = "it is the smallest end"
    RISES = "it never decreases"


class Admission(Choice):
    """What a follower must have reached to join the ISR (G3, R4)."""

    BYTES_AS_PRINTED = "the slowest member of the ISR, but for min_bytes_lag"
    BYTES_AS_MEANT = "the leader's end, but for min_bytes_lag"
    HIGH_WATERMARK = "the leader's high watermark"
    EPOCH_START = "also the start of the leader's epoch"
    TERM_START = "also what the leader's log had when it began to serve"


class NewerEpoch(Choice):
    """The answer to a question about an epoch newer than all known (T1)."""

    LOG_END = "the end of the log"
    UNDEFINED = "undefined"


class OlderEpoch(Choice):
    """The answer to a question about an epoch older than all known: none, where the first starts, or to start anew there (T8)."""

    UNDEFINED = "undefined"
    FIRST_START = "where the first starts"
    START_ANEW = "to start anew where the first starts"


class OlderAnswer(Choice):
    """What a follower does when it is answered with an epoch older than all it knows."""

    ASKS_ON = "it cuts all of them and asks on"
    LEADER_END = "it cuts to the leader's end alone"
    OWN_START = "it also cuts to where its own first epoch starts"


class UndefinedAnswer(Choice):
    """What an undefined answer leaves after an earlier round: what is below the high watermark, or what the round left (T8)."""

    HIGH_WATERMARK = "what is below the high watermark"
    LAST_CUT = "what the round left"


class FailedEpochRequest(Choice):
    """What follows a failed OffsetsForLeaderEpoch (T8, R13)."""

    HIGH_WATERMARK = "the log is cut to the high watermark"
    RETRY = "it is sent again"


class EpochEntry(Choice):
    """When a leader's epoch enters its cache: when it begins, or with its first record (T1)."""

    WHEN_LEADING = "when it begins"
    FIRST_RECORD = "with its first record"


class EmptyEpoch(Choice):
    """What becomes of a cached epoch that begins at the log's end."""

    KEPT = "it is kept"
    DROPPED = "it is dropped"


class CutHighWatermark(Choice):
    """What becomes of a high watermark beyond the end to which a log is cut."""

    CUT = "it is cut too"
    STAYS = "it stays until the next fetch, or until the broker leads"


class LateEpoch(Choice):
    """An epoch is entered though the cache has a later one, or one that begins no earlier."""

    KEPT = "both stay"
    IGNORED = "it is ignored"
    REPLACES = "it replaces them"


class LostEpochFile(Choice):
    """What replaces a lost leader-epoch file."""

    REBUILT = "the epochs of the log's records"
    EMPTY = "nothing"
    WITHOUT_FIRST = "the epochs of the log's records but for epoch 0"


class Versions(Choice):
    """What an upgraded follower asks a leader that is not."""

    OLDER_SIDE = "the old question"
    ASKING_SIDE = "the new question, which is answered"
    REFUSED = "the new question, which fails"


class Checkpoint(Choice):
    """When high watermarks are written to disk: at any time, also at each leader change, or when they enter an epoch (T5)."""

    NOW_AND_THEN = "at any time"
    LEADER_CHANGE = "also at each leader change"
    EPOCH_BOUNDARY = "also when they enter an epoch"


class Compaction(Choice):
    """What compaction leaves."""

    ANY = "nothing"
    TOMBSTONE = "one record of each epoch"
    BELOW_CHECKPOINT = "what is not below the high watermark on disk"
    BELOW_HIGH_WATERMARK = "what is not below the high watermark in memory"


class StartWithinBatch(Choice):
    """Whether a follower with an empty log that begins within a batch refuses the batch or takes it whole (KAFKA-6975)."""

    REFUSED = "it refuses the batch"
    WHOLE = "it takes the whole batch"


class FetchEpoch(Choice):
    """The epoch that such a fetch names: that of the last record, or the latest in the cache, which may have no record (T7)."""

    RECORD = "that of the last record"
    CACHE = "the latest in the cache"


class DivergingFetch(Choice):
    """What a leader makes of a fetch that shows another history."""

    REFUSED = "nothing"
    COUNTED = "the end of the follower's log"


class FetchBelowStart(Choice):
    """How a leader answers a fetch that shows another history from below the start of its log."""

    OUT_OF_RANGE = "out-of-range"
    DIVERGING = "as any other that shows another history"


class LateTruncation(Choice):
    """A broker begins to lead after a fetch has told it to truncate."""

    SKIPPED = "its fetcher forgets that"
    CARRIED_OUT = "its fetcher cuts the leader's log"


class EarlierAnswer(Choice):
    """What becomes of an answer that arrives in a later epoch of the same leader: it is dropped, or the log is cut by it (T2)."""

    DROPPED = "it is dropped"
    TAKEN = "the log is cut by it"


class EarlierRefusal(Choice):
    """What becomes of the refusal of a fetch that arrives in a later epoch of the same leader."""

    DROPPED = "it is dropped"
    TAKEN = "the log is cut by it"


class EarlierRecords(Choice):
    """What becomes of a response with records that arrives in a later epoch of the same leader."""

    DROPPED = "it is dropped"
    TAKEN = "its records are appended"


class Reassignment(Choice):
    """How a reassignment switches to the new replicas (V3 F; its older text)."""

    V3 = "as V3 says"
    V3_OLDER = "as its older text says"
    KAFKA = "as Kafka does, in one decision"
