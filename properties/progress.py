"""The cluster makes progress (Q20): what it can still do when it is left alone, and what it does if every part takes its steps.

The bounds of an exploration are not defects of the protocol: when no leader epoch is left, no version for a leader's write, or no
controller can be elected any more, nothing is required (`serving.is_over`).
"""

from dataclasses import replace
from typing import Any

from ..model.broker.route import is_answered
from ..model.choices import Beginning
from ..model.config import Config
from ..model.members import NO_BROKER, contains
from ..model.state import Kafka
from ..model.truncation.exchange import can_answer
from ..model.truncation.names import Truncation
from ..model.vocabulary import Broker, ControllerEpoch, Partition, Phase
from . import rankings
from .property import always, leads_to, recoverable
from .ranked import ranked
from .serving import is_in_session, is_over, is_served, is_without_controller, isr_member_lives

FIRST = "high-watermark"


def leader_can_serve(s: Kafka, partition: Partition) -> int:
    """While a member of the ISR runs, the partition can have a serving leader again.

    Otherwise the partition takes no writes until an operator restarts a broker, although all committed records
    exist.
    """
    return is_served(s, partition) or is_over(s, partition)


def leader_serves_again(s: Kafka, partition: Partition) -> int:
    """While a member of the ISR runs, the partition gets a serving leader.

    It is not enough that it can: a controller that repeats the same steps serves no one.
    """
    return is_served(s, partition) or is_over(s, partition) or not isr_member_lives(s, partition)


def is_in_sync(s: Kafka, partition: Partition, broker: Broker) -> int:
    """The broker leads and is published as leader, or it fetches from the leader in its epoch and is in the ISR."""
    node = s.zookeeper.leader_and_isr[partition]
    if not contains(node.isr, broker):
        return False
    if node.leader == broker:
        return is_served(s, partition)
    me = s.replica[partition][broker]
    if me.phase is not Phase.FETCHING or me.failed:
        return False
    return me.leader == node.leader and me.leader_epoch == node.leader_epoch


def follower_can_join(s: Kafka, partition: Partition, broker: Broker) -> int:
    """A replica whose broker is in session can join the ISR, fetching from the leader.

    Otherwise there is one copy less and no alert: the next failure may take the partition offline. This happens
    when a fetcher failed on a record that does not fit, or when a command is never sent again.
    """
    return is_in_sync(s, partition, broker) or is_over(s, partition)


def follower_joins(s: Kafka, partition: Partition, broker: Broker) -> int:
    """A replica whose broker is in session joins the ISR, fetching from the leader, or its broker leaves."""
    if not is_in_session(s, partition, broker):
        return True
    return is_in_sync(s, partition, broker) or is_over(s, partition)


def write_can_be_acknowledged(s: Kafka, partition: Partition) -> bool:
    """While a member of the ISR runs, a write can be acknowledged again: a leader serves, and all of its ISR fetches.

    A member of the ISR that does not fetch delays every write with acks=all until it leaves the ISR.
    """
    if is_over(s, partition):
        return True
    if not is_served(s, partition):
        return False
    node = s.zookeeper.leader_and_isr[partition]
    for broker in range(s.config.members):
        if contains(node.isr, broker) and not is_in_sync(s, partition, broker):
            return False
    me = s.replica[partition][node.leader]
    return me.zk_version == node.version and me.isr == node.isr


def has_uncommitted(s: Kafka, partition: Partition) -> bool:
    """All of the ISR has a record that its serving leader has yet to commit."""
    if not is_served(s, partition):
        return False
    node = s.zookeeper.leader_and_isr[partition]
    hw = s.replica[partition][node.leader].hw
    for broker in range(s.config.members):
        if contains(node.isr, broker) and s.replica[partition][broker].leo <= hw:
            return False
    return node.isr != 0


def replicated_records_commit(s: Kafka, partition: Partition) -> bool:
    """What all of the ISR has is committed in the end, or the partition gets another leader.

    Otherwise a producer with acks=all waits, and consumers do not see a record, until somebody happens to write the next one
    (KAFKA-13091).
    """
    return not has_uncommitted(s, partition) or is_over(s, partition)


