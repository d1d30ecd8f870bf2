"""What the family says nothing of: parts of Kafka under KRaft, and bugs of replication, each with the reason.

Not named below is KAFKA-13266, a fetcher that begins at an offset from before its predecessor stopped: no release had it, for it
was repaired before 3.0.0.
"""

from ..language.revisions import Span, Unmodelled
from ..unmodelled import UNMODELLED as UNDER_ZOOKEEPER

ABSENT = (
    "topics that are created, or deleted for good", "log directories that fail alone (KIP-858)",
    "transactions (KIP-98)", "tiered storage (KIP-405)", "the controller's failure", "the migration from ZooKeeper",
)  # fmt: skip
"""What no configuration has."""

OF_BROKERS = {
    "KAFKA-14010": Span("3.2.0", "3.2.0", "KRaft"), "KAFKA-15353": Span("3.5.0", "3.5.1", "KRaft"),
    "KAFKA-16541": Span("3.7.0", "3.7.2", "KRaft"), "KAFKA-17076": Span("3.2.0", "3.9.1", "KRaft"),
    "KAFKA-18723": Span("3.2.0", "3.9.0", "KRaft"),
}  # fmt: skip
"""What brokers have whoever coordinates them, and which of the releases under KRaft."""

UNMODELLED = (
    *(bug._replace(span=OF_BROKERS[bug.issue]) for bug in UNDER_ZOOKEEPER if bug.issue in OF_BROKERS),
    Unmodelled("KAFKA-13858", Span("3.2.0", "3.2.3", "KRaft"),
               "a broker in controlled shutdown hears no more who leads, and leads on until it stops",
               "every broker may apply the log as late as that, here in every release; what it costs is time"),
    Unmodelled("KAFKA-14296", Span("3.3.0", "3.3.1", "KRaft"),
               "a broker in controlled shutdown does not follow who leads now, and leads on until it stops",
               "every broker may apply the log as late as that, here in every release; what it costs is time"),
    Unmodelled("KAFKA-14292", Span("3.3.0", "3.3.1", "KRaft"),
               "each heartbeat puts off how far the others must have applied the log before a broker may stop",
               "records that say nothing are not in the model: the log is idle in the end, and the broker stops"),
    Unmodelled("KAFKA-15221", Span("3.2.0", "3.6.2", "KRaft"),
               "a late fetch of an earlier process overwrites what a fetch of the present one has told",
               "a late fetch is counted, or refused since 3.7; but one alone is on its way, so that it overwrites no newer one"),
    Unmodelled("KAFKA-15375", Span("3.2.0", "3.5.1", "KRaft"),
               "a broker that fails while it loads its logs marks them as cleanly shut down, and does not recover them next time",
               "a log is whole after each start: what a crash takes from it is taken at once"),
    Unmodelled("KAFKA-15510", Span("3.5.1", "3.6.2", "KRaft"),
               "after an empty answer a fetcher names no epoch until it has appended or follows again",
               "the fetch before named one, and the leader found that the logs agree so far; in its epoch it only appends"),
)  # fmt: skip
