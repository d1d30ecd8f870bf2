"""V3 G: a follower fetches; the leader learns from it how far the follower has come."""

from ..choices import DivergingFetch, Fetch, FetchBelowStart, StartWithinBatch
from ..fetch_choices import RefusedFetch
from ..fetching import diverges, is_beyond_end, is_fetching_from, is_known, is_taken, leads, learns_nothing
from ..log import append_batch, epoch_named, follow_log_start, starts_batch
from ..members import contains
from ..state import Kafka, Replica
from ..truncation.versions import forget_untold_epochs
from ..vocabulary import Broker, Offset, Partition
from .fetcher import end_fetcher
from .high_watermark import advance_high_watermark, checkpoint_at_epoch_boundary, waits_for_store
from .isr import admit_by_fetch, joins_by_fetch


def fetch(s: Kafka, partition: Partition, follower: Broker, leader: Broker) -> bool:
    """A follower fetches the next batch, as one step of two brokers.

    The fetch offset tells the leader that the follower has everything below it: the leader may take it into the ISR, and the
    high watermark may rise, before the answer is made. The follower appends and takes over the high watermark. A batch
    that does not start where the follower's log ends cannot be appended: the fetcher fails. In V3 a fetch from beyond the
    leader's end is recorded like any other; Kafka answers out-of-range (`out_of_range.py`).

    Design: V3 G (G1, G2, G5, G8).   Kafka: Partition.updateFollowerFetchState, ReplicaFetcherThread.processPartitionData.
    Modifies: replica, produce_request[partition][leader], history[partition], zookeeper.leader_and_isr[partition],
        isr_write[partition][leader].
    Reads: broker[leader].up, broker[leader].upgraded, replica[partition][leader], isr_write[partition][leader],
        produce_request[partition][leader] (request and answer are one step of both brokers; `fetch = in-flight` parts them);
        zookeeper.assigned[partition], zookeeper.reassigned[partition] (the store: who is a replica);
        zookeeper.leader_and_isr[partition] (the store, which checks the version); broker, controller, decision,
        zookeeper.controller_epoch (with KIP-497: whom a controller in office knows as live or leaving); metadata (under
        KRaft: the log, as far as the leader has applied it).
    """
    if s.config.fetch is not Fetch.RENDEZVOUS:
        return False
    if not is_fetching_from(s, partition, follower, leader):
        return False
    me = s.replica[partition][follower]
    their = s.replica[partition][leader]
    if not leads(s, partition, leader):
        return False  # NotLeader
    if waits_for_store(s, partition, leader):
        return False  # Without it, fetches continue while the ISR is written, as in later releases.
    if not is_known(s, partition, leader, follower):
        return False  # Without it, under KRaft, who is no replica is answered.
    if not is_taken(s, partition, follower, leader):
        return False
    if learns_nothing(me, their, follower):
        return False  # Without it, there are fetches from which neither side learns anything.

    note_fetch(s, partition, leader, follower, me.leo)
    if me.leo < their.leo and not starts_batch(their, me.leo) and not takes_part_of_batch(s, me):
        me.failed = 1
        end_fetcher(s, partition, follower)
    else:
        if me.leo < their.leo:
            append_batch(s, me, their)
            forget_untold_epochs(s, me, leader, partition)
        me.hw = min(their.hw, me.leo)
        me.no_hw = their.no_hw
        follow_log_start(s, me, their.log_start)
        checkpoint_at_epoch_boundary(s, me)
    return True


def takes_part_of_batch(s: Kafka, me: Replica) -> bool:
    """The follower's log is empty and begins within the batch that it is sent: since KAFKA-6975 it takes what lies beyond."""
    return s.config.start_within_batch is StartWithinBatch.WHOLE and me.log_start > 0 and me.leo == me.log_start


