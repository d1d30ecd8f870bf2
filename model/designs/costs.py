"""What a failover costs under each design: declared for each action, and as a formula (Q16, Q17, Q18).

Steps that write the ISR are left out: every design takes them, and none of them is in the way of the new leader.
"""

from typing import Any

from ..language.costs import Cost, Declared, Failover
from .brokers import expire_session
from .controller import elect_leader, obey_command, see_broker_change
from .queue import take_request
from .race import create_leader, see_leader_change, watch_again
from .sequence import see_sequence
from .state import Changes, Config, Designs, Election, SequenceWatch


def of_creation(before: Designs, after: Designs) -> Cost:
    """The creation is a write, refused or not; who is refused reads who leads. Each request put into a queue is a write (V2)."""
    refused = all(old.leader == new.leader for old, new in zip(before.node, after.node, strict=True))
    waited, waits = (sum(request.waits for queue in s.queue for request in queue) for s in (before, after))
    return Cost(reads=int(refused), writes=1 + waits - waited)


def of_decision(before: Designs, after: Designs) -> Cost:
    """The controller reads and writes the node, and sends a request to each live broker."""
    sent = sum(command.sent for commands in after.command for command in commands)
    sent -= sum(command.sent for commands in before.command for command in commands)
    return Cost(reads=1, writes=1, requests=sent)


COSTS: dict[Any, Declared] = {
    expire_session: Cost(),
    see_leader_change: Cost(reads=2, notices=1),  # of the leader and of the ISR
    create_leader: of_creation,
    watch_again: Cost(reads=1),
    see_sequence: Cost(reads=1, notices=1),
    take_request: Cost(reads=1, writes=1, notices=1),  # the queue's watch fires; the request is read and deleted
    see_broker_change: Cost(reads=1, notices=1),
    elect_leader: of_decision,
    obey_command: Cost(),  # local: the request was counted when it was sent
}


def formula(config: Config, partitions: int) -> tuple[Cost, Cost]:
    """The cheapest and the dearest failover of a broker that leads all partitions, where `living` brokers are left."""
    living = config.brokers - 1
    if config.election is Election.BY_CONTROLLER:
        once = Cost(reads=1 + partitions, writes=partitions, notices=1, requests=partitions * living)
        return once, once
    if config.election is Election.BY_NAME:
        return by_name(config, partitions, living)
    seen = partitions if config.sequence_watch is SequenceWatch.PREDECESSOR else partitions * living
    once = Cost(reads=seen, notices=seen)
    return once, once


def by_name(config: Config, partitions: int, living: int) -> tuple[Cost, Cost]:
    """At best everyone else sees the new leader only when it is there; at worst all compete, and are refused."""
    losers = living - 1
    taken = losers if config.changes is Changes.QUEUED else 0
    put = living if config.changes is Changes.QUEUED else 0  # the dead broker has a queue too
    least = Cost(reads=2 * living + losers + taken, writes=1 + put + taken, notices=living + taken)
    most = Cost(reads=least.reads + losers, writes=least.writes + losers, notices=least.notices)
    return Cost(*(partitions * n for n in least)), Cost(*(partitions * n for n in most))


FAILOVER = Failover(begins=("crash broker=0", "expire_session broker=0"), shared_by="partition", formula=formula)
