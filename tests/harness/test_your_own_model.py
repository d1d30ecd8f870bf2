"""The model of docs/your-own-model.md, as it stands there: its plugin, its commands, its counterexample, its scenarios."""

import re
import shlex

import pytest
from support.elsewhere import python
from support.pages import Example, run

PAGE = Example("your-own-model.md")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return PAGE.folder(tmp_path_factory, "lease")


@pytest.mark.parametrize(("command", "line"), PAGE.commands, ids=range(len(PAGE.commands)))
def test_the_commands_say_what_the_page_says(folder, command, line):
    code, out = run(folder, *shlex.split(command))
    assert line in out and code == (12 if line.startswith("violated") else 0), out
    if code == 12:
        steps = [step.partition(" @")[0] for step in re.findall(r"^[0-9]+ [a-z_]+ .* @.*$", out, re.M)]
        assert steps == PAGE.block("text").splitlines()


def test_every_verdict_is_as_the_plugin_expects(folder):
    code, out = run(folder, "matrix", "--plugin", "lease", "--model", "lease", "--quiet")
    assert code == 0 and "every verdict is as expected" in out, out


def test_its_scenarios_pass_wherever_pytest_runs(folder):
    run_in = folder.parent
    code, out = run(run_in, "-m", "pytest", "-p", "no:cacheprovider", "-rA", str(folder / "highwater.toml"), program=python)
    assert code == 0 and "5 passed" in out, out
