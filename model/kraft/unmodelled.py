"""What the family says nothing of: parts of Kafka under KRaft, and bugs of replication, each with the reason."""

from ..language.releases import Span, Unmodelled

ABSENT = (
    "topics that are created or deleted", "log directories that fail alone (KIP-858)", "the controller's failure",
    "the migration from ZooKeeper",
)  # fmt: skip
"""What no configuration has."""

UNMODELLED = (
    Unmodelled("KAFKA-15221", Span("3.2.0", "3.6.2", "KRaft"),
               "a late fetch of an earlier process overwrites what a fetch of the present one has told",
               "a late fetch is counted, or refused since 3.7; but one alone is on its way, so that it overwrites no newer one"),
    Unmodelled("KAFKA-15510", Span("3.5.1", "3.6.2", "KRaft"),
               "after an empty answer a fetcher names no epoch until it has appended or follows again",
               "the fetch before named one, and the leader found that the logs agree so far; in its epoch it only appends"),
)  # fmt: skip
