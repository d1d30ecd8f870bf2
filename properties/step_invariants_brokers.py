"""More invariants of single steps of the Kafka model: of connections, of what brokers keep, ask and answer, of disks and alerts.

`step_invariants` has those of controllers, of elections and of moves, and says what all of them are for.
"""

from ..model.choices import (
    Admission,
    Checkpoint,
    CommandOrder,
    Condition,
    Elections,
    Fetch,
    FetchEpoch,
    FollowAgain,
    IsrWriter,
    LeadAgain,
    StartUp,
    Store,
)
from ..model.epoch_cache import latest_epoch
from ..model.fetching import leads
from ..model.log import epoch_below, starts_batch
from ..model.members import NO_BROKER, contains
from ..model.release_choices import ReplacedController
from ..model.state import Kafka
from ..model.truncation.names import Truncation
from ..model.vocabulary import NO_EPOCH, Broker, Changing, ControllerEpoch, Epoch, Moving, Partition, Phase, Writing
from ..model.zookeeper.watches import has_session
from .property import always, step


def only_controllers_in_office_write(s: Kafka, partition: Partition, controller: ControllerEpoch) -> int:
    """A controller that is out of office has no decision on its way to the store (D, R7)."""
    return s.config.store is not Store.ANSWERED or s.controller[controller].active or not s.decision[partition][controller].asked


def decisions_wait_for_the_store(s: Kafka, t: Kafka, partition: Partition, controller: ControllerEpoch) -> bool:
    """What a controller has asked the store for stays as it is; under its lock it does nothing else meanwhile (F 3.2.1, M11).

    Only where the store has it already, the same is asked for with the next epoch (A5, R2).
    """
    if s.config.store is not Store.ANSWERED:
        return True
    before = s.decision[partition][controller]
    after = t.decision[partition][controller]
    if not before.asked or not after.asked:
        return True
    for other in range(s.config.moving_partitions):
        changed = s.controller[controller].moving[other] != t.controller[controller].moving[other]
        if changed and s.config.controller_lock:
            return False
    node = s.zookeeper.leader_and_isr[partition]
    is_there = node.controller_epoch == controller and node.leader_epoch == before.leader_epoch
    asked_again = after.leader_epoch == before.leader_epoch + 1 and is_there
    same = after.leader_epoch == before.leader_epoch and after.purpose == before.purpose
    return (same or asked_again) and after.leader == before.leader and after.isr == before.isr


def the_isr_alone_is_written_by_its_leader(s: Kafka, t: Kafka, partition: Partition) -> bool:
    """Within a leader epoch only a leader that asks for it changes the ISR, by a free controller since KIP-497 (Z4, G3)."""
    before = s.zookeeper.leader_and_isr[partition]
    after = t.zookeeper.leader_and_isr[partition]
    if before.version == 0 or after.version == 0 or before.leader_epoch != after.leader_epoch or before.isr == after.isr:
        return True
    if s.config.reassignments > 0 and not s.config.switch_epoch:
        return True  # V3's switch has no epoch (F2)
    if s.config.isr_writer is IsrWriter.CONTROLLER and not some_controller_is_free(s, partition):
        return False
    for broker in range(s.config.members):
        if s.config.store is Store.ANSWERED:
            if s.isr_write[partition][broker].phase is Writing.REQUESTED and s.isr_write[partition][broker].isr == after.isr:
                return True
        elif leads(t, partition, broker) and t.replica[partition][broker].isr == after.isr:
            return True
    return False


def some_controller_is_free(s: Kafka, partition: Partition) -> bool:
    """A controller works that waits for no answer about the partition (KIP-497, M11)."""
    for controller in range(s.config.controllers):
        if s.controller[controller].active and not s.controller[controller].recovering:
            if s.config.store is not Store.ANSWERED or not s.decision[partition][controller].asked:
                return True
    return False


