"""A sweep whose points are tasks of Spark, and questions to its table in SQL."""

import csv
import json
import shutil
import time

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.sweep.runners import on_spark
from highwater.explorer.sweep.tasks import Task
from highwater.explorer.sweep.view import sweep_view
from highwater.model.language import UsageError
from support.elsewhere import refused

GRID = ["--model", "published", "--vary", "revision=kip-101,kip-320", "--vary", "max_epoch=1,2", "--brokers", "2", "--quiet"]


@pytest.fixture(scope="module")
def swept(spark, tmp_path_factory):
    """A table that Spark's tasks have filled, and the document of the sweep."""
    folder = tmp_path_factory.mktemp("sweep")
    assert main(["sweep", *GRID, "--engine", "spark", "--out", str(folder / "table"), "--json", str(folder / "a.json")]) == 0
    return folder / "table", json.loads((folder / "a.json").read_text())


def test_tasks_of_spark_find_what_is_found_here(swept, tmp_path):
    assert main(["sweep", *GRID, "--out", str(tmp_path / "table"), "--json", str(tmp_path / "b.json")]) == 0
    here = json.loads((tmp_path / "b.json").read_text())["points"]
    there = swept[1]["points"]
    for one in (*here, *there):
        del one["seconds"]
    assert here == there


def test_closing_early_cancels_the_tasks_that_run(spark):
    """An interrupt, or a SIGTERM: Spark's jobs ran to their end."""
    small = [Task("published", "kip-320", (("brokers", 1),), ("weak_isr",))]
    large = (("brokers", 3), ("log_size", 4), ("max_records", 4), ("max_epoch", 3))
    endless = [Task("published", "kip-320", large, ("weak_isr",))]
    results = on_spark(spark, small + 3 * endless, 2)
    assert next(results)[0] == 0
    left = time.monotonic()
    results.close()
    assert time.monotonic() - left < 60
    assert not spark.sparkContext.statusTracker().getActiveJobsIds()


@pytest.mark.parametrize("form", ["path", "uri"])
def test_the_view_has_a_column_for_what_varies(spark, swept, form):
    assert sweep_view(spark, str(swept[0]) if form == "path" else f"file:{swept[0]}")
    query = "select revision, max_epoch, count(*), max(states) from sweep where max_epoch > 1 group by 1, 2 order by 1"
    states = {p["varied"]["revision"]: p["states"] for p in swept[1]["points"] if p["varied"]["max_epoch"] == 2}
    rows = [tuple(row) for row in spark.sql(query).collect()]
    assert [(row[0], row[1], row[3]) for row in rows] == [(name, 2, count) for name, count in sorted(states.items())]
    assert {row[2] for row in rows} == {len(swept[1]["points"][0]["properties"])}


def test_stats_answers_sql(spark, swept, tmp_path, capsys):
    query = "select distinct property from sweep where verdict = 'violated' order by property"
    assert main(["stats", str(swept[0]), "--sql", query, "--csv", f"file:{tmp_path}"]) == 0
    wanted = sorted({v["name"] for p in swept[1]["points"] for v in p["properties"] if v["verdict"] == "violated"})
    printed = capsys.readouterr().out
    assert wanted and all(name in printed for name in wanted)
    (file,) = (tmp_path / "sql").glob("*.csv")
    assert [row["property"] for row in csv.DictReader(file.open())] == wanted


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "holds the table of a sweep; ask it with --sql"),
        (["nothing"], "nothing holds no run"),
        (["nothing", "--sql", "select 1"], "nothing holds no run"),
        (["a-file"], "a-file cannot be read: Not a directory"),
    ],
)
def test_what_is_no_run_is_said_before_spark_starts(swept, tmp_path, monkeypatch, capsys, arguments, said):
    monkeypatch.setattr("highwater.explorer.spark.session.session", None)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nothing").mkdir()
    (tmp_path / "a-file").touch()
    assert said in refused(capsys, "stats", *(arguments or [str(swept[0])]))


def test_what_cannot_be_asked_is_a_sentence(spark, swept, tmp_path, capfd):
    for arguments in ([str(swept[0]), "--sql", "select nothing from sweep"], [f"file:{tmp_path}", "--sql", "select 1"]):
        assert main(["stats", *arguments]) == 2
        said = capfd.readouterr().err
        assert said.startswith("highwater: ") and said.count("\n") == 1, said
    damaged = shutil.copytree(swept[0], tmp_path / "damaged")
    file = sorted(damaged.glob("*.parquet"))[0]
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(UsageError, match=f"{file.name} was damaged"):
        sweep_view(spark, str(damaged))
    with pytest.raises(UsageError, match="names no folder of this machine"):
        sweep_view(spark, "file://elsewhere/x")