def is_moving(s: Kafka, partition: Partition) -> bool:
    """A reassignment of the partition is requested."""
    return s.zookeeper.reassigned[partition] != 0


def has_moved(s: Kafka, partition: Partition) -> bool:
    """No reassignment is requested, or one of its target brokers is down."""
    if s.zookeeper.reassigned[partition] == 0 or is_over(s, partition) or not isr_member_lives(s, partition):
        return True
    for broker in range(s.config.members):
        if contains(s.zookeeper.reassigned[partition], broker) and not s.broker[broker].up:
            return True
    return False


def reassignment_can_end(s: Kafka, partition: Partition) -> bool:
    """A reassignment to running brokers can end.

    Otherwise it blocks every later one of the partition, and its data stays on brokers that an operator wants to empty.
    """
    return has_moved(s, partition)


def reassignment_ends(s: Kafka, partition: Partition) -> bool:
    """A reassignment to running brokers ends."""
    return has_moved(s, partition)


def is_being_added(s: Kafka, partition: Partition) -> bool:
    """An operator has requested to add the partition to the topic, or has written it into the topic's path."""
    if s.config.changing_partitions > 0:
        return s.zookeeper.adding[partition] != 0
    return s.zookeeper.assigned[partition] != 0 and s.zookeeper.leader_and_isr[partition].version == 0


def addition_ends(s: Kafka, partition: Partition) -> bool:
    """A partition that an operator adds appears in the topic's path and gets a leader, if there are brokers and epochs for it.

    One that has a leader and is not in the topic's path serves, until a broker reads which partitions exist and deletes it
    (V3 C.3, E.4).
    """
    is_whole = s.zookeeper.assigned[partition] != 0 and s.zookeeper.leader_and_isr[partition].version > 0
    return is_whole or is_without_controller(s) or has_nobody_for(s, partition)


def has_nobody_for(s: Kafka, partition: Partition) -> bool:
    """No broker that could hold the partition is in session."""
    meant = s.zookeeper.assigned[partition]
    if s.config.changing_partitions > 0:
        meant = s.zookeeper.adding[partition]
    return meant & s.zookeeper.broker_ids == 0 and meant != 0


def is_being_removed(s: Kafka, partition: Partition) -> bool:
    """An operator has requested to remove the partition from the topic."""
    return s.zookeeper.removing[partition] != 0


def removal_ends(s: Kafka, partition: Partition) -> bool:
    """A partition that an operator removes disappears from the topic's path.

    Otherwise it returns, empty, when a broker starts that is still assigned to it.
    """
    return s.zookeeper.assigned[partition] == 0 or is_without_controller(s)


def is_unfinished(s: Kafka, partition: Partition) -> bool:
    """An administrator's request is not complete: it is still there, or half of it is done."""
    store = s.zookeeper
    if s.config.reassignments > 0:
        if store.reassigned[partition] != 0:
            return True
    if s.config.changing_partitions == 0:
        return False
    asked = store.adding[partition] != 0 or store.removing[partition] != 0
    return asked or (store.assigned[partition] == 0 and store.leader_and_isr[partition].version > 0)


def unfinished_change_is_told(s: Kafka, partition: Partition) -> int:
    """An administrator's request is completed in the end, or an alert says that it is not (M10).

    Whatever prevents it, even a dead broker, is reported. As printed, V3 H deletes the request before the change is
    complete: a controller that stops in between leaves half a change, and its successor has no reason for an alert.
    """
    return not is_unfinished(s, partition) or s.alert[partition].raised or is_without_controller(s)


def has_alerts(config: Config) -> bool:
    """Alerts are raised, and administrators make requests."""
    return config.alerts > 0 and config.reassignments + config.changing_partitions > 0


def is_shutting_down(s: Kafka, broker: Broker) -> int:
    """The broker has requested a controlled shutdown and still runs."""
    return s.broker[broker].up and s.broker[broker].leaving


