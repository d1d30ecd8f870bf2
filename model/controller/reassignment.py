"""V3 F, replica reassignment: a partition moves to other brokers, RAR, once these have caught up.

The controller keeps in memory how far each partition has come (F1). What V3 calls the reassignment agent is
part of it here, and the controller lock is not needed: one action is one write, and the switch is conditional
on the version, so another decision in between makes it read again (3.2.2).

Three designs of the switch are there (`reassignment`). `v3` is section F as it was revised: it waits for
ISR == AR + RAR and writes the ISR alone, so a leader outside RAR stays in the node though its replica is
deleted. `v3-older` is its first text, in the comments: the write is not conditional (F4). `kafka` is what was
built: it adds RAR to the assignment at once, so that a broker of RAR that restarts keeps its replica (V3 E.4 deletes
it), waits for RAR alone and elects a leader from it. V3 tells only the leader of the new ISR, Kafka all of RAR. Kafka's
write has the next epoch (`switch_epoch`), since a leader drops a command whose epoch is not larger (C5); V3's has not.
"""

from ..choices import Reassignment, Store
from ..members import NO_BROKER, contains, only
from ..state import Kafka
from ..vocabulary import Broker, ControllerEpoch, Moving, Partition, Purpose
from ..zookeeper.watches import fire_moves_watch, has_session, see_event
from ..zookeeper.znodes import delete_reassignment
from .decide import (
    can_decide,
    dispatch,
    has_epoch_left,
    its_writes_are_taken,
    may_write,
    new_replicas_in_isr,
    publish,
    send_stop_replica,
    to_stop,
)
from .memory import is_free, may_go_on
from .placement import placement


