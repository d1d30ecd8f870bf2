"""Next on one page: every action, by actor, and the Kafka model as a whole."""

from .broker.answer_command import answer_command, ignore_command
from .broker.become_follower import become_follower
from .broker.become_leader import become_leader
from .broker.compaction import compact_log
from .broker.consume import consume
from .broker.crash import crash, empty_disk, lose_broker, lose_epoch_file, lose_power
from .broker.earlier_command import obey_earlier_command
from .broker.exchange_directory import exchange_directory
from .broker.failed_command import remember_command
from .broker.fetch import count_diverging_fetch, fetch, forget_end
from .broker.fetch_in_flight import (
    answer_fetch,
    check_fetch,
    count_fetch,
    receive_fetch,
    receive_late_response,
    renew_answer,
    send_fetch,
)
from .broker.fetcher import cut_late
from .broker.high_watermark import checkpoint_high_watermark, flush_log
from .broker.isr import expand_isr, learn_earlier_answer, learn_isr_write, lose_isr_answer, shrink_isr, write_isr
from .broker.new_session import notice_session_expiry
from .broker.out_of_range import cut_to_leader_end, exit_out_of_range, learn_out_of_range
from .broker.produce import produce
from .broker.produce_request import await_commit
from .broker.refusal_in_flight import receive_refusal, refuse_fetch
from .broker.registration import learn_registration, refuse_unknown_command, refuse_unknown_stop
from .broker.replaced_controller import refuse_from_behind
from .broker.retention import delete_old_records, start_anew
from .broker.route import publish_view, refresh_leader
from .broker.shut_down import begin_shutdown, stop_broker
from .broker.start import read_role, start_broker, take_role
from .broker.stop_replica import delete_unnamed, stop_replica
from .broker.who_lives import ignore_unknown_leader, learn_who_lives
from .choices import Beginning, Decisions
from .config import Config
from .controller.alert import raise_alert
from .controller.broker_change import (
    elect_instead,
    elect_leader,
    elect_unclean_leader,
    see_broker_change,
    take_offline,
    take_offline_but_one,
)
from .controller.decide import lose_decision_answer, write_decision
from .controller.fail_over import recover_controller, remove_controller, see_controller_change
from .controller.move_leaders import move_leader_away
from .controller.multi import elect_leaders, write_decisions
from .controller.old_replicas import remove_old_replica, stop_old_replicas
from .controller.partition_change import (
    delete_change_request,
    init_added,
    request_addition,
    request_removal,
    stop_removed,
    update_topic_path,
)
from .controller.preferred_election import (
    drop_preferred_election,
    elect_preferred_replica,
    elect_preferred_replica_on_schedule,
    request_preferred_election,
)
from .controller.reassignment import (
    cancel_reassignment,
    find_caught_up,
    finish_reassignment,
    look_at_isr,
    request_reassignment,
    see_reassignment,
    start_new_replicas,
    switch_isr,
    write_assignment,
)
from .controller.send_commands import send_command
from .controller.topic_change import create_topic, init_leader, see_topic_change
from .controller.topic_deletion import create_topic_again, delete_topic, delete_topic_path, finish_topic_deletion
from .costs import COSTS, FAILOVER
from .initial_state import initial_states
from .language import Model, actions
from .normal_form import normalise
from .releases import RELEASES
from .repairs import REPAIRS
from .revisions import REVISIONS
from .state import Kafka
from .truncation.exchange import fail_epoch_request
from .truncation.rules import answer_epoch_request, truncate_on_divergence, truncate_to_answer
from .unmodelled import ABSENT, UNMODELLED
from .vocabulary import BROKERS
from .zookeeper.sessions import expire_session

DOMAINS = {
    **dict.fromkeys(("broker", "leader", "follower", "other"), BROKERS), "partition": "partitions", "epoch": "epochs",
    "controller": "controllers", "other_controller": "controllers", "batch": "max_batch", "kept": "offsets", "offset": "log_size",
    "command": "commands",
}  # fmt: skip

# A broker obeys no command while it writes its ISR. It looks at its ISR when a fetch arrives and when a timer fires, so that a
# command that waits has its turn between two writes, however often they are refused (strong fairness).
# Kafka: Partition.leaderIsrUpdateLock, ReplicaManager's isr-expiration.
OBEYING = [become_leader, become_follower, answer_command, obey_earlier_command]

# Other steps that a running system does not put off for ever (weak fairness). Of clients, operators, checkpoints and restarts
# nothing is assumed. What pays from a budget is a fault; an unclean election is the controller's own doing.
RUNNING = [
    expire_session, notice_session_expiry, see_controller_change, recover_controller, see_broker_change, see_topic_change,
    init_leader, elect_leader, elect_instead, elect_unclean_leader, take_offline, take_offline_but_one, elect_preferred_replica,
    drop_preferred_election, see_reassignment, start_new_replicas, find_caught_up, switch_isr, remove_old_replica,
    stop_old_replicas, write_assignment, init_added, stop_removed, delete_change_request, update_topic_path,
    finish_reassignment, finish_topic_deletion, elect_leaders,
    write_decision, write_decisions, send_command, stop_replica, delete_unnamed, answer_epoch_request, truncate_to_answer,
    truncate_on_divergence, cut_late, refuse_fetch, receive_refusal, start_anew, learn_out_of_range, cut_to_leader_end,
    exit_out_of_range, fetch, count_diverging_fetch, send_fetch, answer_fetch, check_fetch, count_fetch, receive_fetch,
    receive_late_response, shrink_isr, expand_isr, write_isr, learn_isr_write, learn_earlier_answer, read_role, take_role,
    refresh_leader, publish_view, look_at_isr, raise_alert, move_leader_away, stop_broker, learn_registration, learn_who_lives,
    await_commit,
]  # fmt: skip

