"""Lemmas of the Kafka model about logs: what a follower has of its leader's log, and what the epoch cache says of it.

They are about KIP-320 as `kip-320` has it: a follower asks where its latest epoch ends, and requests and fetches are refused in
any other epoch than the leader's. Clean elections only, one record a batch, and a fetch is one step with its answer.
"""

from typing import Any

from ..model.choices import Beginning, EmptyEpoch, Fetch, Store
from ..model.config import Config
from ..model.epoch_cache import end_of_epochs_up_to, knows_epoch, largest_epoch_up_to, latest_epoch
from ..model.log import same_record
from ..model.members import NO_BROKER, everyone
from ..model.state import Kafka, Replica
from ..model.vocabulary import NO_EPOCH, Broker, ControllerEpoch, Epoch, Offset, Partition, Phase
from .commands import has_begun, has_reached, is_awaited, is_in_or_restarts_in, is_sent
from .property import Property, always

# Words.


def end_after_answer(s: Kafka, me: Replica) -> int:
    """Where the log ends once the answer on its way is obeyed."""
    end = end_of_epochs_up_to(s, me, me.answer_epoch)
    if ends_exchange(s, me):
        end = min(end, me.answer_end)
    return min(end, me.leo)


def ends_exchange(s: Kafka, me: Replica) -> bool:
    """The follower knows the epoch of the answer, or knows later ones only: it fetches next, and does not ask again."""
    return knows_epoch(me, me.answer_epoch) or largest_epoch_up_to(s, me, me.answer_epoch) == NO_EPOCH


# Who holds a replica, and whom it follows.


def every_broker_is_assigned(s: Kafka, partition: Partition) -> bool:
    """Every broker holds a replica."""
    return s.zookeeper.assigned[partition] == everyone(s.config.brokers)


def no_replica_is_stopped(s: Kafka, partition: Partition, controller: ControllerEpoch, broker: Broker) -> bool:
    """Nobody is told to delete a replica: no topic is deleted, and no partition moves."""
    return s.replica[partition][broker].exists == 1 and s.controller[controller].stopping[partition] == 0


def commands_are_sent_at_once(s: Kafka, partition: Partition, epoch: Epoch, controller: ControllerEpoch) -> bool:
    """No command waits to be sent: that is one step with the decision."""
    return s.command[partition][epoch].unsent[controller] == 0


def every_election_was_clean(s: Kafka, partition: Partition) -> bool:
    """No leader was elected from outside the ISR."""
    return s.history[partition].unclean_epoch == NO_EPOCH


def role_was_published(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch) -> bool:
    """Whom a replica follows is the leader of its epoch, in the store and in the command; without an epoch it follows no one."""
    node = s.zookeeper.leader_and_isr[partition]
    me = s.replica[partition][broker]
    if me.leader_epoch < 0:
        return me.leader == NO_BROKER and not s.broker[broker].up
    if me.leader_epoch > node.leader_epoch or (me.leader_epoch == node.leader_epoch and me.leader != node.leader):
        return False
    return me.leader_epoch != epoch or not is_sent(s, partition, epoch) or s.command[partition][epoch].leader == me.leader


def one_leader_is_followed_in_an_epoch(s: Kafka, partition: Partition, broker: Broker, other: Broker) -> bool:
    """Two replicas in one epoch have the same leader."""
    me = s.replica[partition][broker]
    their = s.replica[partition][other]
    return me.leader_epoch != their.leader_epoch or me.leader == their.leader


