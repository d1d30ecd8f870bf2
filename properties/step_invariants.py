"""Invariants of single steps of the Kafka model: who may do what, and when. `highwater guards` kills mutants with them.

They state again what the design documents prescribe, as what may change in a step. They are not in the catalogue, because
they explain nothing to a user of Kafka; but a mutant that violates one is noticed before any record is lost.
"""

from ..model.choices import Elections, Fetch, OfflineIsr, Reassignment, Store
from ..model.controller.decide import leaving_brokers
from ..model.fetching import leads
from ..model.log import same_record
from ..model.members import NO_BROKER, contains, how_many, subset
from ..model.state import Kafka, LeaderAndIsr
from ..model.vocabulary import NO_EPOCH, Broker, ControllerEpoch, Epoch, Moving, Offset, Partition, Phase, Writing
from ..model.zookeeper.watches import has_session
from .property import always, step


def decides(s: Kafka, t: Kafka, partition: Partition) -> bool:
    """A controller writes leaderAndISR of the partition in this step."""
    before = s.zookeeper.leader_and_isr[partition]
    after = t.zookeeper.leader_and_isr[partition]
    return after.version > 0 and (before.version == 0 or after.leader_epoch != before.leader_epoch)


def controllers_decide_in_office(s: Kafka, t: Kafka, partition: Partition) -> int:
    """Who decides has read the store since its election, is in session, not replaced, knows the partition (D1, D3, Z11, B1)."""
    if not decides(s, t, partition):
        return True
    me = s.controller[t.zookeeper.leader_and_isr[partition].controller_epoch]
    if not me.active or me.recovering or not has_session(s, me.host):
        return False
    if s.config.fenced_controllers and s.zookeeper.controller_epoch > t.zookeeper.leader_and_isr[partition].controller_epoch:
        return False
    return s.zookeeper.leader_and_isr[partition].version != 0 or me.known[partition]


def decisions_are_needed(s: Kafka, t: Kafka, partition: Partition) -> bool:
    """A live leader stays, unless it leaves, or the preferred replica is requested; decisions change something (A2, I1, M3)."""
    before = s.zookeeper.leader_and_isr[partition]
    after = t.zookeeper.leader_and_isr[partition]
    if not decides(s, t, partition) or before.version <= 0:
        return True
    live = s.controller[after.controller_epoch].live & ~leaving_brokers(s)
    wanted = s.zookeeper.preferred_election[partition] > t.zookeeper.preferred_election[partition]
    if s.spent.preferred_elections < t.spent.preferred_elections:
        wanted = True
    if s.config.elections is Elections.ANSWERED:  # the leader has not answered (M1)
        wanted = wanted or s.controller[after.controller_epoch].awaited[partition] == before.leader_epoch
    moved = is_switched(s, t, partition, after.controller_epoch)
    if moved and not moves_leader_only_if_needed(s, partition, after):
        return False
    wanted = wanted or moved
    if after.leader != before.leader and contains(before.isr & live, before.leader) and not wanted:
        return False
    if after.leader != before.leader or not contains(live, before.leader) or before.isr & ~live != 0:
        return True
    return moved or is_step_of_move(s, partition, after.controller_epoch)


def is_step_of_move(s: Kafka, partition: Partition, controller: ControllerEpoch) -> bool:
    """Kafka's controller begins a move with an epoch, and takes each old replica out of the ISR with another one (N6)."""
    if s.config.stepwise_moves == 0:
        return False
    moving = s.controller[controller].moving[partition]
    return moving is Moving.TO_BEGIN or moving is Moving.SWITCHED


def is_switched(s: Kafka, t: Kafka, partition: Partition, controller: ControllerEpoch) -> bool:
    """This controller switches the partition to its new replicas in this step (F2)."""
    if s.config.reassignments == 0:
        return False
    before = s.controller[controller].moving[partition]
    after = t.controller[controller].moving[partition]
    if after is Moving.SWITCHED and before is not Moving.SWITCHED:
        return True
    return s.zookeeper.reassigned[partition] != 0 and t.zookeeper.reassigned[partition] == 0


