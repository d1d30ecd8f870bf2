"""Which actions the settings switch off indirectly: without a crash, for example, no broker ever starts again.

A report of actions that were never enabled leaves these out, because their absence means nothing. Actions that the
settings alone make their own guards refuse are found without this table.
"""

from collections.abc import Callable
from typing import Any

from ..model.config import Config


def fails(c: Config) -> bool:
    """A broker or a session can fail."""
    return bool(c.session_expiries or c.stops or c.lost_brokers)


def begins_empty(c: Config) -> bool:
    """The topic is created during the run, and may be seen late."""
    return c.shown()["start"] == "empty"


def adds_directly(c: Config) -> bool:
    """A partition is added without a request: the controller finds it as it finds a new topic."""
    return bool(c.partition_additions > c.requested_additions)


def leads_again(c: Config) -> bool:
    """A new controller finds a partition without a leader, and gives it one as if it were new (V3 D.6)."""
    return bool(c.init_offline and controllers(c) and elects_after_failure(c))


def controllers(c: Config) -> bool:
    """A controller is elected during the run."""
    return begins_empty(c) or c.controller_changes > 0


def commands(c: Config) -> bool:
    """The controller has a reason to send a leader to brokers, and an epoch for it."""
    again = fails(c) or c.preferred_elections or c.reassignments
    return bool(begins_empty(c) or c.partition_additions or c.controller_changes or (again and c.max_epoch))


def falls_behind(c: Config) -> bool:
    """A leader's log may end before its follower's: after an election, or when it has lost what it had."""
    return fails(c) or (c.max_epoch > 0 and commands(c))


def elects_after_failure(c: Config) -> bool:
    """A leader can fail, and there is an epoch for the next."""
    return fails(c) and c.max_epoch > 0


OF_COMMANDS = (
    "write_decision", "lose_decision_answer", "answer_command", "ignore_command", "elect_instead", "become_leader",
    "become_follower", "refuse_unknown_command", "ignore_unknown_leader",
)  # fmt: skip

POSSIBLE: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("expire_session", "notice_session_expiry"), fails),
    "see_broker_change": lambda c: fails(c) or begins_empty(c),
    **dict.fromkeys(("start_broker", "read_role", "take_role"), lambda c: c.stops > 0),
    "look_at_isr": lambda c: c.watched_moves > 0,
    "raise_alert": lambda c: bool(c.alerts and (c.reassignments or c.changing_partitions or c.awaiting_partitions)),
    **dict.fromkeys(("begin_shutdown", "stop_broker"), lambda c: c.controlled_shutdowns > 0),
    "move_leader_away": lambda c: c.controlled_shutdowns > 0 and c.max_epoch > 0,
    **dict.fromkeys(("elect_leader", "take_offline", "take_offline_but_one"), elects_after_failure),
    "request_addition": lambda c: c.partition_additions > 0,
    "init_added": lambda c: c.requested_additions > 0,
    **dict.fromkeys(("request_removal", "stop_removed"), lambda c: c.partition_removals > 0),
    "create_topic_again": lambda c: c.topic_recreations > 0,
    "obey_earlier_command": lambda c: c.topic_recreations > 0 and commands(c),
    "finish_topic_deletion": lambda c: c.confirming_partitions > 0,
    **dict.fromkeys(("see_controller_change", "recover_controller"), controllers),
    "remove_controller": lambda c: c.controller_changes > 0,
    "cancel_reassignment": lambda c: c.cancelled_moves > 0,
    "delete_unnamed": lambda c: c.controller_changes > 0 and (c.topic_deletions > 0 or c.reassignments > 0),
    "see_topic_change": lambda c: begins_empty(c) or c.topic_deletions + c.partition_additions + c.partition_removals > 0,
    "init_leader": lambda c: begins_empty(c) or adds_directly(c) or leads_again(c),
    **dict.fromkeys(("stop_replica", "refuse_unknown_stop"), lambda c: c.topic_deletions > 0 or c.reassignments > 0),
    "elect_preferred_replica": lambda c: c.preferred_elections > 0 and c.max_epoch > 0,
    "drop_preferred_election": lambda c: c.preferred_elections > 0,
    "send_command": lambda c: c.shown()["store"] == "answered",
    **dict.fromkeys(OF_COMMANDS, commands),
    **dict.fromkeys(("learn_out_of_range", "cut_to_leader_end", "exit_out_of_range"), falls_behind),
    **dict.fromkeys(("answer_epoch_request", "truncate_to_answer"), lambda c: commands(c) or c.crashes > 0),
}
"""By action of the Kafka model whether it can happen under a configuration (`Model.possible`)."""
