"""Where a run on Spark is kept: folders with names that a URI cannot have as they are, and places that are none."""

import tempfile

import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.command_line import main
from highwater.explorer.spark.explore import store_at
from highwater.explorer.spark.folder import Folder
from highwater.explorer.sweep.view import sweep_view
from highwater.model.language import UsageError
from support.on_spark import on_spark, request

ODD = "a%20b #?c:d"


def test_a_temporary_run_directory_may_have_any_name(spark, tmp_path, monkeypatch):
    (tmp_path / ODD).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / ODD))
    assert on_spark(spark, request(bounds=Bounds(depth=4)), narrow=0).depth == 4


def test_a_path_is_the_same_folder_to_the_driver_and_to_tasks(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for place, name in ((ODD, ODD), ("a:b", "a:b"), (f"file:{tmp_path}/x%20y", "x y")):
        store, uri = store_at(spark, place)
        store.write("one/two", b"2")
        assert b"".join(Folder(uri).chunks("one/two")) == (tmp_path / name / "one" / "two").read_bytes() == b"2"


@pytest.mark.parametrize("name", ["a:b", ODD, "{x}[y]*"])
def test_a_table_of_a_sweep_may_have_any_name(spark, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    grid = ["--model", "published", "--vary", "revision=kip-320", "--brokers", "1", "--max-epoch", "0", "--quiet"]
    assert main(["sweep", *grid, "--out", name]) == 0
    assert sweep_view(spark, name)
    assert spark.sql("select count(distinct point) from sweep").collect()[0][0] == 1


def test_what_no_place_can_mean(spark):
    for place in ("file://[", "s3://[", "file:%00", "file://elsewhere/x"):
        with pytest.raises(UsageError, match=r"is not a URI|names no folder"):
            store_at(spark, place)
    with pytest.raises(OSError, match="Relative path in absolute URI"):
        store_at(spark, "hdfs:x")