def moves_leader_only_if_needed(s: Kafka, partition: Partition, after: LeaderAndIsr) -> bool:
    """A live leader in RAR stays; otherwise a live broker of RAR leads. RAR is the ISR, or will be (F2, N6)."""
    chosen = s.zookeeper.reassigned[partition] & s.controller[after.controller_epoch].live
    before = s.zookeeper.leader_and_isr[partition]
    if contains(chosen, before.leader) and after.leader != before.leader:
        return False
    wanted = before.isr if s.config.stepwise_moves else s.zookeeper.reassigned[partition]
    return contains(chosen, after.leader) and after.isr == wanted


def decisions_admit_nobody(s: Kafka, t: Kafka, partition: Partition) -> bool:
    """A controller only removes members from the ISR; leaders add them. An unclean election is the exception (A2, A3, F2)."""
    before = s.zookeeper.leader_and_isr[partition]
    if not decides(s, t, partition) or before.version <= 0 or s.spent.unclean_elections != t.spent.unclean_elections:
        return True
    return subset(t.zookeeper.leader_and_isr[partition].isr, before.isr)


def other_elections_come_last(s: Kafka, t: Kafka, partition: Partition) -> bool:
    """While a member of the ISR lives, no other broker is elected, nor none; offline, Kafka's ISR keeps one member (A3, A4)."""
    before = s.zookeeper.leader_and_isr[partition]
    after = t.zookeeper.leader_and_isr[partition]
    if not decides(s, t, partition) or before.version <= 0 or contains(before.isr, after.leader):
        return True
    live = s.controller[after.controller_epoch].live
    if before.isr & live != 0:
        return False
    candidates = s.zookeeper.assigned[partition] & live
    if after.leader == NO_BROKER:
        may_elect = s.spent.unclean_elections < s.config.unclean_elections
        one_stays = s.config.offline_isr is OfflineIsr.WHOLE or how_many(s, after.isr) <= 1
        return before.leader != NO_BROKER and (not may_elect or candidates == 0) and one_stays
    return contains(candidates, after.leader) and s.spent.unclean_elections != t.spent.unclean_elections


def faults_are_counted(s: Kafka, t: Kafka) -> bool:
    """Each fault spends its budget, and nothing else does."""
    expired = False
    crashed = False
    deleted = False
    for broker in range(s.config.members):
        ended = contains(s.zookeeper.sessions & ~t.zookeeper.sessions, broker)
        if t.broker[broker].up and ended:
            expired = True
        exits = t.broker[broker].exited > s.broker[broker].exited or t.spent.lost_brokers != s.spent.lost_brokers
        if s.broker[broker].up and not t.broker[broker].up and not (s.broker[broker].leaving and ended) and not exits:
            crashed = True
    for partition in range(s.config.partitions):
        gone = s.zookeeper.assigned[partition] != 0 and t.zookeeper.assigned[partition] == 0
        if s.config.deleting_partitions > 0:
            if gone and not s.zookeeper.deleting[partition]:
                return False  # what deletes the path comes after the request
            gone = t.zookeeper.deleting[partition] > s.zookeeper.deleting[partition]
        if gone and s.config.changing_partitions == 0:
            deleted = True
    if expired != (t.spent.session_expiries > s.spent.session_expiries):
        return False
    if crashed != (t.spent.crashes > s.spent.crashes) or not disks_suffer(s, t):
        return False
    return deleted == (t.spent.topic_deletions > s.spent.topic_deletions)


def disks_suffer(s: Kafka, t: Kafka) -> bool:
    """A disk that is emptied has lost a replica, and an epoch file that is lost an epoch (N2, R12)."""
    emptied = t.spent.emptied_disks > s.spent.emptied_disks
    lost = t.spent.lost_epoch_files > s.spent.lost_epoch_files
    for partition in range(s.config.partitions):
        for broker in range(s.config.members):
            before = s.replica[partition][broker]
            after = t.replica[partition][broker]
            if before.exists and not after.exists:
                emptied = False
            for epoch in range(s.config.epochs):
                if before.epoch_start[epoch] >= 0 and after.epoch_start[epoch] < 0:
                    lost = False
    return not emptied and not lost