def shutdown_ends(s: Kafka, broker: Broker) -> bool:
    """A broker in a controlled shutdown stops, once its leaderships have moved (M3).

    Otherwise an operator has to kill it, and everything happens that the shutdown should avoid.
    """
    for partition in range(s.config.partitions):
        if is_over(s, partition):
            return True
    return not is_shutting_down(s, broker)


def leads_and_is_gone(s: Kafka, broker: Broker) -> bool:
    """A broker that is the published leader of some partition is in no session."""
    for partition in range(s.config.partitions):
        if s.zookeeper.leader_and_isr[partition].leader == broker and not is_over(s, partition):
            return not contains(s.zookeeper.broker_ids, broker)
    return False


def lost_broker_leads_nothing(s: Kafka, broker: Broker) -> bool:
    """Each partition of a failed broker gets another leader, or none, or the broker returns (V3 comment A.3: M5).

    This is about all of them: a controller that handles only the partition whose leader it missed first leaves the others without
    a leader. And about those that failed before the controller was elected: else a leader is published that does not answer, and
    no alert is raised (KAFKA-3143).
    """
    return not leads_and_is_gone(s, broker)


def memory_differs(s: Kafka) -> bool:
    """The controller's memory of the live brokers, or of the partitions, differs from the store."""
    return not memory_agrees(s)


def memory_agrees(s: Kafka) -> bool:
    """Some working controller, in session, knows the live brokers and the partitions."""
    for controller in range(s.config.controllers):
        me = s.controller[controller]
        if me.active and not me.recovering and me.live == s.zookeeper.broker_ids:
            if me.host == NO_BROKER or contains(s.zookeeper.sessions, me.host):
                if knows_partitions(s, controller):
                    return True
    return is_without_controller(s)


def knows_partitions(s: Kafka, controller: ControllerEpoch) -> bool:
    """The controller knows which partitions are assigned."""
    for partition in range(s.config.partitions):
        if (s.controller[controller].known[partition] != 0) != (s.zookeeper.assigned[partition] != 0):
            return False
    return True


def controller_can_agree(s: Kafka) -> bool:
    """The controller's memory can agree with the store again, whatever it missed (Z8)."""
    return memory_agrees(s)


def controller_agrees(s: Kafka) -> bool:
    """The controller's memory agrees with the store again."""
    return memory_agrees(s)


def has_faults(config: Config) -> bool:
    """A broker crashes, loses its session or is shut down."""
    return config.session_expiries + config.crashes + config.lost_brokers + config.controlled_shutdowns > 0


def has_elections(config: Config) -> bool:
    """A leader is elected."""
    return has_faults(config) or config.preferred_elections > 0 or config.start is Beginning.EMPTY


def has_news(config: Config) -> bool:
    """Brokers, partitions or the controller come or go."""
    return has_faults(config) or config.controller_changes + config.topic_deletions > 0 or config.start is Beginning.EMPTY


def has_exchanges(config: Config) -> bool:
    """New followers ask their leader where the logs part: not where a rule cuts to the high watermark, or by refused fetches."""
    return config.truncation not in (Truncation.TO_HIGH_WATERMARK, Truncation.ON_DIVERGENCE)


def is_asking(s: Kafka, partition: Partition, broker: Broker) -> int:
    """A follower is in an exchange of OffsetsForLeaderEpoch."""
    me = s.replica[partition][broker]
    return s.broker[broker].up and (me.phase is Phase.ASKING or me.phase is Phase.ANSWERED)


