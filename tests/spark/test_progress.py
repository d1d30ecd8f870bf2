"""Properties of progress on Spark: verdicts, numbers of states and depths are those of the local engine, whatever happens."""

import json
import shutil
from functools import cache
from pathlib import Path

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from highwater.explorer.spark import backward
from highwater.explorer.verdict import EXIT_HOLDS, EXIT_STUCK, EXIT_USAGE, VIOLATED
from highwater.model.language import UsageError
from highwater.properties.catalogue import progress_of
from highwater.properties.plugins import models_with
from highwater.properties.property import RECOVERABLE
from highwater.properties.registry import MODELS
from highwater.traces.lasso import doubt
from highwater.traces.replay import replay
from support import faults
from support.elsewhere import output_of
from support.kafka import TINY
from support.on_spark import on_spark
from support.runs import flip, manifest_of, numbers_in, sentence

TOYS = "toys_of_progress"


@pytest.fixture(scope="module", autouse=True)
def toys(spark):
    """The toys as a plugin, here and on executors."""
    spark.sparkContext.addPyFile(str(Path(__file__).parents[1] / "support" / f"{TOYS}.py"))


def asked(name, revision="only", **settings):
    """What is recoverable of a model."""
    model = models_with((TOYS,))[name]
    chosen = [claim for claim in progress_of(model) if claim.kind == RECOVERABLE]
    return Request(model, revision, model.configure(revision, **settings), [], progress=chosen, generic=True)


def said(outcome):
    """What the engines must agree on."""
    findings = [(f.property.name, f.verdict, f.depth, f.lost_states) for f in outcome.findings]
    return findings, outcome.levels, outcome.transitions, outcome.complete, outcome.exit_code()


@cache
def locally(name, revision="only", **settings):
    return said(check(asked(name, revision, **settings)))


MAZE = {"doors": 5, "places": 4000}
CASES = [
    ("maze", {"doors": 3, "places": 1000}, {"narrow": 50, "shards": 3}),
    ("maze", MAZE, {"narrow": 300, "shards": 2}),
    ("maze", MAZE, {"narrow": 10**9, "shards": 4}),
    ("maze", {"doors": 4, "places": 2187}, {"narrow": 60, "shards": 3, "bits": 128}),
    ("maze", {"doors": 3, "places": 999}, {"narrow": 10**9, "shards": 1}),
    ("maze", {"doors": 2, "places": 500}, {"narrow": 10**9, "shards": 2}),
    ("machine", {"breaks": 2, "spares": 1}, {"narrow": 0, "shards": 2}),
    ("machine", {"breaks": 3, "spares": 3}, {"narrow": 10**9, "shards": 2}),
    ("machine", {"breaks": 0}, {"narrow": 10**9, "shards": 2}),
    ("queue", {"processes": 3}, {"narrow": 10**9, "shards": 3}),
]


@pytest.mark.parametrize(("name", "settings", "how"), CASES)
def test_toys(spark, name, settings, how):
    found = on_spark(spark, asked(name, **settings), **how)
    assert said(found) == locally(name, **settings)
    for finding in found.violated:
        model = models_with((TOYS,))[name]
        replayed = replay(finding.trace, model)
        assert replayed.mismatch == "" and len(finding.trace.steps) == finding.depth - 1
        assert doubt(finding.trace, model, replayed.states, finding.property) == ""


