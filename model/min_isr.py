"""min.insync.replicas, which an operator may change under KRaft."""

from .state import Kafka
from .vocabulary import Broker


def known_min_isr(s: Kafka, broker: Broker) -> int:
    """min.insync.replicas, as the broker knows it by the log of metadata that it has applied (KR5)."""
    if s.config.min_isr_changes == 0:
        return s.config.min_isr
    log = s.metadata[0]
    return log.change[log.applied[broker]].min_isr[0]
