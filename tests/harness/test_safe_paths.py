"""Code runs only from folders that are trusted: files that happen to lie in a folder are not taken for libraries or plugins."""

import sys

import pytest
from support.elsewhere import PROGRAM, python

SCENARIO = """
[[scenario]]
name = "planted"
model = "published"
revision = "kip-320"
plugins = ["planted"]
properties = ["weak_isr"]
settings = {brokers = 2}
"""
PLANTED = "from pathlib import Path\nPath(__file__).with_suffix('.ran').touch()\ndef register(models): return []\n"


def plant(folder, *names):
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / f"{name}.py").write_text(PLANTED)


def ran(folder):
    return sorted(one.stem for one in folder.rglob("*.ran"))


def pytest_there(folder, *flags):
    return python(folder, "-P", "-m", "pytest", "-p", "no:cacheprovider", *flags)


@pytest.fixture
def data(tmp_path):
    """A project, and in it a folder of data with a file that names a plugin."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    plant(tmp_path / "data", "planted")
    (tmp_path / "data" / "pyproject.toml").write_text(SCENARIO.replace("[[scenario]]", "[[tool.highwater.scenario]]"))
    return tmp_path / "data"


@pytest.mark.parametrize("flags", [("--collect-only",), ("-k", "nothing"), ()], ids=["collect", "deselected", "run"])
def test_what_a_file_in_a_data_folder_names_is_not_imported(data, flags):
    code, out, _ = pytest_there(data.parent, *flags)
    assert ran(data) == [] and ("planted" in out or "deselected" in out)
    if not flags:
        assert code == 1 and "were not imported; if you trust them, add --highwater-plugins" in out, out


def test_it_is_imported_when_it_is_asked_for(data):
    code, out, _ = pytest_there(data.parent, "--highwater-plugins")
    assert code == 0 and ran(data) == ["planted"], out


def test_of_the_rootdir_it_is_imported_when_the_scenario_runs(tmp_path):
    plant(tmp_path, "planted")
    (tmp_path / "highwater.toml").write_text(SCENARIO)
    code, out, _ = pytest_there(tmp_path, "--collect-only", "-q")
    assert code == 0 and "planted::weak_isr" in out and ran(tmp_path) == []
    (tmp_path / "highwater.toml").write_text(SCENARIO.replace('properties = ["weak_isr"]\n', ""))
    code, out, _ = pytest_there(tmp_path, "-v")
    assert code == 0 and ran(tmp_path) == ["planted"] and "planted::every property" in out, out


def test_files_beside_a_plugin_are_not_taken_for_libraries(tmp_path):
    plant(tmp_path, "statistics", "rich", "planted")
    (tmp_path / "planted.py").write_text("import statistics, rich\n" + PLANTED)
    code, _, error = python(tmp_path, "-P", "-c", PROGRAM, "list", "revisions", "--plugin", "planted")
    assert code == 2 and ran(tmp_path) == ["planted"] and "give it another name" in error, error


def test_files_in_the_current_folder_are_not_run_by_spark(tmp_path):
    plant(tmp_path, "random", "queue", "numpy", "highwater", "pyarrow", "numba", "pyspark")
    asked = ["--model", "published", "--revision", "kip-320", "--brokers", "2", "--generic", "--quiet", "--depth", "9"]
    kept = ["--run-dir", f"file:{tmp_path}/run", "--narrow", "10"]
    command = ["check", "--engine", "spark", "--master", "local[1]", *asked, *kept, "--traces", tmp_path / "t"]
    code, out, error = python(tmp_path, "-P", "-c", PROGRAM, *command)
    assert code == 20 and "depth 9" in out, error
    assert ran(tmp_path) == [] and any((tmp_path / "run").glob("level=*/shard=0/*")), sys.path
