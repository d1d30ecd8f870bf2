"""A refused fetch whose refusal is in flight, and arrives in a later epoch of the same leader (KAFKA-18991).

Kafka's fetcher thread waits for one response of one leader. Meanwhile the broker may follow another leader, and then the first
one again. The thread takes the response if it has the partition and its log still ends where the fetch began: it does not
compare the epoch. Up to 2.7 a fetcher that has the partition again asks for epochs first, and takes no response before.

A refusal that arrives within its epoch does what it did when it was sent: since then the leader has only appended. With
`earlier_refusal = dropped` it is therefore one step (`truncate_on_divergence`). Of a response with
records see `fetch_in_flight.py`.
"""

from ..choices import FetchBelowStart
from ..epoch_cache import largest_epoch_up_to
from ..fetching import cannot_compare, is_accepted, is_beyond_end, is_known, leads
from ..state import Kafka
from ..truncation.on_divergence import end_in_refusal, obey_refusal
from ..vocabulary import Broker, Partition, Phase
from .roles import drop_refusal, drop_request


def refuse_fetch(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """A leader refuses a fetch that has arrived and shows another history; the refusal is on its way (T7).

    Design: KIP-595 (T7).   Kafka: ReplicaManager.readFromLocalLog, LogReadResult.divergingEpoch.
    Modifies: fetch_request[partition], fetch_refusal[partition].
    Reads: fetch_refusal[partition] (the bound: one at a time); metadata (under KRaft: the log, as far as the leader has applied
        it).
    """
    if not s.config.refusals:
        return False
    request = s.fetch_request[partition][leader][follower]
    if not request.sent:
        return False  # Without it, there are refusals of fetches that nobody has made.
    if request.checked:
        return False  # it was compared and accepted
    if not leads(s, partition, leader) or not is_known(s, partition, leader, follower):
        return False
    their = s.replica[partition][leader]
    if s.config.fenced_fetches and request.leader_epoch != their.leader_epoch:
        return False  # an error, which says nothing of logs
    if is_accepted(s, their, request.fetch_offset, request.leader_epoch, request.last_epoch):
        return False
    if cannot_compare(s, their, request.last_epoch) or is_beyond_end(s, their, request.fetch_offset, request.last_epoch):
        return False  # out of range
    if request.fetch_offset < their.log_start and s.config.fetch_below_start is not FetchBelowStart.DIVERGING:
        return False  # out of range: it starts anew
    if s.fetch_refusal[partition][follower].sent:
        return False  # bound: one refusal at a time. Kafka has one of each leader.

    refusal = s.fetch_refusal[partition][follower]
    refusal.sent = 1
    refusal.leader = leader
    refusal.fetch_offset = request.fetch_offset
    refusal.epoch = largest_epoch_up_to(s, their, request.last_epoch)
    refusal.end = end_in_refusal(s, their, request.last_epoch)
    if s.config.raises:
        refusal.hw = their.hw
    refusal.log_start = their.log_start
    drop_request(s, partition, leader, follower)  # else the same fetch is refused again
    return True


def receive_refusal(s: Kafka, partition: Partition, follower: Broker) -> bool:
    """A fetcher cuts the log by a refusal, if it fetches from this leader and the log ends where the fetch began.

    In which epoch it was refused it does not ask. What the leader of that epoch did not have may be committed since.

    Design: KIP-595 (T7).   Kafka: AbstractFetcherThread.processFetchRequest.
    Modifies: replica[partition][follower], fetch_refusal[partition][follower].
    """
    if not s.config.refusals:
        return False
    if not s.fetch_refusal[partition][follower].sent:
        return False  # Without it, a missing refusal changes nothing.

    me = s.replica[partition][follower]
    refusal = s.fetch_refusal[partition][follower]
    is_expected = me.phase is Phase.FETCHING and not me.failed and me.leader == refusal.leader
    if is_expected and me.leo == refusal.fetch_offset:
        obey_refusal(s, me, refusal.epoch, refusal.end, refusal.hw, refusal.log_start)
    drop_refusal(s, partition, follower)  # else it arrives again, and the follower waits for ever
    return True