def truncation_ends(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """A follower that asks where its log diverges from its leader's fetches in the end: no exchange of requests goes on for ever.

    This is required only while a member of the ISR runs, because without a leader no one answers, and of assigned replicas: one
    that a reassignment left behind on a broker that was away sends no more requests, and receives none.
    """
    if not is_asking(s, partition, broker) or is_over(s, partition):
        return True
    return not isr_member_lives(s, partition) or not contains(s.zookeeper.assigned[partition], broker)


def exchange_ends(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """An exchange of OffsetsForLeaderEpoch ends, or the leader that was asked can no longer answer.

    Whatever the logs are, no answer leads to an earlier request (Q7, Q8): each round asks for a smaller epoch.
    """
    me = s.replica[partition][broker]
    if not is_asking(s, partition, broker):
        return True
    return me.phase is Phase.ASKING and (me.leader == NO_BROKER or not can_answer(s, partition, me.leader, broker))


def truncation_asks_once_per_epoch(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """A follower repeats its request at most once for each leader epoch before the present one.

    Each repetition asks for a smaller epoch than the one before. The number limits the cost of truncation: one request for
    each leader change that the follower missed, and one more.
    """
    return s.replica[partition][broker].rounds <= max(0, s.replica[partition][broker].leader_epoch) + 1


def is_astray(s: Kafka, partition: Partition) -> int:
    """A published leader serves, and the client that will write to it is not sent there yet (Q21)."""
    return is_served(s, partition) and s.client[partition].leader != s.zookeeper.leader_and_isr[partition].leader


def is_sent_right(s: Kafka, partition: Partition) -> int:
    """The client is sent to a broker that leads (a zombie counts while it answers), or no broker serves."""
    return not is_astray(s, partition) or is_answered(s, partition)


def client_finds_leader(s: Kafka, partition: Partition) -> int:
    """A client that is sent to a broker that does not lead finds one that does: retries close the window (Q21)."""
    return is_sent_right(s, partition) or is_over(s, partition)


EXCHANGES: dict[str, Any] = {
    "since": FIRST, "needs": has_exchanges, "where": "a truncation rule by which followers ask",
}  # fmt: skip

KAFKA_PROGRESS = (
    recoverable(leader_can_serve, since=FIRST, premise=isr_member_lives),
    leads_to(isr_member_lives, leader_serves_again, since=FIRST),
    recoverable(follower_can_join, since=FIRST, premise=is_in_session),
    leads_to(is_in_session, follower_joins, since=FIRST),
    recoverable(write_can_be_acknowledged, since=FIRST, premise=isr_member_lives),
    leads_to(has_uncommitted, replicated_records_commit, since=FIRST),
    recoverable(reassignment_can_end, since=FIRST, premise=is_moving, needs="reassignments > 0"),
    leads_to(is_moving, reassignment_ends, since=FIRST, needs="reassignments > 0"),
    leads_to(is_being_added, addition_ends, since=FIRST, needs="partition_additions > 0"),
    leads_to(is_being_removed, removal_ends, since=FIRST, needs="partition_removals > 0"),
    leads_to(
        is_unfinished, unfinished_change_is_told, since=FIRST, needs=has_alerts, where="alerts = 1, and something to ask for"
    ),
    leads_to(is_shutting_down, shutdown_ends, since=FIRST, needs="controlled_shutdowns > 0"),
    leads_to(
        leads_and_is_gone,
        lost_broker_leads_nothing,
        since=FIRST,
        needs=lambda c: (c.partitions > 1 or c.controller_changes > 0) and has_faults(c),
        where="two partitions or controllers, and a broker that fails",
    ),
    recoverable(controller_can_agree, since=FIRST),
    leads_to(
        memory_differs, controller_agrees, since=FIRST, needs=has_news, where="something that the controller has yet to see"
    ),
    leads_to(is_asking, truncation_ends, **EXCHANGES),
    ranked(
        leads_to(is_asking, exchange_ends, **EXCHANGES), rankings.MEASURES, rankings.HELPFUL, rankings.LEMMAS, "truncation_ends"
    ),
    leads_to(
        is_astray,
        client_finds_leader,
        since=FIRST,
        needs=lambda c: c.clients > 0 and has_elections(c),
        where="a client, and a leader that is elected",
    ),
    replace(always(truncation_asks_once_per_epoch, **EXCHANGES), on_request=True),
)
