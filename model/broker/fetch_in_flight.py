"""V3 G with requests and responses in flight (`fetch = in-flight`).

A follower expects one response at a time. A request that is in flight when its follower turns to
another leader still arrives: this is how a zombie may commit late. A response with records is lost when
its follower turns to another leader, as V3 C stops the fetcher (C3, C4). Kafka's fetcher thread serves other
partitions too and stays: of a response that finds the partition again see `refusal_in_flight.py`.

With `fetch_count = later` a leader takes the offset of a fetch some time after it has compared the epoch.
"""

from ..choices import Fetch, FetchCount
from ..fetching import is_accepted, is_fetching_from, is_known, leads, learns_nothing
from ..log import append, epoch_named, follow_log_start, starts_batch
from ..members import NO_BROKER
from ..state import FetchRequest, FetchResponse, Kafka, Replica
from ..vocabulary import Broker, Offset, Partition, Phase
from .fetch import note_fetch, takes_part_of_batch
from .fetcher import end_fetcher
from .high_watermark import checkpoint_at_epoch_boundary, waits_for_store
from .roles import drop_late_response, drop_request, drop_response
from .told import refuses_earlier_process


def send_fetch(s: Kafka, partition: Partition, follower: Broker) -> bool:
    """A follower asks for what follows its log, with its leader epoch and its last record's.

    Design: V3 G, ReplicaFetcherThread (G1).   Kafka: ReplicaFetcherThread.buildFetchRequest.
    Modifies: fetch_request[partition].
    """
    if s.config.fetch is not Fetch.IN_FLIGHT:
        return False  # Without it, requests are sent that no broker answers.
    me = s.replica[partition][follower]
    if me.leader == NO_BROKER:
        return False
    if not is_fetching_from(s, partition, follower, me.leader):
        return False
    if s.fetch_response[partition][follower].sent:
        return False  # one at a time. Without it, the later response replaces the first.
    request = s.fetch_request[partition][me.leader][follower]
    if request.sent and request.fetch_offset == me.leo and request.leader_epoch == me.leader_epoch:
        return False  # Without it, the same request is sent again.
    if request.checked:
        return False  # Without it, there is another fetch before this leader has answered the last one.
    if awaits_refusal(s, partition, follower, me.leader):
        return False  # Without it, there is another fetch while the refusal of the last one is on its way.
    if s.config.lates and s.late_response[partition][follower].leader == me.leader:
        return False  # Without it, there is another fetch while a late response of this leader is on its way.

    request.sent = 1
    request.orphaned = 0
    request.fetch_offset = me.leo
    request.leader_epoch = me.leader_epoch
    request.last_epoch = epoch_named(s, me)
    return True


def awaits_refusal(s: Kafka, partition: Partition, follower: Broker, leader: Broker) -> int:
    """This leader has refused a fetch of the follower, and the refusal is on its way (KAFKA-18991)."""
    if not s.config.refusals:
        return False
    refusal = s.fetch_refusal[partition][follower]
    return refusal.sent and refusal.leader == leader


