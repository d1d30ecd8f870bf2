"""What each golden trace must show: one row per file of traces/golden."""

from dataclasses import dataclass, field
from pathlib import Path

from highwater.traces.text import read_file

FOLDER = Path(__file__).parents[2] / "traces" / "golden"


@dataclass(frozen=True)
class Shows:
    """`broken`: every violated property, with its step. `logs`: the logs at the end, by broker. `committed`: what was promised.

    `beyond`: properties that are violated although the revision is expected to keep them at the default sizes, each
    with what in the trace goes beyond those. `witnessed`: the step at which the trace's property is reached.
    """

    property: str
    broken: dict[str, int]
    logs: tuple[str, ...]
    committed: str
    beyond: dict[str, str] = field(default_factory=dict)
    witnessed: int | None = None


S1 = "a@0-1 b@2-3 d@4-5 in epoch 2"
S1_CONVERGED = ("0a 0a 0b 0b 2d 2d|", "0a 0a 0b 0b 2d 2d|")
LED_AGAIN = ("single_committable_leader", "strong_isr", "no_committed_data_loss")
DEPARTED = ("weak_isr", "strong_isr", "isr_reaches_high_watermark")
REMOVED = ("eligible_replicas_are_replicas", "eligible_replicas_have_committed", "no_committed_data_loss")
LOST_IN_A_MOVE = (
    "single_committable_leader", "weak_isr", "strong_isr", "no_committed_data_loss", "committed_records_stay_readable",
)
T5 = "a@0 in epoch 0, b@1 in epoch 1"
POWER_LOSS = {"committed_records_stay_readable": 11, "no_committed_data_loss": 14, "commits_agree": 15}
CHANGED = "min.insync.replicas changes"
MARK_STAYS = {**POWER_LOSS, "hw_within_log": 18}


def golden(name):
    """The trace of this name."""
    return read_file(str(FOLDER / f"{name}.trace"))


def lost_from(cut, elected, served):
    """A member of the ISR cuts a committed record at one step, is elected at another, and serves without it at the third."""
    members = dict.fromkeys(("weak_isr", "strong_isr", "isr_reaches_high_watermark"), cut)
    return {**members, "committed_records_stay_readable": elected, "no_committed_data_loss": served}