def request_reassignment(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """An operator asks, through a path in the store, that the partition move to the brokers from `broker` on.

    They are chosen as for a new topic, around the ring of live brokers: `broker` will be the preferred one.

    Design: V3 F, paths 5 (Z5, J1).   Kafka: ReassignPartitionsCommand.
    Modifies: zookeeper, controller, spent.
    Reads: zookeeper.assigned[partition], zookeeper.reassigned[partition], zookeeper.deleting[partition], zookeeper.broker_ids
        (the store, which the operator's tool reads).
    """
    if s.spent.reassignments >= s.config.reassignments:
        return False  # budget
    if s.zookeeper.assigned[partition] == 0:
        return False
    if s.zookeeper.reassigned[partition] != 0:
        return False
    if s.config.deleting_partitions > 0:
        if s.zookeeper.deleting[partition]:
            return False
    if not contains(s.zookeeper.broker_ids, broker):
        return False  # Without it, the ring begins at a broker that is down, and the next one is the first replica.
    if placement(s, broker) == s.zookeeper.assigned[partition]:
        return False  # nothing to move

    s.spent.reassignments += 1
    s.zookeeper.reassigned[partition] = placement(s, broker)
    if s.config.preferred_elections > 0:
        s.zookeeper.reassigned_preferred[partition] = broker
    fire_moves_watch(s)
    return True


def see_reassignment(s: Kafka, controller: ControllerEpoch) -> bool:
    """The watch on /admin/partitions_reassigned fired: what is not known to be moving is to begin.

    Design: V3 F, on_partitions_reassigned, add_reassigned_partitions (F1, Z8).   Kafka: PartitionsReassignedListener.
    Modifies: controller, broker.
    Reads: zookeeper.reassigned (the store: the children of the path).
    """
    if s.config.reassignments == 0:
        return False
    if not is_free(s, controller):
        return False
    me = s.controller[controller]
    if me.moves_watch != 1:
        return False
    if not has_session(s, me.host):
        return False

    see_event(s, me.host)
    note_reassignments(s, controller)
    return True


def note_reassignments(s: Kafka, controller: ControllerEpoch) -> None:
    """Read the path, and remember each partition that is not in the map yet (F1); a new controller's map is empty (D.7)."""
    me = s.controller[controller]
    if s.config.reassignments > 0:
        for partition in range(s.config.partitions):
            if s.zookeeper.reassigned[partition] != 0 and me.moving[partition] is Moving.NOT_MOVING:
                me.moving[partition] = Moving.TO_BEGIN


def start_new_replicas(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The controller tells the brokers in RAR what is published: who has no replica starts one and follows the leader.

    The leader and its epoch stay; who has a replica drops the command (C5). Kafka writes the next epoch here, and tells AR too
    (`move_decisions` = each), unless a new controller finds that all have caught up.

    Design: V3 F, on_wakeup 2.1-2.2 (F1).   Kafka: KafkaController.onPartitionReassignment, updateLeaderEpochAndSendRequest.
    Modifies: zookeeper, controller[controller], decision[partition][controller], command[partition].
    Reads: zookeeper.reassigned[partition], zookeeper.assigned[partition], zookeeper.leader_and_isr[partition] (the store: F
        3.1); zookeeper.controller_epoch (the store checks it within the write, Z9); command[partition] (what an
        epoch's command said of the replicas stays).
    """
    if s.config.reassignments == 0:
        return False
    if not is_free(s, controller):
        return False
    me = s.controller[controller]
    if me.moving[partition] is not Moving.TO_BEGIN:
        return False
    if s.zookeeper.leader_and_isr[partition].version == 0:
        return False
    if not has_session(s, me.host):
        return False
    begins = s.config.stepwise_moves and not new_replicas_in_isr(s, partition)
    if begins and not (can_decide(s, controller, partition) and has_epoch_left(s, partition)):
        return False

    if begins:
        node = s.zookeeper.leader_and_isr[partition]
        publish(s, controller, partition, node.leader, node.isr, Purpose.BEGIN)
        return True
    me.moving[partition] = Moving.MOVING
    if s.config.watched_moves > 0:
        me.isr_read[partition] = 0  # it has yet to look
    dispatch(s, controller, partition, s.zookeeper.reassigned[partition] & me.live)
    return True


def look_at_isr(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The watch on leaderAndISR fired, and not all new replicas have caught up: the controller sets it again, and waits.

    V3's agent wakes up "if notified or a certain amount of time has passed"; in ZH's list the watch is a listener of its
    own, and nothing else wakes the controller. The first look is made without one.

    Design: ZH, listener 7; V3 F, on_wakeup 3.1 (M4, F1, Z8).   Kafka: ReassignedPartitionsIsrChangeListener.handleDataChange.
    Modifies: controller[controller].
    Reads: zookeeper.assigned[partition], zookeeper.reassigned[partition], zookeeper.leader_and_isr[partition] (the store: F
        3.1).
    """
    if s.config.watched_moves == 0:
        return False
    me = s.controller[controller]
    if not is_free(s, controller):
        return False
    if not has_session(s, me.host):
        return False
    if me.moving[partition] is not Moving.MOVING:
        return False
    if not has_news(s, controller, partition):
        return False
    if new_replicas_in_isr(s, partition):
        return False  # then it switches

    me.isr_read[partition] = s.zookeeper.leader_and_isr[partition].version
    return True


def has_news(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The controller has reason to look at the ISR: it may at any time, or leaderAndISR has changed since it looked."""
    if s.config.watched_moves == 0:
        return True
    return s.controller[controller].isr_read[partition] != s.zookeeper.leader_and_isr[partition].version


def find_caught_up(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The older text reads the ISR for itself, and does not look again before it writes.

    Design: V3 comments, F, on_wakeup 3.1-3.2 (F4).   Kafka: none.
    Modifies: controller[controller].
    Reads: zookeeper.assigned[partition], zookeeper.reassigned[partition], zookeeper.leader_and_isr[partition] (the store: F
        3.2).
    """
    if s.config.reassignments == 0:
        return False
    if s.config.reassignment is not Reassignment.V3_OLDER:
        return False
    me = s.controller[controller]
    if not is_free(s, controller):
        return False
    if not has_session(s, me.host):
        return False
    if me.moving[partition] is not Moving.MOVING:
        return False  # Without it, the same move is found again.
    if not has_news(s, controller, partition):
        return False
    if not new_replicas_in_isr(s, partition):
        return False

    me.moving[partition] = Moving.CAUGHT_UP
    return True


def switch_isr(s: Kafka, controller: ControllerEpoch, partition: Partition, broker: Broker) -> bool:
    """All have caught up: RAR becomes the ISR, its leader is told, and who is not in RAR is told to stop.

    The leader stays if it is in RAR, or in any case when the design writes the ISR alone; else `broker`, one
    of RAR, is elected. Kafka keeps the ISR here, and names RAR alone as the replicas (`move_decisions` = each).

    Design: V3 F, on_wakeup 3.2.1-3.2.4 (F2, F4, C6).   Kafka: KafkaController.moveReassignedPartitionLeaderIfRequired.
    Modifies: zookeeper, controller[controller], decision[partition][controller], command[partition].
    Reads: zookeeper.leader_and_isr[partition], zookeeper.assigned[partition], zookeeper.reassigned[partition],
        zookeeper.reassigned_preferred[partition] (the store, as it decides, A.3.1); zookeeper.controller_epoch (the store
        checks it within the write, Z9); command[partition] (what an epoch's command said of the replicas stays).
    """
    if s.config.reassignments == 0:
        return False
    if s.config.switch_epoch and not has_epoch_left(s, partition):
        return False
    if not can_switch(s, controller, partition):
        return False
    if not may_lead_moved(s, controller, partition, broker):
        return False

    publish(s, controller, partition, broker, isr_of_switch(s, partition), Purpose.SWITCH)
    if s.config.store is not Store.ANSWERED and not s.config.stepwise_moves:
        s.controller[controller].moving[partition] = Moving.NOT_MOVING  # with an answered store the two writes are steps
        assign_moved(s, partition)
        delete_reassignment(s, partition)
    return True


def isr_of_switch(s: Kafka, partition: Partition) -> int:
    """RAR; in Kafka the ISR as it is, from which the old replicas are taken one by one (N6)."""
    if s.config.stepwise_moves:
        return s.zookeeper.leader_and_isr[partition].isr
    return s.zookeeper.reassigned[partition]


def can_switch(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The ISR is as it must be, and still is when it is written; the older text relies on what it has read once (F4)."""
    me = s.controller[controller]
    if s.config.reassignment is Reassignment.V3_OLDER:
        if not may_write(s, controller):
            return False
        if s.config.store is Store.ANSWERED:
            if s.decision[partition][controller].asked:
                return False
        return me.moving[partition] is Moving.CAUGHT_UP and s.zookeeper.reassigned[partition] != 0
    if not can_decide(s, controller, partition):
        return False
    if not has_news(s, controller, partition):
        return False
    return me.moving[partition] is Moving.MOVING and new_replicas_in_isr(s, partition)


def may_lead_moved(s: Kafka, controller: ControllerEpoch, partition: Partition, broker: Broker) -> bool:
    """Whether `broker` leads after the switch: the leader stays, unless Kafka's design finds it outside RAR, or dead."""
    leader = s.zookeeper.leader_and_isr[partition].leader
    chosen = s.zookeeper.reassigned[partition] & s.controller[controller].live
    if s.config.reassignment is not Reassignment.KAFKA or contains(chosen, leader):
        return broker == leader
    return contains(chosen, broker)


def write_assignment(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """RAR becomes AR in /brokers/topics; the request is still there.

    Design: V3 F, on_wakeup 3.2.5 (F2).   Kafka: KafkaController.onPartitionReassignment, step 11.
    Modifies: zookeeper, controller[controller].
    Reads: zookeeper.reassigned[partition], zookeeper.reassigned_preferred[partition] (the store: RAR becomes AR);
        zookeeper.controller_epoch (the store checks it within the write, Z9).
    """
    phase = Moving.STOPPED if s.config.stepwise_moves else Moving.SWITCHED
    if not can_write_last(s, controller, partition, phase):
        return False

    s.controller[controller].moving[partition] = Moving.WRITTEN_BACK
    assign_moved(s, partition)
    return True


def finish_reassignment(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The request is deleted.

    Design: V3 F, on_wakeup 3.2.6-3.2.7 (F2).   Kafka: KafkaController.onPartitionReassignment, step 12.
    Modifies: zookeeper, controller[controller].
    Reads: zookeeper.controller_epoch (the store checks it within the write, Z9).
    """
    if not can_write_last(s, controller, partition, Moving.WRITTEN_BACK):
        return False

    s.controller[controller].moving[partition] = Moving.NOT_MOVING
    delete_reassignment(s, partition)  # Without it, the next controller ends the same reassignment again.
    return True


def cancel_reassignment(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """An operator cancels the move: the new replicas leave the ISR, and are told to stop.

    If one of them is in the ISR that is a decision, of which leader and replicas hear. If not, nothing is decided: the leader
    does not hear of it, and from 2.6 on a new replica ignores StopReplica in an epoch that it knows (KAFKA-13972): here, as if
    that were lost. Such a stray replica follows on. The leader reads in the store that it is none; Kafka's may take it back into
    the ISR, with all that the ISR has. Where a new replica leads, nobody does then, and a member of the ISR is elected that
    stays. If there is none, a new replica stays in the ISR, which is deleted, and was the only one (KAFKA-14424).

    Design: none (N6, F1).   Kafka: KafkaController.updateCurrentReassignment, ReplicaStateMachine.doRemoveReplicasFromIsr (2.4,
        KIP-455).
    Modifies: zookeeper, controller[controller], decision[partition][controller], command[partition], spent.
    Reads: zookeeper.leader_and_isr[partition], zookeeper.assigned[partition], zookeeper.reassigned[partition] (the store, as it
        decides, A.3.1); zookeeper.controller_epoch (the store checks it within the write, Z9); command[partition] (what an
        epoch's command said of the replicas stays).
    """
    if s.spent.cancelled_moves >= s.config.cancelled_moves:
        return False  # switched off, or budget
    if not can_decide(s, controller, partition):
        return False
    me = s.controller[controller]
    if me.moving[partition] is not Moving.MOVING and me.moving[partition] is not Moving.TO_BEGIN:
        return False  # the switch has been decided
    if s.zookeeper.reassigned[partition] == 0:
        return False  # Without it, a move that has ended is cancelled.
    node = s.zookeeper.leader_and_isr[partition]
    if node.version == 0:
        return False
    new = s.zookeeper.reassigned[partition] & ~s.zookeeper.assigned[partition]
    if node.isr & new != 0 and not has_epoch_left(s, partition):
        return False

    s.spent.cancelled_moves += 1
    me.moving[partition] = Moving.NOT_MOVING
    delete_reassignment(s, partition)
    if node.isr & new != 0:
        leader = node.leader
        isr = node.isr & ~new
        if isr == 0:
            isr = only(leader)  # the last member stays: of several new ones this one
        if contains(new, leader):
            leader = NO_BROKER
        publish(s, controller, partition, leader, isr, Purpose.ELECTION)
    send_stop_replica(s, controller, partition, to_stop(s, controller, new))  # Without it, new replicas stay as strays.
    return True


def can_write_last(s: Kafka, controller: ControllerEpoch, partition: Partition, phase: Moving) -> bool:
    """The controller has come this far with the reassignment, and its writes are accepted."""
    if s.config.reassignments == 0:
        return False
    me = s.controller[controller]
    return me.moving[partition] == phase and may_go_on(s, controller) and its_writes_are_taken(s, controller)


def assign_moved(s: Kafka, partition: Partition) -> None:
    """AR is RAR; nothing is left to write when another controller has ended the reassignment."""
    if s.zookeeper.reassigned[partition] != 0:
        s.zookeeper.assigned[partition] = s.zookeeper.reassigned[partition]
        if s.config.preferred_elections > 0:
            s.zookeeper.preferred[partition] = s.zookeeper.reassigned_preferred[partition]
