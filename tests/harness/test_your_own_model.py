"""The model of docs/your-own-model.md, as it stands there: its plugin, its commands, its counterexample, its scenarios."""

import re
import shlex
from pathlib import Path

import pytest
from support.elsewhere import highwater, python

PAGE = (Path(__file__).parents[2] / "docs" / "your-own-model.md").read_text()
COMMANDS = re.findall(r"^\$ highwater (.*)\n(.*)$", PAGE, re.M)


def block(language):
    """The page's only block of a language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of a user, with the plugin and the scenarios of the page."""
    made = tmp_path_factory.mktemp("user")
    (made / "lease.py").write_text(block("python"))
    (made / "highwater.toml").write_text(block("toml"))
    return made


def run(folder, *arguments, program=highwater):
    """The command in a folder; nothing is compiled, since a few hundred states do not need it."""
    code, out, error = program(folder, *arguments, HIGHWATER_COMPILE="no")
    return code, out + error


@pytest.mark.parametrize(("command", "line"), COMMANDS, ids=range(len(COMMANDS)))
def test_the_commands_say_what_the_page_says(folder, command, line):
    code, out = run(folder, *shlex.split(command))
    assert line in out and code == (12 if line.startswith("violated") else 0), out
    if code == 12:
        steps = [step.partition(" @")[0] for step in re.findall(r"^[0-9]+ [a-z_]+ .* @.*$", out, re.M)]
        assert steps == block("text").splitlines()


def test_every_verdict_is_as_the_plugin_expects(folder):
    code, out = run(folder, "matrix", "--plugin", "lease", "--model", "lease", "--quiet")
    assert code == 0 and "every verdict is as expected" in out, out


def test_its_scenarios_pass_wherever_pytest_runs(folder):
    run_in = folder.parent
    code, out = run(run_in, "-m", "pytest", "-p", "no:cacheprovider", "-rA", str(folder / "highwater.toml"), program=python)
    assert code == 0 and "5 passed" in out, out
