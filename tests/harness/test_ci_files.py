"""docs/ci: the steps of the composite action are run by a shell as the runner would, and the container file is read."""

import os
import re
import subprocess
import sys
from pathlib import Path

import yaml

FOLDER = Path(__file__).parents[2] / "docs" / "ci"

SCENARIO = """
[[scenario]]
name = "two brokers"
model = "published"
revision = "high-watermark"
properties = ["weak_isr"]
[scenario.settings]
brokers = 2
"""

PIP = """#!/bin/sh
case "$2" in pip) echo "$@" >> installed ;; *) exec {python} "$@" ;; esac
"""


def test_the_steps_of_the_action_find_a_violation_and_keep_its_counterexample(tmp_path):
    """`pip` only notes what it was asked for; everything else is what would run."""
    action = yaml.safe_load((FOLDER / "action.yml").read_text())
    given = {name: one.get("default", "highwater-kafka @ file:///wheel.whl") for name, one in action["inputs"].items()}
    (tmp_path / "highwater.toml").write_text(SCENARIO)
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python"
    python.write_text(PIP.format(python=sys.executable))
    python.chmod(0o755)
    codes = []
    for step in (one for one in action["runs"]["steps"] if "run" in one):
        values = {k: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda m: given[m[1]], v) for k, v in step["env"].items()}
        assert step["shell"] == "bash" and "${{" not in step["run"], "what a caller gives is never part of a command"
        environment = {**os.environ, **values, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "GITHUB_ACTIONS": "true"}
        environment["GITHUB_OUTPUT"] = str(tmp_path / "outputs")
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        codes.append(done.returncode)
    assert codes == [0, 1], done.stdout + done.stderr
    assert (tmp_path / "installed").read_text() == "-m pip install --quiet pytest highwater-kafka @ file:///wheel.whl\n"
    assert re.fullmatch(r"key=[0-9a-f]{16}\n", (tmp_path / "outputs").read_text())
    assert "::error" in done.stdout and (tmp_path / "highwater.xml").exists()
    kept = action["runs"]["steps"][-1]
    assert kept["if"] == "failure()" and kept["with"]["path"].split() == ["highwater-traces", "highwater.xml", "highwater.sarif"]
    assert {path.suffix for path in (tmp_path / "highwater-traces").iterdir()} == {".trace", ".html"}


def test_the_container_file_runs_the_command_as_nobody_special():
    """Read as far as it can be without a container: known instructions, nothing that has no place in the checkout, no root."""
    lines = [line.split(maxsplit=1) for line in (FOLDER / "Containerfile").read_text().splitlines() if line and line[0] != "#"]
    names = [name for name, _ in lines]
    assert names[0] == "FROM" and set(names) <= {"FROM", "COPY", "RUN", "USER", "WORKDIR", "VOLUME", "ENTRYPOINT", "CMD"}
    told = dict(lines)
    assert not told["FROM"].endswith(":latest") and ":" in told["FROM"]
    assert names.index("USER") > max(at for at, name in enumerate(names) if name == "RUN") and told["USER"] != "root"
    assert yaml.safe_load(told["ENTRYPOINT"]) == ["highwater"] and yaml.safe_load(told["CMD"]) == ["--help"]
