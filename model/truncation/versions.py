"""T9: which release the two sides of a request use, while a cluster is upgraded broker by broker."""

from ..choices import Versions
from ..epoch_cache import forget_epochs_from
from ..state import Kafka, Replica
from ..vocabulary import Broker, Partition
from .names import Truncation


def rule_between(s: Kafka, follower: Broker, leader: Broker) -> Truncation:
    """The rule by which this follower truncates against this leader."""
    if speaks_new(s, follower, leader):
        return s.config.upgraded_to
    return s.config.upgraded_from


def speaks_new(s: Kafka, follower: Broker, leader: Broker) -> int:
    """The follower makes the new release's request: if either side is old and the follower knows it, it makes the old one."""
    if s.config.versions is Versions.ASKING_SIDE or s.config.versions is Versions.REFUSED:
        return s.broker[follower].upgraded
    return s.broker[follower].upgraded and s.broker[leader].upgraded  # Without it, the new request is made too early.


def is_refused(s: Kafka, follower: Broker, leader: Broker) -> int:
    """The leader does not know the request that the follower makes."""
    return s.config.versions is Versions.REFUSED and s.broker[follower].upgraded and not s.broker[leader].upgraded


def tracks_epochs(s: Kafka, broker: Broker) -> int:
    """Its release keeps the epochs of its log, in the file and in the records that it writes."""
    return s.broker[broker].upgraded or s.config.upgraded_from is not Truncation.TO_HIGH_WATERMARK


def is_fenced(s: Kafka, follower: Broker, leader: Broker) -> int:
    """The leader compares the epoch of a request for an epoch's end with its own (T7)."""
    return s.config.fenced and names_its_epoch(s, follower, leader)  # Without it, all such requests are fenced.


def fences_fetches(s: Kafka, follower: Broker, leader: Broker) -> int:
    """The leader compares the epoch of every fetch with its own (T7)."""
    return s.config.fenced_fetches and names_its_epoch(s, follower, leader)  # Without it, all fetches are fenced.


def names_its_epoch(s: Kafka, follower: Broker, leader: Broker) -> int:
    """The follower's request names its leader epoch: both sides have a release in which requests do."""
    if s.config.truncation is Truncation.MIXED:
        return (
            speaks_new(s, follower, leader)  # Without it, brokers of the old release are fenced.
            and not is_refused(s, follower, leader)  # Without it, a request of another release must fit its epoch too.
        )
    return True


def upgrade(s: Kafka, broker: Broker) -> None:
    """A restart upgrades a broker. A broker that kept no epochs begins with later ones."""
    if s.config.truncation is Truncation.MIXED and not s.broker[broker].upgraded:
        for partition in range(s.config.partitions):
            if not tracks_epochs(s, broker):
                forget_epochs_from(s, s.replica[partition][broker], 0)  # it cannot know them
        s.broker[broker].upgraded = 1


def forget_untold_epochs(s: Kafka, me: Replica, leader: Broker, partition: Partition) -> None:
    """A leader that keeps no epochs writes and sends records without them."""
    if s.config.truncation is Truncation.MIXED:
        for epoch in range(s.config.epochs):
            if not tracks_epochs(s, leader) or s.replica[partition][leader].epoch_start[epoch] < 0:
                me.epoch_start[epoch] = -1
