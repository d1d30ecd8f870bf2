"""Merges states under KRaft whose differences can never matter again; the window of the log begins where all have applied it."""

from ..members import NO_BROKER
from ..normal_form import forget_checkpoints
from ..vocabulary import NO_EPOCH, Partition
from .quorum import forget_applied
from .state import Kraft


def normalise(s: Kraft) -> None:
    """Rewrite a state to the representative of those that behave alike."""
    for broker in range(s.config.members):
        if not s.broker[broker].up:
            s.metadata[0].applied[broker] = 0
    forget_applied(s)
    for partition in range(s.config.partitions):
        forget_versions(s, partition)
        forget_checkpoints(s, partition)
        log = s.metadata[0]
        log.change[0].image[partition].leader = NO_BROKER  # nobody applies it any more
        log.change[0].image[partition].leader_epoch = NO_EPOCH
        log.change[0].image[partition].isr = 0
    s.metadata[0].change[0].bounced = 0


def forget_versions(s: Kraft, partition: Partition) -> None:
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
