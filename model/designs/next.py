"""Next of the designs on one page, and the designs as revisions."""

from typing import Any

from ..language import MEMBERS, Model, Revision, actions, no_asymmetry
from .brokers import crash, expire_session, notice_session_expiry, start_broker
from .controller import elect_leader, obey_command, see_broker_change
from .costs import COSTS, FAILOVER
from .isr import expand_isr, shrink_isr
from .queue import take_request
from .race import create_leader, look, see_leader_change, watch_again
from .sequence import see_sequence, take_number
from .state import Config, Designs, initial_states

DOMAINS = {"broker": MEMBERS, "leader": MEMBERS, "follower": MEMBERS, "other": MEMBERS, "partition": "partitions"}

BY_THEMSELVES: list[Any] = [
    expire_session, notice_session_expiry,
    look, see_leader_change, create_leader, watch_again, take_number, see_sequence, take_request,
    see_broker_change, elect_leader, obey_command, shrink_isr, expand_isr,
]  # fmt: skip

NEXT = actions(DOMAINS, [*BY_THEMSELVES, crash, start_broker], weak=BY_THEMSELVES, faults=[crash], costs=COSTS)

REVISIONS = (
    Revision("v1", "no controller: replicas race for an ephemeral node, each watches it; the ISR is a node of its own",
             {"election": "by-name", "changes": "watched", "nodes": "apart"}),
    Revision("v1-sequence", "the same with sequential nodes, of which the smallest leads (K1)",
             {"election": "by-sequence", "changes": "watched", "nodes": "apart"}),
    Revision("v2", "the same race; followers hear of the leader through a queue in the store; leader and ISR are one node",
             {"election": "by-name", "changes": "queued", "nodes": "one-node"}),
    Revision("v3", "a controller decides, publishes in one node, and sends requests",
             {"election": "by-controller", "changes": "sent", "nodes": "one-node"}),
)  # fmt: skip

DESIGNS = Model(
    name="designs",
    title="The designs before the controller, and V3 beside them",
    state=Designs,
    config=Config,
    actions=NEXT,
    initial_states=initial_states,
    revisions={r.name: r for r in REVISIONS},
    domains=DOMAINS,
    asymmetry=no_asymmetry,
    capacities={"small": {MEMBERS: 4, "partitions": 3, "queues": 12, "commanded": 3}},
    failover=FAILOVER,
)
