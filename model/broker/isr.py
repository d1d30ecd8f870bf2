"""maybe_change_ISR: the leader removes followers that lag and adds those that have caught up (G3, G4).

A conditional write decides: the leader's ISR and version change only when the store's version is the one
that the leader knows. This prevents a zombie from committing (Q1). Since KIP-497 the leader asks the controller to
write (`isr_writer`). With store = atomic the write, its answer and what follows are one step; otherwise `write_isr` and
`learn_isr_write` come later, and anything may happen between.
"""

from ..choices import Admission, Condition, Expand, Fetch, IsrWriter, IsrWriting, RefusedWrite, Shrink, Store
from ..fetching import is_fetching_from, is_taken, leads, learns_nothing
from ..members import NO_BROKER, contains, excluding, including
from ..release_choices import DepartedMember, EarlierRequest, IsrAnswer
from ..state import Kafka
from ..truncation.versions import fences_fetches
from ..vocabulary import Broker, Brokers, Offset, Partition, Version, Writing
from ..zookeeper.znodes import write_leader_and_isr
from .high_watermark import advance_high_watermark, smallest_end, waits_for_store
from .isr_writer import has_inactive_member, has_writer, is_refused_at_once
from .roles import forget_isr_write, stop_serving
from .told import departed_members, is_eligible, may_join, note_registration