def published_leader_knows_isr(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """The leader of the published epoch knows ISR and version: it made the last change itself."""
    node = s.zookeeper.leader_and_isr[partition]
    me = s.replica[partition][broker]
    if me.leader != broker or me.leader_epoch != node.leader_epoch:
        return True
    return me.isr == node.isr and me.zk_version == node.version


def awaited_leader_learns_isr(s: Kafka, partition: Partition, epoch: Epoch) -> bool:
    """Until the leader of the published epoch has obeyed, nobody changes the ISR that its command names."""
    node = s.zookeeper.leader_and_isr[partition]
    command = s.command[partition][epoch]
    if epoch != node.leader_epoch or not is_awaited(s, partition, epoch):
        return True
    return command.isr == node.isr and command.zk_version == node.version


def follower_waits_for_its_leader(s: Kafka, partition: Partition, broker: Broker) -> bool:
    """A follower with records has an answer, or fetches, only once its leader is in their epoch: before, nobody answers."""
    me = s.replica[partition][broker]
    if me.leader == NO_BROKER or me.leader == broker:
        return me.phase is Phase.IDLE
    if me.phase is Phase.ASKING:
        return latest_epoch(s, me) != NO_EPOCH
    if me.phase is Phase.FETCHING and me.leo == 0:
        return True
    return has_reached(s, partition, me.leader, me.leader_epoch)


# Records.


def epochs_grow_along_log(s: Kafka, partition: Partition, broker: Broker, offset: Offset) -> bool:
    """Epochs never fall along a log; each record is a later one than the one before, and was written."""
    me = s.replica[partition][broker]
    if offset >= me.leo:
        return True
    if me.log[offset].record > s.spent.records or me.log[offset].epoch < 0 or me.log[offset].record == 0:
        return False
    for earlier in range(s.config.log_size):
        if earlier < offset:
            if me.log[earlier].epoch > me.log[offset].epoch or me.log[earlier].record >= me.log[offset].record:
                return False
    return True


def is_of_no_later_epoch(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch) -> bool:
    """The broker can have records of this epoch."""
    if epoch > s.zookeeper.leader_and_isr[partition].leader_epoch:
        return False
    return has_reached(s, partition, broker, epoch)


def logs_match(s: Kafka, partition: Partition, broker: Broker, other: Broker, offset: Offset) -> bool:
    """Records of one epoch come from one log: who has a later one of them has the earlier ones too, and all that is below."""
    me = s.replica[partition][broker]
    their = s.replica[partition][other]
    if broker == other or offset >= me.leo:
        return True
    for later in range(s.config.log_size):
        if offset <= later and later < their.leo and their.log[later].epoch == me.log[offset].epoch:
            for below in range(s.config.log_size):
                if below <= offset and not same_record(me, their, below):
                    return False
    return True


def record_has_one_epoch(s: Kafka, partition: Partition, broker: Broker, other: Broker, offset: Offset) -> bool:
    """The same batch is of the same epoch in every log."""
    me = s.replica[partition][broker]
    their = s.replica[partition][other]
    if offset >= min(me.leo, their.leo) or me.log[offset].record != their.log[offset].record:
        return True
    return me.log[offset].epoch == their.log[offset].epoch


def leader_has_all_of_its_epoch(s: Kafka, partition: Partition, leader: Broker, broker: Broker, offset: Offset) -> bool:
    """A leader has every record of its epoch, also one that is down and was not replaced yet."""
    me = s.replica[partition][broker]
    if offset >= me.leo:
        return True
    node = s.zookeeper.leader_and_isr[partition]
    their = s.replica[partition][leader]
    leads_now = their.leader == leader and their.leader_epoch == me.log[offset].epoch
    leads_next = node.leader == leader and node.leader_epoch == me.log[offset].epoch
    return not (leads_now or leads_next) or same_record(me, their, offset)


def term_begins_with_own_records(s: Kafka, partition: Partition, leader: Broker, offset: Offset) -> bool:
    """What a leader has from the start of its term on is of its epoch."""
    me = s.replica[partition][leader]
    if me.leader != leader:
        return True
    if me.term_start > me.leo:
        return False
    return offset < me.term_start or offset >= me.leo or me.log[offset].epoch == me.leader_epoch


def follower_holds_prefix_of_leader(s: Kafka, partition: Partition, follower: Broker, leader: Broker, offset: Offset) -> bool:
    """A follower that fetches holds a prefix of its leader's log, while that leads in the follower's epoch, or will again."""
    me = s.replica[partition][follower]
    if follower == leader or me.leader != leader or me.phase is not Phase.FETCHING or offset >= me.leo:
        return True
    return not is_leader_of(s, partition, follower, leader) or same_record(me, s.replica[partition][leader], offset)


def is_leader_of(s: Kafka, partition: Partition, follower: Broker, leader: Broker) -> bool:
    """The leader whom the replica follows leads in the replica's epoch, or is down and starts in it."""
    return is_in_or_restarts_in(s, partition, leader, s.replica[partition][follower].leader_epoch)


# The epoch cache.


def records_epochs_are_cached(s: Kafka, partition: Partition, broker: Broker, offset: Offset) -> bool:
    """The epoch of every record is in the cache, so it has begun; a leader's own epoch is, too."""
    me = s.replica[partition][broker]
    if me.leader == broker and not knows_epoch(me, me.leader_epoch):
        return False
    return offset >= me.leo or knows_epoch(me, me.log[offset].epoch)


def cached_epoch_starts_with_a_record(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch) -> bool:
    """A cached epoch begins with a record of it, or at the log's end; then no other does, and the log has no record of it."""
    me = s.replica[partition][broker]
    if not knows_epoch(me, epoch):
        return True
    start = me.epoch_start[epoch]
    if start > me.leo or not is_of_no_later_epoch(s, partition, broker, epoch) or not has_begun(s, partition, epoch):
        return False
    for offset in range(s.config.log_size):
        if offset < me.leo:
            if offset == start and me.log[offset].epoch != epoch:
                return False
            if start == me.leo and me.log[offset].epoch >= epoch:
                return False
    for other in range(s.config.epochs):
        if other > epoch and me.epoch_start[other] >= 0 and me.epoch_start[other] <= start:
            return False
    return True


def empty_epoch_is_its_leaders(s: Kafka, partition: Partition, broker: Broker, other: Broker, epoch: Epoch) -> bool:
    """An epoch without records is in the cache of its leader alone."""
    me = s.replica[partition][broker]
    if broker == other or not knows_epoch(me, epoch) or me.epoch_start[epoch] < me.leo:
        return True
    node = s.zookeeper.leader_and_isr[partition]
    if (node.leader_epoch == epoch and node.leader != broker) or (me.leader_epoch == epoch and me.leader != broker):
        return False
    return not knows_epoch(s.replica[partition][other], epoch)


def late_start_is_shared(s: Kafka, partition: Partition, broker: Broker, other: Broker, epoch: Epoch, offset: Offset) -> bool:
    """A cached epoch begins with its first record; or later, then everyone has all up to there, and no answer cuts it.

    Where a cut of nothing keeps an epoch without records, the next record that is fetched may be of an earlier epoch: it drops
    the later one, and enters its own anew, from there on (`late_epoch` = replaces).
    """
    me = s.replica[partition][broker]
    their = s.replica[partition][other]
    start = me.epoch_start[epoch]
    if start <= 0 or start >= me.leo or me.log[start - 1].epoch != epoch:
        return True
    if their.phase is Phase.ANSWERED and end_after_answer(s, their) <= start:
        return False
    return broker == other or offset > start or same_record(me, their, offset)


def fetching_follower_has_no_empty_epoch(s: Kafka, partition: Partition, follower: Broker, epoch: Epoch) -> bool:
    """Who fetches has a record of each cached epoch, so what it fetches is of none earlier: its truncation dropped the others."""
    me = s.replica[partition][follower]
    return me.phase is not Phase.FETCHING or not knows_epoch(me, epoch) or me.epoch_start[epoch] < me.leo


def late_start_comes_last(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch, offset: Offset) -> bool:
    """A cached epoch begins with its first record; or later, then the last leader has all up to there, and no answer cuts it.

    It takes two later epochs to enter an epoch anew: of epochs 0 to 2 nobody leads after that.
    """
    node = s.zookeeper.leader_and_isr[partition]
    me = s.replica[partition][broker]
    start = me.epoch_start[epoch]
    if start <= 0 or start >= me.leo or me.log[start - 1].epoch != epoch:
        return True
    if node.leader_epoch < s.config.max_epoch or node.leader == NO_BROKER or node.leader == broker:
        return False
    is_there = has_reached(s, partition, broker, node.leader_epoch)
    if not is_there or not has_reached(s, partition, node.leader, node.leader_epoch):
        return False
    if me.phase is Phase.ANSWERED and end_after_answer(s, me) <= start:
        return False
    return offset > start or same_record(me, s.replica[partition][node.leader], offset)


# Answers on their way.


def answer_keeps_what_is_shared(s: Kafka, partition: Partition, follower: Broker, leader: Broker, offset: Offset) -> bool:
    """An answer cuts no record that follower and leader share, and once the exchange ends they share what is left."""
    me = s.replica[partition][follower]
    their = s.replica[partition][leader]
    if me.leader != leader or follower == leader or me.phase is not Phase.ANSWERED:
        return True
    if me.answer_epoch < 0 or me.answer_end < 0 or me.answer_end > s.config.log_size:
        return False
    if offset >= me.leo or not is_leader_of(s, partition, follower, leader):
        return True
    is_left = offset < end_after_answer(s, me)
    if same_record(me, their, offset):
        return is_left
    return not is_left or not ends_exchange(s, me)


FENCED = "kip-320"
"""Since this revision every fetch and every request for an epoch's end is refused in any other epoch than the leader's."""

EXCLUDED = (
    "power_losses", "unclean_elections", "compactions", "retentions", "lost_epoch_files", "exchanged_directories",
    "topic_deletions", "topic_recreations", "partition_additions", "partition_removals", "reassignments", "lost_brokers",
    "emptied_disks",
)  # fmt: skip
"""Faults that lose records, or move a replica."""


def keeps_logs(config: Config) -> bool:
    """No fault loses records or moves a replica; a batch is one record; writes of the store and fetches are one step."""
    if any(getattr(config, fault) for fault in EXCLUDED) or config.max_batch > 1 or config.start is not Beginning.SERVING:
        return False
    is_coarse = config.store is Store.ATOMIC and config.fetch is Fetch.RENDEZVOUS
    return is_coarse and config.replicas in (0, config.brokers)


def drops_empty_epochs(config: Config) -> bool:
    """The same where a truncation that cuts nothing keeps no epoch without records."""
    return keeps_logs(config) and config.cut_of_nothing is EmptyEpoch.DROPPED


def shares_late_starts(config: Config) -> bool:
    """The same, or with two brokers."""
    return drops_empty_epochs(config) or (keeps_logs(config) and config.brokers < 3)


def has_late_starts_last(config: Config) -> bool:
    """The same with more brokers, where epochs end before a broker with a late start can lead."""
    return keeps_logs(config) and not shares_late_starts(config) and config.max_epoch < 3


WHERE: dict[str, Any] = {"since": FENCED, "needs": keeps_logs, "where": "no fault that loses records, max_batch = 1"}

LOG_LEMMAS: tuple[Property, ...] = (
    always(every_broker_is_assigned, **WHERE),
    always(no_replica_is_stopped, **WHERE),
    always(commands_are_sent_at_once, **WHERE),
    always(every_election_was_clean, **WHERE),
    always(role_was_published, **WHERE),
    always(one_leader_is_followed_in_an_epoch, **WHERE),
    always(published_leader_knows_isr, **WHERE),
    always(awaited_leader_learns_isr, **WHERE),
    always(follower_waits_for_its_leader, **WHERE),
    always(epochs_grow_along_log, **WHERE),
    always(logs_match, **WHERE),
    always(record_has_one_epoch, **WHERE),
    always(leader_has_all_of_its_epoch, **WHERE),
    always(term_begins_with_own_records, **WHERE),
    always(follower_holds_prefix_of_leader, **WHERE),
    always(records_epochs_are_cached, **WHERE),
    always(cached_epoch_starts_with_a_record, **WHERE),
    always(empty_epoch_is_its_leaders, **WHERE),
    always(
        late_start_is_shared, since=FENCED, needs=shares_late_starts,
        where="brokers = 2, or cut_of_nothing = dropped; no fault that loses records, max_batch = 1",
    ),
    always(
        fetching_follower_has_no_empty_epoch, since=FENCED, needs=drops_empty_epochs,
        where="cut_of_nothing = dropped; no fault that loses records, max_batch = 1",
    ),
    always(
        late_start_comes_last, since=FENCED, needs=has_late_starts_last,
        where="brokers > 2, cut_of_nothing = kept, max_epoch = 2; no fault that loses records, max_batch = 1",
    ),
    always(answer_keeps_what_is_shared, **WHERE),
)  # fmt: skip
