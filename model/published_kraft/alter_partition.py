"""The leader changes the ISR by an AlterPartition request.

Each request is kept once, in an order, with the responses to it. A request that was received stays, because a leader does not
repeat a request that would fail again.
"""

from ..members import NO_BROKER, contains, including, subset
from ..vocabulary import Broker, Brokers
from .controller import after, change_partition, elr_after, is_complete, is_reassigned, may_stay_or_lead
from .messages import is_used, receive
from .replica import advance_after_change, awaits_answer, forget_pending
from .state import NOTHING, Alteration, Outcome, PublishedKraft, Role, Status

# The leader asks.


def has_caught_up(s: PublishedKraft, broker: Broker, follower: Broker) -> bool:
    """A follower outside the ISR may join: by its last fetch it has reached the high watermark and the start of the term."""
    leo = s.broker[broker].peer[follower].leo
    return leo != NOTHING and leo >= s.broker[broker].hw and leo >= s.broker[broker].start


def proposed_isr(s: PublishedKraft, broker: Broker, slow: Brokers) -> int:
    """The ISR that the leader wants, if these members are too slow (ProposeNewISR)."""
    known = s.broker[broker].known
    isr = 0
    for other in range(s.config.members):
        if contains(known.replicas, other):
            if other == broker:
                isr = including(isr, other)
            elif contains(known.isr, other):
                if not contains(slow, other):
                    isr = including(isr, other)
            elif has_caught_up(s, broker, other):
                isr = including(isr, other)
    return isr


def named_epoch(s: PublishedKraft, broker: Broker, isr: Brokers, other: Broker) -> int:
    """The broker epoch that a request for this ISR names for `other`: its leader's own, that of a member that joins, else 0."""
    me = s.broker[broker]
    if not contains(isr, other):
        return 0
    if other == broker:
        return me.broker_epoch
    if contains(me.known.isr, other):
        return 0
    return me.peer[other].broker_epoch


def compare(s: PublishedKraft, it: Alteration, broker: Broker, isr: Brokers) -> int:
    """Below zero if the request of `broker` for this ISR goes before `it`, above if it goes after, 0 if it is the same."""
    me = s.broker[broker]
    if broker != it.leader:
        return broker - it.leader
    if me.known.partition_epoch != it.partition_epoch:
        return me.known.partition_epoch - it.partition_epoch
    if me.known.leader_epoch != it.leader_epoch:
        return me.known.leader_epoch - it.leader_epoch
    if me.broker_epoch != it.broker_epoch:
        return me.broker_epoch - it.broker_epoch
    if isr != it.isr:
        return isr - it.isr
    for other in range(s.config.members):
        if named_epoch(s, broker, isr, other) != it.epoch_of[other]:
            return named_epoch(s, broker, isr, other) - it.epoch_of[other]
    return 0


def place_of(s: PublishedKraft, broker: Broker, isr: Brokers) -> int:
    """The place where the request of `broker` for this ISR is or goes."""
    place = s.config.alterations - 1
    for step in range(s.config.alterations):
        at = s.config.alterations - 1 - step
        if not is_used(s.alteration[at]) or compare(s, s.alteration[at], broker, isr) <= 0:
            place = at
    return place


def was_sent(s: PublishedKraft, broker: Broker, isr: Brokers) -> bool:
    """The leader has sent the same request before."""
    it = s.alteration[place_of(s, broker, isr)]
    return is_used(it) and compare(s, it, broker, isr) == 0


def alterations_have_room(s: PublishedKraft) -> bool:
    """One more request can be sent."""
    return not is_used(s.alteration[s.config.alterations - 1])


def would_be_refused(s: PublishedKraft, it: Alteration) -> Outcome:
    """The controller would refuse this request: the answer that it would give (ValidateAlterPartitionRequest)."""
    now = s.controller.now
    if it.leader != now.leader or it.broker_epoch != s.controller.registration[it.leader].broker_epoch:
        return Outcome.FENCED_LEADER_EPOCH
    if it.partition_epoch != now.partition_epoch:
        return Outcome.FENCED_LEADER_EPOCH
    for other in range(s.config.members):
        them = s.controller.registration[other]
        if contains(it.isr, other):
            if them.fenced:
                return Outcome.INELIGIBLE_REPLICA
            if it.epoch_of[other] != 0 and it.epoch_of[other] != them.broker_epoch:
                return Outcome.INELIGIBLE_REPLICA
    return Outcome.ACCEPTED


def send_alter_partition_request(s: PublishedKraft, broker: Broker, slow: Brokers) -> bool:
    """The leader asks for another ISR: without the members that are `slow`, and with the replicas that have caught up.

    The leader commits by the union of both ISRs until it has an answer. Whether it repeats a request that would be refused again
    is decided by looking at the controller, which keeps the original's behaviours finite.

    Design: KR4; published KRaft specifications, SendAlterPartitionRequest.   Kafka: Partition.maybeShrinkIsr, maybeExpandIsr.
    Modifies: broker[broker].known, alteration, shrinks.
    """
    me = s.broker[broker]
    if me.status is not Status.RUNNING or me.role is not Role.LEADER:
        return False
    if awaits_answer(s, broker):
        return False
    if not subset(slow, me.known.isr) or contains(slow, broker):
        return False
    if slow != 0 and s.shrinks >= s.config.shrinks:
        return False  # budget
    isr = proposed_isr(s, broker, slow)
    if isr == me.known.isr:
        return False
    if was_sent(s, broker, isr):
        if would_be_refused(s, s.alteration[place_of(s, broker, isr)]) is not Outcome.ACCEPTED:
            return False  # it is not repeated for ever
    elif not alterations_have_room(s):
        return False  # bound of the exploration

    if not was_sent(s, broker, isr):
        write_request(s, broker, isr, place_of(s, broker, isr))
    it = s.alteration[place_of(s, broker, isr)]
    forget_pending(s, broker)
    it.pending = 1
    it.waits = 1
    if not subset(me.known.isr, isr):
        s.shrinks += 1
    me.known.maximal_isr = isr | me.known.isr
    return True