def offices_are_lost_for_a_reason(s: Kafka, t: Kafka, controller: ControllerEpoch) -> bool:
    """A controller resigns because its session is over, its process stops, or it sees that another was elected (Z1, Z7)."""
    me = s.controller[controller]
    if not me.active or t.controller[controller].active or me.host == NO_BROKER:
        return True
    return not t.broker[me.host].up or not has_session(s, me.host) or s.zookeeper.controller != me.host


def elections_follow_the_watch(s: Kafka, t: Kafka) -> int:
    """The broker that wins /controller has seen the first of its events, and is in session (Z8, D1)."""
    host = t.zookeeper.controller
    if t.zookeeper.controller_epoch > s.zookeeper.controller_epoch and host != NO_BROKER:
        return s.broker[host].up and s.broker[host].controller_watch == 1 and contains(s.zookeeper.sessions, host)
    return True


def the_dead_do_nothing(s: Kafka, t: Kafka, partition: Partition, broker: Broker) -> bool:
    """The replicas of a broker that is down do not change, but for epoch files and lost disks; the broker gets no session."""
    if s.broker[broker].up or t.broker[broker].up or t.spent.emptied_disks > s.spent.emptied_disks:
        return True
    if contains(t.zookeeper.sessions & ~s.zookeeper.sessions, broker):
        return False
    before = s.replica[partition][broker]
    after = t.replica[partition][broker]
    if before.leo != after.leo or before.hw != after.hw or before.exists != after.exists:
        return False
    return before.leader_epoch == after.leader_epoch and before.phase == after.phase


def roles_come_from_commands(s: Kafka, t: Kafka, partition: Partition, broker: Broker) -> bool:
    """A running broker takes a larger epoch only from a command that was sent to it, and the leader that this names (A6, C5)."""
    after = t.replica[partition][broker]
    if not s.broker[broker].up or after.leader_epoch <= s.replica[partition][broker].leader_epoch:
        return True
    command = s.command[partition][after.leader_epoch]
    sent = False
    for controller in range(s.config.controllers):
        if contains(command.sent[controller], broker):
            late = controller < s.broker[broker].controller_epoch or controller > t.broker[broker].controller_epoch
            if not s.config.controller_epoch or not late:
                sent = True
    return sent and after.leader == command.leader


def controller_epochs_grow(s: Kafka, t: Kafka, broker: Broker) -> bool:
    """A running broker does not return to an earlier controller (D4)."""
    if not s.broker[broker].up or not t.broker[broker].up:
        return True
    return t.broker[broker].controller_epoch >= s.broker[broker].controller_epoch


def may_be_found(s: Kafka, partition: Partition) -> bool:
    """The older text finds ISR == AR + RAR; the other designs do not check before they write (F4)."""
    wanted = s.zookeeper.assigned[partition] | s.zookeeper.reassigned[partition]
    if s.config.reassignment is not Reassignment.V3_OLDER or s.zookeeper.reassigned[partition] == 0:
        return False
    return s.zookeeper.leader_and_isr[partition].isr == wanted


def who_was_moved_away_stays_out(s: Kafka, t: Kafka, partition: Partition, controller: ControllerEpoch) -> bool:
    """Between the switch and its end no replica outside RAR joins the ISR, and no decision removes a live one of it (F2, N6)."""
    if s.config.reassignment is not Reassignment.KAFKA or s.config.reassignments == 0:
        return True
    node = s.zookeeper.leader_and_isr[partition]
    joined = t.zookeeper.leader_and_isr[partition].isr & ~node.isr
    if controller != node.controller_epoch or s.controller[controller].moving[partition] is not Moving.SWITCHED:
        return True
    wanted = s.zookeeper.reassigned[partition]
    left = node.isr & ~t.zookeeper.leader_and_isr[partition].isr & s.controller[controller].live
    return wanted == 0 or (subset(joined, wanted) and not (decides(s, t, partition) and left & wanted))


