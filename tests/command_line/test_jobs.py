"""Several processes: the same result as from one, what they share, and nothing where one of them is killed."""

import json
import os
import signal
from argparse import Namespace
from pathlib import Path

import pytest
from highwater.explorer import budget, machine
from highwater.explorer.budget import Bounds, Unreachable, resident_memory
from highwater.explorer.command_line import main, matrix, parsing
from highwater.explorer.local.check import check

GB = 1 << 30
VARY = {"seconds", "cpu_seconds", "compile_seconds", "initial_seconds", "threads", "bytes_per_state"}


@pytest.mark.parametrize(
    ("asked", "cores", "memory", "bound", "jobs"),
    [(None, 16, 100 * GB, None, 16), (None, 16, 3 * GB, None, 5), (None, 16, 100 * GB, GB, 2), (None, 16, GB // 4, None, 1),
     (7, 2, GB, None, 7)],
)  # fmt: skip
def test_there_is_a_process_for_each_core_while_memory_allows(monkeypatch, asked, cores, memory, bound, jobs):
    monkeypatch.setattr(parsing, "cores", lambda: cores)
    monkeypatch.setattr(parsing, "available_memory", lambda: memory)
    assert parsing.jobs_of(Namespace(jobs=asked), bound) == jobs


@pytest.mark.parametrize(("asked", "cores", "threads"), [(None, 8, 8), (3, 8, 3), (9_999_999, 8, 64), (None, 128, 64)])
def test_there_are_not_more_threads_than_are_of_use(monkeypatch, asked, cores, threads):
    monkeypatch.setattr(machine, "cores", lambda: cores)
    assert parsing.threads_of(Namespace(threads=asked)) == threads


def test_the_help_says_how_many_threads_there_can_be(capsys):
    for command in ("check", "walk", "prove", "estimate"):
        assert main([command, "--help"]) == 0
        assert "at most 64 (default: one per core)" in " ".join(capsys.readouterr().out.split())


def test_a_seed_below_nothing_is_refused_with_what_is_possible(capsys):
    assert main(["walk", "--model", "published", "--revision", "kip-320", "--seed", "-1"]) == 2
    assert "--seed: must be 0 or a whole number above 0, not '-1'" in capsys.readouterr().err


def test_a_file_behind_the_flags_is_refused_with_its_place(capsys):
    assert main(["check", "--quiet", "pump.py"]) == 2
    assert "pump.py (the model's file comes first: highwater check pump.py)" in capsys.readouterr().err


def test_a_bound_on_memory_is_that_of_all_processes_together(monkeypatch):
    bounds = Bounds(memory=2 * resident_memory())
    bounds.validate_memory()
    whole = bounds.room()
    monkeypatch.setattr(budget, "sharers", 4)
    assert bounds.room() < whole - resident_memory() and "which 4 processes share" in bounds.filled()
    with pytest.raises(Unreachable, match="4 processes share it: allow more, or give fewer --jobs"):
        bounds.validate_memory()


def test_a_matrix_from_two_processes_is_that_from_one(capsys):
    for jobs in ("1", "2"):
        assert main(["matrix", "--model", "designs", "--quiet", "--jobs", jobs, "--json", f"{jobs}.json"]) == 0
    one, two = (json.loads(Path(f"{jobs}.json").read_text()) for jobs in "12")
    for entry in (*one["revisions"], *two["revisions"]):
        for name in VARY:
            entry.pop(name)
    assert one == two and len(one["revisions"]) == 4
    assert capsys.readouterr().out.count("every verdict is as expected") == 2


def test_a_process_that_is_killed_leaves_no_half_matrix(capsys, monkeypatch):
    """The message says what to do; of what the others have found nothing is shown as if it were all."""

    def killed(request, report=None):
        if request.revision == "kip-320":
            os.kill(os.getpid(), signal.SIGKILL)
        return check(request, report)

    monkeypatch.setattr(matrix, "check", killed)
    sizes = ["--model", "published", "--brokers", "2"]
    assert main(["matrix", *sizes, "--quiet", "--jobs", "2", "--json", "m.json", "--traces", "t"]) == 2
    out, error = capsys.readouterr()
    assert out == "" and error.count("\n") == 1 and "a worker process was killed" in error and "give fewer --jobs" in error
    assert not Path("m.json").exists() and not list(Path("t").glob("*"))
