"""What a broker remembers of a produce request with acks=all: the offset that the high watermark must reach (G6, N8)."""

from ..history import remember_answered
from ..members import how_many
from ..min_isr import known_min_isr
from ..release_choices import ProduceWait, WaitingProduce
from ..state import Kafka
from ..vocabulary import Broker, Brokers, Offset, Partition, Producing


def await_commit(s: Kafka, partition: Partition, leader: Broker) -> bool:
    """The thread that has appended a producer's records looks whether they are committed, and else lets the request wait.

    Time has passed since it appended, and the broker may have followed another leader. The request names no epoch: if the broker
    leads again it is answered by its offset, whatever record is there now.

    Design: none (G6, N8).   Kafka: ReplicaManager.appendRecords, DelayedProduce.tryComplete.
    Modifies: produce_request[partition][leader], history[partition].
    """
    if s.config.produce_wait is not ProduceWait.OFFSET_LATER:
        return False
    request = s.produce_request[partition][leader]
    if request.phase is not Producing.APPENDED and request.phase is not Producing.LAPSED:
        return False

    me = s.replica[partition][leader]
    if request.phase is Producing.LAPSED or me.leader != leader:
        drop_produce(s, partition, leader)  # NotLeader. Without it, the request stays for ever
    else:
        request.phase = Producing.WAITING
        answer_produce(s, partition, leader, me.isr)
    return True


def take_produce(s: Kafka, partition: Partition, leader: Broker, end: Offset) -> None:
    """The request that has just been appended is answered once `end` is committed. One of a broker is followed at a time."""
    request = s.produce_request[partition][leader]
    if request.phase is Producing.QUIET:
        request.phase = Producing.WAITING
        if s.config.produce_wait is ProduceWait.OFFSET_LATER:
            request.phase = Producing.APPENDED
        request.end = end
        request.record = s.spent.records


def answer_produce(s: Kafka, partition: Partition, leader: Broker, isr: Brokers) -> None:
    """A waiting request whose offset the high watermark has reached is answered: with success, or an error below min.isr.

    Kafka: Partition.checkEnoughReplicasReachOffset.
    """
    request = s.produce_request[partition][leader]
    if request.phase is Producing.WAITING and s.replica[partition][leader].hw >= request.end:
        if how_many(s, isr) >= known_min_isr(s, leader):
            remember_answered(s, partition, request.end, request.record)
        drop_produce(s, partition, leader)


def refuse_produce(s: Kafka, partition: Partition, broker: Broker) -> None:
    """The broker follows: since 0.10 what waits is answered with an error (KAFKA-2960), and what does not wait yet is not.

    Kafka: ReplicaManager.makeFollowers, completeDelayedOperationsWhenNotPartitionLeader.
    """
    request = s.produce_request[partition][broker]
    if request.phase is Producing.WAITING and s.config.waiting_produce is not WaitingProduce.KEPT:
        drop_produce(s, partition, broker)
    elif request.phase is Producing.APPENDED and s.config.waiting_produce is WaitingProduce.LAPSES:
        request.phase = Producing.LAPSED


def drop_produce(s: Kafka, partition: Partition, broker: Broker) -> None:
    """There is no such request any more."""
    request = s.produce_request[partition][broker]
    request.phase = Producing.QUIET
    request.end = 0
    request.record = 0