def note_fetch(s: Kafka, partition: Partition, leader: Broker, follower: Broker, offset: Offset) -> None:
    """The leader records how far the follower has come, may take it into the ISR, and tries to commit (G1, N1).

    If the follower has not moved, there is nothing new to commit, unless a change of the ISR has left it (KAFKA-13091).

    Kafka: Partition.updateFollowerFetchState, Replica.updateFetchState.
    """
    if not is_known(s, partition, leader, follower):
        return  # removed since the fetch was compared
    me = s.replica[partition][leader]
    moved = me.fetched_to[follower] != offset
    me.fetched_to[follower] = offset
    admit_by_fetch(s, partition, leader, follower, offset)
    if moved:
        advance_high_watermark(s, partition, leader)


def forget_end(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """A leader answers a fetch with an error, and takes the offset that is missing in its answer for the end of the follower.

    It commits nothing more with this follower until the next fetch that it accepts, and may drop it from the ISR. Errors here are
    out-of-range, and another leader epoch (2.1), which a fetch session of 2.1 to 2.4 compares in its first fetch alone.

    Design: V3 G (G1).   Kafka: ReplicaManager.updateFollowerLogReadResults, Replica.updateLogReadResult (2.3.1; KAFKA-8400).
    Modifies: replica[partition][leader].
    Reads: broker[follower].up, replica[partition][follower] (the fetch: it is one step with the leader's part of the answer).
    """
    if s.config.refused_fetch is not RefusedFetch.FORGETS_END:
        return False
    if not is_fetching_from(s, partition, follower, leader) or not leads(s, partition, leader):
        return False
    if not is_refused(s, partition, leader, follower):
        return False
    their = s.replica[partition][leader]
    if their.fetched_to[follower] == 0:
        return False  # Without it, it forgets what it does not know.
    if not contains(their.isr, follower):
        return False

    their.fetched_to[follower] = 0  # Without it, the end stays, as since 2.4.
    return True


def is_refused(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> int:
    """The follower's fetch is answered with an error."""
    me = s.replica[partition][follower]
    their = s.replica[partition][leader]
    if me.leo < their.log_start or is_beyond_end(s, their, me.leo, epoch_named(s, me)):
        return True
    return s.config.fenced and me.leader_epoch != their.leader_epoch


def count_diverging_fetch(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """A leader of 2.8.0 refuses a fetch that shows another history, and yet takes its offset for the end of the follower's log.

    By that end it commits records that the follower does not have, and admits the follower to the ISR with records that the
    follower is about to cut.

    Design: KIP-595 (T7, G1).   Kafka: ReplicaManager.updateFollowerFetchState (2.8.0; KAFKA-13141).
    Modifies: replica[partition][leader], produce_request[partition][leader], history[partition],
        zookeeper.leader_and_isr[partition], isr_write[partition][leader].
    Reads: broker[follower].up, replica[partition][follower] (the fetch: it is one step with the leader's part of the answer);
        zookeeper.assigned[partition], zookeeper.reassigned[partition] (the store: who is a replica);
        zookeeper.leader_and_isr[partition] (the store, which checks the version); broker, controller, decision,
        zookeeper.controller_epoch (with KIP-497: whom a controller in office knows as live or leaving);
        metadata (under KRaft: the log, as far as the leader has applied it).
    """
    if s.config.diverging_fetch is not DivergingFetch.COUNTED:
        return False
    if not diverges(s, partition, follower, leader):
        return False  # a fetch that fits is counted by `fetch`
    if waits_for_store(s, partition, leader):
        return False
    me = s.replica[partition][follower]
    their = s.replica[partition][leader]
    if me.leo < their.log_start and s.config.fetch_below_start is not FetchBelowStart.DIVERGING:
        return False  # out of range: an error is not counted
    if their.fetched_to[follower] == me.leo and not joins_by_fetch(s, partition, leader, follower, me.leo):
        return False  # Without it, the same fetch is counted again.

    note_fetch(s, partition, leader, follower, me.leo)  # Without it, nothing is counted, as since 2.8.1.
    return True
