"""What must be reachable: a model in which nothing happens satisfies everything else."""

from typing import Any

from ..model.broker.roles import leads
from ..model.members import NO_BROKER, subset
from ..model.vocabulary import NO_RECORD


def elects_leader(s: Any) -> bool:
    """A broker that the controller elected after the first leader serves."""
    for partition in range(s.config.partitions):
        if s.history[partition].served > 0:
            return True
    return False


def commits_record(s: Any) -> bool:
    """A record is committed."""
    for partition in range(s.config.partitions):
        if s.history[partition].record[0] != NO_RECORD:
            return True
    return False


def commits_after_failover(s: Any) -> bool:
    """A leader has committed a record of its own after taking over from another."""
    for partition in range(s.config.partitions):
        for offset in range(s.config.log_size):
            if s.history[partition].commit_epoch[offset] > 0:
                return True
    return False


def truncates_log(s: Any, t: Any) -> bool:
    """A follower cuts records off its log."""
    for partition in range(s.config.partitions):
        for broker in range(s.config.members):
            if t.broker[broker].up and t.replica[partition][broker].leo < s.replica[partition][broker].leo:
                return True
    return False


def shrinks_isr(s: Any, t: Any) -> bool:
    """A leader takes a follower out of the ISR."""
    for partition in range(s.config.partitions):
        if changes_isr(s, t, partition) and subset(isr_of(t, partition), isr_of(s, partition)):
            return True
    return False


def expands_isr(s: Any, t: Any) -> bool:
    """A leader takes a follower into the ISR."""
    for partition in range(s.config.partitions):
        if changes_isr(s, t, partition) and subset(isr_of(s, partition), isr_of(t, partition)):
            return True
    return False


def isr_of(s: Any, partition: Any) -> Any:
    """The published ISR."""
    return s.zookeeper.leader_and_isr[partition].isr


def changes_isr(s: Any, t: Any, partition: Any) -> bool:
    """The ISR changes within one leader epoch."""
    before = s.zookeeper.leader_and_isr[partition]
    after = t.zookeeper.leader_and_isr[partition]
    return before.leader_epoch == after.leader_epoch and before.isr != after.isr and after.version > 0


def fails_over(s: Any) -> bool:
    """A broker is gone from the store, dead or a zombie, and the newest elected leader serves."""
    for partition in range(s.config.partitions):
        past = s.history[partition]
        if past.served > 0 and leads(s, partition, past.server):
            if s.zookeeper.assigned[partition] & ~s.zookeeper.broker_ids != 0:
                return True
    return False


def zombie_leads(s: Any) -> bool:
    """Two brokers lead at one time, in different epochs."""
    for partition in range(s.config.partitions):
        for one in range(s.config.members):
            for other in range(s.config.members):
                if one < other and leads(s, partition, one) and leads(s, partition, other):
                    return True
    return False


def goes_offline(s: Any) -> bool:
    """A partition has no leader: nobody of its ISR lives."""
    for partition in range(s.config.partitions):
        node = s.zookeeper.leader_and_isr[partition]
        if node.version > 0 and node.leader == NO_BROKER:
            return True
    return False


def restarts(s: Any) -> bool:
    """A broker that crashed is up again and has taken a role."""
    if s.spent.crashes == 0:
        return False
    for broker in range(s.config.members):
        if not s.broker[broker].up:
            return False
    return True


def controller_fails_over(s: Any) -> bool:
    """Another broker has become the controller and has read the store."""
    if s.zookeeper.controller_epoch < 1:
        return False
    return s.controller[s.zookeeper.controller_epoch].active == 1 and s.controller[s.zookeeper.controller_epoch].recovering == 0


def preferred_replica_leads_again(s: Any) -> bool:
    """A preferred election was requested, and the preferred replica serves in a later epoch."""
    if s.spent.preferred_elections == 0:
        return False
    for partition in range(s.config.partitions):
        past = s.history[partition]
        if past.served > 0 and past.server == s.zookeeper.preferred[partition]:
            return True
    return False


def unclean_election_loses_data(s: Any) -> bool:
    """A leader from outside the ISR serves, and committed records are gone: the report of A3."""
    for partition in range(s.config.partitions):
        if s.history[partition].lost:
            return True
    return False


def consumer_gets_empty_set(s: Any) -> bool:
    """A consumer asks a leader that has the record but not the high watermark for it (G7)."""
    for partition in range(s.config.partitions):
        for broker in range(s.config.members):
            me = s.replica[partition][broker]
            if leads(s, partition, broker) and me.hw < s.consumer[partition].position:
                return True
    return False


def deletes_replica(s: Any, t: Any) -> bool:
    """A broker deletes a replica's directory."""
    for partition in range(s.config.partitions):
        for broker in range(s.config.members):
            if s.replica[partition][broker].exists and not t.replica[partition][broker].exists:
                return True
    return False


def moves_to_other_brokers(s: Any, t: Any) -> bool:
    """A reassignment ends: the partition's replicas are others than before."""
    for partition in range(s.config.moving_partitions):
        after = t.zookeeper.assigned[partition]
        if s.zookeeper.reassigned[partition] != 0 and after != 0 and after != s.zookeeper.assigned[partition]:
            return True
    return False
