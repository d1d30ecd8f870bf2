"""`init` writes what works: pytest reads the scenarios, the workflow and the pre-commit entry run them."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from highwater.explorer.command_line import main
from highwater.explorer.harness.scenarios import read_scenarios
from highwater.model.language.errors import UsageError
from highwater.properties.plugins import module_of
from support.elsewhere import output_of


def test_the_files_are_read_by_what_they_are_for(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["init", "--revision", "2.8.1"]) == 0
    (scenario,) = read_scenarios(Path("highwater.toml"))
    assert scenario.said.release == "2.8.1" and scenario.revision() == "kip-320-2.8" and scenario.claims()
    workflow = Path(".github/workflows/highwater.yml").read_text()
    assert "${{ runner.os }}" in workflow and "{{{" not in workflow
    lines = re.findall(r"- run: (.+)", workflow)
    assert "-TAG-${{ hashFiles('**/*.py', '**/highwater.toml') }}" in workflow and "timeout-minutes:" in workflow
    assert lines[0].startswith("pip install pytest 'highwater-kafka @ git+") and lines[1].startswith("pytest highwater.toml")
    assert lines[0].endswith(" -c highwater-constraints.txt")
    kept = dict(line.split("==") for line in Path("highwater-constraints.txt").read_text().splitlines()[1:])
    assert {"numba", "llvmlite", "pytest"} <= set(kept) and "highwater-kafka" not in kept and version("numba") == kept["numba"]
    command = [sys.executable, "-m", *lines[1].split(), "--collect-only", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "no_committed_data_loss" in done.stdout
    assert "entry: pytest -q highwater.toml" in Path(".pre-commit-config.yaml").read_text()
    capsys.readouterr()
    assert main(["init"]) == 2 and "nothing was written" in capsys.readouterr().err


def test_what_is_there_is_left_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("highwater.toml").write_text("# mine\n")
    Path(".gitignore").write_text("build\nhighwater-traces")
    assert main(["init"]) == 0
    assert Path(".gitignore").read_text() == (
        "build\nhighwater-traces\nhighwater-corpus/\nhighwater-sweep/\nhighwater.xml\n*.sarif\n"
    )
    assert Path("highwater.toml").read_text() == "# mine\n" and Path(".pre-commit-config.yaml").is_file()
    assert "highwater.toml is there already" in capsys.readouterr().out


def test_the_entry_for_a_pre_commit_file_that_is_there_is_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path(".pre-commit-config.yaml").write_text("repos: []\n")
    out = output_of(capsys, 0, ["init", "--release", "3.9.1"]).out
    assert "add this below its repos:" in out and yaml.safe_load(out[out.index("  - repo") : out.index("added")])[0]["hooks"]
    assert 'release = "3.9.1"' in Path("highwater.toml").read_text()
    assert Path(".pre-commit-config.yaml").read_text() == "repos: []\n"


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("4.1.0-acme2", "for a fork of 4.1.0 take that, and a plugin"), ("trunk", "or the one that it was forked from")],
)
def test_a_version_of_a_fork_is_told_what_to_take(tmp_path, monkeypatch, capsys, name, wanted):
    monkeypatch.chdir(tmp_path)
    said = output_of(capsys, 2, ["init", "--revision", name]).err
    assert wanted in said and "docs/adding-a-revision.md" in said, said


def test_plugins_are_named_in_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "rows_of_mine.py").write_text("def register(models):\n    return []\n")
    assert main(["init", "--plugin", "rules/rows_of_mine.py"]) == 0
    assert tomllib.loads(Path("highwater.toml").read_text())["scenario"][0]["plugins"] == ["rules.rows_of_mine"]
    (scenario,) = read_scenarios(Path("highwater.toml"))
    assert scenario.claims()


def test_a_plugin_may_be_named_by_its_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "named_by_file.py").write_text("def register(models):\n    return []\n")
    assert module_of("rules/named_by_file.py") == "named_by_file" and module_of("rules/named_by_file.py:go") == "named_by_file:go"
    assert module_of("my.package:register") == "my.package:register"
    assert main(["list", "models", "--plugin", "rules/named_by_file.py"]) == 0
    with pytest.raises(UsageError, match=r"there is no file rules/none\.py"):
        module_of("rules/none.py")


def test_why_explains_a_trace(capsys):
    assert main(["why", "S3"]) == 12 and "no_committed_data_loss is false" in capsys.readouterr().out


def test_a_model_with_a_log_of_metadata_takes_its_own_sizes(tmp_path, monkeypatch):
    """With two brokers under KRaft nothing of what its releases violate is found."""
    monkeypatch.chdir(tmp_path)
    assert main(["init", "--revision", "4.4"]) == 0
    (scenario,) = read_scenarios(Path("highwater.toml"))
    assert scenario.said.model == "kraft" and scenario.said.settings == {} and scenario.said.bounds.seconds == 300
