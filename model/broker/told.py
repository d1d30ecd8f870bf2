"""What a broker has been told, whoever told it: by requests of a controller, or by a log of metadata (KRaft).

Actions that both have in common look here, and not at a request.
"""

from ..fetching import known_replicas
from ..kraft_choices import EarlierFetch, Eligible
from ..members import contains, only
from ..state import Kafka
from ..vocabulary import Broker, Epoch, Partition
from ..zookeeper.znodes import holders


def names_new_replicas(s: Kafka, partition: Partition, epoch: Epoch) -> int:
    """What the broker was told of this epoch names only RAR as the partition's replicas, not AR + RAR (F2)."""
    if s.config.quorums:
        return 0
    return s.command[partition][epoch].moved


def may_join(s: Kafka, partition: Partition, leader: Broker) -> int:
    """The replicas of the partition that the leader knows: after Kafka's switch only RAR, as its command said (F2)."""
    if s.config.quorums and s.config.reassignments > 0:
        return known_replicas(s, partition, leader)
    return named_replicas(s, partition, leader)


def named_replicas(s: Kafka, partition: Partition, leader: Broker) -> int:
    """The same as its command said."""
    if s.config.reassignments > 0:
        if s.replica[partition][leader].moved and s.zookeeper.reassigned[partition] != 0:
            return s.zookeeper.reassigned[partition]
    return holders(s, partition)


def departed_members(s: Kafka, partition: Partition, leader: Broker) -> int:
    """The members of the leader's ISR that are no replicas any more, as its command said (N6)."""
    if s.config.stepwise_moves == 0:
        return 0
    return s.replica[partition][leader].isr & ~named_replicas(s, partition, leader)


def is_eligible(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """The leader knows nothing that keeps the follower out of the ISR: by the log of metadata, as far as it has applied it (KR4).

    Kafka: Partition.isReplicaIsrEligible.
    """
    if s.config.quorums == 0 or s.config.eligible is Eligible.ANY:
        return True  # Without it, no follower joins under ZooKeeper, where no broker is fenced.
    log = s.metadata[0]
    if not contains(log.change[log.applied[leader]].active, follower):
        return False  # fenced, or shutting down (KIP-841). Without it, under KRaft, it joins the ISR.
    if s.config.eligible is Eligible.ACTIVE:
        return True
    of_earlier = is_of_earlier_process(s, partition, leader, follower)
    return registers_later(s, leader, follower) == of_earlier  # Without it, under KRaft, an earlier process may join.


def registers_later(s: Kafka, broker: Broker, other: Broker) -> bool:
    """The log says that the other has registered again, in a change that this broker has yet to apply."""
    log = s.metadata[0]
    for number in range(s.config.kept_changes):
        if log.applied[broker] < number and number <= log.length and contains(log.change[number].bounced, other):
            return True
    return False


def is_of_earlier_process(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """The fetch that has arrived names an earlier registration than the follower's present one (KIP-903)."""
    if s.config.orphans == 0:
        return False
    return s.fetch_request[partition][leader][follower].orphaned == 2  # Without it, under KRaft, no fetch is of the present one.


def refuses_earlier_process(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """The leader knows the follower's present registration, and refuses a fetch that names an earlier one (KAFKA-15221).

    Kafka: Replica.updateFetchStateOrThrow.
    """
    if s.config.quorums == 0 or s.config.earlier_fetch is not EarlierFetch.REFUSED:
        return False
    return (
        is_of_earlier_process(s, partition, leader, follower)  # Without it, under KRaft, every fetch is refused.
        and not registers_later(s, leader, follower)  # Without it, under KRaft, one is refused before the leader can know.
    )


def note_registration(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> None:
    """AlterPartition names for each member the registration that its last fetch has named (KIP-903)."""
    if is_of_earlier_process(s, partition, leader, follower):
        for place in range(s.config.quorums):
            s.isr_write[partition][leader].bounced[place] = only(follower)


def forget_registrations(s: Kafka, partition: Partition, leader: Broker) -> None:
    """There is no such request."""
    for place in range(s.config.quorums):
        s.isr_write[partition][leader].bounced[place] = 0
