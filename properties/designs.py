"""What V1, V2 and V3 keep, and how they make progress (Q17, Q18): split brain, who may lead, and progress."""

from ..model.designs.brokers import follows, leads
from ..model.designs.state import Config, Designs
from ..model.designs.store import has_session, runs
from ..model.members import NO_BROKER, contains
from ..model.vocabulary import Broker, Partition
from .property import always, leads_to, recoverable, sometimes

V1, V2, V3 = "v1", "v2", "v3"


def takes_new_writes(s: Designs, partition: Partition, broker: Broker) -> bool:
    """The broker leads, is in its ISR, and all other members fetch from it: what is written to it now is committed."""
    if not leads(s, partition, broker) or not contains(s.replica[partition][broker].isr, broker):
        return False
    for other in range(s.config.members):
        if other != broker and contains(s.replica[partition][broker].isr, other):
            if not follows(s, partition, other, broker):
                return False
    return True


def one_leader_takes_new_writes(s: Designs, partition: Partition, broker: Broker, other: Broker) -> bool:
    """No two brokers lead a partition and can both commit new writes. Two such brokers are the split brain of ZH v1.

    Two histories of one partition would be acknowledged. A zombie may believe that it leads, but it must not be able to
    commit. Expected of V3, which refuses the zombie's write of the ISR.
    """
    return broker >= other or not takes_new_writes(s, partition, broker) or not takes_new_writes(s, partition, other)


def single_leader(s: Designs, partition: Partition, broker: Broker, other: Broker) -> bool:
    """No two brokers believe at the same time that they lead: a strict claim that no design keeps."""
    return broker >= other or not leads(s, partition, broker) or not leads(s, partition, other)


def leader_in_isr(s: Designs, partition: Partition) -> bool:
    """A leader is in the published ISR, so it has what was committed.

    Expected where leader and ISR are one node, which no broker can write without knowing the other part.
    """
    node = s.node[partition]
    return node.leader == NO_BROKER or contains(node.isr, node.leader)


def isr_member_lives(s: Designs, partition: Partition) -> bool:
    """A member of the published ISR runs."""
    return s.node[partition].isr & s.up != 0


def is_served(s: Designs, partition: Partition) -> bool:
    """The published leader runs, in session, and knows that it leads."""
    leader = s.node[partition].leader
    return leader != NO_BROKER and has_session(s, leader) and leads(s, partition, leader)


def leader_can_serve(s: Designs, partition: Partition) -> bool:
    """While a member of the ISR runs, the partition can have a serving leader again.

    Otherwise the partition takes no writes until an operator restarts a broker, although all committed records exist.
    """
    return is_served(s, partition)


def leader_serves_again(s: Designs, partition: Partition) -> bool:
    """While a member of the ISR runs, the partition gets a serving leader by itself, if every part takes its steps."""
    return is_served(s, partition) or not isr_member_lives(s, partition)


def is_in_session(s: Designs, partition: Partition, broker: Broker) -> bool:
    """The broker runs, in session, and a member of the ISR runs."""
    return runs(s, broker) and has_session(s, broker) and isr_member_lives(s, partition)


def follower_follows(s: Designs, partition: Partition, broker: Broker) -> bool:
    """A replica in session leads, or follows the published leader, or its broker leaves."""
    if not is_in_session(s, partition, broker):
        return True
    if s.node[partition].leader == broker:
        return leads(s, partition, broker)
    return is_served(s, partition) and s.replica[partition][broker].leader == s.node[partition].leader


def fails_over(s: Designs, t: Designs, partition: Partition) -> bool:
    """A partition that nobody served is served again, by a broker that did not lead before."""
    return not is_served(s, partition) and is_served(t, partition) and not leads(s, partition, t.node[partition].leader)


def zombie_leads(s: Designs, partition: Partition, broker: Broker) -> bool:
    """A broker believes that it leads while another does."""
    return leads(s, partition, broker) and s.node[partition].leader != broker and is_served(s, partition)


def fails(config: Config) -> bool:
    """Some leader may fail, and another broker exists."""
    return config.faults > 0 and config.brokers > 1


def expires(config: Config) -> bool:
    """A session may expire while its broker lives."""
    return config.session_expiries > 0 and config.brokers > 1


DESIGNS_PROPERTIES = (
    always(one_leader_takes_new_writes, since=V2),
    always(leader_in_isr, since=V2),
    always(single_leader, since=None),
    sometimes(fails_over, since=V1, needs=fails, where="a fault, and two brokers"),
    sometimes(zombie_leads, since=V1, needs=expires, where="session_expiries > 0"),
)

DESIGNS_PROGRESS = (
    recoverable(leader_can_serve, since=V3, premise=isr_member_lives),
    leads_to(isr_member_lives, leader_serves_again, since=V3),
    leads_to(is_in_session, follower_follows, since=V3),
)