def controllers_read_in_session(s: Kafka, t: Kafka, controller: ControllerEpoch) -> int:
    """A controller reads the store as long as its session lives: after that a read is an error (Z11, D3, A1)."""
    before = s.controller[controller]
    after = t.controller[controller]
    reads = before.active and after.active and (before.recovering != after.recovering or before.live != after.live)
    return not reads or has_session(s, before.host)


def commands_queue_for_the_living(s: Kafka, partition: Partition, epoch: Epoch, controller: ControllerEpoch) -> bool:
    """A controller has commands to send only to brokers that it takes for live: a failed one's queue is dropped (L1)."""
    if s.config.command_order is not CommandOrder.PER_CONNECTION:
        return True
    return s.command[partition][epoch].unsent[controller] & ~s.controller[controller].live == 0


def commands_arrive_in_order(s: Kafka, t: Kafka, partition: Partition, broker: Broker, controller: ControllerEpoch) -> bool:
    """What one controller has sent to a broker over one connection arrives in the order of sending (C6, L1, N9)."""
    now = t.replica[partition][broker].leader_epoch
    last = s.replica[partition][broker].leader_epoch
    if s.config.command_order is not CommandOrder.PER_CONNECTION or not s.broker[broker].up or now <= last:
        return True
    for other in range(s.config.controllers):
        if contains(s.command[partition][now].sent[other], broker) != (other == controller):
            return True  # another's, or nobody knows whose
    for place in range(s.config.news):
        if contains(t.controller[controller].naming[place], broker) and not contains(
            s.command[partition][now].early[controller], broker
        ):
            return False
    for earlier in range(s.config.epochs):
        command = s.command[partition][earlier]
        if last < earlier and earlier < now and command.leader != NO_BROKER:
            if contains(command.sent[controller] & ~command.overtaken[controller], broker):
                return False
    return True


def news_comes_from_the_latest_controller(s: Kafka, t: Kafka, broker: Broker) -> bool:
    """A running broker believes who lives only of a controller that it knows no later one of, and remembers that one (D4, N9)."""
    for place in range(s.config.news):
        if t.broker[broker].up and s.broker[broker].knows_live[place] != t.broker[broker].knows_live[place]:
            said = False
            for controller in range(s.config.controllers):
                if contains(s.controller[controller].naming[place], broker) and t.broker[broker].controller_epoch == controller:
                    said = True
            return said
    return True


def moves_that_wait_are_watched(s: Kafka, partition: Partition, controller: ControllerEpoch) -> bool:
    """A controller watches leaderAndISR only of a partition whose new replicas it waits for (M4, F1)."""
    if s.config.watched_moves == 0:
        return True
    return s.controller[controller].isr_read[partition] == 0 or s.controller[controller].moving[partition] is Moving.MOVING


def moves_are_cancelled_before_the_switch(s: Kafka, t: Kafka, partition: Partition) -> bool:
    """A move is cancelled by a controller that knows of it, and has not switched to its new replicas (N6, F1)."""
    cancelled = t.spent.cancelled_moves > s.spent.cancelled_moves
    if not cancelled or s.zookeeper.reassigned[partition] == t.zookeeper.reassigned[partition]:
        return True
    for controller in range(s.config.controllers):
        before = s.controller[controller].moving[partition]
        if before is Moving.MOVING or before is Moving.TO_BEGIN:
            return t.controller[controller].moving[partition] is Moving.NOT_MOVING
    return False


def elections_are_answered_by_leaders(s: Kafka, t: Kafka, partition: Partition, controller: ControllerEpoch) -> bool:
    """An election has succeeded once a broker leads in its epoch; or led before, and ignores what it need not obey (M1, R3)."""
    if s.config.elections is not Elections.ANSWERED:
        return True
    epoch = s.controller[controller].awaited[partition]
    ended = epoch == NO_EPOCH or t.controller[controller].awaited[partition] != NO_EPOCH or not t.controller[controller].active
    if ended or s.zookeeper.leader_and_isr[partition].leader_epoch != t.zookeeper.leader_and_isr[partition].leader_epoch:
        return True
    if s.config.store is Store.ANSWERED:
        if s.decision[partition][controller].asked != t.decision[partition][controller].asked:
            return True
    for broker in range(s.config.members):
        named = s.command[partition][epoch].leader == broker and s.config.lead_again is LeadAgain.IGNORED
        if leads(s, partition, broker) and (named or s.replica[partition][broker].leader_epoch == epoch):
            return True
    return False


