"""The controller: one log of changes, written by the elections, fencings and requests of this file and of `alter_partition`.

Where the specifications choose any member of a set as leader, `next_leader` names who leads afterwards; the number of brokers
names nobody.
"""

from ..members import NO_BROKER, contains, everyone, excluding, how_many, including, only, subset
from ..vocabulary import Broker, Brokers, Epoch
from .state import Change, PublishedKraft, Recovery, Status


def after(s: PublishedKraft, leader: Broker) -> Broker:
    """Whom the parameter `leader` names."""
    return NO_BROKER if leader == s.config.brokers else leader


def unfenced(s: PublishedKraft) -> Brokers:
    """The brokers that are not fenced."""
    brokers = 0
    for broker in range(s.config.members):
        if not s.controller.registration[broker].fenced:
            brokers = including(brokers, broker)
    return brokers


# The partition's changes.


def change_partition(
    s: PublishedKraft,
    replicas: Brokers,
    leader: Broker,
    isr: Brokers,
    elr: Brokers,
    leader_epoch: Epoch,
    adding: Brokers,
    removing: Brokers,
) -> None:
    """The controller changes the partition, and appends the change to the metadata log (ApplyPartitionChange)."""
    now = s.controller.now
    if s.config.recovery is Recovery.ELIGIBLE_REPLICAS:
        if how_many(s, isr) >= s.config.min_isr:
            now.last_known_elr = 0
        else:
            now.last_known_elr = now.last_known_elr | (replicas & now.elr & ~elr)
    now.replicas = replicas
    now.isr = isr
    now.elr = elr
    now.leader = leader
    now.leader_epoch = leader_epoch
    now.partition_epoch += 1
    now.adding = adding
    now.removing = removing
    copy_change(s.change[s.changes], now)
    s.changes += 1


def copy_change(it: Change, now: Change) -> None:
    """`it` becomes what `now` is."""
    it.replicas = now.replicas
    it.isr = now.isr
    it.elr = now.elr
    it.last_known_elr = now.last_known_elr
    it.leader = now.leader
    it.leader_epoch = now.leader_epoch
    it.partition_epoch = now.partition_epoch
    it.adding = now.adding
    it.removing = now.removing


def elr_after(s: PublishedKraft, isr: Brokers, replicas: Brokers) -> int:
    """KIP-966: who is eligible once these are the ISR and the replicas: whoever leaves the ISR, until that has min ISR again."""
    if s.config.recovery is not Recovery.ELIGIBLE_REPLICAS or how_many(s, isr) >= s.config.min_isr:
        return 0
    return (s.controller.now.elr & replicas) | (s.controller.now.isr & replicas & ~isr)


def isr_without(s: PublishedKraft, broker: Broker) -> Brokers:
    """The ISR without `broker`; before KIP-966 its last member stays."""
    isr = s.controller.now.isr
    if s.config.recovery is not Recovery.ELIGIBLE_REPLICAS and how_many(s, isr) == 1:
        return isr
    return excluding(isr, broker)


# Elections, when a broker is fenced or unfenced (MaybeUpdatePartitionOnBrokerChange).


def keeps_leader(s: PublishedKraft, isr: Brokers, elr: Brokers, live: Brokers) -> bool:
    """No election is needed or possible: the leader stays, or there is none and nobody can be elected (NoLeaderChange)."""
    leader = s.controller.now.leader
    if s.config.recovery is Recovery.ELIGIBLE_REPLICAS:
        return contains(isr, leader) or (leader == NO_BROKER and isr == 0 and elr & live == 0)
    if leader == NO_BROKER:
        return isr & live == 0
    return contains(isr, leader) and contains(live, leader)


def may_lead(s: PublishedKraft, isr: Brokers, elr: Brokers, live: Brokers, leader: Broker) -> bool:
    """Whether the controller may make `leader` the leader, where `live` are unfenced and these are the ISR and the ELR."""
    if keeps_leader(s, isr, elr, live):
        return leader == s.controller.now.leader
    if s.config.recovery is Recovery.ELIGIBLE_REPLICAS:
        candidates = isr if isr != 0 else elr & live
    else:
        candidates = isr & live
    if candidates == 0:
        return leader == NO_BROKER
    return contains(candidates, leader)


