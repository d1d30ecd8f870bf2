"""The recorded runs of docs/brokers.md: every trace on every release that it speaks of, repeated.

    python tests/brokers/recorded.py --repeat 20 [--only 2.0.1] [--from 12]

Prints a row for each: how many of the runs ended as expected, and what is on the disks in the end. What an expected run
did not do is told on standard error. `--from` goes on with a row, counted from 1, where an earlier call was ended. With
`--observe` each row is performed once, and what it leaves is held against the model (`highwater observe`), which must find
a behaviour; then one thing is altered in it, in several ways, and it should find none. `--kraft`: the rows of docs/kraft.md,
whose traces are of the family `kraft`.
"""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

import highwater.traces
from altered import ALTERATIONS
from highwater.properties.registry import KAFKA, KRAFT
from highwater.traces.brokers.fitting import Fitting
from highwater.traces.brokers.observe import configuration, read_run
from highwater.traces.brokers.perform import perform
from highwater.traces.brokers.releases import release_named
from highwater.traces.brokers.runs import cluster_of, renew, source_of
from highwater.traces.brokers.walks import described_by
from highwater.traces.text import read_file

TRACES = Path(highwater.traces.__file__).parent
FOLDERS = (TRACES / "golden", TRACES / "brokers" / "golden")

AGREES, DIFFERS = "as the model says", "differs"
STATES = 200_000

BEFORE = {"new_leader_admits_follower": {"admission": "high-watermark"}}
"""What 2.0.1 is shown not to do any more."""
AWAITED = "departed_member.kip-320-2.8, departed_end = awaited"
MOVED = ("0.10.2.2", "1.0.2", "2.0.1", "2.8.2", "3.9.1")

RUNS = [
    # (the note of docs/brokers.md, trace, releases, how it ends, the step at which it differs)
    ("1", "s3_truncation_loses_data", ("0.10.2.2", "0.11.0.3", "1.0.2", "1.1.1", "2.0.1"), AGREES, 0),
    ("2", "s1_out_of_order_append", ("0.11.0.3", "1.0.2", "1.1.1", "2.0.0", "2.0.1"), AGREES, 0),
    ("2", "s1_silent_divergence", ("0.11.0.3", "1.0.2", "1.1.1", "2.0.0", "2.0.1"), AGREES, 0),
    ("2", "s1_clean_truncation", ("0.11.0.3", "1.0.2", "1.1.1"), DIFFERS, 17),
    ("2", "s1_clean_truncation", ("2.0.0", "2.0.1"), AGREES, 0),
    ("3", "s2_unclean_failovers", ("0.11.0.3", "1.0.2", "1.1.1", "2.0.1"), AGREES, 0),
    ("3", "s2_last_cut", ("2.0.0",), AGREES, 0),
    ("4", "t7_fetch_session", ("2.1.1",), AGREES, 0),
    ("4", "s6_stale_leader_answers", ("2.0.1", "2.1.1", "2.8.2", "3.9.1"), AGREES, 0),
    ("5", "s5_zombie_leader", ("0.10.2.2", "1.0.2", "1.1.1", "2.0.1", "2.1.1", "2.8.2", "3.9.1"), AGREES, 0),
    ("5", "zombie_commits_what_all_have", ("0.10.2.2", "1.0.2", "2.0.1", "2.1.1", "2.8.2", "3.9.1"), AGREES, 0),
    ("5", "late_fetch", ("0.10.2.2", "1.0.2", "2.0.1", "2.1.1", "3.9.1"), AGREES, 0),
    ("5", "new_leader_admits_follower", ("0.10.2.2", "1.0.2", "1.1.1", "2.0.0"), AGREES, 0),
    ("5", "new_leader_admits_follower", ("2.0.1",), DIFFERS, 9),
    ("5", "new_leader_admits_follower", ("2.1.1", "2.8.2", "3.9.1"), AGREES, 0),
    ("5", "leader_again", ("0.10.2.2", "0.11.0.3", "1.0.2", "1.1.1", "2.0.1", "2.1.1", "2.8.2", "3.9.1"), AGREES, 0),
    ("6", "s2_checkpointed_high_watermark", ("2.0.0",), AGREES, 0),
    ("6", "s2_checkpointed_high_watermark", ("2.0.1",), DIFFERS, 28),
    ("6", "s2_checkpointed_high_watermark", ("2.1.1", "3.9.1"), AGREES, 0),
    ("7", "t2_leader_end", ("2.0.0",), AGREES, 0),
    ("7", "t2_asks_on", ("2.0.1",), AGREES, 0),
    ("8", "exit_beyond_end", ("1.0.2", "2.0.0"), AGREES, 0),
    ("8", "exit_beyond_end", ("2.0.1",), DIFFERS, 13),
    ("8", "cut_beyond_end", ("0.10.2.2", "1.0.2", "2.0.0", "2.0.1", "2.1.1"), AGREES, 0),
    ("8", "thrown_away", ("0.10.2.2",), DIFFERS, 14),
    ("9", "unknown_leader", ("0.10.2.2", "1.0.2", "2.8.2"), AGREES, 0),
    ("10", "n1_outlived_fetch", ("2.0.1", "2.8.2", "3.9.1"), AGREES, 0),
    ("11", "departed_member.kip-320-2.5.0", MOVED, AGREES, 0),
    ("11", "departed_member.kip-320-2.8", MOVED, AGREES, 0),
    ("11", AWAITED, MOVED, DIFFERS, 15),
    ("12", "late_epoch_start.kip-320", ("2.0.1", "2.1.1"), AGREES, 0),
    ("12", "late_epoch_start.kip-320", ("2.8.2", "3.9.1"), DIFFERS, 22),
]


