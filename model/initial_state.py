"""The initial states: partitions with leaders, or an empty cluster."""

from .choices import Beginning, Routing
from .config import Config
from .epoch_cache import enters_when_leading
from .members import NO_BROKER, contains, everyone, including, only
from .state import Kafka
from .vocabulary import Broker, Partition, Phase


def initial_states(config: Config) -> list[Kafka]:
    """One state for each broker that may be the controller, and for a leader that is preferred or not.

    Without a change of controller in the budget, the controller runs on a broker that holds no replica
    and does not fail, and adds no states. A new topic's leader is any of its replicas (V3 B); which one matters only
    where a preferred election can follow.
    """
    if config.start is not Beginning.SERVING:
        return [empty_cluster(config)]
    hosts = range(config.brokers) if config.controller_changes else [NO_BROKER]
    leaders = range(min(2, config.replicas or config.brokers)) if config.preferred_elections else [0]
    return [serving_cluster(config, host, leader) for host in hosts for leader in leaders]


def empty_cluster(config: Config) -> Kafka:
    """All brokers are up; there is no controller yet and no topic."""
    state = Kafka(config)
    start_brokers(state)
    return state


def serving_cluster(config: Config, controller: Broker, leader: int) -> Kafka:
    """Every partition that is not to be added was created by J1, and every replica has obeyed the command of epoch 0.

    `leader` is the place in AR of each partition's leader.
    """
    state = Kafka(config)
    start_brokers(state)
    serve(state, controller, leader)
    return state


def start_brokers(s: Kafka) -> None:
    """All brokers are up, and have an event to see: there is no controller."""
    s.zookeeper.sessions = everyone(s.config.brokers)
    s.zookeeper.broker_ids = everyone(s.config.brokers)
    for broker in range(s.config.members):
        s.broker[broker].up = 1
        s.broker[broker].controller_watch = 1


def serve(s: Kafka, controller: Broker, leader: int) -> None:
    """There is a controller, which knows every partition and who lives."""
    s.zookeeper.controller = controller
    s.zookeeper.controller_epoch = 0
    me = s.controller[0]
    me.active = 1
    me.host = s.zookeeper.controller
    me.live = everyone(s.config.brokers)
    for broker in range(s.config.members):
        s.broker[broker].controller_watch = 0
        for news in range(s.config.news):
            s.broker[broker].knows_live[news] = me.live
    for partition in range(s.config.partitions - s.config.partition_additions):
        me.known[partition] = 1
        assign(s, partition, leader)
        node = s.zookeeper.leader_and_isr[partition]
        if s.config.client_partitions:
            s.client[partition].leader = node.leader
            s.client[partition].external_view = node.leader if s.config.routing is Routing.EXTERNAL_VIEW else NO_BROKER


def assign(s: Kafka, partition: Partition, leader: int) -> None:
    """Place the replicas (J1) and publish the first leader; each replica has obeyed the first command."""
    first = partition % s.config.brokers
    store = s.zookeeper
    node = store.leader_and_isr[partition]
    node.version = 1
    node.leader = (first + leader) % s.config.brokers
    node.leader_epoch = 0
    node.controller_epoch = 0
    store.assigned[partition] = only(node.leader)
    for broker in range(s.config.members):
        if (broker + s.config.brokers - first) % s.config.brokers < (s.config.replicas or s.config.brokers):
            store.assigned[partition] = including(store.assigned[partition], broker)
    node.isr = store.assigned[partition]
    if s.config.preferred_elections:
        store.preferred[partition] = first
    for broker in range(s.config.members):
        if contains(store.assigned[partition], broker):
            take_role(s, partition, broker)
    s.history[partition].served = 0
    s.history[partition].server = node.leader


def take_role(s: Kafka, partition: Partition, broker: Broker) -> None:
    """The replica has obeyed the first command."""
    node = s.zookeeper.leader_and_isr[partition]
    me = s.replica[partition][broker]
    me.exists = 1
    me.leader_epoch = 0
    me.leader = node.leader
    if node.leader == broker:
        me.isr = node.isr
        me.zk_version = node.version
        if enters_when_leading(s):
            me.epoch_start[0] = 0
    else:
        me.phase = Phase.FETCHING
