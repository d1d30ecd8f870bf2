"""Invariants of single steps under KRaft, as `step_invariants` has them under ZooKeeper: what the log says, and who does what.

`highwater guards` kills mutants with them: of rules that have a second line of defence, or that only KIPs require.
"""

from ..model.broker.told import registers_later
from ..model.choices import EmptyEpoch
from ..model.fetching import leads
from ..model.kraft.moves import has_moved
from ..model.kraft.quorum import elr_is_on
from ..model.kraft.state import Kraft
from ..model.kraft_choices import Eligible, MoveEnd, UncleanRegistration, Unfencing
from ..model.members import NO_BROKER, contains, how_many, subset
from ..model.vocabulary import NO_RECORD, Broker, Epoch, Partition, Writing
from .property import always, step


def the_log_says_what_was_decided(s: Kraft, partition: Partition) -> bool:
    """At its end the log says who is active, and of each partition what the controller has decided (KR1)."""
    log = s.metadata[0]
    change = log.change[log.length]
    if change.active != s.zookeeper.broker_ids & ~log.leaving:
        return False
    node = s.zookeeper.leader_and_isr[partition]
    image = change.image[partition]
    if log.length == 0:
        return image.version == node.version
    same = image.leader == node.leader and image.leader_epoch == node.leader_epoch
    return same and image.version == node.version and image.isr == node.isr


def changes_say_something(s: Kraft, t: Kraft) -> bool:
    """Each change of the log is a decision: about who is fenced or leaves, about a partition, or of an operator (KR1)."""
    log = t.metadata[0]
    if log.length <= s.metadata[0].length or log.change[log.length].bounced != 0:
        return True
    for partition in range(s.config.partitions):
        if t.zookeeper.leader_and_isr[partition].version != s.zookeeper.leader_and_isr[partition].version:
            return True
    for place in range(s.config.changing_min_isrs):
        if log.change[log.length].min_isr[place] != log.change[log.length - 1].min_isr[place]:
            return True
    return s.zookeeper.broker_ids != t.zookeeper.broker_ids or s.metadata[0].leaving != t.metadata[0].leaving


def only_running_brokers_apply_the_log(s: Kraft, t: Kraft, broker: Broker) -> int:
    """Only a broker that runs gets nearer to the log's end (KR1)."""
    before = s.metadata[0].length - s.metadata[0].applied[broker]
    return t.broker[broker].up or t.metadata[0].length - t.metadata[0].applied[broker] >= before


def unfenced_brokers_asked_for_it(s: Kraft, t: Kraft, broker: Broker) -> int:
    """A broker that is unfenced runs and wants to stay; up to 3.2 it has applied the whole log (KR2)."""
    if not contains(t.zookeeper.broker_ids & ~s.zookeeper.broker_ids, broker):
        return True
    if s.config.unfencing is Unfencing.WHOLE_LOG and s.metadata[0].applied[broker] < s.metadata[0].length:
        return False
    return s.broker[broker].up and not s.broker[broker].leaving


def registering_brokers_were_fenced(s: Kraft, t: Kraft, broker: Broker) -> bool:
    """A broker comes back under another registration, which the log tells, and when it is fenced, or early (KR2)."""
    if s.broker[broker].up or not t.broker[broker].up:
        return True
    is_early = t.spent.early_registrations > s.spent.early_registrations
    if contains(s.zookeeper.broker_ids, broker) != is_early or contains(s.spent.lost_brokers, broker):
        return False
    log = t.metadata[0]
    return contains(log.change[log.length].bounced, broker) and not contains(t.zookeeper.broker_ids, broker)


def requests_name_registrations(s: Kraft, t: Kraft, partition: Partition, leader: Broker, broker: Broker) -> bool:
    """What names a broker in an ISR as it registers again names its earlier registration (KIP-903)."""
    if s.broker[broker].up or not t.broker[broker].up or t.isr_write[partition][leader].phase is not Writing.REQUESTED:
        return True
    return not contains(t.isr_write[partition][leader].isr, broker) or contains(t.isr_write[partition][leader].bounced[0], broker)


