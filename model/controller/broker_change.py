"""V3 A, on_broker_change: brokers registered or failed, and partitions need another leader or a smaller ISR."""

from ..choices import Decisions, Elections, LiveLeader, OfflineIsr
from ..members import NO_BROKER, contains, how_many, only
from ..state import Kafka
from ..vocabulary import Broker, ControllerEpoch, Partition, Purpose
from ..zookeeper.watches import has_session, see_event, unseen_events
from .connections import close_connection, drop_unsent
from .decide import (
    can_decide,
    concerned,
    dispatch,
    has_epoch_left,
    is_affected,
    leaving_brokers,
    may_lead,
    needs_decision,
    publish,
)
from .memory import bounced_brokers, forget_bounced, has_lapsed, is_free
from .topic_deletion import stop_deleted
from .who_lives import say_who_lives


def see_broker_change(s: Kafka, controller: ControllerEpoch) -> bool:
    """The watch on /brokers/ids fired: the controller reads the live brokers and sets the watch again.

    The store may have changed again by now; the controller misses a broker that left and returned in between. By broker epochs it
    notices, and treats that broker as failed first, and then as new, at the next look (`broker_epochs`, R6). V3 goes through
    all partitions of a failed broker, "even if the leader for one partition disappears". Without `whole_changes` the next
    event may come in between, and the broker may be back before all are decided. Kafka handles one event at a time.
    V3 sends only to brokers that a decision concerns. Kafka sends what is published to each new live broker: decisions
    were made while it was away, and a zombie with a new session learns only here that another leads.

    Design: V3 A.1, comment A.3, ZH on_broker_start (A1, A6, M5, Z2, Z8, L1).   Kafka: KafkaController.BrokerChange, inLock.
    Modifies: controller, broker, command, earlier_command.
    Reads: broker (who has asked to be shut down: its requests);
        zookeeper.leader_and_isr, zookeeper.assigned, zookeeper.reassigned, zookeeper.broker_ids (the store: the live
        brokers, and what is published); zookeeper.controller_epoch (whether it can write its decisions still, Z9); command
        (what an epoch's command said of the replicas stays).
    """
    me = s.controller[controller]
    if not is_free(s, controller):
        return False
    if me.brokers_watch != 1:
        return False
    if not has_session(s, me.host):
        return False  # the read answers that the session has expired
    if s.config.whole_changes and has_undecided(s, controller):
        return False  # one event at a time: what went before is decided for all partitions

    see_event(s, me.host)
    present = s.zookeeper.broker_ids & ~bounced_brokers(s, controller)
    newcomers = present & ~me.live
    for broker in range(s.config.members):
        if contains(me.live & ~present, broker):
            close_connection(s, broker, controller)  # Without it, commands to a broker that has gone may still arrive.
            drop_unsent(s, broker, controller)
    for partition in range(s.config.looked_partitions):
        me.failed[partition] = me.live & ~present & s.zookeeper.leader_and_isr[partition].isr
    me.live = present
    for place in range(s.config.earlier_deaths):
        me.dead_before[place] = me.dead_before[place] & ~present  # Without it, who fails once more is not looked at either.
    if bounced_brokers(s, controller) & s.zookeeper.broker_ids != 0:
        me.brokers_watch = unseen_events(s, me.host) + 1
    forget_bounced(s, controller)
    say_who_lives(s, controller, present)  # Without it, brokers do not know who has started since.
    if s.config.told_newcomers:
        for partition in range(s.config.partitions):
            if s.zookeeper.leader_and_isr[partition].version > 0:
                dispatch(s, controller, partition, concerned(s, controller, partition) & newcomers)
    stop_deleted(s, controller, newcomers)
    return True


def has_undecided(s: Kafka, controller: ControllerEpoch) -> bool:
    """A broker that is not live leads still, or is in an ISR; or a partition without a leader has who may lead it (A.2-3).

    The controller waits for each follower that had failed when it looked last. It does not wait for a follower that had failed
    before it was elected, although since 2.3 Kafka's removes those first: more can happen here. It waits for a leader that a
    replaced controller elected last, which Kafka's controller does not see.
    """
    for partition in range(s.config.partitions):
        node = s.zookeeper.leader_and_isr[partition]
        leader = node.leader
        due = not contains(s.controller[controller].live, leader) or node.isr & s.controller[controller].failed[partition] != 0
        if leader == NO_BROKER or has_lapsed(s, controller, partition):
            due = may_lead(s, controller, partition) != 0
        if due and needs_decision(s, controller, partition):
            return True
    return False


