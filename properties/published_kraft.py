"""The invariants of the published KRaft specifications, under their names; then what shows that the model is not vacuous.

Liveness is left out: the originals state it for behaviours in which the controller and the network are fair.
"""

from ..model.members import NO_BROKER, contains, everyone, how_many, subset
from ..model.published_kraft.fetching import cannot_be_evaluated, may_write
from ..model.published_kraft.messages import is_used
from ..model.published_kraft.replica import awaits_answer
from ..model.published_kraft.state import PublishedKraft, Recovery, Role, Status
from ..model.vocabulary import Broker, Offset
from .property import always, sometimes

V3_5, KIP_966 = "v3.5", "kip-966"


# Their invariants.


def has_value(s: PublishedKraft, broker: Broker, value: int) -> bool:
    """The broker's log has the record."""
    for offset in range(s.config.values):
        if s.broker[broker].log[offset].record == value + 1:
            return True
    return False


def is_acknowledged(s: PublishedKraft, value: int) -> bool:
    """The producer was told that the record is committed."""
    return contains(s.acknowledged, value)


def leader_completeness(s: PublishedKraft, value: int) -> bool:
    """The controller's leader, if it runs, has all that was ever committed and every record that was acknowledged."""
    leader = s.controller.now.leader
    if s.true_hw == 0 or leader == NO_BROKER or s.broker[leader].status is not Status.RUNNING:
        return True
    if s.broker[leader].leo < s.true_hw:
        return False
    return not is_acknowledged(s, value) or has_value(s, leader, value)


def leader_candidate_completeness(s: PublishedKraft, broker: Broker) -> bool:
    """Whoever may be elected, and runs, has all that was ever committed: the members of the ISR, and of the ELR (KIP-966)."""
    if s.true_hw == 0 or not contains(s.controller.now.isr | s.controller.now.elr, broker):
        return True
    if s.broker[broker].status is not Status.RUNNING:
        return True
    return s.broker[broker].leo >= s.true_hw


def leads_in_the_last_epoch(s: PublishedKraft, broker: Broker) -> bool:
    """The broker leads in the controller's leader epoch (IsNonStaleLeader)."""
    me = s.broker[broker]
    return me.role is Role.LEADER and me.known.leader_epoch == s.controller.now.leader_epoch


def replication_quorum_superset(s: PublishedKraft, broker: Broker) -> bool:
    """The leader waits for all that may be elected: its maximal ISR has the controller's ISR.

    KIP-966: and the ELR, while its own ISR is large enough to commit. If it awaits no response, its maximal ISR is its ISR.
    """
    if not leads_in_the_last_epoch(s, broker):
        return True
    known = s.broker[broker].known
    if not awaits_answer(s, broker) and known.maximal_isr != known.isr:
        return False
    if s.config.recovery is Recovery.ELIGIBLE_REPLICAS and how_many(s, known.isr) < s.config.min_isr:
        return True
    return subset(s.controller.now.isr | s.controller.now.elr, known.maximal_isr)


def log_matching(s: PublishedKraft, broker: Broker, other: Broker, offset: Offset) -> bool:
    """Below both high watermarks, as far as both logs reach, any two replicas have the same records."""
    me = s.broker[broker]
    them = s.broker[other]
    if offset >= min(me.leo, me.hw) or offset >= min(them.leo, them.hw):
        return True
    return me.log[offset].record == them.log[offset].record


def metadata_log_matching(s: PublishedKraft, broker: Broker, change: int) -> bool:
    """What a broker has read of the metadata log is the controller's, and what it knows of the partition is in it.

    The original compares copies of the log. Here a broker has a length, and is compared with the change of its partition epoch.
    """
    known = s.broker[broker].known
    if s.broker[broker].applied > s.changes:
        return False
    if change >= s.changes or s.change[change].partition_epoch != known.partition_epoch:
        return known.partition_epoch <= s.controller.now.partition_epoch
    it = s.change[change]
    return known.leader == it.leader and known.leader_epoch == it.leader_epoch and known.isr == it.isr


def consistent_read(s: PublishedKraft, broker: Broker, offset: Offset) -> bool:
    """What a consumer has read once, it reads again: the leader of the last epoch has it at the same offset."""
    if not leads_in_the_last_epoch(s, broker) or offset >= s.true_hw:
        return True
    me = s.broker[broker]
    if offset >= me.leo:
        return False
    return me.log[offset].record == s.consumed[offset].record and me.log[offset].epoch == s.consumed[offset].epoch


def no_committed_record_lost_globally(s: PublishedKraft, value: int) -> bool:
    """Some broker, running or not, has each record that was acknowledged, unless as many logs are lost as had it."""
    if not is_acknowledged(s, value):
        return True
    for broker in range(s.config.members):
        if has_value(s, broker, value):
            return True
    return False


