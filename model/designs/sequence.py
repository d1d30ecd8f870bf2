"""K1: each replica has a sequential ephemeral node, and the smallest leads. The ISR is not asked."""

from ..vocabulary import Broker, Partition
from .race import may_act
from .state import Designs, Election, Race
from .store import join_sequence


def take_number(s: Designs, partition: Partition, broker: Broker) -> bool:
    """A replica of a broker that is new in the store creates its sequential node, behind all others, and looks who is first.

    Design: ZH leader election (K1).   Kafka: none.
    Modifies: node[partition], replica[partition][broker].
    """
    if s.config.election is not Election.BY_SEQUENCE:
        return False
    if not may_act(s, broker):
        return False
    me = s.replica[partition][broker]
    if me.phase is not Race.LOOKING:
        return False

    me.phase = Race.RESTS
    me.event = 0
    join_sequence(s, partition, broker)
    follow_first(s, partition, broker)
    return True


def see_sequence(s: Designs, partition: Partition, broker: Broker) -> bool:
    """A replica sees that a node it watches is gone, reads who is first, and sets its watch again with the same read.

    Design: ZH leader election (K1, Z8).   Kafka: none.
    Modifies: replica[partition][broker].
    """
    if s.config.election is not Election.BY_SEQUENCE:
        return False
    if not may_act(s, broker):
        return False
    if not s.replica[partition][broker].event:
        return False

    s.replica[partition][broker].event = 0
    follow_first(s, partition, broker)
    return True


def follow_first(s: Designs, partition: Partition, broker: Broker) -> None:
    """Lead if the own node is the smallest, else follow who has it."""
    me = s.replica[partition][broker]
    me.watch = 1
    me.isr = 0
    me.leader = s.node[partition].leader
    if me.leader == broker:
        me.watch = 0
        me.isr = s.node[partition].isr