def elect_leader(s: Kafka, controller: ControllerEpoch, partition: Partition, broker: Broker) -> bool:
    """The controller elects a live member of the ISR; the dead leave the ISR.

    V3 selects one of the live members, also if the leader lives and only the ISR shrinks; in Kafka that leader stays
    (`live_leader`). The epoch grows in any case, so that every broker can distinguish this decision from the last.

    Design: V3 A.3.2-3.3 (A1, A2, A5, C5).   Kafka: OfflinePartitionLeaderSelector, KafkaController.removeReplicaFromIsr.
    Modifies: zookeeper.leader_and_isr[partition], controller[controller], decision[partition][controller], command[partition].
    Reads: broker (who has asked to be shut down: its requests);
        zookeeper.leader_and_isr[partition], zookeeper.assigned[partition], zookeeper.reassigned[partition] (the store,
        as it decides, A.3.1); zookeeper.controller_epoch (the store checks it within the write, Z9); command[partition]
        (what an epoch's command said of the replicas stays).
    """
    if s.config.decisions is Decisions.MULTI:
        return False  # all partitions are decided together. Without it, a controller also decides one by one.
    if not can_decide(s, controller, partition):
        return False
    if not has_epoch_left(s, partition):
        return False
    node = s.zookeeper.leader_and_isr[partition]
    if node.version == 0:
        return False
    if not is_affected(s, controller, partition):
        return False
    live = s.controller[controller].live
    if not contains(may_lead(s, controller, partition), broker):
        return False  # a clean election: only who has all that is committed
    stays = s.config.live_leader is LiveLeader.STAYS and not has_lapsed(s, controller, partition)
    if stays and contains(node.isr & live, node.leader) and node.leader != broker:
        return False  # Without it, a live leader may be replaced, as in V3.

    publish(s, controller, partition, broker, node.isr & live, Purpose.ELECTION)
    return True


def elect_instead(s: Kafka, controller: ControllerEpoch, partition: Partition, broker: Broker) -> bool:
    """The new leader has not answered within ack_timeout: its election has failed, and another member is elected.

    Time is not modelled: the answer may only be late. The ISR stays: no broker is known to be dead.

    Design: V3 last comment, LeaderAndISRRequest's ack_timeout (M1, L1).   Kafka: none; it was an option that was not built.
    Modifies: zookeeper.leader_and_isr[partition], controller[controller], decision[partition][controller], command[partition].
    Reads: broker (who has asked to be shut down: its requests);
        zookeeper.leader_and_isr[partition], zookeeper.assigned[partition], zookeeper.reassigned[partition] (the store, as
        it decides, A.3.1); zookeeper.controller_epoch (the store checks it within the write, Z9); command[partition] (what
        an epoch's command said of the replicas stays).
    """
    if s.config.elections is not Elections.ANSWERED:
        return False
    if not can_decide(s, controller, partition):
        return False
    if not has_epoch_left(s, partition):
        return False
    me = s.controller[controller]
    node = s.zookeeper.leader_and_isr[partition]
    if node.version == 0:
        return False
    if me.awaited[partition] != node.leader_epoch:
        return False  # answered, or decided again since
    if broker == node.leader:
        return False  # the same election once more
    if not contains(may_lead(s, controller, partition), broker):
        return False

    publish(s, controller, partition, broker, node.isr & me.live, Purpose.ELECTION)  # Without it, no other broker is elected.
    return True


def elect_unclean_leader(s: Kafka, controller: ControllerEpoch, partition: Partition, broker: Broker) -> bool:
    """No member of the ISR lives: a live replica from outside leads alone. Committed records may be lost.

    Design: V3 A.3.2 (A3).   Kafka: OfflinePartitionLeaderSelector, unclean.leader.election.enable.
    Modifies: zookeeper.leader_and_isr[partition], controller[controller], decision[partition][controller], command[partition],
        spent, history[partition].
    Reads: broker (who has asked to be shut down: its requests);
        zookeeper.leader_and_isr[partition], zookeeper.assigned[partition], zookeeper.reassigned[partition] (the store,
        as it decides, A.3.1); zookeeper.controller_epoch (the store checks it within the write, Z9); command[partition]
        (what an epoch's command said of the replicas stays).
    """
    if s.spent.unclean_elections >= s.config.unclean_elections:
        return False  # switched off, or budget
    if not can_decide(s, controller, partition):
        return False  # Without it, it is elected while another event is handled.
    if not has_epoch_left(s, partition):
        return False
    node = s.zookeeper.leader_and_isr[partition]
    if node.version == 0:
        return False
    if node.leader == NO_BROKER and not s.config.retried_offline:
        return False
    if may_lead(s, controller, partition) != 0:
        return False  # a clean election is possible
    if not contains(living_replicas(s, controller, partition), broker):
        return False

    s.spent.unclean_elections += 1
    publish(s, controller, partition, broker, only(broker), Purpose.UNCLEAN)
    return True