def elect_if_needed(s: PublishedKraft, isr: Brokers, elr: Brokers, live: Brokers, leader: Broker) -> None:
    """The controller changes the partition if anything is to change; `leader` was found by `may_lead`."""
    now = s.controller.now
    if keeps_leader(s, isr, elr, live):
        if isr != now.isr or elr != now.elr:
            change_partition(s, now.replicas, now.leader, isr, elr, now.leader_epoch, now.adding, now.removing)
        return
    if leader != NO_BROKER and isr == 0:  # elected from the eligible replicas
        isr = only(leader)
        elr = excluding(elr, leader)
    change_partition(s, now.replicas, leader, isr, elr, now.leader_epoch + 1, now.adding, now.removing)


def may_lead_without(s: PublishedKraft, broker: Broker, leader: Broker) -> bool:
    """Whether `leader` may lead once `broker` is fenced."""
    isr = isr_without(s, broker)
    return may_lead(s, isr, elr_after(s, isr, s.controller.now.replicas), excluding(unfenced(s), broker), leader)


def fence(s: PublishedKraft, broker: Broker, leader: Broker) -> None:
    """`broker` leaves the ISR and leads no more; `leader` was found by `may_lead_without` (HandleBrokerFenced)."""
    isr = isr_without(s, broker)
    elect_if_needed(s, isr, elr_after(s, isr, s.controller.now.replicas), excluding(unfenced(s), broker), leader)
    s.controller.registration[broker].fenced = 1


def may_lead_with(s: PublishedKraft, broker: Broker, leader: Broker) -> bool:
    """Whether `leader` may lead once `broker` is unfenced: a leader stays."""
    now = s.controller.now
    if now.leader != NO_BROKER:
        return leader == now.leader
    return may_lead(s, now.isr, now.elr, including(unfenced(s), broker), leader)


def unfence(s: PublishedKraft, broker: Broker, leader: Broker) -> None:
    """`broker` may be elected, if nobody leads; `leader` was found by `may_lead_with` (HandleBrokerUnfenced)."""
    now = s.controller.now
    if now.leader == NO_BROKER:
        elect_if_needed(s, now.isr, now.elr, including(unfenced(s), broker), leader)
    s.controller.registration[broker].fenced = 0


def fence_broker(s: PublishedKraft, broker: Broker, next_leader: Broker) -> bool:
    """The controller fences a broker, which it does not hear of, although it may run.

    Design: KR2; published KRaft specifications, FenceBroker.   Kafka: ReplicationControlManager.handleBrokerFenced.
    Modifies: controller, change, changes, fencings.
    """
    if s.fencings >= s.config.fencings:
        return False  # budget
    if s.controller.registration[broker].fenced:
        return False
    if not may_lead_without(s, broker, after(s, next_leader)):
        return False

    fence(s, broker, after(s, next_leader))
    s.fencings += 1
    return True


def unfence_broker(s: PublishedKraft, broker: Broker, next_leader: Broker) -> bool:
    """The controller unfences a broker that runs. In Kafka a heartbeat tells it so.

    Design: KR2; published KRaft specifications, UnfenceBroker.   Kafka: ReplicationControlManager.handleBrokerUnfenced.
    Modifies: controller, change, changes.
    """
    if not s.controller.registration[broker].fenced:
        return False
    if s.broker[broker].status is not Status.RUNNING:
        return False
    if not may_lead_with(s, broker, after(s, next_leader)):
        return False

    unfence(s, broker, after(s, next_leader))
    return True


# Reassignment.


def is_reassigned(s: PublishedKraft) -> bool:
    """A reassignment is under way."""
    return s.controller.now.adding != 0 or s.controller.now.removing != 0


def is_complete(s: PublishedKraft, adding: Brokers, isr: Brokers) -> bool:
    """A reassignment that adds these ends once this is the ISR without those that it removes."""
    return subset(adding, isr) and how_many(s, isr) >= s.config.min_isr


