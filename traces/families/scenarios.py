"""The golden scenarios by their names: those of their files, and those by which the world knows them.

A scenario is a story of the design documents; `golden/` has a file for each revision under which it is shown, the one that
breaks first. `KAFKA-6361`, `S1`, `s1_silent_divergence` and `s1_silent_divergence.kip-279` all name a trace.
"""

import atexit
import difflib
import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ...model.language.errors import UsageError
from ...model.registry import PROTOCOLS
from ..text import read_file
from ..trace import Trace


def unpacked() -> Path:
    """The folder of the golden traces; a copy, until the process ends, where the package is in an archive such as a wheel."""
    there = Path(__file__).parents[1] / "golden"
    archive = next((path for path in there.parents if path.is_file()), None)
    if archive is None:
        return there
    folder = Path(tempfile.mkdtemp(prefix="highwater-golden-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with zipfile.ZipFile(archive) as members:
        for name in members.namelist():
            if name.endswith(".trace") and "/traces/golden/" in name:
                (folder / Path(name).name).write_bytes(members.read(name))
    return folder


FOLDER = unpacked()

KNOWN_AS: dict[str, tuple[str, ...]] = {
    "s1_silent_divergence": ("S1", "KAFKA-6361", "KIP-279 scenario 1"),
    "s1_out_of_order_append": ("S1", "KAFKA-6361", "KIP-279 scenario 1"),
    "s1_clean_truncation": ("S1", "KAFKA-6361", "KIP-279 scenario 1"),
    "s2_unclean_failovers": ("S2", "KIP-279 scenario 3"),
    "s2_checkpointed_high_watermark": ("S2",),
    "s2_last_cut": ("S2 in Kafka 2.0.0",),
    "t2_leader_end": ("T2 in Kafka 2.0.0",),
    "s3_truncation_loses_data": ("S3", "KIP-101 scenario 1", "KIP-279 scenario 2", "KAFKA-1211"),
    "s4_lost_suffix": ("S4", "KIP-101 scenario 2"),
    "s5_zombie_leader": ("S5", "Q1"),
    "s6_stale_leader_answers": ("S6", "KAFKA-6880"),
    "zombie_commits_what_all_have": ("Q1, read strictly",),
    "new_leader_admits_follower": ("KAFKA-7128",),
    "first_try_stale_leader": ("KIP-320, first try",),
    "t7_fetch_session": ("KAFKA-9338",),
    "late_command_after_restart": ("KIP-380",),
    "late_command_after_stop_replica": ("KAFKA-6082",),
    "a2_clean_election": ("A2",),
    "a3_unclean_election": ("A3",),
    "a3_offline": ("A4",),
    "acks_leader_loses_data": ("G6",),
    "acks_all_keeps_data": ("G6",),
    "reassignment_by_older_text": ("F4",),
    "reassignment_by_v3": ("F2",),
    "restart_deletes_new_replica": ("E2",),
    "l1_replaced_controller": ("L1", "KAFKA-2729"),
    "r6_unnoticed_restart": ("KAFKA-1120",),
    "r6_command_sent_again": ("KIP-380, a command sent again", "KAFKA-7235"),
    "r1_lost_answer": ("KIP-497", "KAFKA-8836"),
    "q18_split_brain": ("Q18",),
    "q18_lost_watch": ("V1 loses a watch",),
    "q17_stale_request": ("V2 obeys a stale request",),
    "t3_two_requests": ("T3", "KIP-279 alternative 1"),
    "t4_one_request": ("T4", "KIP-279 alternative 2"),
    "t5_persisted_at_leader_change": ("T5",),
    "t6_old_leader_leaves": ("T6",),
    "t8_compacted_epoch": ("M9",),
    "m9_uncommitted_value": ("M9, several keys", "KAFKA-13194"),
    "t8_cut_below_start": ("T8", "KAFKA-7415"),
    "t8_deleted_epoch": ("T8 after KAFKA-7415",),
    "t8_start_within_batch": ("KAFKA-6975",),
    "m3_rolling_restart": ("M3",),
    "m6_stop_in_dead_queue": ("M6",),
    "m7_announced_too_early": ("M7",),
    "t9_new_request_is_refused": ("T9",),
    "t7_counted_fetch": ("KAFKA-13141",),
    "t7_late_truncation": ("KAFKA-13207",),
    "t8_fetch_below_start": ("KAFKA-12996",),
    "t2_earlier_answer": ("KAFKA-7786",),
    "r9_follows_on": ("R9", "KAFKA-7164"),
    "r3_leader_again": ("R3", "KAFKA-2721"),
    "r12_epoch_0": ("R12", "KAFKA-10432"),
    "last_replica_standing": ("KIP-966", "KAFKA-15495"),
    "earlier_refusal": ("KAFKA-18991",),
    "exchanged_directory": ("N2", "KAFKA-15608"),
    "moved_directory": ("KAFKA-20961", "N2, under KRaft"),
    "shown_before_cut": ("N11", "KAFKA-14704", "KIP-392"),
    "start_beyond_records": ("KAFKA-7104",),
    "anew_below_start": ("KAFKA-9491",),
    "cannot_cut": ("KAFKA-3978", "N14"),
    "end_of_no_epoch": ("KAFKA-6857", "N4"),
    "led_epochs": ("KAFKA-7897",),
    "taken_before_cut": ("KAFKA-8012",),
    "uncommitted_deleted": ("KAFKA-5634",),
    "forgotten_end": ("KAFKA-8400",),
    "thrown_away": ("N5", "KAFKA-2143", "KAFKA-2477"),
    "exit_beyond_end": ("KAFKA-7414", "KAFKA-3410", "KAFKA-3924", "KAFKA-4039"),
    "empty_isr": ("N10", "KAFKA-5083"),
    "earlier_records": ("KAFKA-18991, with records",),
    "dead_leader_stays": ("KAFKA-3143", "N9, a leader that died before"),
    "unknown_leader": ("KAFKA-4443", "N9"),
    "late_registration": ("N3", "KAFKA-9839"),
    "n1_outlived_fetch": ("KAFKA-15221", "KAFKA-14617", "N1"),
    "removed_request": ("KAFKA-12686",),
    "answered_for_another": ("KAFKA-2960", "KAFKA-1148"),
    "late_produce": ("N8, a produce request",),
    "departed_member": ("KAFKA-9672", "N6"),
    "refused_from_behind": ("KAFKA-14154",),
    "remembered_command": ("KAFKA-9769", "N8"),
    "fetcher_of_all": ("KAFKA-8346", "KIP-461"),
    "uncommitted_isr": ("KAFKA-13091", "N12"),
    "dead_joins": ("KAFKA-14140",),
    "cancelled_leader": ("KAFKA-14424",),
    "stale_join": ("KAFKA-14139", "KIP-903"),
    "q14_deleted_records_come_back": ("Q14", "KAFKA-330"),
    "q20_truncation_repeats": ("KAFKA-10706",),
    "one_delta": ("KR1",),
    "leaving_leader": ("KAFKA-13944",),
    "fenced_joins": ("KAFKA-13916", "KIP-841"),
    "rebooted_follower": ("KAFKA-14139, under KRaft", "KIP-903, under KRaft"),
    "epoch_after_shrink": ("KAFKA-15021",),
    "commits_below_min_isr": ("KAFKA-15583",),
    "last_replica": ("KIP-966, under KRaft",),
    "unclean_eligible": ("KAFKA-18635", "KAFKA-15586"),
    "fenced_leader": ("KAFKA-19522",),
    "late_refusal": ("KAFKA-18991, under KRaft",),
    "shown_uncommitted": ("KAFKA-14704, under KRaft",),
    "unregistered_fetch": ("KIP-903, its gap",),
    "forgotten_request": ("KR4",),
    "older_news": ("KAFKA-13790",),
    "early_registration": ("KAFKA-18106",),
    "removed_eligible": ("KR7",),
    "changed_min_isr": ("KAFKA-16540",),
    "raised_min_isr": ("KR5",),
    "fast_failover": ("S1, under KRaft",),
    "unclean_failovers": ("S2, under KRaft",),
    "follower_restarts": ("S3, under KRaft",),
    "lost_suffix": ("S4, under KRaft",),
    "zombie_leader": ("S5, under KRaft",),
    "stale_leader": ("S6, under KRaft",),
    "earlier_leader": ("KR3",),
    "reported_directory": ("KIP-858",),
    "stray_replica": ("KAFKA-14616",),
    "abandoned_copy": ("KR7, a copy that is behind",),
    "cancelled_move": ("KR7, cancelled",),
    "move": ("KR7, a reassignment",),
}
"""What a scenario is called elsewhere: by the table of requirements, Kafka's issues, KIPs. Of several, the first is meant."""


SEARCHES: dict[str, tuple[str, dict[str, int]]] = {
    "r3_leader_again": ("weak_isr", {"controller_changes": 1, "log_size": 1, "max_records": 1})
}
"""For a scenario whose trace has another design, to be short: a property and sizes at which a search finds the same."""


class Story(NamedTuple):
    """One story. `traces`: by revision, in the order of the model's revisions."""

    name: str
    known_as: tuple[str, ...]
    traces: dict[str, Trace]

    @property
    def story(self) -> str:
        """The first sentence of the first trace's comment."""
        return self.story_of(next(iter(self.traces)))

    def story_of(self, revision: str) -> str:
        """The first sentence of a trace's comment."""
        comment = " ".join(self.traces[revision].comment)
        return re.split(r"(?<=[.])\s", comment, maxsplit=1)[0]


@cache
def scenarios() -> dict[str, Story]:
    """Every golden scenario, by name: in the order of `KNOWN_AS`, then by the alphabet."""
    files = sorted(path.name.removesuffix(".trace") for path in FOLDER.glob("*.trace"))
    place = {name: number for number, name in enumerate(KNOWN_AS)}
    files.sort(key=lambda file: place.get(file.partition(".")[0], len(place)))
    revisions = {model.name: list(model.revisions) for model in PROTOCOLS}
    out: dict[str, Story] = {}
    for name in dict.fromkeys(file.partition(".")[0] for file in files):
        told = [read_file(str(FOLDER / f"{file}.trace")) for file in files if file.partition(".")[0] == name]
        order = revisions[told[0].model]
        traces = {trace.revision: trace for trace in sorted(told, key=lambda trace: order.index(trace.revision))}
        out[name] = Story(name, KNOWN_AS.get(name, ()), traces)
    return out


def names_of(scenario: Story) -> Iterator[str]:
    """Every name of a scenario's traces: those without a revision mean the first."""
    yield from (f"{scenario.name}.{revision}" for revision in scenario.traces)
    yield scenario.name
    yield from scenario.known_as


def plain(name: str) -> str:
    """A name as it is compared: `kafka 6361` and `KAFKA-6361` are the same."""
    return re.sub(r"[^a-z0-9.]+", "-", name.lower().removesuffix(".trace")).strip("-")


def path_of(name: str) -> str:
    """The file that someone means: one that is there, else the golden trace of this name; UsageError when there is neither."""
    if os.path.lexists(name) or os.sep in name or "\0" in name:
        return name
    known: dict[str, str] = {}
    spelled: dict[str, str] = {}
    for scenario in scenarios().values():
        first = next(iter(scenario.traces))
        for item in names_of(scenario):
            revision = item.removeprefix(f"{scenario.name}.") if item.startswith(f"{scenario.name}.") else first
            known.setdefault(plain(item), str(FOLDER / f"{scenario.name}.{revision}.trace"))
            spelled.setdefault(plain(item), item)
    if plain(name) in known:
        return known[plain(name)]
    near = difflib.get_close_matches(plain(name), known, 1)
    better = f"did you mean {spelled[near[0]]}?" if near else "see highwater list scenarios"
    if re.fullmatch(r"(KAFKA|KIP)-\d+", name):  # another number is another bug
        better = f"highwater where {name} says what the model has of it"
    raise UsageError(f"{name[:80]!r} cannot be read: there is no such file, and no such scenario; {better}")
