"""What must be reachable: a model in which nothing happens satisfies every other property."""

from ..model.fetching import leads
from ..model.members import NO_BROKER, subset
from ..model.state import Kafka
from ..model.vocabulary import NO_RECORD, Broker, Offset, Partition


def elects_leader(s: Kafka, partition: Partition) -> bool:
    """A leader that the controller elected after the first one serves."""
    return s.history[partition].served > 0


def commits_record(s: Kafka, partition: Partition) -> bool:
    """A record is committed."""
    return s.history[partition].record[0] != NO_RECORD


def tells_a_producer(s: Kafka, partition: Partition) -> bool:
    """A producer is told that its record is committed."""
    return s.history[partition].answered[0] != NO_RECORD


def commits_after_failover(s: Kafka, partition: Partition, offset: Offset) -> bool:
    """A record is committed in a later epoch than the first."""
    return s.history[partition].commit_epoch[offset] > 0


def truncates_log(s: Kafka, t: Kafka, partition: Partition, broker: Broker) -> int:
    """A follower cuts records off its log."""
    return t.broker[broker].up and t.replica[partition][broker].leo < s.replica[partition][broker].leo


def shrinks_isr(s: Kafka, t: Kafka, partition: Partition) -> bool:
    """A leader removes a follower from the ISR."""
    return changes_isr(s, t, partition) and subset(isr_of(t, partition), isr_of(s, partition))


def expands_isr(s: Kafka, t: Kafka, partition: Partition) -> bool:
    """A leader adds a follower to the ISR."""
    return changes_isr(s, t, partition) and subset(isr_of(s, partition), isr_of(t, partition))


def isr_of(s: Kafka, partition: Partition) -> int:
    """The published ISR."""
    return s.zookeeper.leader_and_isr[partition].isr


def changes_isr(s: Kafka, t: Kafka, partition: Partition) -> bool:
    """The ISR changes within one leader epoch."""
    before = s.zookeeper.leader_and_isr[partition]
    after = t.zookeeper.leader_and_isr[partition]
    return before.leader_epoch == after.leader_epoch and before.isr != after.isr and after.version > 0


def fails_over(s: Kafka, partition: Partition) -> bool:
    """A broker's registration has ended, because it died or is a zombie, and the newest elected leader serves."""
    past = s.history[partition]
    if past.served <= 0 or not leads(s, partition, past.server):
        return False
    return s.zookeeper.assigned[partition] & ~s.zookeeper.broker_ids != 0


def client_is_sent_too_early(s: Kafka, t: Kafka, partition: Partition) -> int:
    """A client learns of a new leader that does not lead yet: the window of V3 discussion 6 (Q21)."""
    leader = t.client[partition].leader
    if leader == s.client[partition].leader or leader != t.zookeeper.leader_and_isr[partition].leader:
        return False
    return leader != NO_BROKER and t.broker[leader].up and not leads(t, partition, leader)


def announces_before_start(s: Kafka, partition: Partition, broker: Broker) -> int:
    """The published leader of a new partition has no replica yet (V3 comment C.1: M7)."""
    node = s.zookeeper.leader_and_isr[partition]
    return node.version > 0 and node.leader == broker and s.broker[broker].up and not s.replica[partition][broker].exists


def alert_comes_though_it_leads(s: Kafka, t: Kafka, partition: Partition) -> int:
    """An alert is raised about an election whose leader already serves: only its answer is late (M10)."""
    node = t.zookeeper.leader_and_isr[partition]
    if s.alert[partition].raised or not t.alert[partition].raised or node.leader == NO_BROKER:
        return False
    return leads(t, partition, node.leader) and t.replica[partition][node.leader].leader_epoch == node.leader_epoch


def zombie_leads(s: Kafka, partition: Partition, broker: Broker, other: Broker) -> int:
    """Two brokers lead at one time, in different epochs."""
    return broker < other and leads(s, partition, broker) and leads(s, partition, other)


def goes_offline(s: Kafka, partition: Partition) -> bool:
    """A partition that had a leader has none."""
    node = s.zookeeper.leader_and_isr[partition]
    return node.version > 0 and node.leader == NO_BROKER


def restarts(s: Kafka) -> bool:
    """A broker has crashed, and all brokers run again."""
    if s.spent.crashes == 0:
        return False
    for broker in range(s.config.members):
        if not s.broker[broker].up:
            return False
    return True


def controller_fails_over(s: Kafka) -> bool:
    """Another broker has become the controller and has read the store."""
    if s.zookeeper.controller_epoch < 1:
        return False
    return s.controller[s.zookeeper.controller_epoch].active == 1 and s.controller[s.zookeeper.controller_epoch].recovering == 0


def preferred_replica_leads_again(s: Kafka, partition: Partition) -> bool:
    """A preferred election was requested, and the preferred replica serves in a later epoch."""
    if s.spent.preferred_elections == 0:
        return False
    past = s.history[partition]
    return past.served > 0 and past.server == s.zookeeper.preferred[partition]


def unclean_election_loses_data(s: Kafka, partition: Partition) -> int:
    """A leader from outside the ISR serves, and committed records are lost: what A3 reports."""
    return s.history[partition].lost


def consumer_gets_empty_set(s: Kafka, partition: Partition, broker: Broker) -> int:
    """A consumer asks a leader whose high watermark has not come to its position, though its log has (G7)."""
    me = s.replica[partition][broker]
    position = s.consumer[partition].position
    return leads(s, partition, broker) and me.hw < position and position <= me.leo


def deletes_replica(s: Kafka, t: Kafka, partition: Partition, broker: Broker) -> int:
    """A broker deletes a replica's directory."""
    return s.replica[partition][broker].exists and not t.replica[partition][broker].exists


def moves_to_other_brokers(s: Kafka, t: Kafka, partition: Partition) -> bool:
    """A reassignment ends, and the partition has other replicas than before."""
    if s.config.reassignments == 0 or s.zookeeper.reassigned[partition] == 0:
        return False
    after = t.zookeeper.assigned[partition]
    return after != 0 and after != s.zookeeper.assigned[partition]
