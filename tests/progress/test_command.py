"""`highwater check --progress`: the exit code, the trace with its cycle, and what is made of it."""

import json
from pathlib import Path

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.verdict import EXIT_HOLDS, EXIT_STUCK, EXIT_USAGE
from highwater.model.registry import MODELS
from highwater.properties.catalogue import CATALOGUE, PROGRESS
from highwater.properties.plugins import add_model
from support import toys_of_progress as toys


@pytest.fixture
def known(monkeypatch):
    """The queue as a model that the command line knows."""
    for table in (MODELS, CATALOGUE, PROGRESS):
        for name in ("queue", "machine"):
            monkeypatch.setitem(table, name, ())
            monkeypatch.delitem(table, name)
    add_model(toys.WEAK_QUEUE, toys.QUEUE_PROPERTIES)
    add_model(toys.MACHINE, toys.MACHINE_PROPERTIES)


def check(*arguments):
    return main(["check", "--revision", "only", "--generic", "--threads", "1", *arguments])


def test_a_lasso_is_written_replayed_and_drawn(known, tmp_path, capsys):
    traces, said = tmp_path / "traces", tmp_path / "said.json"
    assert check("--model", "queue", "--progress", "--traces", str(traces), "--json", str(said)) == EXIT_STUCK
    assert "comes_in: the steps" in " ".join(capsys.readouterr().out.split())
    found = {one["name"]: one for one in json.loads(said.read_text())["properties"]}
    assert {name: one["verdict"] for name, one in found.items()} == {"comes_in": "violated", "comes_out": "holds"}
    trace = found["comes_in"]["trace"]
    text = Path(trace).read_text()
    assert "\ncycle: 2\n" in text and "what follows is repeated for ever" in text and "and again from step 2" in text
    assert main(["replay", trace]) == EXIT_STUCK
    assert "can be repeated for ever" in " ".join(capsys.readouterr().out.split())
    assert main(["show", trace]) == EXIT_HOLDS
    drawn = capsys.readouterr().out
    assert drawn.index("repeated for ever") < drawn.index("again from step 2")
    assert main(["show", trace, "--itf", "-"]) == EXIT_HOLDS
    assert json.loads(capsys.readouterr().out)["loop"] == 2


def test_a_goal_out_of_reach_is_shown_by_exploring_from_there(known, tmp_path, capsys):
    arguments = ["--model", "machine", "--spares", "0", "--property", "machine_runs", "--traces", str(tmp_path)]
    assert check(*arguments) == EXIT_STUCK
    (trace,) = tmp_path.iterdir()
    assert main(["replay", str(trace)]) == EXIT_STUCK
    assert "out of reach without another fault" in " ".join(capsys.readouterr().out.split())


def test_what_others_cannot_decide_is_refused(known, capsys):
    about = ["--model", "queue", "--revision", "only", "--property", "comes_in"]
    for command in (["walk"], ["prove"], ["check", "--symmetry"], ["check", "--engine", "spark"]):
        assert main([*command, *about]) == EXIT_USAGE
        said = capsys.readouterr().err
        assert "comes_in" in said and "Traceback" not in said


@pytest.mark.parametrize("cycle", ["0", "99", "x"])
def test_a_cycle_that_cannot_be_is_refused(known, tmp_path, capsys, cycle):
    assert check("--model", "queue", "--property", "comes_in", "--traces", str(tmp_path)) == EXIT_STUCK
    (trace,) = tmp_path.iterdir()
    trace.write_text(trace.read_text().replace("\ncycle: 2\n", f"\ncycle: {cycle}\n"))
    assert main(["replay", str(trace)]) == EXIT_USAGE
    assert "'cycle:' must be the number of a step" in capsys.readouterr().err
