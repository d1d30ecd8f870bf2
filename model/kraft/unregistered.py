"""A broker that has started, and is not registered yet (KR4)."""

from ..log import epoch_named
from ..members import NO_BROKER
from ..vocabulary import Broker, Partition
from .state import Kraft
from .topics import is_blocked


def fetch_unregistered(s: Kraft, partition: Partition, follower: Broker) -> bool:
    """A broker starts, fetches before it is registered, and ends again: the fetch names no registration.

    It follows as soon as it has read the log, and asks for its registration meanwhile; while its earlier process has a session,
    the controller refuses that. Where none is named, neither leader nor controller compares any (KIP-903). Here it has read all
    of the log, and its fetch is not counted while its leader has yet to hear of a registration.

    Design: KIP-903 (KR4).   Kafka: BrokerServer.startup, BrokerLifecycleManager.brokerEpoch, Partition.isBrokerEpochIsrEligible.
    Modifies: fetch_request[partition], spent.
    Reads: zookeeper (the log, which it has read); broker[follower].up, replica[partition][follower].
    """
    if s.config.orphans < 3:
        return False  # no fetch names a registration, or none is sent without
    if s.spent.unregistered_starts >= s.config.unregistered_starts:
        return False  # budget
    if s.broker[follower].up:
        return False
    me = s.replica[partition][follower]
    if not me.exists:
        return False  # lost, with its broker or without
    if is_blocked(s, partition, follower):
        return False  # Without it, it fetches with the empty log that it has yet to make.
    node = s.zookeeper.leader_and_isr[partition]
    if node.leader == NO_BROKER or node.leader == follower:
        return False

    s.spent.unregistered_starts += 1
    request = s.fetch_request[partition][node.leader][follower]
    request.sent = 1
    request.checked = 0
    request.orphaned = 3
    request.fetch_offset = me.leo
    request.leader_epoch = node.leader_epoch
    request.last_epoch = epoch_named(s, me)
    return True
