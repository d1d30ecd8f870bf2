"""V3 G: a follower fetches; the leader learns from it how far the follower has come."""

from ..config import COUNTED, DIVERGING, MIXED, RENDEZVOUS, WHOLE_BATCH
from ..fetching import diverges, is_accepted, is_fetching_from, leads
from ..log import append_batch, epoch_named, follow_log_start, starts_batch
from ..truncation.versions import fences_fetches, forget_untold_epochs
from ..vocabulary import NO_EPOCH
from .high_watermark import advance_high_watermark, checkpoint_at_epoch_boundary, waits_for_store


def fetch(s, partition, follower, leader):
    """A follower fetches the next batch, as one step of two brokers.

    The fetch offset tells the leader that the follower has everything below it: the high watermark may
    rise before the answer is made. The follower appends and takes over the high watermark. A batch
    that does not start where the follower's log ends cannot be appended: the fetcher fails. A fetch beyond the
    leader's end is recorded like any other, as in V3; Kafka answers out-of-range.

    Design: V3 G (G1, G2, G5, G8).   Kafka: Partition.updateFollowerFetchState, ReplicaFetcherThread.processPartitionData.
    Modifies: replica[partition], history[partition].
    Reads: broker[leader].up, broker[leader].upgraded, replica[partition][leader], isr_write[partition][leader] (request and
        answer are one step of both brokers; `fetch = in-flight` parts them).
    """
    if s.config.fetch != RENDEZVOUS:
        return False  # Without it, both kinds of fetch are enabled; each is explored at other sizes.
    if not is_fetching_from(s, partition, follower, leader):
        return False
    me = s.replica[partition][follower]
    their = s.replica[partition][leader]
    if not leads(s, partition, leader):
        return False  # NotLeader
    if waits_for_store(s, partition, leader):
        return False  # Without it, fetches continue while the ISR is written, as in later releases.
    if not is_accepted(s, their, me.leo, epoch_told(s, me, follower, leader), epoch_named(s, me)):
        return False
    if me.leo < their.log_start:
        return False  # out of range: it starts anew
    if learns_nothing(me, their, follower):
        return False  # Without it, there are fetches from which neither side learns anything.

    note_fetch(s, partition, leader, follower, me.leo)
    if me.leo < their.leo and not starts_batch(their, me.leo) and not takes_part_of_batch(s, me):
        me.failed = 1
    else:
        if me.leo < their.leo:
            append_batch(s, me, their)
            forget_untold_epochs(s, me, leader, partition)
        me.hw = min(their.hw, me.leo)
        follow_log_start(s, me, their.log_start)
        checkpoint_at_epoch_boundary(s, me)
    return True


def learns_nothing(me, their, follower):
    """The leader knows how far the follower is, and a fetch would bring the follower nothing."""
    if me.leo < their.leo or their.fetched_to[follower] != me.leo or me.log_start < their.log_start:
        return False
    return me.hw == max(min(their.hw, me.leo), me.log_start)


def takes_part_of_batch(s, me):
    """The follower's log is empty and begins within the batch that it is sent: since KAFKA-6975 it takes what lies beyond."""
    return s.config.start_within_batch == WHOLE_BATCH and me.log_start > 0 and me.leo == me.log_start


def epoch_told(s, me, follower, leader):
    """The leader epoch that a fetch names; a fetch between different releases names none (T9)."""
    if s.config.truncation == MIXED and not fences_fetches(s, follower, leader):
        return NO_EPOCH
    return me.leader_epoch


def note_fetch(s, partition, leader, follower, offset):
    """The leader records how far the follower has come, and tries to commit (G1)."""
    s.replica[partition][leader].fetched_to[follower] = offset
    advance_high_watermark(s, partition, leader)


def count_diverging_fetch(s, partition, leader, follower):
    """A leader of 2.8.0 refuses a fetch that shows another history, and yet takes its offset for the end of the follower's log.

    By that end it commits records that the follower does not have, and admits the follower to the ISR with records that the
    follower is about to cut.

    Design: KIP-595 (T7, G1).   Kafka: ReplicaManager.updateFollowerFetchState (2.8.0; KAFKA-13141).
    Modifies: replica[partition][leader], history[partition].
    Reads: broker[follower].up, replica[partition][follower] (the fetch: it is one step with the leader's part of the answer).
    """
    if s.config.diverging_fetch != COUNTED:
        return False
    if not diverges(s, partition, follower, leader):
        return False  # Without it, a fetch that fits is counted too, as `fetch` does.
    if waits_for_store(s, partition, leader):
        return False
    me = s.replica[partition][follower]
    their = s.replica[partition][leader]
    if me.leo < their.log_start and s.config.fetch_below_start != DIVERGING:
        return False  # out of range: an error is not counted
    if their.fetched_to[follower] == me.leo:
        return False  # Without it, the same fetch is counted again.

    note_fetch(s, partition, leader, follower, me.leo)  # Without it, nothing is counted, as since 2.8.1.
    return True
