"""From reading leaderAndISR to publishing a decision (V3 A.3).

With store = atomic, reading, deciding, the conditional write and sending are one step. Otherwise a decision is based on
what was read and is in flight to the store: `write_decision` carries it out or refuses it, and `send_command` sends it.
Anything may happen in between; if the version has changed, the controller reads and decides again (A5).
"""

from ..choices import CommandOrder, Condition, Decisions, Elections, Reassignment, StopsTo, Store
from ..history import remember_unclean_election
from ..members import NO_BROKER, contains, including, only, subset
from ..state import Kafka
from ..vocabulary import NO_EPOCH, Broker, Brokers, ControllerEpoch, Epoch, Moving, Partition, Purpose
from ..zookeeper.watches import has_session
from ..zookeeper.znodes import holders, write_leader_and_isr
from .memory import bounced_brokers, dead_before, forget_decision, has_lapsed, is_ending_move, is_free, is_working
from .who_lives import send_informed


def is_affected(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """As far as the controller knows, the leader or a member of the ISR is no longer live (A.2).

    A partition at -1 has no leader that could fail, so V3 never elects one for it; Kafka tries again. A
    follower that had failed before the controller was elected is left to its leader up to 2.2 (KAFKA-3143, N9).
    """
    node = s.zookeeper.leader_and_isr[partition]
    live = s.controller[controller].live
    if node.leader == NO_BROKER and not s.config.retried_offline:
        return False  # Without it, an offline partition is tried again, as later releases do.
    if has_lapsed(s, controller, partition):
        return True
    return not contains(live, node.leader) or node.isr & ~live & ~dead_before(s, controller) != 0


def new_replicas_in_isr(s: Kafka, partition: Partition) -> bool:
    """F 3.2: ISR == AR + RAR. Kafka requires RAR alone: the reassignment may be away from a dead replica."""
    isr = s.zookeeper.leader_and_isr[partition].isr
    if s.zookeeper.reassigned[partition] == 0:
        return False  # done by another, or the topic is gone. Without it, a controller reads; RAR is empty, so nobody is elected.
    if s.config.reassignment is Reassignment.KAFKA:
        return subset(s.zookeeper.reassigned[partition], isr)
    return isr == holders(s, partition)


def can_decide(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The controller may read leaderAndISR and decide: working, in session, not replaced, with no write in flight (R7)."""
    return may_decide(s, controller, partition) and not is_ending_move(s, controller)


def may_decide(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The same of a decision that goes on with a move."""
    me = s.controller[controller]
    if not is_working(s, controller):
        return False
    if not has_session(s, me.host):
        return False
    if s.config.controller_epoch and s.zookeeper.leader_and_isr[partition].controller_epoch > controller:
        return False  # it reads that a later controller has decided, and gives up (D4)
    if controller_is_fenced(s, controller):
        return False
    if s.config.confirming_partitions > 0:
        if s.controller[controller].ending[partition]:
            return False  # a topic that is to be deleted gets no leader any more
    if s.config.store is not Store.ANSWERED:
        return True
    return not s.decision[partition][controller].asked


def controller_is_fenced(s: Kafka, controller: ControllerEpoch) -> bool:
    """Its writes carry a check of /controller_epoch in one multi, and fail: another controller was elected (Z9, R5)."""
    if not s.config.fenced_controllers:
        return False  # Without it, writes are always fenced, as if the setting were on.
    return s.zookeeper.controller_epoch > controller


def may_write(s: Kafka, controller: ControllerEpoch) -> bool:
    """The controller does nothing else, and the store takes its writes."""
    return is_free(s, controller) and its_writes_are_taken(s, controller)


def its_writes_are_taken(s: Kafka, controller: ControllerEpoch) -> bool:
    """It has a session, and is not replaced as far as the store checks that."""
    return has_session(s, s.controller[controller].host) and not controller_is_fenced(s, controller)


def needs_decision(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The partition is affected, and the controller may decide on it, with an epoch that is left (A.2-3)."""
    if s.zookeeper.leader_and_isr[partition].version == 0:
        return False
    if not can_decide(s, controller, partition):
        return False  # Without it, the next event waits for a decision that the controller cannot make.
    if not has_epoch_left(s, partition):
        return False
    return is_affected(s, controller, partition)


def publish(s: Kafka, controller: ControllerEpoch, partition: Partition, leader: Broker, isr: Brokers, purpose: Purpose) -> None:
    """Write the decision with the next epoch (A.3.3): at once, or as a request to the store."""
    node = s.zookeeper.leader_and_isr[partition]
    epoch = node.leader_epoch + 1
    if purpose is Purpose.SWITCH and not s.config.switch_epoch:
        epoch = node.leader_epoch  # V3 F updates the ISR alone
    if s.config.store is Store.ANSWERED:
        request = s.decision[partition][controller]
        request.asked = 1
        request.purpose = purpose
        request.version = node.version
        request.leader = leader
        request.leader_epoch = epoch
        request.isr = isr
    else:
        carry_out(s, controller, partition, leader, epoch, isr, purpose)
        go_on(s, controller, partition, purpose)


def carry_out(
    s: Kafka, controller: ControllerEpoch, partition: Partition, leader: Broker, epoch: Epoch, isr: Brokers, purpose: Purpose
) -> None:
    """The store has the decision."""
    write_leader_and_isr(s, partition, leader, epoch, isr)
    s.zookeeper.leader_and_isr[partition].controller_epoch = controller
    if purpose is Purpose.UNCLEAN:
        remember_unclean_election(s, partition)


def go_on(s: Kafka, controller: ControllerEpoch, partition: Partition, purpose: Purpose) -> None:
    """The controller knows that its decision is in the store: send it, and complete its purpose (A.4)."""
    me = s.controller[controller]
    told = concerned(s, controller, partition)
    if s.config.elections is Elections.ANSWERED:
        me.awaited[partition] = NO_EPOCH  # the election before is over
    if purpose is Purpose.PREFERRED:
        s.zookeeper.preferred_election[partition] = 0
    if s.config.reassignments > 0:
        if purpose is Purpose.SWITCH:
            told = told_of_switch(s, partition)
            me.moving[partition] = Moving.SWITCHED
            if s.config.watched_moves > 0:
                me.isr_read[partition] = 0
        if purpose is Purpose.BEGIN:
            me.moving[partition] = Moving.MOVING
            if s.config.watched_moves > 0:
                me.isr_read[partition] = 0  # it has yet to look
    if s.config.lapsed_partitions > 0:
        me.lapsed[partition] = 0
    if s.config.looked_partitions > 0:
        me.failed[partition] = me.failed[partition] & s.zookeeper.leader_and_isr[partition].isr
    dispatch(s, controller, partition, told & me.live)
    if s.config.reassignments > 0:
        if purpose is Purpose.SWITCH and not s.config.stepwise_moves:
            leaving = s.zookeeper.assigned[partition] & ~s.zookeeper.reassigned[partition]
            send_stop_replica(s, controller, partition, to_stop(s, controller, leaving))


def told_of_switch(s: Kafka, partition: Partition) -> int:
    """Who is told of the new ISR: in V3 its leader, wherever it is (F 3.2.3); in Kafka all of RAR."""
    if s.config.reassignment is Reassignment.KAFKA:
        return s.zookeeper.reassigned[partition]
    return only(s.zookeeper.leader_and_isr[partition].leader)


def write_decision(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The store carries out a controller's write, or refuses it: another version, no session, another controller.

    A refused controller reads again (A.3.1), and decides again if the partition still needs it, or if it reads its own decision,
    of which it has no answer. The older text of V3 F does not make its write conditional (F4).

    Design: V3 A.3.3 (A1, A5, Z4, Z9).   Kafka: ReplicationUtils.updateLeaderAndIsr, KafkaZkClient.updateLeaderAndIsr.
    Modifies: zookeeper, controller[controller], decision[partition][controller], command[partition], history[partition].
    Reads: zookeeper.leader_and_isr[partition], zookeeper.controller_epoch (the store, which checks the condition);
        zookeeper.assigned[partition], zookeeper.reassigned[partition] (the store: to whom the decision is sent);
        command[partition] (what an epoch's command said of the replicas stays).
    """
    if s.config.store is not Store.ANSWERED:
        return False
    if not s.decision[partition][controller].asked:
        return False
    if s.config.decisions is Decisions.MULTI and s.decision[partition][controller].purpose is Purpose.TOGETHER:
        return False  # it goes with the others. Without it, it is written before the others.

    request = s.decision[partition][controller]
    purpose = request.purpose
    done = s.config.recognised_decisions and has_own_decision(s, controller, partition)
    if succeeds(s, controller, partition):
        carry_out(s, controller, partition, request.leader, request.leader_epoch, request.isr, purpose)
        done = True
    elif not done and can_decide_the_same_again(s, controller, partition):
        decide_the_same_again(s, controller, partition)
        return True
    forget_decision(s, controller, partition)
    if done:
        go_on(s, controller, partition, purpose)
    return True


def succeeds(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The condition of the write holds: the version that was read is still the node's (A5).

    ZH's steps write without a condition; its discussion has one for all writes, that none may have a smaller epoch than the
    node's. A leader's change of the ISR has no epoch of its own, so it does not stop a controller that read before it.
    """
    request = s.decision[partition][controller]
    if not has_session(s, s.controller[controller].host) or controller_is_fenced(s, controller):
        return False
    if s.config.reassignment is Reassignment.V3_OLDER and request.purpose is Purpose.SWITCH:
        return s.zookeeper.leader_and_isr[partition].version > 0  # not conditional
    if s.config.decision_condition is Condition.EPOCH and request.leader_epoch > 0:
        node = s.zookeeper.leader_and_isr[partition]
        return node.version > 0 and request.leader_epoch >= node.leader_epoch
    if request.version == 0 and (request.leader_epoch > 0 or request.purpose is Purpose.SWITCH):
        return False  # a version of long ago, as the normal form writes it; only a first leader is written without one
    return request.version == s.zookeeper.leader_and_isr[partition].version


def has_own_decision(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The store has what this controller wanted to write: the answer of an earlier attempt was lost (KAFKA-1382, R2).

    A first leader's node is created, not written under a condition. That it exists is an error in every release, whoever did it.
    """
    if not has_session(s, s.controller[controller].host):
        return False
    request = s.decision[partition][controller]
    if request.leader_epoch == 0:
        return False  # a first leader
    node = s.zookeeper.leader_and_isr[partition]
    if node.version == 0 or node.controller_epoch != controller or node.leader_epoch != request.leader_epoch:
        return False
    return node.leader == request.leader and node.isr == request.isr


def can_decide_the_same_again(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The version was refused because the write succeeded before; there is an epoch left, and no other controller (A5, Z12).

    Nobody but another controller writes before the elected leader is told: V3's "go back to 1.1" reads what was written.
    V3 F goes back to 3.1, which finds another ISR.
    """
    if controller_is_fenced(s, controller) or not has_epoch_left(s, partition):
        return False
    if s.decision[partition][controller].purpose is Purpose.SWITCH and not s.config.switch_epoch:
        return False
    return has_own_decision(s, controller, partition)


def decide_the_same_again(s: Kafka, controller: ControllerEpoch, partition: Partition) -> None:
    """From what it reads follows the same leader, with the next epoch and the present version.

    Where only a dead member leaves the ISR, Kafka finds it gone and sends what it reads: one epoch less than here.
    """
    node = s.zookeeper.leader_and_isr[partition]
    request = s.decision[partition][controller]
    request.version = node.version
    request.leader_epoch = node.leader_epoch + 1  # Without it, the same epoch is written again; nobody has heard of it.
    if request.purpose is Purpose.UNCLEAN:
        request.purpose = Purpose.ELECTION  # the leader is in the ISR by now


def lose_decision_answer(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The connection to the store is lost after the write: the controller does not know that it happened, and asks again (Z12).

    Design: ZooKeeper's contract, connection loss (Z4).   Kafka: ZkClient.retryUntilConnected.
    Modifies: zookeeper.leader_and_isr[partition], history[partition], spent.
    Reads: zookeeper.leader_and_isr[partition], zookeeper.controller_epoch (the store, which checks the condition).
    """
    if s.spent.lost_answers >= s.config.lost_answers:
        return False  # budget
    if s.config.store is not Store.ANSWERED:
        return False
    request = s.decision[partition][controller]
    if not request.asked:
        return False
    if not succeeds(s, controller, partition):
        return False

    s.spent.lost_answers += 1
    carry_out(  # Without it, nothing is written, as if the write had failed.
        s, controller, partition, request.leader, request.leader_epoch, request.isr, request.purpose
    )
    return True


def concerned(s: Kafka, controller: ControllerEpoch, partition: Partition) -> int:
    """Where a decision is sent: to AR, and during a reassignment to RAR too, until the others receive StopReplica (A.4, F3)."""
    if s.config.reassignments > 0:
        if is_switched(s, controller, partition):
            return s.zookeeper.reassigned[partition]
    if s.config.changing_partitions > 0:
        return holders(s, partition) | s.controller[controller].added[partition]
    return holders(s, partition)


def is_switched(s: Kafka, controller: ControllerEpoch, partition: Partition) -> int:
    """The controller has switched the ISR, and the request is still in the store."""
    if s.controller[controller].moving[partition] >= Moving.SWITCHED:
        return 1
    return 0


def dispatch(s: Kafka, controller: ControllerEpoch, partition: Partition, brokers: Brokers) -> None:
    """Send what leaderAndISR says to `brokers`; with an answered store, record that it has yet to be sent (A6).

    The command of an epoch is made from the store each time. This makes no difference to its receivers: until the
    elected leader has obeyed, only a controller can write the node; afterwards only followers wait for the
    command, and they use only leader and epoch.
    If commands are one log (`command_order = log`), the decision is a record that every broker reads, also one that is fenced.
    """
    node = s.zookeeper.leader_and_isr[partition]
    if s.config.command_order is CommandOrder.LOG:
        brokers = holders(s, partition)  # also those that the controller believes to be dead
    if brokers != 0:
        command = s.command[partition][node.leader_epoch]
        send_informed(s, controller, partition, node.leader_epoch, brokers)
        command.leader = node.leader
        command.isr = node.isr
        command.zk_version = node.version
        if s.config.reassignments > 0 and s.config.reassignment is Reassignment.KAFKA:
            command.moved = max(command.moved, is_switched(s, controller, partition))
        if s.config.elections is Elections.ANSWERED and contains(brokers, node.leader):
            s.controller[controller].awaited[partition] = node.leader_epoch
        if s.config.store is Store.ANSWERED:
            command.unsent[controller] = command.unsent[controller] | brokers
        else:
            send(s, controller, partition, node.leader_epoch, brokers)


def send(s: Kafka, controller: ControllerEpoch, partition: Partition, epoch: Epoch, brokers: Brokers) -> None:
    """The command is in flight, over open connections. A StopReplica sent before has arrived, or is lost (C6, R8).

    It names the registration that the controller knows: who has registered anew refuses it (R6).
    """
    command = s.command[partition][epoch]
    if s.config.command_order is CommandOrder.LOG:
        command.sent[controller] = command.sent[controller] | brokers  # a record of the log names no registration
    else:
        command.sent[controller] = command.sent[controller] | brokers & ~bounced_brokers(s, controller)
    if s.config.command_order is CommandOrder.PER_CONNECTION:
        command.overtaken[controller] = command.overtaken[controller] & ~brokers
    if s.config.ordered_stops:
        me = s.controller[controller]
        me.stopping[partition] = me.stopping[partition] & ~brokers


def send_stop_replica(s: Kafka, controller: ControllerEpoch, partition: Partition, brokers: Brokers) -> None:
    """Send StopReplica to `brokers`. What has yet to be sent to them is overtaken: it was sent before, or is never sent (R8)."""
    me = s.controller[controller]
    me.stopping[partition] = me.stopping[partition] | brokers & ~bounced_brokers(s, controller)
    if s.config.ordered_stops:
        for epoch in range(s.config.epochs):
            command = s.command[partition][epoch]
            command.unsent[controller] = command.unsent[controller] & ~brokers


def to_stop(s: Kafka, controller: ControllerEpoch, brokers: Brokers) -> int:
    """Those of `brokers` that StopReplica is sent to: in V3 live brokers, in comment A.4 also the queue of a dead one (M6).

    It waits there until the broker returns, whoever is the controller by then; with KIP-380 the returned broker refuses it.
    """
    if s.config.stops_to is StopsTo.DEAD_TOO:
        return brokers
    return brokers & s.controller[controller].live


def leaving_brokers(s: Kafka) -> int:
    """The brokers that have asked for a shutdown, also those that have stopped since (M3)."""
    leaving = 0
    if s.config.controlled_shutdowns > 0:
        for broker in range(s.config.members):
            if s.broker[broker].leaving:
                leaving = including(leaving, broker)
    return leaving


def staying_members(s: Kafka, controller: ControllerEpoch, partition: Partition) -> int:
    """The live members of the ISR that do not shut down (M3)."""
    return s.zookeeper.leader_and_isr[partition].isr & s.controller[controller].live & ~leaving_brokers(s)


def may_lead(s: Kafka, controller: ControllerEpoch, partition: Partition) -> int:
    """The members of the ISR that may be elected: those that live and do not shut down, and the leader while it lives (M3)."""
    node = s.zookeeper.leader_and_isr[partition]
    return staying_members(s, controller, partition) | node.isr & s.controller[controller].live & only(node.leader)


def has_epoch_left(s: Kafka, partition: Partition) -> bool:
    """The bound of the exploration allows another decision."""
    return s.zookeeper.leader_and_isr[partition].leader_epoch < s.config.max_epoch