def only_what_is_due_is_sent(s: Kafka, t: Kafka, partition: Partition, epoch: Epoch, controller: ControllerEpoch) -> bool:
    """With an answered store, a controller sends a command only to the brokers that have yet to receive it (A6)."""
    if s.config.store is not Store.ANSWERED:
        return True
    new = t.command[partition][epoch].sent[controller] & ~s.command[partition][epoch].sent[controller]
    return subset(new, s.command[partition][epoch].unsent[controller])


def assignments_stay(s: Kafka, t: Kafka, partition: Partition) -> bool:
    """A partition keeps its replicas until it is deleted, or until an earlier decision has made RAR the ISR (Z3, B1, F2)."""
    before = s.zookeeper.assigned[partition]
    after = t.zookeeper.assigned[partition]
    if before == 0 or after == 0 or before == after:
        return True
    if s.config.reassignments == 0 or after != s.zookeeper.reassigned[partition]:
        return False
    return is_finished_in_order(s, t, partition)


def is_finished_in_order(s: Kafka, t: Kafka, partition: Partition) -> bool:
    """AR is written by a controller that has switched the ISR; if writes are one step, the request is deleted with it (F2)."""
    if s.config.store is not Store.ANSWERED and t.zookeeper.reassigned[partition] != 0:
        return False
    for epoch in range(s.config.controllers):
        me = s.controller[epoch]
        replaced = s.config.fenced_controllers and s.zookeeper.controller_epoch > epoch
        if me.active and not me.recovering and has_session(s, me.host) and not replaced:
            if me.moving[partition] in (Moving.SWITCHED, Moving.STOPPED) or decides(s, t, partition):
                return True
    return False


def reassignments_are_requested_once(s: Kafka, t: Kafka, partition: Partition) -> bool:
    """A reassignment is requested where none is, changes something, names live brokers, and spends the budget (Z5, B2)."""
    if s.config.reassignments == 0:
        return True
    before = s.zookeeper.reassigned[partition]
    after = t.zookeeper.reassigned[partition]
    if after != 0 and after != before:
        if before != 0 or after == s.zookeeper.assigned[partition] or s.zookeeper.assigned[partition] == 0:
            return False
        if s.config.deleting_partitions > 0 and s.zookeeper.deleting[partition]:
            return False
        if not subset(after, s.zookeeper.broker_ids) or s.spent.reassignments == t.spent.reassignments:
            return False
    return s.spent.reassignments == t.spent.reassignments or is_new_request(s, t)


def is_new_request(s: Kafka, t: Kafka) -> bool:
    """A reassignment is requested for a partition that had no request."""
    for partition in range(s.config.moving_partitions):
        if s.zookeeper.reassigned[partition] == 0 and t.zookeeper.reassigned[partition] != 0:
            return True
    return False


def moves_go_on_in_office(s: Kafka, t: Kafka, partition: Partition, controller: ControllerEpoch) -> bool:
    """A controller that records the progress of a reassignment is working and in session; it skips no phase (F1, Z11)."""
    if s.config.reassignments == 0:
        return True
    me = s.controller[controller]
    before = me.moving[partition]
    after = t.controller[controller].moving[partition]
    if not t.controller[controller].active or before == after:
        return True
    if not me.active or not has_session(s, me.host):
        return False
    if after > Moving.TO_BEGIN and before is Moving.NOT_MOVING:
        return False
    if after is Moving.CAUGHT_UP and not may_be_found(s, partition):
        return False
    if after is Moving.MOVING and s.zookeeper.leader_and_isr[partition].version == 0:
        return False
    if after is Moving.SWITCHED and before is not Moving.MOVING and before is not Moving.CAUGHT_UP:
        return False
    if after is Moving.WRITTEN_BACK:
        return before is Moving.STOPPED if s.config.stepwise_moves else before is Moving.SWITCHED
    if after is Moving.NOT_MOVING and s.config.store is Store.ANSWERED:
        return before is Moving.WRITTEN_BACK
    return before is not Moving.TO_BEGIN or after is not Moving.NOT_MOVING


