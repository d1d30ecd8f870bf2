"""Real brokers do what the documents say that they do: `pytest -m brokers`.

A release whose jars are neither in the cache nor to be had by mvn is skipped, and says so.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("kafka")

from highwater.explorer.command_line import main
from highwater.properties.registry import KAFKA
from highwater.properties.registry import KRAFT as FAMILY
from highwater.traces.brokers.perform import perform
from highwater.traces.brokers.releases import KRAFT, RELEASES, release_named
from highwater.traces.brokers.runs import cluster_of, reason_of, renew, take_walks
from highwater.traces.brokers.walks import described_by, sizes
from highwater.traces.text import read_file
from support.brokers import GOLDEN, OWN, logs, performed, source

pytestmark = pytest.mark.brokers


def test_s1_on_1_0_an_append_fails_and_logs_differ():
    names = ("s1_silent_divergence", "s1_out_of_order_append")
    silent, failing = performed("1.0.2", *(GOLDEN / f"{name}.kip-101.trace" for name in names))
    assert silent.ran == 18 and not silent.differences and logs(silent) == ["0a 0a 1c 1c 2d 2d", "0a 0a 0b 0b 2d 2d"]
    assert failing.ran == 18 and not failing.differences and logs(failing) == ["0a 0a 1c", "0a 0a 0b 0b 2d 2d"]


def test_s1_on_1_0_the_third_case_leaves_a_hole():
    (done,) = performed("1.0.2", GOLDEN / "s1_clean_truncation.kip-101.trace", go_on=True)
    assert done.ran == 19 and logs(done) == ["0a 0a - - 2d 2d", "0a 0a 0b 0b 2d 2d"]
    assert ("fetches from 2", "fetches from 4") in [(d.model, d.broker) for d in done.differences]


def test_s1_on_2_0_ends_in_equal_logs():
    names = ("s1_silent_divergence", "s1_out_of_order_append", "s1_clean_truncation")
    for done in performed("2.0.1", *(GOLDEN / f"{name}.kip-279.trace" for name in names)):
        assert done.ran == 19 and not done.differences and logs(done) == ["0a 0a 0b 0b 2d 2d"] * 2


SCRIPTS = {
    "real_kraft": ("4.4.0", "4.4.0 --by pauses", "4.4.0 --control none-held", "4.4.0 --control each-epoch"),
    "real_late_count": ("3.9.1", "4.4.0"),
    "real_late_produce": ("4.4.0", "3.9.1", "4.4.0 --control"),
    "real_last_replica": ("4.4.0", "4.4.0 --elr off", "4.4.0 --min-isr 1"),
    "real_removed_eligible": ("4.4.0", "4.1.1", "4.4.0 --elr off", "4.4.0 --control"),
    "real_reported_directory": ("4.2.1", "4.4.0", "4.2.1 --control"),
    "real_abandoned_copy": ("4.4.0", "4.4.0 --control"),
    "real_unregistered": ("4.4.0", "3.9.1"),
    "real_min_isr": ("4.4.0 raised", "4.4.0 offline", "4.4.0 off", "4.4.0 raised --control"),
    "real_departed": ("3.9.1", "1.0.2", "3.9.1 --control"),
}


@pytest.mark.parametrize(("script", "arguments"), [(script, more) for script, every in SCRIPTS.items() for more in every])
def test_kafkas_own_controller_does_what_the_script_says(script, arguments):
    release, *more = arguments.split()
    source(release)
    command = [sys.executable, str(Path(__file__).with_name(f"{script}.py")), release, *more]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.parametrize("release", [r.name for r in KRAFT])
def test_a_leader_that_is_elected_again_under_kraft_does_as_the_model_says(release):
    lost, repaired = (GOLDEN / f"leader_elected_again{more}.kip-500.trace" for more in ("", "_repaired"))
    with cluster_of(source(release), 3, kraft=True) as cluster:
        first = perform(read_file(str(lost)), KAFKA, cluster)
        renew(cluster, first)
        second = perform(read_file(str(repaired)), KAFKA, cluster)
    assert (first.ran, first.differences, first.acknowledged) == (18, [], {1: 0})
    assert second.ran == 12 and ("0", "1") in [(d.model, d.broker) for d in second.differences]


@pytest.mark.parametrize("release", ["3.9.1", *(r.name for r in KRAFT)])
def test_two_changes_of_the_metadata_as_one_delta_lose_a_record(release, tmp_path):
    """The family's trace, and what it leaves; with the repair the model differs."""
    chosen, kept = source(release), str(tmp_path / "kept")
    revision = described_by(FAMILY, chosen.release)[0]
    lost, repaired = (read_file(str(GOLDEN / f"one_delta{more}.4.4.trace")).under(revision) for more in ("", "_repaired"))
    with cluster_of(chosen, 3, kept, kraft=True) as cluster:
        first = perform(lost, FAMILY, cluster)
    assert (first.ran, first.differences, first.acknowledged) == (11, [], {1: 0})
    assert main(["observe", "--release", release, kept]) == 0
    with cluster_of(chosen, 3, kraft=True) as cluster:
        second = perform(repaired, FAMILY, cluster)
    assert second.ran == 8 and ("0", "1") in [(d.model, d.broker) for d in second.differences]