def may_stay_or_lead(s: PublishedKraft, isr: Brokers, leader: Broker) -> bool:
    """Whether `leader` may lead with this ISR: the present leader if it is in it, else any member."""
    if contains(isr, s.controller.now.leader):
        return leader == s.controller.now.leader
    return contains(isr, leader)


def perform_reassignment(s: PublishedKraft, adding: Brokers, removing: Brokers, next_leader: Broker) -> bool:
    """An operator has the controller add replicas, remove replicas, or both; what only removes is complete at once.

    Design: KR7; published KRaft specifications, PerformPartitionReassignment.   Kafka:
    ReplicationControlManager.alterPartitionReassignments.
    Modifies: controller, change, changes, reassignments.
    """
    now = s.controller.now
    if s.reassignments >= s.config.reassignments:
        return False  # budget
    if is_reassigned(s):
        return False
    if adding == 0 and removing == 0:
        return False
    if adding & now.replicas != 0 or not subset(removing, now.replicas):
        return False
    if how_many(s, now.replicas) + how_many(s, adding) - how_many(s, removing) < s.config.min_isr:
        return False
    isr = now.isr & ~removing
    replicas = (now.replicas | adding) & ~removing
    complete = is_complete(s, adding, isr)
    if not may_stay_or_lead(s, isr if complete else now.isr, after(s, next_leader)):
        return False

    if complete:
        elr = elr_after(s, isr, replicas)
        change_partition(s, replicas, next_leader, isr, elr, now.leader_epoch + 1, 0, 0)
    else:
        change_partition(s, now.replicas | adding, next_leader, now.isr, now.elr, now.leader_epoch, adding, removing)
    s.reassignments += 1
    return True


# What the specifications leave out.


def elect_preferred_leader(s: PublishedKraft, leader: Broker) -> bool:
    """The controller makes another member of the ISR the leader while the present one lives.

    Design: KR3; not in the published specifications.   Kafka: ReplicationControlManager.electLeader, PREFERRED.
    Modifies: controller, change, changes, preferred_elections.
    """
    now = s.controller.now
    if s.preferred_elections >= s.config.preferred_elections:
        return False  # budget
    if now.leader == leader:
        return False
    if not contains(now.isr, leader) or s.controller.registration[leader].fenced:
        return False

    change_partition(s, now.replicas, leader, now.isr, now.elr, now.leader_epoch + 1, now.adding, now.removing)
    s.preferred_elections += 1
    return True


def elect_unclean_leader(s: PublishedKraft, leader: Broker) -> bool:
    """No member of the ISR can lead, and the controller makes another replica the leader and the whole ISR.

    Design: KR3; not in the published specifications.   Kafka: ReplicationControlManager.electLeader, UNCLEAN.
    Modifies: controller, change, changes, unclean_elections.
    """
    now = s.controller.now
    if s.unclean_elections >= s.config.unclean_elections:
        return False  # budget
    if now.leader != NO_BROKER:
        return False
    if not contains(now.replicas, leader) or contains(now.isr | now.elr, leader):
        return False
    if s.controller.registration[leader].fenced:
        return False

    change_partition(s, now.replicas, leader, only(leader), 0, now.leader_epoch + 1, now.adding, now.removing)
    s.unclean_elections += 1
    return True


# Where it begins.


def begin(s: PublishedKraft) -> None:
    """The controller at first: broker 0 leads; the ISR has the first brokers, and the other replicas are fenced."""
    config = s.config
    now = s.controller.now
    now.replicas = everyone(config.assigned)
    now.isr = everyone(config.isr_size)
    now.leader = 0
    now.leader_epoch = 1
    now.partition_epoch = 1 if config.isr_size == config.assigned else 2
    copy_change(s.change[0], now)
    s.changes = 1
    s.controller.last_broker_epoch = config.brokers
    for broker in range(config.members):
        it = s.controller.registration[broker]
        it.fenced = 1 if contains(now.replicas & ~now.isr, broker) else 0
        it.broker_epoch = broker + 1
        it.incarnation = broker + 1