GOLDEN = {
    "s1_silent_divergence.kip-101": Shows(
        "log_prefix_convergence", {"log_prefix_convergence": 17}, ("0a 0a 1c 1c 2d 2d|", "0a 0a 0b 0b 2d 2d|"), S1
    ),
    "s1_silent_divergence.kip-279": Shows("log_prefix_convergence", {}, S1_CONVERGED, S1),
    "s1_out_of_order_append.kip-101": Shows(
        "append_in_order", {"log_prefix_convergence": 17, "append_in_order": 18}, ("|0a 0a 1c", "0a 0a 0b 0b 2d 2d|"), S1
    ),
    "s1_out_of_order_append.kip-279": Shows("append_in_order", {}, S1_CONVERGED, S1),
    "s1_clean_truncation.kip-101": Shows("log_prefix_convergence", {}, S1_CONVERGED, S1),
    "s1_clean_truncation.kip-279": Shows("log_prefix_convergence", {}, S1_CONVERGED, S1),
    "r3_leader_again.kip-320": Shows(
        "no_committed_data_loss", lost_from(13, 16, 17), ("|", "0a|", "|"), "a@0 in epoch 2",
        dict.fromkeys(lost_from(13, 16, 17), "two expired sessions, epochs to 3"),
    ),
    "r3_ends_forgotten.kip-320": Shows("no_committed_data_loss", {}, ("|", "|0a", "|"), "nothing"),
    "leader_elected_again.kip-500": Shows(
        "no_committed_data_loss", lost_from(13, 14, 18), ("|", "|0a", "|"), "a@0 in epoch 2",
        dict.fromkeys(("committed_records_stay_readable", "no_committed_data_loss"), "two crashes, epochs to 3"),
    ),
    "leader_elected_again_repaired.kip-500": Shows("no_committed_data_loss", {}, ("|", "|0a", "|"), "nothing"),
    "c3_ends_kept.kip-320": Shows(
        "weak_isr", dict.fromkeys(("weak_isr", "strong_isr", "isr_reaches_high_watermark"), 14), ("|", "0a|", "|"),
        "a@0 in epoch 2", dict.fromkeys(("weak_isr", "strong_isr", "isr_reaches_high_watermark"), "led_before = keeps-ends"),
    ),
    "c3_ends_forgotten.kip-320": Shows("weak_isr", {}, ("|", "|0a", "|"), "nothing"),
    "r9_follows_on.kip-320": Shows(
        "log_prefix_convergence", {"log_prefix_convergence": 13}, ("|", "|", "|0a"), "nothing",
        {"log_prefix_convergence": "follow_again = nothing"},
    ),
    "r9_truncates_again.kip-320": Shows("log_prefix_convergence", {}, ("|", "|", "|"), "nothing"),
    "s2_unclean_failovers.kip-101": Shows(
        "log_prefix_convergence", {"log_prefix_convergence": 25}, ("0a 3d|", "1b 3d|"), "b@0 d@1 in epoch 3"
    ),
    "s2_unclean_failovers.kip-279": Shows(
        "log_prefix_convergence", {"truncation_rounds": 25}, ("1b 3d|", "1b 3d|"), "b@0 d@1 in epoch 3",
        {"truncation_rounds": "unclean elections"},
    ),
    "s2_last_cut.kip-279": Shows(
        "log_prefix_convergence", {"truncation_rounds": 25, "log_prefix_convergence": 27, "weak_isr": 29, "strong_isr": 29},
        ("0a 3d|", "1b 3d|"), "b@0 d@1 in epoch 3", {"truncation_rounds": "unclean elections"},
    ),
    "t2_leader_end.kip-279": Shows(
        "log_prefix_convergence", {"log_prefix_convergence": 16, "weak_isr": 18, "strong_isr": 18}, ("1b 2c|", "0a 2c|"),
        "a@0 c@1 in epoch 2",
    ),
    "t2_asks_on.kip-279": Shows("log_prefix_convergence", {}, ("0a 2c|", "0a 2c|"), "a@0 c@1 in epoch 2"),
    "s2_checkpointed_high_watermark.kip-279": Shows(
        "log_prefix_convergence", {"truncation_rounds": 26, "log_prefix_convergence": 28}, ("0a|", "1b 3d|"),
        "b@0 d@1 in epoch 3", {"truncation_rounds": "unclean elections"},
    ),
    "s2_checkpointed_high_watermark.kip-320": Shows(
        "log_prefix_convergence", {"truncation_rounds": 26}, ("|", "1b 3d|"),
        "b@0 d@1 in epoch 3", {"truncation_rounds": "unclean elections"},
    ),
    "s2_checkpointed_high_watermark.kip-320-first-try": Shows(
        "log_prefix_convergence", {}, ("1b 3d|", "1b 3d|"), "b@0 d@1 in epoch 3"
    ),
    "s3_truncation_loses_data.high-watermark": Shows(
        "no_committed_data_loss",
        {
            "weak_isr": 9, "strong_isr": 9, "isr_reaches_high_watermark": 9, "committed_records_stay_readable": 10,
            "no_committed_data_loss": 14,
        },
        ("|0a 0b", "0a|"), "a@0 b@1 in epoch 0",
    ),
    "s3_truncation_loses_data.kip-101": Shows("no_committed_data_loss", {}, ("|0a 0b", "0a 0b|"), "a@0 b@1 in epoch 0"),
    "s3_truncation_loses_data.kip-279": Shows("no_committed_data_loss", {}, ("|0a 0b", "0a 0b|"), "a@0 b@1 in epoch 0"),
    "last_replica_standing.kip-320-2.8": Shows(
        "no_committed_data_loss", {"committed_records_stay_readable": 10, "no_committed_data_loss": 13}, ("|", "|"),
        "a@0 b@1 in epoch 0", dict.fromkeys(("committed_records_stay_readable", "no_committed_data_loss"), "a power loss"),
    ),
    "late_count.kip-320": Shows(
        "no_committed_data_loss", lost_from(19, 23, 24), ("|", "0a|", "|"), "a@0 in epoch 2",
        dict.fromkeys(lost_from(19, 23, 24), "two expired sessions, epochs to 3, fetch_count = later"),
    ),
    "earlier_refusal.kip-320-2.8": Shows(
        "no_committed_data_loss",
        {"weak_isr": 34, "strong_isr": 34, "isr_reaches_high_watermark": 34, "no_committed_data_loss": 38},
        ("0a|", "0a|", "|"), "a@0 in epoch 2",
        dict.fromkeys(
            ("weak_isr", "strong_isr", "isr_reaches_high_watermark", "no_committed_data_loss"),
            "two expired sessions, two preferred elections, epochs to 4, fetches in flight",
        ),
    ),
    "earlier_records.kip-320-2.8": Shows(
        "no_committed_data_loss",
        {"weak_isr": 45, "strong_isr": 45, "committed_records_stay_readable": 48, "no_committed_data_loss": 49},
        ("0a 1d|", "|0a 1d", "0a|"), "a@0 d@1 in epoch 1",
        dict.fromkeys(
            ("weak_isr", "strong_isr", "committed_records_stay_readable", "no_committed_data_loss"),
            "two expired sessions, epochs to 3, fetches in flight",
        ),
    ),
    **{
        f"n1_outlived_fetch.{revision}": Shows(
            "no_committed_data_loss", lost_from(joins, elected, elected + 1), ("0a|", "|"), "a@0 in epoch 0",
            dict.fromkeys(kept, "a disk is emptied, fetches in flight"),
        )
        for revision, joins, elected, kept in (
            ("kip-279-2.0.1", 10, 13, ("committed_records_stay_readable", "no_committed_data_loss")),
            ("kip-320", 10, 13, lost_from(0, 0, 0)),
            ("kip-320-2.8", 13, 16, lost_from(0, 0, 0)),
        )
    },
    "stale_join.kip-320-2.8": Shows(
        "no_committed_data_loss",
        {
            "strong_isr": 14, "isr_reaches_high_watermark": 14, "weak_isr": 15, "committed_records_stay_readable": 16,
            "no_committed_data_loss": 22,
        },
        ("|0a", "|"), "a@0 in epoch 0",
        dict.fromkeys(
            (
                "strong_isr", "isr_reaches_high_watermark", "weak_isr", "committed_records_stay_readable",
                "no_committed_data_loss",
            ),
            "a power loss",
        ),
    ),
    "s4_lost_suffix.high-watermark": Shows(
        "log_prefix_convergence", {**POWER_LOSS, "log_prefix_convergence": 16}, ("0a 0b|", "1c|"), "a@0 b@1 in epoch 0"
    ),
    "s4_lost_suffix.kip-101": Shows("log_prefix_convergence", MARK_STAYS, ("0a 1c|", "0a 1c|"), "a@0 b@1 in epoch 0"),
    "s4_lost_suffix.kip-279": Shows("log_prefix_convergence", MARK_STAYS, ("0a 1c|", "0a 1c|"), "a@0 b@1 in epoch 0"),
    "t3_two_requests.kip-279": Shows(
        "truncation_rounds", {"truncation_rounds": 17}, S1_CONVERGED, S1, {"truncation_rounds": "truncation = by-known-epoch"}
    ),
    "t4_one_request.kip-279": Shows("truncation_rounds", {}, S1_CONVERGED, S1),
    "t4_unclean_failovers.kip-279": Shows("log_prefix_convergence", {}, ("1b 3d|", "1b 3d|"), "b@0 d@1 in epoch 3"),
    "t4_high_watermark_of_two.kip-279": Shows(
        "log_prefix_convergence", {"truncation_rounds": 26, "log_prefix_convergence": 28}, ("0a 2c|", "1b 3d|"),
        "b@0 d@1 in epoch 3", {"truncation_rounds": "unclean elections"},
    ),
    "t2_high_watermark_of_two.kip-279": Shows(
        "log_prefix_convergence", {"hw_within_log": 26, "truncation_rounds": 26, "log_prefix_convergence": 28},
        ("0a (high watermark 2, beyond its end)", "1b 3d|"),
        "b@0 d@1 in epoch 3", {"truncation_rounds": "unclean elections"},
    ),
    "t5_persisted_at_leader_change.kip-320": Shows(
        "no_committed_data_loss", lost_from(17, 20, 21), ("0a 1b|", "0a|"), T5,
        dict.fromkeys(lost_from(17, 20, 21), "truncation = by-high-watermark-epoch"),
    ),
    "t5_persisted_at_epoch_boundary.kip-320": Shows("no_committed_data_loss", {}, ("0a 1b|", "0a 1b|"), T5),
    "t5_lagging_high_watermark.kip-320": Shows(
        "no_committed_data_loss", lost_from(27, 30, 31), ("0a 1b|", "0a 1b|", "0a|"), T5,
        dict.fromkeys(lost_from(27, 30, 31), "truncation = by-high-watermark-epoch"),
    ),
    "t6_old_leader_leaves.kip-101": Shows(
        "log_prefix_convergence", {}, ("0a 0a 1c 1c|", "0a 0a 1c 1c|"), "a@0-1 c@2-3 in epoch 1"
    ),
    "t6_unclean_election.kip-101": Shows(
        "log_prefix_convergence", {"strong_isr": 10, "log_prefix_convergence": 17},
        ("0a 0a 1c 1c 2d 2d|", "0a 0a 0b 0b 2d 2d|"), S1,
    ),
    "t9_new_request_is_refused.kip-279": Shows(
        "no_committed_data_loss", lost_from(8, 9, 13), ("|0a", "|"), "a@0 in epoch 0"
    ),
    "t9_inter_broker_version.kip-279": Shows("no_committed_data_loss", {}, ("|0a", "0a|"), "a@0 in epoch 0"),
    "t8_compacted_epoch.kip-320": Shows(
        "no_committed_data_loss",
        {"last_values_are_kept": 20, "committed_records_stay_readable": 30, "no_committed_data_loss": 31},
        ("|0a (1b) 2c", "0a|"), T5,
        dict.fromkeys(
            ("last_values_are_kept", "committed_records_stay_readable", "no_committed_data_loss"),
            "compactions = 1, lost_epoch_files = 1",
        ),
    ),
    "m9_uncommitted_value.kip-320": Shows(
        "last_values_are_kept", {"last_values_are_kept": 7}, ("(0a) 0b|", "0a 0b|"), "a@0 b@1 in epoch 0",
        {"last_values_are_kept": "compactions = 1"},
    ),
    "t8_tombstone.kip-320": Shows("no_committed_data_loss", {}, ("|0a 1b 2c", "0a 1b|"), T5),
    "t8_deleted_epoch.kip-279": Shows("commits_agree", {}, ("from 1: |", "from 1: |"), "b@0 in epoch 1"),
    "t8_deleted_epoch.kip-320": Shows(
        "commits_agree", {"committed_records_stay_readable": 17, "commits_agree": 18, "no_committed_data_loss": 18},
        ("0a|", "from 1: |"), "b@0 in epoch 1",
        dict.fromkeys(("committed_records_stay_readable", "commits_agree", "no_committed_data_loss"), "retentions = 1"),
    ),
    "t8_cut_below_start.kip-279": Shows(
        "commits_agree", {**lost_from(20, 23, 24), "commits_agree": 25}, ("2c|", "from 1: |1b"), "a@0 in epoch 0"
    ),
    "t8_cut_below_start.kip-320": Shows("commits_agree", {}, ("0a 2c|", "from 1: |1b"), "a@0 in epoch 0, c@1 in epoch 2"),
    "t8_start_within_batch.kip-101": Shows(
        "append_in_order", {"append_in_order": 8}, ("from 3: 0b|", "from 3: |"), "a@0-1 b@2-3 in epoch 0"
    ),
    "t8_start_within_batch.kip-279": Shows(
        "append_in_order", {}, ("from 3: 0b|", "from 3: 0b|"), "a@0-1 b@2-3 in epoch 0"
    ),
    "t8_below_checkpoint.kip-320": Shows("no_committed_data_loss", {}, ("(0a) 1b|2c", "0a 1b|"), T5),
    "s5_zombie_leader.high-watermark": Shows("single_committable_leader", {}, ("1b|", "1b|", "1b|"), "b@0 in epoch 1"),
    "zombie_commits_what_all_have.high-watermark": Shows(
        "single_committable_leader_strict", {"single_committable_leader_strict": 9}, ("0a|", "|0a", "0a|"), "a@0 in epoch 0"
    ),
    "zombie_commits_what_all_have.kip-320": Shows(
        "single_committable_leader_strict", {"single_committable_leader_strict": 9}, ("0a|", "|0a", "0a|"), "a@0 in epoch 0"
    ),
    "s6_stale_leader_answers.kip-279": Shows(
        "no_committed_data_loss",
        {
            "log_prefix_convergence": 15, "weak_isr": 17, "strong_isr": 17, "committed_records_stay_readable": 20,
            "no_committed_data_loss": 21,
        },
        ("|", "2b|", "0a|"), "b@0 in epoch 2",
    ),
    "s6_stale_leader_answers.kip-320": Shows("no_committed_data_loss", {}, ("|", "2b|", "2b|"), "b@0 in epoch 2"),
    "t7_fetch_session.kip-320-2.1.1": Shows(
        "strong_isr", dict.fromkeys(("log_prefix_convergence", "weak_isr", "strong_isr"), 14), ("|", "2b|", "0a|"),
        "b@0 in epoch 2",
    ),
    "t7_fetch_session.kip-320": Shows("strong_isr", {}, ("|", "2b|", "2b|"), "b@0 in epoch 2"),
    "first_try_stale_leader.kip-320-first-try": Shows(
        "strong_isr", {"weak_isr": 12, "strong_isr": 12, "isr_reaches_high_watermark": 12}, ("|", "2a|", "|"), "a@0 in epoch 2"
    ),
    "first_try_stale_leader.kip-320": Shows("strong_isr", {}, ("|", "2a|", "2a|"), "a@0 in epoch 2"),
    "new_leader_admits_follower.kip-279": Shows(
        "no_committed_data_loss",
        {
            "strong_isr": 9, "no_committed_data_loss": 13, "committed_records_stay_readable": 14, "commits_agree": 15,
            "log_prefix_convergence": 15,
        },
        ("|0a", "0a|", "2b|"), "a@0 in epoch 0",
    ),
    "new_leader_admits_follower.kip-320": Shows(
        "no_committed_data_loss", {}, ("|0a", "0a|", "0a 2b|"), "a@0 in epoch 0, b@1 in epoch 2"
    ),
    "q1_steps_down.v3": Shows("leader_can_serve", {}, ("|0a", "|"), "nothing"),
    "a5_decision_by_epoch.kip-320": Shows(
        "no_committed_data_loss",
        {"strong_isr": 11, "isr_reaches_high_watermark": 11, "no_committed_data_loss": 13}, ("0a|", "|0a", "|"), "a@0 in epoch 0",
        dict.fromkeys(
            ("strong_isr", "isr_reaches_high_watermark", "no_committed_data_loss"),
            "decision_condition = epoch, which the revision does not have",
        ),
    ),
    "a5_decision_by_version.kip-320": Shows("no_committed_data_loss", {}, ("0a|", "|0a", "|"), "a@0 in epoch 0"),
    "restarted_leader_by_epoch_start.kip-320": Shows(
        "no_committed_data_loss", {"no_committed_data_loss": 11}, ("|0a", "|", "|0a"), "a@0 in epoch 0",
        {"no_committed_data_loss": "admission = epoch-start, which the revision does not have"},
    ),
    "restarted_leader_by_term_start.kip-320": Shows("no_committed_data_loss", {}, ("|0a", "|0a", "|0a"), "a@0 in epoch 0"),
    "q7_second_round_after_expiry.kip-320": Shows(
        "truncation_rounds", {"truncation_rounds": 20}, ("|0a", "|0a", "1b|"), "b@0 in epoch 3",
        {"truncation_rounds": "session_expiries = 2, max_epoch = 3"},
    ),
    "q20_truncation_repeats.kip-320": Shows(
        "truncation_asks_once_per_epoch", {"truncation_rounds": 20}, ("|0a", "|0a", "1b|"), "b@0 in epoch 3",
        {"truncation_rounds": "session_expiries = 2, max_epoch = 3"},
    ),
    "late_epoch_start.kip-320": Shows(
        "no_committed_data_loss", {"log_prefix_convergence": 32, "weak_isr": 34, "strong_isr": 34, "no_committed_data_loss": 38},
        ("1b 1c|", "0a 1c|", "1b 1c|"), "b@0 c@1 in epoch 3",
        dict.fromkeys(
            ("log_prefix_convergence", "weak_isr", "strong_isr", "no_committed_data_loss"),
            "session_expiries = 3, preferred_elections = 2, max_epoch = 5",
        ),
    ),
    "t2_earlier_answer.kip-320": Shows(
        "strong_isr", {"log_prefix_convergence": 30, "weak_isr": 35, "strong_isr": 35},
        ("0a 2c|", "|0a 0b", "0a 0b|", "0a 2c|"), "a@0 c@1 in epoch 3",
        dict.fromkeys(("log_prefix_convergence", "weak_isr", "strong_isr"), "earlier_answer = taken, as up to 2.1.0"),
    ),
    "late_epoch_is_kept.kip-320-2.8": Shows(
        "weak_isr", {"single_committable_leader_strict": 21, "weak_isr": 23, "strong_isr": 23}, ("0a|2b", "|0a", "|"),
        "a@0 in epoch 2", dict.fromkeys(("weak_isr", "strong_isr"), "late_epoch = kept, which the revision does not have"),
    ),
    "t7_counted_fetch.kip-320-2.8.0": Shows(
        "no_committed_data_loss",
        {
            "weak_isr": 9, "strong_isr": 9, "committed_records_stay_readable": 12, "no_committed_data_loss": 13,
            "commits_agree": 13, "log_prefix_convergence": 13,
        },
        ("0a 1b|", "0a 0c|"), "a@0 b@1 in epoch 1",
    ),
    "t7_counted_fetch.kip-320-2.8": Shows("no_committed_data_loss", {}, ("0a 1b|", "0a 1b|"), "a@0 b@1 in epoch 1"),
    "t7_late_truncation.kip-320-2.8.0": Shows(
        "no_committed_data_loss",
        dict.fromkeys(("committed_records_stay_readable", "leader_hw_never_falls", "no_committed_data_loss"), 13),
        ("|0a", "0a|"), "a@0 b@1 in epoch 2",
    ),
    "t7_late_truncation.kip-320-2.8": Shows("no_committed_data_loss", {}, ("|0a", "0a|"), "a@0 in epoch 2"),
    "t8_fetch_below_start.kip-320-2.8.0": Shows(
        "append_in_order", {"append_in_order": 15}, ("|", "from 1: 0b|"), "a@0 b@1 in epoch 2",
        {"append_in_order": "retentions > 0"},
    ),
    "t8_fetch_below_start.kip-320-2.8": Shows(
        "append_in_order", {}, ("from 1: 0b|", "from 1: 0b|"), "a@0 b@1 in epoch 2"
    ),
    "r12_epoch_0.kip-320": Shows(
        "no_committed_data_loss", {"weak_isr": 7, "strong_isr": 7, "isr_reaches_high_watermark": 7, "no_committed_data_loss": 10},
        ("|", "0a|"), "a@0 in epoch 0",
        dict.fromkeys(
            ("weak_isr", "strong_isr", "isr_reaches_high_watermark", "no_committed_data_loss"), "a crash and a lost epoch file"
        ),
    ),
    "l1_replaced_controller.high-watermark": Shows("follower_joins", {"single_controller_strict": 5}, ("|", "|"), "nothing"),
    "exchanged_directory.kip-320-2.8": Shows("follower_joins", {}, ("from 1: |", "0a|"), "a@0 in epoch 0"),
    "removed_request.kip-320-2.8.0": Shows("follower_joins", {}, ("0a|", "0a|"), "a@0 in epoch 1"),
    "departed_member.kip-320-2.5.0": Shows(
        "strong_isr", dict.fromkeys(DEPARTED, 9), ("|", "2a|"), "a@0 in epoch 2", dict.fromkeys(DEPARTED, "a move"),
    ),
    "departed_member.kip-320-2.8": Shows(
        "no_committed_data_loss",
        {**dict.fromkeys((*LOST_IN_A_MOVE, "single_committable_leader_strict"), 15), "single_controller_strict": 9},
        ("|", "2a|"), "a@0 in epoch 2",
        dict.fromkeys(LOST_IN_A_MOVE, "a move, and another controller"),
    ),
    "removed_request.kip-320-2.8": Shows("follower_joins", {}, ("0a|", "0a|"), "a@0 in epoch 1"),
    "refused_from_behind.kip-320-2.8": Shows(
        "follower_can_join", {"single_controller_strict": 2}, ("|0a", "|0a", "|0a"), "nothing"
    ),
    "remembered_command.high-watermark": Shows("follower_joins", {}, ("|", "|"), "nothing"),
    "fetcher_of_all.kip-101": Shows("follower_joins", {"append_in_order": 14}, (), ""),
    "uncommitted_isr.kip-320-2.8.0": Shows("replicated_records_commit", {}, ("|0a", "|"), "nothing"),
    "shown_before_cut.kip-320-2.8": Shows(
        "followers_show_committed", {"followers_show_committed": 8, "log_prefix_convergence": 8}, ("1a|", "0b|"),
        "a@0 in epoch 1", {"log_prefix_convergence": "follower_reads = 1"},
    ),
    "start_beyond_records.kip-101": Shows(
        "append_in_order", {"append_in_order": 8}, ("from 2: |", "0a|"), "a@0 b@1 in epoch 0",
    ),
    "anew_below_start.kip-320-2.2": Shows(
        "leader_hw_in_log", {"leader_hw_in_log": 8}, ("from 1: |", "from 1: |"), "a@0 in epoch 0",
        {"leader_hw_in_log": "the high watermark is cut as in 2.4.0"},
    ),
    "cannot_cut.kip-101": Shows(
        "append_in_order", {"leader_hw_in_log": 8, "append_in_order": 16}, ("from 1: |", "from 1: |"), "a@0 in epoch 0",
    ),
    "end_of_no_epoch.kip-101": Shows(
        "no_committed_data_loss",
        {
            "log_prefix_convergence": 9, "weak_isr": 10, "strong_isr": 10, "committed_records_stay_readable": 12,
            "no_committed_data_loss": 13,
        },
        ("1b|", "0a|"), "b@0 in epoch 1",
    ),
    "led_epochs.kip-320-2.1.1": Shows(
        "older_records_stay",
        dict.fromkeys(("older_records_stay", "weak_isr", "strong_isr", "isr_reaches_high_watermark", "hw_within_log"), 22),
        ("(high watermark 1, beyond its end)", "1a|", "1a|"), "a@0 in epoch 1",
        {"older_records_stay": "led_epochs = cached, as in 2.1.0"},
    ),
    "taken_before_cut.kip-320-2.1.1": Shows("follower_can_join", {}, (), ""),
    "uncommitted_deleted.kip-101": Shows(
        "deleted_records_were_committed",
        {"weak_isr": 2, "strong_isr": 2, "isr_reaches_high_watermark": 2, "deleted_records_were_committed": 2},
        ("from 1: |", "from 1: |"), "nothing",
        {"deleted_records_were_committed": "retention_limit = log-end"},
    ),
    "forgotten_end.kip-320-2.2": Shows("known_ends_stay", {"known_ends_stay": 8}, ("0a|", "0a|", "|"), "a@0 in epoch 1"),
    "thrown_away.high-watermark": Shows(
        "shared_records_stay",
        {
            "strong_isr": 5, "isr_reaches_high_watermark": 5, "log_prefix_convergence": 11, "shared_records_stay": 14,
            "hw_within_log": 14,
        },
        ("(high watermark 2, beyond its end)", "0a 1c|"), "a@0 c@1 in epoch 1",
        dict.fromkeys(("shared_records_stay", "hw_within_log"), "fetch_beyond_end = cut-or-thrown-away"),
    ),
    "exit_beyond_end.kip-279": Shows("no_broker_exits", {"no_broker_exits": 13}, ("|", "|", "|0a"), "nothing"),
    "empty_isr.kip-101": Shows(
        "isr_never_empty", {"isr_never_empty": 10}, ("|1a", "|"), "nothing",
        {"isr_never_empty": "more faults than brokers, and unclean elections"},
    ),
    "empty_isr.kip-279": Shows("isr_never_empty", {}, ("1a|", "|"), "a@0 in epoch 1"),
    **{
        f"dead_leader_stays.{revision}": Shows("lost_broker_leads_nothing", {}, ("|0a", "|0a"), "a@0 in epoch 0")
        for revision in ("kip-320-2.2", "kip-320-2.5.0")
    },
    "unknown_leader.high-watermark": Shows("follower_joins", {}, ("0a|", "|0a"), "a@0 in epoch 0"),
    "late_registration.kip-320-2.5.0": Shows("follower_joins", {}, ("0a|", "0a|"), "a@0 in epoch 0"),
    "late_registration.kip-320-2.8": Shows("follower_joins", {}, ("0a|", "0a|"), "a@0 in epoch 0"),
    "r6_unnoticed_restart.kip-320": Shows("leader_serves_again", {}, ("|0a", "0a|"), "a@0 in epoch 0"),
    "r6_unnoticed_restart.kip-320-2.8": Shows("leader_serves_again", {}, ("|0a", "0a|"), "a@0 in epoch 0"),
    "r6_command_sent_again.kip-320": Shows(
        "no_committed_data_loss",
        dict.fromkeys((*LED_AGAIN, "single_committable_leader_strict"), 16), ("|", "1a|"), "a@0 in epoch 1",
        dict.fromkeys(LED_AGAIN, "start_up = told, and broker_epochs = 0"),
    ),
    "r6_command_sent_again.kip-320-2.8": Shows("no_committed_data_loss", {}, ("|", "|1a"), "nothing"),
    "q14_deleted_records_come_back.v3": Shows(
        "recreated_topics_begin_empty",
        {
            "deleted_records_are_gone": 12, "log_prefix_convergence": 15, "recreated_topics_begin_empty": 16, "weak_isr": 18,
            "strong_isr": 18,
        },
        ("0b|", "0a|"), "b@0 in epoch 0",
    ),
    "q14_moved_away.kip-320-2.5.0": Shows(
        "recreated_topics_begin_empty", {"deleted_records_are_gone": 20, "recreated_topics_begin_empty": 23}, ("0a|",),
        "a@0 in epoch 0",
    ),
    "q14_confirmed_deletion.v3": Shows("recreated_topics_begin_empty", {}, ("|0b", "|0b"), "nothing"),
    "m3_rolling_restart.kip-320": Shows(
        "shutdown_keeps_leaders", {"shutdown_keeps_leaders": 12}, ("1a|", "1a|"), "a@0 in epoch 1",
        {"shutdown_keeps_leaders": "controlled_shutdowns = 2, and start_up is not told"},
    ),
    "m6_stop_in_dead_queue.v3": Shows(
        "strong_isr", {"strong_isr": 21, "isr_reaches_high_watermark": 21}, ("0b|", "no replica"), "b@0 in epoch 0",
    ),
    "m7_announced_too_early.kip-320": Shows("client_is_sent_too_early", {}, ("|0a", "|"), "nothing", witnessed=6),
    "h1_request_first.v3": Shows(
        "committed_records_stay_readable",
        {"isr_within_assignment": 6, "single_controller_strict": 8, "committed_records_stay_readable": 10},
        (), "a@0 in epoch 0", {"isr_within_assignment": "partition_additions > 0, and V3's order of writes"},
    ),
    "h1_topic_first.v3": Shows(
        "committed_records_stay_readable", {"single_controller_strict": 8}, ("0a|",), "a@0 in epoch 0"
    ),
    "reassignment_by_v3.kip-320": Shows(
        "leader_none_or_in_isr", {"leader_none_or_in_isr": 8}, ("0a|",), "a@0 in epoch 0",
        {"leader_none_or_in_isr": "reassignment = v3"},
    ),
    "reassignment_moves_leader.kip-320": Shows("moves_to_other_brokers", {}, ("0a|",), "a@0 in epoch 0", witnessed=8),
    "reassignment_by_older_text.kip-320": Shows(
        "no_committed_data_loss",
        {"leader_none_or_in_isr": 12, "committed_records_stay_readable": 12, "no_committed_data_loss": 15},
        ("|0a", "|", "|"), "a@0 in epoch 0",
        dict.fromkeys(
            ("leader_none_or_in_isr", "committed_records_stay_readable", "no_committed_data_loss"), "reassignment = v3-older"
        ),
    ),
    "restart_deletes_new_replica.kip-320": Shows(
        "no_committed_data_loss", {"committed_records_stay_readable": 14, "no_committed_data_loss": 15}, ("|", "|", "|"),
        "a@0 in epoch 1", dict.fromkeys(("committed_records_stay_readable", "no_committed_data_loss"), "reassignment = v3"),
    ),
    "r1_lost_answer.kip-320": Shows(
        "no_committed_data_loss", {"strong_isr": 14, "isr_reaches_high_watermark": 14, "no_committed_data_loss": 16},
        ("0a|", "0a 0b|"), "a@0 b@1 in epoch 0",
        dict.fromkeys(("strong_isr", "isr_reaches_high_watermark", "no_committed_data_loss"), "an answer of the store is lost"),
    ),
    "r1_lost_answer.kip-320-2.8": Shows("no_committed_data_loss", {}, ("0a|", "0a|0b"), "a@0 in epoch 0"),
    "late_command_after_stop_replica.kip-320": Shows(
        "no_committed_data_loss",
        {
            "single_controller_strict": 3, "strong_isr": 12, "isr_reaches_high_watermark": 12,
            "committed_records_stay_readable": 12, "no_committed_data_loss": 13,
        },
        ("0a|", "|"), "a@0 in epoch 0",
        dict.fromkeys(
            ("strong_isr", "isr_reaches_high_watermark", "committed_records_stay_readable", "no_committed_data_loss"),
            "a replaced controller writes on",
        ),
    ),
    "late_command_after_restart.kip-320": Shows(
        "log_prefix_convergence", {"log_prefix_convergence": 19}, ("|", "|", "|1a"), "nothing",
        {"log_prefix_convergence": "a reassignment, and broker_epochs = 0"},
    ),
    "acks_leader_loses_data.kip-320": Shows(
        "acknowledged_records_survive", {"acknowledged_records_survive": 6}, ("|0a", "|"), "nothing"
    ),
    "acks_all_keeps_data.kip-320": Shows("no_committed_data_loss", {}, ("|0a", "0a|"), "a@0 in epoch 0"),
    "a2_clean_election.high-watermark": Shows(
        "no_committed_data_loss", {}, ("|0a", "|0a", "|0a", "|", "|"), "a@0 in epoch 0"
    ),
    "a3_unclean_election.high-watermark": Shows(
        "unclean_election_loses_data", {}, ("|0a", "|0a", "|0a", "|", "|"), "nothing", witnessed=18
    ),
    "a3_offline.high-watermark": Shows(
        "no_committed_data_loss", {}, ("|0a", "0a|", "|0a", "|", "|"), "a@0 in epoch 0"
    ),
    "preferred_election.v3.5": Shows(
        "leader_candidate_completeness", {"leader_candidate_completeness": 14}, ("1a|", "|", "|"), "a@0 in epoch 1",
        {"leader_candidate_completeness": "a preferred election"},
    ),
    "q18_split_brain.v1": Shows(
        "one_leader_takes_new_writes", {"single_leader": 3, "leader_in_isr": 5, "one_leader_takes_new_writes": 7}, (), ""
    ),
    "q18_lost_watch.v1": Shows("leader_serves_again", {}, (), ""),
    "q17_stale_request.v2": Shows("leader_can_serve", {"single_leader": 3}, (), ""),
}  # fmt: skip