def write_request(s: PublishedKraft, broker: Broker, isr: Brokers, place: int) -> None:
    """The request of `broker` for this ISR stands at its place; those after it make room."""
    for step in range(s.config.alterations - 1):
        at = s.config.alterations - 1 - step
        if at > place:
            copy_request(s, s.alteration[at], s.alteration[at - 1])
    it = s.alteration[place]
    me = s.broker[broker]
    it.leader = broker
    it.isr = isr
    for other in range(s.config.members):
        it.epoch_of[other] = named_epoch(s, broker, isr, other)
    it.leader_epoch = me.known.leader_epoch
    it.partition_epoch = me.known.partition_epoch
    it.broker_epoch = me.broker_epoch
    it.pending = 0
    it.waits = 0
    it.gone = 0
    for answer in range(s.config.answers):
        it.answer[answer].waits = 0
        it.answer[answer].gone = 0
    it.replicas_then = 0
    it.isr_then = 0
    it.leader_then = NO_BROKER
    it.leader_epoch_then = 0


def copy_request(s: PublishedKraft, it: Alteration, other: Alteration) -> None:
    """`it` becomes what `other` is."""
    it.leader = other.leader
    it.isr = other.isr
    for broker in range(s.config.members):
        it.epoch_of[broker] = other.epoch_of[broker]
    it.leader_epoch = other.leader_epoch
    it.partition_epoch = other.partition_epoch
    it.broker_epoch = other.broker_epoch
    it.pending = other.pending
    it.waits = other.waits
    it.gone = other.gone
    for answer in range(s.config.answers):
        it.answer[answer].waits = other.answer[answer].waits
        it.answer[answer].gone = other.answer[answer].gone
    it.replicas_then = other.replicas_then
    it.isr_then = other.isr_then
    it.leader_then = other.leader_then
    it.leader_epoch_then = other.leader_epoch_then


# The controller answers.


def receive_alter_partition_request(s: PublishedKraft, request: int, next_leader: Broker) -> bool:
    """The controller makes the ISR what the request wants, or refuses it. `next_leader` leads afterwards.

    That may end a reassignment.

    Design: KR4, KR7; published KRaft specifications, ReceiveAlterPartitionRequest.   Kafka:
    ReplicationControlManager.alterPartition.
    Modifies: controller, change, changes, alteration.
    """
    it = s.alteration[request]
    now = s.controller.now
    if not it.waits:
        return False
    error = would_be_refused(s, it)
    isr = it.isr & ~now.removing
    replicas = now.replicas & ~now.removing
    complete = is_reassigned(s) and is_complete(s, now.adding, isr)
    if error is not Outcome.ACCEPTED:
        if next_leader != s.config.brokers:
            return False  # nobody is elected
    elif not may_stay_or_lead(s, isr if complete else it.isr, after(s, next_leader)):
        return False

    receive(it)
    it.answer[error].waits = 1
    if error is Outcome.ACCEPTED:
        if complete:
            change_partition(s, replicas, next_leader, isr, elr_after(s, isr, replicas), now.leader_epoch + 1, 0, 0)
        else:
            elr = elr_after(s, it.isr, now.replicas)
            change_partition(s, now.replicas, next_leader, it.isr, elr, now.leader_epoch, now.adding, now.removing)
        it.replicas_then = now.replicas
        it.isr_then = now.isr
        it.leader_then = next_leader
        it.leader_epoch_then = now.leader_epoch
    return True


# The leader has the answer.


def receive_alter_partition_response(s: PublishedKraft, request: int, answer: int) -> bool:
    """The leader knows the ISR that it asked for; if it was refused, the one before.

    An answer that ends a reassignment is left to the metadata log.

    Design: KR4; published KRaft specifications, ReceiveAlterPartitionResponse.   Kafka: Partition.handleAlterPartitionUpdate.
    Modifies: broker, alteration, acknowledged, refused, true_hw, consumed.
    """
    it = s.alteration[request]
    if not it.answer[answer].waits or not it.pending:
        return False
    broker = it.leader
    me = s.broker[broker]
    if me.status is not Status.RUNNING or me.role is not Role.LEADER:
        return False
    if not awaits_answer(s, broker):
        return False
    if answer == Outcome.ACCEPTED:
        if it.partition_epoch + 1 <= me.known.partition_epoch:
            return False  # the metadata log was faster
        if it.leader_epoch_then != me.known.leader_epoch:
            return False  # the metadata log will tell

    if answer == Outcome.ACCEPTED:
        me.known.replicas = it.replicas_then
        me.known.isr = it.isr_then
        me.known.leader = it.leader_then
        me.known.partition_epoch = it.partition_epoch + 1
    me.known.maximal_isr = me.known.isr
    advance_after_change(s, broker, me.known.isr, me.known.isr)
    it.pending = 0
    receive(it.answer[answer])
    return True
