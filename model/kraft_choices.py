"""What the releases under KRaft differ in, as choices. The first value is what the oldest of them does."""

from .language import Choice


class Eligible(Choice):
    """Whom leader and controller keep out of the ISR (KR4, N1)."""

    ANY = "nobody: who has caught up joins"
    ACTIVE = "brokers that are fenced, under ZooKeeper dead, or shutting down (KIP-841, KAFKA-14140)"
    SAME_REGISTRATION = "and those whose fetch named an earlier registration (KIP-903)"


class LeavingLeader(Choice):
    """Who shuts down in order is in the ISR of a partition that needs a leader (KR3)."""

    ELECTED = "it is elected, and cannot stop before another is"
    PASSED_OVER = "it is not elected"


class ShrinkEpoch(Choice):
    """What the controller does with the leader epoch when the ISR shrinks and the leader stays (KR6)."""

    RAISED = "it raises it"
    KEPT = "it keeps it"


class Recovery(Choice):
    """Who may be elected when no member of the ISR is active (KR3)."""

    LAST_MEMBER = "the last member of the ISR, which stays in it"
    ELIGIBLE_REPLICAS = "the ISR may be empty: who left it below min ISR, and then the last leader (KIP-966)"


class MoveEnd(Choice):
    """Which members of the ISR end a reassignment (KR7)."""

    ADDED = "all that are added"
    TARGET = "all of the target"
    ADDED_UNLESS_SMALLER = "all that are added; all of the target if more are removed than added"


class RemovedEligible(Choice):
    """What becomes of an eligible leader replica that a reassignment removes (KR7)."""

    STAYS = "it stays eligible, and is when it is a replica again, with another log"
    LEAVES = "it is eligible no more"


class ChangedMinIsr(Choice):
    """What becomes of eligible leader replicas when an operator changes min.insync.replicas (KR5)."""

    STAY_ELIGIBLE = "they stay eligible, until the next record about the partition"
    CLEARED = "nobody is eligible any more, and no leader is the last one"
    CLEARED_WHILE_LED = "the same, but not while the ISR is empty"


class StrayReplica(Choice):
    """What becomes of the directory of an earlier topic of the same name, as its broker starts (KR7)."""

    BLOCKS = "it is deleted after the roles were taken, and the replica of the new topic is not made until something changes"
    DELETED_FIRST = "it is deleted first"


class ReportedDirectory(Choice):
    """What becomes of eligible leader replicas when a broker reports the directory of a replica (KR7)."""

    CLEARS = "nobody is eligible any more: the record is made as if the feature were off"
    LEAVES = "they stay eligible"


class AbandonedCopy(Choice):
    """A broker starts: a copy of its replica is in the directory which it had reported, and the log in another one (KR7)."""

    STAYS = "the log stays the replica, and the copy is filled"
    TAKEN = "the copy is the replica, also when it is behind (KAFKA-16082)"
    TAKEN_IF_WHOLE = "the copy is the replica if it has all records, and else the log"


class Unfencing(Choice):
    """How far a fenced broker must have applied the log, to be unfenced (KR2)."""

    WHOLE_LOG = "to its end"
    OWN_REGISTRATION = "to its own registration"


class EarlyRegistration(Choice):
    """A broker registers again when its session has ended, and before the controller has fenced it (KR2)."""

    KEEPS = "it is fenced, stays in every ISR, and leads what it has led, in the same epoch"
    LEAVES = "it leaves every ISR, as if it had been fenced first"


class OlderNews(Choice):
    """The log brings a leader, in the epoch that it knows, an older ISR than an answer to AlterPartition had brought (KR4)."""

    TAKEN = "the older ISR is its own"
    SKIPPED = "it knows better"


class UncleanRegistration(Choice):
    """What becomes of an eligible leader replica that registers after a crash (KR2)."""

    STAYS = "it stays eligible, whatever its disk has lost"
    REMOVED = "it is eligible no more"


class LastLeader(Choice):
    """When the last leader of a partition without ISR and eligible replicas is elected again (KR3)."""

    ALSO_FENCED = "with the next record about the partition, also while it is fenced"
    ACTIVE = "when it is active"


class NamedLast(Choice):
    """Which leader of a partition is the last one, once nobody leads it (KR3)."""

    NEWEST = "who led when the ISR became empty"
    FIRST = "the same, unless one is named already: one that a record about a leader has not cleared stays"


class UnderMinIsr(Choice):
    """What a leader commits while its ISR is below min ISR (KR5)."""

    COMMITS = "what all of the ISR has"
    WAITS = "nothing"


class EarlierFetch(Choice):
    """What becomes of a fetch that arrives after the process that sent it has ended and its broker has registered again."""

    COUNTED = "the leader takes its offset for the follower's end"
    REFUSED = "a leader that knows the new registration refuses it"


class UnregisteredFetch(Choice):
    """Whether a broker that has started fetches before it is registered (KIP-903)."""

    SENT = "yes; the fetch names no registration, and is taken for one of whoever has registered meanwhile"
    NOT_SENT = "no"


class KnownNews(Choice):
    """The log brings a leader what an answer to AlterPartition had brought, and its next request is on its way (KR4).

    Kafka's forgets the request. For `replica.lag.time.max.ms` it waits for the follower all the same, because that was caught up
    (`Partition.maybeIncrementLeaderHW`); what it commits after that time, with metadata that are as late, is FORGETS.
    """

    FORGETS = "it forgets what it has asked for, and commits without it"
    KEEPS = "what it has asked for stays pending"
