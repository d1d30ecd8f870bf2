"""The high watermark."""

from ..model.choices import Fetch
from ..model.fetching import leads
from ..model.members import NO_BROKER
from ..model.state import Kafka
from ..model.vocabulary import Broker, Offset, Partition


def hw_within_log(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """No high watermark lies beyond the end of its log.

    Up to 2.3 Kafka's follower cuts its log and leaves the high watermark (`cut_high_watermark`).
    """
    return s.replica[partition][broker].hw <= s.replica[partition][broker].leo


def leader_hw_in_log(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """A leader's high watermark is an offset of its log.

    Else it does not find the record there, and answers fetches that wait for more with an error (KAFKA-9491, in 2.4.0). Up to
    1.0.1 it is -1 instead: who takes that over, and follows another leader, cannot cut its log (KAFKA-3978).

    Golden traces: cannot_cut.kip-101, anew_below_start.kip-320-2.2.
    """
    me = s.replica[partition][broker]
    if not leads(s, partition, broker):
        return True
    return not me.no_hw and me.log_start <= me.hw and me.hw <= me.leo


def leader_hw_never_falls(s: Kafka, t: Kafka, partition: Partition, broker: Broker) -> bool:
    """A leader's high watermark does not decrease while it leads, also from one epoch to the next.

    Otherwise consumers see records and then see them disappear. A follower's high watermark may decrease.
    """
    before = s.replica[partition][broker]
    after = t.replica[partition][broker]
    if not leads(s, partition, broker) or not leads(t, partition, broker):
        return True
    return after.hw >= before.hw


def known_ends_stay(s: Kafka, t: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """Within its term a leader takes a follower's log for shorter only if the follower says so, in a fetch.

    Else records that the whole ISR has are not committed, and who has everything may be dropped from the ISR.

    Golden trace: forgotten_end.kip-320-2.2.
    """
    before = s.replica[partition][leader]
    after = t.replica[partition][leader]
    if not leads(s, partition, leader) or not leads(t, partition, leader) or before.leader_epoch != after.leader_epoch:
        return True
    if after.fetched_to[follower] >= before.fetched_to[follower]:
        return True
    if s.config.fetch is Fetch.IN_FLIGHT:
        return after.fetched_to[follower] == s.fetch_request[partition][leader][follower].fetch_offset
    return after.fetched_to[follower] == s.replica[partition][follower].leo


def followers_show_committed(s: Kafka, partition: Partition, broker: Broker, offset: Offset) -> bool:
    """What a follower shows to those who consume from it, below its high watermark, was committed.

    Consumers may read from a follower in their own rack since 2.4 (KIP-392); what they read may be gone with the next leader
    otherwise. After an unclean election or a power loss a broker that has yet to follow the new leader is not checked.

    Golden trace: shown_before_cut.kip-320-2.8.
    """
    me = s.replica[partition][broker]
    past = s.history[partition]
    if me.leader == NO_BROKER or me.leader == broker or past.unclean_epoch >= 0 or s.spent.power_losses > 0:
        return True
    if offset < me.log_start or offset >= min(me.hw, me.leo):
        return True
    return past.record[offset] == me.log[offset].record