KRAFT = {
    "one_delta.4.4": Shows(
        "no_committed_data_loss",
        {"weak_isr": 9, "strong_isr": 9, "isr_reaches_high_watermark": 9, "no_committed_data_loss": 11},
        ("|", "0a|", "|"),
        "a@0 in epoch 2",
        dict.fromkeys(("no_committed_data_loss",), "two brokers are fenced, epochs to 3"),
    ),
    "one_delta.3.2": Shows(
        "no_committed_data_loss",
        {"weak_isr": 9, "strong_isr": 9, "isr_reaches_high_watermark": 9, "no_committed_data_loss": 11},
        ("|", "0a|", "|"),
        "a@0 in epoch 2",
        dict.fromkeys(("no_committed_data_loss",), "two brokers are fenced, epochs to 3"),
    ),
    "one_delta_repaired.4.4": Shows("no_committed_data_loss", {}, ("|", "|0a", "|"), "nothing"),
    "fenced_joins.3.2": Shows(
        "inactive_brokers_are_in_no_isr",
        {"epochs_begin_with_leaders": 1, "inactive_brokers_are_in_no_isr": 5},
        ("|", "|"),
        "nothing",
    ),
    "epoch_after_shrink.3.5": Shows("epochs_begin_with_leaders", {"epochs_begin_with_leaders": 3}, ("|0a", "|"), "nothing"),
    "last_replica.4.0": Shows(
        "no_committed_data_loss",
        {"no_committed_data_loss": 11},
        ("|", "0a|"),
        "a@0 in epoch 0",
        dict.fromkeys(("no_committed_data_loss",), "a power loss"),
    ),
    "last_replica.4.4": Shows("no_committed_data_loss", {}, ("|", "0a|"), "a@0 in epoch 0"),
    "unclean_eligible.3.9": Shows(
        "no_committed_data_loss",
        {"no_committed_data_loss": 11},
        ("|", "0a|"),
        "a@0 in epoch 0",
        dict.fromkeys(("no_committed_data_loss",), "a power loss, and a setting that was off"),
    ),
    "commits_below_min_isr.3.6": Shows(
        "eligible_replicas_have_committed",
        {"eligible_replicas_have_committed": 3},
        ("0a|", "|"),
        "a@0 in epoch 0",
        dict.fromkeys(("eligible_replicas_have_committed",), "a setting that was off"),
    ),
    "fenced_leader.4.0": Shows(
        "given_leaders_can_lead",
        {"given_leaders_can_lead": 6, "inactive_brokers_are_in_no_isr": 6},
        ("|", "|"),
        "nothing",
        dict.fromkeys(("given_leaders_can_lead", "inactive_brokers_are_in_no_isr"), "two crashes, and a setting that was off"),
    ),
    "rebooted_follower.3.3": Shows(
        "strong_isr",
        {"epochs_begin_with_leaders": 3, "strong_isr": 14, "isr_reaches_high_watermark": 14},
        ("0a|", "|"),
        "a@0 in epoch 1",
    ),
    "rebooted_follower.3.5": Shows("strong_isr", {"epochs_begin_with_leaders": 3}, ("0a|", "|"), "a@0 in epoch 1"),
    "forgotten_request.4.4": Shows(
        "strong_isr", {"strong_isr": 9, "isr_reaches_high_watermark": 9}, ("0a 0b|", "0a|"), "a@0 b@1 in epoch 0"
    ),
    "unclean_eligible.4.0": Shows("no_committed_data_loss", {}, ("|", "0a|"), "a@0 in epoch 0"),
    "late_refusal.3.7": Shows(
        "no_committed_data_loss",
        {"weak_isr": 33, "strong_isr": 33, "isr_reaches_high_watermark": 33, "no_committed_data_loss": 36},
        ("0a|", "0a|", "|"),
        "a@0 in epoch 2",
        dict.fromkeys(("no_committed_data_loss",), "fetch = in-flight"),
    ),
    "shown_uncommitted.3.3": Shows(
        "followers_show_committed",
        {"epochs_begin_with_leaders": 7, "log_prefix_convergence": 10, "followers_show_committed": 10},
        ("1a|", "0b|"),
        "a@0 in epoch 2",
        dict.fromkeys(("log_prefix_convergence", "followers_show_committed"), "two records"),
    ),
    "early_registration.3.9": Shows(
        "no_committed_data_loss",
        {
            **dict.fromkeys(("given_leaders_can_lead", "inactive_brokers_are_in_no_isr", "no_committed_data_loss"), 5),
        },
        ("|", "0a|"),
        "a@0 in epoch 0",
        dict.fromkeys(
            ("given_leaders_can_lead", "inactive_brokers_are_in_no_isr", "no_committed_data_loss"),
            "a power loss, and a broker that registers before it is fenced",
        ),
    ),
    "early_registration_repaired.4.0": Shows("no_committed_data_loss", {}, ("|", "0a|"), "a@0 in epoch 0"),
    "fast_failover.4.4": Shows("log_prefix_convergence", {}, S1_CONVERGED, S1),
    "unclean_failovers.4.4": Shows("log_prefix_convergence", {}, ("2b 6d|", "2b 6d|"), "b@0 d@1 in epoch 6"),
    "follower_restarts.3.9": Shows(
        "no_committed_data_loss", {"inactive_brokers_are_in_no_isr": 8}, ("0a 0b|", "0a 0b|"), "a@0 b@1 in epoch 0",
        {"inactive_brokers_are_in_no_isr": "a registration before the fencing"},
    ),
    "follower_restarts.4.4": Shows("no_committed_data_loss", {}, ("0a 0b|", "0a 0b|"), "a@0 b@1 in epoch 0"),
    "earlier_leader.4.4": Shows(
        "no_committed_data_loss", {"no_committed_data_loss": 27}, ("|3a", "|"), "a@0 in epoch 3",
        {"no_committed_data_loss": "a feature level changes twice"},
    ),
    "zombie_leader.4.4": Shows("no_committed_data_loss", {}, ("1b|", "1b|", "1b|"), "b@0 in epoch 1"),
    "stale_leader.4.4": Shows("no_committed_data_loss", {}, ("|", "2b|", "2b|"), "b@0 in epoch 2"),
    "lost_suffix.4.4": Shows(
        "no_committed_data_loss", {"no_committed_data_loss": 11}, ("|", "|"), "a@0 in epoch 0",
        {"no_committed_data_loss": "two crashes, one of them a power loss"},
    ),
    "cancelled_move.4.1": Shows(
        "no_committed_data_loss",
        {
            "eligible_replicas_are_replicas": 10,
            "eligible_replicas_have_committed": 12,
            "strong_isr": 16,
            "isr_reaches_high_watermark": 16,
            "no_committed_data_loss": 17,
        },
        ("0a|", "|", "|"),
        "a@0 in epoch 0",
        dict.fromkeys(REMOVED, "two reassignments, of which one is cancelled"),
    ),
    "removed_eligible.4.4": Shows(
        "no_committed_data_loss",
        {
            "eligible_replicas_are_replicas": 11,
            "eligible_replicas_have_committed": 13,
            "strong_isr": 16,
            "isr_reaches_high_watermark": 16,
            "no_committed_data_loss": 17,
        },
        ("|", "0a|", "0a|"),
        "a@0 in epoch 0",
        dict.fromkeys(REMOVED, "two reassignments"),
    ),
    "removed_eligible_repaired.4.4": Shows("no_committed_data_loss", {}, ("no replica", "0a|", "0a|"), "a@0 in epoch 0"),
    "changed_min_isr.3.9": Shows(
        "no_committed_data_loss",
        {"eligible_replicas_have_committed": 5, "strong_isr": 8, "isr_reaches_high_watermark": 8, "no_committed_data_loss": 9},
        ("0a|", "|"),
        "a@0 in epoch 0",
        dict.fromkeys(("eligible_replicas_have_committed", "no_committed_data_loss"), CHANGED),
    ),
    "changed_min_isr_repaired.4.4": Shows("no_committed_data_loss", {}, ("0a|", "|"), "a@0 in epoch 0"),
    "raised_min_isr.4.4": Shows(
        "no_committed_data_loss",
        {"eligible_replicas_have_committed": 5, "strong_isr": 7, "isr_reaches_high_watermark": 7, "no_committed_data_loss": 8},
        ("0a|", "|"),
        "a@0 in epoch 0",
        dict.fromkeys(("eligible_replicas_have_committed", "no_committed_data_loss"), CHANGED),
    ),
    "offline_min_isr.4.4": Shows(
        "someone_can_be_elected", {"someone_can_be_elected": 6}, ("|", "|"), "nothing", {"someone_can_be_elected": CHANGED}
    ),
    "eligible_when_off.4.4": Shows(
        "no_committed_data_loss",
        {"eligible_replicas_have_committed": 6, "strong_isr": 9, "isr_reaches_high_watermark": 9, "no_committed_data_loss": 10},
        ("0a|", "|"),
        "a@0 in epoch 0",
        dict.fromkeys(("eligible_replicas_have_committed", "no_committed_data_loss"), CHANGED),
    ),
    "move.4.4": Shows("moves_to_other_brokers", {}, ("0a|",), "a@0 in epoch 0", witnessed=7),
    "older_news.3.2": Shows(
        "strong_isr",
        {
            "epochs_begin_with_leaders": 3,
            "inactive_brokers_are_in_no_isr": 10,
            "strong_isr": 18,
            "isr_reaches_high_watermark": 18,
        },
        ("|2b", "|", "2b|"),
        "b@0 in epoch 2",
    ),
}
GOLDEN |= KRAFT
