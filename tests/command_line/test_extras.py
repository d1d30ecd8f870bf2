"""What belongs to one command is an extra, and one sentence says so where it is missing, before anything is explored."""

import subprocess
import sys

from highwater.explorer.command_line import COMMANDS, main
from support.elsewhere import refused


def test_without_scipy_what_must_happen_is_refused_before_the_run(capsys, monkeypatch):
    monkeypatch.setattr("highwater.explorer.progress.decide.find_spec", lambda name: None)
    tiny = ["--revision", "kip-320", "--brokers", "1", "--replicas", "1", "--max-epoch", "0", "--log-size", "1"]
    said = refused(capsys, "check", *tiny, "--property", "leader_serves_again")
    assert "leader_serves_again (leads_to) needs scipy, which is not installed; pip install" in said
    assert main(["check", *tiny, "--property", "leader_can_serve", "--generic"]) == 0


def test_without_pydot_only_dot_is_refused(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pydot", None)
    small = ["graph", "--model", "published", "--revision", "kip-320", "--brokers", "2", "--max-epoch", "0"]
    assert "--format dot needs pydot, which is not installed; pip install" in refused(capsys, *small, "--format", "dot")
    assert main([*small, "--format", "json"]) == 0


def test_every_command_begins_without_any_extra():
    absent = ("pyspark", "pyarrow", "pandas", "botocore", "kafka", "kazoo", "textual", "scipy", "pydot", "cvc5")
    program = f"""
import importlib, sys
sys.modules.update(dict.fromkeys({absent}))
for name in {[*COMMANDS]}:
    importlib.import_module(f"highwater.explorer.command_line.{{name}}")
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
