"""Kafka's bugs of replication of which the model says nothing, each with the reason.

Not named below are KAFKA-6193, a node of moves that is deleted too early, which no release had (repaired before 1.1.0); and
KAFKA-10548, deletion that waits for each replica, as here (`deletion = confirmed`): no release does otherwise.
"""

from .language.revisions import Span, Unmodelled

ABSENT = (
    "StopReplica without deletion, which a controlled shutdown sends", "disks that fail while their broker lives (KIP-112)",
    "moves to another log directory (KIP-113)",
    "transactions (KIP-98)", "tiered storage (KIP-405)",
)  # fmt: skip
"""What no configuration has."""

UNMODELLED = (
    Unmodelled("KAFKA-1096", Span("0.8.0", "0.8.1"),
               "a controller that wakes from a long pause takes over the epoch of its successor",
               "no revision stands for 0.8; controller epochs are those of the election"),
    Unmodelled("KAFKA-1154", Span("0.8.0", "0.8.0"),
               "a fetcher appends after its log was cut",
               "no revision stands for 0.8; a fetcher stops before its log is cut (V3 C)"),
    Unmodelled("KAFKA-1647", Span("0.8.0", "0.8.1"),
               "high watermarks on disk are overwritten before all partitions are known",
               "no revision stands for 0.8; each partition's is written by itself"),
    Unmodelled("KAFKA-5758", Span("0.9.0.0", "0.11.0.3"),
               "of a fetch that names a partition of which the leader does not know the follower, all partitions fail",
               "a fetch is of one partition; the others wait until the leader knows the replica"),
    Unmodelled("KAFKA-3085", Span("0.9.0.0", "0.9.0.1"),
               "who lives and who has died is read at two moments, so that a broker may be neither, and its failure is missed",
               "a controller reads in one step who lives, and knows by that who has died"),
    Unmodelled("KAFKA-4447", Span("0.9.0.0", "0.10.1.1"),
               "a controller that has resigned goes on with the events that wait, under the epoch of its successor",
               "a controller whose session has ended resigns, and forgets its events, in one step"),
    Unmodelled("KAFKA-9212", Span("0.8.0", "2.3.1"),
               "a controller that moves a partition forgets the epoch that it has just written",
               "replicas are sent the right epoch; clients are told the old one, and the model's name no epoch when they fetch"),
    Unmodelled("KAFKA-9478", Span("2.4.0", "3.9.2"),
               "of two tools that write the node of moves at once, one's move never begins, and no later one is seen",
               "each move has a node of its own here, as in V3 F, and each is seen; what it costs is the move"),
    Unmodelled("KAFKA-9835", Span("1.1.0", "2.5.0"),
               "a read of the end of the log, during an append, returns records above the high watermark",
               "a read is one step here, and about offsets: it does not ask twice how many bytes there are"),
    Unmodelled("KAFKA-10101", Span("1.0.0", "2.7.2"),
               "a log that is recovered counts as flushed to its end: after a power loss, what is not is not recovered",
               "a log is whole after each start: what a crash takes from it is taken at once"),
    Unmodelled("KAFKA-10778", Span("0.9.0.0", "2.7.2"),
               "after a write that failed half-way a log takes more appends, until its directory is offline",
               "no write to a disk fails: each append is whole"),
    Unmodelled("KAFKA-10471", Span("0.9.0.0", "2.7.2"),
               "a broker that fails while it loads its logs counts as cleanly shut down, and does not recover them next time",
               "a log is whole after each start: what a crash takes from it is taken at once"),
    *(Unmodelled("KAFKA-12751", span, "an ISR change that changes nothing stays pending for ever",
                 "a leader asks only for another ISR than it knows, here and in Kafka; the repair's test asks for the same")
      for span in (Span("2.7.0", "2.7.1"), Span("2.8.0", "2.8.0"))),
    Unmodelled("KAFKA-14010", Span("2.7.0", "3.2.0"),
               "after an unexpected error a request for another ISR is not sent again; in 3.1 and 3.2.0 it counts as untried",
               "an answer here is what was written, or a refusal; for any other error the store must fail the controller"),
    Unmodelled("KAFKA-14808", Span("2.4.0", "3.9.2"),
               "a move is replaced, without the new replica that leads: nobody does, until a broker or the controller fails",
               "here a move is cancelled, and another begins: a log is deleted too (KAFKA-14424), but who lives is elected"),
    Unmodelled("KAFKA-15353", Span("3.5.0", "3.5.1"),
               "a request for another ISR that is sent again asks for an empty one, in the format of before 3.5",
               "all brokers have one release and its protocol; an older controller, or protocol 2.7, takes that format"),
    Unmodelled("KAFKA-16541", Span("3.7.0", "3.7.2"),
               "a power loss leaves a leader-epoch file that is cut off or empty: it is renamed before it is flushed",
               "such a file is whole, or lost whole (`lost_epoch_files`)"),
    Unmodelled("KAFKA-18723", Span("0.9.0.0", "3.9.0"),
               "an answer has the records that are in the file when it is sent: of a later epoch, if its leader follows by then",
               "an answer has the records that were read; others would come behind what the follower has yet to cut"),
    Unmodelled("KAFKA-17076", Span("0.9.0.0", "3.9.1"),
               "compaction deletes the last batch, and with it the end of the log",
               "only a record with a later one of its key is deleted, never a log's last; no tombstones, no transactions"),
)  # fmt: skip
