"""Lemmas of the family `kraft` about logs and commits, beside those of the Kafka model that are the same.

The controller appends what it decides, and each broker applies a prefix. So a leader learns of its ISR late, by an answer or by
the log, and may pass over epochs. It commits with all of the ISR that it knows and of what it asks for: that includes whoever may
be elected at the end of its epoch, if it has min.insync.replicas members.
"""

from typing import Any

from ..model.broker.high_watermark import isr_that_commits
from ..model.choices import Fetch
from ..model.epoch_cache import knows_epoch
from ..model.fetching import leads
from ..model.kraft.config import KraftConfig
from ..model.kraft.state import Kraft
from ..model.kraft_choices import Eligible, OlderNews, ShrinkEpoch, UnderMinIsr
from ..model.members import NO_BROKER, contains, how_many, subset
from ..model.vocabulary import Broker, Epoch, Offset, Partition, Phase, Writing
from .commands import image_after, is_awaited, is_sent, is_sent_to
from .lemmas_kafka import leader_in_own_isr
from .lemmas_kafka_commits import (
    committed_records_are_secure,
    electable,
    has_what_is_not_blocked,
    high_watermark_tells_of_commits,
    is_blocked_by,
    is_under_min_isr,
    later_isr_blocks_awaited_leader,
    later_leaders_have_what_may_be_committed,
    leader_remembers_its_own_term,
    newest_leader_is_remembered,
)
from .lemmas_kafka_logs import (
    EXCLUDED,
    cached_epoch_starts_with_a_record,
    empty_epoch_is_its_leaders,
    epochs_grow_along_log,
    every_broker_is_assigned,
    every_election_was_clean,
    leader_has_all_of_its_epoch,
    logs_match,
    record_has_one_epoch,
    records_epochs_are_cached,
    term_begins_with_own_records,
)
from .property import Property, always

# Words.


def is_news(s: Kraft, partition: Partition, leader: Broker, change: int) -> bool:
    """The broker leads in the epoch of this change, has yet to apply it, and knows no answer that is as late."""
    me, image = s.replica[partition][leader], image_after(s, partition, change)
    if not leads(s, partition, leader) or not is_sent_to(s, partition, leader, change):
        return False
    return image.leader_epoch == me.leader_epoch and image.version > me.zk_version


def is_to_come(s: Kraft, partition: Partition, change: int) -> bool:
    """The leader of this change may begin to lead by it, or take its ISR from it."""
    leader = image_after(s, partition, change).leader
    return leader != NO_BROKER and (is_awaited(s, partition, change) or is_news(s, partition, leader, change))


# The log of metadata, and what brokers know of it.


def log_ends_with_the_node(s: Kraft, partition: Partition, change: int) -> bool:
    """The last change is what the controller goes by; of the first, which all have applied, the partition epoch matters alone."""
    log, image, node = s.metadata[0], image_after(s, partition, change), s.zookeeper.leader_and_isr[partition]
    if log.change[log.length].image[partition].version != node.version:
        return False
    if change + 1 != log.length:
        return True
    if image.leader != node.leader or image.leader_epoch != node.leader_epoch:
        return False
    return image.isr == node.isr


def changes_are_numbered(s: Kraft, partition: Partition, change: int, later: int) -> bool:
    """Partition epochs grow along the log; with the same one a change says the same."""
    if not is_sent(s, partition, change) or not is_sent(s, partition, later) or change > later:
        return True
    first, second = image_after(s, partition, change), image_after(s, partition, later)
    if s.metadata[0].change[0].image[partition].version > first.version or first.version > second.version:
        return False
    if first.version != second.version:
        return True
    return first.leader == second.leader and first.leader_epoch == second.leader_epoch and first.isr == second.isr


def changes_name_leaders_of_the_isr(s: Kraft, partition: Partition, change: int) -> bool:
    """The leader that a change names is in its ISR."""
    image = image_after(s, partition, change)
    return not is_sent(s, partition, change) or image.leader == NO_BROKER or contains(image.isr, image.leader)