def unregistered_fetches_are_of_starting_brokers(
    s: Kraft, t: Kraft, partition: Partition, leader: Broker, broker: Broker
) -> int:
    """What names no registration is of a broker that does not run, and fetches what its log lacks (KIP-903)."""
    after = t.fetch_request[partition][leader][broker]
    if after.orphaned != 3 or s.fetch_request[partition][leader][broker].orphaned == 3:
        return True
    me = s.replica[partition][broker]
    counted = t.spent.unregistered_starts > s.spent.unregistered_starts
    return counted and not s.broker[broker].up and me.exists and leader != broker and after.fetch_offset == me.leo


def starting_brokers_know_no_empty_epoch(s: Kraft, t: Kraft, partition: Partition, broker: Broker, epoch: Epoch) -> int:
    """No epoch in the cache of a broker that starts begins at the end of its log, unless it leads in it."""
    if s.broker[broker].up or not t.broker[broker].up or s.config.empty_epochs is not EmptyEpoch.DROPPED:
        return True
    me = t.replica[partition][broker]
    return leads(t, partition, broker) or me.epoch_start[epoch] < me.leo or me.leo == 0


def crashed_brokers_are_not_eligible(s: Kraft, t: Kraft, partition: Partition, broker: Broker) -> bool:
    """An eligible replica that registers again stays one if it has stopped in order, or nobody asks for that (KIP-966)."""
    if s.broker[broker].up or not t.broker[broker].up or s.config.eligible_partitions == 0:
        return True
    in_order = s.broker[broker].leaving and s.replica[partition][broker].exists
    stays = in_order or s.config.unclean_registration is not UncleanRegistration.REMOVED or not elr_is_on(s)
    before = contains(s.metadata[0].elr[partition], broker)
    return contains(t.metadata[0].elr[partition], broker) == (before and stays)


def eligibility_is_recorded(s: Kraft, t: Kraft, partition: Partition) -> bool:
    """Who is eligible is a record about the partition; nobody becomes eligible while the feature is off (KIP-966)."""
    if s.config.eligible_partitions == 0 or t.metadata[0].elr[partition] == s.metadata[0].elr[partition]:
        return True
    if not elr_is_on(s) and not subset(t.metadata[0].elr[partition], s.metadata[0].elr[partition]):
        return False
    return t.zookeeper.leader_and_isr[partition].version > s.zookeeper.leader_and_isr[partition].version


def only_leaders_leave_before_they_stop(s: Kraft, t: Kraft, broker: Broker) -> bool:
    """The controller takes only a leader out of its ISRs before it may stop (KIP-841)."""
    if not contains(t.metadata[0].leaving & ~s.metadata[0].leaving, broker):
        return True
    for partition in range(s.config.partitions):
        if s.zookeeper.leader_and_isr[partition].leader == broker:
            return True
    return False


def stopped_brokers_are_known_to_lead_nothing(s: Kraft, t: Kraft, broker: Broker) -> bool:
    """A broker stops in order once it leads nothing, is fenced with that step, and active brokers know who leads (KR2)."""
    stops = s.broker[broker].leaving and t.broker[broker].leaving and s.broker[broker].up and not t.broker[broker].up
    if not stops or t.spent.lost_brokers != s.spent.lost_brokers:
        return True
    for partition in range(s.config.partitions):
        if s.zookeeper.leader_and_isr[partition].leader == broker:
            return False
    for other in range(s.config.members):
        knows = s.broker[other].up and s.metadata[0].applied[other] >= s.metadata[0].left_at[broker]
        is_active = contains(s.zookeeper.broker_ids & ~s.metadata[0].leaving, other)
        if contains(s.metadata[0].leaving, broker) and is_active and not knows:
            return False
    return not contains(t.zookeeper.broker_ids, broker)


