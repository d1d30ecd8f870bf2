"""Who leads, and who can commit."""

from ..model.fetching import leads
from ..model.log import same_record
from ..model.members import NO_BROKER, contains


def single_committable_leader(s, t, partition, leader, offset):
    """At most one broker can commit: an older leader commits nothing that the newest leader lacks.

    Once a broker serves as leader in epoch e, no broker that leads in an earlier epoch raises its high
    watermark over a record that the newest leader's log does not hold. This is what V3 claims of a zombie (Q1):
    it may still hear of fetches that were made before its followers turned away, and so commit late what
    all of the ISR already has; it can commit nothing new. A producer that got an acknowledgement relies on it.
    """
    if not commits_late(s, t, partition, leader):
        return True
    return not rises_over(s, t, partition, leader, offset) or newest_leader_holds(s, t, partition, leader, offset)


def commits_agree(s, t, partition):
    """No two brokers ever commit different records at one offset.

    A producer that got an acknowledgement, and a consumer that read the record, rely on it.

    Golden trace: new_leader_admits_follower.kip-279.
    """
    return s.history[partition].contradicted or not t.history[partition].contradicted


def rises_over(s, t, partition, leader, offset):
    """In this step the broker's high watermark rises over the record at the offset."""
    return s.replica[partition][leader].hw <= offset and offset < t.replica[partition][leader].hw


def newest_leader_holds(s, t, partition, leader, offset):
    """The newest leader has the leader's record at the offset. A replica that was deleted since is not checked."""
    newest = t.replica[partition][s.history[partition].server]
    return not newest.exists or same_record(t.replica[partition][leader], newest, offset)


def single_committable_leader_strict(s, t, partition, leader):
    """Once a broker serves as leader, no broker that leads in an earlier epoch raises its high watermark.

    The strict reading of Q1. It is false in every revision, and harmless: a zombie hears of fetches that
    were made before its followers turned away. It stays as the reason why the claim needs its second half.

    Golden trace: zombie_commits_what_all_have.kip-320.
    """
    return not commits_late(s, t, partition, leader)


def commits_late(s, t, partition, broker):
    """In this step the broker raises its high watermark as leader of an epoch older than the newest served."""
    me = t.replica[partition][broker]
    if not leads(t, partition, broker) or me.leader_epoch >= s.history[partition].served:
        return False
    return me.hw > s.replica[partition][broker].hw


def one_leader_per_epoch(s, partition, broker, other):
    """No two brokers lead in the same epoch.

    An epoch names a leader's term: records of one epoch come from one broker. Everything that compares
    epochs, KIP-101 and later, rests on it.
    """
    if broker == other or not leads(s, partition, broker) or not leads(s, partition, other):
        return True
    return s.replica[partition][broker].leader_epoch != s.replica[partition][other].leader_epoch


def leaders_are_published_first(s, partition, broker):
    """A broker leads only in an epoch that is published already (V3 discussion 6, comment C.1: M7, Q2).

    The store may be ahead of the brokers, and clients are then sent to one that does not lead yet. Were it behind, a leader
    would serve of whom no client and no starting broker reads, and the old one could still change the ISR. Expected in all
    revisions.
    """
    node = s.zookeeper.leader_and_isr[partition]
    if not leads(s, partition, broker):
        return True
    if node.version == 0 and s.config.topic_deletions + s.config.partition_removals > 0:
        return True  # what was published is deleted
    return s.replica[partition][broker].leader_epoch <= node.leader_epoch


def returning_broker_leads_nothing(s, t, controller, broker):
    """A broker that the controller saw go leads no partition any more when it is seen again (V3 A.2-3, comment A.3: M5).

    "Even if the leader for one partition disappears, we will recompute the leader for all partitions on that broker." Else
    some partitions of one broker have a new leader and others the old one, which may have lost its memory. Expected in all
    revisions, where a controller takes one event at a time.
    """
    before = s.controller[controller]
    after = t.controller[controller]
    if not before.active or before.recovering or s.zookeeper.controller_epoch > controller:
        return True
    if contains(before.live, broker) or not contains(after.live, broker):
        return True
    for partition in range(s.config.partitions):
        node = s.zookeeper.leader_and_isr[partition]
        if node.leader == broker and node.leader_epoch < s.config.max_epoch:
            return False
    return True


def shutdown_keeps_leaders(s, partition):
    """When brokers stop by a controlled shutdown, the published leader runs as long as a member of the ISR stays (M3).

    A broker that crashes is missed only when its session has expired: its partitions take no writes until then. A controlled
    shutdown spares that. Expected where no broker fails otherwise; of two in turn, where a broker that starts waits for
    the controller (start_up = told): else it may be in the ISR before the controller knows that it lives.
    """
    node = s.zookeeper.leader_and_isr[partition]
    if node.leader == NO_BROKER or s.broker[node.leader].up:
        return True
    for broker in range(s.config.members):
        stays = s.broker[broker].up and not s.broker[broker].leaving
        if stays and contains(node.isr, broker):
            return False
    return True


def leader_none_or_in_isr(s, partition):
    """The published leader is a member of the published ISR, or there is no leader.

    A leader outside the ISR could commit without having what was committed before.
    """
    node = s.zookeeper.leader_and_isr[partition]
    return node.leader == NO_BROKER or contains(node.isr, node.leader)


def epochs_increase(s, t, partition, broker):
    """Epochs never fall: the published one while the partition exists, a replica's while its broker runs.

    Brokers tell late commands from new ones by it (C5).
    """
    before = s.zookeeper.leader_and_isr[partition]
    after = t.zookeeper.leader_and_isr[partition]
    if after.version > 0 and after.leader_epoch < before.leader_epoch:
        return False
    me = t.replica[partition][broker]
    if not s.broker[broker].up or not t.broker[broker].up or not me.exists:
        return True
    return me.leader_epoch >= s.replica[partition][broker].leader_epoch
