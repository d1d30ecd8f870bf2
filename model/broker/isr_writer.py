"""Who writes a leader's ISR: the leader itself, or since KIP-497 the controller, which may refuse it (G4)."""

from ..choices import IsrWriter, Store
from ..controller.decide import leaving_brokers, may_write
from ..controller.memory import bounced_brokers
from ..kraft_choices import Eligible
from ..members import contains, subset
from ..state import Kafka
from ..vocabulary import Broker, Brokers, ControllerEpoch
from ..zookeeper.watches import has_session


def has_writer(s: Kafka, leader: Broker) -> bool:
    """Somebody can write the leader's ISR (G4): the leader in its session; with KIP-497 a controller that knows it as live.

    The controller writes in its own session and under its own epoch. So a leader whose session has ended can still change its
    ISR, until the controller has seen that: as if the session ended later. While no controller works, no ISR changes.

    Kafka: KafkaController.processAlterIsr.
    """
    if s.config.isr_writer is not IsrWriter.CONTROLLER:
        return has_session(s, leader)
    for controller in range(s.config.controllers):
        if writes_for(s, controller, leader):
            return True
    return False


def writes_for(s: Kafka, controller: ControllerEpoch, leader: Broker) -> bool:
    """The controller writes for this leader: it is in office, and knows this registration of the leader as live (G4, KIP-497)."""
    if contains(bounced_brokers(s, controller), leader):
        return False
    return may_write(s, controller) and contains(s.controller[controller].live, leader)


def is_refused_at_once(s: Kafka, leader: Broker, isr: Brokers) -> bool:
    """The controller refuses this ISR, and the request and its answer are one step."""
    return (
        s.config.store is not Store.ANSWERED  # Without it, a request that would be refused is not sent either.
        and has_inactive_member(s, leader, isr)
    )


def has_inactive_member(s: Kafka, leader: Broker, isr: Brokers) -> bool:
    """The controller that writes knows a member of this ISR as dead, or as shutting down, and refuses it (KAFKA-14140, N1).

    It looks at all members, not only at those that join: a leader that shuts down itself changes its ISR no more. Kafka's leader
    asks for nobody whom it knows as dead, by what the controller has said: it asks later, or not at all.

    Kafka: KafkaController.tryProcessAlterPartition.
    """
    if s.config.quorums or s.config.eligible is Eligible.ANY:
        return False  # Without it, members whom a controller knows as dead are refused before 3.3, too.
    for controller in range(s.config.controllers):
        if writes_for(s, controller, leader) and subset(isr, s.controller[controller].live & ~leaving_brokers(s)):
            return False
    return True
