"""The initial states: partitions with leaders, or an empty cluster."""

from .choices import Beginning, Routing
from .config import Config
from .epoch_cache import enters_when_leading
from .members import NO_BROKER, contains, everyone, including
from .state import Kafka
from .vocabulary import Broker, ControllerEpoch, Partition, Phase


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
    state.zookeeper.sessions = everyone(config.brokers)
    state.zookeeper.broker_ids = everyone(config.brokers)
    for broker in state.broker:
        broker.up = 1
        broker.controller_watch = 1
    return state


def serving_cluster(config: Config, controller: ControllerEpoch, leader: Broker) -> Kafka:
    """Every partition that is not to be added was created by J1, and every replica has obeyed the command of epoch 0.

    `leader` is the place in AR of each partition's leader.
    """
    state = empty_cluster(config)
    state.zookeeper.controller = controller
    state.zookeeper.controller_epoch = 0
    me = state.controller[0]
    me.active, me.host, me.live = 1, controller, everyone(config.brokers)
    for process in state.broker:
        process.controller_watch = 0
        if config.news:
            process.knows_live[0] = me.live
    for partition in range(config.partitions - config.partition_additions):
        me.known[partition] = 1
        assign(state, partition, leader)
        published = state.zookeeper.leader_and_isr[partition].leader
        if config.client_partitions:
            state.client[partition].leader = published
            state.client[partition].external_view = published if config.routing is Routing.EXTERNAL_VIEW else NO_BROKER
        for broker in range(config.brokers):
            if contains(state.zookeeper.assigned[partition], broker):
                take_role(state, partition, broker)
    return state


def assign(state: Kafka, partition: Partition, leader: Broker) -> None:
    """Place the replicas (J1) and publish the first leader."""
    config, store = state.config, state.zookeeper
    first = partition % config.brokers
    for step in range(config.replicas or config.brokers):
        store.assigned[partition] = including(store.assigned[partition], (first + step) % config.brokers)
    if config.preferred_elections:
        store.preferred[partition] = first
    node = store.leader_and_isr[partition]
    node.version, node.leader, node.leader_epoch = 1, (first + leader) % config.brokers, 0
    node.isr, node.controller_epoch = store.assigned[partition], 0


def take_role(state: Kafka, partition: Partition, broker: Broker) -> None:
    """The replica has obeyed the first command."""
    node = state.zookeeper.leader_and_isr[partition]
    me = state.replica[partition][broker]
    me.exists, me.leader_epoch, me.leader = 1, 0, node.leader
    if node.leader == broker:
        me.isr, me.zk_version = node.isr, node.version
        if enters_when_leading(state):
            me.epoch_start[0] = 0
        state.history[partition].served, state.history[partition].server = 0, broker
    else:
        me.phase = Phase.FETCHING
