"""A fetch from beyond the end of the leader's log, which Kafka's leader answers out-of-range (N5).

The log of a follower may end beyond its leader's after an unclean election, or when the leader has lost what was committed. The
follower asks the leader for its end then, and cuts its log there, without a look at epochs. In between the leader may
catch up. Up to 0.9.0.0 the follower then takes its own log for one that ends before the leader's begins, and throws it away
(KAFKA-2143). Since 0.9.0.1 it fetches on from its end, as if nothing had happened. Up to 2.0.0 its broker exits where unclean
elections are disabled (KAFKA-3410, 3924, 4039, 7414).
"""

from ..choices import Fetch
from ..fetch_choices import FetchBeyondEnd
from ..fetching import is_beyond_end, is_fetching_from, leads
from ..log import epoch_named, start_log_anew_at, truncate
from ..state import Kafka
from ..vocabulary import Broker, Partition, Phase
from .crash import stop_process
from .roles import drop_request


def learn_out_of_range(s: Kafka, partition: Partition, follower: Broker, leader: Broker) -> bool:
    """A fetch is answered out-of-range; the follower has yet to ask for the leader's end, and the leader may catch up before.

    Since 0.9.0.1 it then fetches on: until it asks, nothing has changed, and to ask is one step with the answer to its fetch.

    Design: none; Kafka (N5).   Kafka: AbstractFetcherThread.processFetchRequest (0.9.0.0).
    Modifies: replica[partition][follower], fetch_request[partition].
    Reads: broker[leader].up, replica[partition][leader] (the leader's error: request and answer are one step).
    """
    if s.config.fetch_beyond_end is not FetchBeyondEnd.CUT_OR_THROWN_AWAY:
        return False  # one step with the question that follows
    if not is_ahead(s, partition, follower, leader):
        return False

    s.replica[partition][follower].phase = Phase.OUT_OF_RANGE
    drop_answered(s, partition, leader, follower)
    return True


def is_ahead(s: Kafka, partition: Partition, follower: Broker, leader: Broker) -> bool:
    """A fetch of the follower is answered out-of-range, because it begins beyond the end of the leader's log."""
    if not is_fetching_from(s, partition, follower, leader):
        return False
    if not leads(s, partition, leader):
        return False  # NotLeader
    me = s.replica[partition][follower]
    their = s.replica[partition][leader]
    if s.config.fenced and me.leader_epoch != their.leader_epoch:
        return False  # fenced (T7). Without it, it is answered in another epoch, too.
    return is_beyond_end(s, their, me.leo, epoch_named(s, me))


def drop_answered(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> None:
    """The fetch has its answer."""
    if s.config.fetch is Fetch.IN_FLIGHT:
        drop_request(s, partition, leader, follower)  # Without it, a leader that catches up answers it once more.


def cut_to_leader_end(s: Kafka, partition: Partition, follower: Broker, leader: Broker) -> bool:
    """A follower whose fetch was out of range asks for its leader's end, and cuts its log there.

    Records below may differ all the same. If the leader ends no earlier by now, the follower of 0.9.0.0 throws its log away, also
    what is committed, and begins where the leader's log does.

    Design: none; Kafka (N5).   Kafka: ReplicaFetcherThread.handleOffsetOutOfRange.
    Modifies: replica[partition][follower], fetch_request[partition].
    Reads: broker[leader].up, replica[partition][leader] (the leader's error, and its answer to ListOffsets: they are one step).
    """
    if s.config.exits and is_behind(s, partition, leader, follower):
        return False  # its broker exits
    if not asks_for_end(s, partition, follower, leader):
        return False

    me = s.replica[partition][follower]
    their = s.replica[partition][leader]
    if is_behind(s, partition, leader, follower):
        truncate(s, me, their.leo)
    else:
        start_log_anew_at(s, me, their.log_start)
    me.phase = Phase.FETCHING
    drop_answered(s, partition, leader, follower)
    return True


def asks_for_end(s: Kafka, partition: Partition, follower: Broker, leader: Broker) -> int:
    """The follower's fetch is answered out-of-range, or was, and the leader answers its question for the end of the log."""
    if s.config.fetch_beyond_end is FetchBeyondEnd.NOTHING:
        return False
    if s.config.fetch_beyond_end is not FetchBeyondEnd.CUT_OR_THROWN_AWAY:
        return is_ahead(s, partition, follower, leader)
    me = s.replica[partition][follower]
    return me.phase is Phase.OUT_OF_RANGE and not me.failed and me.leader == leader and leads(s, partition, leader)


def is_behind(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """The leader's log ends before the follower's."""
    return s.replica[partition][leader].leo < s.replica[partition][follower].leo


def exit_out_of_range(s: Kafka, partition: Partition, follower: Broker, leader: Broker) -> bool:
    """A follower finds that its leader's log ends before its own, takes that for a loss of data, and ends its broker.

    With unclean elections disabled that should not happen. A leader that has lost committed records by another bug makes every
    broker exit that still has them. Nobody starts it again here: it exits again as long as its leader is behind. What comes
    then is also reached by a crash.

    Design: none; Kafka (N5).   Kafka: ReplicaFetcherThread.handleOffsetOutOfRange.
    Modifies: broker[follower], produce_request, replica, controller, command, earlier_command, decision, isr_write,
        fetch_request, fetch_response, late_response, fetch_refusal, start.
    Reads: broker[leader].up, replica[partition][leader] (the leader's error, and its answer to ListOffsets: they are one step);
        controller (whether the process was a controller: its own memory); command, earlier_command (what was sent to it over
        connections that close); broker (which processes have ended: what a controller that ends has sent to them is lost).
    """
    if s.config.exits == 0:
        return False  # switched off
    if not is_behind(s, partition, leader, follower):
        return False  # the leader has caught up
    if not asks_for_end(s, partition, follower, leader):
        return False

    stop_process(s, follower)
    for other in range(s.config.partitions):
        mine = s.replica[other][follower]
        mine.no_hw = 0
        mine.hw = mine.log_start  # the one on disk is read by the next process, and there is none
    s.broker[follower].exited = 1
    return True
