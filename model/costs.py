"""What a failover costs in store operations and requests: declared for each action, and as a formula (Q16, Q17).

The table is separate from the actions, and `next` takes it beside their fairness: like fairness, a cost is a statement about a
running system and not about what a step does. Obeying a command is local; its request is counted when it is sent. No new leader
waits for writes of the ISR.
"""

from typing import Any

from .choices import Decisions, Store
from .config import Config
from .controller.broker_change import elect_leader, elect_unclean_leader, see_broker_change, take_offline, take_offline_but_one
from .controller.decide import write_decision
from .controller.fail_over import recover_controller, see_controller_change
from .controller.multi import elect_leaders, write_decisions
from .controller.send_commands import send_command
from .language.costs import Cost, Declared, Failover
from .state import Kafka
from .zookeeper.sessions import expire_session


def requests_between(before: Kafka, after: Kafka) -> int:
    """The LeaderAndIsr requests that a step has sent: one for each partition and broker."""
    sent = 0
    for old, new in zip(before.command, after.command, strict=True):
        for was, now in zip(old, new, strict=True):
            for mask, later in zip(was.sent, now.sent, strict=True):
                sent += (later & ~mask).bit_count()
    return sent


def of_election(before: Kafka, after: Kafka) -> Cost:
    """The controller reads leaderAndISR. With an atomic store the write and the requests are part of the step."""
    if before.config.store is Store.ANSWERED:
        return Cost(reads=1)
    return Cost(reads=1, writes=1, requests=requests_between(before, after))


def of_competing(before: Kafka, after: Kafka) -> Cost:
    """/controller has changed: a broker that finds no controller creates it, the others read it."""
    created = after.zookeeper.controller_epoch > before.zookeeper.controller_epoch
    return Cost(reads=int(not created), writes=int(created), notices=1)


def of_recovery(before: Kafka, after: Kafka) -> Cost:
    """A new controller reads /brokers/ids, /brokers/topics and every leaderAndISR (V3 D.3-4), and sends it to all brokers."""
    return Cost(reads=2 + before.config.partitions, requests=requests_between(before, after))


COSTS: dict[Any, Declared] = {
    expire_session: Cost(),
    see_controller_change: of_competing,
    recover_controller: of_recovery,
    see_broker_change: Cost(reads=1, notices=1),
    elect_leader: of_election,
    elect_unclean_leader: of_election,
    take_offline: of_election,
    take_offline_but_one: of_election,
    elect_leaders: of_election,  # one read, and one write, whatever the number of partitions
    write_decision: Cost(writes=1),
    write_decisions: Cost(writes=1),
    send_command: Cost(requests=1),
}


def formula(config: Config, partitions: int) -> tuple[Cost, Cost]:
    """A broker with a replica of every partition stops; in the worst case it is also the controller."""
    living = config.brokers - 1
    operations = 1 if config.decisions is Decisions.MULTI else partitions
    decisions = Cost(reads=operations, writes=operations, requests=partitions * living)
    least = decisions.plus(Cost(reads=1, notices=1))
    if not config.controller_changes:
        return least, least
    succession = Cost(reads=living - 1 + 2 + partitions, writes=1, notices=living, requests=partitions * living)
    return least, decisions.plus(succession)


FAILOVER = Failover(begins=("crash broker=0", "expire_session broker=0"), shared_by="partition", formula=formula)
