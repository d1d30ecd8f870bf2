"""Producers (G6)."""

from ..choices import Acks
from ..fetching import leads
from ..history import remember_acknowledged
from ..log import append
from ..members import how_many
from ..min_isr import known_min_isr
from ..state import Kafka
from ..vocabulary import Batch, Broker, Partition
from .high_watermark import advance_high_watermark, waits_for_store
from .produce_request import take_produce


def produce(s: Kafka, partition: Partition, leader: Broker, batch: Batch) -> bool:
    """A broker that serves as leader, even a zombie, appends a producer's batch of `batch` + 1 records.

    With acks=all it is refused while the ISR is smaller than min.isr, and acknowledged when it is
    committed; with acks=leader it is acknowledged at once, and may be lost.

    Design: V3 G, ZH commit queue (G6, G8).   Kafka: Partition.appendRecordsToLeader.
    Modifies: replica[partition][leader], produce_request[partition][leader], history[partition], spent.
    Reads: client[partition] (the request comes from a client that takes this broker for the leader);
        zookeeper.assigned[partition], zookeeper.reassigned[partition] (which replicas its command named).
    """
    if not leads(s, partition, leader):
        return False  # NotLeader
    if s.config.clients > 0 and s.client[partition].leader != leader:
        return False  # clients are sent elsewhere (G9). Without it, they also write to leaders that they do not know of.
    if waits_for_store(s, partition, leader):
        return False
    me = s.replica[partition][leader]
    if s.spent.records >= s.config.max_records:
        return False  # bound of the exploration
    if me.leo + batch >= s.config.log_size:
        return False  # bound of the exploration
    if s.config.acks is Acks.ALL and how_many(s, me.isr) < known_min_isr(s, leader):
        return False  # NotEnoughReplicas

    s.spent.records += 1
    old_leo = me.leo
    for record in range(s.config.max_batch):
        if record <= batch:
            append(s, me, s.spent.records, me.leader_epoch)
    if s.config.acks is Acks.LEADER:
        remember_acknowledged(s, partition, leader, old_leo)
    if s.config.acks is Acks.ALL and s.config.produce_partitions > 0:
        take_produce(s, partition, leader, me.leo)
    advance_high_watermark(s, partition, leader)  # else it advances at the next fetch or write
    return True
