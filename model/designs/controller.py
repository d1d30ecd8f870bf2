"""V3 in small: a controller that does not fail sees who lives, decides, publishes, and sends requests."""

from ..members import contains
from ..vocabulary import Broker, Brokers, Partition
from .brokers import forget_command
from .state import Designs, Election, Nodes
from .store import runs, write_node


def see_broker_change(s: Designs) -> bool:
    """The controller reads the live brokers; who is new among them is told what is published.

    Design: V3 A.1, ZH on_broker_start (V3, Z8).   Kafka: KafkaController.BrokerChange, onBrokerStartup.
    Modifies: live, live_event, command.
    """
    if s.config.election is not Election.BY_CONTROLLER:
        return False
    if not s.live_event:
        return False

    newcomers = s.sessions & ~s.live
    s.live = s.sessions
    s.live_event = 0
    for partition in range(s.config.partitions):
        send(s, partition, newcomers)
    return True


def elect_leader(s: Designs, partition: Partition, broker: Broker) -> bool:
    """The controller elects a live member of the ISR and publishes it with what lives of the ISR; then it tells all who live.

    Design: V3 A.2-A.4 (V3, A2).   Kafka: OfflinePartitionLeaderSelector.
    Modifies: node[partition], replica[partition], command.
    """
    if s.config.election is not Election.BY_CONTROLLER:
        return False
    node = s.node[partition]
    if contains(s.live, node.leader) and node.isr & ~s.live == 0:
        return False  # as far as the controller knows, nothing has changed
    if not contains(node.isr & s.live, broker):
        return False  # a clean election
    if contains(node.isr & s.live, node.leader) and node.leader != broker:
        return False  # the leader lives and stays

    node.leader = broker
    node.isr = node.isr & s.live
    write_node(s, partition)
    send(s, partition, s.live)
    return True


def send(s: Designs, partition: Partition, brokers: Brokers) -> None:
    """Requests with what is published go to these brokers; an older one to the same broker is overtaken, and would be refused."""
    for broker in range(s.config.members):
        if contains(brokers, broker):
            command = s.command[partition][broker]
            command.sent = 1
            command.leader = s.node[partition].leader
            command.isr = s.node[partition].isr
            command.current = 1


def obey_command(s: Designs, partition: Partition, broker: Broker) -> bool:
    """A broker leads or follows as the controller's request says; a request needs no session.

    Design: V3 C (V3, C3, C4).   Kafka: ReplicaManager.becomeLeaderOrFollower.
    Modifies: replica[partition][broker], command.
    """
    if s.config.election is not Election.BY_CONTROLLER:
        return False
    if not runs(s, broker):
        return False
    command = s.command[partition][broker]
    if not command.sent:
        return False

    me = s.replica[partition][broker]
    me.leader = command.leader
    me.isr = 0
    me.current = 0
    if command.leader == broker:
        me.isr = command.isr
        if s.config.nodes is Nodes.ONE_NODE:
            me.current = command.current
    forget_command(s, partition, broker)
    return True