FOUR = ("4.4.0", "4.3.1", "4.2.1", "4.1.1")
KRAFT_RUNS = [
    ("first finding", "one_delta.4.4", (*FOUR, "4.0.2", "3.9.1"), AGREES, 0),
    ("first finding", "one_delta_repaired.4.4", (*FOUR, "4.0.2", "3.9.1"), DIFFERS, 9),
    ("second weakness", "forgotten_request.4.4", (*FOUR, "4.0.2", "3.9.1"), AGREES, 0),
    ("S1", "fast_failover.4.4", (*FOUR, "4.0.2", "3.9.1"), AGREES, 0),
    ("S1", "fast_failover_one.4.4", (*FOUR, "4.0.2", "3.9.1"), AGREES, 0),
    ("S1", "fast_failover_three.4.4", (*FOUR, "4.0.2", "3.9.1"), AGREES, 0),
    ("S2", "unclean_failovers.4.4", (*FOUR, "4.0.2", "3.9.1"), AGREES, 0),
    ("S3", "follower_restarts.4.4", (*FOUR, "4.0.2"), AGREES, 0),
    ("S3", "follower_restarts.3.9", ("3.9.1",), AGREES, 0),
    ("S5", "zombie_leader.4.4", (*FOUR, "4.0.2", "3.9.1"), AGREES, 0),
    ("S6", "stale_leader.4.4", (*FOUR, "4.0.2", "3.9.1"), AGREES, 0),
    ("min ISR changes", "raised_min_isr.4.4", FOUR, AGREES, 0),
    ("min ISR changes", "offline_min_isr.4.4", FOUR, AGREES, 0),
    ("min ISR changes", "eligible_when_off.4.4", FOUR, AGREES, 0),
    ("min ISR changes", "earlier_leader.4.4", FOUR, AGREES, 0),
    ("min ISR changes", "changed_min_isr.3.9", ("3.9.1",), AGREES, 0),
    ("min ISR changes", "changed_min_isr_repaired.4.4", FOUR, AGREES, 0),
    ("early registration", "early_registration.3.9", ("3.9.1",), AGREES, 0),
    ("early registration", "early_registration_repaired.4.0", ("4.0.2",), AGREES, 0),
    ("power loss", "last_replica.4.0", ("4.0.2", "3.9.1"), AGREES, 0),
    ("power loss", "last_replica.4.4", FOUR, AGREES, 0),
    ("power loss", "lost_suffix.4.4", FOUR[:2], AGREES, 0),
    ("power loss", "unclean_eligible.4.0", ("4.0.2",), AGREES, 0),
    ("power loss", "unclean_eligible.3.9", ("3.9.1",), AGREES, 0),
    ("fenced leader", "fenced_leader.4.0", ("4.0.2",), AGREES, 0),
    ("earlier repairs", "commits_below_min_isr.3.6", ("4.4.0", "3.9.1"), DIFFERS, 3),
    ("earlier repairs", "commits_below_min_isr.3.6", ("4.4.0", "3.9.1"), AGREES, 0),
    ("earlier repairs", "shown_uncommitted.3.3", ("4.4.0", "3.9.1"), AGREES, 0),
    ("earlier repairs", "epoch_after_shrink.3.5", ("4.4.0", "3.9.1"), AGREES, 0),
    ("earlier repairs", "rebooted_follower.3.5", ("4.4.0", "3.9.1"), AGREES, 0),
    ("moves", "cancelled_move.4.1", FOUR[2:], AGREES, 0),
    ("moves", "removed_eligible.4.4", FOUR[:2], AGREES, 0),
    ("moves", "removed_eligible_repaired.4.4", FOUR[:2], AGREES, 0),
    ("moves", "move.4.4", (*FOUR, "4.0.2", "3.9.1"), AGREES, 0),
]
AS_BEFORE = ("commits_below_min_isr.3.6",)
"""Traces whose own revision differs from the releases that they are performed on."""