NEXT = actions(
    DOMAINS,
    [
        # The store and the brokers' sessions.
        expire_session, notice_session_expiry,
        # The controller.
        see_controller_change, recover_controller, see_broker_change, see_topic_change, init_leader, elect_leader,
        elect_leaders, elect_instead, elect_unclean_leader, take_offline, take_offline_but_one, elect_preferred_replica,
        elect_preferred_replica_on_schedule, drop_preferred_election, see_reassignment, start_new_replicas, look_at_isr,
        find_caught_up, switch_isr, remove_old_replica, stop_old_replicas, write_assignment, finish_reassignment,
        finish_topic_deletion, init_added, stop_removed, delete_change_request, update_topic_path, move_leader_away,
        raise_alert, write_decision, write_decisions, lose_decision_answer, send_command,
        # Operators.
        create_topic, delete_topic, delete_topic_path, create_topic_again, request_preferred_election, request_reassignment,
        cancel_reassignment,
        request_addition, request_removal, remove_controller, begin_shutdown,
        # A broker obeys.
        become_leader, become_follower, remember_command, answer_command, ignore_command, stop_replica, delete_unnamed,
        obey_earlier_command,
        learn_registration, refuse_unknown_command, refuse_unknown_stop, learn_who_lives, ignore_unknown_leader,
        # A follower makes its log a prefix of its leader's.
        answer_epoch_request, truncate_to_answer, cut_late, truncate_on_divergence, refuse_fetch, receive_refusal,
        fail_epoch_request,
        start_anew, learn_out_of_range, cut_to_leader_end, exit_out_of_range,
        # Replication.
        produce, await_commit, fetch, forget_end, count_diverging_fetch, send_fetch, answer_fetch, check_fetch, count_fetch,
        renew_answer, receive_fetch, receive_late_response, shrink_isr,
        expand_isr, write_isr, learn_isr_write, learn_earlier_answer, refuse_from_behind, lose_isr_answer, consume,
        refresh_leader, publish_view,
        # Failure.
        checkpoint_high_watermark, flush_log, compact_log, delete_old_records, crash, lose_power, lose_broker,
        empty_disk, lose_epoch_file, exchange_directory, stop_broker, start_broker, read_role, take_role,
    ],
    weak=RUNNING,
    strong=OBEYING,
    faults=[remove_controller],
    costs=COSTS,
)  # fmt: skip


def asymmetry(config: Config) -> str:
    """Why brokers cannot be renamed freely, if they cannot: everything but J1's ring treats them alike.

    The preferred replica is a broker in a variable, which is renamed with the rest; the first placement of
    the start `serving` gives one initial state, and what follows from it does not ask for numbers.
    """
    new_topics = config.start is Beginning.EMPTY or config.topic_recreations or config.partition_additions
    if new_topics and 0 < config.replicas < config.brokers:
        return "with fewer replicas than brokers a new topic's replicas are placed in the order of broker numbers (J1)"
    if config.reassignments and config.replicas > 1:
        return "a reassigned partition's replicas are placed in the order of broker numbers (J1)"
    if config.decisions is Decisions.MULTI and config.partitions > 1:
        return "a multi elects, where the broker that it is about cannot lead, the one with the smallest number (Z9)"
    return ""


BY_PARTITION = (
    "late_partitions", "partitions", "commanded_partitions", "fetch_partitions", "refusal_partitions",
    "looked_partitions", "consumer_partitions", "moving_partitions", "produce_partitions",
    "asking_partitions", "unled_partitions", "awaiting_partitions", "client_partitions", "starting_partitions",
    "recreated_partitions", "deleting_partitions", "confirming_partitions", "vanishing_partitions", "changing_partitions",
    "preferred_additions", "watched_moves", "alert_partitions", "lapsed_partitions",
)  # fmt: skip

KAFKA = Model(
    name="kafka",
    title="Kafka's ZooKeeper-era replication",
    state=Kafka,
    config=Config,
    actions=NEXT,
    initial_states=initial_states,
    revisions={r.name: r for r in REVISIONS},
    domains=DOMAINS,
    capacities={
        "small": {
            BROKERS: 4, "log_size": 5, "epochs": 5, "controllers": 3, "flights": 5, "connections": 3, "assured_offsets": 5,
            "answered_offsets": 5,
            "registrations": 1, "earlier_deaths": 1, "news": 1, "news_controllers": 3, "quorums": 1, "kept_changes": 1,
            "eligible_partitions": 1, "changing_min_isrs": 1, "changing_features": 1, "recreated_topics": 1, "moves": 1,
            **dict.fromkeys(BY_PARTITION, 2),
        },
        "large": {
            BROKERS: 9, "log_size": 64, "epochs": 31, "controllers": 10, "flights": 64, "connections": 10, "assured_offsets": 64,
            "answered_offsets": 64,
            "registrations": 1, "earlier_deaths": 1, "news": 1, "news_controllers": 10, "quorums": 1, "kept_changes": 1,
            "eligible_partitions": 1, "changing_min_isrs": 1, "changing_features": 1, "recreated_topics": 1, "moves": 1,
            **dict.fromkeys(BY_PARTITION, 6),
        },
    },
    normal_form=normalise,
    asymmetry=asymmetry,
    own_budgets=("unclean_elections",),
    repairs=REPAIRS,
    releases=RELEASES,
    failover=FAILOVER,
    finest={
        "fetch": "in-flight", "fetch_count": "later", "store": "answered", "follower_reads": "1", "produce_wait": "offset-later",
    },
    unmodelled=UNMODELLED,
    absent=ABSENT,
)  # fmt: skip
