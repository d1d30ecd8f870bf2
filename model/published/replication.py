"""The actions that all revisions share, and those of the first three.

Names follow the specification, section by section of its description. `end(r)` is `replica[r].leo`.
"""

from ..members import NO_BROKER, contains, excluding, including, only
from ..vocabulary import Broker, Brokers, Epoch, Offset
from .state import Published

# What the guards look at.


def presumes(s: Published, broker: Broker) -> bool:
    """`broker` believes that it leads."""
    return s.replica[broker].leader == broker


def is_true_leader(s: Published, broker: Broker) -> bool:
    """`broker` leads, knows it, and in the quorum's epoch."""
    me = s.replica[broker]
    return s.quorum.leader == broker and me.leader == broker and me.leader_epoch == s.quorum.leader_epoch


def same_record(s: Published, first: Broker, second: Broker, offset: Offset) -> bool:
    """The logs of `first` and `second` hold the same record at `offset`, which both have."""
    mine = s.replica[first].log[offset]
    theirs = s.replica[second].log[offset]
    return mine.id == theirs.id and mine.epoch == theirs.epoch


def is_caught_up(s: Published, leader: Broker, follower: Broker, end: Offset) -> bool:
    """`follower` follows `leader` and both logs reach `end`: lengths only, not contents."""
    if s.replica[follower].leader != leader:
        return False
    return end <= s.replica[leader].leo and end <= s.replica[follower].leo


# What the effects do.


def send_new_request(s: Published, leader: Broker, isr: Brokers) -> None:
    """The controller's update: a new epoch, in the quorum and as a request. The guard is the caller's."""
    epoch = s.next_leader_epoch
    s.next_leader_epoch = epoch + 1
    s.quorum.leader_epoch = epoch
    s.quorum.leader = leader
    s.quorum.isr = isr
    s.request[epoch].leader = leader
    s.request[epoch].isr = isr


def write_isr(s: Published, leader: Broker, isr: Brokers) -> None:
    """The true leader changes the ISR: no new epoch and no request."""
    s.quorum.isr = isr
    s.replica[leader].isr = isr


def truncate(s: Published, broker: Broker, end: Offset) -> None:
    """Cut the log of `broker` to its first `end` records; the high watermark cannot be beyond it."""
    me = s.replica[broker]
    for offset in range(s.config.log_size):
        if offset >= end:
            me.log[offset].id = 0
            me.log[offset].epoch = 0
    me.leo = min(me.leo, end)
    me.hw = min(me.hw, end)


# The controller.


def controller_shrink_isr(s: Published, broker: Broker) -> bool:
    """The controller takes `broker` out of the ISR, as when it has failed.

    Three disjoint cases: the last member stays in the ISR and resigns; a leader resigns and leaves; any
    other member leaves, which is what can empty the ISR when there is no leader.

    Design: published specification, ControllerShrinkIsr.   Kafka: KafkaController.onBrokerFailure.
    Modifies: next_leader_epoch, quorum, request.
    """
    if s.next_leader_epoch > s.config.max_epoch:
        return False
    if s.quorum.leader != broker and not contains(s.quorum.isr, broker):
        return False  # nothing to take out

    if s.quorum.leader != broker:
        send_new_request(s, s.quorum.leader, excluding(s.quorum.isr, broker))
    elif s.quorum.isr == only(broker):
        send_new_request(s, NO_BROKER, s.quorum.isr)
    else:
        send_new_request(s, NO_BROKER, excluding(s.quorum.isr, broker))
    return True


def controller_elect_leader(s: Published, broker: Broker) -> bool:
    """The controller elects a member of the ISR, even while another leads (a preferred election).

    Design: published specification, ControllerElectLeader.   Kafka: PartitionStateMachine.electLeader.
    Modifies: next_leader_epoch, quorum, request.
    """
    if s.next_leader_epoch > s.config.max_epoch:
        return False
    if not contains(s.quorum.isr, broker):
        return False  # a clean election
    if s.quorum.leader == broker:
        return False  # leads already

    send_new_request(s, broker, s.quorum.isr)
    return True