@pytest.mark.parametrize(
    ("release", "name"),
    [("4.4.0", "removed_eligible.4.4"), ("4.1.1", "cancelled_move.4.1"), ("4.4.0", "lost_suffix.4.4"), ("4.4.0", "move.4.4"),
     ("4.4.0", "forgotten_request.4.4"), ("4.4.0", "last_replica.4.4"), ("4.4.0", "rebooted_follower.3.5"),
     ("4.4.0", "shown_uncommitted.3.3"), ("4.0.2", "fenced_leader.4.0"), ("3.9.1", "unclean_eligible.3.9")],
)  # fmt: skip
def test_requests_for_another_isr_registrations_and_power_losses_under_kraft(release, name):
    trace, chosen = read_file(str(GOLDEN / f"{name}.trace")), source(release)
    brokers = FAMILY.configure(trace.revision, **trace.settings).brokers
    with cluster_of(chosen, brokers, kraft=True) as cluster:
        done = perform(trace.under(described_by(FAMILY, chosen.release)[0]), FAMILY, cluster)
    assert (done.ran, done.differences, done.refused) == (len(trace.steps), [], "")


def test_walks_of_the_family_agree():
    chosen = source("4.4.0")
    revision, settings = described_by(FAMILY, chosen.release)
    config = FAMILY.configure(revision, **{**settings, **sizes(FAMILY, 2)})
    with cluster_of(chosen, 2, kraft=True) as cluster:
        tally = take_walks(FAMILY, cluster, config, range(3), 22, lambda *_: None)
    assert (tally.walks, tally.agreed) == (3, 3)


@pytest.mark.parametrize("name", ["zombie_commits_what_all_have", "late_fetch", "s5_zombie_leader"])
def test_a_leader_that_was_replaced_commits_only_what_all_have_under_kraft(name):
    """Twice: the broker that the first run fences is back in the second."""
    trace = read_file(str(OWN / f"{name}.kip-500.trace"))
    with cluster_of(source("4.4.0"), 3, kraft=True) as cluster:
        first = perform(trace, KAFKA, cluster)
        renew(cluster, first)
        second = perform(trace, KAFKA, cluster)
    assert [(done.ran, done.differences) for done in (first, second)] == [(len(trace.steps), [])] * 2


@pytest.mark.parametrize("release", ["0.10.2.2", "3.9.1"])
def test_a_leader_commits_what_a_departed_member_lacks(release):
    trace = read_file(str(GOLDEN / "departed_member.kip-320-2.8.trace")).under(release_named(release).revision)
    with cluster_of(source(release), 2) as cluster:
        done = perform(trace, KAFKA, cluster)
    assert (done.ran, done.differences, done.acknowledged) == (15, [], {1: 0})


def test_kip_279_as_2_0_0_built_it_leaves_logs_different():
    clean, unclean = performed("2.0.0", *(GOLDEN / f"{name}.kip-279.trace" for name in ("t2_leader_end", "s2_last_cut")))
    assert (clean.ran, unclean.ran) == (18, 29) and not clean.differences and not unclean.differences
    assert (logs(clean), logs(unclean)) == (["1b 2c", "0a 2c"], ["0a 3d", "1b 3d"])


def test_s3_loses_data_on_0_10_and_not_on_1_0():
    (old,) = performed("0.10.2", GOLDEN / "s3_truncation_loses_data.high-watermark.trace")
    (new,) = performed("1.0.2", GOLDEN / "s3_truncation_loses_data.kip-101.trace")
    assert not old.differences and not old.refused and not new.differences and not new.refused
    assert logs(old) != logs(new) == ["0a 0b", "0a 0b"]


@pytest.mark.parametrize("release", [r.name for r in RELEASES])
def test_an_acknowledged_record_is_lost_when_a_leader_is_made_leader_again(release):
    own = release_named(release).revision.removesuffix("-2.0.1").removesuffix("-2.1.1")
    trace = OWN / f"leader_again.{own}.trace"
    (done,) = performed(release, trace, brokers=3)
    assert done.ran == len(done.trace.steps) and done.acknowledged == {1: 0}
    assert [log.lstrip("0") for log in logs(done)] == ["nothing", "a", "nothing"]
    assert not done.differences


def test_a_stale_leader_answers_on_2_0_and_is_refused_on_2_1():
    (answers,) = performed("2.0.1", GOLDEN / "s6_stale_leader_answers.kip-279.trace", brokers=3)
    (refuses,) = performed("2.1.1", GOLDEN / "s6_stale_leader_answers.kip-320.trace", brokers=3)
    assert not answers.differences and not refuses.differences
    assert logs(answers)[1:] == ["2b", "0a"] and "0a" not in logs(refuses)