def answer_fetch(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """A leader answers a fetch that has arrived, perhaps late: the next batch, and its high watermark.

    The follower may have turned to another leader since; the leader still records what the request says.

    Design: V3 G, on_ReplicaFetchRequest (G1, G5).   Kafka: ReplicaManager.fetchMessages.
    Modifies: replica[partition][leader], produce_request[partition][leader], history[partition], fetch_request[partition],
        fetch_response[partition], late_response[partition][follower], zookeeper.leader_and_isr[partition],
        isr_write[partition][leader].
    Reads: broker[follower].up, replica[partition][follower] (only to give no answer to who waits for none, or where neither
        side learns anything);
        zookeeper.assigned[partition], zookeeper.reassigned[partition] (the store: who is a replica);
        zookeeper.leader_and_isr[partition] (the store, which checks the version); broker, controller, decision,
        zookeeper.controller_epoch (with KIP-497: whom a controller in office knows as live or leaving);
        metadata (under KRaft: the log, as far as the leader has applied it).
    """
    if s.config.fetch is not Fetch.IN_FLIGHT:
        return False
    if s.config.fetch_count is FetchCount.LATER:
        return False  # two steps: `check_fetch`, `count_fetch`
    if not may_answer(s, partition, leader, follower):
        return False

    count_and_answer(s, partition, leader, follower)
    return True


def may_answer(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """A request has arrived, and the leader neither refuses it nor waits for the store."""
    request = s.fetch_request[partition][leader][follower]
    if not request.sent:
        return False
    if not leads(s, partition, leader):
        return False
    if waits_for_store(s, partition, leader):
        return False
    if not is_known(s, partition, leader, follower) or refuses_earlier_process(s, partition, leader, follower):
        return False
    return fits(s, partition, leader, request)


def fits(s: Kafka, partition: Partition, leader: Broker, request: FetchRequest) -> bool:
    """The leader refuses the request neither because of its epochs nor because of its offset."""
    their = s.replica[partition][leader]
    if not is_accepted(s, their, request.fetch_offset, request.leader_epoch, request.last_epoch):
        return False
    return request.fetch_offset >= their.log_start  # else out of range: the follower starts anew


def count_and_answer(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> None:
    """Count the fetch, and answer it if its follower still waits and the leader would not refuse it now."""
    request = s.fetch_request[partition][leader][follower]
    offset = request.fetch_offset
    me = s.replica[partition][follower]
    is_news = not learns_nothing(me, s.replica[partition][leader], follower)
    note_fetch(s, partition, leader, follower, offset)
    waits = is_fetching_from(s, partition, follower, leader) and me.leader_epoch == request.leader_epoch
    if waits and is_news and fits(s, partition, leader, request):
        s.fetch_response[partition][follower].sent = 1
        if s.config.renewals:
            s.fetch_response[partition][follower].leader = leader
        write_response(s, partition, leader, s.fetch_response[partition][follower], offset)
    elif s.config.lates and not waits and fits(s, partition, leader, request):
        answer_late(s, partition, leader, follower)
    drop_request(s, partition, leader, follower)


def answer_late(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> None:
    """The follower has turned away, and its fetcher still waits: the answer is on its way if there are records (KAFKA-18991)."""
    request = s.fetch_request[partition][leader][follower]
    late = s.late_response[partition][follower]
    has_records = request.fetch_offset < s.replica[partition][leader].leo
    if has_records and not late.sent and not request.orphaned:
        late.sent = 1
        late.leader = leader
        write_response(s, partition, leader, late, request.fetch_offset)  # Without it, it has no records.


def check_fetch(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """A leader compares the epochs of a fetch that has arrived, and reads its log; it has yet to take the offset.

    Kafka holds a lock while it compares and reads, and releases it before it takes the offset.

    Design: KIP-320 (T7).   Kafka: Partition.readRecords, called by ReplicaManager.readFromLocalLog.
    Modifies: fetch_request[partition].
    Reads: metadata (under KRaft: the log, as far as the leader has applied it).
    """
    if s.config.fetch_count is not FetchCount.LATER:
        return False
    if not may_answer(s, partition, leader, follower):
        return False
    request = s.fetch_request[partition][leader][follower]
    if request.checked:
        return False  # Without it, a fetch that was compared is compared again.

    request.checked = 1
    return True


def count_fetch(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """A leader takes the offset of a fetch for the end of the follower's log, whatever its epoch is by now.

    It may have followed another leader since it compared the epoch, cut its log, and lead again. Then the offset is that of a
    log which the follower had in the earlier epoch.

    Design: V3 G, on_ReplicaFetchRequest (G1).   Kafka: Partition.updateReplicaLogReadResult.
    Modifies: replica[partition][leader], produce_request[partition][leader], history[partition], fetch_request[partition],
        fetch_response[partition], late_response[partition][follower], zookeeper.leader_and_isr[partition],
        isr_write[partition][leader].
    Reads: broker[follower].up, replica[partition][follower] (only to give no answer to who waits for none, or where neither
        side learns anything);
        zookeeper.assigned[partition], zookeeper.reassigned[partition] (the store: who is a replica);
        zookeeper.leader_and_isr[partition] (the store, which checks the version); broker, controller, decision,
        zookeeper.controller_epoch (with KIP-497: whom a controller in office knows as live or leaving);
        metadata (under KRaft: the log, as far as the leader has applied it).
    """
    if s.config.fetch_count is not FetchCount.LATER:
        return False
    if not s.fetch_request[partition][leader][follower].checked:
        return False
    if not leads(s, partition, leader):
        return False  # it forgets the ends of its followers when it leads again
    if waits_for_store(s, partition, leader):
        return False

    count_and_answer(s, partition, leader, follower)
    return True


def write_response(s: Kafka, partition: Partition, leader: Broker, response: FetchResponse, offset: Offset) -> None:
    """Copy the batch that holds `offset`, from its start, and the high watermark."""
    their = s.replica[partition][leader]
    start = offset
    for back in range(s.config.log_size):
        before = s.config.log_size - 1 - back
        if before == start and before < their.leo and not starts_batch(their, before):
            start = before - 1
    response.fetch_offset = offset
    response.base_offset = start
    response.hw = their.hw
    response.no_hw = their.no_hw
    response.log_start = their.log_start
    for slot in range(s.config.flights):
        held = start + slot < their.leo
        response.log[slot].record = 0
        response.log[slot].epoch = 0
        if held and their.log[start + slot].record == their.log[start].record:
            response.log[slot].record = their.log[start + slot].record
            response.log[slot].epoch = their.log[start + slot].epoch


def renew_answer(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """Before an answer is sent, the leader puts its present log start and high watermark beside the records that it has read.

    Retention may have deleted the records in between. The follower appends them, and cannot begin where its leader's log
    begins: that is beyond its own high watermark, and its fetcher ends.

    Design: none; Kafka (N11).   Kafka: LogReadResult.updateLeaderReplicaInfo (1.0.0 to 1.1.0; KAFKA-7104).
    Modifies: fetch_response[partition].
    """
    if s.config.renewals == 0:
        return False
    response = s.fetch_response[partition][follower]
    if not response.sent:
        return False  # Without it, a missing response changes nothing.
    if response.leader != leader:
        return False  # it is another's
    if not leads(s, partition, leader):
        return False
    their = s.replica[partition][leader]
    if response.log_start == their.log_start:
        return False  # Without it, the high watermark is renewed alone, which the next answer brings.

    response.hw = their.hw
    response.no_hw = their.no_hw
    response.log_start = their.log_start
    return True


def receive_fetch(s: Kafka, partition: Partition, follower: Broker) -> bool:
    """A follower takes the response: it appends the records, and the high watermark is its own (G2).

    A response to a fetch from another offset is dropped: the log was cut since. Records that do not start
    where the log ends cannot be appended: the fetcher fails (G8).

    Design: V3 G, ReplicaFetcherThread (G2, G8).   Kafka: ReplicaFetcherThread.processPartitionData.
    Modifies: replica, fetch_response[partition].
    """
    if s.config.fetch is not Fetch.IN_FLIGHT:
        return False
    if not s.fetch_response[partition][follower].sent:
        return False  # Without it, a missing response changes nothing.

    me = s.replica[partition][follower]
    take_records(s, me, s.fetch_response[partition][follower])
    if me.failed:
        end_fetcher(s, partition, follower)
    drop_response(s, partition, follower)
    return True


def receive_late_response(s: Kafka, partition: Partition, follower: Broker) -> bool:
    """A fetcher takes a response of an earlier epoch, if it fetches from this leader and the log ends where the fetch began.

    In which epoch it was sent it does not ask. The leader may have other records there by now. Up to 2.7 a fetcher that has the
    partition again asks for epochs first, and takes no response before.

    Design: KIP-595 (T7).   Kafka: AbstractFetcherThread.processFetchRequest (KAFKA-18991).
    Modifies: replica[partition][follower], late_response[partition].
    """
    if not s.config.lates:
        return False
    late = s.late_response[partition][follower]
    if not late.sent:
        return False  # Without it, a missing response changes nothing.

    if s.replica[partition][follower].leader == late.leader:
        take_records(s, s.replica[partition][follower], late)  # Without it, they are dropped, as since 3.9.1.
    drop_late_response(s, partition, follower)  # Without it, it arrives again.
    return True


def take_records(s: Kafka, me: Replica, response: FetchResponse) -> None:
    """Append what continues the log, and take over what the response says of the leader (G2, G8)."""
    if me.phase is Phase.FETCHING and not me.failed and response.fetch_offset == me.leo:
        if response.log[0].record != 0 and response.base_offset != me.leo and not takes_part_of_batch(s, me):
            me.failed = 1
        else:
            for slot in range(s.config.flights):
                entry = response.log[slot]
                if entry.record != 0 and response.base_offset + slot == me.leo:
                    append(s, me, entry.record, entry.epoch)
            me.hw = min(response.hw, me.leo)
            me.no_hw = response.no_hw
            if response.log_start > me.hw:
                me.failed = 1  # it lies beyond what the follower has (KAFKA-7104). Without it, the log is empty from there on.
            else:
                follow_log_start(s, me, response.log_start)  # Without it, the follower keeps what the leader has deleted.
            checkpoint_at_epoch_boundary(s, me)