def become_leader(s: Published, epoch: Epoch) -> bool:
    """The leader that the request of `epoch` names obeys it, however late.

    Design: published specification, BecomeLeader.   Kafka: Partition.makeLeader.
    Modifies: replica.
    """
    if epoch >= s.next_leader_epoch:
        return False  # not sent yet
    leader = s.request[epoch].leader
    if leader == NO_BROKER:
        return False
    if epoch <= s.replica[leader].leader_epoch:
        return False  # stale

    me = s.replica[leader]
    me.leader_epoch = epoch
    me.leader = leader
    me.isr = s.request[epoch].isr
    return True


def leader_write(s: Published, leader: Broker) -> bool:
    """A producer's record is appended by whoever presumes to lead, even by a zombie.

    Design: published specification, LeaderWrite.   Kafka: Partition.appendRecordsToLeader.
    Modifies: next_record_id, replica[leader].
    """
    if not presumes(s, leader):
        return False
    if s.next_record_id >= s.config.max_records:
        return False  # bound of the exploration
    if s.replica[leader].leo >= s.config.log_size:
        return False  # bound of the exploration

    me = s.replica[leader]
    me.log[me.leo].id = s.next_record_id
    me.log[me.leo].epoch = me.leader_epoch
    me.leo += 1
    s.next_record_id += 1
    return True


# Replication before KIP-320.


def leader_shrink_isr(s: Published, leader: Broker, follower: Broker) -> bool:
    """The true leader drops a follower that does not follow it or has not all of its log.

    Design: published specification, LeaderShrinkIsr.   Kafka: Partition.maybeShrinkIsr.
    Modifies: quorum, replica[leader].
    """
    if leader == follower:
        return False
    if not contains(s.replica[leader].isr, follower):
        return False
    if is_caught_up(s, leader, follower, s.replica[leader].leo):
        return False
    if not is_true_leader(s, leader):
        return False  # the conditional write fails

    write_isr(s, leader, excluding(s.replica[leader].isr, follower))
    return True


def leader_expand_isr(s: Published, leader: Broker, follower: Broker) -> bool:
    """The true leader takes a follower back that has everything below its high watermark.

    Design: published specification, LeaderExpandIsr.   Kafka: Partition.maybeExpandIsr.
    Modifies: quorum, replica[leader].
    """
    if contains(s.replica[leader].isr, follower):
        return False
    if not is_caught_up(s, leader, follower, s.replica[leader].hw):
        return False
    if not is_true_leader(s, leader):
        return False  # the conditional write fails

    write_isr(s, leader, including(s.replica[leader].isr, follower))
    return True


def leader_advance_high_watermark(s: Published, leader: Broker) -> bool:
    """A presumed leader commits the next record when all of its local ISR have that offset.

    Design: published specification, LeaderIncHighWatermark.   Kafka: Partition.maybeIncrementLeaderHW.
    Modifies: replica[leader].
    """
    if not presumes(s, leader):
        return False
    me = s.replica[leader]
    if me.hw >= s.config.log_size:
        return False
    for follower in range(s.config.members):
        if contains(me.isr, follower):
            if s.replica[follower].leader != leader:
                return False
            if s.replica[follower].leo <= me.hw:
                return False

    me.hw += 1
    return True


def follower_replicate(s: Published, follower: Broker, leader: Broker) -> bool:
    """A follower fetches the next record, and the leader's high watermark with it.

    Neither epochs nor the end of the follower's log are compared; its high watermark may fall.

    Design: published specification, FollowerReplicate.   Kafka: ReplicaFetcherThread.
    Modifies: replica[follower].
    """
    if not presumes(s, leader):
        return False
    if s.replica[follower].leader != leader:
        return False
    if s.replica[follower].leo >= s.replica[leader].leo:
        return False

    append_from(s, follower, leader)
    return True


def append_from(s: Published, follower: Broker, leader: Broker) -> None:
    """Copy the leader's record at the follower's end, and its high watermark as far as the log reaches."""
    me = s.replica[follower]
    me.log[me.leo].id = s.replica[leader].log[me.leo].id
    me.log[me.leo].epoch = s.replica[leader].log[me.leo].epoch
    me.leo += 1
    me.hw = min(s.replica[leader].hw, me.leo)