def roles_are_of_what_was_applied(s: Kraft, partition: Partition, broker: Broker, change: int) -> bool:
    """A broker that runs is in the epoch of the last change that it has applied."""
    log, me, node = s.metadata[0], s.replica[partition][broker], s.zookeeper.leader_and_isr[partition]
    if not s.broker[broker].up:
        return True
    if log.applied[broker] == log.length and (me.leader_epoch != node.leader_epoch or me.leader != node.leader):
        return False
    if not is_sent(s, partition, change):
        return True
    image = image_after(s, partition, change)
    if log.applied[broker] > change:
        return log.applied[broker] > change + 1 or (me.leader_epoch == image.leader_epoch and me.leader == image.leader)
    same = image.version == log.change[log.applied[broker]].image[partition].version
    return not same or image.leader_epoch == me.leader_epoch


def leaders_know_versions(s: Kraft, partition: Partition, leader: Broker) -> bool:
    """A leader knows the partition epoch that it has applied, or a later one, from an answer; all of the log means all."""
    log, me, node = s.metadata[0], s.replica[partition][leader], s.zookeeper.leader_and_isr[partition]
    if not leads(s, partition, leader):
        return True
    if me.zk_version > node.version or me.zk_version < log.change[log.applied[leader]].image[partition].version:
        return False
    return log.applied[leader] < log.length or (me.zk_version == node.version and me.isr == node.isr)


def requests_are_of_what_is_known(s: Kraft, partition: Partition, leader: Broker) -> bool:
    """A request names the partition epoch that its leader knows. What an answer says is in the log, and news to the leader."""
    me, write = s.replica[partition][leader], s.isr_write[partition][leader]
    if write.phase is Writing.QUIET:
        return write.isr == 0
    if not leads(s, partition, leader) or not contains(write.isr, leader):
        return False
    if write.phase is Writing.REQUESTED:
        return write.version == me.zk_version and write.isr != me.isr
    if write.phase is not Writing.WRITTEN:
        return True
    for change in range(s.config.commands):
        image = image_after(s, partition, change)
        if is_news(s, partition, leader, change) and image.version == write.version and image.isr == write.isr:
            return write.version == me.zk_version + 1
    return False


def news_is_of_fewer_members(s: Kraft, partition: Partition, leader: Broker, change: int) -> bool:
    """What the log will tell a leader about its epoch is its own request, or that members have left."""
    me, write, image = s.replica[partition][leader], s.isr_write[partition][leader], image_after(s, partition, change)
    if leads(s, partition, leader) and is_sent_to(s, partition, leader, change):
        if image.leader_epoch == me.leader_epoch and image.version == me.zk_version and image.isr != me.isr:
            return False
    if not is_news(s, partition, leader, change):
        return True
    if write.phase is Writing.WRITTEN:
        return image.version >= write.version and subset(image.isr, write.isr)
    return subset(image.isr, me.isr)


def isrs_to_come_shrink(s: Kraft, partition: Partition, change: int, later: int) -> bool:
    """Until the leader knows of a change nobody joins after it in its epoch."""
    if change > later or not is_sent(s, partition, later) or not is_to_come(s, partition, change):
        return True
    image, after = image_after(s, partition, change), image_after(s, partition, later)
    return image.leader_epoch != after.leader_epoch or subset(after.isr, image.isr)


def followers_fetch_at_once(s: Kraft, partition: Partition, broker: Broker) -> bool:
    """A follower asks for no epoch's end: its fetches tell where to cut."""
    phase = s.replica[partition][broker].phase
    return phase is Phase.IDLE or phase is Phase.FETCHING


# Who can be elected.


def eligible_only_under_min_isr(s: Kraft, partition: Partition) -> bool:
    """While the ISR has min.insync.replicas members nobody is eligible, and no member is; while one leads, nobody led last."""
    if s.config.eligible_partitions == 0:
        return True
    node, elr = s.zookeeper.leader_and_isr[partition], s.metadata[0].elr[partition]
    if node.leader != NO_BROKER and s.metadata[0].last_leader[partition] != NO_BROKER:
        return False
    if node.isr & elr != 0:
        return False
    return elr == 0 or how_many(s, node.isr) < s.config.min_isr