def alerts_are_about_what_waits(s: Kafka, t: Kafka, partition: Partition) -> bool:
    """An alert is raised while a working controller remembers an election, a move or a change that has not ended (M10)."""
    if s.config.alerts == 0 or s.alert[partition].raised == t.alert[partition].raised:
        return True
    for controller in range(s.config.controllers):
        me = s.controller[controller]
        if me.active and not me.recovering:
            if s.config.awaiting_partitions > 0 and me.awaited[partition] != NO_EPOCH:
                return True
            if s.config.changing_partitions > 0 and me.changing[partition] is not Changing.NOT_CHANGING:
                return True
            if s.config.moving_partitions > 0 and me.moving[partition] is not Moving.NOT_MOVING:
                return True
    return False


def starting_brokers_register(s: Kafka, t: Kafka, partition: Partition, broker: Broker) -> int:
    """A broker starts after its last session has ended, and registers; if it reads its roles at once, it has their epoch (E1)."""
    if s.broker[broker].up or not t.broker[broker].up:
        return True
    node = s.zookeeper.leader_and_isr[partition]
    if contains(s.zookeeper.sessions, broker) or not contains(t.zookeeper.sessions & t.zookeeper.broker_ids, broker):
        return False
    if s.config.start_up is not StartUp.AT_ONCE or node.version == 0 or not contains(s.zookeeper.assigned[partition], broker):
        return True
    return t.replica[partition][broker].leader_epoch >= node.leader_epoch


def processes_that_end_wait_for_nothing(s: Kafka, partition: Partition, leader: Broker, broker: Broker) -> bool:
    """Once a process has ended nobody waits for what it has asked, and it counts no fetch that it has compared (G1)."""
    if s.config.fetch is not Fetch.IN_FLIGHT:
        return True
    request = s.fetch_request[partition][leader][broker]
    if request.checked and not s.broker[leader].up:
        return False
    if s.broker[broker].up:
        return True
    if s.config.lates and s.late_response[partition][broker].sent:
        return False
    return not s.config.orphans or not request.sent or request.orphaned > 0


def followers_begin_with_truncation(s: Kafka, t: Kafka, partition: Partition, broker: Broker) -> bool:
    """Who follows in a new epoch asks its leader for an end first, or has cut its log to its high watermark (C4, T8).

    Its fetcher goes on if it had the same leader, and has missed no epoch since (R9). Where fetches are compared, only a follower
    without any epoch cuts (T7).
    """
    me = t.replica[partition][broker]
    before = s.replica[partition][broker]
    if me.leader_epoch <= before.leader_epoch or me.leader == NO_BROKER or me.leader == broker:
        return True
    if me.phase is not Phase.FETCHING or me.failed:
        return True
    again = s.config.follow_again is FollowAgain.NOTHING or me.leader_epoch == before.leader_epoch + 1
    if before.leader == me.leader and again and s.config.follow_again is not FollowAgain.AGAIN:
        return True
    if s.config.truncation is Truncation.ON_DIVERGENCE:
        if s.config.fetch_epoch is not FetchEpoch.CACHE or latest_epoch(s, before) != NO_EPOCH:
            return True
    return me.leo <= before.hw or me.leo <= me.hw


