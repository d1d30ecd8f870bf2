"""What a controller holds in memory, and how it loses it."""

from ..choices import Store
from ..members import NO_BROKER
from ..state import Kafka
from ..vocabulary import NO_EPOCH, Broker, Changing, ControllerEpoch, Moving, Partition, Purpose
from .connections import end_connections


def resign(s: Kafka, broker: Broker) -> None:
    """`broker` is no longer a controller: what it had yet to send is never sent."""
    for epoch in range(s.config.controllers):
        if s.controller[epoch].active and s.controller[epoch].host == broker:
            forget(s, epoch)


def forget(s: Kafka, controller: ControllerEpoch) -> None:
    """Forget this controller's memory. What it has sent to a process that runs is still in flight."""
    me = s.controller[controller]
    end_connections(s, controller)
    me.active = 0
    me.host = NO_BROKER
    me.live = 0
    if s.config.news:
        forget_behind_unsent(s, controller)
    forget_bounced(s, controller)  # Without it, what it had noticed makes two states of one.
    for place in range(s.config.earlier_deaths):
        me.dead_before[place] = 0
    me.brokers_watch = 0
    me.topics_watch = 0
    me.moves_watch = 0
    me.recovering = 0
    for partition in range(s.config.partitions):
        forget_decision(s, controller, partition)
        me.known[partition] = 0
        if s.config.looked_partitions > 0:
            me.failed[partition] = 0  # Without it, what it had seen makes two states of one.
        if s.config.awaiting_partitions > 0:
            me.awaited[partition] = NO_EPOCH
        if s.config.lapsed_partitions > 0:
            me.lapsed[partition] = 0
        if s.config.unled_partitions > 0:
            me.unled[partition] = 0
        if s.config.vanishing_partitions > 0:
            me.fresh[partition] = 0
        if s.config.confirming_partitions > 0:
            me.ending[partition] = 0
            me.stopped[partition] = 0
        if s.config.changing_partitions > 0:
            me.changing[partition] = Changing.NOT_CHANGING
            me.added[partition] = 0
        if s.config.preferred_additions > 0:
            me.added_preferred[partition] = NO_BROKER
        if s.config.reassignments > 0:
            me.moving[partition] = Moving.NOT_MOVING
        if s.config.watched_moves > 0:
            me.isr_read[partition] = 0
        for epoch in range(s.config.epochs):
            s.command[partition][epoch].unsent[controller] = 0


def forget_behind_unsent(s: Kafka, controller: ControllerEpoch) -> None:
    """What it says of who lives is sent after its first roles, which it sends no more."""
    me = s.controller[controller]
    for partition in range(s.config.partitions):
        for epoch in range(s.config.epochs):
            command = s.command[partition][epoch]
            me.naming[0] = me.naming[0] & ~(command.early[controller] & command.unsent[controller])


def bounced_brokers(s: Kafka, controller: ControllerEpoch) -> int:
    """The brokers of which the controller knows an earlier registration: they refuse what it sends (KIP-380)."""
    bounced = 0
    for place in range(s.config.registrations):
        bounced = bounced | s.controller[controller].bounced[place]
    return bounced


def dead_before(s: Kafka, controller: ControllerEpoch) -> int:
    """The brokers that had died before the controller was elected, and on which it does not decide (KAFKA-3143)."""
    dead = 0
    for place in range(s.config.earlier_deaths):
        dead = dead | s.controller[controller].dead_before[place]
    return dead


def has_lapsed(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The leader had died before the controller was elected, and nothing was decided since (KAFKA-3143)."""
    if s.config.lapsed_partitions == 0:
        return False
    return s.controller[controller].lapsed[partition] == 1


def forget_bounced(s: Kafka, controller: ControllerEpoch) -> None:
    """What it reads of /brokers/ids is the present state."""
    for place in range(s.config.registrations):
        s.controller[controller].bounced[place] = 0


def forget_decision(s: Kafka, controller: ControllerEpoch, partition: Partition) -> None:
    """Forget this controller's write of the partition's leaderAndISR."""
    if s.config.store is Store.ANSWERED:
        request = s.decision[partition][controller]
        request.asked = 0
        request.purpose = Purpose.ELECTION
        request.version = 0
        request.leader = NO_BROKER
        request.leader_epoch = NO_EPOCH
        request.isr = 0


def is_working(s: Kafka, controller: ControllerEpoch) -> int:
    """It believes that it is the controller, and has read the store since its election."""
    return s.controller[controller].active and not s.controller[controller].recovering


def is_free(s: Kafka, controller: ControllerEpoch) -> bool:
    """It works, and is in no procedure: one at a time, under the controller lock (V3 F 3.2.1, M11)."""
    return may_go_on(s, controller) and not is_ending_move(s, controller)


def is_ending_move(s: Kafka, controller: ControllerEpoch) -> bool:
    """It has switched a partition to its new replicas, and does nothing else until the old ones have gone (N6)."""
    if s.config.stepwise_moves:
        for partition in range(s.config.partitions):
            me = s.controller[controller]
            if me.moving[partition] is Moving.SWITCHED or me.moving[partition] is Moving.STOPPED:
                return True
    return False


def may_go_on(s: Kafka, controller: ControllerEpoch) -> bool:
    """It works, and waits for no answer from the store."""
    if not is_working(s, controller):
        return False
    if s.config.store is Store.ANSWERED and s.config.controller_lock:
        for partition in range(s.config.partitions):
            if s.decision[partition][controller].asked:
                return False
    return True
