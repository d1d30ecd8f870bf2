"""The leader changes the ISR: V1 writes a node of its own as it likes, V2 and V3 write on the version that they know."""

from ..members import contains, excluding, including
from ..vocabulary import Broker, Brokers, Partition
from .brokers import follows, leads
from .state import Designs, Nodes
from .store import has_session, write_node


def may_write_isr(s: Designs, partition: Partition, leader: Broker) -> bool:
    """The write succeeds: in session, and where leader and ISR are one node, on its present version (Z4)."""
    if not leads(s, partition, leader):
        return False
    if not has_session(s, leader):
        return False
    return s.config.nodes is not Nodes.ONE_NODE or s.replica[partition][leader].current == 1


def write_isr(s: Designs, partition: Partition, leader: Broker, isr: Brokers) -> None:
    """The leader's ISR, in the store and in its memory."""
    s.node[partition].isr = isr
    write_node(s, partition)
    s.replica[partition][leader].isr = isr
    if s.config.nodes is Nodes.ONE_NODE:
        s.replica[partition][leader].current = 1


def shrink_isr(s: Designs, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """A leader drops a follower that does not fetch from it.

    Design: ZH v1, /brokers/topics/[topic]/[partition_id]/ISR; V3 G (V1, G3).   Kafka: Partition.maybeShrinkIsr.
    Modifies: node[partition], replica[partition], command.
    """
    if not may_write_isr(s, partition, leader):
        return False
    if leader == follower:
        return False
    if not contains(s.replica[partition][leader].isr, follower):
        return False
    if follows(s, partition, follower, leader):
        return False

    write_isr(s, partition, leader, excluding(s.replica[partition][leader].isr, follower))
    return True


def expand_isr(s: Designs, partition: Partition, leader: Broker, follower: Broker) -> bool:
    """A leader takes a follower back that fetches from it.

    Design: ZH v1, /brokers/topics/[topic]/[partition_id]/ISR; V3 G (V1, G3).   Kafka: Partition.maybeExpandIsr.
    Modifies: node[partition], replica[partition], command.
    """
    if not may_write_isr(s, partition, leader):
        return False
    if contains(s.replica[partition][leader].isr, follower):
        return False
    if not follows(s, partition, follower, leader):
        return False

    write_isr(s, partition, leader, including(s.replica[partition][leader].isr, follower))
    return True