def kraft_trace(name, release, ending):
    """The golden trace of the family, under the release's revision; under its own where that is to differ."""
    paths = (folder / f"{name}.trace" for folder in FOLDERS)
    trace = read_file(str(next(path for path in paths if path.exists())))
    revision = described_by(KRAFT, release)[0]
    own = trace.revision == revision or (ending == DIFFERS and name in AS_BEFORE)
    return trace if own else trace.under(revision)


def trace_of(name, release):
    """The golden trace of the release's revision, or the one that was made for brokers.

    2.0.1 takes the steps of KIP-279's, 2.1.1 those of KIP-320's; every release those of a name with a revision.
    """
    name, *settings = name.split(", ")
    if ".kip" in name:
        more = dict(setting.split(" = ") for setting in settings)
        return read_file(str(FOLDERS[0] / f"{name}.trace")).under(release.revision, **more)
    own = release.revision.removesuffix("-2.0.1").removesuffix("-2.1.1")
    paths = (folder / f"{name}.{revision}.trace" for revision in (release.revision, own) for folder in FOLDERS)
    trace = read_file(str(next(path for path in paths if path.exists())))
    if trace.revision == release.revision:
        return trace
    return trace.under(release.revision, **(BEFORE.get(name, {}) if own == "kip-279" else {}))


def as_expected(done, ending, step):
    if ending == AGREES:
        return not done.differences and not done.refused and not done.mismatch
    return bool(done.differences) and (step is None or done.ran == step - 1)


def tell_miss(name, release, number, done):
    """What a run did that was not expected, for who watches."""
    what = done.refused or done.mismatch or "; ".join(map(str, done.differences)) or "as the model says"
    print(f"{name} on {release}, run {number}, after step {done.ran}: {what}", file=sys.stderr, flush=True)


