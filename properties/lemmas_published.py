"""Lemmas of the published abstraction: what is true in every reachable state and makes proofs go through.

Each is an ordinary property. A property that one cares about is seldom inductive by itself: some state that
satisfies it, but can never be reached, has a step to a state that breaks it. A lemma rules such states out.
Groups: requests and roles; logs; who can still commit; what was committed. The letters and numbers
are those of the proof for unbounded sizes, from which the lemmas are taken.
"""

from ..model.members import NO_BROKER, contains, everyone
from ..model.published.replication import is_true_leader, presumes, same_record
from ..model.published.state import Published
from ..model.vocabulary import Broker, Brokers, Epoch, Offset
from .property import always

# Words.


def is_sent(s: Published, epoch: Epoch) -> bool:
    """There is a request of this epoch, and it names a leader."""
    return epoch < s.next_leader_epoch and s.request[epoch].leader != NO_BROKER


def has_arrived(s: Published, epoch: Epoch) -> bool:
    """The leader that the request of `epoch` names has obeyed it, or a later one."""
    for broker in range(s.config.members):
        if s.request[epoch].leader == broker and s.replica[broker].leader_epoch >= epoch:
            return True
    return False


def is_awaited(s: Published, epoch: Epoch) -> bool:
    """The request of `epoch` names a leader that is still in an earlier epoch."""
    return is_sent(s, epoch) and not has_arrived(s, epoch)


def is_blocked(s: Published, isr: Brokers, epoch: Epoch) -> bool:
    """A member of `isr` has left `epoch` behind: a leader of `epoch` with this ISR never commits again."""
    for broker in range(s.config.members):
        if contains(isr, broker) and s.replica[broker].leader_epoch > epoch:
            return True
    return False


def holds_record_of(s: Published, broker: Broker, other: Broker, offset: Offset) -> bool:
    """`broker` has the record that `other` has at `offset`."""
    if offset >= s.replica[broker].leo or offset >= s.replica[other].leo:
        return False
    return same_record(s, broker, other, offset)


# Requests and roles.


def requests_reach_quorum_epoch(s: Published, epoch: Epoch) -> bool:
    """B1. There is a request for every epoch up to the quorum's, and none beyond."""
    if s.next_leader_epoch != s.quorum.leader_epoch + 1:
        return False
    if epoch < s.next_leader_epoch:
        return True
    return s.request[epoch].leader == NO_BROKER and s.request[epoch].isr == 0


def request_leader_in_request_isr(s: Published, epoch: Epoch) -> bool:
    """B2. The leader that a request names is in the ISR that it names."""
    return not is_sent(s, epoch) or contains(s.request[epoch].isr, s.request[epoch].leader)


def quorum_leader_is_last_requested(s: Published, epoch: Epoch) -> bool:
    """B3. The quorum's leader is the leader of the last request."""
    if epoch == s.quorum.leader_epoch and s.request[epoch].leader != s.quorum.leader:
        return False
    return s.quorum.leader_epoch >= 0 or s.quorum.leader == NO_BROKER


def obeyed_request_was_sent(s: Published, broker: Broker) -> bool:
    """B4. No replica is in an epoch beyond the quorum's."""
    return s.replica[broker].leader_epoch <= s.quorum.leader_epoch


def leader_obeyed_a_request(s: Published, broker: Broker) -> bool:
    """B5, in part. Who presumes to lead has an epoch to write into its records."""
    return not presumes(s, broker) or s.replica[broker].leader_epoch >= 0


def follows_leader_of_its_epoch(s: Published, broker: Broker, epoch: Epoch) -> bool:
    """B5. A replica follows whom the request of its epoch names, and no one before its first."""
    me = s.replica[broker]
    if me.leader_epoch < 0 and me.leader != NO_BROKER:
        return False
    return me.leader_epoch != epoch or (me.leader != NO_BROKER and me.leader == s.request[epoch].leader)


def true_leader_knows_isr(s: Published, broker: Broker) -> bool:
    """B7. The true leader's ISR is the quorum's: it made the last change itself."""
    return not is_true_leader(s, broker) or s.replica[broker].isr == s.quorum.isr


def isr_is_requested_until_leader_arrives(s: Published, epoch: Epoch) -> bool:
    """B8. Until the quorum's leader obeys the last request, no one can change the ISR that it names; at first it is everyone."""
    if epoch == s.quorum.leader_epoch and not has_arrived(s, epoch):
        if s.quorum.isr != s.request[epoch].isr:
            return False
    return s.quorum.leader_epoch >= 0 or s.quorum.isr == everyone(s.config.members)


def leader_in_own_isr(s: Published, broker: Broker) -> bool:
    """B9. Who presumes to lead is in the ISR that it knows: its own log bounds what it commits."""
    return not presumes(s, broker) or contains(s.replica[broker].isr, broker)


