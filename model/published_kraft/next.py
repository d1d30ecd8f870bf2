"""Next of the published KRaft specifications on one page, and their revisions."""

from ..language import MEMBERS, Model, Revision, actions
from ..members import contains
from . import alter_partition, controller, fetching, life, metadata
from .state import Config, PublishedKraft, Role

DOMAINS = {
    "broker": MEMBERS, "other": MEMBERS, "follower": MEMBERS, "leader": MEMBERS, "next_leader": "leaders", "offset": "values",
    "value": "values", "change": "changes", "start": "stops", "request": "alterations", "answer": "answers", "slow": "sets",
    "adding": "sets", "removing": "sets", "way": "ways",
}  # fmt: skip

NEXT = actions(
    DOMAINS,
    [
        # Brokers.
        life.broker_start, life.receive_registration_response, metadata.receive_metadata_update,
        alter_partition.send_alter_partition_request, alter_partition.receive_alter_partition_response,
        fetching.send_fetch_request, fetching.receive_fetch_request, fetching.receive_fetch_response,
        fetching.write_record_to_leader, life.unclean_shutdown, life.clean_shutdown,
        # The controller.
        life.receive_registration_request, alter_partition.receive_alter_partition_request, controller.fence_broker,
        controller.unfence_broker, controller.perform_reassignment, controller.elect_preferred_leader,
        controller.elect_unclean_leader,
    ],
    faults=[life.unclean_shutdown, life.clean_shutdown, controller.fence_broker],
)  # fmt: skip

REVISIONS = (
    Revision("v3.5", "Kafka 3.5: the last member of the ISR stays in it, whatever it has lost", {"recovery": "isr-of-one"}),
    Revision("kip-966", "KIP-966: the ISR may be empty; who left it below min ISR is eligible, and nothing is committed then",
             {"recovery": "eligible-replicas"}),
)  # fmt: skip


def first_among_brokers(config: Config) -> str:
    """Why the model prefers a broker by its number."""
    return "broker 0 leads at first, and messages are kept in the order of their brokers' numbers"


def initial_states(config: Config) -> list[PublishedKraft]:
    """Broker 0 leads, and nothing is written. Replicas outside the ISR are fenced, and know the ISR before they left it."""
    s = PublishedKraft(config)
    controller.begin(s)
    now = s.controller.now
    for broker in range(config.members):
        me = s.broker[broker]
        me.broker_epoch = broker + 1
        me.incarnation = broker + 1
        if contains(now.replicas, broker):
            me.role = Role.FOLLOWER
            me.known.replicas = now.replicas
            me.known.isr = now.isr if contains(now.isr, broker) else now.replicas
            me.known.maximal_isr = me.known.isr
            me.known.leader = 0
            me.known.leader_epoch = 1
            me.known.partition_epoch = now.partition_epoch if contains(now.isr, broker) else 1
        if not s.controller.registration[broker].fenced:
            me.applied = 1
        if broker > 0:
            me.fetcher[0].added = 1
    s.broker[0].role = Role.LEADER
    s.broker[0].start = 0
    return [s]


PUBLISHED_KRAFT = Model(
    name="published-kraft",
    title="Kafka replication under KRaft as published in TLA+ (Vanlightly)",
    state=PublishedKraft,
    config=Config,
    actions=NEXT,
    initial_states=initial_states,
    revisions={r.name: r for r in REVISIONS},
    domains=DOMAINS,
    asymmetry=first_among_brokers,
    capacities={
        "small": {
            MEMBERS: 3, "values": 2, "records_per_fetch": 2, "changes": 16, "stops": 2, "alterations": 10, "fetches": 40,
            "answers": 3,
        },
    },
)  # fmt: skip
