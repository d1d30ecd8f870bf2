"""Next of the family `kraft` on one page, its initial states, and the model as a whole."""

from ..broker.compaction import compact_log
from ..broker.consume import consume
from ..broker.crash import crash, empty_disk, lose_broker, lose_epoch_file, lose_power
from ..broker.exchange_directory import exchange_directory
from ..broker.fetch import fetch
from ..broker.fetch_in_flight import answer_fetch, check_fetch, count_fetch, receive_fetch, receive_late_response, send_fetch
from ..broker.high_watermark import checkpoint_high_watermark, flush_log
from ..broker.isr import expand_isr, learn_isr_write, lose_isr_answer, shrink_isr
from ..broker.out_of_range import cut_to_leader_end
from ..broker.produce import produce
from ..broker.produce_request import await_commit
from ..broker.refusal_in_flight import receive_refusal, refuse_fetch
from ..broker.retention import delete_old_records, start_anew
from ..broker.shut_down import begin_shutdown
from ..initial_state import assign
from ..language import Model, actions
from ..language.revisions import numbers
from ..members import everyone
from ..next import KAFKA
from ..releases import RELEASES
from ..state import Kafka
from ..truncation.rules import truncate_on_divergence, truncate_to_answer
from ..vocabulary import BROKERS
from .config import KraftConfig
from .decisions import alter_partition, elect_preferred, elect_unclean
from .directories import crash_while_moving, report_directory
from .dynamic_configs import change_min_isr, update_feature
from .images import apply_metadata
from .life import fence, register, register_early, start_leaving, stop_leaving, unfence
from .normal_form import normalise
from .reassignment import reassign, revert_reassignment
from .repairs import REPAIRS
from .revisions import REVISIONS
from .state import Kraft
from .topics import recreate_topic
from .unmodelled import ABSENT, UNMODELLED
from .unregistered import fetch_unregistered

DOMAINS = {
    **dict.fromkeys(("broker", "leader", "follower", "other"), BROKERS), **dict.fromkeys(("change", "later"), "window"),
    "command": "commands",
    "partition": "partitions", "epoch": "epochs", "min_isr": "min_isrs", "batch": "max_batch", "kept": "offsets",
    "offset": "log_size",
}  # fmt: skip

# Steps that a running system does not put off for ever. Heartbeats of brokers that live arrive, but for the budget `fences`.
RUNNING = [
    fence, unfence, apply_metadata, alter_partition, start_leaving, stop_leaving, learn_isr_write, await_commit, fetch,
    send_fetch, answer_fetch, check_fetch, count_fetch, receive_fetch, receive_late_response, truncate_to_answer,
    truncate_on_divergence, refuse_fetch, receive_refusal, start_anew, cut_to_leader_end, shrink_isr, expand_isr,
]  # fmt: skip

NEXT = actions(
    DOMAINS,
    [
        # The controller.
        fence, unfence, elect_preferred, elect_unclean, alter_partition, start_leaving, reassign, revert_reassignment,
        change_min_isr, update_feature, report_directory, recreate_topic,
        # A broker applies the log.
        apply_metadata,
        # A follower makes its log a prefix of its leader's.
        truncate_to_answer, truncate_on_divergence, refuse_fetch, receive_refusal, start_anew, cut_to_leader_end,
        # Replication.
        produce, await_commit, fetch, send_fetch, answer_fetch, check_fetch, count_fetch, receive_fetch, receive_late_response,
        shrink_isr, expand_isr, learn_isr_write, lose_isr_answer, consume,
        # Failure, and operators.
        checkpoint_high_watermark, flush_log, compact_log, delete_old_records, crash, lose_power, crash_while_moving, lose_broker,
        empty_disk, lose_epoch_file, exchange_directory, begin_shutdown, stop_leaving, register, register_early,
        fetch_unregistered,
    ],
    weak=RUNNING,
)  # fmt: skip


def initial_states(config: KraftConfig) -> list[Kraft]:
    """Every partition has a leader, preferred or not, and every replica has applied the log."""
    leaders = range(min(2, config.replicas or config.brokers)) if config.preferred_elections else [0]
    features = range(2) if config.changing_features else [0]
    return [serving_cluster(config, leader, feature) for leader in leaders for feature in features]


def serving_cluster(config: KraftConfig, leader: int, feature: int) -> Kraft:
    """All brokers run, are not fenced, and serve; `leader` is the place among the replicas of each partition's leader."""
    state = Kraft(config)
    serve(state, leader, feature)
    normalise(state)
    return state


def serve(s: Kraft, leader: int, feature: int) -> None:
    """Every partition has this leader, and every replica has applied the log."""
    log = s.metadata[0]
    for place in range(s.config.changing_features):
        log.elr_feature[place] = feature
    for place in range(s.config.changing_min_isrs):
        log.change[0].min_isr[place] = s.config.min_isr
    s.zookeeper.sessions = everyone(s.config.brokers)
    s.zookeeper.broker_ids = everyone(s.config.brokers)
    log.change[0].active = everyone(s.config.brokers)
    for broker in range(s.config.members):
        s.broker[broker].up = 1
    for partition in range(s.config.partitions):
        assign(s, partition, leader)
        log.change[0].image[partition].version = s.zookeeper.leader_and_isr[partition].version
        for place in range(s.config.moves):
            log.change[0].image[partition].replicas[place] = s.zookeeper.assigned[partition]


def asymmetry(config: KraftConfig) -> str:
    """Why brokers cannot be renamed freely, if they cannot. One move from one replica to another is the same for all."""
    if config.reassignments > 1 or (config.reassignments and config.replicas > 1):
        return "a reassigned partition's replicas are placed in the order of broker numbers (J1)"
    return ""


BY_PARTITION = (
    "partitions", "asking_partitions", "fetch_partitions", "refusal_partitions", "late_partitions", "consumer_partitions",
    "eligible_partitions", "moving_partitions", "produce_partitions", "recreated_topics",
)  # fmt: skip
UNUSED = dict.fromkeys(KAFKA.capacities["small"], 1)
"""Arrays of what only a cluster with ZooKeeper has: empty ones."""

KRAFT = Model(
    name="kraft",
    title="Kafka's replication under KRaft",
    state=Kafka,
    config=KraftConfig,
    actions=NEXT,
    initial_states=initial_states,
    revisions={r.name: r for r in REVISIONS},
    domains=DOMAINS,
    capacities={
        "small": {
            **UNUSED, BROKERS: 4, "log_size": 5, "epochs": 5, "flights": 5, "assured_offsets": 5, "answered_offsets": 5,
            "quorums": 1, "kept_changes": 4,
            **dict.fromkeys(BY_PARTITION, 2),
        },
        "large": {
            **UNUSED, BROKERS: 6, "log_size": 64, "epochs": 31, "flights": 64, "assured_offsets": 64,
            "answered_offsets": 64, "quorums": 1, "kept_changes": 9, **dict.fromkeys(BY_PARTITION, 6),
        },
    },
    normal_form=normalise,
    asymmetry=asymmetry,
    own_budgets=("unclean_elections",),
    releases=tuple(release for release in RELEASES if numbers(release) >= (3, 2)),
    repairs=REPAIRS,
    unmodelled=UNMODELLED,
    absent=ABSENT,
    finest={"fetch": "in-flight", "fetch_count": "later", "produce_wait": "offset-later"},
)  # fmt: skip
