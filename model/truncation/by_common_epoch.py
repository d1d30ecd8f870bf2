"""T2, KIP-279: leader and follower look for the largest epoch that both know.

The answer names its epoch. If the follower does not know that epoch, it cuts what is newer and asks
again with its next lower epoch, until both know one; the common log ends at the smaller end of that epoch.
"""

from ..choices import NewerEpoch, OlderAnswer, OlderEpoch
from ..epoch_cache import end_of_epochs_up_to, knows_epoch, largest_epoch_up_to, latest_epoch
from ..log import start_log_at, truncate
from ..state import Kafka, Replica
from ..vocabulary import NO_EPOCH, NO_OFFSET, Broker, Epoch, Partition, Phase
from .exchange import ask_or_fetch, can_answer, fall_back, fetch_from_end, send_answer


def begin(s: Kafka, partition: Partition, follower: Broker) -> None:
    """Ask the leader."""
    ask_or_fetch(s, partition, follower)


def answer_with_common_epoch(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """The leader answers with the largest epoch it knows up to the requested one, and where that ends.

    If it knows none that old, it answers undefined, or the start of the first that it knows. With `older_epoch` = start-anew,
    which no release has, a leader that knows the epochs of all its records answers with the start of its log, and names no
    epoch: what is older is deleted. Kafka also answers undefined for an epoch newer than all that it knows.

    Design: 279 proposed changes, step 2 (T2, T8).   Kafka: LeaderEpochFileCache.endOffsetFor (2.0).
    Modifies: replica[partition][follower].
    Reads: broker[follower].up, broker[follower].upgraded, replica[partition][follower] (the request on its way: a follower that
        asks waits, so what it asks stays what it would ask now).
    """
    if not can_answer(s, partition, leader, follower):
        return False

    their = s.replica[partition][leader]
    requested = latest_epoch(s, s.replica[partition][follower])
    epoch = largest_epoch_up_to(s, their, requested)
    end = NO_OFFSET
    if epoch != NO_EPOCH:
        end = end_of_epochs_up_to(s, their, requested)
    elif s.config.older_epoch is OlderEpoch.FIRST_START and latest_epoch(s, their) > requested:
        epoch = requested
        end = end_of_epochs_up_to(s, their, requested)
    elif s.config.older_epoch is OlderEpoch.START_ANEW and end_of_epochs_up_to(s, their, requested) == their.log_start:
        end = their.log_start
    if latest_epoch(s, their) < requested and s.config.newer_epoch is NewerEpoch.UNDEFINED:
        epoch = NO_EPOCH
        end = NO_OFFSET
    send_answer(s, partition, follower, epoch, end)
    return True


def truncate_to_common_epoch(s: Kafka, partition: Partition, follower: Broker) -> bool:
    """The follower cuts what is newer than the answered epoch, then to the end that the leader named.

    If it does not know the epoch, it has cut to the end of its largest lower one, and asks for that. What it does without
    a lower one is a setting (`older_answer`): 2.0.0 compares only where the logs end, and may keep what its leader lacks. An
    undefined answer leaves only the high watermark (`undefined_answer`). With `older_epoch` = start-anew, an answer that
    names an offset and no epoch makes the log start anew there.

    Design: 279 proposed changes, steps 3-4 (T2, T8).   Kafka: AbstractFetcherThread.getOffsetTruncationState.
    Modifies: replica[partition][follower].
    """
    me = s.replica[partition][follower]
    if not s.broker[follower].up:
        return False
    if me.phase is not Phase.ANSWERED:
        return False

    epoch = me.answer_epoch
    end = me.answer_end
    if s.config.older_epoch is OlderEpoch.START_ANEW and epoch == NO_EPOCH and end != NO_OFFSET:
        start_log_at(s, me, end)
        fetch_from_end(me)  # Without it, the follower takes the same answer again.
    elif epoch == NO_EPOCH:
        fall_back(s, me)
    elif s.config.older_answer is OlderAnswer.LEADER_END and largest_epoch_up_to(s, me, epoch) == NO_EPOCH:
        truncate(s, me, end)
        fetch_from_end(me)
    elif knows_epoch(me, epoch) or stops_at_own_start(s, me, epoch):
        truncate(s, me, min(end_of_epochs_up_to(s, me, epoch), end))
        fetch_from_end(me)
    else:
        truncate(s, me, end_of_epochs_up_to(s, me, epoch))
        ask_or_fetch(s, partition, follower)  # Without it, the follower takes the same answer again.
    return True


def stops_at_own_start(s: Kafka, me: Replica, epoch: Epoch) -> bool:
    """The answered epoch is older than all that the follower knows: its cache ends that epoch where its own first one starts."""
    return s.config.older_answer is OlderAnswer.OWN_START and largest_epoch_up_to(s, me, epoch) == NO_EPOCH
