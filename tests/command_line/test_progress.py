"""Nothing is silent for long, nothing that was found is lost to an interruption, and --seconds are kept."""

import io
import json
import os
import re
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.compiling import background_compiler, walker
from highwater.explorer.local import random_walk
from highwater.explorer.mutation import analysis
from highwater.explorer.output import progress_line
from highwater.explorer.output.progress_line import SILENT, ProgressLine, line
from highwater.explorer.plain import graph
from highwater.explorer.stateful import session
from rich.console import Console
from support.compiler import Compiler
from support.elsewhere import output_of

STAMP = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
SMALL = ["--model", "published", "--brokers", "2", "--max-epoch", "1", "--max-records", "1", "--revision", "kip-320"]


def test_compiling_has_a_clock_and_keeps_to_the_seconds(monkeypatch):
    monkeypatch.setattr(background_compiler.time, "sleep", lambda seconds: None)
    told, compiler = [], Compiler()
    assert not background_compiler.wait_for(compiler, told.append, 3.0) and compiler.stopped
    assert told == [f"compiling: {n} s so far, usually 3 to 30 s" for n in (1, 2)]


def test_what_it_took_is_told_the_next_time(tmp_path):
    assert background_compiler.usual(tmp_path / "x.seconds") == "usually 3 to 30 s"
    (tmp_path / "x.seconds").write_text("41\n")
    assert background_compiler.usual(tmp_path / "x.seconds") == "the last time 41 s"


def test_compiling_is_said_once_where_there_is_no_terminal(capsys):
    progress = ProgressLine()
    progress("compiling: 1 s so far")
    assert capsys.readouterr().err == ""
    progress.begun -= SILENT
    for seconds in (2, 3):
        progress(f"compiling: {seconds} s so far")
    assert re.fullmatch(f"{STAMP} compiling: 2 s so far\n", capsys.readouterr().err)


def test_a_log_has_a_line_a_minute(capsys, monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr(progress_line.time, "monotonic", lambda: clock[0])
    progress = ProgressLine()
    for second in range(1, 601):
        clock[0] += 1
        progress(f"second {second}")
    lines = capsys.readouterr().err.splitlines()
    assert [line[len("2026-11-29 03:12:45 ") :] for line in lines] == [f"second {60 * minute}" for minute in range(1, 11)]
    assert all(re.match(f"{STAMP} ", line) for line in lines)


@pytest.mark.parametrize("seconds, states", [(0.0, 5), (0.4, 5), (90.0, 5)])
def test_a_run_that_has_found_nothing_yet_has_no_rate(seconds, states):
    """It began with states of an earlier run: 0 states/s would say that it stands still."""
    now = SimpleNamespace(seconds=seconds, states=states, resumed=5, depth=3, frontier=2, expanded=0)
    assert "states/s" not in line(now) and line(now).startswith(f"{seconds:.0f} s  depth 3")


def test_lines_are_cut_to_the_width():
    progress = ProgressLine()
    progress.console = Console(file=io.StringIO(), force_terminal=True, width=30)
    progress.last -= 1
    with progress:
        progress("compiling: " + "x" * 100)
        shown = progress.console.file.getvalue()
    assert "…" in shown and "x" * 31 not in shown


@pytest.mark.parametrize("command", ["walk", "fuzz"])
def test_seconds_count_compiling_too(capsys, monkeypatch, command):
    """play --seconds 3 took as long as the compiler."""
    monkeypatch.setattr(walker, "compile_in_background", lambda *arguments: Compiler())
    monkeypatch.setattr(background_compiler.time, "sleep", lambda seconds: None)
    assert main([command, *SMALL, "--seconds", "3", "--quiet"]) == 20
    assert "the 3 seconds ran out while the model was being compiled" in capsys.readouterr().out


@pytest.fixture(autouse=True)
def interruptions():
    """As at a terminal: what a shell starts in the background ignores interruptions."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def strike(*arguments):
    os.kill(os.getpid(), signal.SIGINT)


def test_interrupted_walks_are_told(capsys, monkeypatch):
    count = random_walk._is_over
    monkeypatch.setattr(random_walk, "_is_over", lambda *arguments: strike() or count(*arguments))
    assert main(["walk", *SMALL, "--generic", "--length", "5", "--json", "x.json"]) == 20
    assert "stopped: an interruption" in capsys.readouterr().out
    assert json.loads(Path("x.json").read_text())["walks"] > 0


def test_an_interrupted_game_is_told(capsys, monkeypatch):
    monkeypatch.setattr(session, "BATCH", 2)
    monkeypatch.setattr(session, "ready_to_walk", lambda *arguments: None)
    monkeypatch.setattr(session, "compile_for", lambda request, applicable: None)
    calls = []

    def report(self, now):
        calls.append(now)
        if len(calls) == 2:
            strike()

    monkeypatch.setattr(ProgressLine, "__call__", report)
    assert "interrupted after " in output_of(capsys, 20, ["fuzz", *SMALL, "--runs", "20", "--rules", "2"]).out
    assert calls[0].startswith("0 of 20 behaviours")


def test_an_interrupted_graph_is_what_was_found(capsys, monkeypatch):
    whole = graph.breadth_first

    def interrupted(model, config):
        for number, step in enumerate(whole(model, config)):
            if number == 50:
                raise KeyboardInterrupt
            yield step

    monkeypatch.setattr(graph, "breadth_first", interrupted)
    assert "interrupted: incomplete" in output_of(capsys, 20, ["graph", *SMALL, "--format", "json", "--output", "g.json"]).err
    assert 5 < len(json.loads(Path("g.json").read_text())["nodes"]) < 277


@pytest.mark.parametrize("form", graph.FORMATS)
def test_a_graph_interrupted_before_its_first_state_is_not_written(capsys, monkeypatch, form):
    def interrupted(model, config):
        raise KeyboardInterrupt

    monkeypatch.setattr(graph, "breadth_first", interrupted)
    assert main(["graph", *SMALL, "--format", form, "--output", "g"]) == 130
    assert "interrupted before there was anything to report" in capsys.readouterr().err and not Path("g").exists()


def test_guards_are_counted_and_an_interruption_keeps_those_that_were_explored(capsys, monkeypatch):
    def result_of(self, mutant):
        if self.__dict__.setdefault("seen", 0) == 2:
            raise KeyboardInterrupt
        self.seen += 1
        return analysis.Result(mutant, analysis.EQUIVALENT)

    monkeypatch.setattr(analysis.MutantRuns, "result_of", result_of)
    assert main(["guards", "--model", "published", "--json", "x.json", "--markdown", "x.md"]) == 20
    captured = capsys.readouterr()
    assert captured.out.startswith("1 of ") and "\n2 of " in captured.out
    assert "interrupted after 2 of " in captured.err and not Path("x.md").exists()
    assert len(json.loads(Path("x.json").read_text())) == 2
