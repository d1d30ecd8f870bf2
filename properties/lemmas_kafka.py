"""Lemmas of the Kafka model: what is true in every reachable state and makes proofs go through.

As for the published abstraction, a lemma rules out states that no behaviour reaches but that would break a
property in one step. Groups: the store and the commands made from it; who leads; answers on their way; controllers and
their watches. `lemmas_kafka_logs` and `lemmas_kafka_commits` have those about logs and commits.
"""

from ..model.choices import Store
from ..model.epoch_cache import knows_epoch, latest_epoch
from ..model.members import NO_BROKER, contains
from ..model.state import Controller, Kafka
from ..model.vocabulary import Broker, ControllerEpoch, Epoch, Partition, Phase
from ..model.zookeeper.watches import unseen_events
from .lemmas_kafka_commits import COMMIT_LEMMAS
from .lemmas_kafka_logs import LOG_LEMMAS
from .property import Property, always

# Words.


def is_used(s: Kafka, partition: Partition, epoch: Epoch) -> bool:
    """The command of this epoch is on its way to a broker, or was, or has yet to be sent."""
    command = s.command[partition][epoch]
    for controller in range(s.config.controllers):
        if command.sent[controller] != 0 or command.unsent[controller] != 0:
            return True
    return False


def leads_or_led(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """The replica is its broker's as leader, whether or not the broker runs."""
    return s.replica[partition][broker].leader == broker


# The store, and the commands made from it.


def node_has_epoch(s: Kafka, partition: Partition) -> bool:
    """leaderAndISR has an epoch if it exists, and nothing in it otherwise."""
    node = s.zookeeper.leader_and_isr[partition]
    if node.version > 0 and (node.leader_epoch < 0 or node.controller_epoch < 0):
        return False
    return node.version != 0 or (node.leader == NO_BROKER and node.leader_epoch < 0 and (node.isr == 0))


def nothing_before_first_leader(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch) -> bool:
    """Until leaderAndISR is written no one leads and no command exists; once deleted, it is not written again."""
    if s.zookeeper.leader_and_isr[partition].version != 0:
        return True
    if s.zookeeper.assigned[partition] == 0 and s.spent.topic_deletions != 0:
        return True
    if s.replica[partition][broker].leader_epoch >= 0 or is_used(s, partition, epoch):
        return False
    return s.command[partition][epoch].leader == NO_BROKER


def command_leader_in_command_isr(s: Kafka, partition: Partition, epoch: Epoch) -> bool:
    """The leader that a command names is in the ISR that it names."""
    command = s.command[partition][epoch]
    return command.leader == NO_BROKER or contains(command.isr, command.leader)


def commands_stem_from_store(s: Kafka, partition: Partition, epoch: Epoch) -> bool:
    """A command is of an epoch that was published, and of the present epoch it names the published leader."""
    node = s.zookeeper.leader_and_isr[partition]
    command = s.command[partition][epoch]
    if node.version <= 0 or (command.leader == NO_BROKER and not is_used(s, partition, epoch)):
        return True
    return epoch <= node.leader_epoch and (epoch != node.leader_epoch or command.leader == node.leader)


def used_command_has_version(s: Kafka, partition: Partition, epoch: Epoch) -> bool:
    """A command that anybody can obey was made from a node that existed, and not from a later one than there is."""
    node = s.zookeeper.leader_and_isr[partition]
    command = s.command[partition][epoch]
    if not is_used(s, partition, epoch):
        return True
    return command.zk_version != 0 and (node.version <= 0 or command.zk_version <= node.version)


def command_of_present_version(s: Kafka, partition: Partition, epoch: Epoch) -> bool:
    """A command with the node's version says what the node says."""
    node = s.zookeeper.leader_and_isr[partition]
    command = s.command[partition][epoch]
    if not is_used(s, partition, epoch) or command.zk_version != node.version:
        return True
    return epoch == node.leader_epoch and command.leader == node.leader and command.isr == node.isr


def decision_has_epoch(s: Kafka, partition: Partition, controller: ControllerEpoch) -> bool:
    """A controller's write on its way to the store is of an epoch."""
    if s.config.store is not Store.ANSWERED:
        return True
    request = s.decision[partition][controller]
    return not request.asked or request.leader_epoch >= 0


# Who leads.


def leader_has_epoch_and_version(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """Who leads does so in an epoch, and knows a version of leaderAndISR that existed."""
    me = s.replica[partition][broker]
    return not leads_or_led(s, partition, broker) or (me.leader_epoch >= 0 and me.zk_version != 0)


def leader_hw_within_log(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """The high watermark of who leads, or led, lies within its log. A follower's may lie beyond (`cut_high_watermark`)."""
    me = s.replica[partition][broker]
    return not leads_or_led(s, partition, broker) or me.hw <= me.leo


def leader_in_own_isr(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """Who leads is in the ISR that it knows."""
    return not leads_or_led(s, partition, broker) or contains(s.replica[partition][broker].isr, broker)


def leader_of_present_version(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """A leader that knows the node's version is the published leader, in its epoch, and knows its ISR.

    So a conditional write that succeeds is one of the published leader.
    """
    node = s.zookeeper.leader_and_isr[partition]
    me = s.replica[partition][broker]
    if not leads_or_led(s, partition, broker) or node.version <= 0 or me.zk_version != node.version:
        return True
    return node.leader == broker and me.leader_epoch == node.leader_epoch and me.isr == node.isr


def leader_versions_are_past(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """No leader knows a later version than there is."""
    node = s.zookeeper.leader_and_isr[partition]
    if not leads_or_led(s, partition, broker) or node.version <= 0:
        return True
    return s.replica[partition][broker].zk_version <= node.version


def leader_was_published(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch) -> bool:
    """A leader's epoch was published, and names it: in the store if it is the present one, and in its command."""
    if not leads_or_led(s, partition, broker):
        return True
    node = s.zookeeper.leader_and_isr[partition]
    me = s.replica[partition][broker]
    if node.version > 0 and me.leader_epoch > node.leader_epoch:
        return False
    if node.version > 0 and me.leader_epoch == node.leader_epoch and node.leader != broker:
        return False
    return me.leader_epoch != epoch or not is_used(s, partition, epoch) or s.command[partition][epoch].leader == broker


def leader_does_not_fetch(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """Who leads has no fetcher: nothing cuts its log or lowers its high watermark."""
    return not leads_or_led(s, partition, broker) or s.replica[partition][broker].phase is Phase.IDLE


# Answers on their way.


def defined_answer_has_end(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """An answer that names an epoch names the end of it."""
    me = s.replica[partition][broker]
    if me.phase is not Phase.ANSWERED or me.answer_epoch < 0:
        return True
    return me.answer_end >= 0


def answer_is_of_no_newer_epoch(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """An answer does not name a later epoch than the latest that the follower has."""
    me = s.replica[partition][broker]
    return me.phase is not Phase.ANSWERED or me.answer_epoch <= latest_epoch(s, me)


def asks_for_epoch_that_it_knows(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """A request that names an epoch names one that the follower has, until its answer is obeyed."""
    me = s.replica[partition][broker]
    if me.phase is not Phase.ASKING and me.phase is not Phase.ANSWERED:
        return True
    return me.asked_epoch < 0 or knows_epoch(me, me.asked_epoch)


def stopped_broker_has_no_role(s: Kafka, partition: Partition, broker: Broker) -> int:
    """A broker that is down leads and follows no one: it has forgotten."""
    me = s.replica[partition][broker]
    return s.broker[broker].up or (me.leader == NO_BROKER and me.leader_epoch < 0 and (me.phase is Phase.IDLE))


def response_fits_log(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """The records of a fetch response follow each other, at offsets that a log can have."""
    response = s.fetch_response[partition][broker]
    for slot in range(s.config.flights):
        if response.log[slot].record != 0 and response.base_offset + slot >= s.config.log_size:
            return False
        if response.log[slot].record != 0 and response.log[max(0, slot - 1)].record == 0:
            return False
    return True


def one_controller_per_host(s: Kafka, controller: ControllerEpoch, other_controller: ControllerEpoch) -> bool:
    """No two active controllers run on one broker, so only one's watches wait there, and the broker's own."""
    if controller == other_controller or not s.controller[controller].active:
        return True
    return not s.controller[other_controller].active or s.controller[controller].host != s.controller[other_controller].host


# Controllers and what they have yet to see.


def is_watch_of(me: Controller, number: int) -> bool:
    """One of the controller's watches has fired the event of this number."""
    return number == me.brokers_watch or number == me.topics_watch or number == me.moves_watch


def events_wait_in_order(s: Kafka) -> bool:
    """The events that a client has yet to see have different numbers, from 1 to the number of events."""
    for epoch in range(s.config.controllers):
        me = s.controller[epoch]
        if not me.active and (me.brokers_watch > 0 or me.topics_watch > 0 or me.moves_watch > 0):
            return False
        if me.active:
            events = unseen_events(s, me.host)
            if me.brokers_watch > events or me.topics_watch > events or me.moves_watch > events:
                return False
            if me.brokers_watch > 0 and (me.brokers_watch == me.topics_watch or me.brokers_watch == me.moves_watch):
                return False
            if me.topics_watch > 0 and me.topics_watch == me.moves_watch:
                return False
            for broker in range(s.config.members):
                other = s.broker[broker].controller_watch
                if me.host == broker and other > 0 and is_watch_of(me, other):
                    return False
    for broker in range(s.config.members):
        if s.broker[broker].controller_watch > unseen_events(s, broker):
            return False
    return True


def controller_runs_on_a_running_broker(s: Kafka, controller: ControllerEpoch, broker: Broker) -> int:
    """A broker that is down is no controller."""
    return not s.controller[controller].active or s.controller[controller].host != broker or s.broker[broker].up


def controller_node_is_ephemeral(s: Kafka) -> bool:
    """/controller names a broker in session, or no one (Z1)."""
    return s.zookeeper.controller == NO_BROKER or contains(s.zookeeper.sessions, s.zookeeper.controller)


def controllers_are_counted(s: Kafka, controller: ControllerEpoch) -> bool:
    """No controller has a later epoch than the store's, and the one that /controller names has that one."""
    me = s.controller[controller]
    if not me.active:
        return True
    if controller > s.zookeeper.controller_epoch:
        return False
    if me.host == NO_BROKER or me.host != s.zookeeper.controller:
        return True
    return controller == s.zookeeper.controller_epoch


FIRST = "high-watermark"

OF_STORE_AND_ROLES: tuple[Property, ...] = (
    always(node_has_epoch, since=FIRST),
    always(nothing_before_first_leader, since=FIRST),
    always(command_leader_in_command_isr, since=FIRST),
    always(commands_stem_from_store, since=FIRST),
    always(used_command_has_version, since=FIRST),
    always(command_of_present_version, since=FIRST),
    always(decision_has_epoch, since=FIRST, needs="store = answered"),
    always(leader_has_epoch_and_version, since=FIRST),
    always(leader_hw_within_log, since=FIRST),
    always(leader_in_own_isr, since=FIRST),
    always(leader_of_present_version, since=FIRST),
    always(leader_versions_are_past, since=FIRST),
    always(leader_was_published, since=FIRST),
    always(leader_does_not_fetch, since=FIRST),
    always(defined_answer_has_end, since=FIRST, needs="truncation = by-common-epoch"),
    always(answer_is_of_no_newer_epoch, since=FIRST),
    always(asks_for_epoch_that_it_knows, since=FIRST),
    always(stopped_broker_has_no_role, since=FIRST),
    always(response_fits_log, since=FIRST, needs="fetch = in-flight"),
    always(one_controller_per_host, since=FIRST),
    always(events_wait_in_order, since=FIRST),
    always(controller_runs_on_a_running_broker, since=FIRST),
    always(controller_node_is_ephemeral, since=FIRST),
    always(controllers_are_counted, since=FIRST),
)

KAFKA_LEMMAS = (*OF_STORE_AND_ROLES, *LOG_LEMMAS, *COMMIT_LEMMAS)

OF_REQUESTS = ("answer_is_of_no_newer_epoch", "asks_for_epoch_that_it_knows")
"""What is needed only to prove that exchanges end."""

BASICS = (
    *(lemma.name for lemma in OF_STORE_AND_ROLES if lemma.name not in OF_REQUESTS),
    "leader_none_or_in_isr", "isr_within_assignment", "isr_never_empty", "one_leader_per_epoch",
)  # fmt: skip

LOGS = (*BASICS, *(lemma.name for lemma in (*LOG_LEMMAS, *COMMIT_LEMMAS)), "hw_within_log")

KAFKA_PROOFS = {
    **dict.fromkeys(
        [
            "hw_within_log", "leader_none_or_in_isr", "isr_within_assignment", "isr_never_empty", "one_leader_per_epoch",
            "epochs_increase", "zk_version_guards_isr", "leader_hw_never_falls", "writes_need_min_isr",
            "restart_keeps_only_assigned", "one_creation_wins", "deciding_controllers_increase", "single_controller",
        ],
        BASICS,
    ),
    **dict.fromkeys(
        [
            "log_prefix_convergence", "strong_isr", "weak_isr", "isr_reaches_high_watermark", "no_committed_data_loss",
            "single_committable_leader",
        ],
        LOGS,
    ),
}  # fmt: skip
"""For each property that is proved, the lemmas with which it is inductive: of the last six where those of `LOGS` apply, and a
leader that is elected again forgets its followers' ends; of the others in every revision in which it holds."""
