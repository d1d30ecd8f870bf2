"""`spark-submit` with the wheel in `--py-files`: nothing else of Highwater is there, neither for the driver nor for executors."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pyspark
import pytest
from highwater.explorer.local.check import check
from highwater.explorer.spark.session import OF_THIS_MACHINE
from support.on_spark import SMALL, request
from support.wheel import ROOT, build

SUBMIT = Path(pyspark.__file__).parent / "bin" / "spark-submit"

INSTALLED = [path for path in sys.path if path.endswith("-packages")]
"""The folders of packages; `.pth` files in them, which lead to editable ones, are not read."""

SETTINGS = {**OF_THIS_MACHINE, "spark.ui.enabled": "false"}
"""What sessions of our own have: Java lives a few seconds, three times."""

SCRIPT = """
import sys
from highwater.explorer.command_line import main
sys.exit(main(sys.argv[1:]))
"""

PLUGIN = """
from highwater.model.language import Revision
from highwater.properties.extended import extended

def register(models):
    settings = {"truncation": "high-watermark", "replication": "base"}
    nightly = Revision("nightly", "the oldest revision under another name", settings)
    return [extended(models["published"], revisions=[nightly])]
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build(tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheels"))


@pytest.fixture
def submit(wheel, tmp_path):
    """Run the command through spark-submit, with a Python that knows the installed packages but no editable ones."""
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    python.chmod(0o755)
    (tmp_path / "run.py").write_text(SCRIPT)
    (tmp_path / "nightly.py").write_text(PLUGIN)

    def run(master, *arguments):
        environment = {**os.environ, "PYSPARK_PYTHON": str(python), "PYTHONPATH": os.pathsep.join(INSTALLED)}
        files = f"{wheel},{tmp_path / 'nightly.py'}"
        sink = {"class": "org.apache.spark.metrics.sink.CsvSink", "directory": str(tmp_path / "metrics"), "period": "1"}
        metrics = {f"spark.metrics.conf.*.sink.csv.{name}": value for name, value in sink.items()}
        (tmp_path / "metrics").mkdir(exist_ok=True)
        settings = [word for name, value in {**SETTINGS, **metrics}.items() for word in ("--conf", f"{name}={value}")]
        command = [SUBMIT, "--master", master, *settings, "--py-files", files, tmp_path / "run.py", *arguments]
        return subprocess.run(command, cwd="/", env=environment, capture_output=True, text=True, check=False, timeout=300)

    return run


@pytest.mark.parametrize("master", [pytest.param("local[2]", marks=pytest.mark.long), "local-cluster[2,1,1024]"])
def test_a_run_from_the_wheel_alone(submit, tmp_path, master):
    asked = ["--model", "published", "--plugin", "nightly", "--revision", "nightly", "--generic", "--keep-going"]
    sizes = [word for name, value in SMALL.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    files = ["--run-dir", f"file:{tmp_path}/run", "--json", f"{tmp_path}/out.json", "--traces", str(tmp_path / "traces")]
    ended = submit(master, "explore", *asked, *sizes, *files, "--shards", "2", "--narrow", "900")
    here = check(request("published", "high-watermark"))
    assert ended.returncode == here.exit_code() == 12, ended.stdout[-3000:] + ended.stderr[-2000:]
    log = [line for line in ended.stdout.splitlines() if " published nightly " in line]  # spark-submit makes one stream of both
    assert log[0].endswith(" starts Spark") and log[-1].count(" ends: violated: "), "a log has a first line and a last one"
    assert f" begins on {master}; " in log[1] and "; brokers 2, " in log[1]
    told = json.loads((tmp_path / "out.json").read_text())
    assert told["levels"] == here.levels and told["transitions"] == here.transitions and told["engine"] == "spark"
    assert list((tmp_path / "metrics").glob("*.driver.*.csv")), "sinks of Spark's metrics are the user's, like all of --conf"
    assert list((tmp_path / "run").rglob("shard=1/*.parquet")), "some levels ran on executors"


def test_the_documented_script_is_this_one():
    assert textwrap.indent(SCRIPT.strip(), " " * 4) in (ROOT / "docs" / "spark.md").read_text()
