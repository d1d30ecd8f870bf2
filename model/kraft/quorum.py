"""The log of metadata: what the controller appends, and in what state of the cluster it can (KR1).

The controller is one: that a quorum keeps its log and another member may lead it is Raft's affair. It appends all records of a
decision at once, and decides by the end of its log.
"""

from ..kraft_choices import LeavingLeader, Recovery
from ..members import NO_BROKER
from ..vocabulary import NO_EPOCH, Brokers
from .state import Kraft


def active(s: Kraft) -> int:
    """Brokers that are neither fenced nor in controlled shutdown, at the end of the log.

    Kafka: ClusterControlManager.isActive.
    """
    return s.zookeeper.broker_ids & ~s.metadata[0].leaving


def electable(s: Kraft) -> int:
    """Whom the controller takes for a leader: active brokers; up to 3.2 also those in controlled shutdown (KAFKA-13944).

    Kafka: ReplicationControlManager.generateLeaderAndIsrUpdates, isAcceptableLeader.
    """
    if s.config.leaving_leader is LeavingLeader.ELECTED:
        return s.zookeeper.broker_ids
    return active(s)


def min_isr_at_end(s: Kraft) -> int:
    """min.insync.replicas, as the log says at its end.

    Kafka: ReplicationControlManager.getTopicEffectiveMinIsr.
    """
    if s.config.min_isr_changes == 0:
        return s.config.min_isr
    log = s.metadata[0]
    return log.change[log.length].min_isr[0]


def elr_is_on(s: Kraft) -> bool:
    """The controller knows eligible leader replicas: the release does, and the feature level says so.

    Kafka: FeatureControlManager.isElrFeatureEnabled.
    """
    if s.config.recovery is not Recovery.ELIGIBLE_REPLICAS:
        return False
    return s.config.changing_features == 0 or s.metadata[0].elr_feature[0] == 1


def has_room(s: Kraft) -> bool:
    """The window has room for a change: else it waits until all running brokers have applied the first one."""
    return s.metadata[0].length < s.config.window or all_have_applied_the_next(s)


def append_change(s: Kraft, bounced: Brokers) -> None:
    """The log has a change more, and says what the controller has decided; `bounced` have registered again with it."""
    forget_applied(s)  # Without it, the window keeps changes that all have applied; the normal form forgets them anyway.
    log = s.metadata[0]
    log.length += 1
    change = log.change[log.length]
    change.active = active(s)
    change.bounced = bounced
    for place in range(s.config.changing_min_isrs):
        change.min_isr[place] = log.change[log.length - 1].min_isr[place]
    for partition in range(s.config.partitions):
        node = s.zookeeper.leader_and_isr[partition]
        change.image[partition].leader = node.leader
        change.image[partition].leader_epoch = node.leader_epoch
        change.image[partition].version = node.version
        change.image[partition].isr = node.isr
        for place in range(s.config.moves):
            change.image[partition].replicas[place] = s.zookeeper.assigned[partition]


def forget_applied(s: Kraft) -> None:
    """The window begins with what all running brokers have applied."""
    for _ in range(s.config.window):
        if all_have_applied_the_next(s):
            forget_first(s)


def all_have_applied_the_next(s: Kraft) -> bool:
    """All running brokers have applied the change after the first one of the window."""
    log = s.metadata[0]
    if log.length == 0:
        return False
    for broker in range(s.config.members):
        if s.broker[broker].up and log.applied[broker] == 0:
            return False
    return True


def forget_first(s: Kraft) -> None:
    """The window begins with the next change."""
    log = s.metadata[0]
    for number in range(s.config.window):
        if number < log.length:
            copy_change(s, number, number + 1)
    clear_change(s, log.length)
    for broker in range(s.config.members):
        log.applied[broker] = max(0, log.applied[broker] - 1)
        log.left_at[broker] = max(0, log.left_at[broker] - 1)
    for partition in range(s.config.recreated_topics):
        log.born_at[partition] = max(0, log.born_at[partition] - 1)
    log.length -= 1


def copy_change(s: Kraft, to: int, number: int) -> None:
    """One change in the place of another."""
    log = s.metadata[0]
    log.change[to].active = log.change[number].active
    log.change[to].bounced = log.change[number].bounced
    for place in range(s.config.changing_min_isrs):
        log.change[to].min_isr[place] = log.change[number].min_isr[place]
    for partition in range(s.config.partitions):
        log.change[to].image[partition].leader = log.change[number].image[partition].leader
        log.change[to].image[partition].leader_epoch = log.change[number].image[partition].leader_epoch
        log.change[to].image[partition].version = log.change[number].image[partition].version
        log.change[to].image[partition].isr = log.change[number].image[partition].isr
        for place in range(s.config.moves):
            log.change[to].image[partition].replicas[place] = log.change[number].image[partition].replicas[place]


def clear_change(s: Kraft, number: int) -> None:
    """There is no such change."""
    log = s.metadata[0]
    log.change[number].active = 0
    log.change[number].bounced = 0
    for place in range(s.config.changing_min_isrs):
        log.change[number].min_isr[place] = 0
    for partition in range(s.config.partitions):
        log.change[number].image[partition].leader = NO_BROKER
        log.change[number].image[partition].leader_epoch = NO_EPOCH
        log.change[number].image[partition].version = 0
        log.change[number].image[partition].isr = 0
        for place in range(s.config.moves):
            log.change[number].image[partition].replicas[place] = 0
