"""How long truncation takes, and what it must leave."""

from ..model.fetching import leads
from ..model.log import same_record
from ..model.state import Kafka
from ..model.vocabulary import Broker, Offset, Partition, Phase


def truncation_rounds(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """One round of OffsetsForLeaderEpoch is enough for a follower to find where its log diverges from its leader's.

    KIP-279 claims this for clean elections (Q7): more rounds need three fast leader changes, and two preferred
    elections never follow each other. The claim is false, because a preferred election and an expired session are two
    leader changes with clean elections. A follower that has fetched from the second new leader, before it received a
    command from either, obeys the late command of the first. It then asks a leader of the previous term, and gets an
    epoch that it never had. Each round costs a request before the follower can fetch. KIP-101 has one round by
    construction; with fencing (KIP-320) no follower can fetch from a leader of another epoch.
    """
    return s.replica[partition][broker].rounds <= 1


def shared_records_stay(s: Kafka, t: Kafka, partition: Partition, follower: Broker, leader: Broker, offset: Offset) -> bool:
    """A follower that has truncated, and fetches, cuts no record below its high watermark that its leader has too.

    It would fetch the record again; until then there is a copy less of what was committed. A follower that has to begin where its
    leader's log begins throws away what the leader has deleted.

    Golden trace: thrown_away.high-watermark.
    """
    me = s.replica[partition][follower]
    their = s.replica[partition][leader]
    after = t.replica[partition][follower]
    if follower == leader or me.leader != leader or after.leader != leader or not leads(s, partition, leader):
        return True
    if me.leader_epoch != their.leader_epoch or after.leader_epoch != me.leader_epoch:
        return True
    if me.phase is not Phase.FETCHING and me.phase is not Phase.OUT_OF_RANGE:
        return True
    if offset >= me.hw or offset < their.log_start or not same_record(me, their, offset):
        return True
    return offset < after.leo


def older_records_stay(s: Kafka, t: Kafka, partition: Partition, follower: Broker, leader: Broker, offset: Offset) -> bool:
    """Where records carry no epochs, no follower cuts a record below its high watermark that its leader has too.

    It is in the ISR while it fetches all that again, and may be elected without it. A cache that has only the epochs in which its
    own broker led says nothing of what others wrote (KAFKA-7897).

    Golden trace: led_epochs.kip-320-2.1.1.
    """
    me = s.replica[partition][follower]
    after = t.replica[partition][follower]
    if follower == leader or after.leader != leader or not leads(t, partition, leader):
        return True
    if after.leader_epoch != t.replica[partition][leader].leader_epoch:
        return True
    if offset >= me.hw or not same_record(me, s.replica[partition][leader], offset):
        return True
    return offset < after.leo


def no_broker_exits(s: Kafka, broker: Broker) -> bool:
    """No follower ends its broker because its log ends beyond its leader's.

    All other partitions of the broker go with it, and it exits again when it is started again. An operator must throw the log
    away, which may be the last with some committed record.

    Golden trace: exit_beyond_end.kip-279.
    """
    return s.broker[broker].exited == 0