def each_question_is_about_an_earlier_epoch(s: Kafka, t: Kafka, partition: Partition, broker: Broker) -> bool:
    """Who asks its leader once more asks for an earlier epoch, by KIP-279's rule: so truncation ends (T2, Q20)."""
    me = t.replica[partition][broker]
    before = s.replica[partition][broker]
    if before.phase is not Phase.ANSWERED or me.phase is not Phase.ASKING or me.failed:
        return True
    if s.config.truncation is not Truncation.BY_COMMON_EPOCH or me.leader_epoch != before.leader_epoch:
        return True
    last = latest_epoch(s, before)
    return latest_epoch(t, me) < last or before.epoch_start[last] == before.leo  # one without records stays up to 2.6.1


def what_is_cut_leaves_the_cache(s: Kafka, t: Kafka, partition: Partition, broker: Broker, epoch: Epoch) -> bool:
    """No epoch begins beyond the end of the log, nor at the end of one that was cut: its records are gone (KIP-101, T1)."""
    me = t.replica[partition][broker]
    return me.epoch_start[epoch] < me.leo or (me.epoch_start[epoch] == me.leo and me.leo >= s.replica[partition][broker].leo)


def who_has_no_replica_keeps_nothing(s: Kafka, partition: Partition, broker: Broker) -> int:
    """Of a replica that is deleted nothing is left: no record, no epoch, no high watermark (C6, E2)."""
    me = s.replica[partition][broker]
    empty = me.leo == 0 and me.log[0].record == 0 and latest_epoch(s, me) == NO_EPOCH
    return me.exists or (empty and me.hw == 0 and me.checkpoint == 0)


def high_watermarks_are_on_disk(s: Kafka, t: Kafka, partition: Partition, broker: Broker) -> bool:
    """Each leader change writes the high watermark to disk; or, as KIP-279 allows, each that enters a later epoch (T5)."""
    me = t.replica[partition][broker]
    if t.spent.crashes >= s.config.crashes or not me.exists:
        return True
    if s.config.checkpoint is Checkpoint.EPOCH_BOUNDARY:
        return epoch_below(me, min(me.checkpoint, me.leo)) >= epoch_below(me, me.hw)
    before = s.replica[partition][broker]
    if s.config.checkpoint is not Checkpoint.LEADER_CHANGE or not s.broker[broker].up:
        return True
    return me.leader_epoch <= before.leader_epoch or me.checkpoint == before.hw


def epochs_come_from_the_leader(s: Kafka, t: Kafka, partition: Partition, broker: Broker, epoch: Epoch) -> int:
    """A follower learns of an epoch by records that its leader sends: one that keeps no epochs sends none (T9, KIP-101)."""
    leader = s.replica[partition][broker].leader
    known = s.replica[partition][broker].epoch_start[epoch] >= 0 or t.replica[partition][broker].epoch_start[epoch] < 0
    if s.config.fetch is not Fetch.RENDEZVOUS or known or leader in (NO_BROKER, broker):
        return True
    return s.replica[partition][leader].epoch_start[epoch] >= 0 or leads(t, partition, broker)


