"""Lemmas of the family `kraft`: what is true in every reachable state and makes proofs go through.

The log's end is what the store's nodes are; the window has what not all brokers have applied; a broker's role is of some change
that it has applied. Nothing in the window is later than the end, and no broker is.
"""

from ..model.fetching import known_replicas, leads
from ..model.kraft.state import Kraft
from ..model.members import NO_BROKER, contains, subset
from ..model.vocabulary import Broker, Partition
from .commands import image_after, is_sent, is_sent_to
from .lemmas_kafka import leader_does_not_fetch, response_fits_log, stopped_broker_has_no_role
from .lemmas_kraft_logs import KRAFT_LOG_LEMMAS
from .property import Property, always


def node_has_an_epoch(s: Kraft, partition: Partition) -> bool:
    """Every partition has been in a leader epoch since it was created."""
    return s.zookeeper.leader_and_isr[partition].leader_epoch >= 0


def leaders_have_epochs(s: Kraft, partition: Partition, broker: Broker) -> bool:
    """A replica that follows or leads does so in an epoch."""
    me = s.replica[partition][broker]
    return me.leader == NO_BROKER or me.leader_epoch >= 0


def replicas_are_assigned(s: Kraft, partition: Partition, broker: Broker) -> bool:
    """Only who holds a replica has been in an epoch, leads, or is eligible, while nothing moves."""
    if s.config.reassignments > 0:
        return True
    assigned, me = s.zookeeper.assigned[partition], s.replica[partition][broker]
    if not contains(assigned, broker) and me.leader_epoch >= 0:
        return False
    if me.leader != NO_BROKER and not contains(assigned, me.leader):
        return False
    node = s.zookeeper.leader_and_isr[partition]
    if node.leader == broker and not contains(assigned, broker):
        return False
    if s.config.eligible_partitions > 0:
        if s.metadata[0].last_leader[partition] == broker and not contains(assigned, broker):
            return False
        return subset(s.metadata[0].elr[partition], assigned)
    return True


def isrs_are_assigned(s: Kraft, partition: Partition, broker: Broker, change: int) -> bool:
    """So are the members of an ISR that a leader knows or asks for, or that the log names, while nothing moves."""
    if s.config.reassignments > 0:
        return True
    assigned = s.zookeeper.assigned[partition]
    if not subset(s.replica[partition][broker].isr, assigned) or not subset(s.isr_write[partition][broker].isr, assigned):
        return False
    image = image_after(s, partition, change)
    return subset(image.isr, assigned) and (image.leader == NO_BROKER or contains(assigned, image.leader))


def epochs_end_with_the_log(s: Kraft, partition: Partition, broker: Broker, change: int) -> bool:
    """No broker, and no change of the window, is in a later epoch than the log's end; in that one, who leads is the same."""
    node, me = s.zookeeper.leader_and_isr[partition], s.replica[partition][broker]
    if me.leader_epoch > node.leader_epoch:
        return False
    if s.broker[broker].up and me.leader_epoch == node.leader_epoch and me.leader != node.leader:
        return False
    image = image_after(s, partition, change)
    if not is_sent(s, partition, change):
        return True
    if image.leader_epoch < 0 or image.leader_epoch > node.leader_epoch:
        return False
    return image.leader_epoch != node.leader_epoch or image.leader == node.leader


def epochs_have_one_leader(s: Kraft, partition: Partition, broker: Broker, change: int) -> bool:
    """A broker in the epoch of a change has its leader."""
    me, image = s.replica[partition][broker], image_after(s, partition, change)
    if not is_sent(s, partition, change) or not s.broker[broker].up or me.leader_epoch != image.leader_epoch:
        return True
    return me.leader == image.leader


def changes_of_an_epoch_agree(s: Kraft, partition: Partition, change: int, later: int) -> bool:
    """Two changes in one epoch have one leader, and the later one is in no earlier epoch."""
    if not is_sent(s, partition, change) or not is_sent(s, partition, later) or change > later:
        return True
    first, second = image_after(s, partition, change), image_after(s, partition, later)
    if first.leader_epoch > second.leader_epoch:
        return False
    return first.leader_epoch != second.leader_epoch or first.leader == second.leader


def last_leader_is_known(s: Kraft, partition: Partition) -> bool:
    """Where the ISR can be empty a partition with members has a leader, and one without has had one.

    Not so after a change of min.insync.replicas, or of the feature level.
    """
    if s.config.eligible_partitions == 0 or s.config.min_isr_changes + s.config.feature_changes > 0:
        return True
    node = s.zookeeper.leader_and_isr[partition]
    return node.leader != NO_BROKER or (node.isr == 0 and s.metadata[0].last_leader[partition] != NO_BROKER)