def min_isr_recovery_quorum(s: PublishedKraft) -> bool:
    """KIP-966: if nobody may be elected, min ISR replicas are known to have been eligible last, of which one can be chosen."""
    now = s.controller.now
    return now.isr | now.elr != 0 or how_many(s, now.last_known_elr) == s.config.min_isr


# Their invariants of the specifications themselves.


def valid_replica_state(s: PublishedKraft, broker: Broker) -> bool:
    """Who leads knows it, and offsets beyond the end of a log are empty."""
    me = s.broker[broker]
    if me.role is Role.LEADER and me.known.leader != broker:
        return False
    for offset in range(s.config.values):
        if (offset < me.leo) != (me.log[offset].record != 0):
            return False
    return True


def valid_fetcher_state(s: PublishedKraft, broker: Broker) -> bool:
    """A leader fetches nothing, a follower from somebody, and nobody from two."""
    fetched = 0
    for other in range(s.config.members):
        fetched += s.broker[broker].fetcher[other].added
    if s.broker[broker].role is Role.LEADER:
        return fetched == 0
    return fetched == 1 if s.broker[broker].role is Role.FOLLOWER else fetched <= 1


def valid_controller_state(s: PublishedKraft, broker: Broker) -> bool:
    """No fenced broker is in the ISR; before KIP-966, in no ISR with another member, and the ISR is never empty."""
    isr = s.controller.now.isr
    if s.config.recovery is not Recovery.ELIGIBLE_REPLICAS and isr == 0:
        return False
    if not s.controller.registration[broker].fenced or not contains(isr, broker):
        return True
    return s.config.recovery is not Recovery.ELIGIBLE_REPLICAS and how_many(s, isr) == 1


def valid_controller_isr_and_elr(s: PublishedKraft) -> bool:
    """ISR and ELR are replicas, no broker is in both, and with min ISR nobody is in the ELR."""
    now = s.controller.now
    if not subset(now.isr | now.elr, now.replicas) or now.isr & now.elr != 0:
        return False
    return how_many(s, now.isr) < s.config.min_isr or now.elr == 0


# What this model adds to them.


def messages_have_room(s: PublishedKraft) -> bool:
    """No message was held back because too many were sent before (settings `fetches`, `alterations`)."""
    return not is_used(s.fetch[s.config.fetches - 2]) and not is_used(s.alteration[s.config.alterations - 1])


def writes_can_be_evaluated(s: PublishedKraft, broker: Broker) -> bool:
    """No leader can write a record whose write the original cannot evaluate: there TLC ends with an error of SubSeq."""
    return s.sent == everyone(s.config.values) or not may_write(s, broker) or not cannot_be_evaluated(s, broker)


# The model is not vacuous.


def acknowledges_record(s: PublishedKraft) -> bool:
    """A producer is told that its record is committed."""
    return s.acknowledged != 0


def refuses_record(s: PublishedKraft) -> bool:
    """A producer is told that its record may be lost."""
    return s.refused != 0


def leads_in_two_epochs(s: PublishedKraft, broker: Broker, other: Broker) -> bool:
    """Two brokers lead at once, as they believe, in different leader epochs."""
    return s.broker[broker].role is Role.LEADER and s.broker[other].role is Role.LEADER and broker != other


def expands_isr(s: PublishedKraft, broker: Broker) -> bool:
    """A broker that is outside the ISR asks, through its leader, to join it."""
    for at in range(s.config.alterations):
        if contains(s.alteration[at].isr, broker) and not contains(s.controller.now.isr, broker) and s.alteration[at].waits:
            return True
    return False


PUBLISHED_KRAFT_PROPERTIES = (
    always(leader_completeness, since=V3_5),
    always(leader_candidate_completeness, since=V3_5),
    always(replication_quorum_superset, since=V3_5),
    always(log_matching, since=V3_5),
    always(metadata_log_matching, since=V3_5),
    always(consistent_read, since=V3_5),
    always(no_committed_record_lost_globally, since=V3_5, needs=lambda c: c.unclean_shutdowns < c.min_isr,
           where="unclean_shutdowns < min_isr"),
    always(min_isr_recovery_quorum, since=KIP_966, needs="recovery = eligible-replicas"),
    always(valid_replica_state, since=V3_5),
    always(valid_fetcher_state, since=V3_5),
    always(valid_controller_state, since=V3_5),
    always(valid_controller_isr_and_elr, since=V3_5),
    always(messages_have_room, since=V3_5),
    always(writes_can_be_evaluated, since=V3_5, needs="write = as-written"),
    sometimes(acknowledges_record, since=V3_5),
    sometimes(refuses_record, since=V3_5, needs="fencings > 0 or clean_shutdowns > 0 or unclean_shutdowns > 0"),
    sometimes(leads_in_two_epochs, since=V3_5, needs="fencings > 0, brokers > 1"),
    sometimes(expands_isr, since=V3_5, needs="shrinks > 0, brokers > 1"),
)  # fmt: skip
