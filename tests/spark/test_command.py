"""`highwater explore --engine spark`: the same report and exit code as `check`, what it tells meanwhile, what it refuses."""

import json
import os
import time
from dataclasses import replace

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.output.progress_line import line
from highwater.explorer.spark import session as sessions
from highwater.model.language import UsageError
from support import faults
from support.elsewhere import highwater
from support.on_spark import SMALL, on_spark, request

SIZES = [word for name, value in SMALL.items() for word in (f"--{name.replace('_', '-')}", str(value))]
PUBLISHED = ["--model", "published", "--generic", "--quiet", *SIZES]


def told(capsys):
    """What was said on standard error: one sentence."""
    text = capsys.readouterr().err
    assert text.startswith("highwater: ") and text.count("\n") == 1, text
    return text


@pytest.mark.parametrize(
    ("revision", "bounds", "code"), [("high-watermark", [], 12), ("kip-279", ["--depth", "6"], 20), ("kip-320", [], 0)]
)
def test_the_report_is_that_of_check(spark, tmp_path, capsys, revision, bounds, code):
    reports = []
    for command in (["check"], ["explore", "--engine", "spark", "--shards", "3", "--narrow", "700"]):
        folder = tmp_path / command[0]
        files = ["--json", f"{folder}.json", "--junit", f"{folder}.xml", "--traces", str(folder)]
        assert main([*command, *PUBLISHED, "--revision", revision, *bounds, *files]) == code
        reports.append(json.loads((tmp_path / f"{command[0]}.json").read_text()))
        assert (tmp_path / f"{command[0]}.xml").read_text().count("<testcase") == len(reports[-1]["properties"])
    local, there = reports
    assert set(local) == set(there)
    same = ("model", "revision", "config", "verdict", "complete", "stopped_by", "depth", "levels", "symmetry", "exact")
    assert [local[name] for name in same] == [there[name] for name in same]
    assert there["engine"] == "spark" and there["collision_probability"] == pytest.approx(local["collision_probability"])
    for claim, other in zip(local["properties"], there["properties"], strict=True):
        assert (claim["name"], claim["verdict"], claim["depth"]) == (other["name"], other["verdict"], other["depth"])
        assert (claim["trace"] is None) == (other["trace"] is None)
        if other["trace"]:
            assert main(["replay", other["trace"]]) == 12


def test_progress(spark, tmp_path):
    (tmp_path / "marks").mkdir()
    seen = []
    asked, probe = request(), faults.Fails(tmp_path / "marks", "expanded", [11, 12], shard=1)
    on_spark(spark, asked, probe=probe, report=seen.append)
    last = seen[-1]
    assert [now.depth for now in seen] == sorted(now.depth for now in seen)
    assert last.states == sum(on_spark(spark, asked).levels)
    assert last.shuffled > 10_000 and last.failed == last.retried == 2 and 1.0 <= max(now.skew for now in seen) < 3.0
    assert last.worker_memory > 50 << 20
    for word in (f"depth {last.depth} ", "states/s", "frontier", "skew", "sent", "2 failed", "2 retried"):
        assert word in line(last)


@pytest.fixture
def no_session(monkeypatch):
    """As in a process that has no session yet; one that is begun all the same would be a failure."""
    monkeypatch.setattr(sessions, "running_session", lambda: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)


EXPLORE = ["explore", *PUBLISHED, "--revision", "kip-320"]