def take_offline(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """No broker can be elected: the partition has no leader until a member of the ISR returns.

    In V3 the ISR keeps its members, because only they have all committed records. Kafka removes them one by one, and keeps the
    last (`take_offline_but_one`). Up to 1.0 it keeps none where unclean elections are allowed, although they may be forbidden
    again before somebody returns (KAFKA-5083, N10).

    Design: V3 A.3.2, comment A.1 (A4).   Kafka: KafkaController.removeReplicaFromIsr.
    Modifies: zookeeper.leader_and_isr[partition], controller[controller], decision[partition][controller], command[partition].
    Reads: broker (who has asked to be shut down: its requests);
        zookeeper.leader_and_isr[partition], zookeeper.assigned[partition], zookeeper.reassigned[partition] (the store,
        as it decides, A.3.1); zookeeper.controller_epoch (the store checks it within the write, Z9); command[partition]
        (what an epoch's command said of the replicas stays).
    """
    if not loses_leader(s, controller, partition):
        return False
    node = s.zookeeper.leader_and_isr[partition]
    isr = node.isr
    if empties_isr(s, controller, partition):
        isr = 0
    if s.config.offline_isr is not OfflineIsr.WHOLE and how_many(s, isr) > 1:
        return False  # one of them stays

    publish(s, controller, partition, NO_BROKER, isr, Purpose.ELECTION)
    return True


def take_offline_but_one(s: Kafka, controller: ControllerEpoch, partition: Partition, broker: Broker) -> bool:
    """No member of the ISR lives: Kafka removes one after the other, and the last stays, whoever that is.

    Only this one may be elected without loss then, as far as the store says; others that return may have all that is committed
    too. In Kafka each removal is a decision with an epoch; here all are one.

    Design: V3 A.3.2, comment A.1 (A4, N10).   Kafka: KafkaController.removeReplicaFromIsr.
    Modifies: zookeeper.leader_and_isr[partition], controller[controller], decision[partition][controller], command[partition].
    Reads: broker (who has asked to be shut down: its requests);
        zookeeper.leader_and_isr[partition], zookeeper.assigned[partition], zookeeper.reassigned[partition] (the store,
        as it decides, A.3.1); zookeeper.controller_epoch (the store checks it within the write, Z9); command[partition]
        (what an epoch's command said of the replicas stays).
    """
    if s.config.offline_isr is OfflineIsr.WHOLE:
        return False
    if not loses_leader(s, controller, partition):
        return False
    if empties_isr(s, controller, partition):
        return False
    isr = s.zookeeper.leader_and_isr[partition].isr
    if how_many(s, isr) < 2:
        return False  # nobody is to be removed
    if not contains(isr, broker):
        return False

    publish(s, controller, partition, NO_BROKER, only(broker), Purpose.ELECTION)
    return True


def loses_leader(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """The partition has a leader, and the controller finds nobody who can lead it (A4)."""
    if not can_decide(s, controller, partition):
        return False
    if not has_epoch_left(s, partition):
        return False
    node = s.zookeeper.leader_and_isr[partition]
    if node.version == 0:
        return False
    if node.leader == NO_BROKER:
        return False
    if has_lapsed(s, controller, partition):
        return False  # Without it, a leader that had died before the controller was elected is replaced by none.
    if may_lead(s, controller, partition) != 0:
        return False
    # Where there is somebody, V3 elects an unclean leader.
    return living_replicas(s, controller, partition) == 0 or s.spent.unclean_elections >= s.config.unclean_elections


def living_replicas(s: Kafka, controller: ControllerEpoch, partition: Partition) -> int:
    """The replicas on brokers that live and do not shut down, in the ISR or not."""
    return s.zookeeper.assigned[partition] & s.controller[controller].live & ~leaving_brokers(s)


def empties_isr(s: Kafka, controller: ControllerEpoch, partition: Partition) -> bool:
    """Unclean elections are allowed, and nobody is there to be elected: up to 1.0 the last member leaves the ISR too (N10)."""
    if s.config.offline_isr is not OfflineIsr.EMPTY or s.config.unclean_elections == 0:
        return False
    return living_replicas(s, controller, partition) == 0  # else the bound on unclean elections, not Kafka, elects nobody