def test_a_fetch_in_another_epoch_is_counted_on_2_1_and_refused_on_2_8():
    """KAFKA-9338: within a fetch session 2.1.1 compares no epoch, and commits what its follower does not have."""
    trace = GOLDEN / "t7_fetch_session.kip-320-2.1.1.trace"
    (counts,) = performed("2.1.1", trace, brokers=3)
    (refuses,) = performed("2.8.2", trace, brokers=3)
    assert not counts.differences and logs(counts) == ["nothing", "2b", "0a"]
    assert refuses.ran < len(refuses.trace.steps)


@pytest.mark.parametrize(
    "release, trace", [("1.0.2", OWN / "exit_beyond_end.kip-101.trace"), ("2.0.0", GOLDEN / "exit_beyond_end.kip-279.trace")]
)
def test_a_broker_ahead_of_its_leader_exits_up_to_2_0_0(release, trace):
    """KAFKA-7414."""
    (exits,) = performed(release, trace, brokers=3)
    assert not exits.differences and "exits with code 1" in exits.passed[-1][-1]


def test_a_broker_ahead_of_its_leader_cuts_its_log_from_2_0_1_on():
    lives, cuts = performed("2.0.1", *(OWN / f"{name}_beyond_end.kip-279-2.0.1.trace" for name in ("exit", "cut")), brokers=3)
    assert (lives.ran, [d.broker for d in lives.differences]) == (12, ["broker 2 does not exit"])
    assert not cuts.differences and logs(cuts) == ["nothing", "2b", "2b"]


def test_a_broker_ignores_a_leader_that_it_does_not_know_as_live():
    """The broker's half of KAFKA-4443."""
    (done,) = performed("1.0.2", OWN / "unknown_leader.kip-101.trace", brokers=2)
    assert not done.differences and not done.refused


@pytest.mark.parametrize("release, revision", [("2.0.1", "kip-279-2.0.1"), ("2.8.2", "kip-320"), ("3.9.1", "kip-320")])
def test_a_fetch_that_outlives_its_sender_takes_an_empty_disk_into_the_isr(release, revision):
    """KAFKA-15221: an acknowledged record is lost."""
    (done,) = performed(release, GOLDEN / f"n1_outlived_fetch.{revision}.trace", brokers=2)
    assert not done.differences and done.acknowledged == {1: 0} and logs(done) == ["0a", "nothing"]


def test_what_differs_is_named_with_the_step():
    (done,) = performed("2.0.1", GOLDEN / "s2_checkpointed_high_watermark.kip-279.trace", brokers=2)
    assert (done.ran, reason_of(release_named("2.0.1"), done).name) == (27, "older than all epochs")


def test_a_run_is_observed_and_an_altered_one_is_refused(tmp_path):
    kept = tmp_path / "kept"
    performed("1.0.2", GOLDEN / "s1_silent_divergence.kip-101.trace", keep=str(kept))
    assert main(["observe", "--release", "1.0.2", str(kept), "--trace", str(tmp_path / "found.trace")]) == 0
    assert main(["replay", str(tmp_path / "found.trace")]) in (0, 12)
    file = kept / "broker1" / "server.log"
    text = file.read_text()
    assert "starts at Leader Epoch 2 from offset 4" in text
    file.write_text(text.replace("starts at Leader Epoch 2 from offset 4", "starts at Leader Epoch 2 from offset 3"))
    assert main(["observe", "--release", "1.0.2", str(kept)]) == 17


def test_a_few_walks():
    chosen = source("2.1.1")
    config = KAFKA.configure(chosen.release.revision, **{**chosen.release.settings, **sizes(KAFKA, 2)})
    with cluster_of(chosen, 2) as cluster:
        tally = take_walks(KAFKA, cluster, config, range(3), 15, lambda *_: None)
    assert tally.walks == 3 and not tally.unexplained and not tally.refused


def test_a_run_that_is_killed_leaves_no_process_behind():
    source("1.0.2")
    trace = GOLDEN / "s2_unclean_failovers.kip-101.trace"
    command = [sys.executable, "-m", "highwater.explorer.command_line", "perform", "--release", "1.0.2", str(trace)]
    script = f"from highwater.explorer.command_line import main; main({command[3:]!r})"
    child = subprocess.Popen([sys.executable, "-c", script], start_new_session=True)
    until = time.monotonic() + 60
    while time.monotonic() < until and len(launchers(child.pid)) < 3:
        time.sleep(0.1)
    started = launchers(child.pid)
    assert len(started) == 3
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    until = time.monotonic() + 20
    while time.monotonic() < until and any(Path(f"/proc/{pid}").exists() for pid in started):
        time.sleep(0.1)
    assert not [pid for pid in started if Path(f"/proc/{pid}").exists()]


def launchers(parent):
    """The Java processes that a process started."""
    out = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            if int(stat[1]) == parent and b"Launcher" in (folder / "cmdline").read_bytes():
                out.append(int(folder.name))
        except OSError:
            continue
    return out