def requests_are_met_or_hopeless(s: Kafka, t: Kafka, partition: Partition) -> bool:
    """A preferred election is requested where another broker leads, and dropped by a controller that cannot carry it out (I1)."""
    node = s.zookeeper.leader_and_isr[partition]
    preferred = s.zookeeper.preferred[partition]
    before = s.zookeeper.preferred_election[partition]
    after = t.zookeeper.preferred_election[partition]
    if before < after and node.leader == preferred:
        return False
    if before <= after or decides(s, t, partition) or t.zookeeper.assigned[partition] == 0:
        return True
    hopeless = False
    for epoch in range(s.config.controllers):
        me = s.controller[epoch]
        waits = 0
        if s.config.store is Store.ANSWERED:
            waits = s.decision[partition][epoch].asked and t.decision[partition][epoch].asked
        if me.active and not me.recovering and has_session(s, me.host) and not waits:
            if node.leader == preferred or not contains(node.isr & me.live, preferred):
                hopeless = True
    return hopeless


def only_leaders_keep_an_isr(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """A broker that does not lead keeps none of a leader's variables (C4)."""
    me = s.replica[partition][broker]
    if s.config.store is Store.ANSWERED and me.leader != broker and s.isr_write[partition][broker].phase is not Writing.QUIET:
        return False
    return me.leader == broker or (me.isr == 0 and me.zk_version == 0)


def responses_have_a_reader(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """A response is in flight only to a follower that fetches; a fetcher that stops closes its connection (C3, C4)."""
    if s.config.fetch is not Fetch.IN_FLIGHT:
        return True
    return not s.fetch_response[partition][broker].sent or s.replica[partition][broker].phase is Phase.FETCHING


def replicas_go_for_a_reason(s: Kafka, t: Kafka, partition: Partition, broker: Broker) -> bool:
    """A running broker deletes a replica on StopReplica, or when a later controller's INIT does not name it (C2, C6, D4)."""
    runs = s.broker[broker].up and t.broker[broker].up
    if not runs or not s.replica[partition][broker].exists or t.replica[partition][broker].exists:
        return True
    told = False
    for epoch in range(s.config.controllers):
        me = s.controller[epoch]
        known = s.broker[broker].controller_epoch
        late = s.config.controller_epoch and (epoch < known or epoch > t.broker[broker].controller_epoch)
        if contains(me.stopping[partition], broker) and not late:
            told = True
        late = s.config.controller_epoch and epoch <= s.broker[broker].controller_epoch
        if contains(me.init_sent & ~me.init_names[partition], broker) and not late:
            told = True
    return told


def truncation_ends_in_a_prefix(s: Kafka, t: Kafka, partition: Partition, broker: Broker, offset: Offset) -> bool:
    """A follower whose last question to its present leader was answered holds a prefix of that leader's log (T2)."""
    me = t.replica[partition][broker]
    before = s.replica[partition][broker]
    answered = before.phase is Phase.ANSWERED and before.answer_epoch != NO_EPOCH
    if not answered or me.phase is not Phase.FETCHING or me.leader == NO_BROKER or not leads(t, partition, me.leader):
        return True
    their = t.replica[partition][me.leader]
    return their.leader_epoch != me.leader_epoch or offset >= me.leo or same_record(me, their, offset)


KAFKA_STEP_INVARIANTS = (
    step(controllers_decide_in_office, since=None),
    step(decisions_are_needed, since=None),
    step(other_elections_come_last, since=None),
    step(decisions_admit_nobody, since=None),
    step(faults_are_counted, since=None),
    step(offices_are_lost_for_a_reason, since=None),
    step(elections_follow_the_watch, since=None),
    step(the_dead_do_nothing, since=None),
    step(roles_come_from_commands, since=None),
    step(controller_epochs_grow, since=None),
    step(only_what_is_due_is_sent, since=None),
    step(assignments_stay, since=None),
    step(reassignments_are_requested_once, since=None),
    step(moves_go_on_in_office, since=None),
    step(who_was_moved_away_stays_out, since=None),
    step(requests_are_met_or_hopeless, since=None),
    step(replicas_go_for_a_reason, since=None),
    step(truncation_ends_in_a_prefix, since=None),
    always(only_leaders_keep_an_isr, since=None),
    always(responses_have_a_reader, since=None),
)