def leaders_ask_for_active_members(s: Kraft, t: Kraft, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """A leader asks for new members that are active and registered as it knows, as far as it has the log (KIP-841, 903)."""
    if s.isr_write[partition][leader].phase is not Writing.QUIET or t.isr_write[partition][leader].phase is not Writing.REQUESTED:
        return True
    asked = t.isr_write[partition][leader]
    if not contains(asked.isr & ~s.replica[partition][leader].isr, follower) or s.config.eligible is Eligible.ANY:
        return True
    log = s.metadata[0]
    if not contains(log.change[log.applied[leader]].active, follower):
        return False
    return s.config.eligible is Eligible.ACTIVE or registers_later(s, leader, follower) == contains(asked.bounced[0], follower)


def partitions_keep_their_size(s: Kraft, t: Kraft, partition: Partition) -> bool:
    """A partition keeps its number of replicas (KR7).

    Kafka forgets which replicas came with a move that is replaced (ReplicationControlManager.changePartitionReassignment): they
    stay when the second move is cancelled.
    """
    count = s.config.replicas or s.config.brokers
    if t.zookeeper.reassigned[partition] == 0:
        may_grow = s.config.reassignments > 1 and t.spent.cancelled_moves > 0
        return may_grow or how_many(s, t.zookeeper.assigned[partition]) == count
    return how_many(s, t.zookeeper.reassigned[partition]) == count


def moves_begin_where_they_can(s: Kraft, t: Kraft, partition: Partition) -> bool:
    """A move that is asked for goes first to a broker that is not fenced, and has ended if it lacks nothing (KR7)."""
    target = t.zookeeper.reassigned[partition]
    if t.spent.reassignments == s.spent.reassignments or target == 0 or target == s.zookeeper.reassigned[partition]:
        return True
    isr = t.zookeeper.leader_and_isr[partition].isr
    if has_moved(t, isr, target, t.metadata[0].adding[partition], t.zookeeper.assigned[partition] & ~target):
        return False
    return contains(s.zookeeper.broker_ids, t.zookeeper.reassigned_preferred[partition])


def moves_end_with_the_target(s: Kraft, t: Kraft, partition: Partition) -> bool:
    """Since 4.3 a move that adds fewer replicas than it removes ends with the whole target in the ISR (KAFKA-19975)."""
    target = s.zookeeper.reassigned[partition]
    if target == 0 or t.zookeeper.reassigned[partition] != 0 or s.config.move_end is not MoveEnd.ADDED_UNLESS_SMALLER:
        return True
    if t.spent.cancelled_moves > s.spent.cancelled_moves or t.spent.reassignments > s.spent.reassignments:
        return True
    adding, removing = s.metadata[0].adding[partition], s.zookeeper.assigned[partition] & ~target
    return how_many(s, adding) >= how_many(s, removing) or subset(target, t.zookeeper.leader_and_isr[partition].isr)


def nobody_leads_if_nobody_may(s: Kraft, t: Kraft, partition: Partition) -> bool:
    """A partition loses its leader only when no active broker is in its ISR, or eligible if that is empty (KR3)."""
    before = s.zookeeper.leader_and_isr[partition]
    after = t.zookeeper.leader_and_isr[partition]
    if before.leader == NO_BROKER or after.leader != NO_BROKER:
        return True
    active = t.zookeeper.broker_ids & ~t.metadata[0].leaving
    if after.isr == 0 and s.config.eligible_partitions > 0:
        return t.metadata[0].elr[partition] & active & t.zookeeper.assigned[partition] == 0
    return after.isr & active == 0


def unclean_elections_are_counted(s: Kraft, t: Kraft, partition: Partition) -> bool:
    """Who leads next is of the ISR, or eligible if there is such a broker; any other election is unclean, and counted (A3)."""
    before = s.zookeeper.leader_and_isr[partition]
    after = t.zookeeper.leader_and_isr[partition]
    known = before.isr
    if s.config.eligible_partitions > 0 and elr_is_on(s):
        known = before.isr | s.metadata[0].elr[partition]
    if before.leader != NO_BROKER or after.leader == NO_BROKER or known == 0 or contains(known, after.leader):
        return True
    return t.spent.unclean_elections > s.spent.unclean_elections


def operators_change_something(s: Kraft, t: Kraft) -> bool:
    """A move that is asked for or cancelled, and an unclean election, change a partition; feature levels are counted (KR7)."""
    asked = t.spent.reassignments > s.spent.reassignments
    cancelled = t.spent.cancelled_moves > s.spent.cancelled_moves
    unclean = t.spent.unclean_elections > s.spent.unclean_elections
    changed = False
    for partition in range(s.config.partitions):
        before = s.zookeeper.leader_and_isr[partition]
        after = t.zookeeper.leader_and_isr[partition]
        if asked and (s.zookeeper.assigned[partition] != t.zookeeper.assigned[partition]):
            changed = True
        if asked and s.zookeeper.reassigned[partition] != t.zookeeper.reassigned[partition]:
            changed = True
        stayed = before.isr & ~s.metadata[0].adding[partition] if cancelled else before.isr
        if cancelled and s.zookeeper.reassigned[partition] != 0 and after.isr != 0 and subset(after.isr, stayed):
            changed = True
        if unclean and before.leader == NO_BROKER and after.leader != NO_BROKER:
            changed = True
    for place in range(s.config.changing_features):
        if s.metadata[0].elr_feature[place] != t.metadata[0].elr_feature[place]:
            return t.spent.feature_changes > s.spent.feature_changes
    return changed or not (asked or cancelled or unclean)


def reported_directories_are_recorded(s: Kraft, t: Kraft) -> bool:
    """A report is a record about one partition; a broker that ends after one ran, which is a crash, and counted (KR7)."""
    if t.spent.directory_reports == s.spent.directory_reports:
        return True
    ended = False
    for broker in range(s.config.members):
        if s.broker[broker].up and not t.broker[broker].up:
            ended = True
    for partition in range(s.config.partitions):
        if t.zookeeper.leader_and_isr[partition].version == s.zookeeper.leader_and_isr[partition].version + 1:
            return not ended
    return ended and t.spent.crashes > s.spent.crashes


def new_topics_begin_anew(s: Kraft, t: Kraft, partition: Partition) -> bool:
    """A topic that is created again has the active brokers in its ISR, one of them leads, and nothing is promised.

    The next leader epoch and partition epoch are its first ones, nobody is eligible, and no broker has a replica of it (KR7).
    """
    if t.spent.recreations == s.spent.recreations or t.metadata[0].born_at[partition] == 0:
        return True
    before, after = s.zookeeper.leader_and_isr[partition], t.zookeeper.leader_and_isr[partition]
    active = s.zookeeper.assigned[partition] & s.zookeeper.broker_ids & ~s.metadata[0].leaving
    if not subset(active, after.isr) or not subset(after.isr, s.zookeeper.assigned[partition] & s.zookeeper.broker_ids):
        return False
    if not contains(after.isr, after.leader):
        return False
    if after.leader_epoch != before.leader_epoch + 1 or t.history[partition].record[0] != NO_RECORD:
        return False
    if s.config.eligible_partitions > 0:
        if t.metadata[0].elr[partition] != 0 or t.metadata[0].last_leader[partition] != NO_BROKER:
            return False
    for broker in range(s.config.members):
        if t.replica[partition][broker].leo > 0 or t.replica[partition][broker].leader != NO_BROKER:
            return False
    return True


def directories_of_earlier_topics_are_deleted(s: Kraft, partition: Partition, broker: Broker) -> bool:
    """A running broker that has applied the whole log has no directory of an earlier topic (KIP-516, KR7)."""
    if not s.broker[broker].up or s.metadata[0].applied[broker] < s.metadata[0].length:
        return True
    return not s.replica[partition][broker].earlier_topic


KRAFT_STEP_INVARIANTS = (
    always(the_log_says_what_was_decided, since=None),
    step(changes_say_something, since=None),
    step(only_running_brokers_apply_the_log, since=None),
    step(unfenced_brokers_asked_for_it, since=None),
    step(registering_brokers_were_fenced, since=None),
    step(requests_name_registrations, since=None),
    step(unregistered_fetches_are_of_starting_brokers, since=None, needs="unregistered_starts > 0"),
    step(starting_brokers_know_no_empty_epoch, since=None),
    step(crashed_brokers_are_not_eligible, since=None),
    step(eligibility_is_recorded, since=None),
    step(only_leaders_leave_before_they_stop, since=None, needs="controlled_shutdowns > 0"),
    step(stopped_brokers_are_known_to_lead_nothing, since=None, needs="controlled_shutdowns > 0"),
    step(leaders_ask_for_active_members, since=None),
    step(partitions_keep_their_size, since=None, needs="reassignments > 0"),
    step(moves_begin_where_they_can, since=None, needs="reassignments > 0"),
    step(moves_end_with_the_target, since=None, needs="reassignments > 0"),
    step(nobody_leads_if_nobody_may, since=None),
    step(unclean_elections_are_counted, since=None),
    step(operators_change_something, since=None),
    step(new_topics_begin_anew, since=None, needs="recreations > 0"),
    always(directories_of_earlier_topics_are_deleted, since=None, needs="recreations > 0"),
    step(reported_directories_are_recorded, since=None, needs="directory_reports > 0"),
)
