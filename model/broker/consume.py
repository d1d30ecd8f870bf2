"""A consumer reads the partition in order (G7)."""

from ..fetching import leads
from ..state import Kafka
from ..vocabulary import Broker, Partition


def consume(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """A consumer asks a leader for the record at its position.

    Below the high watermark it gets the record; from there to the end of the log an empty set, because
    another leader may have committed the record; beyond the end an out-of-range error. A zombie may
    give that error correctly: it does not know what others have committed since.

    Design: V3 C note, discussion 7 (G7).   Kafka: ReplicaManager.readFromLocalLog.
    Modifies: consumer[partition].
    Reads: consumer[partition] (the consumer's request).
    """
    if not s.config.consumers:
        return False  # switched off. Without it, a consumer reads of which the state keeps nothing.
    if not leads(s, partition, broker):
        return False
    me = s.replica[partition][broker]
    consumer = s.consumer[partition]
    if me.hw <= consumer.position and consumer.position <= me.leo:
        return False  # an empty set: nothing changes
    if consumer.position > me.leo and consumer.refused_in == me.leader_epoch:
        return False  # Without it, the same answer is noted again.

    if consumer.position > me.leo:
        consumer.refused_in = me.leader_epoch
    else:
        consumer.record = me.log[consumer.position].record
        consumer.position += 1
    return True
