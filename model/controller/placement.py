"""J1: which brokers hold the replicas of a partition."""

from ..choices import NewIsr
from ..members import contains, including
from ..state import Kafka
from ..vocabulary import Broker, Brokers


def placement(s: Kafka, first: Broker) -> Brokers:
    """The live brokers from `first` on, around the ring, until there are enough replicas (J1)."""
    wanted = s.config.replicas
    if wanted == 0:
        wanted = s.config.members
    placed = 0
    replicas = 0
    for step in range(s.config.members):
        broker = (first + step) % s.config.members
        if placed < wanted and contains(s.zookeeper.broker_ids, broker):
            replicas = including(replicas, broker)
            placed += 1
    return replicas


def first_isr(s: Kafka, replicas: Brokers, live: Brokers) -> int:
    """The ISR of a new partition: its live replicas, or all of them (V3 B; ZH)."""
    if s.config.new_isr is NewIsr.ALL_REPLICAS:
        return replicas
    return replicas & live