def test_without_java(no_session, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(EXPLORE) == 2
    assert "Spark needs Java 17 or newer, and there is no java on the PATH" in told(capsys)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert main(EXPLORE) == 2
    assert "which has no bin/java" in told(capsys)


@pytest.mark.parametrize(("version", "number"), [("1.8.0_392", "8"), ("11.0.2", "11")])
def test_a_java_too_old(no_session, tmp_path, monkeypatch, capsys, version, number):
    java = tmp_path / "java"
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert main(EXPLORE) == 2
    assert f"is Java {number}; install a newer one" in told(capsys)


def test_a_master_that_nobody_answers_for(no_session, monkeypatch, capsys):
    begun = time.monotonic()
    assert main([*EXPLORE, "--master", "spark://127.0.0.1:9"]) == 2
    assert "the Spark master spark://127.0.0.1:9 cannot be reached" in told(capsys)
    assert time.monotonic() - begun < 30
    assert main([*EXPLORE, "--master", "mesos://x"]) == 2
    assert "is not a Spark master" in told(capsys)
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    assert main([*EXPLORE, "--master", "yarn"]) == 2
    assert "--master yarn needs HADOOP_CONF_DIR" in told(capsys)
    monkeypatch.setenv("SPARK_MASTER", "spark://127.0.0.1:10")
    assert main(EXPLORE) == 2
    assert "spark://127.0.0.1:10 cannot be reached" in told(capsys)


def test_who_decides_on_the_master(monkeypatch):
    for name in ("SPARK_MASTER", "MASTER", "PYSPARK_GATEWAY_PORT"):
        monkeypatch.delenv(name, raising=False)
    assert sessions.master_of(None) == "local[*]"
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    assert sessions.master_of(None) is None, "spark-submit decides"
    monkeypatch.setenv("SPARK_MASTER", "local[3]")
    assert (sessions.master_of(None), sessions.master_of("yarn")) == ("local[3]", "yarn")


def test_run_directories_of_others(spark, tmp_path, capsys):
    """Another model, revision, configuration, shard count, bits; one that holds a run; none to resume; a file; no rights."""
    place = ["--run-dir", f"file:{tmp_path}/run"]
    base = ["explore", "--quiet", "--depth", "2", "--generic"]
    mine = [*base, "--model", "published", "--revision", "kip-320", "--brokers", "2", "--shards", "3", *place]
    assert main(mine) == 20
    capsys.readouterr()
    for change, word in [
        (["--model", "kafka"], "its model"), (["--revision", "kip-279"], "its revision"),
        (["--brokers", "3"], "brokers: 2 there, 3 here"), (["--shards", "2"], "its shards (3 there, 2 here)"),
        (["--bits", "128"], "its bits"), (["--property", "weak_isr"], "its properties"),
        (["--symmetry"], "its symmetry"),
    ]:  # fmt: skip
        assert main([*mine, *change, "--resume"]) == 2, change
        assert word in told(capsys)
    assert main(mine) == 2 and "already holds a run" in told(capsys)
    unsaid = [word for word in mine if word not in ("--shards", "3")]
    assert main([*unsaid, "--resume"]) == 20 and capsys.readouterr().err == "", "a run keeps the shards with which it began"
    assert main([*base, "--revision", "kip-320", "--resume", "--run-dir", f"file:{tmp_path}/none"]) == 2
    assert "holds no run to resume" in told(capsys)
    (tmp_path / "file").write_text("")
    for bad in (f"file:{tmp_path}/file", "file:/proc/highwater", "nowhere://host/x"):
        assert main([*base, "--revision", "kip-320", "--run-dir", bad]) == 2
        assert f"{bad} cannot be" in told(capsys)
    assert main([*base, "--revision", "kip-320", "--resume"]) == 2 and "--resume needs --run-dir" in told(capsys)


def test_executors_that_lack_the_plugin_are_told_of(spark):
    """The plugin is known in the driver only."""
    asked = request("published", "kip-320")
    asked.model = replace(asked.model, plugins=("only_here",))
    with pytest.raises(UsageError, match=r"an executor cannot take part: the plugin only_here cannot be imported"):
        on_spark(spark, asked, narrow=0)


def test_quiet_and_in_a_process_of_its_own(tmp_path):
    """Nothing of Spark's reaches standard error, and the session ends with the command."""
    arguments = [*EXPLORE, "--depth", "3", "--allow-incomplete", "--traces", tmp_path]
    code, _, error = highwater(tmp_path, *arguments, SPARK_MASTER="local[1]")
    assert (code, error) == (0, "")