def leader_commits_with_all_electable(s: Kraft, partition: Partition, leader: Broker, change: int) -> bool:
    """A published leader that commits does so with everyone who may be elected, also by what it has yet to learn."""
    node = s.zookeeper.leader_and_isr[partition]
    if node.leader != leader:
        return True
    me, image = s.replica[partition][leader], image_after(s, partition, change)
    if leads(s, partition, leader) and me.leader_epoch == node.leader_epoch and not is_under_min_isr(s, leader, me.isr):
        if not subset(electable(s, partition), isr_that_commits(s, partition, leader)):
            return False
    if image.leader_epoch != node.leader_epoch or not is_to_come(s, partition, change):
        return True
    return is_under_min_isr(s, leader, image.isr) or subset(electable(s, partition), image.isr)


def later_leaders_have_what_news_lets_commit(
    s: Kraft, partition: Partition, leader: Broker, change: int, broker: Broker, offset: Offset
) -> bool:
    """Who may lead later has also what will not be blocked for a leader once it has applied a change of its epoch."""
    isr = image_after(s, partition, change).isr
    if not is_news(s, partition, leader, change) or is_under_min_isr(s, leader, isr):
        return True
    if is_blocked_by(s, partition, leader, isr, offset):
        return True
    return has_what_is_not_blocked(s, partition, leader, isr, broker, offset)


# The epoch cache.


def epoch_starts_with_its_first_record(s: Kraft, partition: Partition, broker: Broker, epoch: Epoch) -> bool:
    """No record of an epoch is before the start that the cache has for it: a truncation drops every epoch without records."""
    me = s.replica[partition][broker]
    start = me.epoch_start[epoch]
    return not knows_epoch(me, epoch) or start <= 0 or start > me.leo or me.log[start - 1].epoch != epoch


def keeps_logs(config: KraftConfig) -> bool:
    """No fault loses records or moves a replica; the settings are those of 3.7 and later, and fetches are one step."""
    if any(getattr(config, fault) for fault in EXCLUDED) or config.max_batch > 1 or config.early_registrations:
        return False
    if config.min_isr_changes or config.feature_changes or config.directory_reports or config.recreations:
        return False
    if config.fetch is not Fetch.RENDEZVOUS:
        return False
    is_late = config.under_min_isr is UnderMinIsr.WAITS and config.shrink_epoch is ShrinkEpoch.KEPT
    is_late = is_late and config.eligible is Eligible.SAME_REGISTRATION and config.older_news is OlderNews.SKIPPED
    return is_late and config.replicas in (0, config.brokers)


WHERE: dict[str, Any] = {"since": "3.7", "needs": keeps_logs, "where": "no fault that loses records, max_batch = 1"}

OF_METADATA: tuple[Property, ...] = (
    always(log_ends_with_the_node, **WHERE),
    always(changes_are_numbered, **WHERE),
    always(changes_name_leaders_of_the_isr, **WHERE),
    always(roles_are_of_what_was_applied, **WHERE),
    always(leaders_know_versions, **WHERE),
    always(requests_are_of_what_is_known, **WHERE),
    always(news_is_of_fewer_members, **WHERE),
    always(isrs_to_come_shrink, **WHERE),
    always(followers_fetch_at_once, **WHERE),
    always(eligible_only_under_min_isr, **WHERE),
    always(leader_commits_with_all_electable, **WHERE),
    always(leader_in_own_isr, **WHERE),
    always(every_broker_is_assigned, **WHERE),
    always(every_election_was_clean, **WHERE),
)

OF_LOGS: tuple[Property, ...] = (
    always(epochs_grow_along_log, **WHERE),
    always(logs_match, **WHERE),
    always(record_has_one_epoch, **WHERE),
    always(leader_has_all_of_its_epoch, **WHERE),
    always(term_begins_with_own_records, **WHERE),
    always(records_epochs_are_cached, **WHERE),
    always(cached_epoch_starts_with_a_record, **WHERE),
    always(empty_epoch_is_its_leaders, **WHERE),
    always(epoch_starts_with_its_first_record, **WHERE),
)

OF_COMMITS: tuple[Property, ...] = (
    always(leader_remembers_its_own_term, **WHERE),
    always(later_leaders_have_what_may_be_committed, **WHERE),
    always(later_leaders_have_what_news_lets_commit, **WHERE),
    always(later_isr_blocks_awaited_leader, **WHERE),
    always(newest_leader_is_remembered, **WHERE),
    always(committed_records_are_secure, **WHERE),
    always(high_watermark_tells_of_commits, **WHERE),
)

KRAFT_LOG_LEMMAS = (*OF_METADATA, *OF_LOGS, *OF_COMMITS)