def shrink_isr(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """The leader removes a follower from the ISR that lags, or has not fetched for too long.

    Time is not modelled: a follower that has not reported the leader's last record may be late, and so may one that no
    longer fetches although it had everything. V3 removes only the one with the smallest end, Kafka any late one; since 2.1 it
    keeps who has everything, however long it is silent (KAFKA-7152).

    Design: V3 G, maybe_change_ISR (G3, G4).   Kafka: Partition.maybeShrinkIsr.
    Modifies: zookeeper.leader_and_isr[partition], produce_request[partition][leader], replica[partition][leader],
        history[partition], isr_write.
    Reads: broker[follower].up, broker[follower].upgraded, replica[partition][follower] (whether its fetches arrive: the leader
        sees them); zookeeper.leader_and_isr[partition] (the store, which checks the version); broker, controller, decision,
        zookeeper.controller_epoch (with KIP-497: whom a controller in office knows as live or leaving);
        zookeeper.assigned[partition], zookeeper.reassigned[partition] (which replicas its command named).
    """
    if not leads(s, partition, leader):
        return False
    if leader == follower:
        return False
    me = s.replica[partition][leader]
    if not contains(me.isr, follower):
        return False
    if s.config.shrink is Shrink.SMALLEST_END and me.fetched_to[follower] > smallest_end(s, partition, leader, me.isr):
        return False  # Without it, a follower that is not the last may be removed.
    if me.fetched_to[follower] >= me.leo and (s.config.shrink is Shrink.BEHIND or fetches_from(s, partition, follower, leader)):
        return False  # in sync
    if s.config.departed_member is DepartedMember.STUCK and departed_members(s, partition, leader) != 0:
        return False  # its check for late followers has failed. Without it, it removes them, as other releases do.
    if not can_write_isr(s, partition, leader) or is_refused_at_once(s, leader, excluding(me.isr, follower)):
        return False

    if s.config.isr_answer is IsrAnswer.WAITS:
        advance_high_watermark(s, partition, leader)  # with the ISR of before
    change_isr(s, partition, leader, excluding(me.isr, follower))
    return True


def expand_isr(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """The leader adds a follower to the ISR that has caught up.

    V3 looks at each replica outside the ISR, whenever anybody fetches or a request is delayed: the leader goes by what it
    remembers, and does not ask whether the replica still fetches, or lives. Kafka's leader looks at the replica whose fetch it
    counts, in that step (`admit_by_fetch`): here at one whose answer is lost, so that it gets no records and is admitted all
    the same. Of a fetch in flight `answer_fetch` is this step.

    Design: V3 G, maybe_change_ISR (G3, G10).   Kafka: Partition.maybeExpandIsr.
    Modifies: zookeeper.leader_and_isr[partition], produce_request[partition][leader], replica[partition][leader],
        history[partition], isr_write.
    Reads: broker[follower].up, broker[follower].upgraded, replica[partition][follower] (the fetch: it is one step with the
        leader's part of the answer); zookeeper.assigned[partition], zookeeper.reassigned[partition] (the store: who is a
        replica); zookeeper.leader_and_isr[partition] (the store, which checks the version); broker, controller, decision,
        zookeeper.controller_epoch (with KIP-497: whom a controller in office knows as live or leaving);
        metadata (under KRaft: the log, as far as the leader has applied it).
    """
    if not leads(s, partition, leader):
        return False
    if s.config.expand is Expand.FETCHING and not fetches(s, partition, follower, leader):
        return False
    if not may_admit(s, partition, leader, follower, end_of_follower(s, partition, leader, follower)):
        return False

    me = s.replica[partition][leader]
    end = end_of_follower(s, partition, leader, follower)
    moved = me.fetched_to[follower] != end
    me.fetched_to[follower] = end
    change_isr(s, partition, leader, including(me.isr, follower))
    if moved:
        advance_high_watermark(s, partition, leader)
    return True


def fetches(s: Kafka, partition: Partition, follower: Broker, leader: Broker) -> bool:
    """A fetch of the follower, which is one step with its answer, is accepted by this leader."""
    if s.config.fetch is not Fetch.RENDEZVOUS:
        return False  # Without it, a follower in whose place a fetch in flight speaks is looked at too.
    if waits_for_store(s, partition, leader):
        return False
    if not is_fetching_from(s, partition, follower, leader) or not is_taken(s, partition, follower, leader):
        return False
    me = s.replica[partition][follower]
    their = s.replica[partition][leader]
    if me.hw < me.log_start:
        return True  # it has started anew, and lacks its leader's high watermark (KAFKA-9491)
    return me.leo < their.leo or learns_nothing(me, their, follower)  # else `fetch`: the answer has no records to lose


def end_of_follower(s: Kafka, partition: Partition, leader: Broker, follower: Broker) -> int:
    """The end that the follower's fetch names; in V3 the one that the leader remembers."""
    if s.config.expand is Expand.FETCHING:
        return s.replica[partition][follower].leo
    return s.replica[partition][leader].fetched_to[follower]


def admit_by_fetch(s: Kafka, partition: Partition, leader: Broker, follower: Broker, end: Offset) -> None:
    """Kafka's leader admits a follower in the step that counts its fetch, by what the fetch says alone (G3, N1).

    It knows nothing of the follower's present state. A fetch may outlive its sender: what it names may be cut or lost since
    (KAFKA-14617, 15221).

    Kafka: Partition.maybeExpandIsr, called by updateFollowerFetchState.
    """
    if joins_by_fetch(s, partition, leader, follower, end):
        change_isr(s, partition, leader, including(s.replica[partition][leader].isr, follower))
        note_registration(s, partition, leader, follower)


def joins_by_fetch(s: Kafka, partition: Partition, leader: Broker, follower: Broker, end: Offset) -> bool:
    """A fetch from this end takes the follower into the ISR."""
    return (
        s.config.expand is Expand.FETCHING  # Without it, a fetch admits its follower also where any replica may join.
        and may_admit(s, partition, leader, follower, end)
    )


def may_admit(s: Kafka, partition: Partition, leader: Broker, follower: Broker, end: Offset) -> bool:
    """A follower with this end may join the ISR, and the leader can write it (G3)."""
    if contains(s.replica[partition][leader].isr, follower):
        return False
    if not contains(may_join(s, partition, leader), follower):
        return False
    if not has_caught_up(s, partition, leader, end):
        return False
    if not is_eligible(s, partition, leader, follower):
        return False  # Without it, under KRaft, fenced brokers join the ISR.
    if is_refused_at_once(s, leader, including(s.replica[partition][leader].isr, follower)):
        return False
    return can_write_isr(s, partition, leader)


def has_caught_up(s: Kafka, partition: Partition, leader: Broker, end: Offset) -> bool:
    """Whether a follower with this end has all that the ISR needs (G3, R4).

    V3 allows a lag of some bytes, as printed behind the slowest member of the ISR, as meant behind the leader. Kafka requires
    everything below the high watermark. That bound can be too low: a new leader's high watermark may lag behind what the last
    one committed. The setting `admission` can require more: the start of the leader's epoch, which is enough for a leader that
    was just elected; or the end of its log when it began to serve, which is also enough for one that restarted within its
    epoch and is back at the checkpoint.

    Kafka: Partition.isFollowerInSync.
    """
    me = s.replica[partition][leader]
    if s.config.admission is Admission.BYTES_AS_PRINTED:
        return end - smallest_end(s, partition, leader, me.isr) < s.config.min_bytes_lag
    if s.config.admission is Admission.BYTES_AS_MEANT:
        return me.leo - end < s.config.min_bytes_lag
    if s.config.admission >= Admission.HIGH_WATERMARK and end < me.hw:
        return False
    if s.config.admission is Admission.EPOCH_START and end < me.epoch_start[me.leader_epoch]:
        return False
    if s.config.admission is Admission.TERM_START and end < me.term_start:
        return False
    return True


def fetches_from(s: Kafka, partition: Partition, follower: Broker, leader: Broker) -> bool:
    """The follower's fetches reach this leader: what the leader sees as recent activity."""
    me = s.replica[partition][follower]
    if not is_fetching_from(s, partition, follower, leader):
        return False  # Without it, a leader counts as active who fetches from another.
    if fences_fetches(s, follower, leader) and me.leader_epoch != s.replica[partition][leader].leader_epoch:
        return False  # Without it, a follower in another epoch counts as active; its fetches are refused anyway.
    return True


def can_write_isr(s: Kafka, partition: Partition, leader: Broker) -> bool:
    """No write is in flight to the store; and if the answer is known at once, the conditional write succeeds."""
    if s.config.renewed_nodes and s.zookeeper.leader_and_isr[partition].version >= s.config.max_version:
        return False  # bound of the exploration: versions are not forgotten. Without it, versions go on.
    if s.config.store is Store.ANSWERED:
        write = s.isr_write[partition][leader]
        if s.config.earlier_request is EarlierRequest.AWAITED and write.earlier:
            return False
        return write.phase is Writing.QUIET
    return is_current_writer(s, partition, leader, s.replica[partition][leader].zk_version)


def is_current_writer(s: Kafka, partition: Partition, leader: Broker, version: Version) -> bool:
    """A write with this condition succeeds: somebody writes, the node is there, at the version that the leader knows (Z4, Z11).

    ZH compares leader epochs: no write has one that is smaller than the node's (M8). This misses changes of the ISR within an
    epoch.
    """
    node = s.zookeeper.leader_and_isr[partition]
    if s.config.isr_condition is Condition.EPOCH:
        return has_writer(s, leader) and node.version > 0 and s.replica[partition][leader].leader_epoch >= node.leader_epoch
    return has_writer(s, leader) and node.version > 0 and version == node.version


def change_isr(s: Kafka, partition: Partition, leader: Broker, isr: Brokers) -> None:
    """Ask the store to write this ISR; if the answer is known at once, take it over."""
    me = s.replica[partition][leader]
    if s.config.store is Store.ANSWERED:
        write = s.isr_write[partition][leader]
        write.phase = Writing.REQUESTED
        write.version = me.zk_version
        write.isr = isr
    else:
        node = s.zookeeper.leader_and_isr[partition]
        write_leader_and_isr(s, partition, node.leader, node.leader_epoch, isr)
        take_over_isr(s, partition, leader, isr, node.version)


def take_over_isr(s: Kafka, partition: Partition, leader: Broker, isr: Brokers, version: Version) -> None:
    """The write has succeeded: the leader knows the new ISR and version, and may commit with it.

    From 2.7 to 3.0 the answer of the controller changes the ISR alone: what all of a smaller ISR has is committed later
    (KAFKA-13091).

    Kafka: Partition.handleAlterIsrResponse.
    """
    me = s.replica[partition][leader]
    me.isr = isr
    me.zk_version = version
    if s.config.isr_answer is IsrAnswer.COMMITS:
        advance_high_watermark(s, partition, leader)


def write_isr(s: Kafka, partition: Partition, leader: Broker) -> bool:
    """The store carries out a leader's write, or refuses it: another version, no session.

    A leader whose answer was lost asks again. The version is then that of its own write, which it does not know; Kafka
    compares the node with what it wanted to write, and takes the version over. A controller that does not know the leader as
    live sends no answer about the partition, and the leader asks again (KIP-497). If it refuses a member of the ISR
    (KAFKA-14140), it says that nothing was written, and the leader has its ISR again.

    Design: V3 G, `if (update in ZK successful)` (G4, Z4, Z11).   Kafka: ReplicationUtils.updateLeaderAndIsr, KAFKA-1382.
    Modifies: zookeeper.leader_and_isr[partition], isr_write[partition][leader].
    Reads: zookeeper.leader_and_isr[partition] (the store, which checks the version); broker, controller, decision,
        zookeeper.controller_epoch (with KIP-497: whom a controller in office knows as live or leaving).
    """
    if s.config.store is not Store.ANSWERED:
        return False
    write = s.isr_write[partition][leader]
    if write.phase is not Writing.REQUESTED:
        return False
    if s.config.earlier_requests and write.earlier:
        return False  # it has yet to be sent: a broker has one request on its way
    if s.config.isr_writer is IsrWriter.CONTROLLER and not has_writer(s, leader):
        return False

    node = s.zookeeper.leader_and_isr[partition]
    if is_current_writer(s, partition, leader, write.version) and has_inactive_member(s, leader, write.isr):
        forget_isr_write(s, partition, leader)  # not attempted, as its leader learns. Without it, it is asked for again.
    elif is_current_writer(s, partition, leader, write.version):
        write_leader_and_isr(s, partition, node.leader, node.leader_epoch, write.isr)
        write.phase = Writing.WRITTEN
        write.version = node.version
    elif has_writer(s, leader) and is_own_write(s, partition, leader):
        write.phase = Writing.WRITTEN
        write.version = node.version
    else:
        write.phase = Writing.REFUSED
    return True


def is_own_write(s: Kafka, partition: Partition, leader: Broker) -> bool:
    """What is in the store is what this leader asked for, in its epoch (KAFKA-1382, R2)."""
    if not s.config.recognised_writes:
        return False
    node = s.zookeeper.leader_and_isr[partition]
    me = s.replica[partition][leader]
    same_term = node.leader == leader and node.leader_epoch == me.leader_epoch
    return same_term and node.version > 0 and node.isr == s.isr_write[partition][leader].isr


def learn_isr_write(s: Kafka, partition: Partition, leader: Broker) -> bool:
    """The answer reaches the leader: the new ISR and version are its own, or everything stays as it was.

    V3's discussion has a leader conclude from a refusal that it no longer leads (`refused_write`). It may still lead: its own
    write may have changed the version, and the answer was lost. Then who may be in the ISR is not known: since KIP-497 what it
    asked for stays pending after a refusal, until the next command, and counts for what is committed.

    Design: V3 G, `leader.partition.ISR = new ISR` (G4).   Kafka: Partition.updateIsr.
    Modifies: replica[partition][leader], produce_request[partition][leader], history[partition],
        isr_write[partition][leader], fetch_request[partition].
    Reads: zookeeper.assigned[partition], zookeeper.reassigned[partition] (which replicas its command named).
    """
    if s.config.store is not Store.ANSWERED:
        return False
    if not leads(s, partition, leader):
        return False
    write = s.isr_write[partition][leader]
    if write.phase is not Writing.WRITTEN and write.phase is not Writing.REFUSED:
        return False
    if write.phase is Writing.REFUSED and s.config.isr_write is IsrWriting.PENDING:
        return False  # it gives up, and changes its ISR no more in this epoch

    succeeded = write.phase is Writing.WRITTEN
    isr = write.isr
    version = write.version
    forget_isr_write(s, partition, leader)
    if succeeded:
        take_over_isr(s, partition, leader, isr, version)
    elif s.config.refused_write is RefusedWrite.STEPS_DOWN:
        stop_serving(s, partition, leader)
        s.replica[partition][leader].leader = NO_BROKER
    return True


def learn_earlier_answer(s: Kafka, partition: Partition, leader: Broker) -> bool:
    """The controller's answer to a request of an earlier epoch arrives: it changes nothing, but the next request can be sent.

    The controller refuses such a request, or has written it before it decided on the next epoch. A request of the present epoch
    has waited for this answer. From 2.7.0 to 2.8.2 the answer removes it from the queue, where it has the place of the one that
    is answered. Nobody asks again, and what was asked for stays pending until the next command (KAFKA-12686).

    Design: KIP-497 (N12, G4).   Kafka: DefaultAlterIsrManager.handleAlterIsrResponse.
    Modifies: isr_write[partition][leader].
    Reads: controller, decision, zookeeper.controller_epoch (with KIP-497: whom a controller in office knows as live).
    """
    if s.config.earlier_requests == 0:
        return False
    write = s.isr_write[partition][leader]
    if not write.earlier:
        return False
    if not has_writer(s, leader):
        return False  # Without it, nobody has answered.

    write.earlier = 0
    if write.phase is Writing.REQUESTED:
        write.phase = Writing.REFUSED
    return True


def lose_isr_answer(s: Kafka, partition: Partition, leader: Broker) -> bool:
    """The connection to the store is lost after the write: the leader does not know that it happened, and asks again (Z12).

    Design: ZooKeeper's contract, connection loss (Z4).   Kafka: ZkClient.retryUntilConnected.
    Modifies: isr_write[partition][leader], spent.
    """
    if s.spent.lost_answers >= s.config.lost_answers:
        return False  # budget
    if s.config.store is not Store.ANSWERED:
        return False
    write = s.isr_write[partition][leader]
    if write.phase is not Writing.WRITTEN:
        return False

    s.spent.lost_answers += 1
    write.phase = Writing.REQUESTED
    write.version = s.replica[partition][leader].zk_version
    return True
