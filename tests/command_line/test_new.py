"""`highwater new NAME` writes a model that is checked at once, with a test that passes and scenarios that pytest reads."""

import json
import re
import sys
from pathlib import Path

import pytest
from highwater.explorer.command_line import main
from support.elsewhere import output_of, python

BOTH = '''
from highwater.model.language import Model, State, integer
from highwater.properties.property import always, eventually, recoverable


class S(State):
    x = integer(0, 3, "x")


def inc(s):
    """Goes on."""
    if s.x == 3:
        return False
    s.x += 1
    return True


def grows(s):
    """It is no less than it was."""
    return s.x >= 0


def is_over(s):
    """It has ended."""
    return s.x == 3


MODEL = Model(
    state=S, actions=[inc], weak=[inc], properties=[always(grows), eventually(is_over), recoverable(is_over, name="may_be_over")]
)
'''


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def test_what_is_new_is_checked_at_once(here, capsys):
    assert main(["new", "some_counters"]) == 0
    assert sorted(path.name for path in here.iterdir()) == ["highwater.toml", "some_counters.py", "test_some_counters.py"]
    capsys.readouterr()
    assert main(["check", "some_counters.py", "--json", "-", "--quiet"]) == 12
    found = {claim["name"]: claim["verdict"] for claim in json.loads(capsys.readouterr().out)["properties"]}
    assert found == {"no_update_is_lost": "violated", "all_write": "witnessed"}
    assert main(["check", "some_counters.py", "--careful", "--clients", "3"]) == 0
    assert "some-counters: A register, and clients" in capsys.readouterr().out
    shown = output_of(capsys, 0, ["check", "some_counters.py", "--help"]).out
    assert "--clients N" in shown and "--careful" in shown and "--brokers" not in shown


def test_the_model_in_the_readme_says_what_it_says(here, capsys):
    text = (Path(__file__).parents[2] / "README.md").read_text()
    (model,) = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    ((command, line),) = re.findall(r"^\$ highwater (check pump.*)\n(.*)$", text, re.M)
    Path("pump.py").write_text(model)
    assert main(command.split()) == 12 and line in capsys.readouterr().out


def test_every_command_takes_the_file(here, capsys):
    assert main(["new", "counting"]) == 0
    for command, said in (
        (["list", "properties", "counting.py"], "no_update_is_lost"),
        (["where", "reads the register", "counting.py"], "read_again"),
        (["guards", "counting.py", "--set", "clients=1", "--function", "write"], "write: me.phase is not Phase.READ"),
    ):
        assert main(command) == 0, command
        out = capsys.readouterr().out
        assert said in out and "become_leader" not in out
    assert "clients must lie between 1 and 6" in output_of(capsys, 2, ["guards", "counting.py", "--set", "clients=9"]).err


def test_what_waits_for_the_other_kind_of_check_is_named(here, capsys):
    Path("both.py").write_text(BOTH)
    assert main(["check", "both.py"]) == 0
    assert "not checked, with --progress: what can still, or must, happen: is_over, may_be_over" in capsys.readouterr().out
    assert main(["check", "both.py", "--progress"]) == 0
    assert "not checked, without --progress: what may never happen: grows" in capsys.readouterr().out
    assert "not checked" not in output_of(capsys, 0, ["check", "both.py", "--property", "grows"]).out


def test_its_tests_pass(here):
    main(["new", "other_counters"])
    code, out, _ = python(here, "-m", "pytest", "-q", "-p", "no:cacheprovider", HIGHWATER_COMPILE="no")
    assert code == 0 and "3 passed" in out, out


def test_nothing_is_overwritten(here, capsys):
    Path("highwater.toml").write_text("# mine\n")
    assert Path("highwater.toml").read_text() == "# mine\n" and "left as it is" in output_of(capsys, 0, ["new", "left_alone"]).out
    assert "is there already; nothing was written" in output_of(capsys, 2, ["new", "left_alone"]).err


@pytest.mark.parametrize("name", ["json", "highwater"])
def test_a_name_that_would_hide_a_module_is_refused(here, name, capsys):
    """`check json.py` refused what `new json` had written."""
    assert f"Python has a module '{name}'" in output_of(capsys, 2, ["new", name]).err and not [*here.iterdir()]


@pytest.mark.parametrize("name", ["Two Words", "3d", "class", "../up", "", "a" * 300])
def test_what_is_no_name_is_refused(here, name, capsys):
    assert "cannot be the name of a model" in output_of(capsys, 2, ["new", name]).err and not [*here.iterdir()]