def what_is_to_come_is_of_no_earlier_epoch(s: Kraft, partition: Partition, broker: Broker, change: int) -> bool:
    """A broker that runs has applied nothing of a later epoch than the changes that it has yet to apply."""
    if not s.broker[broker].up or not is_sent_to(s, partition, broker, change):
        return True
    return image_after(s, partition, change).leader_epoch >= s.replica[partition][broker].leader_epoch


# A partition that moves.


def target_is_assigned(s: Kraft, partition: Partition) -> bool:
    """While a partition moves its target holds replicas, and who was added is of the target; the last leader holds one, too."""
    store, log = s.zookeeper, s.metadata[0]
    if not subset(log.adding[partition], store.reassigned[partition]):
        return False
    if not subset(store.reassigned[partition], store.assigned[partition]):
        return False
    if s.config.eligible_partitions == 0 or log.last_leader[partition] == NO_BROKER:
        return True
    return contains(store.assigned[partition], log.last_leader[partition])


def known_isrs_are_assigned(s: Kraft, partition: Partition, leader: Broker) -> bool:
    """Who is a replica in the published epoch stays one: a leader of that epoch knows, has and wants no others in its ISR."""
    assigned, node, me = s.zookeeper.assigned[partition], s.zookeeper.leader_and_isr[partition], s.replica[partition][leader]
    if not leads(s, partition, leader) or me.leader_epoch != node.leader_epoch:
        return True
    return subset(known_replicas(s, partition, leader) | me.isr | s.isr_write[partition][leader].isr, assigned)


def named_replicas_are_assigned(s: Kraft, partition: Partition, change: int) -> bool:
    """Nor does a change of that epoch name others, and the last one names them all."""
    node, assigned = s.zookeeper.leader_and_isr[partition], s.zookeeper.assigned[partition]
    image = image_after(s, partition, change)
    if change + 1 == s.metadata[0].length and image.replicas[0] != assigned:
        return False
    if not is_sent(s, partition, change) or image.leader_epoch != node.leader_epoch:
        return True
    return subset(image.replicas[0] | image.isr, assigned)


def brokers_are_within_the_log(s: Kraft, broker: Broker) -> bool:
    """Nobody has applied more than the log has."""
    return s.metadata[0].applied[broker] <= s.metadata[0].length


FIRST = "3.2"

OF_IMAGES: tuple[Property, ...] = (
    always(node_has_an_epoch, since=FIRST),
    always(leaders_have_epochs, since=FIRST),
    always(leader_does_not_fetch, since=FIRST),
    always(response_fits_log, since=FIRST, needs="fetch = in-flight"),
    always(replicas_are_assigned, since=FIRST),
    always(isrs_are_assigned, since=FIRST),
    always(epochs_end_with_the_log, since=FIRST),
    always(epochs_have_one_leader, since=FIRST),
    always(changes_of_an_epoch_agree, since=FIRST),
    always(last_leader_is_known, since=FIRST),
    always(brokers_are_within_the_log, since=FIRST),
    always(stopped_broker_has_no_role, since=FIRST),
    always(what_is_to_come_is_of_no_earlier_epoch, since=FIRST),
    always(target_is_assigned, since=FIRST, needs="reassignments > 0"),
    always(known_isrs_are_assigned, since=FIRST, needs="reassignments > 0"),
    always(named_replicas_are_assigned, since=FIRST, needs="reassignments > 0"),
)

KRAFT_LEMMAS = (*OF_IMAGES, *KRAFT_LOG_LEMMAS)

OF_ELECTIONS = ("last_leader_is_known", "inactive_brokers_are_in_no_isr")
"""What is needed only for who may be elected; up to 3.2 the second is violated."""

BASICS = (
    *(lemma.name for lemma in OF_IMAGES if lemma.name not in OF_ELECTIONS),
    "isr_within_assignment", "leader_none_or_in_isr", "metadata_agree",
)  # fmt: skip

LOGS = (*BASICS, *OF_ELECTIONS, "hw_within_log", *(lemma.name for lemma in KRAFT_LOG_LEMMAS))

KRAFT_PROOFS = {
    **dict.fromkeys(
        [
            "isr_within_assignment", "leader_none_or_in_isr", "metadata_agree", "one_leader_per_epoch", "epochs_increase",
            "hw_within_log", "leader_hw_never_falls", "writes_need_min_isr", "epochs_begin_with_leaders",
            "removals_begin_epochs", "moves_end_in_sync", "only_replicas_have_directories",
        ],
        BASICS,
    ),
    **dict.fromkeys(
        ["given_leaders_can_lead", "inactive_brokers_are_in_no_isr", "someone_can_be_elected"], (*BASICS, *OF_ELECTIONS)
    ),
    **dict.fromkeys(
        [
            "log_prefix_convergence", "strong_isr", "weak_isr", "isr_reaches_high_watermark", "no_committed_data_loss",
            "single_committable_leader", "eligible_replicas_have_committed",
        ],
        LOGS,
    ),
}  # fmt: skip
"""For each property that is proved, in every revision in which it holds, the lemmas with which it is inductive."""