def leader_is_first_in_its_epoch(s: Published, broker: Broker, epoch: Epoch) -> bool:
    """B10. No one is in an epoch before that epoch's leader: this is what fencing the truncation buys."""
    return s.replica[broker].leader_epoch != epoch or has_arrived(s, epoch)


# Logs.


def epochs_grow_along_log(s: Published, broker: Broker, offset: Offset, earlier: Offset) -> bool:
    """L1. The epochs of the records never fall along a log."""
    me = s.replica[broker]
    return earlier >= offset or offset >= me.leo or me.log[earlier].epoch <= me.log[offset].epoch


def no_record_beyond_own_epoch(s: Published, broker: Broker, offset: Offset) -> bool:
    """L2. No record is of a later epoch than the replica that holds it."""
    if offset >= s.replica[broker].leo:
        return True
    return s.replica[broker].log[offset].epoch <= s.replica[broker].leader_epoch


def logs_match(s: Published, broker: Broker, other: Broker, offset: Offset, earlier: Offset) -> bool:
    """L3. If records at one offset are of one epoch, then they are the same record, and so are all those before them."""
    if broker >= other or offset >= s.replica[broker].leo or offset >= s.replica[other].leo:
        return True
    if s.replica[broker].log[offset].epoch != s.replica[other].log[offset].epoch:
        return True
    return earlier > offset or same_record(s, broker, other, earlier)


def leader_has_all_of_its_epoch(s: Published, leader: Broker, broker: Broker, offset: Offset) -> bool:
    """L4. A leader has every record of its epoch that anybody has."""
    if not presumes(s, leader) or offset >= s.replica[broker].leo:
        return True
    if s.replica[broker].log[offset].epoch != s.replica[leader].leader_epoch:
        return True
    return holds_record_of(s, leader, broker, offset)


def records_of_arrived_leaders(s: Published, broker: Broker, offset: Offset, epoch: Epoch) -> bool:
    """L5. A record's epoch is one whose leader has arrived."""
    if offset >= s.replica[broker].leo or s.replica[broker].log[offset].epoch != epoch:
        return True
    return has_arrived(s, epoch)


def follower_holds_prefix_of_leader(s: Published, follower: Broker, leader: Broker, offset: Offset) -> bool:
    """L6. A follower in its leader's epoch holds a prefix of the leader's log."""
    if follower == leader or s.replica[follower].leader != leader or not presumes(s, leader):
        return True
    if s.replica[follower].leader_epoch != s.replica[leader].leader_epoch or offset >= s.replica[follower].leo:
        return True
    return holds_record_of(s, leader, follower, offset)


# Who can still commit.


def outsider_blocks_leader(s: Published, leader: Broker) -> bool:
    """K1. If the quorum's ISR has a member that a leader does not know of, that leader is blocked."""
    if not presumes(s, leader) or s.quorum.isr & ~s.replica[leader].isr == 0:
        return True
    return is_blocked(s, s.replica[leader].isr, s.replica[leader].leader_epoch)


def outsider_blocks_awaited_leader(s: Published, epoch: Epoch) -> bool:
    """K2. The same for a leader that has not obeyed its request yet, and the ISR that it will start from."""
    if not is_awaited(s, epoch) or s.quorum.isr & ~s.request[epoch].isr == 0:
        return True
    return is_blocked(s, s.request[epoch].isr, epoch)


def later_request_blocks_leader(s: Published, leader: Broker, epoch: Epoch) -> bool:
    """K3. As K1, for members of the ISR of a later request."""
    if not presumes(s, leader) or not is_sent(s, epoch) or epoch <= s.replica[leader].leader_epoch:
        return True
    if s.request[epoch].isr & ~s.replica[leader].isr == 0:
        return True
    return is_blocked(s, s.replica[leader].isr, s.replica[leader].leader_epoch)


def later_request_blocks_awaited_leader(s: Published, epoch: Epoch, later_epoch: Epoch) -> bool:
    """K4. As K2, for members of the ISR of a later request."""
    if epoch >= later_epoch or not is_awaited(s, epoch) or not is_sent(s, later_epoch):
        return True
    return s.request[later_epoch].isr & ~s.request[epoch].isr == 0 or is_blocked(s, s.request[epoch].isr, epoch)


# What was committed.


def committed_in_some_epoch(s: Published, broker: Broker, offset: Offset) -> bool:
    """C0-C9. Whatever lies below a high watermark was committed in some epoch, with all that follows from that.

    The abstraction has no history, so the epoch of the commit is not known; that there is one is enough.
    """
    if offset >= s.replica[broker].hw:
        return True
    found = 0
    for epoch in range(s.config.epochs):
        if was_committed(s, broker, offset, epoch):
            found = 1
    return found == 1


