"""How a move ends in Kafka: the old replicas leave the ISR one by one, are told to stop, and then RAR is the assignment (N6).

The switch (`reassignment.switch_isr`) has told the leader that RAR alone are replicas, with the ISR as it was. What follows is
one procedure of the controller, between whose writes brokers act, and in which it may fail: its successor finds the old replicas
in the ISR, and RAR + AR as the assignment.
"""

from ..choices import Store
from ..members import contains, excluding
from ..state import Kafka
from ..vocabulary import Broker, ControllerEpoch, Moving, Partition, Purpose
from ..zookeeper.znodes import delete_reassignment
from .decide import has_epoch_left, its_writes_are_taken, may_decide, publish, send_stop_replica, to_stop
from .memory import may_go_on
from .reassignment import assign_moved


def remove_old_replica(s: Kafka, controller: ControllerEpoch, partition: Partition, broker: Broker) -> bool:
    """The controller takes an old replica out of the ISR, and tells RAR, with the next epoch.

    Design: none (N6).   Kafka: ReplicaStateMachine.removeReplicasFromIsr.
    Modifies: zookeeper, controller[controller], decision[partition][controller], command[partition].
    Reads: zookeeper.leader_and_isr[partition], zookeeper.assigned[partition], zookeeper.reassigned[partition] (the store, as it
        decides, A.3.1); zookeeper.controller_epoch (the store checks it within the write, Z9); command[partition] (what an
        epoch's command said of the replicas stays).
    """
    if s.config.stepwise_moves == 0:
        return False
    if s.controller[controller].moving[partition] is not Moving.SWITCHED:
        return False
    if not may_decide(s, controller, partition):
        return False
    if not has_epoch_left(s, partition):
        return False
    node = s.zookeeper.leader_and_isr[partition]
    if not contains(old_members(s, partition), broker):
        return False  # Without it, new replicas leave the ISR too.
    if broker == node.leader:
        return False  # another controller has decided since

    publish(s, controller, partition, node.leader, excluding(node.isr, broker), Purpose.ELECTION)
    return True


def old_members(s: Kafka, partition: Partition) -> int:
    """The members of the ISR that the move takes away."""
    if s.zookeeper.reassigned[partition] == 0:
        return 0  # another controller has ended it
    return s.zookeeper.leader_and_isr[partition].isr & ~s.zookeeper.reassigned[partition]


def stop_old_replicas(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """All old replicas are out of the ISR: they are told to stop, and RAR becomes the assignment.

    Design: V3 F, on_wakeup 3.2.4-3.2.7 (N6, C6).   Kafka: KafkaController.stopRemovedReplicasOfReassignedPartition.
    Modifies: zookeeper, controller[controller], command[partition].
    Reads: zookeeper.leader_and_isr[partition], zookeeper.assigned[partition], zookeeper.reassigned[partition],
        zookeeper.reassigned_preferred[partition] (the store: RAR becomes AR); zookeeper.controller_epoch (the store checks it
        within the write, Z9).
    """
    if s.config.stepwise_moves == 0:
        return False
    me = s.controller[controller]
    if me.moving[partition] is not Moving.SWITCHED:
        return False
    if not may_go_on(s, controller):
        return False  # Without it, another event comes in between.
    if not its_writes_are_taken(s, controller):
        return False  # Without it, replicas stop before the write is taken.
    if old_members(s, partition) != 0:
        return False

    leaving = s.zookeeper.assigned[partition] & ~s.zookeeper.reassigned[partition]
    if s.zookeeper.reassigned[partition] != 0:
        send_stop_replica(s, controller, partition, to_stop(s, controller, leaving))
    me.moving[partition] = Moving.STOPPED  # with an answered store the two writes are steps
    if s.config.store is not Store.ANSWERED:
        me.moving[partition] = Moving.NOT_MOVING
        assign_moved(s, partition)
        delete_reassignment(s, partition)
    return True
