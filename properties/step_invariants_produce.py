"""Invariants of produce requests that wait for an offset (G6, N8); `step_invariants` says what they are for."""

from typing import Any

from ..model.broker.high_watermark import isr_that_commits
from ..model.fetching import leads
from ..model.members import how_many
from ..model.min_isr import known_min_isr
from ..model.release_choices import WaitingProduce
from ..model.state import Kafka
from ..model.vocabulary import Broker, Offset, Partition, Producing
from .property import always, step


def committed_requests_are_answered(s: Kafka, partition: Partition, leader: Broker) -> bool:
    """A leader lets no request wait for an offset that its high watermark has reached: where none waits while it follows."""
    if not leads(s, partition, leader) or s.config.waiting_produce is WaitingProduce.KEPT:
        return True
    request = s.produce_request[partition][leader]
    return request.phase is not Producing.WAITING or s.replica[partition][leader].hw < request.end


def whose_request_ends_is_told(s: Kafka, t: Kafka, partition: Partition, leader: Broker, offset: Offset) -> bool:
    """When a request ends at a leader, its producer is told of its record, unless the ISR is below min ISR."""
    request = s.produce_request[partition][leader]
    if t.produce_request[partition][leader].phase is not Producing.QUIET or offset + 1 != request.end:
        return True
    if request.phase is not Producing.WAITING and request.phase is not Producing.APPENDED:
        return True
    if not leads(s, partition, leader) or not leads(t, partition, leader):
        return True
    if how_many(t, isr_that_commits(t, partition, leader)) < known_min_isr(t, leader):
        return True
    return t.history[partition].answered[offset] == request.record


WAITING: dict[str, Any] = {
    "since": None, "needs": lambda c: c.produce_partitions > 0, "where": "produce_wait = offset or offset-later",
}  # fmt: skip
PRODUCE_STEP_INVARIANTS = (
    always(committed_requests_are_answered, **WAITING),
    step(whose_request_ends_is_told, **WAITING),
)