def was_committed(s: Published, broker: Broker, offset: Offset, epoch: Epoch) -> bool:
    """The record of `broker` at `offset` can have been committed in `epoch`: nothing contradicts it.

    C0: not before the record's epoch nor after the broker's, and by a leader that had arrived.
    """
    me = s.replica[broker]
    if offset >= me.leo or epoch < me.log[offset].epoch or epoch > me.leader_epoch or not has_arrived(s, epoch):
        return False
    if not all_hold(s, s.quorum.isr, broker, offset, epoch):
        return False  # C2
    for leader in range(s.config.members):
        if presumes(s, leader) and not leader_respects(s, leader, broker, offset, epoch):
            return False
    for later in range(s.config.epochs):
        if later > epoch and is_sent(s, later) and not all_hold(s, s.request[later].isr, broker, offset, epoch):
            return False  # C5
        if later < epoch and is_awaited(s, later) and not is_blocked(s, s.request[later].isr, later):
            return False  # C7
    return True


def all_hold(s: Published, isr: Brokers, broker: Broker, offset: Offset, epoch: Epoch) -> bool:
    """Every member of `isr` has the record and is not in an epoch before `epoch`."""
    for other in range(s.config.members):
        if contains(isr, other):
            if s.replica[other].leader_epoch < epoch or not holds_record_of(s, other, broker, offset):
                return False
    return True


def leader_respects(s: Published, leader: Broker, broker: Broker, offset: Offset, epoch: Epoch) -> bool:
    """What a commit in `epoch` asks of a leader: to have the record (C1), and its ISR too (C4), or to be blocked (C7)."""
    me = s.replica[leader]
    if me.leader_epoch < epoch:
        return is_blocked(s, me.isr, me.leader_epoch)
    if me.leader_epoch == epoch and offset >= me.hw:
        return False  # C8: it committed the record itself
    return holds_record_of(s, leader, broker, offset) and all_hold(s, me.isr, broker, offset, epoch)


FENCED = "kip-320"
"""Since this revision a leader answers in its own epoch only."""

FIRST = "high-watermark"

PUBLISHED_LEMMAS = (
    always(requests_reach_quorum_epoch, since=FIRST),
    always(request_leader_in_request_isr, since=FIRST),
    always(quorum_leader_is_last_requested, since=FIRST),
    always(obeyed_request_was_sent, since=FIRST),
    always(leader_obeyed_a_request, since=FIRST),
    always(follows_leader_of_its_epoch, since=FIRST),
    always(true_leader_knows_isr, since=FIRST),
    always(isr_is_requested_until_leader_arrives, since=FIRST),
    always(leader_in_own_isr, since=FIRST),
    always(leader_is_first_in_its_epoch, since=FENCED),
    always(epochs_grow_along_log, since=FENCED),
    always(no_record_beyond_own_epoch, since=FENCED),
    always(logs_match, since=FENCED),
    always(leader_has_all_of_its_epoch, since=FENCED),
    always(records_of_arrived_leaders, since=FENCED),
    always(follower_holds_prefix_of_leader, since=FENCED),
    always(outsider_blocks_leader, since=FENCED),
    always(outsider_blocks_awaited_leader, since=FENCED),
    always(later_request_blocks_leader, since=FENCED),
    always(later_request_blocks_awaited_leader, since=FENCED),
    always(committed_in_some_epoch, since=FENCED),
)

ROLES = (
    "leader_obeyed_a_request", "leader_in_own_isr", "request_leader_in_request_isr", "leader_none_or_in_isr",
    "hw_within_log",
)  # fmt: skip
"""Enough for high watermarks and ISRs, and for every index of every action."""

EPOCHS = (
    *ROLES, "requests_reach_quorum_epoch", "obeyed_request_was_sent", "follows_leader_of_its_epoch",
)  # fmt: skip
"""Enough for who leads in which epoch."""

EVERYTHING = (
    *(lemma.name for lemma in PUBLISHED_LEMMAS),
    "leader_none_or_in_isr", "hw_within_log", "one_leader_per_epoch",
)  # fmt: skip

PUBLISHED_PROOFS = {
    "hw_within_log": ROLES,
    "leader_none_or_in_isr": ROLES,
    "isr_within_assignment": ROLES,
    "one_leader_per_epoch": EPOCHS,
    "epochs_increase": EPOCHS,
    "weak_isr": EVERYTHING,
    "strong_isr": EVERYTHING,
    "log_prefix_convergence": EVERYTHING,
}
"""For each property, the lemmas with which it is inductive: in every revision, those from `weak_isr` on under KIP-320."""