def leaders_answer_their_own_epoch(s: Kafka, t: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """Only a leader compares, counts and answers a fetch (G5); where epochs are compared, only one of its own (T7)."""
    their = s.replica[partition][leader]
    end = t.replica[partition][leader].fetched_to[follower]
    if end != their.fetched_to[follower] and end != 0 and not leads(s, partition, leader):
        return False
    me = s.replica[partition][follower]
    if me.leader == leader and me.leo < t.replica[partition][follower].log_start and s.config.fenced:
        return me.leader_epoch == their.leader_epoch
    if s.config.fetch is not Fetch.IN_FLIGHT or not t.broker[leader].up:
        return True
    request = s.fetch_request[partition][leader][follower]
    after = t.fetch_request[partition][leader][follower]
    if after.checked > request.checked and not (request.sent and leads(s, partition, leader)):
        return False
    answered = request.sent and not request.checked and (after.checked or not after.sent)
    return not answered or not s.config.fenced_fetches or request.leader_epoch == their.leader_epoch


def isr_requests_are_refused_for_a_reason(s: Kafka, t: Kafka, partition: Partition, leader: Broker) -> bool:
    """A write of the ISR is refused if the node has changed, or by a controller that a later one has replaced (G3, Z4, N12)."""
    if s.config.store is not Store.ANSWERED or s.isr_write[partition][leader].phase is not Writing.REQUESTED:
        return True
    if t.isr_write[partition][leader].phase is not Writing.REFUSED or s.config.isr_condition is not Condition.VERSION:
        return True
    node = s.zookeeper.leader_and_isr[partition]
    if s.isr_write[partition][leader].earlier or s.isr_write[partition][leader].version != node.version:
        return True
    if s.config.replaced_controller is ReplacedController.REFUSES:
        for controller in range(s.config.controllers):
            if s.controller[controller].active and controller < node.controller_epoch:
                return True
    return not contains(s.zookeeper.sessions, leader)


def who_joins_has_caught_up(s: Kafka, t: Kafka, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """A leader asks for a replica in the ISR that has all below its high watermark; in V3, that lags by few bytes (G3, G10)."""
    me = t.replica[partition][leader]
    if not leads(s, partition, leader) or not leads(t, partition, leader):
        return True
    before = s.replica[partition][leader].isr
    after = me.isr
    if s.config.store is Store.ANSWERED:
        if s.isr_write[partition][leader].phase is not Writing.QUIET:
            return True
        after = me.isr | t.isr_write[partition][leader].isr
    if me.leader_epoch != s.replica[partition][leader].leader_epoch or not contains(after & ~before, follower):
        return True
    replicas = s.zookeeper.assigned[partition]
    if s.config.reassignments > 0:
        replicas = replicas | s.zookeeper.reassigned[partition]
    if not contains(replicas, follower):
        return False
    if s.config.admission is Admission.BYTES_AS_MEANT:
        return me.leo - me.fetched_to[follower] < s.config.min_bytes_lag
    return s.config.admission < Admission.HIGH_WATERMARK or me.fetched_to[follower] >= s.replica[partition][leader].hw


def followers_delete_whole_batches(s: Kafka, t: Kafka, partition: Partition, broker: Broker) -> int:
    """A broker that does not lead deletes old records with their batch: clients ask leaders alone for less (T8, KIP-107)."""
    me = t.replica[partition][broker]
    if s.spent.retentions == t.spent.retentions or me.log_start == s.replica[partition][broker].log_start:
        return True
    return leads(s, partition, broker) or me.log_start == me.leo or starts_batch(me, me.log_start)


BROKER_STEP_INVARIANTS = (
    always(only_controllers_in_office_write, since=None),
    step(decisions_wait_for_the_store, since=None),
    step(the_isr_alone_is_written_by_its_leader, since=None),
    step(controllers_read_in_session, since=None),
    always(commands_queue_for_the_living, since=None),
    step(commands_arrive_in_order, since=None),
    step(news_comes_from_the_latest_controller, since=None),
    always(moves_that_wait_are_watched, since=None),
    step(moves_are_cancelled_before_the_switch, since=None),
    step(elections_are_answered_by_leaders, since=None),
    step(alerts_are_about_what_waits, since=None),
    step(starting_brokers_register, since=None),
    always(processes_that_end_wait_for_nothing, since=None),
    step(followers_begin_with_truncation, since=None),
    step(each_question_is_about_an_earlier_epoch, since=None),
    step(what_is_cut_leaves_the_cache, since=None),
    always(who_has_no_replica_keeps_nothing, since=None),
    step(high_watermarks_are_on_disk, since=None),
    step(epochs_come_from_the_leader, since=None),
    step(leaders_answer_their_own_epoch, since=None),
    step(isr_requests_are_refused_for_a_reason, since=None),
    step(who_joins_has_caught_up, since=None),
    step(followers_delete_whole_batches, since=None),
)