def run(shown, name, release, ending, step, repeat):
    """One row."""
    row = release_named(release)
    model = KRAFT if shown in {one[0] for one in KRAFT_RUNS} else KAFKA
    trace = kraft_trace(name, row, ending) if model is KRAFT else trace_of(name, row)
    config = model.configure(trace.revision, **trace.settings)
    good, took, last = 0, [], None
    with cluster_of(source_of(release, None), config.brokers, kraft=model is KRAFT) as cluster:
        for number in range(1, repeat + 1):
            if last is not None:
                renew(cluster, last)
            last = perform(trace, model, cluster)
            met = as_expected(last, ending, step)
            good += met
            if not met:
                tell_miss(name, release, number, last)
            took.append(last.seconds)
        end = last
        if ending == DIFFERS:
            renew(cluster, last)
            end = perform(trace, model, cluster, go_on=True)
    logs = "; ".join(f"{line.split('  ')[0][7:]}: `{line.split('  ')[1].split(';')[0]}`" for line in end.ends)
    where = f"{ending} at step {last.ran + 1}" if ending == DIFFERS else ending
    median = sorted(took)[len(took) // 2]
    return f"| {shown} | `{trace_name(name, row, model)}` | {release} | {where} | {good} of {repeat} | {median:.1f} s | {logs} |"


def trace_name(name, row, model):
    return name if model is KRAFT or ".kip" in name else f"{name}.{row.revision}"


def observe(shown, name, release, ending, step, repeat):
    """One row, the way back: is there a behaviour for what the run has left, and for that with one thing altered?"""
    row = release_named(release)
    trace = trace_of(name, row)
    config = KAFKA.configure(trace.revision, **trace.settings)
    with tempfile.TemporaryDirectory() as folder:
        kept, other = Path(folder) / "kept", Path(folder) / "altered"
        with cluster_of(source_of(release, None), config.brokers, str(kept)) as cluster:
            perform(trace, KAFKA, cluster, go_on=ending == DIFFERS)
        fit, altered = explained(kept, row), {}
        for what, alter in ALTERATIONS.items():
            shutil.copytree(kept, other)
            if alter(other):
                altered[what] = explained(other, row)
            shutil.rmtree(other)
    found = {what: told(one) for what, one in altered.items() if one.trace is not None or one.stopped}
    rest = "".join(f"; {what}: {answer}" for what, answer in found.items())
    most = max(one.states for one in altered.values())
    refused = f"{len(altered) - len(found)} of {len(altered)} refused, by {most:,} states at most"
    return f"| `{name}.{row.revision}` | {release} | {told(fit)} | {refused}{rest} |"


def explained(folder, release):
    """What the search says of a folder."""
    seen = read_run(folder, None, 0)
    return Fitting(seen, KAFKA, configuration(seen, KAFKA, release, {}), release, 2, STATES).find()


def told(fit):
    """The search's answer, in a few words."""
    if fit.trace is not None:
        return f"fits: {fit.events} events in {len(fit.trace.steps)} steps; {fit.states:,} states"
    why = f"not decided within {fit.stopped}" if fit.stopped else f"refused; {fit.states:,} states"
    return f"{why}; {fit.most} of {fit.events} events explained" if fit.states else f"refused: {fit.stuck[0]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--only", help="this release")
    parser.add_argument("--from", dest="first", type=int, default=1, help="the first row (1)")
    parser.add_argument("--observe", action="store_true", help="the way back instead")
    parser.add_argument("--last", type=int, help="the last row")
    parser.add_argument("--kraft", action="store_true", help="the rows under KRaft")
    options = parser.parse_args()
    if options.observe:
        print("| trace | release | as it is | altered |\n| --- | --- | --- | --- |", flush=True)
    else:
        print("| note | trace | release | the brokers | runs | median | on the disks in the end, broker by broker |")
        print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    begun = time.monotonic()
    table = KRAFT_RUNS if options.kraft else RUNS
    rows = [(*row[:2], release, *row[3:]) for row in table for release in row[2] if options.only in (None, release)]
    for row in rows[options.first - 1 : options.last]:
        print((observe if options.observe else run)(*row, options.repeat), flush=True)
    print(f"{time.monotonic() - begun:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