def test_goals_that_do_not_fit_in_one_word_are_looked_at_apart(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(backward, "WORD_BITS", 5)
    found = on_spark(spark, asked("maze", **MAZE), path=tmp_path / "run", narrow=10**9)
    assert said(found) == locally("maze", **MAZE) and len(list((tmp_path / "run").glob("progress=*"))) == 2


def test_a_budget_of_some_kilobytes(spark):
    """Steps and states are written in many files, and read a row group at a time."""
    found = on_spark(spark, asked("maze", **MAZE), narrow=10**9, budget=4 << 10)
    assert said(found) == locally("maze", **MAZE)


KAFKA = {**TINY, "controller_changes": 1, "session_expiries": 1, "max_epoch": 2}


@pytest.mark.parametrize(
    ("revision", "settings", "narrow"),
    [
        ("high-watermark", {"session_expiries": 1}, 10**9),
        pytest.param("high-watermark", KAFKA, 5_000, marks=pytest.mark.long),
        pytest.param("kip-320", {**KAFKA, "fenced_controllers": True}, 5_000, marks=pytest.mark.long),
    ],
)
def test_kafka(spark, revision, settings, narrow):
    settings = {**TINY, **settings}
    found = on_spark(spark, asked("kafka", revision, **settings), narrow=narrow)
    assert said(found) == locally("kafka", revision, **settings)
    assert "controller_changes" not in settings or (found.exit_code() == EXIT_STUCK) == (revision == "high-watermark")
    for finding in found.violated:
        replayed = replay(finding.trace, found_model := MODELS["kafka"])
        assert doubt(finding.trace, found_model, replayed.states, finding.property) == ""


@pytest.fixture(scope="module")
def interrupted(spark, tmp_path_factory):
    """A run that died on its third level backwards, with the steps in three parts."""
    path, patch = tmp_path_factory.mktemp("interrupted"), pytest.MonkeyPatch()
    patch.setattr(backward, "TOGETHER", 700)
    with pytest.raises(UsageError, match=r"Spark gave up on the run: .* is kept, continue with --resume$"):
        probe = faults.Dies(path, "stepped", [2])
        on_spark(spark, asked("maze", **MAZE), shards=2, narrow=100, path=path / "run", probe=probe)
    patch.undo()
    (question,) = (path / "run").glob("progress=*")
    assert len(numbers_in(question)) > 5 and manifest_of(question)["back"] == 2
    return path / "run"


def copied(interrupted, tmp_path):
    path = shutil.copytree(interrupted, tmp_path / "run")
    return path, next(path.glob("progress=*"))


def test_a_run_that_died_goes_on(spark, interrupted, tmp_path, capsys):
    path, question = copied(interrupted, tmp_path)
    assert main(["verify", str(path)]) == EXIT_HOLDS and "sound" in capsys.readouterr().out
    before = numbers_in(question)
    found = on_spark(spark, asked("maze", **MAZE), shards=2, narrow=10**9, path=path, resume=True)
    assert said(found) == locally("maze", **MAZE)
    after = numbers_in(question)
    assert after[: len(before)] == before and len(after) > len(before), "what was known is not found out again"
    again = on_spark(spark, asked("maze", **MAZE), shards=2, narrow=10**9, path=path, resume=True)
    assert said(again) == said(found) and numbers_in(question) == after


def test_tasks_that_fail_are_run_again(spark, tmp_path):
    (tmp_path / "marks").mkdir()
    for moment, levels in (("looked", range(99)), ("stepped", [0, 2])):
        probe = faults.Fails(tmp_path / "marks", moment, levels, shard=1)
        assert said(on_spark(spark, asked("maze", **MAZE), shards=2, narrow=100, probe=probe)) == locally("maze", **MAZE)
    assert faults.struck(tmp_path / "marks") == 3


@pytest.mark.parametrize("kind", ["steps", "open", "reached", "manifest", "missing"])
def test_damage_is_refused_with_what_can_be_done(spark, interrupted, tmp_path, capsys, kind):
    path, question = copied(interrupted, tmp_path)
    named = manifest_of(question)["steps" if kind == "missing" else kind]["1"] if kind != "manifest" else []
    file = path / named[0][0] if named else question / "manifest" / "0002.json"
    if kind == "missing":
        file.unlink()
    else:
        flip(file, file.stat().st_size // 2, 2)
    assert main(["verify", str(path)]) == EXIT_USAGE and str(file.relative_to(path)) in "".join(capsys.readouterr().out.split())
    refused = sentence(on_spark, spark, asked("maze", **MAZE), shards=2, narrow=10**9, path=path, resume=True)
    assert refused.startswith(f"file:{file} was damaged or changed (")
    assert f"remove file:{question} and --resume" in refused
    shutil.rmtree(question)
    found = on_spark(spark, asked("maze", **MAZE), shards=2, narrow=10**9, path=path, resume=True)
    assert said(found) == locally("maze", **MAZE)


STRATEGIES = ["check", "--model", "strategies", "--revision", "isr-slow-followers", "--generic"]


def test_the_command(spark, tmp_path, capsys):
    """As the local engine: report, JSON, exit code, a trace that can be replayed."""
    reports = []
    for engine in ("local", "spark"):
        names = [f"--property={one.name}" for one in progress_of(MODELS["strategies"]) if one.kind == RECOVERABLE]
        files = ["--json", str(tmp_path / f"{engine}.json"), "--traces", str(tmp_path / engine)]
        assert main([*STRATEGIES, "--engine", engine, *names, *files]) == EXIT_STUCK
        assert "out of reach without another fault, as it is from" in " ".join(capsys.readouterr().out.split())
        reports.append(json.loads((tmp_path / f"{engine}.json").read_text()))
        for claim in reports[-1]["properties"]:
            assert claim["verdict"] == VIOLATED and main(["replay", claim["trace"]]) == EXIT_STUCK
    same = [[(p["name"], p["depth"], p["lost_states"]) for p in report["properties"]] for report in reports]
    assert same[0] == same[1] and reports[0]["levels"] == reports[1]["levels"]


def test_what_is_not_decided_is_said(spark, tmp_path, capsys):
    lasso = "writes_are_committed_again"
    said = output_of(capsys, EXIT_USAGE, [*STRATEGIES, "--engine", "spark", "--property", lasso]).err
    assert lasso in said and "leads_to" in said and "Traceback" not in said
    assert main([*STRATEGIES, "--engine", "spark", "--progress", "--symmetry"]) == EXIT_USAGE
    assert "symmetry cannot be used for" in capsys.readouterr().err
    folder = ["--traces", str(tmp_path)]
    assert main([*STRATEGIES, "--engine", "spark", "--progress", "--keep-going", *folder]) == EXIT_STUCK
    assert f"left out: {lasso}" in capsys.readouterr().err
