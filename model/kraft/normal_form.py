"""Merges states under KRaft whose differences can never matter again; the window of the log begins where all have applied it."""

from ..members import NO_BROKER
from ..normal_form import forget_checkpoints
from ..vocabulary import NO_EPOCH


def normalise(s):
    """Rewrite a state to the representative of those that behave alike."""
    for broker in range(s.config.members):
        if not s.broker[broker].up:
            s.metadata[0].applied[broker] = 0
    for _ in range(s.config.window):
        if all_have_applied_the_next(s):
            forget_first(s)
    for partition in range(s.config.partitions):
        forget_versions(s, partition)
        forget_checkpoints(s, partition)
        log = s.metadata[0]
        log.change[0].image[partition].leader = NO_BROKER  # nobody applies it any more
        log.change[0].image[partition].leader_epoch = NO_EPOCH
        log.change[0].image[partition].isr = 0
    s.metadata[0].change[0].bounced = 0


def all_have_applied_the_next(s):
    """All running brokers have applied the change after the first one of the window."""
    log = s.metadata[0]
    if log.length == 0:
        return False
    for broker in range(s.config.members):
        if s.broker[broker].up and log.applied[broker] == 0:
            return False
    return True


def forget_first(s):
    """The window begins with the next change."""
    log = s.metadata[0]
    for number in range(s.config.window):
        if number < log.length:
            copy_change(s, number, number + 1)
    clear_change(s, log.length)
    for broker in range(s.config.members):
        log.applied[broker] = max(0, log.applied[broker] - 1)
        log.left_at[broker] = max(0, log.left_at[broker] - 1)
    log.length -= 1


def copy_change(s, to, number):
    """One change in the place of another."""
    log = s.metadata[0]
    log.change[to].active = log.change[number].active
    log.change[to].bounced = log.change[number].bounced
    for partition in range(s.config.partitions):
        log.change[to].image[partition].leader = log.change[number].image[partition].leader
        log.change[to].image[partition].leader_epoch = log.change[number].image[partition].leader_epoch
        log.change[to].image[partition].version = log.change[number].image[partition].version
        log.change[to].image[partition].isr = log.change[number].image[partition].isr


def clear_change(s, number):
    """There is no such change."""
    log = s.metadata[0]
    log.change[number].active = 0
    log.change[number].bounced = 0
    for partition in range(s.config.partitions):
        log.change[number].image[partition].leader = NO_BROKER
        log.change[number].image[partition].leader_epoch = NO_EPOCH
        log.change[number].image[partition].version = 0
        log.change[number].image[partition].isr = 0


def forget_versions(s, partition):
    """Partition epochs are compared with those in the window alone: its first is 1, and older ones are 0.

    A leader's own, after an answer, may be later than what it has applied, and never later than the log's end.
    """
    log = s.metadata[0]
    before = log.change[0].image[partition].version - 1
    for number in range(s.config.kept_changes):
        log.change[number].image[partition].version = max(0, log.change[number].image[partition].version - before)
    node = s.zookeeper.leader_and_isr[partition]
    node.version = max(0, node.version - before)
    for broker in range(s.config.members):
        me = s.replica[partition][broker]
        me.zk_version = max(0, me.zk_version - before)
        write = s.isr_write[partition][broker]
        write.version = max(0, write.version - before)
