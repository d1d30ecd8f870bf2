"""`highwater check --progress`: the exit code, the trace with its cycle, and what is made of it."""

import json
from pathlib import Path

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.command_line.start_from import decides
from highwater.explorer.verdict import EXIT_HOLDS, EXIT_STUCK, EXIT_USAGE
from highwater.properties.extended import extended
from highwater.properties.property import eventually, leads_to, quantified
from support.toys_of_progress import MEMBERS, WEAK_QUEUE, waits


def highwater(command, *arguments):
    """The command, which knows the toys: the queue with its weak fairness."""
    return main([command, "--plugin", "support.toys_of_progress:weak", *map(str, arguments)])


def check(*arguments):
    return highwater("check", "--revision", "only", "--generic", "--threads", "1", *arguments)


def test_a_lasso_is_written_replayed_and_drawn(tmp_path, capsys):
    traces, said = tmp_path / "traces", tmp_path / "said.json"
    assert check("--model", "queue", "--progress", "--traces", str(traces), "--json", str(said)) == EXIT_STUCK
    assert "comes_in: the steps" in " ".join(capsys.readouterr().out.split())
    found = {claim["name"]: claim for claim in json.loads(said.read_text())["properties"]}
    assert {name: one["verdict"] for name, one in found.items()} == {"comes_in": "violated", "comes_out": "holds"}
    trace = found["comes_in"]["trace"]
    text = Path(trace).read_text()
    assert "\ncycle: 2\n" in text and "what follows is repeated for ever" in text and "and again from step 2" in text
    assert highwater("replay", trace) == EXIT_STUCK
    assert "can be repeated for ever" in " ".join(capsys.readouterr().out.split())
    assert highwater("show", trace) == EXIT_HOLDS
    drawn = capsys.readouterr().out
    assert drawn.index("repeated for ever") < drawn.index("again from step 2")
    assert highwater("show", trace, "--itf", "-") == EXIT_HOLDS
    assert json.loads(capsys.readouterr().out)["loop"] == 2
    begun = ["--plugin", "support.toys_of_progress:weak", "--generic", "--from", f"{trace}:1"]
    assert main(["check", *begun, "--property", "comes_in", "--traces", str(tmp_path / "begun")]) == EXIT_STUCK
    (later,) = (tmp_path / "begun").iterdir()
    assert "\ncycle: 2\n" in later.read_text() and highwater("replay", later) == EXIT_STUCK


def test_what_a_trace_has_decided_is_not_asked_of_what_follows_it(tmp_path, capsys):
    """`eventually`: the trace came to the goal. `leads_to`: a premise before the beginning waits for its goal."""
    at_once, never = quantified([eventually(waits, "only"), leads_to(waits, is_lost, "only")], {"process": MEMBERS})
    start, *_ = WEAK_QUEUE.initial_states(WEAK_QUEUE.configure("only"))
    waiting, inside = start.copy(), start.copy()
    waiting.process[0].waits, inside.process[0].inside = 1, 1
    assert decides(at_once, [start], waiting) is None and decides(never, [start], waiting) is None
    assert decides(at_once, [start, waiting], inside) == 1 and decides(never, [start, waiting], inside) == 1
    assert check("--model", "queue", "--property", "comes_in", "--traces", str(tmp_path)) == EXIT_STUCK
    (trace,) = tmp_path.iterdir()
    lines = trace.read_text().splitlines(keepends=True)
    trace.write_text("".join(line for line in lines if not line.startswith("plugin")))  # it is asked about under another one
    capsys.readouterr()
    begun = ["check", "--plugin", "progress.test_command:plugin", "--generic", "--from", f"{trace}:2"]
    assert main([*begun, "--property", "waits", "--traces", str(tmp_path)]) == EXIT_USAGE
    assert "came to its goal or premise after 1 step; begin there (TRACE:1)" in capsys.readouterr().err


def is_lost(s, process):
    """Never."""
    return s.process[process].waits and s.process[process].inside


def plugin(models):
    """The queue, and a property that a trace decides."""
    return [extended(WEAK_QUEUE, properties=quantified([eventually(waits, "only")], {"process": MEMBERS}))]


def test_a_goal_out_of_reach_is_shown_by_exploring_from_there(tmp_path, capsys):
    arguments = ["--model", "machine", "--spares", "0", "--property", "machine_runs", "--traces", str(tmp_path)]
    assert check(*arguments) == EXIT_STUCK
    (trace,) = tmp_path.iterdir()
    assert highwater("replay", trace) == EXIT_STUCK
    assert "out of reach without another fault" in " ".join(capsys.readouterr().out.split())


def test_what_others_cannot_decide_is_refused(capsys):
    about = ["--model", "queue", "--revision", "only", "--property", "comes_in"]
    for command in (["walk"], ["prove"], ["check", "--symmetry"], ["check", "--engine", "spark"]):
        assert highwater(*command, *about) == EXIT_USAGE
        said = capsys.readouterr().err
        assert "comes_in" in said and "Traceback" not in said


def test_a_cycle_in_a_trace_about_what_can_happen_is_refused(tmp_path, capsys):
    assert check("--model", "machine", "--spares", "0", "--property", "machine_runs", "--traces", str(tmp_path)) == EXIT_STUCK
    (trace,) = tmp_path.iterdir()
    trace.write_text(trace.read_text().replace("\ninitial:", "\ncycle: 1\ninitial:"))
    for command in ("replay", "show"):
        assert highwater(command, trace) == EXIT_USAGE
        assert "a line 'cycle:', which belongs to traces about what must happen" in capsys.readouterr().err


@pytest.mark.parametrize("cycle", ["0", "99", "x"])
def test_a_cycle_that_cannot_be_is_refused(tmp_path, capsys, cycle):
    assert check("--model", "queue", "--property", "comes_in", "--traces", str(tmp_path)) == EXIT_STUCK
    (trace,) = tmp_path.iterdir()
    trace.write_text(trace.read_text().replace("\ncycle: 2\n", f"\ncycle: {cycle}\n"))
    assert highwater("replay", trace) == EXIT_USAGE
    assert "'cycle:' must be the number of a step" in capsys.readouterr().err
