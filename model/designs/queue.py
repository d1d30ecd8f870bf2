"""V2: a queue of state changes in the store for each broker, which the leader writes and the broker takes from."""

from ..members import NO_BROKER
from ..vocabulary import Broker, Partition
from .state import Changes, Designs, StaleRequests
from .store import has_session, runs


def tell_followers(s: Designs, partition: Partition, leader: Broker) -> None:
    """The new leader writes into the queue of every other broker that it shall follow."""
    for broker in range(s.config.members):
        if broker != leader:
            put(s, broker, partition, leader)


def put(s: Designs, broker: Broker, partition: Partition, leader: Broker) -> None:
    """A request goes behind those that wait."""
    done = 0
    for place in range(s.config.queues):
        if not done and not s.queue[broker][place].waits:
            done = 1
            s.queue[broker][place].waits = 1
            s.queue[broker][place].partition = partition
            s.queue[broker][place].leader = leader


def take_request(s: Designs, broker: Broker) -> bool:
    """A broker takes the first request from its queue, and obeys.

    It cannot tell an old one from a new one: V2 has no epochs. A request of a leader that is gone, or of one that came before it
    led itself, is obeyed too.

    Design: ZH v2, /brokers/state/[broker_id] (V2, Q17).   Kafka: 0.8 while it was built, before the controller.
    Modifies: queue, replica.
    """
    if s.config.changes is not Changes.QUEUED:
        return False
    if not runs(s, broker):
        return False
    if not has_session(s, broker):
        return False
    if not s.queue[broker][0].waits:
        return False

    request = s.queue[broker][0]
    me = s.replica[request.partition][broker]
    if s.config.stale_requests is not StaleRequests.DROPPED or s.node[request.partition].leader == request.leader:
        me.leader = request.leader
        me.isr = 0
        me.current = 0
    for place in range(s.config.queues - 1):
        s.queue[broker][place].waits = s.queue[broker][place + 1].waits
        s.queue[broker][place].partition = s.queue[broker][place + 1].partition
        s.queue[broker][place].leader = s.queue[broker][place + 1].leader
    s.queue[broker][s.config.queues - 1].waits = 0
    s.queue[broker][s.config.queues - 1].partition = 0
    s.queue[broker][s.config.queues - 1].leader = NO_BROKER
    return True
