"""Memory: what there is bounds a run without a bound, bounds are kept, and what has no room is refused by arithmetic."""

import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
from highwater.explorer import budget, growth, machine
from highwater.explorer.budget import Bounds, resident_memory
from highwater.explorer.local.check import check
from highwater.explorer.output.machine_readable import as_json
from highwater.explorer.output.progress_line import ProgressLine
from highwater.explorer.output.report import explanation
from highwater.explorer.processes import run_all
from highwater.explorer.symbolic.proof import ProofRequest, prove
from highwater.explorer.symbolic.solving import BROKEN, UNKNOWN
from highwater.properties.property import quantified
from support import toys
from support.elsewhere import PROGRAM, output_of
from support.exploring import compile_generic, finished, request

MB = 1 << 20
GROUP = {"memory.max": 900, "memory.current": 500, "memory.stat": "anon 400\ninactive_file 100\n"}
OLD = {"memory.limit_in_bytes": 900, "memory.usage_in_bytes": 500, "memory.stat": "cache 1\ntotal_inactive_file 100\n"}


def group(folder, files):
    """A control group with these files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_text(f"{content}\n")


@pytest.mark.parametrize(
    ("lines", "groups", "left"),
    [
        ("0::/", {"": GROUP}, [500]),
        ("0::/mine/inner", {"mine/inner": {**GROUP, "memory.max": "max"}, "mine": {**GROUP, "memory.max": 700}}, [300]),
        ("0::/not/mounted", {"": GROUP}, [500]),
        ("5:cpu:/x\n4:memory:/mine", {"memory/mine": OLD, "memory": {**OLD, "memory.limit_in_bytes": 1000}}, [500, 600]),
        ("0::/", {}, []),
    ],
    ids=["version 2", "one above", "in a container", "version 1", "none"],
)
def test_control_groups_limit_what_is_available(tmp_path, lines, groups, left, monkeypatch):
    (tmp_path / "cgroup").write_text(f"{lines}\n")
    for path, files in groups.items():
        group(tmp_path / "fs" / path, files)
    assert list(machine.left_in_groups(tmp_path / "cgroup", tmp_path / "fs")) == left
    monkeypatch.setattr(machine, "left_in_groups", lambda: iter(left))
    assert machine.available_memory() == min(left) if left else machine.available_memory() > 0


def test_without_a_bound_the_machine_bounds_a_run(monkeypatch):
    """It ends with 20, its levels, and how to go on."""
    some = toys.COUNTER_PROPERTIES[2:3]
    assert check(request(toys.COUNTERS, "only", {"counters": 5, "top": 1}, some)).complete
    monkeypatch.setattr(budget, "available_memory", lambda: 130 * MB)
    before = resident_memory()
    outcome = check(request(toys.COUNTERS, "only", {"counters": 5, "top": 60}, some))
    assert resident_memory() - before < 1.05 * 130 * MB
    assert (outcome.verdict, outcome.exit_code(), outcome.complete) == ("incomplete", 20, False) and outcome.whole_levels > 5
    said = explanation(outcome)
    assert "MB of memory, of what was available at the start, ended the exploration; every level to depth" in said
    assert "--run-dir DIR" in said and "--engine spark" in said


def test_a_run_that_will_not_fit_is_said_as_soon_as_its_levels_show_it(monkeypatch, capsys, tmp_path):
    """Once, with the numbers and what to do; and nothing is said of a run that fits."""
    monkeypatch.setattr(growth, "ENOUGH", 10_000)
    counters = request(toys.COUNTERS, "only", {"counters": 5, "top": 60}, toys.COUNTER_PROPERTIES[2:3])
    available = {"plenty": 10**7 * MB, "little": 150 * MB}

    def ended(bounds, memory="plenty", disk=10**7 * MB, **how):
        monkeypatch.setattr(budget, "available_memory", lambda: available[memory])
        monkeypatch.setattr(growth.shutil, "disk_usage", lambda _: SimpleNamespace(free=disk))
        with ProgressLine() as progress:
            outcome = check(replace(counters, bounds=bounds, **how), progress)
        said, expected = capsys.readouterr().err, as_json(outcome, toys.COUNTERS)["expected"]
        assert said.count("are expected") == (expected is not None)
        assert expected is None or 10_000 < expected["low"] < expected["states"] < expected["high"]
        return expected["ended_by"] if expected else None, said

    assert ended(Bounds(depth=20, states=90_000)) == (None, ""), "as deep as that there are fewer"
    by, said = ended(Bounds(), "little")
    assert by == "memory" and "memory will probably end this run; with --run-dir DIR" in said and "which need" in said
    assert ended(Bounds(states=90_000))[0] == "the bound of 90,000 states"
    by, said = ended(Bounds(states=90_000), run_directory=str(tmp_path), disk=100_000)
    assert by == "the disk" and "which need" in said and "the disk will probably end this run; highwater estimate" in said
    assert ended(Bounds(states=400_000, seconds=0.5))[0] in ("the bound of 0.5 seconds", "the bound of 400,000 states")


def test_what_ends_a_run_first_is_named():
    """A bound on seconds by the rate; each with what is needed of it."""
    levels, small, large = [1, 8, 50, 240, 900, 2600], growth.Place("the disk", 10**4, 10), growth.Place("the disk", 10**9, 10)
    expected = growth.foreseen(levels, sum(levels), Bounds(seconds=10), 1000, [large])
    assert expected.ended_by == "the bound of 10 seconds" and "at this rate: the bound of 10 seconds will" in str(expected)
    assert growth.foreseen(levels, sum(levels), Bounds(seconds=10), 10**9, [small]).ended_by == "the disk"
    assert growth.foreseen(levels, sum(levels), Bounds(seconds=10), 10**9, [large]) is None
    assert growth.foreseen(levels, sum(levels), Bounds(), 1000, []) is None


def test_where_nothing_is_available_nothing_begins(capsys, elsewhere, monkeypatch):
    monkeypatch.setattr(budget, "available_memory", lambda: 20 * MB)
    said = output_of(capsys, 2, ["check", "--revision", "kip-279", "--generic", "--quiet"]).err
    assert said.count("\n") == 1 and "only 18 MB of memory are available" in said


def test_processes_share_what_is_available(monkeypatch):
    monkeypatch.setattr(budget, "available_memory", lambda: 1000 * MB)

    def share(_):
        bounds = Bounds()
        bounds.limit_to_machine()
        return bounds.room()

    for processes in (1, 2, 4):
        rooms = [room for _, room in run_all(share, range(4), processes, "")]
        assert all(abs(room - 900 * MB / processes) < 20 * MB for room in rooms)


def test_what_tables_would_grow_by_counts_before_they_grow():
    """A search ends before the round that would exceed its bound."""
    search = finished(compile_generic(toys.COUNTERS, toys.COUNTERS.configure("only", counters=5, top=6)))
    shard = max(search.shards, key=lambda one: one.count)
    slots = len(shard.slots)
    assert shard.growth(0) == 0 and shard.growth(10**6) > 8 * 10**6
    shard.make_room(10**5)
    assert len(shard.slots) > slots and shard.growth(10**5) == 8 * 10**5 * (search.compiled.key_words + 1)
    bounds = Bounds(memory=resident_memory() + 100 * MB)
    assert bounds.filled(10 * MB) == "" and bounds.filled(200 * MB).endswith("MB of memory")


def test_rows_that_have_no_room_are_refused_with_the_numbers(tmp_path):
    """Nine brokers, six partitions, logs of 64: more than a gigabyte of rows for all tasks, and nothing is compiled."""
    sizes = ["--brokers", "9", "--partitions", "6", "--log-size", "64", "--max-records", "64", "--memory", "500"]
    limited = ["bash", "-c", 'ulimit -v 3000000; exec "$@"', "bash"]
    command = [*limited, sys.executable, "-c", PROGRAM, "check", "--revision", "kip-320", *sizes]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "the rows of each task take" in done.stderr and "MB a task; choose smaller sizes" in done.stderr


def test_the_prover_does_not_know_where_memory_ends(monkeypatch):
    """The same question is decided where there is memory."""
    claims = quantified(toys.COUNTER_PROPERTIES[:1], toys.COUNTERS.domains)
    asked = ProofRequest(toys.COUNTERS, "only", toys.COUNTERS.configure("only"), list(claims), [])
    assert prove(asked).verdict == BROKEN
    monkeypatch.setattr(budget, "available_memory", lambda: 0)
    monkeypatch.setattr(budget, "resident_memory", lambda: 0)
    found = prove(asked)
    assert (found.verdict, found.exit_code) == (UNKNOWN, 20)
